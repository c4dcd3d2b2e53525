package runtime

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	v1 "vcp.core/generated/protocol/v1"
	"vcp.core/runtime/id"
	"vcp.core/runtime/policy/secret"
	"vcp.core/runtime/resource"
	"vcp.core/runtime/result"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/direct"
)

// run is one execution on its way to a result. It is used again for another call when Execute returns: what may live on, as
// a handler that is late, gets values of its own and never the run.
type run struct {
	call    call.Call
	started time.Time
	limit   time.Duration // the time limit in force, 0 before there is one
	taskID  string        // what the call offers to a task, "" for a synchronous command
	plan    *snapshot     // what the call runs on, nil when the runtime is closed
	prepared
	secrets *secret.Set // what must not leave the call, nil for nothing
	masked  []int       // the strings of the payload that had secrets in them
	told    []string    // where they stand, when their nodes are those of a payload that was rewritten since
	parts   result.Parts

	dir      string           // the plugin's data folder
	output   *resource.Writer // what a handler writes there, nil when it can write nothing
	deadline time.Time        // when the call ends, zero before it was carried

	intended bool           // an intent was written
	perhaps  bool           // it is not known whether it was
	harmless bool           // the command had no effect that matters: its key may be used again
	earlier  *result.Sealed // what the idempotency key of the call was answered with before

	waited, carried time.Duration // for a human, in the transport
	received        int           // bytes of the payload
}

// Execute runs a command. The result is never nil and always valid by the protocol's result schema. The
// context's end cancels the call; the time limit is the earliest of the context's deadline, the call's
// timeout, or the manifest's when the call has none.
func (r *Runtime) Execute(ctx context.Context, c call.Call) call.Result {
	r.began(ctx)
	started := r.clock()
	s := r.scratch.Get().(*scratch)
	x := &s.run
	x.call, x.started = c, started
	x.parts.Execution = result.ExecutionPart{
		InvocationID: r.ids(id.Invocation, started),
		RequestID:    c.RequestID,
		StartedAt:    started,
		Attempt:      1,
	}
	if !id.Valid(id.Request, c.RequestID) {
		x.parts.Execution.RequestID = r.ids(id.Request, started)
		if c.RequestID != "" {
			r.log.LogAttrs(ctx, slog.LevelWarn, "request id replaced: not req_ and a ULID",
				slog.String("given", short(c.RequestID)), slog.String("requestId", x.parts.Execution.RequestID))
		}
	}
	if x.plan = r.enter(); x.plan != nil {
		defer x.plan.leave() // not before the result is kept: who has closed the runtime may close the store
	}
	sealed := r.keep(ctx, x, r.guard(ctx, x, s))
	r.report(ctx, x, sealed)
	s.reset()
	r.scratch.Put(s)
	return sealed
}

// guard runs the call and turns a panic of ours into a result: one hostile document must not end the
// process for everybody.
func (r *Runtime) guard(ctx context.Context, x *run, s *scratch) (sealed *result.Sealed) {
	if x.plan == nil {
		f := fail(errcode.InternalError, "the runtime is closing")
		f.retryable = true
		return r.seal(x, f)
	}
	defer func() {
		if v := recover(); v != nil {
			x.secrets.Logger(r.log).LogAttrs(ctx, slog.LevelError, "the runtime panicked", slog.String("tool", x.call.Tool),
				slog.String("command", x.call.Command), slog.Any("panic", v), stack())
			f := fail(errcode.InternalError, "the runtime broke down").because(errcode.Panic)
			if !x.deadline.IsZero() { // the handler may have begun
				f.unsure(x.spec)
			}
			sealed = r.seal(x, f)
		}
	}()
	f := r.perform(ctx, x, s)
	if x.earlier != nil {
		return x.earlier
	}
	return r.seal(x, f)
}

