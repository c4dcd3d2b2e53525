package runtime_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/runtime"
	"vcp.core/runtime/record"
	"vcp.core/runtime/record/recordtest"
	"vcp.core/runtime/result"
)

// A place for secrets is one whatever stands there: a digest of a short value, a number or a flag is guessed in no time.
func TestNoDigestOfAShortSecret(t *testing.T) {
	const input = `{"properties":{"pin":{"writeOnly":true},"n":{}}}`
	for _, pair := range [][2]string{
		{`"1234"`, `"4321"`}, {`1234`, `4321`}, {`true`, `false`}, {`12345678`, `87654321`}, {`["1",2]`, `["3",4]`}, {`{"a":"1"}`, `{"a":"2"}`}, {`""`, `"1"`},
	} {
		var db recordtest.Database
		store := db.Open()
		var seen []record.Digest
		h := call.HandlerFunc(func(ctx context.Context, _ call.Invocation) ([]byte, error) {
			seen = append(seen, open(ctx, t, store, false)[0].Arguments)
			return []byte(ok("1")), nil
		})
		r := runtime.New(registry{spec(t, `true`, `true`, effect(call.Write), func(s *call.Spec) { s.InputSchema = []byte(input) })}, runtime.Bind("T", h), runtime.Records(store))
		first := execute(t, r, call.Call{Tool: "T", Command: "Run", Arguments: []byte(`{"pin":` + pair[0] + `,"n":1}`), IdempotencyKey: "k"})
		execute(t, r, call.Call{Tool: "T", Command: "Run", Arguments: []byte(`{"pin":` + pair[1] + `,"n":1}`)})
		execute(t, r, call.Call{Tool: "T", Command: "Run", Arguments: []byte(`{"pin":` + pair[1] + `,"n":2}`)})
		if len(seen) != 3 || seen[0] != seen[1] || seen[1] == seen[2] {
			t.Errorf("%v: digests %x", pair, seen)
		}
		if again := execute(t, r, call.Call{Tool: "T", Command: "Run", Arguments: []byte(`{"pin":` + pair[1] + `,"n":1}`), IdempotencyKey: "k"}); again.ID() != first.ID() {
			t.Errorf("%v: the digest of the key differs: %s", pair, again)
		}
	}
}

// hanging is a store of which some methods never come back by themselves.
type hanging struct {
	*recordtest.Memory
	begin, result atomic.Bool
}

func (h *hanging) Begin(ctx context.Context, in record.Intent) (record.Claim, error) {
	if h.begin.Load() {
		<-ctx.Done()
		return record.Claim{}, ctx.Err()
	}
	return h.Memory.Begin(ctx, in)
}

func (h *hanging) Result(ctx context.Context, id string) (record.Record, error) {
	if h.result.Load() {
		<-ctx.Done()
		return record.Record{}, ctx.Err()
	}
	return h.Memory.Result(ctx, id)
}

// A store that hangs ends a call before its effect; it does not keep it for good.
func TestStoreThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var db recordtest.Database
		store := &hanging{Memory: db.Open()}
		calls := 0
		h := call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) { calls++; return []byte(ok("1")), nil })
		r := runtime.New(registry{spec(t, `true`, `true`, effect(call.Write))}, runtime.Bind("T", h), runtime.Records(store))
		c := call.Call{Tool: "T", Command: "Run", IdempotencyKey: "k"}
		bounded := func() *result.Sealed {
			t.Helper()
			ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
			defer cancel()
			began := time.Now()
			got := r.Execute(ctx, c).(*result.Sealed)
			if took := time.Since(began); took > time.Minute {
				t.Errorf("it took %v", took)
			}
			return got
		}
		store.begin.Store(true)
		if got := bounded(); got.Code() != string(errcode.InternalError) || at(t, got, "/error/retryable") != "true" || calls != 0 {
			t.Errorf("%d calls, %s", calls, got)
		}
		store.begin.Store(false)
		if got := bounded(); got.Status() != call.Success || calls != 1 {
			t.Errorf("%d calls, %s", calls, got)
		}
		store.result.Store(true)
		if got := bounded(); got.Code() != string(errcode.InternalError) || calls != 1 {
			t.Errorf("%d calls, %s", calls, got)
		}
	})
}

// slow is a store that takes five seconds for a record.
type slow struct{ *recordtest.Memory }

