package oracle

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Start builds the child program into a temporary folder and returns a child that is closed with the
// test. limit is the time for one document.
func Start(t testing.TB, limit time.Duration) *Child {
	t.Helper()
	program := filepath.Join(t.TempDir(), "oracle-v6")
	out, err := exec.Command("go", "build", "-o", program, "vcp.core/fuzz/peers/cmd/oracle-v6").CombinedOutput()
	if err != nil {
		t.Fatalf("building the oracle: %v\n%s", err, out)
	}
	c := New(limit, program)
	t.Cleanup(c.Close)
	return c
}
