package ecma

import "unicode/utf8"

// scan matches patterns of the form `^ S{a,b} T{c,d} … $`, each letter a set of code points, in one
// pass without a choice: most patterns of real schemas (`^[a-z]+$`, `^\d{4}-\d{2}-\d{2}$`, `^x-`). Each
// item takes as many code points as it can. That is exact because an item of variable length shares
// no code point with what may follow it: had it taken less, the next code point would fit nothing.
type scan struct {
	items []item
	end   bool // the pattern ends in `$`
}

type item struct {
	set      *set
	min, max int
	table    *[256]bool // of the set, by byte: an ASCII character in it
}

// tabled gives the items of a scan their tables, one for all sets with the same ASCII characters.
func (sc *scan) tabled() *scan {
	known := map[[2]uint64]*[256]bool{}
	for i := range sc.items {
		it := &sc.items[i]
		if it.table = known[it.set.ascii]; it.table == nil {
			it.table = new([256]bool)
			for c := range utf8.RuneSelf {
				it.table[c] = it.set.has(rune(c))
			}
			known[it.set.ascii] = it.table
		}
	}
	return sc
}

// newScan returns the scan for a pattern, or nil if it has another form.
func newScan(root *node) *scan {
	terms := flatten(nil, root)
	if len(terms) == 0 || terms[0].op != opStart {
		return nil
	}
	terms = terms[1:]
	sc := &scan{}
	if n := len(terms); n > 0 && terms[n-1].op == opEnd {
		sc.end, terms = true, terms[:n-1]
	}
	for _, t := range terms {
		switch {
		case t.op == opSet:
			sc.items = append(sc.items, item{set: t.set, min: 1, max: 1})
		case t.op == opRepeat && t.subs[0].op == opSet:
			most := t.max
			if most < 0 {
				most = unbounded
			}
			sc.items = append(sc.items, item{set: t.subs[0].set, min: t.min, max: most})
		default:
			return nil
		}
	}
	if !sc.end {
		sc.trim()
	}
	if !sc.exact() {
		return nil
	}
	return sc.tabled()
}

// flatten returns the terms of a sequence, groups opened.
func flatten(terms []*node, n *node) []*node {
	switch n.op {
	case opSeq:
		for _, s := range n.subs {
			terms = flatten(terms, s)
		}
		return terms
	case opCapture:
		return flatten(terms, n.subs[0])
	case opEmpty:
		return terms
	}
	return append(terms, n)
}

// trim drops what the end of a pattern without `$` only may take.
func (sc *scan) trim() {
	for n := len(sc.items); n > 0; n-- {
		last := &sc.items[n-1]
		if last.max = last.min; last.min > 0 {
			break
		}
		sc.items = sc.items[:n-1]
	}
}

// exact reports whether every item of variable length shares nothing with what may follow it.
func (sc *scan) exact() bool {
	for i, it := range sc.items {
		if it.min == it.max {
			continue
		}
		for _, next := range sc.items[i+1:] {
			if overlap(it.set, next.set) {
				return false
			}
			if next.min > 0 {
				break
			}
		}
	}
	return true
}

// overlap reports whether two sets have a code point in common.
func overlap(a, b *set) bool {
	for i, j := 0, 0; i < len(a.spans) && j < len(b.spans); {
		switch p, q := a.spans[i], b.spans[j]; {
		case p.hi < q.lo:
			i++
		case q.hi < p.lo:
			j++
		default:
			return true
		}
	}
	return false
}

// match reports whether s matches.
func match[S string | []byte](sc *scan, s S) bool {
	pos := 0
	for i := range sc.items {
		it := &sc.items[i]
		from, stop := pos, len(s)
		if it.max < stop-pos {
			stop = pos + it.max
		}
		for pos < stop && it.table[s[pos]] {
			pos++
		}
		n := pos - from // a byte is a code point so far
		if pos < stop && s[pos] >= utf8.RuneSelf {
			n, pos = wide(it, n, pos, s)
		}
		if n < it.min {
			return false
		}
	}
	return !sc.end || pos == len(s)
}

// wide goes on with an item that has taken n code points up to pos, where one that is not ASCII stands.
func wide[S string | []byte](it *item, n, pos int, s S) (int, int) {
	for n < it.max && pos < len(s) {
		size := 1
		if c := s[pos]; c < utf8.RuneSelf {
			if !it.table[c] {
				break
			}
		} else {
			var r rune
			r, size = utf8.DecodeRuneInString(string(s[pos:min(pos+utf8.UTFMax, len(s))]))
			if !it.set.has(r) {
				break
			}
		}
		pos += size
		n++
	}
	return n, pos
}
