package storetest

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"vcp.core/runtime/record"
)

func intents(t testing.TB, s record.Store, q record.IntentQuery) []record.Intent {
	t.Helper()
	list, err := s.Intents(ctx(t), q)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func testIntents(t *testing.T, db Database) {
	s := db.Open(t)
	m := NewRows(4)
	var want []record.Intent
	for i := range 7 {
		in := m.Intent()
		if i == 3 {
			in.Actor, in.TaskID, in.Timeout = nil, "", 0
		}
		begin(t, s, in)
		want = append(want, in.Kept())
	}
	if got := intents(t, s, record.IntentQuery{}); !reflect.DeepEqual(got, want) {
		t.Fatalf("got  %+v\nwant %+v", got, want)
	}
	var paged []record.Intent
	for q := (record.IntentQuery{Limit: 3}); ; {
		page := intents(t, s, q)
		paged = append(paged, page...)
		if len(page) < 3 {
			break
		}
		q.After = page[len(page)-1].InvocationID
	}
	if !reflect.DeepEqual(paged, want) {
		t.Fatalf("in pages: got  %+v\nwant %+v", paged, want)
	}
	if got := intents(t, s, record.IntentQuery{Orphaned: true}); len(got) != 0 {
		t.Errorf("a store that lives has orphans: %+v", got)
	}
	commit(t, s, m.Ending(t, want[0]))
	commit(t, s, record.Entry{Resolves: want[1].InvocationID})
	if got := intents(t, s, record.IntentQuery{}); !reflect.DeepEqual(got, want[2:]) {
		t.Errorf("got  %+v\nwant %+v", got, want[2:])
	}
}

func testOrphans(t *testing.T, db Database) {
	lives, dies, closes := db.Open(t), db.Open(t), db.Open(t)
	m := NewRows(5)
	mine, lost, left := m.Intent(), m.Intent(), m.Intent()
	lost.Key = &record.IdempotencyKey{Owner: "o", Name: "k"}
	begin(t, lives, mine)
	begin(t, dies, lost)
	begin(t, closes, left)
	if got := intents(t, lives, record.IntentQuery{Orphaned: true}); len(got) != 0 {
		t.Fatalf("all live, and there are orphans: %+v", got)
	}
	db.Crash(dies)
	if err := closes.Close(ctx(t)); err != nil {
		t.Fatal(err)
	}
	next := db.Open(t)
	// A server hears of the end of a connection when it gets to it.
	var orphans []record.Intent
	for end := time.Now().Add(time.Minute); len(orphans) < 2 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		orphans = intents(t, next, record.IntentQuery{Orphaned: true})
	}
	if want := []record.Intent{lost.Kept(), left.Kept()}; !reflect.DeepEqual(orphans, want) {
		t.Fatalf("got  %+v\nwant %+v", orphans, want)
	}
	if first := intents(t, next, record.IntentQuery{Orphaned: true, Limit: 1}); len(first) != 1 {
		t.Errorf("%d orphans on a page of one", len(first))
	}
	ending := m.Ending(t, orphans[0])
	commit(t, next, ending)
	again := m.Intent()
	again.Key = lost.Key
	if claim := begin(t, next, again); claim.State != record.Done || claim.ResultID != ending.Record.ResultID {
		t.Errorf("the key of a call that crashed: %+v", claim)
	}
	commit(t, next, m.Ending(t, orphans[1]))
	if got := intents(t, next, record.IntentQuery{Orphaned: true}); len(got) != 0 {
		t.Errorf("resolved, and there are orphans: %+v", got)
	}
	commit(t, lives, m.Ending(t, mine))
}

