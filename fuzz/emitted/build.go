// Package emitted builds generated packages into a program of their own and runs it: generated code cannot
// be part of the test that generates it.
//
// Data flow: files of gen/emit/golang -> a temporary module that replaces vcp.core by this tree -> go vet,
// go build -> a program. For verdicts there is a ready program that answers questions ([Judges]). Tests
// only; the package compares nothing itself.
package emitted

import (
	"bytes"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vcp.core/fuzz/compiled"
	"vcp.core/fuzz/shared"
	"vcp.core/gen/emit/golang"
)

// Module is the path of the temporary module. Package p is generated for ImportPath(p).
const Module = compiled.Module

// ImportPath returns the import path that a package must be emitted for.
func ImportPath(name string) string { return compiled.ImportPath(name) }

// Build writes packages, by name, and a main package into a temporary module, vets and builds it, and
// returns the program's path. What does not build fails the test, and so does what gofmt would change.
func Build(t testing.TB, packages map[string][]golang.File, main string) (program string) {
	t.Helper()
	return BuildWith(t, "", packages, main)
}

// BuildWith is Build with a build tag.
func BuildWith(t testing.TB, tag string, packages map[string][]golang.File, main string) (program string) {
	t.Helper()
	root := shared.Root(t)
	dir := t.TempDir()
	write := func(name string, content []byte) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, files := range packages {
		for _, f := range files {
			if formatted, err := format.Source(f.Bytes); err != nil || !bytes.Equal(formatted, f.Bytes) {
				t.Errorf("%s/%s is not as gofmt writes it: %v", name, f.Name, err)
			}
			write(name+"/"+f.Name, f.Bytes)
		}
	}
	write("main.go", []byte(main))
	write("go.mod", []byte("module "+Module+"\n\ngo 1.26\n\nrequire vcp.core v0.0.0\n\nreplace vcp.core => "+root+"\n"))
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write("go.sum", sum)
	program = filepath.Join(dir, "program")
	steps := [][]string{{"vet", "./..."}, {"build", "-tags", tag, "-o", program, "."}}
	if judgesOnly {
		steps = steps[1:]
	}
	for _, args := range steps {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -trimpath", "GOWORK=off") // -trimpath, so that the build cache knows the packages again in another folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	return program
}
