package result

import (
	"strconv"
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
	if p.Classification == "" {
		p.Classification = Internal
	}
	dst = append(dst, `{"classification":`...)
	dst = wire.AppendQuoted(dst, string(p.Classification))
	dst = append(dst, `,"containsSensitiveData":`...)
	dst = strconv.AppendBool(dst, p.Sensitive)
	dst = append(dst, `,"redactionsApplied":[`...)
	for i, r := range p.Redactions {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"rule":`...)
		dst = wire.AppendQuoted(dst, r.Rule)
		dst = append(dst, `,"target":`...)
		dst = wire.AppendQuoted(dst, r.Target)
		dst = append(dst, '}')
	}
	return append(dst, `]}`...)
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

// append appends the value, and otherwise for the zero Value.
func (v Value) append(dst []byte, otherwise string) []byte {
	switch {
	case v.tape != nil:
		return v.tape.AppendCompact(dst, v.node)
	case len(v.raw) == 0:
		return append(dst, otherwise...)
	default:
		return wire.AppendCompact(dst, v.raw)
	}
}

// Seal encodes the parts. It takes nothing over: tapes, bytes and pointers of p are free afterwards.
func Seal(p Parts) *Sealed {
	s := &Sealed{id: p.ID, status: p.Status}
	e := encoder{buf: make([]byte, 0, p.size()), spans: &s.spans}

	e.member(Protocol)
	e.literal(`{"name":"vcp.tool-result","version":"1.0"}`)
	e.member(ID)
	e.text(p.ID)
	e.member(Status)
	e.text(string(p.Status))
	e.member(Tool)
	e.buf = p.Tool.AppendJSON(e.buf)
	e.member(Execution)
	e.execution(&p.Execution)
	e.member(Actor)
	e.actor(p.Actor)
	e.member(Origin)
	e.buf = p.Origin.AppendJSON(e.buf)
	e.member(Data)
	e.value(p.Data, "null")
	e.member(Resources)
	e.value(p.Resources, "[]")
	e.member(Warnings)
	e.value(p.Warnings, "[]")
	e.member(Error)
	e.error(p.Error)
	e.member(Task)
	e.task(p.Task)
	e.member(Presentation)
	e.value(p.Presentation, "null")
	e.member(AIAdvice)
	e.value(p.AIAdvice, "null")
	e.member(Policy)
	e.buf = p.Policy.AppendJSON(e.buf)
	e.member(Extensions)
	e.value(p.Extensions, "{}")
	e.end()
	e.literal("}")

	if p.Error != nil {
		s.code = string(p.Error.Code)
	}
	s.text = freeze(e.buf)
	return s
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

// encoder appends members in order and notes where each begins and ends.
type encoder struct {
	buf   []byte
	spans *[memberCount]span
	open  Member
}

func (e *encoder) member(m Member) {
	e.end()
	e.literal(names[m])
	e.spans[m].start = len(e.buf)
	e.open = m
}

func (e *encoder) end() { e.spans[e.open].end = len(e.buf) }

func (e *encoder) literal(s string)                { e.buf = append(e.buf, s...) }
func (e *encoder) text(s string)                   { e.buf = wire.AppendQuoted(e.buf, s) }
func (e *encoder) value(v Value, otherwise string) { e.buf = v.append(e.buf, otherwise) }
func (e *encoder) bool(b bool)                     { e.buf = strconv.AppendBool(e.buf, b) }
func (e *encoder) int(n int64)                     { e.buf = strconv.AppendInt(e.buf, n, 10) }

// textOrNull writes null for "".
func (e *encoder) textOrNull(s string) {
	if s == "" {
		e.literal("null")
		return
	}
	e.text(s)
}

func (e *encoder) execution(x *ExecutionPart) {
	e.literal(`{"invocationId":`)
	e.text(x.InvocationID)
	e.literal(`,"requestId":`)
	e.text(x.RequestID)
	e.literal(`,"recordId":`)
	e.textOrNull(x.RecordID)
	e.literal(`,"startedAt":`)
	e.time(x.StartedAt)
	e.literal(`,"finishedAt":`)
	e.time(x.FinishedAt)
	e.literal(`,"durationMs":`)
	e.int(x.Duration.Milliseconds())
	e.literal(`,"timeoutMs":`)
	if x.Timeout > 0 {
		e.int(x.Timeout.Milliseconds())
	} else {
		e.literal("null")
	}
	e.literal(`,"attempt":`)
	e.int(int64(x.Attempt))
	e.literal(`}`)
}

// time writes RFC 3339 with milliseconds (specification §5.3). RFC 3339 has no seconds in offsets; a time
// whose zone has some is written in UTC.
func (e *encoder) time(t time.Time) {
	if _, offset := t.Zone(); offset%60 != 0 {
		t = t.UTC()
	}
	e.literal(`"`)
	e.buf = appendTime(e.buf, t)
	e.literal(`"`)
}

func (e *encoder) actor(a *call.Actor) {
	if a == nil {
		e.literal("null")
		return
	}
	e.buf = v1.Actor{Type: a.Type, ID: wire.OrNull(a.ID), Name: wire.OrNull(a.Name), Maid: wire.OrNull(a.Maid)}.AppendJSON(e.buf)
}

func (e *encoder) error(p *ErrorPart) {
	if p == nil {
		e.literal("null")
		return
	}
	e.literal(`{"code":`)
	e.text(string(p.Code))
	e.literal(`,"message":`)
	e.value(p.Message, "null")
	e.literal(`,"category":`)
	e.text(string(p.Category))
	e.literal(`,"retryable":`)
	e.bool(p.Retryable)
	e.literal(`,"target":`)
	e.value(p.Target, "null")
	e.literal(`,"details":`)
	e.value(p.Details, "null")
	e.literal(`,"cause":`)
	e.value(p.Cause, "null")
	e.literal(`}`)
}

func (e *encoder) task(t *TaskPart) {
	if t == nil {
		e.literal("null")
		return
	}
	e.literal(`{"id":`)
	e.text(t.ID)
	e.literal(`,"state":`)
	e.text(t.State)
	e.literal(`,"progress":`)
	e.value(t.Progress, "null")
	e.literal(`,"pollAfterMs":`)
	e.value(t.PollAfterMs, "null")
	e.literal(`,"placeholder":`)
	e.textOrNull(t.Placeholder)
	e.literal(`}`)
}
