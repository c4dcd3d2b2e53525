package call

import (
	"context"
	"errors"
	"time"

	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
)

// Serve runs a typed handler: it decodes the arguments, calls the handler and encodes its answer. Generated
// Bind functions consist of it. An expected failure becomes a payload; the error is any other one that the
// handler returned.
//
// at is handed through: generated code gives its handlers the invocation with a typed configuration.
func Serve[At, In any, Out Encoder](
	ctx context.Context, at At, arguments []byte,
	decode func([]byte) (In, error), handle func(context.Context, At, In) (Answer[Out], error),
) (payload []byte, err error) {
	in, err := decode(arguments)
	if err != nil {
		return unfit(err).Payload(), nil
	}
	answer, err := handle(ctx, at, in)
	if err != nil {
		if f, expected := errors.AsType[*Failure](err); expected {
			return f.Payload(), nil
		}
		return nil, err
	}
	return answer.payload()
}

// UnknownCommand is the payload for a command that the plugin has no method for: it was built from another
// manifest than the one that is registered.
func UnknownCommand(in Invocation) []byte {
	f := &Failure{Code: errcode.UnknownCommand, Message: "the plugin was built without a command " + in.Command}
	return f.Payload()
}

// ConfigError says that the configuration of a plugin breaks its schema. It is the operator's mistake, so no
// caller is told more than INTERNAL_ERROR.
type ConfigError struct {
	Err error // of the scan, or a [*wire.Rejection]
}

// Error says that the configuration does not fit, and why.
func (e *ConfigError) Error() string {
	return "the configuration does not fit its schema: " + e.Err.Error()
}

// Unwrap returns the error of the scan or of the judge.
func (e *ConfigError) Unwrap() error { return e.Err }

// Reply is what a typed client gets for a call that did not fail.
type Reply[T any] struct {
	Result Result // canonical
	// Data is the zero value when the status is Accepted: there is none yet.
	Data T
	// Failure is what went wrong with the rest of a partial result, nil for nothing.
	Failure *Failure
	Task    *Task // nil for a call that was not asynchronous
}

// Status is the result's: Success, Partial or Accepted.
func (r *Reply[T]) Status() Status { return r.Result.Status() }

// MismatchError says that the data of a result is not what the client was generated for: the executor runs
// another version of the command.
type MismatchError struct {
	ResultID string
	Err      error // of the scan, or a [*wire.Rejection]
}

// Error says it in a sentence.
func (e *MismatchError) Error() string {
	return "the data of " + e.ResultID + " does not fit: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *MismatchError) Unwrap() error { return e.Err }

// Ask calls a command with an input and decodes the data of its result. Generated clients consist of it. The error is a
// [*Failure] when the status is Error, Cancelled or Timeout, or a [*MismatchError]; Reply.Result is set in
// any case. edit may change the call before it is made: its source, actor, timeout.
func Ask[T any](ctx context.Context, x Executor, tool, command string, in Encoder, decode func([]byte) (T, error), edit ...func(*Call)) (Reply[T], error) {
	c := Call{Tool: tool, Command: command, Arguments: in.AppendJSON(nil)}
	for _, e := range edit {
		e(&c)
	}
	r := Reply[T]{Result: x.Execute(ctx, c)}
	// A result holds a payload that was within the limits, and some more around it.
	lim := wire.DefaultLimits()
	lim.Bytes, lim.Nodes, lim.Depth = 2*lim.Bytes, 2*lim.Nodes, 2*lim.Depth
	var t wire.Tape
	if err := t.Scan([]byte(r.Result.String()), lim); err != nil {
		return r, &MismatchError{ResultID: r.Result.ID(), Err: err}
	}
	var data wire.Raw
	for m := t.Members(t.Root()); m.Next(); {
		object := t.Kind(m.Value) == wire.KindObject
		switch name := t.String(m.Name); {
		case name == "data":
			data = t.Raw(m.Value)
		case name == "error" && object:
			r.Failure = failureAt(&t, m.Value, r.Status())
		case name == "task" && object:
			r.Task = taskAt(&t, m.Value)
		}
	}
	switch r.Status() {
	case Accepted:
		return r, nil
	case Success, Partial:
		var err error
		if r.Data, err = decode(data); err != nil {
			return r, &MismatchError{ResultID: r.Result.ID(), Err: err}
		}
		return r, nil
	default:
		if r.Failure == nil {
			r.Failure = &Failure{Status: r.Status()}
		}
		return r, r.Failure
	}
}

// taskAt reads the task of a result.
func taskAt(t *wire.Tape, at int) *Task {
	task := &Task{}
	for m := t.Members(at); m.Next(); {
		switch t.String(m.Name) {
		case "id":
			task.ID = t.String(m.Value)
		case "state":
			task.State = TaskState(t.String(m.Value))
		case "progress":
			if n, ok := wire.ParseNumber(string(t.Raw(m.Value))); ok {
				task.Progress = wire.Some(n)
			}
		case "pollAfterMs":
			if t.Kind(m.Value) == wire.KindNumber {
				ms, _ := t.Decimal(m.Value).Int64()
				task.PollAfter = time.Duration(ms) * time.Millisecond
			}
		}
	}
	return task
}
