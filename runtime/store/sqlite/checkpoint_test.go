package sqlite

import (
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
				for range each {
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
		t.Logf("%d MB were written, the log has %d MB", writers*each*size>>20, info.Size()>>20)
		if most := int64(2 * longest * 4096); info.Size() > most {
			t.Errorf("the log has %d bytes, more than %d", info.Size(), most)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
