package result

import (
	"strconv"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	v1 "vcp.core/generated/protocol/v1"
)

// Seal encodes the parts. It takes nothing over: tapes, bytes and pointers of p are free afterwards.
func Seal(p Parts) *Sealed {
	s := new(Sealed)
	s.encode(&p, nil)
	return s
}

// SealOpen is Seal for a result that is going to be opened, as one that is recorded is: what [Open] returns is made
// along with the text, from what is known of its parts already, in less time than it takes to scan the text.
func SealOpen(p Parts) *Sealed {
	s := new(opened)
	c := composers.Get().(*composer)
	s.encode(&p, c)
	if c.intact {
		s.view.sealed, s.view.tape, s.view.nodes = &s.Sealed, c.tape(thaw(s.text)), c.members
		s.whole.once.Do(func() { s.whole.v = &s.view })
	}
	c.free()
	return &s.Sealed
}

// opened is a result together with what Open returns of it.
type opened struct {
	Sealed
	view Visible
}

// encode writes the parts into s, and notes their nodes when there is a composer.
func (s *Sealed) encode(p *Parts, c *composer) {
	s.id, s.status = p.ID, p.Status
	if p.Error != nil {
		s.code = string(p.Error.Code)
	}
	e := encoder{buf: make([]byte, 0, p.size()), spans: &s.spans, composer: c}
	root := e.begin(wire.KindObject)
	e.member(Protocol)
	e.protocol()
	e.member(ID)
	e.text(p.ID)
	e.member(Status)
	e.text(string(p.Status))
	e.member(Tool)
	e.tool(&p.Tool)
	e.member(Execution)
	e.execution(&p.Execution)
	e.member(Actor)
	e.actor(p.Actor)
	e.member(Origin)
	e.origin(&p.Origin)
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
	e.policy(&p.Policy)
	e.member(Extensions)
	e.value(p.Extensions, "{}")
	e.endMember()
	e.close(root, '}', int(memberCount)-1)
	s.text = freeze(e.buf)
}

// encoder appends members in order and notes where each begins and ends. What it appends it tells its composer, if it
// has one: a token by the method that writes it, a container by begin and close.
type encoder struct {
	buf      []byte
	spans    *[memberCount]span
	open     Member
	composer *composer
}

// member ends the top-level member before and begins the next one.
func (e *encoder) member(m Member) {
	e.endMember()
	e.name(names[m])
	e.spans[m].start = uint32(len(e.buf))
	e.open = m
	if e.composer != nil {
		e.composer.members[m] = uint32(len(e.composer.nodes))
	}
}

func (e *encoder) endMember() { e.spans[e.open].end = uint32(len(e.buf)) }

// name appends the name of a member with the punctuation around it: one character before, a colon after.
func (e *encoder) name(s string) {
	if e.composer != nil {
		e.composer.name(len(e.buf)+1, len(s)-len(`,:`))
	}
	e.buf = append(e.buf, s...)
}

// begin begins a container. Its bracket is written by the name of the first member, or by the caller.
func (e *encoder) begin(kind wire.Kind) (node int) {
	if e.composer == nil {
		return 0
	}
	return e.composer.begin(len(e.buf), kind)
}

// close ends a container with that many members or elements.
func (e *encoder) close(node int, bracket byte, count int) {
	e.buf = append(e.buf, bracket)
	if e.composer != nil {
		e.composer.close(node, len(e.buf), count)
	}
}

func (e *encoder) text(s string) {
	start := len(e.buf)
	e.buf = wire.AppendQuoted(e.buf, s)
	if e.composer != nil {
		e.composer.text(start, e.buf, s)
	}
}

// literal appends a token that is no string.
func (e *encoder) literal(kind wire.Kind, s string) {
	start := len(e.buf)
	e.buf = append(e.buf, s...)
	e.scalar(start, kind)
}

// scalar tells the composer of a token without text or members, from start to here.
func (e *encoder) scalar(start int, kind wire.Kind) {
	if e.composer != nil {
		e.composer.scalar(start, len(e.buf), kind)
	}
}

func (e *encoder) null() { e.literal(wire.KindNull, "null") }

func (e *encoder) bool(b bool) {
	if b {
		e.literal(wire.KindTrue, "true")
	} else {
		e.literal(wire.KindFalse, "false")
	}
}

func (e *encoder) int(n int64) {
	start := len(e.buf)
	e.buf = strconv.AppendInt(e.buf, n, 10)
	e.scalar(start, wire.KindNumber)
}

// textOrNull writes null for "".
func (e *encoder) textOrNull(s string) {
	if s == "" {
		e.null()
		return
	}
	e.text(s)
}

func (e *encoder) nullable(n wire.Nullable[string]) {
	if s, ok := n.Get(); ok {
		e.text(s)
		return
	}
	e.null()
}

// time writes RFC 3339 with milliseconds (specification §5.3). RFC 3339 has no seconds in offsets; a time
// whose zone has some is written in UTC.
func (e *encoder) time(t time.Time) {
	if _, offset := t.Zone(); offset%60 != 0 {
		t = t.UTC()
	}
	start := len(e.buf)
	e.buf = append(appendTime(append(e.buf, '"'), t), '"')
	if e.composer != nil {
		e.composer.ascii(start, len(e.buf))
	}
}

