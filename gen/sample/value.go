package sample

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode/utf8"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
)

// Documents are trees of load.Node, as schemas are, so that a constant of a schema can stand in a document
// as it is. Nodes that were made here have no positions.

func null() *load.Node                { return &load.Node{Kind: wire.KindNull} }
func str(s string) *load.Node         { return &load.Node{Kind: wire.KindString, Str: s} }
func num(spelling string) *load.Node  { return &load.Node{Kind: wire.KindNumber, Str: spelling} }
func list(e ...*load.Node) *load.Node { return &load.Node{Kind: wire.KindArray, Elems: e} }

func boolean(b bool) *load.Node {
	if b {
		return &load.Node{Kind: wire.KindTrue}
	}
	return &load.Node{Kind: wire.KindFalse}
}

func object(m ...load.Member) *load.Node {
	return &load.Node{Kind: wire.KindObject, Members: m}
}

// equal is equality in JSON Schema's sense (2020-12 core §4.2.2).
func equal(a, b *load.Node) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case wire.KindString:
		return a.Str == b.Str
	case wire.KindNumber:
		return sameNumber(a.Str, b.Str)
	case wire.KindArray:
		if len(a.Elems) != len(b.Elems) {
			return false
		}
		for i := range a.Elems {
			if !equal(a.Elems[i], b.Elems[i]) {
				return false
			}
		}
	case wire.KindObject:
		if len(a.Members) != len(b.Members) {
			return false
		}
		for _, m := range a.Members {
			if other := b.Get(m.Name); other == nil || !equal(m.Value, other) {
				return false
			}
		}
	}
	return true
}

func contains(values []*load.Node, v *load.Node) bool {
	for _, c := range values {
		if equal(c, v) {
			return true
		}
	}
	return false
}

// truth returns the value of a boolean schema; is is false for any other value.
func truth(n *load.Node) (value, is bool) {
	return n.Kind == wire.KindTrue, n.Kind == wire.KindTrue || n.Kind == wire.KindFalse
}

// kinds is a set of the types of values, with integers apart from other numbers.
type kinds uint8

const (
	kNull kinds = 1 << iota
	kFalse
	kTrue
	kInteger
	kFraction
	kString
	kArray
	kObject
	kBoolean = kFalse | kTrue
	kNumber  = kInteger | kFraction
	kAny     = kNull | kBoolean | kNumber | kString | kArray | kObject
)

var kindsByName = map[string]kinds{
	"null": kNull, "boolean": kBoolean, "integer": kInteger, "number": kNumber, "string": kString, "array": kArray, "object": kObject,
}

// typeSet reads the value of `type`.
func typeSet(n *load.Node) kinds {
	if n.Kind == wire.KindString {
		return kindsByName[n.Str]
	}
	var set kinds
	for _, e := range n.Elems {
		set |= kindsByName[e.Str]
	}
	return set
}

func kindOf(v *load.Node) kinds {
	switch v.Kind {
	case wire.KindNull:
		return kNull
	case wire.KindFalse:
		return kFalse
	case wire.KindTrue:
		return kTrue
	case wire.KindNumber:
		if isInteger(v.Str) {
			return kInteger
		}
		return kFraction
	case wire.KindString:
		return kString
	case wire.KindArray:
		return kArray
	}
	return kObject
}

// spell writes a document. Most are plain; in one of eight, strings have escapes that they do not need,
// integers have fractions of nothing, and there is white space between tokens: what a schema does not
// see, a decoder does.
func spell(n *load.Node, rng *rand.Rand) []byte {
	w := speller{rng: rng, odd: rng.IntN(8) == 0}
	w.value(n)
	return w.out
}

type speller struct {
	rng *rand.Rand
	odd bool
	out []byte
}

func (w *speller) value(n *load.Node) {
	switch n.Kind {
	case wire.KindNull:
		w.out = append(w.out, "null"...)
	case wire.KindFalse:
		w.out = append(w.out, "false"...)
	case wire.KindTrue:
		w.out = append(w.out, "true"...)
	case wire.KindNumber:
		w.number(n.Str)
	case wire.KindString:
		w.quote(n.Str)
	case wire.KindArray:
		w.out = append(w.out, '[')
		for i, e := range n.Elems {
			w.comma(i)
			w.value(e)
			w.space()
		}
		w.out = append(w.out, ']')
	case wire.KindObject:
		w.out = append(w.out, '{')
		for i, m := range n.Members {
			w.comma(i)
			w.quote(m.Name)
			w.space()
			w.out = append(w.out, ':')
			w.space()
			w.value(m.Value)
			w.space()
		}
		w.out = append(w.out, '}')
	}
}

func (w *speller) comma(i int) {
	if i > 0 {
		w.out = append(w.out, ',')
	}
	w.space()
}

func (w *speller) space() {
	if w.odd && w.rng.IntN(6) == 0 {
		w.out = append(w.out, pick(w.rng, " ", "\n", "\t", "\r\n  ")...)
	}
}

// number spells integers in other ways now and then. The value stays.
func (w *speller) number(s string) {
	w.out = append(w.out, s...)
	if w.odd && w.rng.IntN(3) == 0 && !strings.ContainsAny(s, ".eE") {
		w.out = append(w.out, pick(w.rng, ".0", "e0", "E+00", ".00e-0")...)
	}
}

const hex = "0123456789abcdef"

func (w *speller) quote(s string) {
	w.out = append(w.out, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			w.out = append(w.out, '\\', byte(r))
		case r < ' ' || w.odd && w.rng.IntN(8) == 0:
			w.escape(r)
		default:
			w.out = utf8.AppendRune(w.out, r)
		}
	}
	w.out = append(w.out, '"')
}

// escape writes a character by its code units.
func (w *speller) escape(r rune) {
	unit := func(u rune) {
		w.out = append(w.out, '\\', 'u', hex[u>>12&15], hex[u>>8&15], hex[u>>4&15], hex[u&15])
	}
	if r > 0xffff {
		r -= 0x10000
		unit(0xd800 + r>>10)
		unit(0xdc00 + r&0x3ff)
		return
	}
	if r == '/' {
		w.out = append(w.out, '\\', '/')
		return
	}
	unit(r)
}

// count reads a keyword whose value is a count. ok is false when it is absent, or too large to matter.
func count(n *load.Node) (int, bool) {
	if n == nil || n.Kind != wire.KindNumber {
		return 0, false
	}
	r, ok := rational(n.Str)
	if !ok || !r.IsInt() || r.Sign() < 0 || r.Num().BitLen() > 31 {
		return 0, false
	}
	v, err := strconv.Atoi(r.Num().String())
	return v, err == nil
}
