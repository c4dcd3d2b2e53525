package load

import (
	"sort"
	"strconv"
	"strings"

	"vcp.core/contract/wire"
)

// Child returns the JSON Pointer of a member of the value at pointer (RFC 6901: '~' is written "~0" and
// '/' is written "~1").
func Child(pointer, name string) string {
	return pointer + "/" + EscapeToken(name)
}

// Item returns the JSON Pointer of an element of the array at pointer.
func Item(pointer string, index int) string {
	return pointer + "/" + strconv.Itoa(index)
}

// EscapeToken writes a member name as a reference token of a JSON Pointer.
func EscapeToken(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// SplitPointer returns the decoded tokens of a JSON Pointer; ok is false for text that is none: it does
// not start with '/', or has a '~' that neither 0 nor 1 follows. The empty pointer has no tokens.
func SplitPointer(pointer string) (tokens []string, ok bool) {
	if pointer == "" {
		return nil, true
	}
	rest, found := strings.CutPrefix(pointer, "/")
	if !found {
		return nil, false
	}
	tokens = strings.Split(rest, "/")
	for i, raw := range tokens {
		if tokens[i], ok = unescapeToken(raw); !ok {
			return nil, false
		}
	}
	return tokens, true
}

func unescapeToken(raw string) (string, bool) {
	if !strings.Contains(raw, "~") {
		return raw, true
	}
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] != '~' {
			b.WriteByte(raw[i])
			continue
		}
		if i++; i == len(raw) {
			return "", false
		}
		switch raw[i] {
		case '0':
			b.WriteByte('~')
		case '1':
			b.WriteByte('/')
		default:
			return "", false
		}
	}
	return b.String(), true
}

// Step goes from a value to the member or element that a token of a JSON Pointer names, and returns nil
// when there is none. An index has no sign and no leading zero (RFC 6901 §4).
func (n *Node) Step(token string) *Node {
	switch n.Kind {
	case wire.KindObject:
		return n.Get(token)
	case wire.KindArray:
		i, ok := arrayIndex(token)
		if !ok || i >= len(n.Elems) {
			return nil
		}
		return n.Elems[i]
	default:
		return nil
	}
}

func arrayIndex(token string) (int, bool) {
	if token == "" || len(token) > 9 || token[0] == '0' && len(token) > 1 {
		return 0, false
	}
	n := 0
	for _, c := range []byte(token) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// At returns the value at a JSON Pointer, or nil when the document has none there.
func (f *File) At(pointer string) *Node {
	tokens, ok := SplitPointer(pointer)
	if !ok {
		return nil
	}
	n := f.Root
	for _, token := range tokens {
		if n = n.Step(token); n == nil {
			return nil
		}
	}
	return n
}

// PointerTo returns the JSON Pointer of a node of this file. A node of another file has none: ok is
// false.
func (f *File) PointerTo(node *Node) (pointer string, ok bool) {
	var b strings.Builder
	for n := f.Root; n != node; {
		switch n.Kind {
		case wire.KindObject:
			i := sort.Search(len(n.Members), func(i int) bool { return n.Members[i].Value.End >= node.End })
			if i == len(n.Members) {
				return "", false
			}
			b.WriteString("/" + EscapeToken(n.Members[i].Name))
			n = n.Members[i].Value
		case wire.KindArray:
			i := sort.Search(len(n.Elems), func(i int) bool { return n.Elems[i].End >= node.End })
			if i == len(n.Elems) {
				return "", false
			}
			b.WriteString("/" + strconv.Itoa(i))
			n = n.Elems[i]
		default:
			return "", false
		}
	}
	return b.String(), true
}
