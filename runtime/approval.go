package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
)

// Approver asks a human whether a call may run. It is safe for concurrent use.
type Approver interface {
	// Approve waits for the answer and returns at the latest when the context ends. An error says that
	// there is none: the context's error that nobody answered, any other that nobody could be asked.
	Approve(ctx context.Context, q Question) (Decision, error)
}

// ApproverFunc lets a function be an [Approver].
type ApproverFunc func(ctx context.Context, q Question) (Decision, error)

// Approve calls f.
func (f ApproverFunc) Approve(ctx context.Context, q Question) (Decision, error) { return f(ctx, q) }

// Question is what a human is asked.
type Question struct {
	Spec         *call.Spec
	Arguments    []byte // what the command would get, secrets masked; the approver's own copy
	Actor        *call.Actor
	Source       string
	RequestIP    string
	InvocationID string
	RequestID    string
	Until        time.Time // when the call stops waiting
}

// Decision is the answer of a human.
type Decision struct {
	Approved bool
	By       string // who answered, "" when that is not told
	Comment  string // why, one sentence for the caller, "" for none
}

// defaultApprovalWait is how long a call waits for a human.
const defaultApprovalWait = 5 * time.Minute

// Approve sets who asks humans. Without one, a call that needs approval is refused: nobody can give it.
func Approve(a Approver) Option { return option(func(r *Runtime) { r.approver = a }) }

// ApprovedElsewhere sets what a caller is told whose call is refused because there is no [Approver]: how the command can be run
// all the same, as the end of a sentence.
func ApprovedElsewhere(how string) Option { return option(func(r *Runtime) { r.elsewhere = how }) }

// ApprovalWait sets how long a call waits for a human; the default is 5 minutes. The time is not taken from
// the time limit of the command, which begins when the command does. The caller's context bounds both.
func ApprovalWait(d time.Duration) Option { return option(func(r *Runtime) { r.approvalWait = d }) }

// AskFrom sets the effect from which on a command needs approval when its manifest leaves that open
// (requiresApproval); the default is [call.Destructive].
func AskFrom(weakest call.Effect) Option { return option(func(r *Runtime) { r.askFrom = weakest }) }

// strength orders the effects. One that nobody knows is the strongest.
func strength(e call.Effect) int {
	for i, known := range [...]call.Effect{call.Read, call.Idempotent, call.Write} {
		if e == known {
			return i
		}
	}
	return 3
}

// needsApproval reports whether a human has to agree to the call.
func (r *Runtime) needsApproval(x *run) bool {
	switch {
	case x.call.Options.SkipApproval:
		return false
	case x.spec.Approval == call.Always:
		return true
	case x.spec.Approval == call.Never:
		return false
	default:
		return strength(x.spec.Effect) >= strength(r.askFrom)
	}
}

// decided is what came of a question.
type decided struct {
	Decision
	err error
}

// approval waits for a human to agree. That nobody answered is told apart from a refusal: a human who was
// not there rejected nothing.
func (r *Runtime) approval(ctx context.Context, x *run) *failure {
	name := x.spec.Tool + "." + x.spec.Command
	if r.approver == nil {
		f := fail(errcode.ApprovalRejected, "%s needs the approval of a human, and nobody can be asked here", name)
		if r.elsewhere != "" {
			f.message += ": " + r.elsewhere
		}
		f.details.raw("asked", []byte("false"))
		return f
	}
	began := time.Now()
	until := began.Add(r.approvalWait)
	if end, ok := ctx.Deadline(); ok && end.Before(until) {
		until = end
	}
	limited, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	answer := make(chan decided, 1) // room for one, so that a late approver can leave
	q := Question{
		Spec: x.spec, Arguments: bytes.Clone(x.shown()), Actor: ownActor(x.call.Actor),
		Source: x.call.Source, RequestIP: x.call.RequestIP,
		InvocationID: x.parts.Execution.InvocationID, RequestID: x.parts.Execution.RequestID, Until: until,
	}
	defer func() { x.waited = time.Since(began) }()
	r.late.Add()
	go r.ask(limited, q, answer)
	var d decided
	select {
	case d = <-answer:
	case <-limited.Done():
		d.err = limited.Err()
	}
	switch {
	case d.err == nil && d.Approved:
		return nil
	case d.err == nil:
		return rejected(name, d.Decision)
	case errors.Is(ctx.Err(), context.Canceled):
		return stopped(ctx.Err(), 0)
	case limited.Err() != nil || errors.Is(d.err, context.DeadlineExceeded):
		f := fail(errcode.ApprovalTimeout, "nobody answered whether %s may run", name)
		f.retryable = true
		return f
	}
	r.log.LogAttrs(ctx, slog.LevelError, "nobody could be asked for approval", slog.String("tool", x.spec.Tool),
		slog.String("command", x.spec.Command), slog.Any("error", d.err))
	f := fail(errcode.InternalError, "%s needs the approval of a human, and asking for it failed", name)
	f.retryable = true
	return f
}

// ask asks the approver and contains it: one that panics has not answered.
func (r *Runtime) ask(ctx context.Context, q Question, answer chan<- decided) {
	defer r.late.Done()
	d := decided{err: &approverError{}}
	defer func() {
		if v := recover(); v != nil {
			d.err = &approverError{value: v, stack: string(debug.Stack())}
		}
		answer <- d
	}()
	made, err := r.approver.Approve(ctx, q)
	d = decided{Decision: made, err: err}
}

// approverError says that an approver panicked, or with no value that it ended its goroutine.
type approverError struct {
	value any
	stack string
}

// Error says it in a sentence.
func (e *approverError) Error() string {
	return fmt.Sprintf("the approver broke down: %v\n%s", e.value, e.stack)
}

// rejected is the failure of a call that a human refused.
func rejected(name string, d Decision) *failure {
	f := fail(errcode.ApprovalRejected, "the call of %s was rejected", name)
	if d.Comment != "" {
		f.message += ": " + d.Comment
	}
	f.details.raw("asked", []byte("true"))
	f.details.textIf("rejectedBy", d.By)
	f.details.textIf("comment", d.Comment)
	return f
}