// perform goes through the steps that the package comment lists.
func (r *Runtime) perform(ctx context.Context, x *run, s *scratch) *failure {
	f := r.choose(x, s)
	var crowded *failure
	if x.secrets, crowded = r.secretsOf(x, &s.arguments); crowded != nil {
		return crowded
	}
	if f != nil {
		return f
	}
	if f := r.permit(ctx, x); f != nil {
		return f
	}
	if r.needsApproval(x) {
		if f := r.approval(ctx, x); f != nil {
			return f
		}
	}
	defer r.discard(ctx, x)
	reply, f := r.carry(ctx, x)
	if f != nil || x.earlier != nil {
		return f
	}
	x.received = len(reply.Payload)
	p, f := r.judgePayload(ctx, x, reply.Payload, s)
	if f != nil {
		return f.unsure(x.spec)
	}
	r.fill(ctx, x, &p, reply.Warnings)
	return nil
}

// carry brings the call to the plugin and its answer back. The time limit begins here.
func (r *Runtime) carry(ctx context.Context, x *run) (transport.Reply, *failure) {
	spec := x.spec
	carrier := x.plan.carriers[spec.Protocol]
	if carrier == nil {
		return transport.Reply{}, fail(errcode.TransportFailure, "this runtime has no transport for the protocol %q of %s", spec.Protocol, spec.Tool)
	}
	dir, err := r.folder(ctx, spec.Tool)
	if err != nil {
		r.log.LogAttrs(ctx, slog.LevelError, "no data folder", slog.String("tool", spec.Tool), slog.Any("error", err))
		return transport.Reply{}, fail(errcode.InternalError, "the data folder of %s cannot be used", spec.Tool)
	}
	config := bytes.Clone(r.config(spec.Tool)) // the source may hand out the same bytes again
	if config == nil {
		config = []byte("{}")
	}
	if err := x.plan.settings.check(spec, config, &x.plan.explain); err != nil {
		x.secrets.Logger(r.log).LogAttrs(ctx, slog.LevelError, "a configuration does not fit", slog.String("tool", spec.Tool), slog.Any("error", err))
		return transport.Reply{}, fail(errcode.InternalError, "the configuration of %s does not fit its schema", spec.Tool)
	}
	if spec.Kind != call.Synchronous {
		x.taskID = r.ids(id.Task, x.started)
	}
	if f := r.begin(ctx, x); f != nil || x.earlier != nil {
		return transport.Reply{}, f
	}
	now := time.Now()
	x.limit = x.timeLimit()
	if deadline, ok := ctx.Deadline(); ok {
		x.limit = max(min(x.limit, deadline.Sub(now)), time.Millisecond)
	}
	x.dir, x.deadline = dir, now.Add(x.limit)
	ctx, cancel := x.bounded(secret.NewContext(ctx, x.secrets))
	defer cancel()
	in := call.Invocation{
		Tool: spec.Tool, Command: spec.Command, Arguments: x.arguments,
		InvocationID: x.parts.Execution.InvocationID, RequestID: x.parts.Execution.RequestID,
		Source: x.call.Source, Actor: ownActor(x.call.Actor), RequestIP: x.call.RequestIP,
		Config: config, DataDir: dir, Now: x.started, Deadline: x.deadline, TaskID: x.taskID,
	}
	if r.listener != nil {
		p := r.progressOf(ctx, &in)
		defer p.end()
		in.Progress = p.report
		if secrets := x.secrets; secrets != nil {
			in.Progress = func(c call.Progress) {
				c.Stage, c.Message = secrets.Text(c.Stage), secrets.Text(c.Message)
				p.report(c)
			}
		}
	}
	if dir != "" && r.publisher.Store != nil {
		x.output = &resource.Writer{Dir: dir, Call: in.InvocationID, Limits: r.publisher.Limits}
		in.Resources = x.output
	}
	reply, err := carrier.Run(ctx, in, spec.Grace)
	x.carried = time.Since(now)
	if err != nil {
		r.logHandler(ctx, spec, err)
		return reply, fromTransport(err, spec, x.limit)
	}
	return reply, nil
}

// bounded ends a context at the deadline of the call. Where that is the context's own there is no need for
// another timer.
func (x *run) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if own, ok := ctx.Deadline(); ok && !x.deadline.Before(own) {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, x.deadline)
}

// timeLimit is the call's, or else the manifest's.
func (x *run) timeLimit() time.Duration {
	switch {
	case x.call.Timeout > 0:
		return x.call.Timeout
	case x.spec.Timeout > 0:
		return x.spec.Timeout
	default:
		return defaultTimeout
	}
}

