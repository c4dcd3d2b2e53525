// Package direct runs handlers that are Go code of the same process. Like every transport it moves bytes:
// an invocation goes in, a payload or an error comes out, and neither is looked at.
//
// # What is contained
//
// A handler runs in a goroutine of its own. A panic, a runtime.Goexit and an error become errors of [Direct.Run].
// When the context ends, the handler has the grace period to return; after that Run returns without it.
//
// # What cannot be contained
//
// Go cannot stop a goroutine. A handler that ignores its context goes on running, holding its memory and
// whatever it has open, until it returns by itself; what it returns then is dropped. [Direct.Close]
// waits for such handlers. A panic in a goroutine that the handler
// started, an exhausted memory and a fatal error of the Go runtime end the process. Code that cannot be
// trusted with that belongs behind the stdio transport.
package direct

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/runtime/transport"
)

// PanicError says that a handler panicked or ended its goroutine.
type PanicError struct {
	Value any    // what it panicked with, nil for runtime.Goexit
	Stack []byte // of the panic; for logs, never for results
}

// Error says it in a sentence.
func (e *PanicError) Error() string {
	if e.Value == nil {
		return "the handler ended its goroutine"
	}
	return fmt.Sprintf("the handler panicked: %v", e.Value)
}

// HandlerError is an error that a handler returned.
type HandlerError struct{ Err error }

// Error says it in a sentence.
func (e *HandlerError) Error() string { return "the handler failed: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *HandlerError) Unwrap() error { return e.Err }

// flight is one call of a handler. Its goroutine leaves the outcome in it and then sends on done.
//
// Flights are used again, because the copy of the invocation is most of what a call allocates. A flight whose handler
// is late is left to that handler: only who has received from done may give it back. The channel is made for
// each call: one of a testing/synctest bubble must not be met outside of it.
type flight struct {
	ctx     context.Context
	handler call.Handler
	in      call.Invocation
	payload []byte
	err     error
	done    chan struct{} // room for one, so that a late handler can leave
}

var flights = sync.Pool{New: func() any { return new(flight) }}

// land empties a flight whose goroutine is done and gives it back.
func (f *flight) land() {
	*f = flight{}
	flights.Put(f)
}

// Direct is the transport to handlers of this process.
type Direct struct {
	handlers map[string]call.Handler
	running  transport.Tracker
}

var _ transport.Transport = (*Direct)(nil)

// New makes a transport to handlers by the names of their tools. The map must not change.
func New(handlers map[string]call.Handler) *Direct { return &Direct{handlers: handlers} }

// Handles reports whether a tool is linked.
func (d *Direct) Handles(tool string) bool { return d.handlers[tool] != nil }

// Close waits for handlers that still run.
func (d *Direct) Close(ctx context.Context) error { return d.running.Wait(ctx) }

// Run calls the handler of the tool. Its own errors are [*PanicError] and [*HandlerError].
func (d *Direct) Run(ctx context.Context, in call.Invocation, grace time.Duration) (transport.Reply, error) {
	h := d.handlers[in.Tool]
	if h == nil {
		return transport.Reply{}, &transport.Failure{
			Code: errcode.TransportFailure, Message: "the tool " + in.Tool + " is not linked into this runtime",
		}
	}
	if err := ctx.Err(); err != nil {
		return transport.Reply{}, &transport.StoppedError{Cause: err}
	}
	f := flights.Get().(*flight)
	f.ctx, f.handler, f.in, f.done = ctx, h, in, make(chan struct{}, 1)
	d.running.Add()
	go d.handle(f)

	select {
	case <-f.done:
		reply, err := transport.Reply{Payload: f.payload}, f.err
		f.land()
		if err != nil && ctx.Err() != nil {
			if _, panicked := errors.AsType[*PanicError](err); !panicked {
				return transport.Reply{}, &transport.StoppedError{Cause: ctx.Err(), Started: true}
			}
		}
		return reply, err
	case <-ctx.Done():
	}
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case <-f.done:
	case <-patience.C:
		select {
		case <-f.done: // while the machine stood still
		default:
			return transport.Reply{}, &transport.StoppedError{Cause: ctx.Err(), Started: true, Running: true}
		}
	}
	f.land()
	return transport.Reply{}, &transport.StoppedError{Cause: ctx.Err(), Started: true}
}

// handle calls the handler and turns every way to leave it into an outcome. runtime.Goexit runs deferred
// functions too but gives recover nothing to recover, which is how it is told from a panic. Once done is sent
// the flight belongs to whoever receives.
func (d *Direct) handle(f *flight) {
	defer d.running.Done()
	returned := false
	defer func() {
		if !returned {
			f.err = &PanicError{Value: recover(), Stack: debug.Stack()}
		}
		f.done <- struct{}{}
	}()
	payload, err := f.handler.Handle(f.ctx, f.in)
	returned = true
	if err != nil {
		f.err = &HandlerError{Err: err}
		return
	}
	f.payload = payload
}
