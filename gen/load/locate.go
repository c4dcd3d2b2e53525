package load

import (
	"bytes"

	"vcp.core/contract/wire"
)

// trail finds where in a refused document a byte stands: the JSON Pointer of the innermost member or
// element that was begun before it, and, for a duplicate name, the place of its first use. There is no
// tree to ask, since the document was refused.
//
// It relies on what the scan established: everything before the offset keeps the grammar. So it looks
// only at brackets, commas and strings. It stops at the offset, or where the text stops making sense.
type trail struct {
	src   []byte
	end   int
	open  []openValue
	names []span // names seen so far in the open objects, innermost last
}

type span struct{ start, end int }

// openValue is an array or object that was begun and not ended.
type openValue struct {
	object  bool
	index   int  // of the current element
	names   int  // length of trail.names when the object began
	current span // name of the current member; empty before the first
	inValue bool // after the colon
}

func follow(src []byte, offset int) *trail {
	t := &trail{src: src, end: min(offset, len(src))}
	for i := 0; i < t.end; {
		switch c := src[i]; c {
		case '{', '[':
			t.open = append(t.open, openValue{object: c == '{', names: len(t.names)})
			i++
		case '}', ']':
			if len(t.open) == 0 {
				return t
			}
			t.names = t.names[:t.top().names]
			t.open = t.open[:len(t.open)-1]
			i++
		case ',':
			if len(t.open) == 0 {
				return t
			}
			t.top().index++
			t.top().inValue = false
			i++
		case ':':
			if len(t.open) == 0 {
				return t
			}
			t.top().inValue = true
			i++
		case '"':
			end := stringEnd(src, i)
			if end > t.end || end < 0 {
				return t
			}
			if len(t.open) > 0 && t.top().object && !t.top().inValue {
				t.top().current = span{i, end}
				t.names = append(t.names, span{i, end})
			}
			i = end
		default:
			i++
		}
	}
	return t
}

func (t *trail) top() *openValue { return &t.open[len(t.open)-1] }

// stringEnd returns the offset after the closing quote, or -1.
func stringEnd(src []byte, start int) int {
	for i := start + 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// pointer returns the JSON Pointer of the innermost place that the trail entered.
func (t *trail) pointer() string {
	p := ""
	for _, o := range t.open {
		switch {
		case !o.object:
			p = Item(p, o.index)
		case o.inValue:
			p = Child(p, t.decoded(o.current))
		default:
			return p
		}
	}
	return p
}

// first returns the place of the first name in the innermost object that equals the name at the offset.
func (t *trail) first() (offset int, name string, ok bool) {
	if len(t.open) == 0 || !t.top().object {
		return 0, "", false
	}
	end := stringEnd(t.src, t.end)
	if end < 0 {
		return 0, "", false
	}
	name = t.decoded(span{t.end, end})
	for _, s := range t.names[t.top().names:] {
		if t.decoded(s) == name {
			return s.start, name, true
		}
	}
	return 0, "", false
}

// decoded returns the text of a string literal by scanning it as a document of its own.
func (t *trail) decoded(s span) string {
	raw := t.src[s.start:s.end]
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var tape wire.Tape
	if err := tape.Scan(raw, wire.Limits{}); err != nil {
		return string(raw[1 : len(raw)-1])
	}
	return tape.String(0)
}
