package frame

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	v1 "vcp.core/generated/protocol/v1"
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

	buf     []byte // what was read; nothing before start is needed any more
	start   int    // of the line that is being read
	seen    int    // up to here there is no line feed after start
	given   bool   // payload lies in buf, which must not be written to below start
	line    int    // lines that are complete
	tape    wire.Tape
	payload []byte
	answers int
	dropped int
	fault   *Fault
	decided bool
	over    bool // a line was too long; what follows was not looked at
}

// Payload returns the payload of the answer, nil when there was none. It aliases what was read; the reader
// does not touch it again.
func (r *Reader) Payload() []byte { return r.payload }

// Fault returns the first fault, nil when there is none.
func (r *Reader) Fault() *Fault { return r.fault }

// Dropped returns how many progress frames were dropped because they break their schema.
func (r *Reader) Dropped() int { return r.dropped }

// chunk is the least room that is offered to a read.
const chunk = 4 << 10

// Read reads until src ends, and returns what src ended with, nil for io.EOF. It stops at a line that is too
// long, with the fault as error: whoever writes one may never stop. At other faults it goes on, because
// whether an answer comes at all tells a crash from a chatterbox. Read may be called again to go on with
// another source, unless a line was too long; call [Reader.End] after the last.
func (r *Reader) Read(src io.Reader) error {
	for {
		r.room()
		n, err := src.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		if !r.lines() {
			return r.fault
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// End takes in the last line, which has no end. It says whether the output was cut in the middle of a frame.
func (r *Reader) End() {
	if r.start < len(r.buf) && !r.over {
		r.take(r.buf[r.start:], false)
	}
	r.start = len(r.buf)
}

// room makes room for the next read. Each byte is moved a bounded number of times: a line is moved only when
// there is room for as much again behind it.
func (r *Reader) room() {
	if cap(r.buf)-len(r.buf) >= chunk/8 {
		return
	}
	rest := r.buf[r.start:]
	size := max(2*len(rest), chunk)
	into := r.buf[:0]
	if r.given || cap(r.buf) < len(rest)+max(len(rest), chunk/2) {
		into = make([]byte, 0, size)
		r.given = false
	}
	r.seen -= r.start
	r.buf = into[:copy(into[:len(rest)], rest)]
	r.start = 0
}

// lines takes the lines that are complete. It returns false when one is too long.
func (r *Reader) lines() bool {
	for {
		i := bytes.IndexByte(r.buf[r.seen:], '\n')
		if i < 0 {
			r.seen = len(r.buf)
			return !r.tooLong(r.buf[r.start:])
		}
		line := r.buf[r.start : r.seen+i]
		if r.tooLong(line) {
			return false
		}
		r.take(line, true)
		r.start = r.seen + i + 1
		r.seen = r.start
	}
}

// tooLong reports whether a line, or the beginning of one, is over the limit.
func (r *Reader) tooLong(line []byte) bool {
	limit := r.limits().Bytes
	if len(line) <= limit || len(bytes.TrimSuffix(line, []byte{'\r'})) <= limit {
		return false
	}
	r.over = true
	r.fail(Fault{
		Reason: errcode.ResultTooLarge, Limit: limit,
		Detail: fmt.Sprintf("wrote a line of more than %d bytes", limit),
	})
	return true
}

// limits are those of a frame: of a payload, and a little more.
func (r *Reader) limits() wire.Limits {
	l, d := r.Limits, wire.DefaultLimits()
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
	line = bytes.TrimSuffix(line, []byte{'\r'})
	text := bytes.TrimLeft(bytes.TrimPrefix(line, bom), " \t\r")
	if len(bytes.Trim(line, " \t\r")) == 0 {
		return
	}
	if len(text) == 0 || text[0] != '{' {
		r.stray(line)
		return
	}
	if err := r.tape.Scan(line, r.limits()); err != nil {
		r.broken(line, ended, err)
		return
	}
	r.frame(line)
}

var bom = []byte("\ufeff")

// stray is the fault of a line that is no frame. A line that is no text at all is told apart: its author has
// to look for an encoding, not for a print statement.
func (r *Reader) stray(line []byte) {
	if at := invalidAt(line); at >= 0 {
		r.fail(Fault{Reason: errcode.NotUTF8, Detail: fmt.Sprintf("wrote a line that is no UTF-8, at byte %d", at), Quote: quote(line)})
		return
	}
	r.fail(Fault{Reason: errcode.StrayOutput, Detail: "wrote a line that is no frame to its standard output", Quote: quote(line)})
}

// broken is the fault of a line that begins like a frame and cannot be read.
func (r *Reader) broken(line []byte, ended bool, err error) {
	whole := line
	if !ended {
		whole = withoutCutRune(line)
	}
	cut := len(whole) < len(line)
	if at := invalidAt(whole); at >= 0 {
		r.fail(Fault{Reason: errcode.NotUTF8, Detail: fmt.Sprintf("wrote a frame that is no UTF-8, at byte %d", at), Quote: quote(line)})
		return
	}
	refused, ok := err.(*wire.Error) //nolint:errorlint // the scanner's only error type
	if !ok {
		refused = &wire.Error{Reason: errcode.NotJSON, Detail: err.Error()}
	}
	f := Fault{Reason: refused.Reason, Limit: refused.Limit, Quote: quote(line)}
	switch {
	case !ended && (cut || endsEarly(line, refused)):
		f.Reason = errcode.TruncatedFrame
		f.Detail = fmt.Sprintf("ended in the middle of a frame, after %d bytes of it", len(line))
	case refused.Reason == errcode.NotJSON:
		f.Detail = fmt.Sprintf("wrote a frame that is no JSON: %s, at byte %d", refused.Detail, refused.Offset)
	default:
		f.Detail = fmt.Sprintf("wrote a frame that is refused: %s, at byte %d", refused.Detail, refused.Offset)
	}
	r.fail(f)
}

// endsEarly reports whether a text is the beginning of a document: what the scanner missed is what would come
// next. Half of a surrogate pair at the end is such a beginning, too.
func endsEarly(text []byte, refused *wire.Error) bool {
	if refused.Reason != errcode.NotUTF8 {
		return refused.Reason == errcode.NotJSON && refused.Offset >= len(text)
	}
	const escape = len(`\ud800`)
	rest := text[min(refused.Offset+escape, len(text)):]
	return len(rest) == 0 || len(rest) < escape && rest[0] == '\\'
}

// frame takes in a line that is a JSON object, which stands on the tape.
func (r *Reader) frame(line []byte) {
	t := &r.tape
	kind, version, id, payload := -1, -1, -1, -1
	unknown := ""
	var buf [16]byte
	for m := t.Members(t.Root()); m.Next(); {
		switch string(t.Text(m.Name, buf[:0])) {
		case "vcp":
			kind = m.Value
		case "version":
			version = m.Value
		case "id":
			id = m.Value
		case "payload":
			payload = m.Value
		default:
			if unknown == "" {
				unknown = begins(t.String(m.Name))
			}
		}
	}
	progress := is(t, kind, ToolProgress)
	fault := func(reason errcode.Reason, format string, args ...any) {
		r.fail(Fault{Reason: reason, Detail: fmt.Sprintf(format, args...), Quote: quote(line)})
	}
	switch {
	case !progress && !is(t, kind, ToolResult):
		fault(errcode.StrayOutput, "wrote an object with %s to its standard output, expected vcp %q or %q", told(t, "vcp", kind), ToolProgress, ToolResult)
	case !is(t, version, Version):
		fault(errcode.WrongVersion, "wrote a frame of %s, expected version %q", told(t, "version", version), Version)
	case id >= 0 && (t.Kind(id) != wire.KindString || r.ID != "" && !t.NameEqual(id, r.ID)):
		fault(errcode.WrongID, "wrote a frame of %s, expected %q", told(t, "id", id), r.ID)
	case payload < 0:
		fault(errcode.SchemaMismatch, "wrote a frame without a payload")
	case unknown != "":
		fault(errcode.SchemaMismatch, "wrote a frame with the unknown member %q", unknown)
	case progress:
		r.report(payload)
	default:
		r.answer(t.Raw(payload))
	}
}

// answer takes in a payload.
func (r *Reader) answer(payload []byte) {
	if r.answers++; r.answers > 1 {
		r.fail(Fault{Reason: errcode.TwoFrames, Detail: "wrote a second result frame"})
		return
	}
	r.payload = payload
	r.given = true
	r.decide()
}

// report tells of progress.
func (r *Reader) report(payload int) {
	if r.answers > 0 {
		return
	}
	if v1.JudgeFrameToolProgress(&r.tape) != nil {
		r.dropped++
		return
	}
	if r.Progress == nil {
		return
	}
	t := &r.tape
	var p call.Progress
	for m := t.Members(payload); m.Next(); {
		switch t.String(m.Name) {
		case "stage":
			p.Stage = t.String(m.Value)
		case "message":
			if t.Kind(m.Value) == wire.KindString {
				p.Message = t.String(m.Value)
			}
		case "progress":
			if n, ok := wire.ParseNumber(string(t.Raw(m.Value))); ok {
				p.Share = wire.Some(n)
			}
		}
	}
	r.Progress(p)
}

func is(t *wire.Tape, at int, text string) bool {
	return at >= 0 && t.Kind(at) == wire.KindString && t.NameEqual(at, text)
}

// told says what a frame has for a member.
func told(t *wire.Tape, name string, at int) string {
	if at < 0 {
		return "no " + name
	}
	return name + " " + begins(string(t.Raw(at)))
}

// begins returns a text, or its first characters and an ellipsis: who looks for secrets has to see where it was cut.
func begins(s string) string {
	if cut := wire.FirstPoints(s, 64); len(cut) < len(s) {
		return cut + "…"
	}
	return s
}

// quote returns the first characters of a line, as valid UTF-8.
func quote(line []byte) string {
	if len(line) > 4*maxQuote {
		line = line[:4*maxQuote]
		line = withoutCutRune(line)
	}
	return wire.FirstPoints(strings.ToValidUTF8(string(line), "\ufffd"), maxQuote)
}

// invalidAt returns where a text is no UTF-8, -1 when it is.
func invalidAt(text []byte) int {
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// withoutCutRune returns a text without the beginning of a character at its end.
func withoutCutRune(text []byte) []byte {
	for i := 1; i <= min(len(text), utf8.UTFMax-1); i++ {
		if c := text[len(text)-i]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(text[len(text)-i:]) {
				return text[:len(text)-i]
			}
			break
		}
	}
	return text
}
