package sqlite

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"vcp.core/runtime/record"
	"vcp.core/runtime/store/internal/engine"
	"vcp.core/runtime/store/storetest"
)

// After a flush that failed every flush fails, until the log was written anew.
func TestMend(t *testing.T) {
	l := &log{path: filepath.Join(t.TempDir(), "x-wal")}
	text := make([]byte, 2500<<10) // some blocks, the last not whole
	for i := range text {
		text[i] = byte(rand.Uint32())
	}
	if err := os.WriteFile(l.path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.flush(); !errors.As(err, new(*record.UnconfirmedError)) {
		t.Errorf("nothing is open, and flush says %v", err)
	}
	if err := l.open(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.flush(); !errors.As(err, new(*record.UnconfirmedError)) || !errors.Is(err, os.ErrClosed) {
			t.Errorf("a flush after one that failed says %v", err)
		}
	}
	if err := l.mend(); err != nil {
		t.Fatal(err)
	}
	if err := l.flush(); err != nil {
		t.Errorf("mended, and flush says %v", err)
	}
	if got, err := os.ReadFile(l.path); err != nil || !bytes.Equal(got, text) {
		t.Errorf("mending changed the log: %d bytes, %v", len(got), err)
	}
	l.suspect = errPlanted
	_ = l.file.Close() // what cannot be written
	if err := l.mend(); err == nil {
		t.Error("nothing can be written, and mend says nothing")
	}
	if err := l.flush(); !errors.Is(err, errPlanted) {
		t.Errorf("not mended, and flush says %v", err)
	}
}

// gated is a database whose flushes wait to be let through.
type gated struct {
	*database
	flushing, gate chan struct{}
}

// Flush implements [engine.Flusher].
func (g *gated) Flush() error {
	g.flushing <- struct{}{}
	<-g.gate
	return g.database.Flush()
}

// Nobody is answered before what was committed for him is flushed, and the next group is committed meanwhile.
func TestFlushApart(t *testing.T) {
	db, err := connect(t.Context(), filepath.Join(t.TempDir(), "records.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := &gated{db, make(chan struct{}), make(chan struct{})}
	s := engine.New(t.Context(), g, engine.Options{})
	rows := storetest.NewRows(1)
	answers := make(chan int, 10)
	commit := func(group, n int) (ids []string) {
		for range n {
			r := rows.Record(t)
			ids = append(ids, r.ResultID)
			go func() {
				if err := s.Commit(t.Context(), record.Entry{Record: &r}); err != nil {
					t.Error(err)
				}
				answers <- group
			}()
		}
		return ids
	}
	commit(0, 1)
	<-g.flushing // the writer flushes for one caller alone, and the next ones have to wait
	commit(1, 3)
	for s.Waiting() < 3 {
		time.Sleep(time.Millisecond)
	}
	g.gate <- struct{}{}
	<-g.flushing // beside the writer
	ids := commit(2, 3)
	isThere := func(id string) bool { _, err := s.Result(t.Context(), id); return err == nil }
	for deadline := time.Now().Add(10 * time.Second); !slices.ContainsFunc(ids, isThere); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Error("nothing is committed while the group before is flushed")
			break
		}
	}
	if got := <-answers; got != 0 || len(answers) != 0 {
		t.Errorf("group %d was answered, and %d more: none of them was flushed", got, len(answers))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 6 {
			<-answers
		}
	}()
	for open := true; open; {
		select {
		case g.gate <- struct{}{}:
		case <-g.flushing:
		case <-done:
			open = false
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