func testKeys(t *testing.T, db Database) {
	s := db.Open(t)
	m := NewRows(6)
	with := func(owner, name string, digest byte) record.Intent {
		in := m.Intent()
		in.Key = &record.IdempotencyKey{Owner: owner, Name: name, Digest: record.Digest{digest}}
		return in
	}
	first := with("ann", "k", 1)
	if claim := begin(t, s, first); claim.State != record.Fresh {
		t.Fatalf("%+v", claim)
	}
	for name, tt := range map[string]struct {
		in   record.Intent
		want record.Claim
	}{
		"the same":      {with("ann", "k", 1), record.Claim{State: record.InFlight, InvocationID: first.InvocationID}},
		"other digest":  {with("ann", "k", 2), record.Claim{State: record.Mismatch}},
		"other owner":   {with("bob", "k", 1), record.Claim{State: record.Fresh}},
		"other name":    {with("ann", "k2", 1), record.Claim{State: record.Fresh}},
		"longer name":   {with("ann", "long name, ending as others do", 1), record.Claim{State: record.Fresh}},
		"other start":   {with("ann", "Long name, ending as others do", 1), record.Claim{State: record.Fresh}},
		"owner's start": {with("Ann", "long name, ending as others do", 1), record.Claim{State: record.Fresh}},
		"shifted":       {with("annk", "", 1), record.Claim{State: record.Fresh}},
		"any character": {with("a\x00\xff", string(make([]byte, 5000)), 1), record.Claim{State: record.Fresh}},
	} {
		if got := begin(t, s, tt.in); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
	open := len(intents(t, s, record.IntentQuery{}))
	if open != 8 {
		t.Errorf("%d intents, want those of the 8 that are fresh", open)
	}
	e := m.Ending(t, first)
	commit(t, s, e)
	done := record.Claim{State: record.Done, InvocationID: first.InvocationID, ResultID: e.Record.ResultID}
	if got := begin(t, s, with("ann", "k", 1)); got != done {
		t.Errorf("%+v, want %+v", got, done)
	}
	if got := begin(t, s, with("ann", "k", 2)); got.State != record.Mismatch || got.ResultID != "" {
		t.Errorf("%+v tells somebody else's result", got)
	}
	for name, ending := range map[string]func(in record.Intent) record.Entry{
		"freed": func(in record.Intent) record.Entry {
			e := m.Ending(t, in)
			e.FreeKey = true
			return e
		},
		"not recorded": func(in record.Intent) record.Entry { return record.Entry{Resolves: in.InvocationID} },
	} {
		in := with("cyd", name, 1)
		begin(t, s, in)
		commit(t, s, ending(in))
		if claim := begin(t, s, with("cyd", name, 2)); claim.State != record.Fresh {
			t.Errorf("%s: %+v", name, claim)
		}
	}
}

// Of many that commit a result for one intent, in two stores, one succeeds.
func testRace(t *testing.T, db Database) {
	stores := []record.Store{db.Open(t), db.Open(t)}
	m := NewRows(7)
	for range 10 {
		in := m.Intent()
		begin(t, stores[0], in)
		entries := make([]record.Entry, 8)
		for i := range entries {
			entries[i] = m.Ending(t, in)
		}
		errs := make([]error, len(entries))
		var wg sync.WaitGroup
		for i := range entries {
			wg.Go(func() { errs[i] = stores[i%2].Commit(context.Background(), entries[i]) })
		}
		wg.Wait()
		won := 0
		for i, err := range errs {
			_, read := stores[0].Result(ctx(t), entries[i].Record.ResultID)
			switch {
			case err == nil && read == nil:
				won++
			case is[*record.ConflictError](err) && is[*record.NotFoundError](read):
			default:
				t.Errorf("commit: %v, reading: %v", err, read)
			}
		}
		if won != 1 {
			t.Errorf("%d of %d resolved the intent", won, len(entries))
		}
	}
}

// Whatever stands beside an entry in a group, it fares as if it had been alone.
func testBadNeighbours(t *testing.T, db Database) {
	s := db.Open(t)
	m := NewRows(8)
	had := m.Record(t)
	commit(t, s, record.Entry{Record: &had})
	type try struct {
		entry record.Entry
		bad   bool
	}
	var tries []try
	for i := range 120 {
		r := m.Record(t)
		tt := try{entry: record.Entry{Record: &r}, bad: i%10 == 0}
		if tt.bad {
			r.ID = had.ID
		}
		tries = append(tries, tt)
	}
	errs := make([]error, len(tries))
	var wg sync.WaitGroup
	for i := range tries {
		wg.Go(func() { errs[i] = s.Commit(context.Background(), tries[i].entry) })
	}
	wg.Wait()
	for i, tt := range tries {
		_, err := s.Result(ctx(t), tt.entry.Record.ResultID)
		if tt.bad != is[*record.ConflictError](errs[i]) || tt.bad == (err == nil) {
			t.Errorf("entry %d, bad: %v: committed with %v, read with %v", i, tt.bad, errs[i], err)
		}
	}
}

func testRelaxed(t *testing.T, db Database) {
	s := db.Open(t)
	m := NewRows(9)
	var all []record.Record
	for range 300 {
		r := m.Record(t)
		commit(t, s, record.Entry{Record: &r, Relaxed: true})
		all = append(all, r)
	}
	if err := s.Close(ctx(t)); err != nil {
		t.Fatal(err)
	}
	s = db.Open(t)
	for _, r := range all {
		if _, err := s.Result(ctx(t), r.ResultID); err != nil {
			t.Fatalf("accepted, closed, and gone: %v", err)
		}
	}
}

func testClosed(t *testing.T, db Database) {
	s := db.Open(t)
	m := NewRows(10)
	r := m.Record(t)
	commit(t, s, record.Entry{Record: &r})
	for range 2 {
		if err := s.Close(ctx(t)); err != nil {
			t.Fatal(err)
		}
	}
	for name, err := range everyMethod(context.Background(), s, m, t) {
		if !is[*record.ClosedError](err) {
			t.Errorf("%s after Close: %v", name, err)
		}
	}
}

func testContexts(t *testing.T, db Database) {
	s := db.Open(t)
	m := NewRows(11)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for name, err := range everyMethod(ended, s, m, t) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with an ended context: %v", name, err)
		}
	}
	if open := intents(t, s, record.IntentQuery{}); len(open) != 0 {
		t.Errorf("a Begin that was cancelled left %+v", open)
	}
	// Contexts that end at any moment: whatever Begin says, the intent is there exactly when it says so.
	began := map[string]bool{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 60 {
		in := m.Intent()
		brief, cancel := context.WithCancel(context.Background())
		wg.Go(func() {
			_, err := s.Begin(brief, in)
			mu.Lock()
			defer mu.Unlock()
			if !is[*record.UnconfirmedError](err) {
				began[in.InvocationID] = err == nil
			}
		})
		wg.Go(cancel)
	}
	wg.Wait()
	barrier := m.Record(t)
	commit(t, s, record.Entry{Record: &barrier})
	var open []string
	for _, in := range intents(t, s, record.IntentQuery{Limit: 1000}) {
		open = append(open, in.InvocationID)
	}
	for name, ok := range began {
		if ok != slices.Contains(open, name) {
			t.Errorf("Begin said %v, and the intent is open: %v", ok, !ok)
		}
	}
}

func everyMethod(ctx context.Context, s record.Store, m *Rows, t testing.TB) map[string]error {
	r := m.Record(t)
	out := map[string]error{"Commit": s.Commit(ctx, record.Entry{Record: &r})}
	_, out["Begin"] = s.Begin(ctx, m.Intent())
	_, out["Intents"] = s.Intents(ctx, record.IntentQuery{})
	_, out["Result"] = s.Result(ctx, r.ResultID)
	_, out["Record"] = s.Record(ctx, r.ID)
	_, out["List"] = s.List(ctx, record.Query{})
	_, out["Resource"] = s.Resource(ctx, "res_1")
	_, out["Named"] = s.Named(ctx, []string{"00"})
	_, out["Prune"] = s.Prune(ctx, record.Retention{ResultsBefore: epoch, RecordsBefore: epoch, ResultBytes: 1})
	return out
}
