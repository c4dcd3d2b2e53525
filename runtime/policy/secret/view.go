package secret

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// view is a text with one layer of encoding undone: text[k] was made of the bytes from[k] to to[k] of the
// original.
type view struct {
	text     []byte
	from, to []int32
}

// put adds bytes that stand for in.text[i:j].
func (v *view) put(in *view, i, j int, bytes ...byte) {
	for _, c := range bytes {
		v.text = append(v.text, c)
		v.from = append(v.from, in.from[i])
		v.to = append(v.to, in.to[j-1])
	}
}

// identity is the view of a text as it is.
func identity(text string) *view {
	v := &view{text: []byte(text), from: make([]int32, len(text)), to: make([]int32, len(text))}
	for i := range len(text) {
		v.from[i], v.to[i] = int32(i), int32(i+1)
	}
	return v
}

// layer undoes one encoding. mark are the bytes without one of which there is nothing to undo.
type layer struct {
	marks string
	undo  func(out, in *view)
}

var layers = [...]layer{
	{"%", unpercent},
	{`\`, unescape},
	{"\n\r", unfold},
	{"~", unpoint},
}

// encoded are the marks of all layers.
const encoded = "%\\\n\r~"

// deep is how many layers are undone above each other.
const deep = 2

// find appends the spans of secrets in text.
func (s *Set) find(text string, spans []span) []span {
	b := []byte(text)
	add := func(start, end int) {
		if n := len(spans); n > 0 && start >= spans[n-1].start && start <= spans[n-1].end {
			spans[n-1].end = max(spans[n-1].end, end)
			return
		}
		spans = append(spans, span{start, end})
	}
	s.scan(b, add)
	if !strings.ContainsAny(text, encoded) {
		return spans
	}
	// A view takes nine bytes for each of the text, so a long text is looked at in pieces. They overlap by the
	// longest form and what two layers make of it.
	overlap := 16 * s.longest
	piece := max(1<<16, 4*overlap)
	for at := 0; ; at += piece - overlap {
		end := min(at+piece, len(text))
		s.undo(identity(text[at:end]), deep, func(start, end int) { add(at+start, at+end) })
		if end == len(text) {
			return spans
		}
	}
}

// undo scans the views of a text, each layer undone alone and above each other.
func (s *Set) undo(in *view, depth int, hit func(start, end int)) {
	each(in, depth, func(out *view) {
		s.scan(out.text, func(start, end int) { hit(int(out.from[start]), int(out.to[end-1])) })
	})
}

// each visits the views of a text.
func each(in *view, depth int, visit func(*view)) {
	if depth == 0 {
		return
	}
	for _, l := range layers {
		if !bytes.ContainsAny(in.text, l.marks) {
			continue
		}
		out := &view{}
		l.undo(out, in)
		if len(out.text) == len(in.text) {
			continue // every encoding is longer than what it encodes
		}
		visit(out)
		each(out, depth-1, visit)
	}
}

// unpoint resolves the escapes of a JSON Pointer, ~0 and ~1 (RFC 6901 §4).
func unpoint(out, in *view) {
	t := in.text
	for i := 0; i < len(t); i++ {
		if t[i] == '~' && i+1 < len(t) && (t[i+1] == '0' || t[i+1] == '1') {
			out.put(in, i, i+2, "~/"[t[i+1]-'0'])
			i++
			continue
		}
		out.put(in, i, i+1, t[i])
	}
}

// unpercent resolves %2f and %2F.
func unpercent(out, in *view) {
	t := in.text
	for i := 0; i < len(t); {
		if t[i] == '%' && i+2 < len(t) {
			high, low := digit(t[i+1]), digit(t[i+2])
			if high >= 0 && low >= 0 {
				out.put(in, i, i+3, byte(high<<4|low))
				i += 3
				continue
			}
		}
		out.put(in, i, i+1, t[i])
		i++
	}
}

// unescape resolves backslash escapes.
func unescape(out, in *view) {
	t := in.text
	for i := 0; i < len(t); {
		if t[i] != '\\' || i+1 == len(t) {
			out.put(in, i, i+1, t[i])
			i++
			continue
		}
		switch c := t[i+1]; c {
		case 'u':
			r, size := hexRune(t[i:])
			if size == 0 {
				out.put(in, i, i+1, t[i])
				i++
				continue
			}
			out.put(in, i, i+size, utf8.AppendRune(nil, r)...)
			i += size
			continue
		case 'x':
			if i+3 < len(t) && digit(t[i+2]) >= 0 && digit(t[i+3]) >= 0 {
				out.put(in, i, i+4, byte(digit(t[i+2])<<4|digit(t[i+3])))
				i += 4
				continue
			}
			out.put(in, i, i+1, t[i])
			i++
			continue
		case 'n':
			out.put(in, i, i+2, '\n')
		case 'r':
			out.put(in, i, i+2, '\r')
		case 't':
			out.put(in, i, i+2, '\t')
		case 'b':
			out.put(in, i, i+2, '\b')
		case 'f':
			out.put(in, i, i+2, '\f')
		default:
			out.put(in, i, i+2, c)
		}
		i += 2
	}
}

// hexRune reads \uXXXX, or two of them that are a surrogate pair; size 0 when t does not start with that.
func hexRune(t []byte) (r rune, size int) {
	r = hex4(t)
	if r < 0 {
		return 0, 0
	}
	if utf16.IsSurrogate(r) {
		if low := hex4(t[6:]); low >= 0 {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 12
			}
		}
	}
	return r, 6
}

func hex4(t []byte) rune {
	if len(t) < 6 || t[0] != '\\' || t[1] != 'u' {
		return -1
	}
	r := 0
	for _, c := range t[2:6] {
		d := digit(c)
		if d < 0 {
			return -1
		}
		r = r<<4 | d
	}
	return rune(r)
}

func digit(c byte) int {
	switch {
	case c-'0' <= 9:
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// unfold joins lines: a line break goes, and the indentation after it.
func unfold(out, in *view) {
	t := in.text
	for i := 0; i < len(t); i++ {
		if t[i] != '\n' && t[i] != '\r' {
			out.put(in, i, i+1, t[i])
			continue
		}
		for i+1 < len(t) && (t[i+1] == '\n' || t[i+1] == '\r' || t[i+1] == ' ' || t[i+1] == '\t') {
			i++
		}
	}
}
