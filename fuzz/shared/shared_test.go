package shared

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestRootIsFoundFromNestedModules(t *testing.T) {
	top := t.TempDir()
	write(t, filepath.Join(top, "go.mod"), "// a comment\nmodule vcp.core\n\ngo 1.26\n")
	nested := filepath.Join(top, "fuzz", "peers", "deep")
	if err := os.MkdirAll(nested, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(top, "fuzz", "peers", "go.mod"), "module vcp.core/fuzz/peers\n")
	for _, dir := range []string{top, filepath.Join(top, "fuzz"), nested} {
		got, err := rootAbove(dir)
		if err != nil || got != top {
			t.Errorf("rootAbove(%s) = %q, %v; want %q", dir, got, err, top)
		}
	}
	foreign := t.TempDir()
	write(t, filepath.Join(foreign, "go.mod"), "module example.org/other\n")
	_, err := rootAbove(foreign)
	var none *NoRootError
	if !errors.As(err, &none) || none.Dir != foreign {
		t.Errorf("rootAbove outside the module: %v, want a NoRootError for %s", err, foreign)
	}
}

func TestFolderOfSharedFiles(t *testing.T) {
	top := t.TempDir()
	root := filepath.Join(top, "main")
	elsewhere := filepath.Join(top, "elsewhere")
	write(t, filepath.Join(top, "shared", "a", "b.txt"), "beside the root")
	write(t, filepath.Join(elsewhere, "a", "b.txt"), "elsewhere")
	for _, c := range []struct{ variable, want string }{
		{"", filepath.Join(top, "shared", "a", "b.txt")},
		{elsewhere, filepath.Join(elsewhere, "a", "b.txt")},
		{filepath.Join("..", "elsewhere"), filepath.Join(elsewhere, "a", "b.txt")},
	} {
		got, err := find(root, c.variable, "a", "b.txt")
		if err != nil || got != c.want {
			t.Errorf("find with %s=%q: %q, %v; want %q", Variable, c.variable, got, err, c.want)
		}
	}
	if got, err := find(root, "", "absent"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an absent file: %q, %v; want fs.ErrNotExist", got, err)
	}
}

func TestThisModuleHasARoot(t *testing.T) {
	root := Root(t)
	if _, err := os.Stat(filepath.Join(root, "fuzz", "shared", "shared.go")); err != nil {
		t.Errorf("Root = %s, which does not hold this file: %v", root, err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
