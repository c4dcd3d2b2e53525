package sqlite

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vcp.core/runtime/record"
	"vcp.core/runtime/store/internal/engine"
	"vcp.core/runtime/store/storetest"
)

// faulty is a database in which anything may fail, the worst way that it could: half of the statements done, a commit
// that happened and is said not to have, a flush that nobody can repeat.
type faulty struct {
	*database
	mu      sync.Mutex // the writer and the goroutine that flushes use rng
	rng     *rand.Rand
	count   *[faultKinds]atomic.Int64
	percent int         // how often each kind happens
	refused atomic.Bool // the last flush was, so that the next is not: what cannot be repeated is flushed twice
	pruned  atomic.Bool // the last commit was a step of pruning
}

// The kinds of faults.
const (
	refusedBegin = iota
	refusedRun
	tornRun
	refusedCommit
	tornCommit // done, and nobody heard of it
	refusedFlush
	slow
	faultKinds
)

var errPlanted = errors.New("planted")

// happens is a throw of the dice. What a step of pruning removed cannot be counted a second time, so when its flush was
// refused, the transaction that makes up for that is spared.
func (f *faulty) happens(kind int) bool {
	if f.refused.Load() && f.pruned.Load() || f.below(100) >= f.percent {
		return false
	}
	f.count[kind].Add(1)
	return true
}

func (f *faulty) below(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rng.IntN(n)
}

// Flush implements [engine.Flusher].
func (f *faulty) Flush() error {
	if f.refused.Swap(false) {
		return f.database.Flush()
	}
	if f.happens(refusedFlush) {
		f.refused.Store(true)
		f.log.suspect.Store(&errPlanted)
	}
	return f.database.Flush()
}

func (f *faulty) Begin(ctx context.Context) (engine.Tx, error) {
	if f.happens(slow) {
		time.Sleep(time.Duration(f.below(3)) * time.Millisecond)
	}
	if f.happens(refusedBegin) {
		return nil, errPlanted
	}
	tx, err := f.database.Begin(ctx)
	return &faultyTx{Tx: tx, f: f}, err
}

type faultyTx struct {
	engine.Tx
	f      *faulty
	prunes bool
}

func (t *faultyTx) Run(ctx context.Context, statements []*engine.Statement) error {
	for _, st := range statements {
		t.prunes = t.prunes || strings.Contains(st.SQL, "kept = 0") || strings.Contains(st.SQL, "WHERE created_at <")
	}
	if t.f.happens(refusedRun) {
		return errPlanted
	}
	if t.f.happens(tornRun) {
		return errors.Join(t.Tx.Run(ctx, statements[:t.f.below(len(statements)+1)]), errPlanted)
	}
	return t.Tx.Run(ctx, statements)
}

func (t *faultyTx) Commit(ctx context.Context) error {
	if t.f.happens(refusedCommit) {
		t.Rollback(ctx)
		return errPlanted
	}
	err := t.Tx.Commit(ctx)
	if err == nil && (t.prunes || !t.f.refused.Load()) { // else it makes up for a flush
		t.f.pruned.Store(t.prunes)
	}
	// Nor is this for steps of pruning.
	if err == nil && !t.prunes && t.f.happens(tornCommit) {
		return &record.UnconfirmedError{Err: errPlanted}
	}
	return err
}

// faultyFile opens stores with faults on a file.
type faultyFile struct {
	file
	seed  uint64
	count *[faultKinds]atomic.Int64
}

