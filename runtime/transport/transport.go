// Package transport is the seam between the runtime and the ways to reach a plugin: bytes in, bytes out,
// no meaning. An [call.Invocation] goes in, the bytes of a payload or an error come out.
//
// A transport starts, feeds, watches and stops; it never judges a payload, knows no schema, fills nothing
// in and words nothing for a reader. What it found wrong is one of the errors of this package, and the
// runtime makes a result of it.
//
// # The contract of every transport
//
// Run returns a payload only if it arrived before the context ended; what arrives during the grace is
// dropped, because by then the call was promised to have ended. Run returns at the latest when the context
// and the grace are over. An error is a [*Failure], a [*StoppedError], or one that the transport defines;
// the runtime logs the latter and tells the caller INTERNAL_ERROR.
package transport

import (
	"context"
	"fmt"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
)

// Transport carries calls to the plugins of one protocol. It is safe for concurrent use.
type Transport interface {
	// Run carries one call and brings the plugin's answer back.
	Run(ctx context.Context, in call.Invocation, grace time.Duration) (Reply, error)
	// Close waits until nothing that Run started is left. It returns the context's error when that ends
	// first; then something still runs.
	Close(ctx context.Context) error
}

// Reply is what came back.
type Reply struct {
	Payload  []byte         // a plugin result payload, not looked at; the caller owns it
	Warnings []call.Warning // what the transport saw beside it, such as NONZERO_EXIT
}

// Failure is how a transport failed to bring a payload.
type Failure struct {
	Code    errcode.Code   // TRANSPORT_FAILURE, INVALID_TOOL_RESULT, DEPENDENCY_UNAVAILABLE, …
	Reason  errcode.Reason // "" when the closed set has none
	Message string         // one sentence for the caller, lower case, no period; no path, no secret
	Quote   string         // the output that is at fault, at most 200 characters; "" for none
	Details []Detail       // further facts, in the order of reading
	Err     error          // the cause, for logs only; may be nil
	// Started says that the plugin may have begun to act.
	Started bool
	// Passing says that nothing has to change for the same call to succeed: something was used up just now.
	Passing bool
}

// Detail is one fact about a failure: a number, or a text when Text is set.
type Detail struct {
	Name   string // a member of error.details: exitCode, signal, limit, line
	Number int64
	Text   string
}

// Error returns "CODE (REASON): message".
func (f *Failure) Error() string {
	if f.Reason == "" {
		return fmt.Sprintf("%s: %s", f.Code, f.Message)
	}
	return fmt.Sprintf("%s (%s): %s", f.Code, f.Reason, f.Message)
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// StoppedError says that the context ended before the plugin answered.
type StoppedError struct {
	Cause   error // the context's error: context.Canceled or context.DeadlineExceeded
	Started bool  // the plugin was asked at all
	Running bool  // it had not ended when its grace was over, and could not be made to
}

// Error says when the call was stopped, and what is left of it.
func (e *StoppedError) Error() string {
	switch {
	case !e.Started:
		return "the call ended before it began: " + e.Cause.Error()
	case e.Running:
		return "the plugin still runs after its grace: " + e.Cause.Error()
	default:
		return "the plugin was stopped: " + e.Cause.Error()
	}
}

// Unwrap returns the context's error.
func (e *StoppedError) Unwrap() error { return e.Cause }