func (s slow) Commit(ctx context.Context, e record.Entry) error {
	select {
	case <-time.After(5 * time.Second):
		return s.Memory.Commit(ctx, e)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close waits until the results of the calls in flight are stored: after it the store may be closed.
func TestCloseWaitsForRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var db recordtest.Database
		store := slow{db.Open()}
		r := runtime.New(registry{spec(t, `true`, `true`)}, runtime.Bind("T", echo), runtime.Records(store))
		results := make(chan call.Result, 1)
		go func() { results <- r.Execute(context.Background(), call.Call{Tool: "T", Command: "Run"}) }()
		synctest.Wait() // until it waits for the store
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
		page, err := store.List(context.Background(), record.Query{})
		if got := (<-results).(*result.Sealed); err != nil || len(page.Records) != 1 || page.Records[0].ResultID != got.ID() {
			t.Errorf("%d records when the runtime is closed, %v: %s", len(page.Records), err, got)
		}
	})
}

// A call whose intent was perhaps written, and was not, is recorded when the store is back.
func TestRecordOfACallWithoutIntentFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var db recordtest.Database
		store := db.Open()
		var failing atomic.Bool
		failing.Store(true)
		store.Fail = func(method string) error {
			switch {
			case failing.Load() && method == "Begin":
				return &record.UnconfirmedError{Err: errors.New("cut")}
			case failing.Load():
				return &record.UnavailableError{Err: errors.New("gone")}
			}
			return nil
		}
		r := runtime.New(registry{spec(t, `true`, `true`, effect(call.Write))}, runtime.Bind("T", echo), runtime.Records(store))
		got := execute(t, r, call.Call{Tool: "T", Command: "Run"})
		failing.Store(false)
		time.Sleep(time.Minute)
		if _, err := store.Result(context.Background(), clean(at(t, got, "/warnings/0/details/resultId"))); err != nil {
			t.Errorf("%v: %s", err, got)
		}
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// picky is a store that never takes the record of one request.
type picky struct {
	*recordtest.Memory
	never string
	down  atomic.Bool
}

func (p *picky) Commit(ctx context.Context, e record.Entry) error {
	if p.down.Load() || e.Record.RequestID == p.never {
		return &record.UnavailableError{Err: errors.New("not this one")}
	}
	return p.Memory.Commit(ctx, e)
}

// One record that the store never takes keeps back no other.
func TestBacklogBehindAnOddRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var db recordtest.Database
		const odd = "req_01J8Z6Q4M2X7C9V3K5T1W0R001"
		store := &picky{Memory: db.Open(), never: odd}
		store.down.Store(true)
		r := runtime.New(registry{spec(t, `true`, `true`)}, runtime.Bind("T", echo), runtime.Records(store))
		execute(t, r, call.Call{Tool: "T", Command: "Run", RequestID: odd})
		for range 3 {
			execute(t, r, call.Call{Tool: "T", Command: "Run"})
		}
		store.down.Store(false)
		time.Sleep(5 * time.Minute)
		if page, err := store.List(context.Background(), record.Query{}); err != nil || len(page.Records) != 3 {
			t.Errorf("%d records, %v", len(page.Records), err)
		}
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// What no database takes in a text is no reason to lose a record.
func TestOddNamesAreRecorded(t *testing.T) {
	var db recordtest.Database
	store := db.Open()
	r := runtime.New(registry{spec(t, `true`, `true`, effect(call.Write))}, runtime.Bind("T", echo), runtime.Records(store))
	for _, odd := range []string{"a\x00b", "\xff", "\xed\xa0\x80", string(make([]byte, 5000))} {
		for _, c := range []call.Call{
			{Tool: odd, Command: odd}, {Tool: "T", Command: odd}, {Tool: "T", Command: "Run", RequestID: odd, Source: odd, RequestIP: odd, NodeID: odd},
			{Tool: "T", Command: "Run", Actor: &call.Actor{Type: odd, ID: odd, Name: odd, Maid: odd}}, {Tool: "T", Command: "Run", IdempotencyKey: odd[:min(len(odd), 9)]},
		} {
			got := r.Execute(t.Context(), c).(*result.Sealed)
			stored(t, store, got)
		}
	}
	if left := open(t.Context(), t, store, false); len(left) != 0 {
		t.Errorf("left open: %d", len(left))
	}
}
