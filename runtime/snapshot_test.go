package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
	"vcp.core/runtime/transport"
)

// carrier is a transport that answers with its number and knows how it is used.
type carrier struct {
	number  int
	running atomic.Int64
	closed  atomic.Bool
	misused atomic.Bool // it ran after it was closed, or was closed twice, or while it ran
	broken  error       // what Close returns
}

func (c *carrier) Run(context.Context, call.Invocation, time.Duration) (transport.Reply, error) {
	c.running.Add(1)
	defer c.running.Add(-1)
	if c.closed.Load() {
		c.misused.Store(true)
	}
	return transport.Reply{Payload: []byte(ok(fmt.Sprintf(`{"transport":%d}`, c.number)))}, nil
}

func (c *carrier) Close(context.Context) error {
	if c.closed.Swap(true) || c.running.Load() != 0 {
		c.misused.Store(true)
	}
	return c.broken
}

// edition is a registry whose only tool tells its number as its version.
func edition(t testing.TB, n int) registry {
	return registry{spec(t, `true`, `true`, func(s *call.Spec) { s.Version, s.Protocol = fmt.Sprintf("%d.0.0", n), "test" })}
}

// Under load no call misses a tool, and each runs on one edition from its beginning to its end.
func TestSwapUnderLoad(t *testing.T) {
	const swaps, callers = 1000, 4
	editions := make([]registry, 10) // compiled once, the compiler is not the subject
	for i := range editions {
		editions[i] = edition(t, i)
	}
	carriers := []*carrier{{number: 0}}
	r := runtime.New(editions[0], runtime.Use("test", carriers[0]))
	var stop atomic.Bool
	var calls atomic.Int64
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for !stop.Load() {
				s := r.Execute(context.Background(), call.Call{Tool: "T", Command: "Run"}).(*result.Sealed)
				var version, data int
				_, err := fmt.Sscanf(clean(at(t, s, "/tool/version"))+" "+s.Member(result.Data), `%d.0.0 {"transport":%d}`, &version, &data)
				if err != nil || s.Status() != call.Success || version != data%len(editions) {
					t.Errorf("a call on more than one edition: %v %s", err, s)
					return
				}
				calls.Add(1)
			}
		})
	}
	var done []<-chan struct{}
	for i := range swaps {
		for before := calls.Load(); i%10 == 0 && calls.Load() == before && !t.Failed(); { // each tenth swap waits for a call
			time.Sleep(10 * time.Microsecond)
		}
		c := &carrier{number: i + 1}
		carriers = append(carriers, c)
		gone, err := r.Swap(editions[(i+1)%len(editions)], runtime.Use("test", c))
		if err != nil {
			t.Fatal(err)
		}
		done = append(done, gone)
	}
	stop.Store(true)
	wg.Wait()
	for _, gone := range done {
		<-gone
	}
	for _, c := range carriers[:swaps] {
		if !c.closed.Load() || c.misused.Load() {
			t.Fatalf("transport %d: closed %v, misused %v", c.number, c.closed.Load(), c.misused.Load())
		}
	}
	last := carriers[swaps]
	if last.closed.Load() {
		t.Error("the transport in use was closed")
	}
	if err := r.Close(t.Context()); err != nil || !last.closed.Load() || last.misused.Load() {
		t.Errorf("Close: %v, closed %v, misused %v", err, last.closed.Load(), last.misused.Load())
	}
	if calls.Load() == 0 {
		t.Error("no call was made")
	}
}

