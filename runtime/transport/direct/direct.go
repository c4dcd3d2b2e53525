// Package direct runs handlers that are Go code of the same process. Like every transport it moves bytes:
// an invocation goes in, a payload or an error comes out, and neither is looked at.
//
// # What is contained
//
// A handler runs in a goroutine of its own. A panic, a runtime.Goexit and an error become errors of [Run].
// When the context ends, the handler has the grace period to return; after that Run returns without it.
//
// # What cannot be contained
//
// Go cannot stop a goroutine. A handler that ignores its context goes on running, holding its memory and
// whatever it has open, until it returns by itself; what it returns then is dropped. The [Tracker] counts
// such handlers, so that closing a runtime waits for them. A panic in a goroutine that the handler
// started, an exhausted memory and a fatal error of the Go runtime end the process. Code that cannot be
// trusted with that belongs behind the stdio transport.
package direct

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"vcp.core/contract/call"
)

// PanicError says that a handler panicked or ended its goroutine.
type PanicError struct {
	Value any    // what it panicked with, nil for runtime.Goexit
	Stack []byte // of the panic; for logs, never for results
}

func (e *PanicError) Error() string {
	if e.Value == nil {
		return "the handler ended its goroutine"
	}
	return fmt.Sprintf("the handler panicked: %v", e.Value)
}

// HandlerError is an error that a handler returned.
type HandlerError struct{ Err error }

func (e *HandlerError) Error() string { return "the handler failed: " + e.Err.Error() }
func (e *HandlerError) Unwrap() error { return e.Err }

// StoppedError says that the context ended before the handler returned a payload.
type StoppedError struct {
	Cause   error // the context's error: context.Canceled or context.DeadlineExceeded
	Started bool  // the handler was called at all
	Running bool  // it had not returned when its grace was over
}

func (e *StoppedError) Error() string {
	switch {
	case !e.Started:
		return "the call ended before it began: " + e.Cause.Error()
	case e.Running:
		return "the handler still runs after its grace: " + e.Cause.Error()
	default:
		return "the handler was stopped: " + e.Cause.Error()
	}
}
func (e *StoppedError) Unwrap() error { return e.Cause }

// outcome is what a handler's goroutine leaves behind.
type outcome struct {
	payload []byte
	err     error
}

// Run calls a handler and returns its payload, or a [*PanicError], a [*HandlerError] or a [*StoppedError].
// A payload that arrives before the context ends counts; one that arrives during the grace does not,
// because by then somebody was promised that the call had ended.
func Run(ctx context.Context, t *Tracker, h call.Handler, in call.Invocation, grace time.Duration) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, &StoppedError{Cause: err}
	}
	done := make(chan outcome, 1) // room for one, so that a late handler can leave
	t.Add()
	go handle(ctx, t, h, in, done)

	select {
	case out := <-done:
		if out.err != nil && ctx.Err() != nil {
			if _, panicked := errors.AsType[*PanicError](out.err); !panicked {
				return nil, &StoppedError{Cause: ctx.Err(), Started: true}
			}
		}
		return out.payload, out.err
	case <-ctx.Done():
	}
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case <-done:
		return nil, &StoppedError{Cause: ctx.Err(), Started: true}
	case <-patience.C:
		return nil, &StoppedError{Cause: ctx.Err(), Started: true, Running: true}
	}
}

// handle calls the handler and turns every way to leave it into an outcome. runtime.Goexit runs deferred
// functions too but gives recover nothing to recover, which is how it is told from a panic.
func handle(ctx context.Context, t *Tracker, h call.Handler, in call.Invocation, done chan<- outcome) {
	defer t.Done()
	returned := false
	var out outcome
	defer func() {
		if !returned {
			out.err = &PanicError{Value: recover(), Stack: debug.Stack()}
		}
		done <- out
	}()
	payload, err := h.Handle(ctx, in)
	returned = true
	if err != nil {
		out.err = &HandlerError{Err: err}
		return
	}
	out.payload = payload
}
