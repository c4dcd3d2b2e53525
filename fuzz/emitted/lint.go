package emitted

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"vcp.core/fuzz/shared"
)

// Lint runs staticcheck, every check of it, over the module that [Build] built a program in, and returns what it
// finds.
func Lint(t testing.TB, program string) (findings string) {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "staticcheck")
	build := exec.Command("go", "build", "-modfile=tools.mod", "-o", tool, "honnef.co/go/tools/cmd/staticcheck")
	build.Dir = shared.Root(t)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building staticcheck: %v\n%s", err, out)
	}
	check := exec.Command(tool, "-checks", "all", "./...")
	check.Dir = filepath.Dir(program)
	check.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := check.CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Fatal(err)
	}
	return string(out)
}
