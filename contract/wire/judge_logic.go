package wire

import "vcp.core/contract/errcode"

// Rules that are no conjunctions. See [Judge] for how answers and doubts become verdicts.

// Mark is the state of doubt before parts are judged.
type Mark struct {
	j      *Judge
	doubts int
	kept   bool
	first  doubt // of the parts so far, when kept
}

// Mark marks the present.
func (j *Judge) Mark() Mark { return Mark{j: j, doubts: j.doubts} }

// Verdict turns the answer of a part that was judged since the mark into its verdict, and takes the
// part's doubts back.
func (m *Mark) Verdict(ok bool) Verdict {
	if m.j.doubts != m.doubts {
		return m.doubted(ok)
	}
	if ok {
		return Valid
	}
	return Invalid
}

func (m *Mark) doubted(ok bool) Verdict {
	m.j.doubts = m.doubts
	if !ok {
		return Invalid
	}
	if !m.kept {
		m.kept, m.first = true, m.j.first
	}
	return Undecided
}

// undecided leaves the first doubt of the parts. It returns true.
func (m *Mark) undecided() bool { return m.j.leave(m.first) }

// Not answers for the negation of a part.
func (m *Mark) Not(ok bool, n, rule int) bool {
	switch m.Verdict(ok) {
	case Valid:
		return m.j.Fail(n, rule)
	case Undecided:
		return m.undecided()
	}
	return true
}

// Either answers for a choice between two parts that nobody could make, because the condition, which was
// judged before them, is undecided: what both agree on.
func (m *Mark) Either(a, b Verdict) bool {
	switch {
	case a != b:
		return m.undecided()
	case a == Undecided:
		return m.j.leave(m.j.first) // still that of the part judged last
	}
	return a == Valid
}

// AnyOf collects the arms of a union of which one must be valid. Arms are added until Add returns true,
// and then nothing more needs to be said; else End answers.
type AnyOf struct {
	mark    Mark
	n, rule int
}

// AnyOf begins a union over node n.
func (j *Judge) AnyOf(n, rule int) AnyOf { return AnyOf{mark: j.Mark(), n: n, rule: rule} }

// Add adds the answer of an arm and reports whether the union is valid.
func (u *AnyOf) Add(ok bool) bool { return u.mark.Verdict(ok) == Valid }

// End answers when no arm was valid.
func (u *AnyOf) End() bool {
	if u.mark.kept {
		return u.mark.undecided()
	}
	return u.mark.j.Fail(u.n, u.rule)
}

// ExactlyOne collects the arms of a union of which exactly one must be valid. Arms are added as long as
// Add returns true; then End answers.
type ExactlyOne struct {
	mark    Mark
	n, rule int
	valid   int
}

// OneOf begins a union over node n.
func (j *Judge) OneOf(n, rule int) ExactlyOne { return ExactlyOne{mark: j.Mark(), n: n, rule: rule} }

// Add adds the answer of an arm. It returns false, after Fail, when it is the second valid one: that is
// one too many whatever the others are.
func (u *ExactlyOne) Add(ok bool) bool {
	if u.mark.Verdict(ok) == Valid {
		if u.valid++; u.valid > 1 {
			return u.mark.j.Fail(u.n, u.rule)
		}
	}
	return true
}

// AddTwice is Add for an arm that the schema has more than once.
func (u *ExactlyOne) AddTwice(ok bool) bool {
	if u.mark.Verdict(ok) == Valid {
		return u.mark.j.Fail(u.n, u.rule)
	}
	return true
}

// End answers when at most one arm was valid. One that is undecided could turn the outcome either way.
func (u *ExactlyOne) End() bool {
	switch {
	case u.mark.kept:
		return u.mark.undecided()
	case u.valid == 1:
		return true
	}
	return u.mark.j.Fail(u.n, u.rule)
}

// Contains counts the elements of an array that match. The number lies between the valid ones, and the
// valid and undecided ones together. The rule is decided when all of that range is allowed, or none of it.
type Contains struct {
	mark            Mark
	n               int
	least, most     int
	surely, perhaps int
}