// Open implements [storetest.Database].
func (f *faultyFile) Open(t testing.TB) record.Store {
	t.Helper()
	db, err := connect(t.Context(), f.path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.seed++
	s := &Store{engine.New(t.Context(), &faulty{database: db, rng: rand.New(rand.NewPCG(f.seed, 3)), count: f.count, percent: 5}, engine.Options{}), db}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return storetest.Retrying(s)
}

// Crash implements [storetest.Database].
func (f *faultyFile) Crash(s record.Store) {
	s.(interface{ Unwrap() record.Store }).Unwrap().(*Store).db.release()
}

// Whatever fails on the way, a caller that tries again ends where he would have without.
func TestSuiteWithFaults(t *testing.T) {
	var count [faultKinds]atomic.Int64
	seed := uint64(0)
	storetest.RunFaulty(t, func(t testing.TB) storetest.Database {
		seed += 1000
		return &faultyFile{file{path: filepath.Join(t.TempDir(), "records.db")}, seed, &count}
	})
	for kind := range count {
		t.Logf("fault %d happened %d times", kind, count[kind].Load())
		if count[kind].Load() == 0 {
			t.Errorf("fault %d never happened", kind)
		}
	}
}

// What a relaxed commit could not write is told.
func TestLost(t *testing.T) {
	db, err := connect(t.Context(), filepath.Join(t.TempDir(), "records.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	lost := make(chan string, 1000)
	var count [faultKinds]atomic.Int64
	s := engine.New(t.Context(), &faulty{database: db, rng: rand.New(rand.NewPCG(1, 4)), count: &count, percent: 50}, engine.Options{Lost: func(e record.Entry, _ error) { lost <- e.Record.ResultID }})
	rows := storetest.NewRows(1)
	all := map[string]bool{}
	for i := range 1000 {
		r := rows.Record(t)
		all[r.ResultID] = true
		if err := s.Commit(t.Context(), record.Entry{Record: &r, Relaxed: true}); err != nil {
			t.Fatal(err)
		}
		if i%20 == 0 {
			time.Sleep(time.Millisecond) // many groups
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	close(lost)
	told := 0
	for id := range lost {
		told++
		delete(all, id)
	}
	after := (&file{path: db.path}).Open(t)
	for id := range all {
		if _, err := after.Result(t.Context(), id); err != nil {
			t.Errorf("not there, and nobody was told: %v", err)
		}
	}
	if told == 0 {
		t.Error("nothing was lost: this shows nothing")
	}
}

// scripted is a database whose transactions begin and end as a test says, by their numbers from 0.
type scripted struct {
	*database
	n          int
	begin, end func(n int) error
}

func (s *scripted) Begin(ctx context.Context) (engine.Tx, error) {
	s.n++
	if err := s.begin(s.n - 1); err != nil {
		return nil, err
	}
	tx, err := s.database.Begin(ctx)
	return scriptedTx{tx, s}, err
}

type scriptedTx struct {
	engine.Tx
	s *scripted
}

func (t scriptedTx) Commit(ctx context.Context) error {
	return errors.Join(t.Tx.Commit(ctx), t.s.end(t.s.n-1))
}

// A group was written and nobody heard of it; the second time finds that it is there, and then the database is out of reach.
// Nobody may hear that surely nothing was written.
func TestPerhapsWritten(t *testing.T) {
	db, err := connect(t.Context(), filepath.Join(t.TempDir(), "records.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	held, hold := make(chan struct{}), make(chan struct{})
	s := engine.New(t.Context(), &scripted{db, 0, func(n int) error {
		if n == 0 {
			close(held)
			<-hold
		}
		if n > 2 {
			return errPlanted
		}
		return nil
	}, func(n int) error {
		if n == 1 {
			return &record.UnconfirmedError{Err: errPlanted}
		}
		return nil
	}}, engine.Options{})
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	rows := storetest.NewRows(5)
	first, second, in := rows.Record(t), rows.Record(t), rows.Intent()
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.Commit(t.Context(), record.Entry{Record: &first}); err != nil {
			t.Error(err)
		}
	})
	<-held // the others will be one group
	wg.Go(func() {
		if err := s.Commit(t.Context(), record.Entry{Record: &second}); !errors.As(err, new(*record.UnconfirmedError)) {
			t.Errorf("the record may be there, and Commit says %v", err)
		}
	})
	wg.Go(func() {
		if _, err := s.Begin(t.Context(), in); !errors.As(err, new(*record.UnconfirmedError)) {
			t.Errorf("the intent may be there, and Begin says %v", err)
		}
	})
	for s.Stats().Waiting < 2 {
		time.Sleep(time.Millisecond)
	}
	close(hold)
	wg.Wait()
}
