package frame

import (
	"fmt"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
)

// Receiver is told what a kept worker writes, line by line, by the goroutine that reads. An id is the
// invocation that a frame names; it is only lent. Whether there is such an invocation is for the receiver to know.
type Receiver interface {
	// Result is an answer. The payload aliases what was read and is not touched again.
	Result(id, payload []byte)
	// Progress is a report.
	Progress(id []byte, p call.Progress)
	// Dropped is a report that breaks its schema.
	Dropped(id []byte)
	// Fault is what is wrong with a line. id is nil when the line does not tell whose it is.
	Fault(id []byte, f *Fault)
}

// Stream takes the standard output of a kept worker apart: the answers to many calls, in any order. Its fields are
// set before the first Read. What a line may be is said in the package comment, with two differences: there are any
// number of answers, and a frame has to name its invocation.
type Stream struct {
	Limits   wire.Limits // as in a [Reader]
	Receiver Receiver

	lines lines
	tape  wire.Tape
	id    [64]byte
}

// Once reads once, takes in the lines that are complete, and returns what read returned. After a line that is too long
// it returns the fault as error; the receiver was told. Call [Stream.End] after the last.
func (s *Stream) Once(read func([]byte) (int, error)) (int, error) {
	limits := frameLimits(s.Limits)
	n, err := s.lines.once(read, limits.Bytes, s.take)
	if s.lines.over {
		f := tooLong(limits.Bytes)
		s.Receiver.Fault(nil, &f)
		return n, &f
	}
	return n, err
}

// End takes in the last line, which has no end.
func (s *Stream) End() { s.lines.end(s.take) }

// widest is a tape that is not kept: so many bytes hold more values than a usual frame has.
const widest = 64 << 10

func (s *Stream) take(line []byte, ended bool) {
	if len(line) > widest {
		defer func() { s.tape = wire.Tape{} }()
	}
	line, fault := scan(&s.tape, line, ended, frameLimits(s.Limits))
	switch {
	case fault != nil:
		s.Receiver.Fault(nil, fault)
		return
	case line == nil:
		return
	}
	t := &s.tape
	h := headOf(t)
	var id []byte
	if h.id >= 0 && t.Kind(h.id) == wire.KindString {
		if id = t.Text(h.id, s.id[:0]); id == nil {
			id = s.id[:0] // "" is a name, too, though nobody's
		}
	}
	if fault = h.fault(line); fault == nil && id == nil {
		fault = &Fault{Reason: errcode.WrongID, Detail: fmt.Sprintf("wrote a frame with %s, expected that of a call", told(t, "id", h.id)), Quote: quote(line)}
	}
	switch {
	case fault != nil:
		s.Receiver.Fault(id, fault)
	case !h.progress:
		s.lines.given = true
		s.Receiver.Result(id, t.Raw(h.payload))
	default:
		if p, ok := progressOf(t); ok {
			s.Receiver.Progress(id, p)
		} else {
			s.Receiver.Dropped(id)
		}
	}
}
