package call

import (
	"cmp"
	"strconv"
	"time"

	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
)

// Encoder is a value that writes itself as JSON, as every generated type does.
type Encoder interface {
	AppendJSON(dst []byte) []byte
}

// Answer is what a typed handler gives when its command succeeded, in whole or in part, or was accepted. A
// handler that failed returns a [*Failure] as its error and no answer.
//
//	return call.Answer[Output]{Data: out}, nil
type Answer[T Encoder] struct {
	Status Status // Success when "", else Partial or Accepted
	Data   T      // not sent with Accepted, whose data is null
	// Failure is what went wrong with the rest of a partial answer, nil for nothing.
	Failure *Failure
	Task    *Task // of an accepted answer

	Presentation Presentation
	Advice       *Advice // nil: the manifest's
	Warnings     []Warning
	Resources    []wire.Raw // drafts (specification §7.4), each a JSON object
	Extensions   wire.Raw   // a JSON object, nil for {}
}

// Presentation completes what the manifest says about showing the result (specification §5.8). An empty
// field says nothing.
type Presentation struct {
	Summary, Title, View string
	PrimaryResource      string // the id of one of the answer's resources
}

// Advice is for a model that delivers the result (specification §5.9). An empty field says nothing.
type Advice struct {
	Intent, Message, RenderHint string
	Resources                   []string // ids of resources of the answer
	Priority                    string   // "normal" when ""
}

// Warning is a finding that does not make the result unusable (specification §5.7).
type Warning struct {
	Code    errcode.Warning
	Message string
	Target  string   // "" for the whole result
	Details wire.Raw // a JSON object, nil for none
}

// Task is work that outlives its call (specification §10.3).
type Task struct {
	ID        string
	State     TaskState
	Progress  wire.Opt[wire.Number] // the finished share, 0 to 1
	PollAfter time.Duration         // 0: not told
}

// TaskState is the closed set of specification §10.4.
type TaskState string

// The states of a task.
const (
	TaskCreated   TaskState = "created"
	TaskQueued    TaskState = "queued"
	TaskRunning   TaskState = "running"
	TaskCompleted TaskState = "completed"
	TaskFailed    TaskState = "failed"
	TaskCancelled TaskState = "cancelled"
	TaskTimedOut  TaskState = "timed_out"
)

// payload is the answer as a plugin result payload (specification §5.2). The error is a [*wire.DepthError]: data
// contains itself.
func (a *Answer[T]) payload() ([]byte, error) {
	status := cmp.Or(a.Status, Success)
	dst := make([]byte, 0, 512)
	dst = append(dst, `{"status":`...)
	dst = wire.AppendQuoted(dst, string(status))
	dst = append(dst, `,"data":`...)
	if status == Accepted {
		dst = append(dst, "null"...)
	} else {
		var err error
		if dst, err = wire.Encode(dst, a.Data); err != nil {
			return nil, err
		}
	}
	dst = append(dst, `,"resources":`...)
	dst = appendList(dst, a.Resources, func(dst []byte, r wire.Raw) []byte { return r.AppendJSON(dst) })
	dst = append(dst, `,"warnings":`...)
	dst = appendList(dst, a.Warnings, appendWarning)
	if a.Failure != nil {
		dst = append(dst, `,"error":`...)
		dst = a.Failure.append(dst)
	}
	if a.Task != nil {
		dst = append(dst, `,"task":`...)
		dst = a.Task.append(dst)
	}
	if a.Presentation != (Presentation{}) {
		dst = append(dst, `,"presentation":`...)
		dst = a.Presentation.append(dst)
	}
	if a.Advice != nil {
		dst = append(dst, `,"aiAdvice":`...)
		dst = a.Advice.append(dst)
	}
	dst = append(dst, `,"extensions":`...)
	if len(a.Extensions) == 0 {
		return append(dst, "{}}"...), nil
	}
	return append(append(dst, a.Extensions...), '}'), nil
}

func appendList[E any](dst []byte, list []E, one func(dst []byte, e E) []byte) []byte {
	dst = append(dst, '[')
	for i, e := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = one(dst, e)
	}
	return append(dst, ']')
}

func appendWarning(dst []byte, w Warning) []byte {
	dst = append(dst, `{"code":`...)
	dst = wire.AppendQuoted(dst, string(w.Code))
	dst = append(dst, `,"message":`...)
	dst = wire.AppendQuoted(dst, w.Message)
	dst = append(dst, `,"target":`...)
	dst = appendText(dst, w.Target)
	dst = append(dst, `,"details":`...)
	dst = w.Details.AppendJSON(dst)
	return append(dst, '}')
}

// member appends a member with a text of an object that is still open, unless the text is empty.
func member(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = wire.AppendQuoted(dst, name)
	dst = append(dst, ':')
	return wire.AppendQuoted(dst, text)
}

func (p *Presentation) append(dst []byte) []byte {
	dst = append(dst, '{')
	dst = member(dst, "summary", p.Summary)
	dst = member(dst, "title", p.Title)
	dst = member(dst, "preferredView", p.View)
	dst = member(dst, "primaryResourceId", p.PrimaryResource)
	return append(dst, '}')
}

func (a *Advice) append(dst []byte) []byte {
	dst = append(dst, '{')
	dst = member(dst, "intent", a.Intent)
	dst = member(dst, "message", a.Message)
	dst = member(dst, "renderHint", a.RenderHint)
	dst = member(dst, "priority", cmp.Or(a.Priority, "normal"))
	dst = append(dst, `,"resourceIds":`...)
	dst = appendList(dst, a.Resources, wire.AppendQuoted)
	return append(dst, '}')
}

func (t *Task) append(dst []byte) []byte {
	dst = append(dst, `{"id":`...)
	dst = wire.AppendQuoted(dst, t.ID)
	dst = append(dst, `,"state":`...)
	dst = wire.AppendQuoted(dst, string(t.State))
	if n, ok := t.Progress.Get(); ok {
		dst = append(dst, `,"progress":`...)
		dst = n.AppendJSON(dst)
	}
	if t.PollAfter > 0 {
		dst = append(dst, `,"pollAfterMs":`...)
		dst = strconv.AppendInt(dst, t.PollAfter.Milliseconds(), 10)
	}
	return append(dst, '}')
}
