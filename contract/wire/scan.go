package wire

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"vcp.core/contract/errcode"
	"vcp.core/contract/wire/touch"
)

// Scan checks src against the ingest rules and records it on the tape, in one pass. The error is nil
// or an [*Error]; after an error the tape is empty. The tape aliases src until the next Scan or Reset.
//
// The grammar is RFC 8259 §2 to §7 exactly: no byte order mark, no comments, no trailing comma, no
// NaN, no leading zeros, no control characters in strings. Beyond the grammar src must be valid UTF-8
// (RFC 3629), escapes included: a surrogate escape without its partner is NOT_UTF8. Names of one
// object are compared decoded, so {"a":1,"\u0061":2} is a DUPLICATE_KEY. The first fault in document
// order is reported, with one exception: a duplicate among more than 16 members of one object is
// found when that object ends.
//
// The cost is linear in len(src), whatever src holds. Scan does not recurse, so depth costs no stack.
// On a warm tape it allocates nothing.
//
// # How it works
//
// The loop has two halves. The first reads one value, preceded by a name and a colon when the open
// container is an object; an opening bracket starts over for the first child. The second runs after a
// complete value: it closes containers until it finds a comma, or the end of the root.
//
// There is no stack of open containers beside the tape. A container's Next and End are unknown while
// it is open, so they hold what is needed to resume its parent: Next the parent's index, End the
// height of the stack of name keys (see names.go) below its first member.
func (t *Tape) Scan(src []byte, lim Limits) error {
	touch.Bytes(len(src))
	t.begin(src)
	if err := t.scan(src, lim.filled()); err != nil {
		t.src, t.nodes = nil, t.nodes[:0]
		return err
	}
	return nil
}

// noParent marks the root's place in a chain of open containers. No node index reaches it, because a
// document has fewer nodes than bytes.
const noParent = math.MaxUint32

func (t *Tape) scan(src []byte, lim Limits) *Error {
	if len(src) > lim.Bytes {
		return overLimit(lim.Bytes, errcode.LimitBytes, "bytes", lim.Bytes)
	}
	var (
		nodes    = t.nodes[:0]
		keys     = t.keys[:0]
		parent   = uint32(noParent) // the innermost open container
		inObject = false            // whether that container is an object
		depth    = 0
		values   = 0
		i        = 0
	)
	for {
		if cap(nodes) < len(nodes)+2 { // a name and a value
			nodes = slices.Grow(nodes, 2)
		}
		i = skipSpace(src, i)
		if inObject {
			if i >= len(src) || src[i] != '"' {
				want := "a member name"
				if nodes[parent].Count == 0 {
					want = "a member name or '}'"
				}
				return unexpected(src, i, want)
			}
			end, plain := plainString(src, i)
			points, flags := end-i-2, Name
			if !plain {
				var err *Error
				if end, points, flags, err = anyString(src, i, end); err != nil {
					return err
				}
				flags |= Name
			}
			text := src[i+1 : end-1]
			if flags&Escaped != 0 {
				t.text = appendDecoded(t.text[:0], text)
				text = t.text
			}
			index := uint32(len(nodes))
			nodes = nodes[:index+1]
			nodes[index].set(i, end, index+1, points, KindString, flags)
			object := &nodes[parent]
			if object.Count++; int(object.Count) > lim.Members {
				return overLimit(i, errcode.LimitMembers, "members in one object", lim.Members)
			}
			if object.Count <= linearNames {
				key := nameKey(text)
				filter, bit := &keys[object.End-1], filterBit(key)
				if *filter&bit != 0 {
					for at, other := range keys[object.End:] {
						if other == key && isMember(src, nodes, parent, at, text) {
							return duplicate(i, string(text))
						}
					}
				}
				*filter |= bit
				keys = append(keys, key)
			}
			i = skipSpace(src, end)
			if i >= len(src) || src[i] != ':' {
				return unexpected(src, i, "':' after a member name")
			}
			i = skipSpace(src, i+1)
		} else if parent != noParent {
			nodes[parent].Count++
		}

		if i >= len(src) {
			return unexpected(src, i, "a value")
		}
		values++
		if values > lim.Nodes {
			return overLimit(i, errcode.LimitNodes, "values", lim.Nodes)
		}
		index := uint32(len(nodes))
		switch c := src[i]; {
		case c == '"':
			end, plain := plainString(src, i)
			points, flags := end-i-2, Flags(0)
			if !plain {
				var err *Error
				if end, points, flags, err = anyString(src, i, end); err != nil {
					return err
				}
			}
			nodes = nodes[:index+1]
			nodes[index].set(i, end, index+1, points, KindString, flags)
			i = end
		case c-'0' <= 9 || c == '-':
			end, flags, err := number(src, i)
			if err != nil {
				return err
			}
			nodes = nodes[:index+1]
			nodes[index].set(i, end, index+1, 0, KindNumber, flags)
			i = end
		case c == '{' || c == '[':
			depth++
			if depth > lim.Depth {
				return overLimit(i, errcode.LimitDepth, "nested arrays and objects", lim.Depth)
			}
			kind := KindArray
			if inObject = c == '{'; inObject {
				kind = KindObject
				keys = append(keys, 0) // the filter
			}
			nodes = nodes[:index+1]
			nodes[index].set(i, len(keys), parent, 0, kind, 0)
			parent = index
			i = skipSpace(src, i+1)
			// '}' is '{'+2 and ']' is '['+2.
			if i >= len(src) || src[i] != c+2 {
				continue
			}
		default:
			kind, end := literal(src, i)
			if kind == KindNone {
				return badLiteral(src, i)
			}
			nodes = nodes[:index+1]
			nodes[index].set(i, end, index+1, 0, kind, 0)
			i = end
		}

		for {
			if parent == noParent {
				if i = skipSpace(src, i); i < len(src) {
					return unexpected(src, i, "the end of the document")
				}
				t.nodes, t.keys = nodes, keys
				return nil
			}
			i = skipSpace(src, i)
			if i < len(src) && src[i] == ',' {
				i++
				break
			}
			container := &nodes[parent]
			if inObject {
				if i >= len(src) || src[i] != '}' {
					return unexpected(src, i, "',' or '}' after a member")
				}
				keys = keys[:container.End-1]
				if container.Count > linearNames {
					if second := t.findDuplicate(src, nodes, parent); second != 0 {
						return duplicate(int(nodes[second].Start), decoded(src, &nodes[second]))
					}
				}
			} else if i >= len(src) || src[i] != ']' {
				return unexpected(src, i, "',' or ']' after an element")
			}
			i++
			depth--
			up := container.Next
			container.Next, container.End = uint32(len(nodes)), uint32(i)
			parent = up
			inObject = parent != noParent && nodes[parent].Kind == KindObject
		}
	}
}

