package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vcp.core/runtime/record"
	"vcp.core/runtime/store/internal/engine"
	"vcp.core/runtime/store/storetest"
)

// aLog is a log of some frames that count, of some that do not, and of a part of one.
func aLog() (text []byte, counts int) {
	const page, frames = 512, 3000
	text = make([]byte, logHead+frames*(frameHead+page)+100)
	for i := range text {
		text[i] = byte(rand.Uint32())
	}
	binary.BigEndian.PutUint32(text[8:], page)
	counts = logHead + 2500*(frameHead+page)
	for at := logHead; at < counts; at += frameHead + page {
		copy(text[at+8:at+16], text[16:24])
	}
	return text, counts
}

// overwritten is a log that notes what is written over it.
type overwritten struct {
	*bytes.Reader
	text []byte
}

// WriteAt implements [io.WriterAt].
func (o *overwritten) WriteAt(p []byte, at int64) (int, error) {
	for len(o.text) < int(at)+len(p) {
		o.text = append(o.text, 0)
	}
	return copy(o.text[at:], p), nil
}

// What counts of a log is written over itself, each byte, and nothing else.
func TestRewrite(t *testing.T) {
	text, counts := aLog()
	for n, want := range map[int]int{
		len(text): counts, counts: counts, counts - 1: counts - frameHead - 512, logHead + 1: logHead, logHead: logHead, logHead - 1: 0, 0: 0,
	} {
		o := &overwritten{Reader: bytes.NewReader(text[:n])}
		if err := rewrite(o); err != nil || !bytes.Equal(o.text, text[:want]) {
			t.Errorf("of a log of %d bytes %d are written over, and not the first %d: %v", n, len(o.text), want, err)
		}
	}
}

// A log that was just opened, or that was not flushed once, is not flushed before it was written anew: somebody else may have
// heard that it has gaps.
func TestMend(t *testing.T) {
	l := &log{path: filepath.Join(t.TempDir(), "x-wal"), sync: flushData}
	text, _ := aLog()
	if err := os.WriteFile(l.path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	refused := func(why error) {
		t.Helper()
		for range 2 {
			if err := l.flush(); !errors.As(err, new(*record.UnconfirmedError)) || !errors.Is(err, why) {
				t.Errorf("flush says %v, not %v", err, why)
			}
		}
	}
	mended := func() {
		t.Helper()
		if err := l.mend(); err != nil {
			t.Fatal(err)
		}
		if err := l.flush(); err != nil {
			t.Errorf("mended, and flush says %v", err)
		}
	}
	if err := l.open(); err != nil {
		t.Fatal(err)
	}
	refused(errOpened)
	mended()
	l.close()
	refused(os.ErrClosed)
	if err := l.open(); err != nil {
		t.Fatal(err)
	}
	refused(os.ErrClosed)
	l.sync = func(*os.File) error { return errPlanted }
	if err := l.mend(); !errors.Is(err, errPlanted) {
		t.Errorf("what was written anew could not be flushed, and mend says %v", err)
	}
	l.sync = flushData
	refused(os.ErrClosed)
	mended()
	l.sync = func(*os.File) error { return errPlanted }
	refused(errPlanted)
	l.sync = flushData
	refused(errPlanted)
	mended()
	if got, err := os.ReadFile(l.path); err != nil || !bytes.Equal(got, text) {
		t.Errorf("mending changed the log: %d bytes, %v", len(got), err)
	}
	l.suspect.Store(&errPlanted)
	_ = l.file.Close() // what cannot be written
	if err := l.mend(); err == nil {
		t.Error("nothing can be written, and mend says nothing")
	}
	refused(errPlanted)
}

// gated is a database whose flushes wait to be let through.
type gated struct {
	*database
	flushing chan struct{}
	gate     chan error // what a flush is let through with
}

func newGated(t *testing.T) *gated {
	t.Helper()
	db, err := connect(t.Context(), filepath.Join(t.TempDir(), "records.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := &gated{db, make(chan struct{}), make(chan error)}
	if _, err := db.Begin(t.Context()); err != nil { // opens the log
		t.Fatal(err)
	}
	transaction{db}.Rollback(t.Context())
	db.log.sync = func(f *os.File) error {
		g.flushing <- struct{}{}
		if err := <-g.gate; err != nil {
			return err
		}
		return flushData(f)
	}
	return g
}

// three puts three requests into one group, which is committed and not let through: the writer goes on.
func (g *gated) three(t *testing.T, s *engine.Store, rows *storetest.Rows, requests [3]func()) {
	t.Helper()
	r := rows.Record(t)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.Commit(t.Context(), record.Entry{Record: &r}); err != nil {
			t.Error(err)
		}
	})
	<-g.flushing // the writer flushes for one caller alone, and the next ones have to wait
	for _, do := range requests {
		go do()
	}
	for s.Stats().Waiting < 3 {
		time.Sleep(time.Millisecond)
	}
	g.gate <- nil
	wg.Wait()
	<-g.flushing // beside the writer
}

// open ends with these flushes and lets all others through, until the store is closed. What answered waits for comes before that: a
// goroutine that was started may not have asked the store for anything yet.
func (g *gated) open(t *testing.T, s *engine.Store, answered func(), first ...error) {
	t.Helper()
	closed := make(chan error, 1)
	go func() {
		answered()
		closed <- s.Close(context.Background())
	}()
	for {
		err := error(nil)
		if len(first) > 0 {
			err = first[0]
		}
		select {
		case g.gate <- err:
			first = first[min(1, len(first)):]
		case <-g.flushing:
		case err := <-closed:
			if err != nil || len(first) > 0 {
				t.Errorf("%v, and flushes that did not happen: %v", err, first)
			}
			return
		}
	}
}

// Nobody is answered before what was committed for him is flushed, and the next group is committed meanwhile.
func TestFlushApart(t *testing.T) {
	g := newGated(t)
	s := engine.New(t.Context(), g, engine.Options{})
	rows := storetest.NewRows(1)
	answers := make(chan error, 6)
	var ids []string
	commit := func() func() {
		r := rows.Record(t)
		ids = append(ids, r.ResultID)
		return func() { answers <- s.Commit(t.Context(), record.Entry{Record: &r}) }
	}
	g.three(t, s, rows, [3]func(){commit(), commit(), commit()})
	ids = nil
	for range 3 {
		go commit()()
	}
	isThere := func(id string) bool { _, err := s.Result(t.Context(), id); return err == nil }
	for deadline := time.Now().Add(time.Minute); !slices.ContainsFunc(ids, isThere); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Error("nothing is committed while the group before is flushed")
			break
		}
	}
	if len(answers) != 0 {
		t.Errorf("%d were answered: none of them was flushed", len(answers))
	}
	g.open(t, s, func() {
		for range 6 {
			if err := <-answers; err != nil {
				t.Error(err)
			}
		}
	})
}

