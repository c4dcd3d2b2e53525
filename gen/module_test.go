package gen_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vcp.core/gen"
)

func TestFindModule(t *testing.T) {
	tests := []struct{ name, gomod, want string }{
		{"plain", "module example.org/m\n\ngo 1.26\n", "example.org/m"},
		{"quoted", "module \"example.org/m\"\n", "example.org/m"},
		{"back quotes", "module `example.org/m`\n", "example.org/m"},
		{"comments", "// module not/this\n// Deprecated: really\nmodule example.org/m // why\n", "example.org/m"},
		{"late, Windows", "go 1.26\r\nmodule example.org/m\r\n", "example.org/m"},
		{"one element", "module m", "m"},
		{"none", "go 1.26\n", ""},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			put(t, root, "go.mod", tt.gomod, "a/b/file", "x")
			for _, folder := range []string{".", "a/b", "a/not/there/yet", "a/b/file", "a/b/file/below"} {
				m, err := gen.FindModule(filepath.Join(root, folder))
				if tt.want == "" {
					if e, ok := errors.AsType[*gen.GoModError](err); !ok || e.File != filepath.Join(root, "go.mod") {
						t.Errorf("%s: %v", folder, err)
					}
					continue
				}
				if err != nil || m.Path != tt.want || m.Root != root {
					t.Errorf("%s: %+v, %v", folder, m, err)
				}
			}
		})
	}
}

func TestNearestModuleCounts(t *testing.T) {
	root := t.TempDir()
	put(t, root, "go.mod", "module outer", "inner/go.mod", "module inner", "inner/x/y", "")
	m, err := gen.FindModule(filepath.Join(root, "inner", "x"))
	if err != nil || m.Path != "inner" {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestNoModule(t *testing.T) {
	folder := t.TempDir() // above it is the system's folder for temporary files, which is no module
	_, err := gen.FindModule(folder)
	if e, ok := errors.AsType[*gen.NoModuleError](err); !ok || e.Folder != folder {
		t.Errorf("%v", err)
	}
}

func TestPathsInAModule(t *testing.T) {
	root := t.TempDir()
	put(t, root, "m/go.mod", "module example.org/m", "m/plugins/A/plugin-manifest.json", "{}", "elsewhere/B/plugin-manifest.json", "{}")
	if err := os.Symlink(filepath.Join(root, "m"), filepath.Join(root, "link")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	m, err := gen.FindModule(filepath.Join(root, "m"))
	if err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{"m": "example.org/m", "m/a/b": "example.org/m/a/b", "link/a": "example.org/m/a"} {
		if got, err := m.ImportPath(filepath.Join(root, folder)); err != nil || got != want {
			t.Errorf("import path of %s: %s, %v", folder, got, err)
		}
	}
	for file, want := range map[string]string{
		"m/plugins/A/plugin-manifest.json":         "plugins/A/plugin-manifest.json",
		"link/plugins/A/plugin-manifest.json":      "plugins/A/plugin-manifest.json",
		"m/plugins/../plugins/A/./x.json":          "plugins/A/x.json",
		"elsewhere/B/plugin-manifest.json":         "B/plugin-manifest.json",
		"elsewhere/../elsewhere/B/x/../other.json": "B/other.json",
	} {
		if got := m.NameOf(filepath.Join(root, filepath.FromSlash(file))); got != want {
			t.Errorf("name of %s: %s, want %s", file, got, want)
		}
	}
	t.Chdir(filepath.Join(root, "m", "plugins"))
	if got := m.NameOf("A/plugin-manifest.json"); got != "plugins/A/plugin-manifest.json" {
		t.Errorf("relative name: %s", got)
	}
}

// What Go would not import is not generated.
func TestImportPathsThatGoRefuses(t *testing.T) {
	root := t.TempDir()
	put(t, root, "m/go.mod", "module example.org/m", "away/file", "")
	m, err := gen.FindModule(filepath.Join(root, "m"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"", "internal/a", "a.b", "_a", "a~1", "a+b-c", "console", "com", "com10"} {
		if got, err := m.ImportPath(filepath.Join(root, "m", folder)); err != nil || got != strings.TrimSuffix("example.org/m/"+folder, "/") {
			t.Errorf("%q: %s, %v", folder, got, err)
		}
	}
	for _, folder := range []string{"\u4e2d\u6587", "a b", "@a", "a/b!", "a.", "x/con", "NUL.txt", "Com1", "lpt9", "aux"} {
		if got, err := m.ImportPath(filepath.Join(root, "m", filepath.FromSlash(folder))); err == nil {
			t.Errorf("%q: %s", folder, got)
		} else if e, ok := errors.AsType[*gen.ImportPathError](err); !ok || e.Folder != folder {
			t.Errorf("%q: %v", folder, err)
		}
	}
	if err := os.Symlink(filepath.Join(root, "away"), filepath.Join(root, "m", "link")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	if _, err := m.ImportPath(filepath.Join(root, "m", "link", "gen")); err == nil || err.Error() != "../away/gen cannot be imported: a link leads out of the module" {
		t.Errorf("a link: %v", err)
	}
}