// logHandler writes down what a result must not tell: the text of errors, panics and stacks.
func (r *Runtime) logHandler(ctx context.Context, spec *call.Spec, err error) {
	attrs := []slog.Attr{slog.String("tool", spec.Tool), slog.String("command", spec.Command), slog.Any("error", err)}
	level := slog.LevelError
	var panicked *direct.PanicError
	var end *transport.StoppedError
	switch {
	case errors.As(err, &panicked):
		attrs = append(attrs, slog.String("stack", string(panicked.Stack)))
	case errors.As(err, &end) && !end.Running:
		level = slog.LevelInfo
	}
	secret.FromContext(ctx).Logger(r.log).LogAttrs(ctx, level, "no payload", attrs...)
}

// seal builds the result from what the run knows; f is nil when the payload was accepted.
func (r *Runtime) seal(x *run, f *failure) *result.Sealed {
	p := &x.parts
	if f != nil {
		// Nothing of a refused payload may stay.
		*p = result.Parts{Execution: p.Execution, Status: f.status}
		if places := f.mask(x.secrets); places != nil {
			var own warnings
			tellMasked(&p.Policy, &own, len(places), places)
			p.Warnings = own.list()
		}
		p.Error = f.part()
	}
	p.Tool = x.toolPart()
	p.Actor = actorOf(x.call.Actor)
	p.Origin = v1.Origin{Source: orUnknown(x.call.Source), NodeID: wire.OrNull(x.call.NodeID), ServerID: wire.OrNull("local")}
	finished := r.clock()
	p.ID = r.ids(id.Result, finished)
	seal := result.Seal
	if r.recorded(x) { // so it is going to be opened
		p.Execution.RecordID = r.ids(id.Record, finished)
		seal = result.SealOpen
	}
	x.harmless = f != nil && (!f.begun || x.spec == nil || x.spec.Effect == call.Read)
	p.Execution.FinishedAt = finished
	p.Execution.Duration = max(finished.Sub(x.started), 0)
	p.Execution.Timeout = x.limit
	return seal(*p)
}

// toolPart names the tool as far as it is known: for an unknown one only the name, as it was asked for.
func (x *run) toolPart() v1.Tool {
	spec := x.spec
	if spec == nil && x.tool == nil {
		return v1.Tool{Name: x.call.Tool}
	}
	if spec != nil {
		return namedTool(spec, spec.Command)
	}
	spec = x.tool.spec
	return namedTool(spec, x.call.Command)
}

func namedTool(s *call.Spec, command string) v1.Tool {
	return v1.Tool{Name: s.Tool, DisplayName: wire.OrNull(s.DisplayName), Version: wire.OrNull(s.Version), Command: wire.OrNull(command)}
}

// unknown stands where the protocol wants a word and the caller gave none.
const unknown = "unknown"

func orUnknown(s string) string {
	if s == "" {
		return unknown
	}
	return s
}

// ownActor copies an actor for a handler. The caller's stands in the result, which is sealed after the
// handler has had its time, or while a late one still runs; who asked is not the plugin's to write.
func ownActor(a *call.Actor) *call.Actor {
	if a == nil {
		return nil
	}
	own := *a
	return &own
}

func actorOf(a *call.Actor) *call.Actor {
	if a == nil || a.Type != "" {
		return a
	}
	named := *a
	named.Type = unknown
	return &named
}

// report tells the log and the meter how a call ended.
func (r *Runtime) report(ctx context.Context, x *run, s *result.Sealed) {
	e := &x.parts.Execution
	if r.meter != nil {
		r.ended(ctx, x.measured(s))
	}
	if !r.log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	r.log.LogAttrs(ctx, slog.LevelInfo, "call", slog.String("tool", x.call.Tool), slog.String("command", x.parts.Tool.Command.Or("")),
		slog.String("status", string(s.Status())), slog.String("code", s.Code()), slog.Duration("took", e.Duration),
		slog.String("resultId", s.ID()), slog.String("invocationId", e.InvocationID), slog.String("requestId", e.RequestID),
		slog.String("recordId", e.RecordID), slog.String("taskId", taskIn(&x.parts)))
}

// taskIn is the id of the task that a result is about, "" for none.
func taskIn(p *result.Parts) string {
	if p.Task == nil {
		return ""
	}
	return p.Task.ID
}
