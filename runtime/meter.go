package runtime

import (
	"context"
	"log/slog"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/runtime/result"
)

// Meter counts what a runtime does. What it is told has few distinct values, so that each can be a label. It
// is called by many goroutines at once and must return promptly; one that panics misses the call, no more.
//
// The interface is ours so that a service that embeds the runtime links the metrics library of its choice,
// or none. No program of ours sets one.
type Meter interface {
	// Began counts a call in, Ended counts it out.
	Began()
	Ended(m Measured)
}

// Measured is a call that has ended.
type Measured struct {
	Tool, Command string // registered names; "" for what is not registered, whatever the caller wrote
	Protocol      string // "" when no command was found
	Status        call.Status
	Code          string // of the error, a standard code or one that the manifest declares; "other" for any other

	Took      time.Duration // the whole call
	Approval  time.Duration // of it, waiting for a human
	Transport time.Duration // of it, in the transport

	Arguments int // bytes that the caller sent
	Payload   int // bytes that the plugin sent
	Result    int // bytes
}

// otherCode stands for codes that no manifest declares: a plugin could make one for each call.
const otherCode = "other"

// Measure sets the meter.
func Measure(m Meter) Option { return option(func(r *Runtime) { r.meter = m }) }

// began tells the meter of a call.
func (r *Runtime) began(ctx context.Context) {
	if r.meter != nil {
		defer r.contain(ctx, "the meter panicked")
		r.meter.Began()
	}
}

// ended tells the meter how a call ended.
func (r *Runtime) ended(ctx context.Context, m Measured) {
	defer r.contain(ctx, "the meter panicked")
	r.meter.Ended(m)
}

// measured is what the meter is told of a run.
func (x *run) measured(s *result.Sealed) Measured {
	m := Measured{
		Status: s.Status(), Code: s.Code(), Took: x.parts.Execution.Duration, Approval: x.waited, Transport: x.carried,
		Arguments: len(x.call.Arguments), Payload: x.received, Result: s.Len(),
	}
	if x.tool != nil {
		m.Tool = x.tool.spec.Tool
	}
	if x.spec != nil {
		m.Tool, m.Command, m.Protocol = x.spec.Tool, x.spec.Command, x.spec.Protocol
	}
	if code := errcode.Code(m.Code); code.Namespaced() && (x.spec == nil || !declared(x.spec, code)) {
		m.Code = otherCode
	}
	return m
}

// contain is deferred around the code of an embedder whose failure must not change a result.
func (r *Runtime) contain(ctx context.Context, what string) {
	if v := recover(); v != nil {
		r.log.LogAttrs(ctx, slog.LevelError, what, slog.Any("panic", v), stack())
	}
}