// set writes a whole node in place. Appending a Node value would build it elsewhere first.
func (n *Node) set(start, end int, next uint32, count int, kind Kind, flags Flags) {
	n.Start, n.End, n.Next, n.Count = uint32(start), uint32(end), next, uint32(count)
	n.Kind, n.Flags = kind, flags
}

// skipSpace returns the index of the first byte at or after i that is not whitespace (RFC 8259 §2).
func skipSpace(src []byte, i int) int {
	for i < len(src) && src[i] <= ' ' && isSpace[src[i]] {
		i++
	}
	return i
}

var isSpace = [256]bool{' ': true, '\t': true, '\n': true, '\r': true}

// literal reads null, true or false at i.
func literal(src []byte, i int) (Kind, int) {
	if i+4 <= len(src) {
		switch binary.LittleEndian.Uint32(src[i:]) {
		case 'n' | 'u'<<8 | 'l'<<16 | 'l'<<24:
			return KindNull, i + 4
		case 't' | 'r'<<8 | 'u'<<16 | 'e'<<24:
			return KindTrue, i + 4
		case 'f' | 'a'<<8 | 'l'<<16 | 's'<<24:
			if i+5 <= len(src) && src[i+4] == 'e' {
				return KindFalse, i + 5
			}
		}
	}
	return KindNone, i
}

// badLiteral reports what stands at i in the place of a value.
func badLiteral(src []byte, i int) *Error {
	for _, word := range [...]string{"null", "true", "false"} {
		if src[i] != word[0] {
			continue
		}
		for k := range word {
			if i+k >= len(src) || src[i+k] != word[k] {
				return unexpected(src, i+k, word)
			}
		}
	}
	return unexpected(src, i, "a value")
}

// number reads a number at i (RFC 8259 §6) and returns the index after it.
func number(src []byte, i int) (int, Flags, *Error) {
	flags := Flags(0)
	if src[i] == '-' {
		i++
	}
	first := i
	for i < len(src) && src[i]-'0' <= 9 {
		i++
	}
	switch {
	case i == first:
		return 0, 0, unexpected(src, i, "a digit after '-'")
	case src[first] == '0' && i > first+1:
		return 0, 0, notJSON(first, "a number has a leading zero")
	}
	if i < len(src) && src[i] == '.' {
		i++
		flags = Fraction
		first = i
		for i < len(src) && src[i]-'0' <= 9 {
			i++
		}
		if i == first {
			return 0, 0, unexpected(src, i, "a digit after '.'")
		}
	}
	if i < len(src) && src[i]|0x20 == 'e' {
		i++
		flags = Fraction
		if i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		first = i
		for i < len(src) && src[i]-'0' <= 9 {
			i++
		}
		if i == first {
			return 0, 0, unexpected(src, i, "a digit of an exponent")
		}
	}
	return i, flags, nil
}

// Words of eight equal bytes, for tests on eight bytes at once.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special marks, with its high bit, the first byte of w that a plain string cannot contain: a quote, a
// backslash, a control character or a byte above 0x7f. Bits above that byte mean nothing.
//
// For a byte b below 0x80, b-0x20 borrows into the high bit exactly when b is a control character, and
// (b^q)-1 exactly when b is q. A borrow runs into the next byte only from a byte that is marked, so the
// lowest mark is always right.
func special(w uint64) uint64 {
	return (w | (w - ones*' ') | (w ^ ones*'"' - ones) | (w ^ ones*'\\' - ones)) & highs
}

// plainString reads a string whose opening quote is at i, as far as it is plain ASCII. If it ends so,
// plain is true and end is the index after the closing quote; else end is the first byte that needs
// [anyString].
func plainString(src []byte, i int) (end int, plain bool) {
	i++
	for i+8 <= len(src) {
		if m := special(binary.LittleEndian.Uint64(src[i:])); m != 0 {
			i += bits.TrailingZeros64(m) >> 3
			if src[i] == '"' {
				return i + 1, true
			}
			return i, false
		}
		i += 8
	}
	for i < len(src) && src[i] != '\\' && src[i] >= ' ' && src[i] < 0x80 {
		if src[i] == '"' {
			return i + 1, true
		}
		i++
	}
	return i, false
}
