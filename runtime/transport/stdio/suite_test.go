//go:build unix

package stdio_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"vcp.core/runtime/keeper/serve"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/stdio"
	"vcp.core/runtime/transport/transporttest"
)

// role begins the argument that makes this test program a plugin.
const role = "as-plugin:"

// TestMain makes a plugin of the test program when it is called as one, or a keeper.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if os.Args[1] == asKeeper {
			serve.Main()
		}
		if name, ok := strings.CutPrefix(os.Args[1], role); ok {
			act(name, os.Args[2:])
		}
	}
	code := m.Run()
	if k := below(); k != nil {
		if err := k.Close(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "the keeper does not end:", err)
			code = 1
		}
	}
	err := goleak.Find()
	for range 20 { // each looks for half a second, which is little on a machine that stands still
		if err != nil {
			err = goleak.Find()
		}
	}
	if err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
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
		return opened(map[string]stdio.Program{transporttest.Tool: acting(t, "probe")})
	})
}
