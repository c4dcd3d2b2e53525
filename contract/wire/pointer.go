package wire

import (
	"strconv"
	"strings"
)

// AppendPointer appends one reference token to a JSON Pointer (RFC 6901 §3): a slash, then token with ~
// as ~0 and / as ~1.
func AppendPointer(dst []byte, token string) []byte {
	dst = append(dst, '/')
	for i := range len(token) {
		switch c := token[i]; c {
		case '~':
			dst = append(dst, '~', '0')
		case '/':
			dst = append(dst, '~', '1')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// Pointer returns the JSON Pointer of node i, "" for the root. The pointer of a name is that of its
// member.
func (t *Tape) Pointer(i int) string { return string(t.AppendPointer(nil, i)) }

// AppendPointer appends the JSON Pointer of node i. It walks down from the root past the siblings before
// each ancestor, so it costs up to i steps: it is meant for explaining, not for deciding.
func (t *Tape) AppendPointer(dst []byte, i int) []byte {
	for at := t.Root(); at != i; {
		c := t.FirstChild(at)
		if t.Kind(at) == KindArray {
			index := 0
			for t.Next(c) <= i {
				c = t.Next(c)
				index++
			}
			dst = append(dst, '/')
			dst = strconv.AppendInt(dst, int64(index), 10)
			at = c
			continue
		}
		for t.Next(c+1) <= i {
			c = t.Next(c + 1)
		}
		dst = AppendPointer(dst, alias(t.Text(c, nil)))
		if c == i {
			return dst
		}
		at = c + 1
	}
	return dst
}

// Lookup returns the value that a JSON Pointer (RFC 6901, not the URI fragment form) names. ok is false
// when there is none, or pointer is not one: no leading slash, or ~ before anything but 0 and 1. "-" names
// no element.
func (t *Tape) Lookup(pointer string) (i int, ok bool) {
	if t.Len() == 0 {
		return 0, false
	}
	i = t.Root()
	for pointer != "" {
		if pointer[0] != '/' {
			return 0, false
		}
		token := pointer[1:]
		if slash := strings.IndexByte(token, '/'); slash >= 0 {
			token = token[:slash]
		}
		pointer = pointer[1+len(token):]
		if token, ok = unescapeToken(token); !ok {
			return 0, false
		}
		switch t.Kind(i) {
		case KindObject:
			i, ok = t.Find(i, token)
		case KindArray:
			i, ok = t.element(i, token)
		default:
			ok = false
		}
		if !ok {
			return 0, false
		}
	}
	return i, true
}

// element returns the element of array i that an index of RFC 6901 §4 names: digits without a leading
// zero.
func (t *Tape) element(i int, token string) (int, bool) {
	if token == "" || len(token) > 10 || token[0] == '0' && len(token) > 1 {
		return 0, false
	}
	index := 0
	for k := range len(token) {
		if token[k]-'0' > 9 {
			return 0, false
		}
		index = index*10 + int(token[k]-'0')
	}
	if index >= t.Count(i) {
		return 0, false
	}
	c := t.FirstChild(i)
	for range index {
		c = t.Next(c)
	}
	return c, true
}

// unescapeToken resolves ~0 and ~1.
func unescapeToken(token string) (string, bool) {
	if strings.IndexByte(token, '~') < 0 {
		return token, true
	}
	var b strings.Builder
	for i := 0; i < len(token); i++ {
		c := token[i]
		if c == '~' {
			i++
			switch {
			case i < len(token) && token[i] == '0':
			case i < len(token) && token[i] == '1':
				c = '/'
			default:
				return "", false
			}
		}
		b.WriteByte(c)
	}
	return b.String(), true
}
