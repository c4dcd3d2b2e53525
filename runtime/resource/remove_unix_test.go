//go:build unix

package resource

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vcp.core/contract/call"
)

// scarce leaves this process few descriptors while f runs.
func scarce(t *testing.T, f func()) {
	t.Helper()
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	few := was
	few.Cur = 64
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
			t.Error(err)
		}
	}()
	f()
}

// nest makes folders in each other, each with a file and an empty folder beside the next one.
func nest(t *testing.T, dir string, levels int) {
	t.Helper()
	at, err := os.OpenRoot(dir)
	for range levels {
		if err == nil {
			err = errors.Join(at.WriteFile("file", nil, 0o600), at.Mkdir("empty", 0o700), at.Mkdir(strings.Repeat("d", 50), 0o700))
		}
		if err != nil {
			t.Fatal(err)
		}
		last := at
		at, err = last.OpenRoot(strings.Repeat("d", 50))
		_ = last.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = at.Close()
}

// A plugin that nests its folders without end takes no descriptors from the others when they are removed.
func TestRemoveDeepFolders(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, outputs, "ti_1")
	if err := os.MkdirAll(out, 0o700); err != nil {
		t.Fatal(err)
	}
	nest(t, out, 150)
	scarce(t, func() {
		if err := Remove(dir, "ti_1"); err != nil {
			t.Errorf("Remove = %v", err)
		}
	})
	if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder of the call is still there: %v", err)
	}
	nest(t, dir, 150) // a sweep does the same, and what has a name of ours is in its way
	if err := errors.Join(os.Mkdir(filepath.Join(dir, outputs, "lifted-1"), 0o700), os.Rename(filepath.Join(dir, strings.Repeat("d", 50)), filepath.Join(dir, outputs, "lifted-2"))); err != nil {
		t.Fatal(err)
	}
	scarce(t, func() {
		if err := Sweep(dir, time.Now().Add(2*abandoned)); err != nil {
			t.Errorf("Sweep = %v", err)
		}
	})
	if left, err := os.ReadDir(filepath.Join(dir, outputs)); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A plugin's folder that became a link is not the plugin's any more.
func TestFolderThatIsALink(t *testing.T) {
	elsewhere, dir := t.TempDir(), filepath.Join(t.TempDir(), "plugin")
	if err := errors.Join(os.MkdirAll(filepath.Join(elsewhere, outputs, "ti_1"), 0o700), os.Symlink(elsewhere, dir)); err != nil {
		t.Fatal(err)
	}
	w := Writer{Dir: dir, Call: "ti_1", Limits: Limits{}.Filled()}
	_, writing := w.Write(call.Draft{ID: "a", Kind: "text"}, strings.NewReader("x"))
	for name, err := range map[string]error{"Write": writing, "Remove": Remove(dir, "ti_1"), "Sweep": Sweep(dir, time.Now().Add(2*abandoned))} {
		if _, is := errors.AsType[*FolderError](err); !is {
			t.Errorf("%s = %v", name, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(elsewhere, outputs, "ti_1")); err != nil {
		t.Errorf("something happened elsewhere: %v", err)
	}
}
