package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vcp.core/runtime/record"
	"vcp.core/runtime/store/storetest"
)

// A store that was closed has no file open.
func TestCloseLeavesNothingOpen(t *testing.T) {
	dir := t.TempDir()
	s := (&file{path: filepath.Join(dir, "records.db")}).Open(t)
	rows := storetest.NewRows(1)
	r := rows.Record(t)
	if err := s.Commit(t.Context(), record.Entry{Record: &r}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Result(t.Context(), r.ResultID); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "-wal", "-shm"} {
		if stat, err := os.Stat(filepath.Join(dir, "records.db") + name); err != nil || stat.Mode().Perm() != 0o600 {
			t.Errorf("permissions of records.db%s: %v, %v", name, stat.Mode(), err)
		}
	}
	open := func() (names []string) {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("open files cannot be listed here: ", err)
		}
		for _, e := range list {
			if name, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(name, dir) {
				names = append(names, name)
			}
		}
		return names
	}
	if len(open()) == 0 {
		t.Error("an open store has no file open: this test sees none")
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if names := open(); len(names) > 0 {
		t.Errorf("open after Close: %v", names)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "records.db-owners", "*")); err != nil || len(left) != 1 {
		t.Errorf("left in the folder of owners: %v, %v, want the lock of migrations", left, err)
	}
}
