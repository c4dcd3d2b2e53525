package frame

import (
	"cmp"
	"fmt"
	"io"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
)

// Reader takes the standard output of one call apart. Its fields are set before the first Read and not
// changed after it. The zero Reader accepts frames of any invocation.
//
// The bytes of a line are looked at twice whatever their number is: once for the line feed, once by the scan
// of the frame. The payload is handed out as it came, not copied.
type Reader struct {
	ID string // the invocation that frames may name; "" for any
	// Limits are Bytes of a line, and Depth, Nodes and Members of a payload; a field that is not positive means the
	// default of a scan.
	Limits   wire.Limits
	Progress func(call.Progress) // nil when nobody listens
	// Decided is called once, as soon as it is known that there is a payload or a fault. More faults may follow
	// a payload. nil when nobody waits.
	Decided func()

	lines   lines
	line    int // lines that are complete
	tape    wire.Tape
	payload []byte
	answers int
	dropped int
	fault   *Fault
	decided bool
}

// Payload returns the payload of the answer, nil when there was none. It aliases what was read; the reader
// does not touch it again.
func (r *Reader) Payload() []byte { return r.payload }

// Fault returns the first fault, nil when there is none.
func (r *Reader) Fault() *Fault { return r.fault }

// Dropped returns how many progress frames were dropped because they break their schema.
func (r *Reader) Dropped() int { return r.dropped }

// Read reads until src ends, and returns what src ended with, nil for io.EOF. It stops at a line that is too
// long, with the fault as error: whoever writes one may never stop. At other faults it goes on, because
// whether an answer comes at all tells a crash from a chatterbox. Read may be called again to go on with
// another source, unless a line was too long; call [Reader.End] after the last.
func (r *Reader) Read(src io.Reader) error {
	limits := frameLimits(r.Limits)
	err := r.lines.read(src, limits.Bytes, r.take)
	if r.lines.over {
		r.fail(tooLong(limits.Bytes))
		return r.fault
	}
	return err
}

// End takes in the last line, which has no end. It says whether the output was cut in the middle of a frame.
func (r *Reader) End() { r.lines.end(r.take) }

// frameLimits are those of a frame: of a payload, and a little more.
func frameLimits(l wire.Limits) wire.Limits {
	d := wire.DefaultLimits()
	return wire.Limits{
		Bytes:   cmp.Or(max(l.Bytes, 0), d.Bytes),
		Depth:   cmp.Or(max(l.Depth, 0), d.Depth) + 1, // the frame around the payload
		Nodes:   cmp.Or(max(l.Nodes, 0), d.Nodes) + 4, // the frame, its kind, version and id
		Members: l.Members,
	}
}

// fail records a fault, unless there was one before.
func (r *Reader) fail(f Fault) {
	if r.fault == nil {
		f.Line = r.line + 1
		r.fault = &f
	}
	r.decide()
}

func (r *Reader) decide() {
	if r.decided {
		return
	}
	r.decided = true
	if r.Decided != nil {
		r.Decided()
	}
}

// take takes in one line. ended says that its line feed was read.
func (r *Reader) take(line []byte, ended bool) {
	defer func() { r.line++ }()
	line, fault := scan(&r.tape, line, ended, frameLimits(r.Limits))
	switch {
	case fault != nil:
		r.fail(*fault)
	case line != nil:
		r.frame(line)
	}
}

// frame takes in a line that is a JSON object, which stands on the tape.
func (r *Reader) frame(line []byte) {
	h := headOf(&r.tape)
	fault := h.fault(line)
	if fault == nil || fault.Reason == errcode.SchemaMismatch {
		if id := h.id; id >= 0 && (r.tape.Kind(id) != wire.KindString || r.ID != "" && !r.tape.NameEqual(id, r.ID)) {
			fault = &Fault{Reason: errcode.WrongID, Detail: fmt.Sprintf("wrote a frame of %s, expected %q", told(&r.tape, "id", id), r.ID), Quote: quote(line)}
		}
	}
	switch {
	case fault != nil:
		r.fail(*fault)
	case h.progress:
		r.report()
	default:
		r.answer(r.tape.Raw(h.payload))
	}
}

// answer takes in a payload.
func (r *Reader) answer(payload []byte) {
	if r.answers++; r.answers > 1 {
		r.fail(Fault{Reason: errcode.TwoFrames, Detail: "wrote a second result frame"})
		return
	}
	r.payload = payload
	r.lines.given = true
	r.decide()
}

// report tells of progress.
func (r *Reader) report() {
	if r.answers > 0 {
		return
	}
	p, ok := progressOf(&r.tape)
	switch {
	case !ok:
		r.dropped++
	case r.Progress != nil:
		r.Progress(p)
	}
}
