package gen_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vcp.core/gen"
)

const ours = gen.Header + "\n\npackage p\n"

func tree(files ...string) *gen.Tree {
	t := &gen.Tree{}
	for i := 0; i < len(files); i += 2 {
		t.Files = append(t.Files, gen.File{Path: files[i], Bytes: []byte(files[i+1])})
	}
	return t
}

// put writes files into a folder.
func put(t *testing.T, folder string, files ...string) {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(folder, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// contents lists what a folder holds, hidden files included.
func contents(t *testing.T, folder string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		src, err := os.ReadFile(name)
		rel, _ := filepath.Rel(folder, name)
		fmt.Fprintf(&b, "%s=%s;", filepath.ToSlash(rel), strings.ReplaceAll(string(src), gen.Header+"\n", "#"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWrite(t *testing.T) {
	a, b := gen.Header+"\na", gen.Header+"\nb"
	tests := []struct {
		name    string
		have    []string
		tree    *gen.Tree
		changes string // of Compare
		want    string
	}{
		{"into nothing", nil, tree("p/x.go", a, "q/r/y.go", b), "[{p/x.go missing} {q/r/y.go missing}]", "p/x.go=#a;q/r/y.go=#b;"},
		{"the same", []string{"p/x.go", a}, tree("p/x.go", a), "[]", "p/x.go=#a;"},
		{"changed", []string{"p/x.go", a, "p/y.go", b}, tree("p/x.go", b, "p/y.go", b), "[{p/x.go stale}]", "p/x.go=#b;p/y.go=#b;"},
		{"damaged", []string{"p/x.go", gen.Header + "\n<<<<<<< ours\n"}, tree("p/x.go", a), "[{p/x.go stale}]", "p/x.go=#a;"},
		{"gone", []string{"p/x.go", a, "q/y.go", b}, tree("p/x.go", a), "[{q/y.go orphan}]", "p/x.go=#a;"},
		{"all gone", []string{"q/y.go", b}, tree(), "[{q/y.go orphan}]", ""},
		{"hidden files", []string{".keep", "k", "p/.keep", "k", "p/.d/f", "k", "p/x.go", a}, tree("p/x.go", b), "[{p/x.go stale}]", ".keep=k;p/.d/f=k;p/.keep=k;p/x.go=#b;"},
		{"a hidden file of what is gone", []string{"q/r/.keep", "k", "q/r/y.go", b, "p/x.go", a}, tree("p/x.go", a), "[{q/r/y.go orphan}]", "p/x.go=#a;q/r/.keep=k;"},
		{"a file where a folder was", []string{"p/x/y.go", a}, tree("p/x", b), "[{p/x missing} {p/x/y.go orphan}]", "p/x=#b;"},
		{"a folder where a file was", []string{"p/x", a}, tree("p/x/y.go", b), "[{p/x orphan} {p/x/y.go missing}]", "p/x/y.go=#b;"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			parent := t.TempDir()
			folder := filepath.Join(parent, "deep", "generated")
			put(t, folder, tt.have...)
			changes, err := tt.tree.Compare(folder)
			if err != nil || fmt.Sprint(changes) != tt.changes {
				t.Errorf("changes %v, %v, want %s", changes, err, tt.changes)
			}
			if err := tt.tree.Write(folder); err != nil {
				t.Fatal(err)
			}
			if tt.want == "" {
				if _, err := os.Stat(folder); err != nil {
					t.Error(err)
				}
			} else if got := contents(t, folder); got != tt.want {
				t.Errorf("the folder holds %s, want %s", got, tt.want)
			}
			if entries, _ := os.ReadDir(filepath.Dir(folder)); len(entries) != 1 {
				t.Errorf("something is left beside the folder: %v", entries)
			}
			if changes, err := tt.tree.Compare(folder); err != nil || len(changes) > 0 {
				t.Errorf("after writing: %v, %v", changes, err)
			}
		})
	}
}

// What somebody else wrote is never touched, and neither is anything beside it.
func TestForeignFilesStopEverything(t *testing.T) {
	for _, have := range [][]string{
		{"p/x.go", "package p\n", "q/y.go", ours},
		{"p/hand.go", "package p\n", "p/x.go", ours},
		{"README.md", "hello", "b.txt", ""},
		{"p/x.go", " " + ours},
	} {
		folder := t.TempDir()
		put(t, folder, have...)
		before := contents(t, folder)
		err := tree("p/x.go", ours+"// new\n").Write(folder)
		foreign, ok := errors.AsType[*gen.ForeignError](err)
		if !ok || len(foreign.Paths) == 0 {
			t.Errorf("%v: %v", have, err)
			continue
		}
		if after := contents(t, folder); after != before {
			t.Errorf("%v: the folder holds %s", have, after)
		}
	}
}

// A link is not followed and a pipe not read: whatever is behind them, nobody generated them.
func TestLinksAreForeign(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "precious")
	put(t, elsewhere, "x.go", ours)
	for name, target := range map[string]string{
		"a loop": ".", "a file": filepath.Join(elsewhere, "x.go"), "a folder": elsewhere, "nothing": "nowhere", "never ends": "/dev/zero",
	} {
		for _, place := range []string{"p/x.go", "p/other", "link"} {
			folder := t.TempDir()
			put(t, folder, "p/y.go", ours)
			if err := os.Symlink(target, filepath.Join(folder, place)); err != nil {
				t.Skipf("no links here: %v", err)
			}
			tr := tree("p/x.go", ours+"// new\n", "p/y.go", ours)
			err := tr.Write(folder)
			if foreign, ok := errors.AsType[*gen.ForeignError](err); !ok || !slices.Equal(foreign.Paths, []string{place}) {
				t.Errorf("%s at %s: %v", name, place, err)
			}
			if _, err := tr.API(folder); err != nil {
				t.Errorf("%s at %s: %v", name, place, err)
			}
		}
	}
	if got := contents(t, elsewhere); got != "x.go=#"+strings.TrimPrefix(ours, gen.Header+"\n")+";" {
		t.Errorf("the target holds %s", got)
	}
}

// A folder that is as it should be is not touched: build caches and watchers see nothing.
func TestUpToDateFoldersAreNotTouched(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "generated")
	tr := tree("p/x.go", ours)
	if err := tr.Write(folder); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Write(folder); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(folder); err != nil || !os.SameFile(before, after) || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the folder was replaced: %v", err)
	}
}

// A run that was killed leaves a hidden folder beside; the next one works.
func TestLeftoversAreHarmless(t *testing.T) {
	parent := t.TempDir()
	put(t, parent, ".generated.new-123/p/x.go", "half", ".generated.new-123.old/p/x.go", ours)
	folder := filepath.Join(parent, "generated")
	if err := tree("p/x.go", ours).Write(folder); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, folder); got != "p/x.go=#\npackage p\n;" {
		t.Errorf("the folder holds %s", got)
	}
}

func TestAFileInPlaceOfTheFolder(t *testing.T) {
	parent := t.TempDir()
	put(t, parent, "generated", "mine")
	folder := filepath.Join(parent, "generated")
	err := tree("p/x.go", ours).Write(folder)
	if _, ok := errors.AsType[*gen.NotAFolderError](err); !ok {
		t.Errorf("error %v", err)
	}
	if got := contents(t, parent); got != "generated=mine;" {
		t.Errorf("the parent holds %s", got)
	}
	if err := tree("x.go", ours).Write(filepath.Join(folder, "below")); err == nil {
		t.Error("a folder was made below a file")
	}
}

// When the new folder cannot be filled (here a name is too long), the old one stays.
func TestFailedWritesLeaveTheOldFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "generated")
	put(t, folder, "p/x.go", ours)
	err := tree("p/x.go", ours+"// new\n", "p/"+strings.Repeat("y", 300)+".go", ours).Write(folder)
	if err == nil {
		t.Fatal("a name of 300 bytes was written")
	}
	if got := contents(t, filepath.Dir(folder)); got != "generated/p/x.go=#\npackage p\n;" {
		t.Errorf("there is %s", got)
	}
}
