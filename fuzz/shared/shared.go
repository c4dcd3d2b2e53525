// Package shared is the one way in which tests find files that are not part of the repository: the
// official test suite, real schemas with their instances, the source documents of the specification.
// It also finds the root of the module, from the root module's tests and from the nested module's.
//
// Data flow: environment and working directory -> a path, or a skipped test that says why. It reads
// no shared file itself, copies none, and is imported by tests only.
package shared

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Variable names the environment variable that holds the folder of shared files. A relative value
// counts from the module root, because every package's tests run in a folder of their own.
const Variable = "VCP_SHARED"

// module is the path that marks the root: a nested module's go.mod names another one and is passed.
const module = "vcp.core"

// Path returns the path of a shared file or folder, elem joined below VCP_SHARED (default: the folder
// "shared" beside the module root). When nothing is there the test is skipped with a reason that
// names the path and the variable.
func Path(t testing.TB, elem ...string) string {
	t.Helper()
	path, err := find(Root(t), os.Getenv(Variable), elem...)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.Skipf("shared file %s is absent; set %s to the folder of shared files to run this test", path, Variable)
	case err != nil:
		t.Fatalf("shared file %s: %v", path, err)
	}
	return path
}

// Root returns the absolute path of the folder that holds the go.mod of module vcp.core, looking
// upwards from the working directory.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatalf("working directory: %v", err)
	}
	root, err := rootAbove(dir)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// NoRootError reports that no folder above Dir is the root of the module.
type NoRootError struct{ Dir string }

// Error says it in a sentence.
func (e *NoRootError) Error() string {
	return fmt.Sprintf("no go.mod of module %s in or above %s", module, e.Dir)
}

func find(root, folder string, elem ...string) (string, error) {
	if folder == "" {
		folder = filepath.Join("..", "shared")
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(root, folder)
	}
	path := filepath.Join(append([]string{folder}, elem...)...)
	_, err := os.Stat(path)
	return path, err
}

func rootAbove(start string) (string, error) {
	for dir := start; ; {
		name, err := moduleOf(filepath.Join(dir, "go.mod"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if name == module {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", &NoRootError{Dir: start}
		}
		dir = parent
	}
}

// moduleOf reads the module directive of a go.mod.
func moduleOf(path string) (string, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(raw)) {
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == "module" {
			return strings.Trim(fields[1], `"`), nil
		}
	}
	return "", nil
}
