//go:build unix

package stdio_test

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"vcp.core/fuzz/shared"
	"vcp.core/runtime/keeper"
	"vcp.core/runtime/transport/stdio"
)

// asKeeper is the argument that makes this test program a keeper, and keeperKind the variable that says which keeper the
// tests of this program run their plugins below, if any.
const (
	asKeeper   = "as-keeper"
	keeperKind = "VCP_TEST_KEEPER"
)

// The values of keeperKind.
const (
	belowGuard  = "guard"
	inNamespace = "namespace"
)

// below is the keeper of this program, nil when plugins are its own children.
var below = sync.OnceValue(func() *keeper.Keeper {
	kind := os.Getenv(keeperKind)
	if kind == "" {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	// The plugins of these tests write into their own folders.
	profile := keeper.Default()
	profile.Write = []string{os.TempDir()}
	k, err := keeper.New(keeper.Program(self, asKeeper), keeper.Namespaces(kind == inNamespace),
		keeper.Profiles(func(string) keeper.Profile { return profile }))
	if err != nil {
		panic(err)
	}
	return k
})

// opened makes a transport as stdio.New does, below the keeper that the tests are run with.
func opened(programs map[string]stdio.Program, options ...stdio.Option) *stdio.Stdio {
	if k := below(); k != nil {
		options = append(options, stdio.Launcher(k))
	}
	return stdio.New(programs, options...)
}

// needsNumbers skips a test that looks for processes by the numbers that plugins have written.
func needsNumbers(t *testing.T) {
	t.Helper()
	if os.Getenv(keeperKind) == inNamespace {
		t.Skip("in a namespace a plugin does not know the number that others see; the tests of package keeper look after it")
	}
}

// keeperNumber is the number of the keeper's process as /proc has it, "" when there is none.
func keeperNumber(t *testing.T) string {
	t.Helper()
	if below() == nil {
		return ""
	}
	state, err := below().State()
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(state.PID)
}

// atOnce are the tests in which calls, ends and deaths of processes meet: for the race detector the others are no different with a
// keeper than without.
const atOnce = "Random|InFlight|Swap|Hung|Many|Hangs|Dies|Crash|Drains|Interleaves|Processes|Waiting|MakesRoom|Cancelled|Killed"

// All tests of this package once more, with plugins below a keeper: first in a namespace, then below a guard.
func TestWithKeeper(t *testing.T) {
	if os.Getenv(keeperKind) != "" {
		t.Skip("this is it")
	}
	if _, err := keeper.New(keeper.Program("/")); errors.Is(err, keeper.ErrUnsupported) {
		t.Skip(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{inNamespace, belowGuard} {
		t.Run(kind, func(t *testing.T) {
			if shared.Race && kind == inNamespace {
				t.Skip("for the race detector both kinds are the same code of this process; without it both are run")
			}
			which, least := ".", 30
			if shared.Race {
				which, least = atOnce, 12
			}
			cmd := exec.Command(self, "-test.v", "-test.run="+which, "-test.skip=^TestWithKeeper$|^Fuzz")
			cmd.Env = append(os.Environ(), keeperKind+"="+kind)
			out, err := cmd.CombinedOutput()
			for line := range strings.Lines(string(out)) {
				if strings.HasPrefix(line, "--- SKIP") {
					t.Log(line)
				}
			}
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			if n := strings.Count(string(out), "\n--- PASS"); n < least {
				t.Errorf("%d tests were run\n%s", n, out)
			}
		})
	}
}
