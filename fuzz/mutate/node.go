package mutate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
)

// kind is a JSON type as mutations see it: true and false are one.
type kind byte

const (
	null    kind = 'n'
	boolean kind = 'b'
	number  kind = '0'
	text    kind = 's'
	list    kind = 'a'
	object  kind = 'o'
)

// node is a JSON value in which every spelling survives, and in which an object may hold what no
// decoder's map can: two members of one name.
type node struct {
	kind  kind
	raw   string   // a scalar's spelling, quotes included
	keys  []string // members' names as spelled, with quotes
	names []string // the same, decoded
	elems []*node  // elements, or members' values beside keys
}

// SyntaxError reports that a document handed to this package is not JSON.
type SyntaxError struct{ Document string }

// Error says it in a sentence.
func (e *SyntaxError) Error() string { return fmt.Sprintf("not JSON: %.80q", e.Document) }

// parse reads one JSON document.
func parse(doc []byte) (*node, error) {
	if !json.Valid(doc) {
		return nil, &SyntaxError{string(doc)}
	}
	p := reader{src: string(doc)}
	return p.value(), nil
}

// reader reads what json.Valid has accepted, so it looks only for the ends of things.
type reader struct {
	src string
	at  int
}

func (p *reader) space() byte {
	for strings.IndexByte(" \t\r\n", p.src[p.at]) >= 0 {
		p.at++
	}
	return p.src[p.at]
}

func (p *reader) value() *node {
	switch p.space() {
	case '{':
		n := &node{kind: object}
		p.at++
		for p.space() != '}' {
			if p.src[p.at] == ',' {
				p.at++
				continue
			}
			key := p.str()
			p.space()
			p.at++ // the colon
			n.add(key, p.value())
		}
		p.at++
		return n
	case '[':
		n := &node{kind: list}
		p.at++
		for p.space() != ']' {
			if p.src[p.at] == ',' {
				p.at++
				continue
			}
			n.elems = append(n.elems, p.value())
		}
		p.at++
		return n
	case '"':
		return &node{kind: text, raw: p.str()}
	}
	start := p.at
	for p.at < len(p.src) && strings.IndexByte(" \t\r\n,]}", p.src[p.at]) < 0 {
		p.at++
	}
	raw := p.src[start:p.at]
	switch raw[0] {
	case 'n':
		return &node{kind: null, raw: raw}
	case 't', 'f':
		return &node{kind: boolean, raw: raw}
	}
	return &node{kind: number, raw: raw}
}

func (p *reader) str() string {
	start := p.at
	for p.at++; p.src[p.at] != '"'; p.at++ {
		if p.src[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
	return p.src[start:p.at]
}

func (n *node) append(b []byte) []byte {
	switch n.kind {
	case list:
		b = append(b, '[')
		for i, e := range n.elems {
			if i > 0 {
				b = append(b, ',')
			}
			b = e.append(b)
		}
		return append(b, ']')
	case object:
		b = append(b, '{')
		for i, e := range n.elems {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(b, n.keys[i]...), ':')
			b = e.append(b)
		}
		return append(b, '}')
	}
	return append(b, n.raw...)
}

// String is the JSON of the node.
func (n *node) String() string { return string(n.append(nil)) }

func (n *node) clone() *node {
	c := *n
	c.keys, c.names = slices.Clone(n.keys), slices.Clone(n.names)
	c.elems = make([]*node, len(n.elems))
	for i, e := range n.elems {
		c.elems[i] = e.clone()
	}
	return &c
}

// size counts values.
func (n *node) size() int {
	s := 1
	for _, e := range n.elems {
		s += e.size()
	}
	return s
}

// add appends a member by its spelled name.
func (n *node) add(key string, v *node) {
	n.keys = append(n.keys, key)
	n.names = append(n.names, decode(key))
	n.elems = append(n.elems, v)
}

// set replaces or appends the member of a decoded name.
func (n *node) set(name string, v *node) {
	if i := slices.Index(n.names, name); i >= 0 {
		n.elems[i] = v
		return
	}
	n.add(quote(name), v)
}

// remove drops member or element i.
func (n *node) remove(i int) {
	n.elems = slices.Delete(slices.Clone(n.elems), i, i+1)
	if n.kind == object {
		n.keys = slices.Delete(slices.Clone(n.keys), i, i+1)
		n.names = slices.Delete(slices.Clone(n.names), i, i+1)
	}
}

// get returns a member's value, nil when n is no object or has no such member.
func (n *node) get(name string) *node {
	if n == nil || n.kind != object {
		return nil
	}
	if i := slices.Index(n.names, name); i >= 0 {
		return n.elems[i]
	}
	return nil
}

// str decodes a string; "" for everything else.
func (n *node) str() string {
	if n == nil || n.kind != text {
		return ""
	}
	return decode(n.raw)
}

func decode(raw string) string {
	var s string
	if json.Unmarshal([]byte(raw), &s) != nil {
		return raw
	}
	return s
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}

func str(s string) *node { return &node{kind: text, raw: quote(s)} }
func num(s string) *node { return &node{kind: number, raw: s} }
func nul() *node         { return &node{kind: null, raw: "null"} }
func yes() *node         { return &node{kind: boolean, raw: "true"} }

func array(elems ...*node) *node { return &node{kind: list, elems: elems} }

// escaped spells a string with every code unit as a \u escape.
func escaped(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, `\u%04x`, u)
	}
	b.WriteByte('"')
	return b.String()
}
