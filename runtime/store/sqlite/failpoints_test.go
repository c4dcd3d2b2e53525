package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// failpoints names this test program, built with its failpoints switched on: make failpoints does that, in a copy.
const failpoints = "VCP_FAILPOINTS"

// A process dies at each of the points where a transaction could be cut, early and late. What it acknowledged is there.
func TestFailpoints(t *testing.T) {
	program := os.Getenv(failpoints)
	if program == "" {
		t.Skip(failpoints + " does not name a test program with failpoints; make failpoints makes one")
	}
	found := map[string]bool{}
	sources, err := filepath.Glob(filepath.Join("..", "internal", "engine", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range sources {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`// gofail: var (\w+) `).FindAllSubmatch(src, -1) {
			found[string(m[1])] = true
		}
	}
	if len(found) < 5 {
		t.Fatalf("only %d failpoints: %v", len(found), found)
	}
	for point := range found {
		for _, passes := range []int{0, 1, 2, 7, 40} {
			t.Run(fmt.Sprintf("%s after %d", point, passes), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "records.db")
				var said, complaint bytes.Buffer
				cmd := loader(t, path, loadRounds+"=200", loadPrune+"=3000", fmt.Sprintf("GOFAIL_FAILPOINTS=%s=%d*off->panic", point, passes))
				cmd.Path, cmd.Args[0] = program, program
				cmd.Stdout, cmd.Stderr = &said, &complaint
				err := cmd.Run()
				if exit := new(exec.ExitError); !errors.As(err, &exit) || !bytes.Contains(complaint.Bytes(), []byte("failpoint panic")) {
					t.Fatalf("it did not die of the failpoint: %v\n%s", err, complaint.Bytes())
				}
				log := check(t, path, &said)
				t.Logf("%d stored, %d open when it died", len(log.Stored), len(log.Begun))
			})
		}
	}
}
