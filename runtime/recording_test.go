package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
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

// effect is a change of a spec.
func effect(e call.Effect) func(*call.Spec) { return func(s *call.Spec) { s.Effect = e } }

// open lists the intents that have no result.
func open(ctx context.Context, t testing.TB, s record.Store, orphaned bool) []record.Intent {
	t.Helper()
	list, err := s.Intents(ctx, record.IntentQuery{Orphaned: orphaned})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// stored reads the record of a result that must be there, with the same bytes.
func stored(t testing.TB, s record.Store, got *result.Sealed) record.Record {
	t.Helper()
	r, err := s.Result(t.Context(), got.ID())
	if err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	if r.Result.Text != got.String() || at(t, got, "/execution/recordId") != `"`+r.ID+`"` {
		t.Errorf("another result is stored: %+v", r)
	}
	whole, err := s.Record(t.Context(), r.ID) // which has the digest
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

func TestEveryCallLeavesARecord(t *testing.T) {
	var db recordtest.Database
	store := db.Open()
	r := runtime.New(registry{spec(t, `{"required":["x"]}`, `true`)}, runtime.Bind("T", echo), runtime.Records(store))
	for _, c := range []call.Call{
		{Tool: "T", Command: "Run", Arguments: []byte(`{"x":"quiet"}`), Actor: &call.Actor{ID: "a-1"}, RequestIP: "192.0.2.7"},
		{Tool: "T", Command: "Run"}, {Tool: "T", Command: "No"}, {Tool: "Nothing"},
	} {
		got := execute(t, r, c)
		kept := stored(t, store, got)
		if kept.Status != got.Status() || kept.Code != got.Code() || kept.Tool != c.Tool {
			t.Errorf("%+v is the record of %s", kept, got)
		}
		if !strings.Contains(kept.Digest, got.ID()) || strings.Contains(kept.Digest, "quiet") || c.RequestIP != "" && !strings.Contains(kept.Digest, c.RequestIP) {
			t.Errorf("the digest is %s", kept.Digest)
		}
	}
	got := execute(t, r, call.Call{Tool: "T", Command: "Run", Arguments: []byte(`{"x":1}`), Options: call.Options{SkipRecord: true}})
	if at(t, got, "/execution/recordId") != "null" {
		t.Errorf("a record that nobody wants: %s", got)
	}
	if page, err := store.List(context.Background(), record.Query{}); err != nil || len(page.Records) != 4 {
		t.Errorf("%d records, want 4: %v", len(page.Records), err)
	}
}

// The intent is there while the command runs, and gone with the result.
func TestIntentBeforeTheEffect(t *testing.T) {
	for _, tt := range []struct {
		effect call.Effect
		want   int
		skip   bool
	}{{call.Read, 0, false}, {call.Idempotent, 1, false}, {call.Write, 1, false}, {call.Destructive, 1, true}} {
		var db recordtest.Database
		store := db.Open()
		var seen []record.Intent
		h := call.HandlerFunc(func(ctx context.Context, _ call.Invocation) ([]byte, error) {
			seen = open(ctx, t, store, false)
			return []byte(ok("1")), nil
		})
		r := runtime.New(registry{spec(t, `true`, `true`, effect(tt.effect))}, runtime.Bind("T", h), runtime.Records(store))
		got := execute(t, r, call.Call{
			Tool: "T", Command: "Run", RequestIP: "192.0.2.7", Timeout: 5 * time.Minute,
			Options: call.Options{SkipApproval: true, SkipRecord: tt.skip},
		})
		if len(seen) != tt.want || len(open(t.Context(), t, store, false)) != 0 {
			t.Fatalf("%s: %d intents while it runs, want %d", tt.effect, len(seen), tt.want)
		}
		if tt.want == 0 {
			continue
		}
		in := seen[0]
		if `"`+in.InvocationID+`"` != at(t, got, "/execution/invocationId") || in.Tool != "T" || in.Command != "Run" || in.DisplayName != "Tool" ||
			in.Version != "1.2.3" || in.Effect != tt.effect || in.Timeout != 5*time.Minute || in.RequestIP != "192.0.2.7" {
			t.Errorf("the intent is %+v", in)
		}
		if tt.skip {
			if _, err := store.Result(context.Background(), got.ID()); !errors.As(err, new(*record.NotFoundError)) {
				t.Errorf("a record that nobody wants: %v", err)
			}
		}
	}
}

// A process that ends in the middle of an effect leaves an intent; the next one says that nobody knows.
func TestRecover(t *testing.T) {
	var db recordtest.Database
	dying, other := db.Open(), db.Open()
	h := call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) {
		dying.Crash()
		return []byte(ok("1")), nil
	})
	tools := registry{spec(t, `true`, `true`, effect(call.Write))}
	c := call.Call{Tool: "T", Command: "Run", Actor: &call.Actor{Name: "Nova"}, IdempotencyKey: "k", RequestIP: "192.0.2.7"}
	dead := runtime.New(tools, runtime.Bind("T", h), runtime.Records(dying))
	lost := execute(t, dead, c)
	if at(t, lost, "/warnings/0/code") != `"RESULT_NOT_STORED"` {
		t.Fatalf("nothing is told: %s", lost)
	}
	// The intent of a call that runs elsewhere is left alone.
	running := make(chan struct{})
	var release sync.WaitGroup
	release.Add(1)
	live := runtime.New(tools, runtime.Records(other), runtime.Bind("T", call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) {
		close(running)
		release.Wait()
		return []byte(ok("2")), nil
	})))
	ended := make(chan call.Result)
	go func() { ended <- live.Execute(context.Background(), call.Call{Tool: "T", Command: "Run"}) }()
	<-running

	store := db.Open()
	calls := 0
	next := runtime.New(tools, runtime.Records(store), runtime.Bind("T", call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) {
		calls++
		return []byte(ok("3")), nil
	})))
	for i, want := range []int{1, 0} {
		if n, err := next.Recover(context.Background()); err != nil || n != want {
			t.Fatalf("start %d ends %d intents (%v), want %d", i, n, err, want)
		}
	}
	page, err := store.List(context.Background(), record.Query{Tool: "T"})
	if err != nil || len(page.Records) != 1 {
		t.Fatalf("%+v, %v", page, err)
	}
	kept, err := store.Record(context.Background(), page.Records[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := kept.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	lawful(t, sealed)
	for pointer, want := range map[string]string{
		"/error/code": `"INTERNAL_ERROR"`, "/error/details": `{"reason":"EFFECT_UNKNOWN","effect":"unknown"}`, "/error/retryable": "false",
		"/tool":                   `{"name":"T","displayName":"Tool","version":"1.2.3","command":"Run"}`,
		"/execution/invocationId": at(t, lost, "/execution/invocationId"), "/execution/startedAt": at(t, lost, "/execution/startedAt"),
		"/actor/name": `"Nova"`,
	} {
		if got := at(t, sealed, pointer); got != want {
			t.Errorf("%s is %s, want %s", pointer, got, want)
		}
	}
	if !strings.Contains(kept.Digest, "192.0.2.7") {
		t.Errorf("the digest is %s", kept.Digest)
	}
	// Never a silent retry: the key is answered with what is known.
	if again := execute(t, next, c); again.ID() != sealed.ID() || calls != 0 {
		t.Errorf("%d calls, %s", calls, again)
	}
	release.Done()
	if got := lawful(t, <-ended); got.Status() != call.Success {
		t.Error(got)
	}
	for _, r := range []*runtime.Runtime{dead, live, next} {
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// An intent that cannot be ended does not keep the others, nor does a store that breaks.
func TestRecoverGoesOn(t *testing.T) {
	var db recordtest.Database
	dying := db.Open()
	for i := range 3 {
		in := record.Intent{InvocationID: fmt.Sprintf("ti_01J8Z6Q4M2X7C9V3K5T1W0R00%d", i), Tool: "T", Command: "Run", Effect: call.Write, Started: time.Now()}
		if _, err := dying.Begin(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	dying.Crash()
	store := db.Open()
	commits := 0
	store.Fail = func(method string) error {
		if method != "Commit" {
			return nil
		}
		if commits++; commits == 2 {
			panic("broken")
		}
		return nil
	}
	r := runtime.New(registry{}, runtime.Records(store))
	if n, err := r.Recover(t.Context()); n != 2 || !errors.As(err, new(*record.UnconfirmedError)) {
		t.Errorf("%d intents are ended, %v", n, err)
	}
	if n, err := r.Recover(t.Context()); n != 1 || err != nil {
		t.Errorf("%d intents are ended the next time, %v", n, err)
	}
}

// Without an intent there is no effect.
func TestNoIntentNoEffect(t *testing.T) {
	for _, broken := range []error{
		&record.FullError{Err: errors.New("disk full")}, &record.UnavailableError{Err: errors.New("gone")}, &record.UnconfirmedError{Err: errors.New("cut")}, nil,
	} {
		var db recordtest.Database
		store := db.Open()
		failing := true
		store.Fail = func(method string) error {
			if method != "Begin" || !failing {
				return nil
			}
			if broken == nil {
				panic("broken")
			}
			return broken
		}
		calls := 0
		h := call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) { calls++; return []byte(ok("1")), nil })
		r := runtime.New(registry{spec(t, `true`, `true`, effect(call.Write))}, runtime.Bind("T", h), runtime.Records(store))
		c := call.Call{Tool: "T", Command: "Run", IdempotencyKey: "k"}
		got := execute(t, r, c)
		if got.Code() != string(errcode.InternalError) || at(t, got, "/error/retryable") != "true" || calls != 0 || at(t, got, "/error/details") != "null" {
			t.Errorf("%v: %d calls, %s", broken, calls, got)
		}
		stored(t, store, got)
		failing = false
		if got := execute(t, r, c); got.Status() != call.Success || calls != 1 {
			t.Errorf("%v: afterwards: %s", broken, got)
		}
	}
}

// An intent that was written although the store could not say so ends with the call, and its key is free.
func TestUnconfirmedIntentEnds(t *testing.T) {
	var db recordtest.Database
	store := &cut{Memory: db.Open()}
	r := runtime.New(registry{spec(t, `true`, `true`, effect(call.Write))}, runtime.Bind("T", echo), runtime.Records(store))
	c := call.Call{Tool: "T", Command: "Run", IdempotencyKey: "k"}
	if got := execute(t, r, c); got.Code() != string(errcode.InternalError) {
		t.Fatal(got)
	}
	if left := open(t.Context(), t, store, false); len(left) != 0 {
		t.Errorf("left open: %+v", left)
	}
	if got := execute(t, r, c); got.Status() != call.Success {
		t.Error(got)
	}
}

// cut is a store whose connection breaks once, after it has done its work.
type cut struct {
	*recordtest.Memory
	once sync.Once
}

func (c *cut) Begin(ctx context.Context, in record.Intent) (claim record.Claim, err error) {
	claim, err = c.Memory.Begin(ctx, in)
	c.once.Do(func() { err = &record.UnconfirmedError{Err: errors.New("cut")} })
	return claim, err
}

// What the store does not take is told to the caller, who gets the result all the same; the record follows when the
// store takes it.
func TestResultNotStored(t *testing.T) {
	for name, broken := range map[string]func() error{
		"full":  func() error { return &record.FullError{Err: errors.New("disk full")} },
		"panic": func() error { panic("broken") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var db recordtest.Database
				store := db.Open()
				var failing atomic.Bool
				failing.Store(true)
				store.Fail = func(method string) error {
					if method == "Commit" && failing.Load() {
						return broken()
					}
					return nil
				}
				r := runtime.New(registry{spec(t, `true`, `true`, effect(call.Write))}, runtime.Bind("T", answer(
					`{"status":"success","data":{"a":1},"resources":[],"warnings":[{"code":"OUTPUT_TRUNCATED","message":"m"}],"extensions":{}}`)), runtime.Records(store))
				c := call.Call{Tool: "T", Command: "Run", IdempotencyKey: "k"}
				got := execute(t, r, c)
				if got.Status() != call.Success || at(t, got, "/data") != `{"a":1}` || at(t, got, "/execution/recordId") != "null" ||
					at(t, got, "/warnings/0/code") != `"OUTPUT_TRUNCATED"` || at(t, got, "/warnings/1/code") != `"RESULT_NOT_STORED"` {
					t.Errorf("%s", got)
				}
				if again := execute(t, r, c); at(t, again, "/error/message") != `"a call with this idempotency key has not ended yet"` {
					t.Errorf("it ran twice: %s", again)
				}
				time.Sleep(2 * time.Second)
				if len(open(t.Context(), t, store, false)) != 1 {
					t.Error("the intent is gone without a record")
				}
				failing.Store(false)
				time.Sleep(time.Minute)
				if len(open(t.Context(), t, store, false)) != 0 {
					t.Error("the intent stays open")
				}
				first := clean(at(t, got, "/warnings/1/details/resultId"))
				kept, err := store.Result(context.Background(), first)
				if err != nil || first == got.ID() || !strings.Contains(kept.Result.Text, at(t, got, "/execution/invocationId")) {
					t.Errorf("%q: %+v, %v", first, kept, err)
				}
				if again := execute(t, r, c); again.ID() != first {
					t.Errorf("the key is answered with %s", again)
				}
				if err := r.Close(context.Background()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Close does not wait for a store that takes nothing.
func TestCloseWithABacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var db recordtest.Database
		store := db.Open()
		store.Fail = func(method string) error { return &record.UnavailableError{Err: errors.New("gone")} }
		var b bytes.Buffer
		r := runtime.New(registry{spec(t, `true`, `true`)}, runtime.Bind("T", echo), runtime.Records(store), runtime.Logger(slog.New(slog.NewTextHandler(&b, nil))))
		for range 3 {
			execute(t, r, call.Call{Tool: "T", Command: "Run"})
		}
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if n := strings.Count(b.String(), "a record is lost"); n != 3 {
			t.Errorf("%d records are told lost, want 3:\n%s", n, b.String())
		}
	})
}

func TestIdempotencyKey(t *testing.T) {
	var db recordtest.Database
	store := db.Open()
	calls := 0
	payload := ok("1")
	h := call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) { calls++; return []byte(payload), nil })
	r := runtime.New(registry{
		spec(t, `true`, `true`, effect(call.Write)),
		spec(t, `true`, `true`, func(s *call.Spec) { s.Command = "Read" }),
	}, runtime.Bind("T", h), runtime.Records(store))
	do := func(c call.Call) *result.Sealed {
		t.Helper()
		c.Tool = "T"
		if c.Command == "" {
			c.Command = "Run"
		}
		return execute(t, r, c)
	}
	alice, bob := &call.Actor{ID: "alice"}, &call.Actor{ID: "bob"}
	first := do(call.Call{Actor: alice, IdempotencyKey: "k", Arguments: []byte(`{"a":1}`)})
	for _, tt := range []struct {
		name  string
		call  call.Call
		same  bool
		code  errcode.Code
		calls int
	}{
		{"the same", call.Call{Actor: alice, IdempotencyKey: "k", Arguments: []byte(` {"a": 1}`)}, true, "", 0},
		{"the same, unrecorded", call.Call{Actor: alice, IdempotencyKey: "k", Arguments: []byte(`{"a":1}`), Options: call.Options{SkipRecord: true}}, true, "", 0},
		{"other arguments", call.Call{Actor: alice, IdempotencyKey: "k", Arguments: []byte(`{"a":2}`)}, false, errcode.InvalidArgument, 0},
		{"another command", call.Call{Actor: alice, IdempotencyKey: "k", Command: "Read", Arguments: []byte(`{"a":1}`)}, false, errcode.InvalidArgument, 0},
		{"another actor of that name", call.Call{Actor: &call.Actor{Name: "alice"}, IdempotencyKey: "k", Arguments: []byte(`{"a":1}`)}, false, "", 1},
		{"another actor", call.Call{Actor: bob, IdempotencyKey: "k", Arguments: []byte(`{"a":1}`)}, false, "", 1},
		{"no key", call.Call{Actor: alice, Arguments: []byte(`{"a":1}`)}, false, "", 1},
		{"a long key", call.Call{IdempotencyKey: strings.Repeat("k", 256)}, false, errcode.InvalidArgument, 0},
		{"unknown tools have no keys", call.Call{Command: "No", IdempotencyKey: "k"}, false, errcode.UnknownCommand, 0},
	} {
		before := calls
		got := do(tt.call)
		if (got.ID() == first.ID()) != tt.same || got.Code() != string(tt.code) || calls-before != tt.calls {
			t.Errorf("%s: %d calls, %s", tt.name, calls-before, got)
		}
	}

	// A failure that may have had an effect stands; one that only read may be tried again.
	payload = `no JSON`
	for command, want := range map[string]int{"Run": 1, "Read": 2} {
		before := calls
		for range 2 {
			do(call.Call{Command: command, IdempotencyKey: "bad " + command})
		}
		if calls-before != want {
			t.Errorf("%s ran %d times, want %d", command, calls-before, want)
		}
	}
	if left := open(t.Context(), t, store, false); len(left) != 0 {
		t.Errorf("left open: %+v", left)
	}

	// Results may be pruned; the effect is not repeated then.
	if _, err := store.Prune(context.Background(), record.Retention{ResultsBefore: time.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	before := calls
	got := do(call.Call{Actor: alice, IdempotencyKey: "k", Arguments: []byte(`{"a":1}`)})
	if got.Code() != string(errcode.InternalError) || calls != before || at(t, got, "/error/details/resultId") != `"`+first.ID()+`"` {
		t.Errorf("%d calls, %s", calls-before, got)
	}

	bare := runtime.New(registry{spec(t, `true`, `true`)}, runtime.Bind("T", h))
	if got := execute(t, bare, call.Call{Tool: "T", Command: "Run", IdempotencyKey: "k"}); got.Code() != string(errcode.InternalError) || calls != before {
		t.Errorf("a key that nobody keeps: %s", got)
	}
}

// A key whose call did not start is free.
func TestKeyOfACallThatDidNotStart(t *testing.T) {
	var db recordtest.Database
	r := runtime.New(registry{spec(t, `true`, `true`, effect(call.Write), func(s *call.Spec) { s.Protocol = "none" })}, runtime.Records(db.Open()))
	for range 2 {
		got := execute(t, r, call.Call{Tool: "T", Command: "Run", IdempotencyKey: "k"})
		if got.Code() != string(errcode.TransportFailure) {
			t.Error(got)
		}
	}
}

// Of any number of calls with one key one runs, and the others get its result or are told to wait.
func TestOneKeyManyCallers(t *testing.T) {
	var db recordtest.Database
	var calls atomic.Int64
	h := call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) {
		calls.Add(1)
		return []byte(ok("1")), nil
	})
	r := runtime.New(registry{spec(t, `true`, `true`, effect(call.Write))}, runtime.Bind("T", h), runtime.Records(db.Open()))
	for round := range 20 {
		var wg sync.WaitGroup
		var ids sync.Map
		for range 32 {
			wg.Go(func() {
				got := r.Execute(context.Background(), call.Call{Tool: "T", Command: "Run", IdempotencyKey: fmt.Sprint(round)})
				switch {
				case got.Status() == call.Success:
					ids.Store(got.ID(), true)
				case got.Code() != string(errcode.InvalidArgument):
					t.Error(got)
				}
			})
		}
		wg.Wait()
		n := 0
		ids.Range(func(any, any) bool { n++; return true })
		if n != 1 || calls.Load() != int64(round+1) {
			t.Fatalf("round %d: %d results, %d calls", round, n, calls.Load())
		}
	}
}

// Digests in an intent are made of what everybody may see: two calls that differ in a secret alone are one.
func TestNoDigestOfASecret(t *testing.T) {
	var db recordtest.Database
	store := db.Open()
	var seen []record.Digest
	h := call.HandlerFunc(func(ctx context.Context, _ call.Invocation) ([]byte, error) {
		seen = append(seen, open(ctx, t, store, false)[0].Arguments)
		return []byte(ok("1")), nil
	})
	const input = `{"properties":{"pin":{"type":"string","writeOnly":true},"n":{}}}`
	r := runtime.New(registry{spec(t, input, `true`, effect(call.Write), func(s *call.Spec) { s.InputSchema = []byte(input) })}, runtime.Bind("T", h), runtime.Records(store))
	for _, arguments := range []string{`{"pin":"12345678","n":1}`, `{"pin":"87654321","n":1}`, `{"pin":"87654321","n":2}`} {
		execute(t, r, call.Call{Tool: "T", Command: "Run", Arguments: []byte(arguments)})
	}
	if len(seen) != 3 || seen[0] != seen[1] || seen[1] == seen[2] {
		t.Errorf("digests %x", seen)
	}
}
