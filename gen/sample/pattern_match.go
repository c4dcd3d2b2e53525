package sample

// match looks for the pattern in s by trying every way there is. decided is false when that took too long,
// or when the pattern is beyond this package.
func (p *pattern) match(s string) (matched, decided bool) {
	if p.beyond {
		return false, false
	}
	m := matcher{text: []rune(s), left: 200_000, ends: map[int][2]int{}}
	for at := 0; at <= len(m.text) && !matched; at++ {
		matched = m.try(p.root, at, func(int) bool { return true })
		if m.left <= 0 {
			return false, false
		}
	}
	return matched, true
}

type matcher struct {
	text []rune
	left int            // steps
	ends map[int][2]int // what a group captured, by its number
}

// try matches t from position at, and the rest of the pattern, which is then, from where t ends. It goes
// through all ends of t until then agrees. (A function for the rest makes backtracking a return.)
func (m *matcher) try(t *term, at int, then func(int) bool) bool {
	if m.left--; m.left <= 0 {
		return false
	}
	switch t.kind {
	case tSet:
		return at < len(m.text) && t.set.has(m.text[at]) && then(at+1)
	case tSeq:
		return m.all(t.subs, at, then)
	case tAlt:
		for _, s := range t.subs {
			if m.try(s, at, then) {
				return true
			}
		}
		return false
	case tRepeat:
		return m.repeat(t, 0, at, then)
	case tGroup:
		kept, had := m.ends[t.group]
		if m.try(t.subs[0], at, func(end int) bool {
			inner, was := m.ends[t.group]
			m.ends[t.group] = [2]int{at, end}
			if then(end) {
				return true
			}
			m.restore(t.group, inner, was)
			return false
		}) {
			return true
		}
		m.restore(t.group, kept, had)
		return false
	case tStart:
		return at == 0 && then(at)
	case tEnd:
		return at == len(m.text) && then(at)
	case tWord, tNotWord:
		return (m.word(at-1) != m.word(at)) == (t.kind == tWord) && then(at)
	case tAhead, tNotAhead:
		found := m.try(t.subs[0], at, func(int) bool { return true })
		return found == (t.kind == tAhead) && then(at)
	case tBehind, tNotBehind:
		found := false
		for from := at; from >= 0 && !found; from-- {
			found = m.try(t.subs[0], from, func(end int) bool { return end == at })
		}
		return found == (t.kind == tBehind) && then(at)
	case tBack:
		c := m.ends[t.group]
		for i := c[0]; i < c[1]; i++ {
			if at == len(m.text) || m.text[at] != m.text[i] {
				return false
			}
			at++
		}
		return then(at)
	}
	return false
}

func (m *matcher) restore(group int, ends [2]int, had bool) {
	if had {
		m.ends[group] = ends
	} else {
		delete(m.ends, group)
	}
}

func (m *matcher) word(at int) bool { return at >= 0 && at < len(m.text) && words.has(m.text[at]) }

func (m *matcher) all(terms []*term, at int, then func(int) bool) bool {
	if len(terms) == 0 {
		return then(at)
	}
	return m.try(terms[0], at, func(next int) bool { return m.all(terms[1:], next, then) })
}

func (m *matcher) repeat(t *term, done, at int, then func(int) bool) bool {
	if t.high < 0 || done < t.high {
		if m.try(t.subs[0], at, func(next int) bool {
			// An iteration that takes nothing never helps once there are enough of them.
			return (next > at || done < t.low) && m.repeat(t, done+1, next, then)
		}) {
			return true
		}
	}
	return done >= t.low && then(at)
}
