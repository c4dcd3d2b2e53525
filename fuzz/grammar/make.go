package grammar

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"unicode"
)

// Maker makes strings of a rule that go through every alternative of the grammar: of a choice it prefers what
// it took least, of a range the ends, of a repetition the least, one more, and the most. The same seed makes the
// same strings.
type Maker struct {
	g     *Grammar
	start *rule
	rng   *rand.Rand
	taken map[choice]int  // by strings that were kept
	trail map[choice]bool // of the string at hand
	fresh map[node]bool   // nodes in or below which is a way not taken
	depth map[*rule]int   // the least depth of a string of the rule
}

// choice is one way through a node: an alternative, a number of times (0 the least, 1 more, 2 the most), an end of
// a range.
type choice struct {
	n   node
	way int
}

// NewMaker returns a maker of strings of the rule named start.
func NewMaker(g *Grammar, start string, seed uint64) *Maker {
	m := &Maker{g: g, start: g.rules[fold(start)], rng: rand.New(rand.NewPCG(seed, 0x6772616d6d6172)), taken: map[choice]int{}, depth: map[*rule]int{}}
	for changed := true; changed; {
		changed = false
		for _, r := range g.rules {
			if d := m.least(r.body); d < deepest && (m.depth[r] == 0 || d < m.depth[r]) {
				m.depth[r], changed = d, true
			}
		}
	}
	m.refresh()
	return m
}

// deepest is more than any least depth.
const deepest = 1 << 20

// Make makes one string. [Maker.Keep] says that it was of use.
func (m *Maker) Make() string {
	m.trail = map[choice]bool{}
	return string(m.make(nil, m.start.body, 0))
}

// Keep counts what the last string went through. Strings that a condition beside the grammar refuses are not
// kept, so that the maker tries the same ways again.
func (m *Maker) Keep() {
	first := false
	for c := range m.trail {
		first = first || m.taken[c] == 0
		m.taken[c]++
	}
	if first {
		m.refresh()
	}
}

// refresh settles what is fresh.
func (m *Maker) refresh() {
	m.fresh = map[node]bool{}
	for changed := true; changed; {
		changed = false
		seen := map[node]bool{}
		var walk func(n node) bool
		walk = func(n node) bool {
			if seen[n] {
				return m.fresh[n]
			}
			seen[n] = true
			fresh := false
			for way := range ways(n) {
				fresh = fresh || m.taken[choice{n, way}] == 0
			}
			for _, one := range parts(n) {
				if walk(one) {
					fresh = true
				}
			}
			if fresh && !m.fresh[n] {
				m.fresh[n], changed = true, true
			}
			return m.fresh[n]
		}
		walk(m.start.body)
	}
}

// parts returns what a node is made of.
func parts(n node) []node {
	switch n := n.(type) {
	case *alternation:
		return n.of
	case *sequence:
		return n.of
	case *repetition:
		return []node{n.of}
	case *reference:
		return []node{n.to.body}
	}
	return nil
}

// Missing lists the ways that no kept string went, of all that the start reaches.
func (m *Maker) Missing() []string {
	var missing []string
	seen := map[node]bool{}
	var walk func(n node, in string)
	walk = func(n node, in string) {
		if seen[n] {
			return
		}
		seen[n] = true
		for way := range ways(n) {
			if m.taken[choice{n, way}] == 0 {
				missing = append(missing, fmt.Sprintf("%s: way %d of %s", in, way, describe(n)))
			}
		}
		if r, is := n.(*reference); is {
			in = r.to.name
		}
		for _, one := range parts(n) {
			walk(one, in)
		}
	}
	walk(m.start.body, m.start.name)
	slices.Sort(missing)
	return missing
}

// ways returns how many choices a node has.
func ways(n node) int {
	switch n := n.(type) {
	case *sequence:
		return 0
	case *alternation:
		return len(n.of)
	case *repetition:
		switch {
		case n.max == n.min:
			return 1
		case n.max == n.min+1, n.max < 0:
			return 2
		}
		return 3
	case *span:
		if n.high > n.low {
			return 2
		}
	}
	return 1
}

func describe(n node) string {
	switch n := n.(type) {
	case *alternation:
		return fmt.Sprintf("a choice of %d", len(n.of))
	case *repetition:
		return fmt.Sprintf("%d*%d(%s)", n.min, n.max, describe(n.of))
	case *span:
		return fmt.Sprintf("%%x%X-%X", n.low, n.high)
	case *text:
		return fmt.Sprintf("%q", string(n.of))
	case *reference:
		return n.to.name
	case *words:
		return "<" + n.name + ">"
	}
	return fmt.Sprintf("%T", n)
}

// pick chooses among the ways that are open: often one that leads to something fresh, or the one least taken. below
// is what the way leads to, nil for nothing.
func (m *Maker) pick(n node, open []int, below func(way int) node) int {
	way := open[m.rng.IntN(len(open))]
	if m.rng.IntN(4) > 0 {
		fresh := func(w int) bool { return below != nil && m.fresh[below(w)] }
		for _, w := range open {
			if fresh(w) != fresh(way) {
				if fresh(w) {
					way = w
				}
			} else if m.taken[choice{n, w}] < m.taken[choice{n, way}] {
				way = w
			}
		}
	}
	m.trail[choice{n, way}] = true
	return way
}

