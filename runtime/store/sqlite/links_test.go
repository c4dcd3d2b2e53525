package sqlite

import (
	"os"
	"path/filepath"
	"testing"

	"vcp.core/runtime/store/storetest"
)

// A file that is opened by a link to it is the same store: what belongs to it lies beside the file and not beside the link.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "kept", "records.db")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	first, second := filepath.Join(dir, "first.db"), filepath.Join(dir, "second.db")
	for name, to := range map[string]string{first: filepath.Join("kept", "records.db"), second: first} {
		if err := os.Symlink(to, name); err != nil {
			t.Skip("there are no links here: ", err)
		}
	}
	rows := storetest.NewRows(1)
	for _, name := range []string{second, path, first} { // by the first of them the file is made
		s := (&file{path: name}).Open(t)
		if _, err := s.Begin(t.Context(), rows.Intent()); err != nil {
			t.Errorf("%s cannot be written: %v", name, err)
		}
		if orphans := storetest.Orphans(t, s); len(orphans) > 0 {
			t.Errorf("%s: %d intents of stores that are open count as orphans", name, len(orphans))
		}
	}
	list, err := filepath.Glob(filepath.Join(dir, "*.db*"))
	if err != nil || len(list) != 2 {
		t.Errorf("beside the links: %v, %v", list, err)
	}
	if _, err := os.Stat(path + "-wal"); err != nil {
		t.Error(err)
	}
}
