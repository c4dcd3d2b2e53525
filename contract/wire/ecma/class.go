package ecma

// class reads `[…]`. An empty class matches nothing, an empty negated class everything.
func (p *parser) class() *node {
	start := p.pos
	p.pos++
	negate := p.eat("^")
	var parts []*set
	var spans []span
	for !p.eat("]") {
		if !p.more() {
			p.fail(start, "missing ]")
		}
		at := p.pos
		low, many := p.classAtom(start)
		if p.peek() != '-' || p.pos+1 >= len(p.pattern) || p.pattern[p.pos+1] == ']' {
			parts, spans = collect(parts, spans, low, many)
			continue
		}
		p.pos++
		high, manyHigh := p.classAtom(start)
		if many != nil || manyHigh != nil {
			// Annex B: an end that is a set makes no range; the hyphen is a member.
			parts, spans = collect(parts, spans, low, many)
			parts, spans = collect(parts, spans, high, manyHigh)
			spans = append(spans, span{'-', '-'})
			continue
		}
		if low > high {
			p.fail(at, "range out of order in class")
		}
		spans = append(spans, span{low, high})
	}
	s := newSet(spans)
	if len(parts) > 0 {
		s = union(append(parts, s)...)
	}
	if negate {
		s = s.not()
	}
	p.charge(s)
	return &node{op: opSet, set: s}
}

// collect adds one class atom: a set, or a single code point.
func collect(parts []*set, spans []span, r rune, s *set) ([]*set, []span) {
	if s != nil {
		return append(parts, s), spans
	}
	return parts, append(spans, span{r, r})
}

// classAtom reads one member of a class: a code point, or a set when s is not nil.
func (p *parser) classAtom(start int) (r rune, s *set) {
	if !p.more() {
		p.fail(start, "missing ]")
	}
	if p.peek() != '\\' {
		return p.take(), nil
	}
	if p.pos+1 >= len(p.pattern) {
		p.fail(p.pos, `\ at end of pattern`)
	}
	if p.pattern[p.pos+1] == 'b' {
		p.pos += 2
		return '\b', nil
	}
	if s = p.classEscape(); s != nil {
		return 0, s
	}
	return p.characterEscape(), nil
}
