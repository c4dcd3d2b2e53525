package sqlite

import (
	"context"
	"path/filepath"
	"testing"

	"vcp.core/runtime/record"
	"vcp.core/runtime/store/storetest"
)

// file is a database in a temporary folder.
type file struct {
	path string
	opts Options
}

func fresh(opts Options) func(t testing.TB) storetest.Database {
	return func(t testing.TB) storetest.Database {
		return &file{filepath.Join(t.TempDir(), "new", "a b?#%.db"), opts}
	}
}

// Open implements [storetest.Database].
func (f *file) Open(t testing.TB) record.Store {
	t.Helper()
	s, err := Open(t.Context(), f.path, f.opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

// Crash implements [storetest.Database]: what the end of a process takes away is the lock of its file.
func (f *file) Crash(s record.Store) { s.(*Store).db.release() }

func TestSuite(t *testing.T) {
	storetest.Run(t, fresh(Options{}))
}
