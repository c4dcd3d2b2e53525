package sqlite

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"vcp.core/runtime/record"
	"vcp.core/runtime/result"
	"vcp.core/runtime/store/storetest"
)

// A log is copied and begun anew while writers never pause, also when the background never gets to it.
func TestLogStaysShort(t *testing.T) {
	for _, background := range []bool{true, false} {
		// As long as a pass in the background is held up, the log grows by all that is written: a machine may stall once.
		const most, tries = int64(2 * longest * 4096), 3
		for try := range tries {
			size := writeWithoutPause(t, background)
			if size <= most {
				break
			}
			if try == tries-1 {
				t.Errorf("the log has %d bytes, more than %d, in the background: %v", size, most, background)
			}
		}
	}
}

// writeWithoutPause writes until the log was begun anew three times, or much more than it should ever have, and returns how long
// the log has become.
func writeWithoutPause(t *testing.T, background bool) int64 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "records.db")
	s, err := Open(t.Context(), path, Options{unsafe: true})
	if err != nil {
		t.Fatal(err)
	}
	if !background {
		s.db.copies.close()
	}
	const writers, each, size = 4, 100, 300 << 10
	var wg sync.WaitGroup
	for w := range writers {
		rows := storetest.NewRows(uint64(w))
		wg.Go(func() {
			for i := 0; i < each && begunAnew(t, path+"-wal") < 3; i++ {
				p := rows.Parts()
				p.Resources = result.Value{}
				p.Data = result.Text(strings.Repeat("x", size))
				r := storetest.RecordOf(t, p)
				if err := s.Commit(t.Context(), record.Entry{Record: &r}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	info, err := os.Stat(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the log was begun anew %d times, and has %d MB", begunAnew(t, path+"-wal"), info.Size()>>20)
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// begunAnew is how often a log was, as its header says.
func begunAnew(t *testing.T, path string) uint32 {
	f, err := os.Open(path)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer f.Close()        //nolint:errcheck // it was only read
	var head [logHead]byte // nothing but zeros as long as nothing was written
	_, _ = f.ReadAt(head[:], 0)
	return binary.BigEndian.Uint32(head[12:])
}
