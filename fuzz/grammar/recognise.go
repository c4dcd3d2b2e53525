package grammar

import (
	"math/bits"
	"unicode"
)

// Recognise reports whether s is of the rule named start. It asks for all ends that an element can have from
// a place, and remembers the answers: no backtracking, no preference among alternatives, any ambiguity.
func (g *Grammar) Recognise(start, s string) bool {
	m := &matcher{s: []rune(s), known: map[place]places{}}
	return m.ends(g.rules[fold(start)].body, 0).has(len(m.s))
}

// matcher recognises one string.
type matcher struct {
	s     []rune
	known map[place]places
}

type place struct {
	n  node
	at int
}

// places is a set of places in a string, a bit for each.
type places []uint64

func (p places) has(at int) bool { return p[at/64]>>(at%64)&1 > 0 }

func (p places) add(at int) { p[at/64] |= 1 << (at % 64) }

// join adds places and reports whether one is new.
func (p places) join(more places) bool {
	grown := false
	for i, word := range more {
		if word&^p[i] != 0 {
			p[i] |= word
			grown = true
		}
	}
	return grown
}

func (m *matcher) none() places { return make(places, len(m.s)/64+1) }

func (m *matcher) only(at int) places {
	p := m.none()
	p.add(at)
	return p
}

// ends returns the places where an occurrence of n from at may end.
func (m *matcher) ends(n node, at int) places {
	if known, ok := m.known[place{n, at}]; ok {
		return known
	}
	out := m.none()
	switch n := n.(type) {
	case *alternation:
		for _, one := range n.of {
			out.join(m.ends(one, at))
		}
	case *sequence:
		from := m.only(at)
		for _, one := range n.of {
			from = m.step(from, one)
		}
		out = from
	case *repetition:
		from := m.only(at)
		for times := 0; ; times++ {
			if times >= n.min && !out.join(from) {
				break // nothing new: more rounds repeat places
			}
			if times == n.max {
				break
			}
			from = m.step(from, n.of)
		}
	case *span:
		if at < len(m.s) && n.low <= m.s[at] && m.s[at] <= n.high {
			out.add(at + 1)
		}
	case *text:
		if m.reads(n, at) {
			out.add(at + len(n.of))
		}
	case *reference:
		out = m.ends(n.to.body, at)
	case *lookahead:
		follows := false
		for _, word := range m.ends(n.not, at) {
			follows = follows || word != 0
		}
		if !follows {
			out.add(at)
		}
	case *words:
		for end := at; end <= len(m.s); end++ {
			if n.Is(m.s[at:end]) {
				out.add(end)
			}
		}
	}
	m.known[place{n, at}] = out
	return out
}

func (m *matcher) reads(n *text, at int) bool {
	if len(m.s)-at < len(n.of) {
		return false
	}
	for i, r := range n.of {
		if m.s[at+i] != r && (n.exact || !sameLetter(m.s[at+i], r)) {
			return false
		}
	}
	return true
}

// step returns where n may end that begins at one of the places.
func (m *matcher) step(from places, n node) places {
	out := m.none()
	for i, word := range from {
		for ; word != 0; word &= word - 1 {
			out.join(m.ends(n, i*64+bits.TrailingZeros64(word)))
		}
	}
	return out
}

// sameLetter reports whether two ASCII letters differ in case only: strings of a grammar are ASCII.
func sameLetter(a, b rune) bool {
	return a <= unicode.MaxASCII && b <= unicode.MaxASCII && unicode.IsLetter(a) && unicode.ToLower(a) == unicode.ToLower(b)
}
