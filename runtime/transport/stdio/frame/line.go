package frame

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	v1 "vcp.core/generated/protocol/v1"
)

var bom = []byte("\ufeff")

// scan reads a line on a tape and returns it without its carriage return, nil for one that says nothing. ended says
// that its line feed was read.
func scan(t *wire.Tape, line []byte, ended bool, limits wire.Limits) ([]byte, *Fault) {
	line = bytes.TrimSuffix(line, []byte{'\r'})
	text := bytes.TrimLeft(bytes.TrimPrefix(line, bom), " \t\r")
	if len(bytes.Trim(line, " \t\r")) == 0 {
		return nil, nil
	}
	if len(text) == 0 || text[0] != '{' {
		return nil, stray(line)
	}
	if err := t.Scan(line, limits); err != nil {
		return nil, broken(line, ended, err)
	}
	return line, nil
}

// stray is the fault of a line that is no frame. A line that is no text at all is told apart: its author has
// to look for an encoding, not for a print statement.
func stray(line []byte) *Fault {
	if at := invalidAt(line); at >= 0 {
		return &Fault{Reason: errcode.NotUTF8, Detail: fmt.Sprintf("wrote a line that is no UTF-8, at byte %d", at), Quote: quote(line)}
	}
	return &Fault{Reason: errcode.StrayOutput, Detail: "wrote a line that is no frame to its standard output", Quote: quote(line)}
}

// broken is the fault of a line that begins like a frame and cannot be read.
func broken(line []byte, ended bool, err error) *Fault {
	whole := line
	if !ended {
		whole = withoutCutRune(line)
	}
	cut := len(whole) < len(line)
	if at := invalidAt(whole); at >= 0 {
		return &Fault{Reason: errcode.NotUTF8, Detail: fmt.Sprintf("wrote a frame that is no UTF-8, at byte %d", at), Quote: quote(line)}
	}
	refused, ok := err.(*wire.Error) //nolint:errorlint // the scanner's only error type
	if !ok {
		refused = &wire.Error{Reason: errcode.NotJSON, Detail: err.Error()}
	}
	f := &Fault{Reason: refused.Reason, Limit: refused.Limit, Quote: quote(line)}
	switch {
	case !ended && (cut || endsEarly(line, refused)):
		f.Reason = errcode.TruncatedFrame
		f.Detail = fmt.Sprintf("ended in the middle of a frame, after %d bytes of it", len(line))
	case refused.Reason == errcode.NotJSON:
		f.Detail = fmt.Sprintf("wrote a frame that is no JSON: %s, at byte %d", refused.Detail, refused.Offset)
	default:
		f.Detail = fmt.Sprintf("wrote a frame that is refused: %s, at byte %d", refused.Detail, refused.Offset)
	}
	return f
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

// head is what a frame is, and where its members stand on the tape; -1 for one that it has not.
type head struct {
	tape                       *wire.Tape
	kind, version, id, payload int
	unknown                    string // the first member that no frame has
	progress                   bool
}

// headOf reads the members of a frame.
func headOf(t *wire.Tape) head {
	h := head{tape: t, kind: -1, version: -1, id: -1, payload: -1}
	var buf [16]byte
	for m := t.Members(t.Root()); m.Next(); {
		switch string(t.Text(m.Name, buf[:0])) {
		case "vcp":
			h.kind = m.Value
		case "version":
			h.version = m.Value
		case "id":
			h.id = m.Value
		case "payload":
			h.payload = m.Value
		default:
			if h.unknown == "" {
				h.unknown = Excerpt(t.String(m.Name))
			}
		}
	}
	h.progress = is(t, h.kind, ToolProgress)
	return h
}

// fault is what is wrong with a frame, whoever's it is: SCHEMA_MISMATCH comes last.
func (h *head) fault(line []byte) *Fault {
	fault := func(reason errcode.Reason, format string, args ...any) *Fault {
		return &Fault{Reason: reason, Detail: fmt.Sprintf(format, args...), Quote: quote(line)}
	}
	switch {
	case !h.progress && !is(h.tape, h.kind, ToolResult):
		return fault(errcode.StrayOutput, "wrote an object with %s to its standard output, expected vcp %q or %q", told(h.tape, "vcp", h.kind), ToolProgress, ToolResult)
	case !is(h.tape, h.version, Version):
		return fault(errcode.WrongVersion, "wrote a frame of %s, expected version %q", told(h.tape, "version", h.version), Version)
	case h.payload < 0:
		return fault(errcode.SchemaMismatch, "wrote a frame without a payload")
	case h.unknown != "":
		return fault(errcode.SchemaMismatch, "wrote a frame with the unknown member %q", h.unknown)
	}
	return nil
}

// progressOf reads the report of a frame on a tape; ok is false when it breaks its schema.
func progressOf(t *wire.Tape) (p call.Progress, ok bool) {
	if v1.JudgeFrameToolProgress(t) != nil {
		return p, false
	}
	payload, _ := t.Find(t.Root(), "payload")
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
	return p, true
}

func is(t *wire.Tape, at int, text string) bool {
	return at >= 0 && t.Kind(at) == wire.KindString && t.NameEqual(at, text)
}

// told says what a frame has for a member.
func told(t *wire.Tape, name string, at int) string {
	if at < 0 {
		return "no " + name
	}
	return name + " " + Excerpt(string(t.Raw(at)))
}

// Excerpt returns a text, or its first 64 characters and an ellipsis: who looks for secrets has to see where it was cut.
func Excerpt(s string) string {
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
