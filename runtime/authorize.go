package runtime

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
)

// Authorizer decides who may run what. It is safe for concurrent use.
type Authorizer interface {
	// Authorize returns nil when the call may run, and a [*DeniedError] when it may not. Any other error
	// says that it could not decide; then the call does not run either.
	Authorize(ctx context.Context, a Access) error
}

// AuthorizerFunc lets a function be an [Authorizer].
type AuthorizerFunc func(ctx context.Context, a Access) error

// Authorize calls f.
func (f AuthorizerFunc) Authorize(ctx context.Context, a Access) error { return f(ctx, a) }

// Access is what an [Authorizer] decides about.
type Access struct {
	Spec      *call.Spec // the command; RequiresAdmin and Scopes are what its manifest asks for
	Arguments []byte     // valid, defaults applied; to be read while Authorize runs, and not to be changed
	Actor     *call.Actor
	Source    string
	RequestIP string
	NodeID    string
}

// DeniedError says that a caller may not run a command.
type DeniedError struct {
	Unproven bool     // who asks is not known: UNAUTHORIZED, else FORBIDDEN
	Message  string   // one sentence for the caller, lower case, no period; "" for the usual one
	Scopes   []string // what the caller lacks
}

// Error returns the message.
func (e *DeniedError) Error() string {
	if e.Message == "" {
		return "the caller may not run this command"
	}
	return e.Message
}

// Authorize sets who decides about permissions. It is asked about every call whose arguments are valid, before
// anybody is asked for approval.
//
// Without an authorizer a command that asks for an administrator or for scopes is refused: nobody is there
// who could tell that a caller has them. Such a runtime is opened by an authorizer that says so, and by
// nothing else.
func Authorize(a Authorizer) Option { return option(func(r *Runtime) { r.authorizer = a }) }

// permit asks the authorizer, or stands in for it.
func (r *Runtime) permit(ctx context.Context, x *run) *failure {
	spec := x.spec
	if r.authorizer == nil {
		if !spec.RequiresAdmin && len(spec.Scopes) == 0 {
			return nil
		}
		return denied(spec, &DeniedError{Unproven: x.call.Actor == nil, Scopes: spec.Scopes})
	}
	answer := make(chan verdict, 1) // room for one, so that a late authorizer can leave
	r.late.Add()
	go r.decide(ctx, Access{
		Spec: spec, Arguments: x.arguments, Actor: ownActor(x.call.Actor),
		Source: x.call.Source, RequestIP: x.call.RequestIP, NodeID: x.call.NodeID,
	}, answer)
	var v verdict
	select {
	case v = <-answer:
	case <-ctx.Done():
		return stopped(ctx.Err(), 0)
	}
	if v.broke {
		return fail(errcode.InternalError, "the runtime broke down").because(errcode.Panic)
	}
	err := v.err
	if err == nil {
		return nil
	}
	if d, ok := errors.AsType[*DeniedError](err); ok {
		return denied(spec, d)
	}
	if ended := ctx.Err(); ended != nil {
		return stopped(ended, 0)
	}
	r.log.LogAttrs(ctx, slog.LevelError, "the authorizer could not decide", slog.String("tool", spec.Tool),
		slog.String("command", spec.Command), slog.Any("error", err))
	f := fail(errcode.InternalError, "nobody could decide whether the caller may run %s.%s", spec.Tool, spec.Command)
	f.retryable = true
	return f
}

// verdict is what came of asking the authorizer.
type verdict struct {
	err   error
	broke bool // it panicked or ended its goroutine
}

// decide asks the authorizer and contains it.
func (r *Runtime) decide(ctx context.Context, a Access, answer chan<- verdict) {
	defer r.late.Done()
	v := verdict{broke: true}
	defer func() { answer <- v }()
	defer r.contain(ctx, "the authorizer panicked")
	err := r.authorizer.Authorize(ctx, a)
	v = verdict{err: err}
}

// denied is the failure of a caller without permission.
func denied(spec *call.Spec, d *DeniedError) *failure {
	code, message := errcode.Forbidden, "the caller may not run "+spec.Tool+"."+spec.Command
	if d.Unproven {
		code, message = errcode.Unauthorized, spec.Tool+"."+spec.Command+" is not for everybody, and who calls is not known"
	}
	switch {
	case d.Message != "":
		message = d.Message
	case spec.RequiresAdmin:
		message += "; it needs an administrator"
	case len(d.Scopes) > 0:
		message += "; it needs " + strings.Join(d.Scopes, ", ")
	}
	f := fail(code, "%s", message)
	if spec.RequiresAdmin {
		f.details.raw("requiresAdmin", []byte("true"))
	}
	if len(d.Scopes) > 0 {
		f.details.texts("scopes", d.Scopes)
	}
	return f
}
