//go:build unix

package stdio_test

import (
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/stdio"
	"vcp.core/runtime/transport/transporttest"
)

// role begins the argument that makes this test program a plugin.
const role = "as-plugin:"

// TestMain makes a plugin of the test program when it is called as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if name, ok := strings.CutPrefix(os.Args[1], role); ok {
			act(name, os.Args[2:])
		}
	}
	goleak.VerifyTestMain(m)
}

// acting is the program that plays a plugin.
func acting(t testing.TB, name string, args ...string) stdio.Program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return stdio.Program{
		Dir: t.TempDir(), Argv: append([]string{self, role + name}, args...),
		Env: []string{"GORACE=atexit_sleep_ms=0"}, // the race detector waits for a second at the end of a program
	}
}

func TestSuite(t *testing.T) {
	transporttest.Test(t, func(t *testing.T) transport.Transport {
		return stdio.New(map[string]stdio.Program{transporttest.Tool: acting(t, "probe")})
	})
}
