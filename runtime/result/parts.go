package result

import (
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	v1 "vcp.core/generated/protocol/v1"
)

// Parts is everything a result says. What the core writes by itself has its generated type. What a plugin
// wrote is spliced in as it was sent, so it is a [Value] here.
type Parts struct {
	ID        string
	Status    call.Status
	Tool      v1.Tool
	Execution ExecutionPart
	Actor     *call.Actor // nil is null
	Origin    v1.Origin   // without the caller's address, which stands in the audit record only

	Data         Value
	Resources    Value // the zero Value is []
	Warnings     Value // the zero Value is []
	Error        *ErrorPart
	Task         *TaskPart
	Presentation Value
	AIAdvice     Value
	Policy       PolicyPart
	Extensions   Value // the zero Value is {}
}

// PolicyPart is the member policy: what is known about who may read the result, and what was masked in it.
type PolicyPart struct {
	Classification Classification // "" is Internal
	Sensitive      bool           // something in the result must not reach every reader
	Redactions     []Redaction    // in document order
}

// Classification says who may read a result.
type Classification string

// The classifications, from everybody to a named few.
const (
	Public       Classification = "public"
	Internal     Classification = "internal"
	Confidential Classification = "confidential"
	Restricted   Classification = "restricted"
)

// Redaction is one masking: by which rule and where, never what.
type Redaction struct {
	Rule   string // a lower-kebab word
	Target string // JSON Pointer into the result
}

// AppendJSON appends the part as it stands in a result.
func (p PolicyPart) AppendJSON(dst []byte) []byte {
	e := encoder{buf: dst}
	e.policy(&p)
	return e.buf
}

// ExecutionPart is the member execution. Empty ids are null, times are written with milliseconds and their own offset.
type ExecutionPart struct {
	InvocationID, RequestID, RecordID string
	StartedAt, FinishedAt             time.Time
	Duration                          time.Duration // by a clock that never jumps; not negative
	Timeout                           time.Duration // 0 is null
	Attempt                           int
}

// ErrorPart is the member error (specification §6.1). Message, Target, Details and Cause are JSON.
type ErrorPart struct {
	Code      errcode.Code
	Message   Value
	Category  errcode.Category
	Retryable bool
	Target    Value
	Details   Value
	Cause     Value
}

// TaskPart is the member task. Progress and PollAfterMs are JSON.
type TaskPart struct {
	ID, State   string
	Progress    Value
	PollAfterMs Value
	Placeholder string
}

// Value is a piece of JSON that goes into a result as it is, without whitespace between its tokens. The
// zero Value is null where nothing else is said.
type Value struct {
	tape *wire.Tape
	node int
	raw  []byte
}

// At is the value of node i of a scanned document. The tape is read while Seal runs, not later.
func At(t *wire.Tape, i int) Value { return Value{tape: t, node: i} }

// Bytes is a piece of valid JSON; nil and empty bytes are the zero Value. The bytes are read while Seal
// runs, not later.
func Bytes(raw []byte) Value { return Value{raw: raw} }

// Text is a JSON string.
func Text(s string) Value { return Bytes(wire.AppendQuoted(nil, s)) }

func (v Value) size() int {
	if v.tape != nil {
		return len(v.tape.Raw(v.node))
	}
	return len(v.raw)
}

// size is an upper bound of the length in nearly all cases, so that the buffer is allocated once.
func (p *Parts) size() int {
	const envelope = 1024
	n := envelope + len(p.Tool.Name) + len(p.Tool.DisplayName.Or("")) + p.Data.size() + p.Resources.size() + p.Warnings.size() +
		p.Presentation.size() + p.AIAdvice.size() + p.Extensions.size()
	if p.Error != nil {
		n += p.Error.Message.size() + p.Error.Target.size() + p.Error.Details.size() + p.Error.Cause.size()
	}
	return n
}