// value appends a value without whitespace between its tokens, and otherwise, which has no members or elements, for the
// zero Value.
func (e *encoder) value(v Value, otherwise string) {
	start := len(e.buf)
	switch {
	case v.tape != nil:
		e.buf = v.tape.AppendCompact(e.buf, v.node)
		if e.composer != nil {
			e.composer.splice(start, e.buf, v.tape, v.node)
		}
	case len(v.raw) > 0:
		e.buf = wire.AppendCompact(e.buf, v.raw)
		if e.composer != nil {
			e.composer.scan(start, e.buf)
		}
	case otherwise == "null":
		e.null()
	default:
		kind := wire.KindArray
		if otherwise[0] == '{' {
			kind = wire.KindObject
		}
		node := e.begin(kind)
		e.buf = append(e.buf, otherwise[0])
		e.close(node, otherwise[1], 0)
	}
}

func (e *encoder) protocol() {
	o := e.begin(wire.KindObject)
	e.name(`{"name":`)
	e.text("vcp.tool-result")
	e.name(`,"version":`)
	e.text("1.0")
	e.close(o, '}', 2)
}

func (e *encoder) tool(t *v1.Tool) {
	o := e.begin(wire.KindObject)
	e.name(`{"name":`)
	e.text(t.Name)
	e.name(`,"displayName":`)
	e.nullable(t.DisplayName)
	e.name(`,"version":`)
	e.nullable(t.Version)
	e.name(`,"command":`)
	e.nullable(t.Command)
	e.close(o, '}', 4)
}

func (e *encoder) execution(x *ExecutionPart) {
	o := e.begin(wire.KindObject)
	e.name(`{"invocationId":`)
	e.text(x.InvocationID)
	e.name(`,"requestId":`)
	e.text(x.RequestID)
	e.name(`,"recordId":`)
	e.textOrNull(x.RecordID)
	e.name(`,"startedAt":`)
	e.time(x.StartedAt)
	e.name(`,"finishedAt":`)
	e.time(x.FinishedAt)
	e.name(`,"durationMs":`)
	e.int(x.Duration.Milliseconds())
	e.name(`,"timeoutMs":`)
	if x.Timeout > 0 {
		e.int(x.Timeout.Milliseconds())
	} else {
		e.null()
	}
	e.name(`,"attempt":`)
	e.int(int64(x.Attempt))
	e.close(o, '}', 8)
}

func (e *encoder) actor(a *call.Actor) {
	if a == nil {
		e.null()
		return
	}
	o := e.begin(wire.KindObject)
	e.name(`{"type":`)
	e.text(a.Type)
	e.name(`,"id":`)
	e.textOrNull(a.ID)
	e.name(`,"name":`)
	e.textOrNull(a.Name)
	e.name(`,"maid":`)
	e.textOrNull(a.Maid)
	e.close(o, '}', 4)
}

func (e *encoder) origin(p *v1.Origin) {
	o := e.begin(wire.KindObject)
	e.name(`{"source":`)
	e.text(p.Source)
	e.name(`,"nodeId":`)
	e.nullable(p.NodeID)
	e.name(`,"serverId":`)
	e.nullable(p.ServerID)
	e.name(`,"distributed":`)
	e.bool(p.Distributed)
	e.name(`,"requestIp":`)
	e.nullable(p.RequestIP)
	e.close(o, '}', 5)
}

func (e *encoder) error(p *ErrorPart) {
	if p == nil {
		e.null()
		return
	}
	o := e.begin(wire.KindObject)
	e.name(`{"code":`)
	e.text(string(p.Code))
	e.name(`,"message":`)
	e.value(p.Message, "null")
	e.name(`,"category":`)
	e.text(string(p.Category))
	e.name(`,"retryable":`)
	e.bool(p.Retryable)
	e.name(`,"target":`)
	e.value(p.Target, "null")
	e.name(`,"details":`)
	e.value(p.Details, "null")
	e.name(`,"cause":`)
	e.value(p.Cause, "null")
	e.close(o, '}', 7)
}

func (e *encoder) task(t *TaskPart) {
	if t == nil {
		e.null()
		return
	}
	o := e.begin(wire.KindObject)
	e.name(`{"id":`)
	e.text(t.ID)
	e.name(`,"state":`)
	e.text(t.State)
	e.name(`,"progress":`)
	e.value(t.Progress, "null")
	e.name(`,"pollAfterMs":`)
	e.value(t.PollAfterMs, "null")
	e.name(`,"placeholder":`)
	e.textOrNull(t.Placeholder)
	e.close(o, '}', 5)
}

func (e *encoder) policy(p *PolicyPart) {
	classification := p.Classification
	if classification == "" {
		classification = Internal
	}
	o := e.begin(wire.KindObject)
	e.name(`{"classification":`)
	e.text(string(classification))
	e.name(`,"containsSensitiveData":`)
	e.bool(p.Sensitive)
	e.name(`,"redactionsApplied":`)
	list := e.begin(wire.KindArray)
	e.buf = append(e.buf, '[')
	for i, r := range p.Redactions {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		at := e.begin(wire.KindObject)
		e.name(`{"rule":`)
		e.text(r.Rule)
		e.name(`,"target":`)
		e.text(r.Target)
		e.close(at, '}', 2)
	}
	e.close(list, ']', len(p.Redactions))
	e.close(o, '}', 3)
}
