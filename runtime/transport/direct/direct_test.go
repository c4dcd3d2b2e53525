package direct

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime/transport"
)

func TestOutcomes(t *testing.T) {
	broken := errors.New("disk on fire")
	tests := []struct {
		name    string
		handler call.HandlerFunc
		payload string
		check   func(error) bool
	}{
		{"payload", func(context.Context, call.Invocation) ([]byte, error) { return []byte("{}"), nil }, "{}", func(err error) bool { return err == nil }},
		{"nothing at all", func(context.Context, call.Invocation) ([]byte, error) { return nil, nil }, "", func(err error) bool { return err == nil }},
		{"error", func(context.Context, call.Invocation) ([]byte, error) { return []byte("dropped"), broken }, "", func(err error) bool {
			var e *HandlerError
			return errors.As(err, &e) && errors.Is(err, broken)
		}},
		{"panic", func(context.Context, call.Invocation) ([]byte, error) { panic("smoke") }, "", func(err error) bool {
			var e *PanicError
			return errors.As(err, &e) && e.Value == "smoke" && strings.Contains(string(e.Stack), "direct_test.go")
		}},
		{"panic with nil", func(context.Context, call.Invocation) ([]byte, error) { panic(nil) }, "", func(err error) bool {
			var e *PanicError
			return errors.As(err, &e) && e.Value != nil
		}},
		{"nil dereference", func(context.Context, call.Invocation) ([]byte, error) { var p *int; *p = 1; return nil, nil }, "", func(err error) bool {
			var e *PanicError
			return errors.As(err, &e)
		}},
		{"goexit", func(context.Context, call.Invocation) ([]byte, error) { runtime.Goexit(); return nil, nil }, "", func(err error) bool {
			var e *PanicError
			return errors.As(err, &e) && e.Value == nil
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := New(map[string]call.Handler{"T": tt.handler})
			got, err := d.Run(t.Context(), call.Invocation{Tool: "T"}, time.Second)
			if string(got.Payload) != tt.payload || !tt.check(err) {
				t.Errorf("Run = %q, %v", got, err)
			}
			if err := d.Close(t.Context()); err != nil || d.running.Running() != 0 {
				t.Errorf("%d handlers are still counted, %v", d.running.Running(), err)
			}
		})
	}
}

func TestStopping(t *testing.T) {
	const limit, grace = 100 * time.Millisecond, 50 * time.Millisecond
	tests := []struct {
		name    string
		handler call.HandlerFunc
		after   time.Duration // when Run returns
		running bool
	}{
		{"stops at once", func(ctx context.Context, _ call.Invocation) ([]byte, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, limit, false},
		{"stops within its grace", func(ctx context.Context, _ call.Invocation) ([]byte, error) {
			<-ctx.Done()
			time.Sleep(grace / 2)
			return []byte("too late"), nil
		}, limit + grace/2, false},
		{"panics within its grace", func(ctx context.Context, _ call.Invocation) ([]byte, error) {
			<-ctx.Done()
			panic("too late")
		}, limit, false},
		{"ignores the end", func(context.Context, call.Invocation) ([]byte, error) {
			time.Sleep(time.Hour)
			return []byte("{}"), nil
		}, limit + grace, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := New(map[string]call.Handler{"T": tt.handler})
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				start := time.Now()
				got, err := d.Run(ctx, call.Invocation{Tool: "T"}, grace)
				var stopped *transport.StoppedError
				if got.Payload != nil || !errors.As(err, &stopped) || !errors.Is(err, context.DeadlineExceeded) || !stopped.Started || stopped.Running != tt.running {
					t.Errorf("Run = %q, %v, want a StoppedError with Running=%v", got, err, tt.running)
				}
				if d := time.Since(start); d != tt.after {
					t.Errorf("Run took %v, want %v", d, tt.after)
				}
				short, cancelWait := context.WithTimeout(t.Context(), time.Millisecond)
				defer cancelWait()
				if err := d.Close(short); (err != nil) != tt.running {
					t.Errorf("Wait = %v with running=%v", err, tt.running)
				}
				if err := d.Close(t.Context()); err != nil || d.running.Running() != 0 {
					t.Errorf("Wait = %v, still counted: %d", err, d.running.Running())
				}
			})
		})
	}
}

func TestEndedContextStartsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := New(map[string]call.Handler{"T": call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) {
		t.Error("the handler ran")
		return nil, nil
	})})
	_, err := d.Run(ctx, call.Invocation{Tool: "T"}, time.Second)
	var stopped *transport.StoppedError
	if !errors.As(err, &stopped) || stopped.Started || !errors.Is(err, context.Canceled) {
		t.Errorf("Run = %v, want a StoppedError that did not start", err)
	}
}

// stalled is a context of a machine that stands still whenever somebody is about to look at it.
type stalled struct {
	context.Context
	until func()
}

func (s stalled) Done() <-chan struct{} {
	s.until()
	return s.Context.Done()
}

// A handler that has returned by the time that somebody looks does not run, though its grace is over as well.
func TestWhatHasEndedDoesNotRun(t *testing.T) {
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		d := New(map[string]call.Handler{"T": call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) {
			cancel()
			return nil, nil
		})})
		_, err := d.Run(stalled{ctx, func() {
			for d.running.Running() > 0 {
				runtime.Gosched()
			}
		}}, call.Invocation{Tool: "T"}, 1)
		if stopped, ok := errors.AsType[*transport.StoppedError](err); ok && stopped.Running {
			t.Fatal("it is said to run")
		}
	}
}