// Contains begins a count over array n. most is -1 without bound.
func (j *Judge) Contains(n, least, most int) Contains {
	if most < 0 {
		most = noBound
	}
	return Contains{mark: j.Mark(), n: n, least: least, most: most}
}

// Add adds the answer of an element and reports whether others need to be judged.
func (c *Contains) Add(ok bool) bool {
	switch c.mark.Verdict(ok) {
	case Valid:
		c.surely++
		c.perhaps++
	case Undecided:
		c.perhaps++
	}
	return c.surely <= c.most && (c.surely < c.least || c.most != noBound)
}

// End answers. The rules are those of the lower and of the upper bound.
func (c *Contains) End(least, most int) bool {
	switch {
	case c.mark.j.nodes[c.n].Kind != KindArray:
		return true
	case c.surely > c.most:
		return c.mark.j.Fail(c.n, most)
	case max(c.surely, c.least) > min(c.perhaps, c.most):
		return c.mark.j.Fail(c.n, least)
	case c.surely < c.least || c.perhaps > c.most:
		return c.mark.undecided()
	}
	return true
}

// Claims collects what patterns and names say about one member: which schemas its value must satisfy,
// and whether the rule for all others concerns it.
//
// A pattern that could not be decided leaves open which schemas apply. The verdict then is what all
// possibilities agree on: with every subset of the undecided patterns matching, and the rule for all
// others applying when the subset is empty and nothing else claimed the member.
type Claims struct {
	mark    Mark
	ok      bool // no schema that surely applies has failed
	claimed bool // surely
	rest    bool // the rule for all others was judged
	late    bool // a budget is used up: nothing is judged any more

	open, now       bool    // some pattern was undecided; the schema judged next is that of one
	lowest, highest Verdict // of the schemas that may apply
}

// Claims begins with one member. claimed says that a declared property has its name, and ok is the
// answer of that property's schema.
func (j *Judge) Claims(claimed, ok bool) Claims {
	// Here alone two lengths multiply, members and patterns, with nothing in between that asks for a budget.
	return Claims{mark: j.Mark(), ok: ok, claimed: claimed, late: j.limited, lowest: Valid, highest: Invalid}
}

// Matches reports whether the pattern's schema is to be judged and added.
func (c *Claims) Matches(name int, p *Pattern) bool {
	if !c.ok || c.late {
		return false
	}
	return c.matched(c.mark.j.match(p, c.mark.j.bytes(name)))
}

func (c *Claims) matched(v Verdict) bool {
	switch v {
	case Invalid:
		return false
	case Undecided:
		c.open, c.now = true, true
		c.mark = c.mark.j.Mark()
	case Valid:
		c.now, c.claimed = false, true
	}
	return true
}

// Unclaimed reports whether the rule for all other members is to be judged and added.
func (c *Claims) Unclaimed() bool {
	if !c.ok || c.claimed || c.late {
		return false
	}
	c.rest, c.now = true, c.open
	c.mark = c.mark.j.Mark()
	return true
}

// Add adds the answer of a schema.
func (c *Claims) Add(ok bool) {
	if !c.now {
		c.ok = ok
		return
	}
	v := c.mark.Verdict(ok)
	c.lowest, c.highest = min(c.lowest, v), max(c.highest, v)
}

// End answers for the member with value n. The rule is that of the patterns.
func (c *Claims) End(n, rule int) bool {
	if c.ok && c.late {
		return c.mark.j.undecided(n, rule, errcode.LimitNodes)
	}
	if !c.ok || !c.open {
		return c.ok
	}
	if !c.claimed && !c.rest {
		c.highest = Valid // nothing is said about other members
	}
	switch {
	case c.claimed && c.lowest == Valid, c.lowest == Valid && c.highest == Valid:
		return true
	case !c.claimed && c.highest == Invalid:
		return false
	}
	return c.mark.j.undecided(n, rule, errcode.LimitPattern)
}