// What is there already may be so only because a group was committed that is not flushed yet. Then this is no answer, either.
func TestThereIsNotFlushed(t *testing.T) {
	g := newGated(t)
	s := engine.New(t.Context(), g, engine.Options{})
	rows := storetest.NewRows(2)
	impatient, cancel := context.WithCancel(t.Context())
	var all [3]record.Record
	var requests [3]func()
	gaveUp := make(chan error, 3)
	for i := range all {
		all[i] = rows.Record(t)
		requests[i] = func() { gaveUp <- s.Commit(impatient, record.Entry{Record: &all[i]}) }
	}
	g.three(t, s, rows, requests)
	cancel()
	for range all {
		if err := <-gaveUp; !errors.As(err, new(*record.UnconfirmedError)) {
			t.Errorf("not flushed, and the caller that gives up hears %v", err)
		}
	}
	answers := make(chan error, 3)
	for i := range all {
		go func() { answers <- s.Commit(t.Context(), record.Entry{Record: &all[i]}) }()
	}
	select {
	case err := <-answers:
		t.Errorf("answered with %v while nothing is flushed", err)
		answers <- err
	case <-time.After(300 * time.Millisecond):
	}
	g.open(t, s, func() {
		for range all {
			if err := <-answers; err != nil {
				t.Error(err)
			}
		}
	})
}

// An intent is given up while it is flushed, and its end is committed. That the flush fails, and the next one too, must not
// begin it again: it would be open for as long as this process lives, and so would be its key.
func TestLateIntentStaysEnded(t *testing.T) {
	g := newGated(t)
	s := engine.New(t.Context(), g, engine.Options{})
	rows := storetest.NewRows(3)
	in := rows.Intent()
	in.Key = &record.IdempotencyKey{Owner: "somebody", Name: "once"}
	impatient, cancel := context.WithCancel(t.Context())
	begun := make(chan error, 1)
	others := make(chan error, 2)
	commit := func() func() {
		r := rows.Record(t)
		return func() { others <- s.Commit(t.Context(), record.Entry{Record: &r}) }
	}
	g.three(t, s, rows, [3]func(){func() { _, err := s.Begin(impatient, in); begun <- err }, commit(), commit()})
	cancel()
	if err := <-begun; !errors.As(err, new(*record.UnconfirmedError)) {
		t.Fatalf("not flushed, and Begin says %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Commit(t.Context(), record.Entry{Resolves: in.InvocationID}) }()
	for open := true; open; time.Sleep(time.Millisecond) {
		list, err := s.Intents(t.Context(), record.IntentQuery{})
		if err != nil {
			t.Fatal(err)
		}
		open = len(list) > 0
	}
	g.open(t, s, func() {}, errPlanted, errPlanted) // the end is in the database, so all of them are accepted
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := <-others; err != nil && !errors.As(err, new(*record.UnconfirmedError)) {
			t.Error(err)
		}
	}
	after := (&file{path: g.path}).Open(t)
	if list, err := after.Intents(t.Context(), record.IntentQuery{}); err != nil || len(list) > 0 {
		t.Errorf("an intent that was ended is open again: %+v, %v", list, err)
	}
	next := rows.Intent()
	next.Key = in.Key
	if claim, err := after.Begin(t.Context(), next); err != nil || claim.State != record.Fresh {
		t.Errorf("the key of an intent that was ended: %+v, %v", claim, err)
	}
}

// A transaction that is larger than the cache of the writer's connection writes nothing to the log before its end. Frames that were kept
// back (package frames) and given up would be written later, over what another process has committed.
func TestNothingBeforeTheEnd(t *testing.T) {
	ctx := context.Background()
	s := (&file{path: filepath.Join(t.TempDir(), "a.db")}).Open(t)
	d := s.(*Store).db
	if err := d.conn.do(ctx, "PRAGMA cache_size=10"); err != nil {
		t.Fatal(err)
	}
	tx, err := d.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(d.log.path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		row := &engine.Statement{SQL: `INSERT INTO result_resources (resource_id, result_id, sha256) VALUES ($1, $2, $3)`,
			Args: []any{strconv.Itoa(i) + strings.Repeat("x", 3000), "", ""}}
		if err := tx.Run(ctx, []*engine.Statement{row}); err != nil {
			t.Fatal(err)
		}
	}
	during, err := os.ReadFile(d.log.path)
	if err != nil || !bytes.Equal(before, during) {
		t.Errorf("the log had %d bytes and has %d, %v", len(before), len(during), err)
	}
	if err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(d.log.path); err != nil || len(after) < len(before)+500*3000 {
		t.Errorf("after the commit the log has %d bytes, %v", len(after), err)
	}
}