// tooDeep and tooLong are from where on the maker only wants to come to an end: rules inside each other, and
// characters.
const (
	tooDeep = 24
	tooLong = 48
)

// ending reports whether it is that late.
func ending(out []rune, depth int) bool { return depth >= tooDeep || len(out) >= tooLong }

func (m *Maker) make(out []rune, n node, depth int) []rune {
	switch n := n.(type) {
	case *alternation:
		open := make([]int, 0, len(n.of))
		least := deepest
		for _, one := range n.of {
			least = min(least, m.least(one))
		}
		for i, one := range n.of {
			if !ending(out, depth) || m.least(one) == least {
				open = append(open, i)
			}
		}
		return m.make(out, n.of[m.pick(n, open, func(way int) node { return n.of[way] })], depth)
	case *sequence:
		for _, one := range n.of {
			out = m.make(out, one, depth)
		}
		return out
	case *repetition:
		for range m.times(n, ending(out, depth)) {
			out = m.make(out, n.of, depth)
		}
		return out
	case *span:
		open := []int{0}
		if n.high > n.low {
			open = []int{0, 1}
		}
		// Between the ends is no way of its own: it is taken half of the time.
		r := []rune{n.low, n.high}[m.pick(n, open, nil)]
		if m.rng.IntN(2) == 0 {
			r = n.low + rune(m.rng.Int64N(int64(n.high-n.low)+1))
		}
		return append(out, r)
	case *text:
		m.pick(n, []int{0}, nil)
		for _, r := range n.of {
			if !n.exact && m.rng.IntN(2) == 0 {
				r = unicode.To(m.rng.IntN(2), r)
			}
			out = append(out, r)
		}
		return out
	case *reference:
		m.pick(n, []int{0}, nil)
		return m.make(out, n.to.body, depth+1)
	case *words:
		m.pick(n, []int{0}, nil)
		return append(out, n.Make(m.rng.IntN)...)
	case *lookahead:
		m.pick(n, []int{0}, nil) // what follows may break it: the result is recognised before it is used
	}
	return out
}

// times chooses how often.
func (m *Maker) times(n *repetition, ending bool) int {
	open := []int{0, 1, 2}[:ways(n)]
	if ending {
		open = open[:1]
	}
	switch m.pick(n, open, func(way int) node {
		if way == 0 && n.min == 0 {
			return nil
		}
		return n.of
	}) {
	case 1:
		more := n.min + 1
		if n.max != more && m.rng.IntN(2) == 0 {
			more += m.rng.IntN(4)
		}
		if n.max >= 0 {
			more = min(more, n.max-1)
		}
		return max(more, n.min+1)
	case 2:
		return n.max
	}
	return n.min
}

// least is the least depth of rules in a string of n; deepest when that is not known yet.
func (m *Maker) least(n node) int {
	switch n := n.(type) {
	case *alternation:
		d := deepest
		for _, one := range n.of {
			d = min(d, m.least(one))
		}
		return d
	case *sequence:
		d := 1
		for _, one := range n.of {
			d = max(d, m.least(one))
		}
		return d
	case *repetition:
		if n.min == 0 {
			return 1
		}
		return m.least(n.of)
	case *reference:
		if d := m.depth[n.to]; d > 0 {
			return d + 1
		}
		return deepest
	}
	return 1
}

// Mutant changes one character of s: it inserts, deletes or replaces one. The characters that it brings are those
// of s, of other, and some that stand beside them in Unicode or in people's minds.
func Mutant(rng *rand.Rand, s string, other []rune) string {
	of := []rune(s)
	c := func() rune {
		switch k := rng.IntN(6); {
		case k == 0 && len(of) > 0:
			return of[rng.IntN(len(of))]
		case k == 1 && len(of) > 0:
			if r := of[rng.IntN(len(of))] + rune(1-2*rng.IntN(2)); r >= 0 && r <= unicode.MaxRune && (r < 0xD800 || r > 0xDFFF) {
				return r
			}
		case k <= 3 && len(other) > 0:
			return other[rng.IntN(len(other))]
		case k == 4:
			return rune(rng.IntN(128))
		}
		return nasty[rng.IntN(len(nasty))]
	}
	at := rng.IntN(len(of) + 1)
	switch rng.IntN(3) {
	case 0:
		r := c()
		if rng.IntN(8) == 0 { // what readers of lines leave at the end
			at, r = len(of), rune("\n\r \x00"[rng.IntN(4)])
		}
		of = slices.Insert(of, at, r)
	case 1:
		if at < len(of) {
			of = slices.Delete(of, at, at+1)
		}
	default:
		if at < len(of) {
			of[at] = c()
		}
	}
	return string(of)
}

// nasty holds characters that checks confuse with others: digits, dots, hyphens, marks, spaces and ends.
var nasty = []rune("\x00\t\n\r \x7f\u0080\u0085\u00a0\u00ad\u00b7éß\u0130\u0131\u0301\u0660\u06f0\u09e8\u200b\u200c\u200d\u200e\u2010\u2028\u212a\u3002\u30fbＡ０．：＠｡\ue000\ufeff\ufffd\ufffe\uffff\U0001d7ce\U0001f600\U000e0001\U0010ffff")