// A call in flight ends on the tools that it began with, and the channel of Swap waits for it.
func TestSwapWaitsForCalls(t *testing.T) {
	first := spec(t, `true`, `true`, func(s *call.Spec) { s.Version = "1.0.0" })
	second := spec(t, `{"required":["x"]}`, `true`, func(s *call.Spec) { s.Version = "2.0.0" })
	synctest.Test(t, func(t *testing.T) {
		r := runtime.New(registry{first}, runtime.Bind("T", call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) {
			time.Sleep(30 * time.Second)
			return []byte(ok(`"first"`)), nil
		})))
		old := make(chan *result.Sealed, 1)
		go func() { old <- lawful(t, r.Execute(t.Context(), call.Call{Tool: "T", Command: "Run"})) }()
		synctest.Wait()
		gone, err := r.Swap(registry{second}, runtime.Bind("T", answer(ok(`"second"`))))
		if err != nil {
			t.Fatal(err)
		}
		s := lawful(t, r.Execute(t.Context(), call.Call{Tool: "T", Command: "Run", Arguments: []byte(`{"x":1}`)}))
		if s.Member(result.Data) != `"second"` || at(t, s, "/tool/version") != `"2.0.0"` {
			t.Errorf("after the swap: %s", s)
		}
		if s := lawful(t, r.Execute(t.Context(), call.Call{Tool: "T", Command: "Run"})); s.Code() != "MISSING_ARGUMENT" {
			t.Errorf("after the swap: %s", s)
		}
		select {
		case <-gone:
			t.Error("the old tools are gone while a call runs on them")
		default:
		}
		if s := <-old; s.Member(result.Data) != `"first"` || at(t, s, "/tool/version") != `"1.0.0"` {
			t.Errorf("the call in flight: %s", s)
		}
		<-gone
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// What a swap does not speak of stays as it was; nil takes away.
func TestSwapKeepsBindings(t *testing.T) {
	direct := spec(t, `true`, `true`)
	far := spec(t, `true`, `true`, func(s *call.Spec) { s.Tool, s.Protocol = "Far", "test" })
	c := &carrier{number: 7}
	r := runtime.New(registry{direct}, runtime.Bind("T", answer(ok(`"bound"`))), runtime.Use("test", c))
	run := func(tool string) *result.Sealed { return execute(t, r, call.Call{Tool: tool, Command: "Run"}) }
	swap := func(bindings ...runtime.Binding) {
		t.Helper()
		gone, err := r.Swap(registry{direct, far}, bindings...)
		if err != nil {
			t.Fatal(err)
		}
		<-gone
	}
	if s := run("Far"); s.Code() != "TOOL_NOT_FOUND" {
		t.Errorf("%s", s)
	}
	swap()
	if s := run("T"); s.Member(result.Data) != `"bound"` {
		t.Errorf("%s", s)
	}
	if s := run("Far"); s.Member(result.Data) != `{"transport":7}` {
		t.Errorf("%s", s)
	}
	swap(runtime.Use("test", c), runtime.Use("direct", c)) // the same one again, and under a second name
	if s := run("T"); s.Member(result.Data) != `{"transport":7}` || c.closed.Load() {
		t.Errorf("closed %v: %s", c.closed.Load(), s)
	}
	swap(runtime.Use("test", nil))
	if s := run("Far"); s.Code() != "TRANSPORT_FAILURE" || c.closed.Load() {
		t.Errorf("closed %v: %s", c.closed.Load(), s)
	}
	swap(runtime.Use("direct", nil), runtime.Bind("T", nil))
	if s := run("T"); s.Code() != "TRANSPORT_FAILURE" || !c.closed.Load() || c.misused.Load() {
		t.Errorf("closed %v, misused %v: %s", c.closed.Load(), c.misused.Load(), s)
	}
}

func TestSwapAfterClose(t *testing.T) {
	fault := errors.New("stuck")
	c := &carrier{broken: fault}
	r := runtime.New(edition(t, 1), runtime.Use("test", c))
	for range 2 {
		if err := r.Close(t.Context()); !errors.Is(err, fault) {
			t.Errorf("Close: %v, want what the transport says", err)
		}
	}
	gone, err := r.Swap(edition(t, 2))
	if closed, ok := errors.AsType[*runtime.ClosedError](err); !ok || closed.Error() != "the runtime is closed" || gone != nil {
		t.Errorf("Swap: %v, %v", gone, err)
	}
	if c.misused.Load() {
		t.Error("closed twice")
	}
}
