package live

import (
	"fmt"
	"strconv"
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// anyOf explains a union none of whose arms holds.
func (e *explainer) anyOf(s *ir.Schema, k ir.Keyword, n int) {
	open := -1
	for _, i := range e.chosen(len(s.AnyOf), s.AnyBy, e.set.parts[s.ID].anyBy, n) {
		switch e.verdict(s.AnyOf[i], n) {
		case wire.Valid:
			return
		case wire.Undecided:
			if open < 0 {
				open = i
			}
		}
	}
	if open >= 0 {
		e.inPlace(s.AnyOf[open], n, into(k.Source, open))
		return
	}
	e.noArm(s, k, n, s.AnyOf, s.AnyBy, e.set.parts[s.ID].anyBy)
}

// oneOf explains a union that not exactly one arm holds of.
func (e *explainer) oneOf(s *ir.Schema, k ir.Keyword, n int) {
	var valid []int
	open := -1
	for _, i := range e.chosen(len(s.OneOf), s.OneBy, e.set.parts[s.ID].oneBy, n) {
		switch e.verdict(s.OneOf[i], n) {
		case wire.Valid:
			valid = append(valid, i)
		case wire.Undecided:
			if open < 0 {
				open = i
			}
		}
	}
	switch {
	case len(valid) > 1:
		if v := e.report(s, k, n); v != nil {
			v.Expected = "exactly one of " + quantity(len(s.OneOf), "alternative")
			v.Message = fmt.Sprintf("%s matches alternatives %s, exactly one may match", e.subject(), ordinals(valid))
		}
	case open >= 0:
		e.inPlace(s.OneOf[open], n, into(k.Source, open))
	case len(valid) == 0:
		e.noArm(s, k, n, s.OneOf, s.OneBy, e.set.parts[s.ID].oneBy)
	}
}

// ordinals lists alternatives counting from 1, as long as there is room.
func ordinals(list []int) string {
	var b strings.Builder
	for i, x := range list {
		if i == 8 {
			return b.String() + fmt.Sprintf(" and %d more", len(list)-i)
		}
		switch {
		case i > 0 && i == len(list)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(x + 1))
	}
	return b.String()
}

// noArm explains a union of which every arm is invalid. With a discriminator the value says itself which
// arm it means, and that one is explained as if it stood there alone. Else the arm that comes closest is
// explained after a line about the union.
func (e *explainer) noArm(s *ir.Schema, k ir.Keyword, n int, arms []*ir.Schema, by *ir.Dispatch, compiled *dispatcher) {
	candidates := e.chosen(len(arms), by, compiled, n)
	if by != nil {
		if _, found := e.r.selected(by, compiled, n); len(candidates) == 1 && found {
			e.inPlace(arms[candidates[0]], n, into(k.Source, candidates[0]))
			return
		}
		if len(candidates) == 0 && e.r.t.Kind(n) == wire.KindObject {
			e.noCase(s, k, n, by)
			return
		}
	}
	if values := constantArms(arms); values != nil {
		if v := e.report(s, k, n); v != nil {
			v.Expected = oneOfWords(values)
			v.Message = fmt.Sprintf("%s must be %s", e.subject(), v.Expected)
			v.Hint = e.closestValue(values, n)
		}
		e.everyArm(k, arms, candidates, n)
		return
	}
	best := e.nearest(arms, candidates, n)
	if v := e.report(s, k, n); v != nil {
		v.Expected = "one of " + quantity(len(arms), "alternative")
		if len(arms) == 1 {
			v.Expected = "the alternative"
		}
		v.Message = fmt.Sprintf("%s matches none of %s", e.subject(), quantity(len(arms), "alternative"))
		if best >= 0 {
			v.Hint = fmt.Sprintf(armHint+"%d comes closest", best+1)
		} else if types := unionTypes(arms); types != 0 {
			v.Expected = typeWords(types, false)
			v.Message = fmt.Sprintf("%s must be %s", e.subject(), typeWords(types, true))
		}
	}
	if !e.everyArm(k, arms, candidates, n) && best >= 0 {
		e.inPlace(arms[best], n, into(k.Source, best))
	}
}

// everyArm explains all arms where a standard form is wanted, which tells of every one.
func (e *explainer) everyArm(k ir.Keyword, arms []*ir.Schema, candidates []int, n int) bool {
	if e.rec == nil || e.dry {
		return false
	}
	for i := 0; i < len(candidates) && !e.full(); i++ {
		e.inPlace(arms[candidates[i]], n, into(k.Source, candidates[i]))
	}
	return true
}

// constantArms returns the values of a union whose arms are nothing but constants, nil for another one. Authors write
// enums that way to give each value a description.
func constantArms(arms []*ir.Schema) []ir.Value {
	var values []ir.Value
	for _, a := range arms {
		for range maxAliases {
			if a.Ref == nil || len(a.Keywords) > 1 {
				break
			}
			a = a.Ref
		}
		own := 0
		if a.Types != 0 {
			own++ // says no more than the values
		}
		switch {
		case a.Const != nil && len(a.Keywords) == own+1:
			values = append(values, *a.Const)
		case a.Enum != nil && len(a.Keywords) == own+1:
			values = append(values, a.Enum...)
		case a.Types == ir.TypeNull && len(a.Keywords) == 1:
			values = append(values, ir.Value{Raw: []byte("null"), Canonical: "null", Kind: wire.KindNull})
		default:
			return nil
		}
	}
	return values
}

// maxAliases bounds how many references lead from an arm to its constants.
const maxAliases = 8

// chosen returns the arms that can hold of n: all, or those of the case that a discriminator selects. The
// others are not asked, of which there may be tens of thousands.
func (e *explainer) chosen(arms int, by *ir.Dispatch, compiled *dispatcher, n int) []int {
	if by != nil {
		list, _ := e.r.selected(by, compiled, n)
		return list
	}
	all := make([]int, arms)
	for i := range all {
		all[i] = i
	}
	return all
}

// noCase reports that the discriminating member is missing or has a value that no arm knows.
func (e *explainer) noCase(s *ir.Schema, k ir.Keyword, n int, by *ir.Dispatch) {
	name := shorten(strconv.Quote(by.Member))
	value, ok := e.r.t.Find(n, by.Member)
	if !ok {
		if v := e.report(s, k, n); v != nil {
			v.Expected = "member " + name
			v.Got = "object without it"
			v.Message = "member " + name + " is missing, which tells the alternatives apart"
		}
		return
	}
	e.member(value-1, func() {
		if v := e.report(s, k, value); v != nil {
			v.Expected = oneOfWords(by.Values)
			v.Message = "member " + name + " must be " + v.Expected + ", it selects the alternative"
			v.Hint = e.closestValue(by.Values, value)
		}
	})
}

// maxArms bounds how many arms of a union are compared.
const maxArms = 64

// nearest returns the arm with the fewest violations: first those about the value itself count, then all. Of arms that
// are as near it takes the one that is missed by the most slips (names and values with a close one), then the order of
// the source counts. Arms that do not admit the value's type are out of the question; -1 says that all are.
func (e *explainer) nearest(arms []*ir.Schema, candidates []int, n int) int {
	best, compared := -1, 0
	var least tally
	var equal []int
	for _, i := range candidates {
		a := arms[i]
		if a.Never || kindsOf(a.Admits)>>e.r.t.Kind(n)&1 == 0 {
			continue
		}
		if compared++; compared > maxArms {
			break
		}
		t := e.tally(a, n, "")
		switch {
		case best < 0 || t.here < least.here || t.here == least.here && t.all < least.all:
			best, least = i, t
			equal = append(equal[:0], i)
		case t == least:
			equal = append(equal, i)
		}
	}
	if len(equal) < 2 || e.dry || e.trying {
		return best
	}
	most := 0
	for _, i := range equal {
		if slips := e.slips(arms[i], n); slips > most {
			best, most = i, slips
		}
	}
	return best
}

// armHint begins the hint of a union, which tells of no slip.
const armHint = "alternative "

// maxTried is how many violations of an arm are looked at for slips.
const maxTried = 8

// slips counts the violations of an arm that have a hint, by explaining it to nobody. Unions inside are taken by their
// tallies, else every level would try all levels below it; hints are looked for within a budget of their own.
func (e *explainer) slips(arm *ir.Schema, n int) int {
	before := *e
	e.list, e.rec, e.room, e.long, e.more, e.trying, e.compared = nil, nil, maxTried, 0, false, true, before.tried
	e.inPlace(arm, n, step{keyword: "anyOf"})
	slips := 0
	for _, v := range e.list {
		if v.Hint != "" && !strings.HasPrefix(v.Hint, armHint) {
			slips++
		}
	}
	tried := e.compared
	*e = before
	e.tried = tried
	return slips
}

// unionTypes returns the types that some arm admits.
func unionTypes(arms []*ir.Schema) ir.TypeSet {
	var types ir.TypeSet
	for _, a := range arms {
		types |= a.Admits
	}
	return types
}

func (e *explainer) not(s *ir.Schema, k ir.Keyword, n int) {
	switch e.verdict(s.Not, n) {
	case wire.Valid:
		if v := e.report(s, k, n); v != nil {
			v.Expected = "a value that does not match the schema under not"
			v.Message = fmt.Sprintf("%s matches a schema that it must not match", e.subject())
			if words := oneRule(s.Not); words != "" {
				v.Expected = "anything but " + words
				v.Message = fmt.Sprintf("%s must not be %s", e.subject(), words)
			}
		}
	case wire.Undecided:
		e.inPlace(s.Not, n, through(k.Source))
	}
}

// oneRule says in words what a schema allows that has one rule, "" for another one.
func oneRule(s *ir.Schema) string {
	if s == nil || len(s.Keywords) != 1 {
		return ""
	}
	switch {
	case s.Types != 0:
		return typeWords(s.Types, true)
	case s.Const != nil:
		return shorten(string(s.Const.Raw))
	case len(s.Enum) > 0:
		return oneOfWords(s.Enum)
	case s.Object != nil && s.Keywords[0].Name == "required" && len(s.Object.Required) == 1:
		return "an object with the member " + shorten(strconv.Quote(s.Object.Required[0]))
	}
	return ""
}

// conditional explains if/then/else: the branch that applies, or what left the condition undecided where
// the branches differ.
func (e *explainer) conditional(s *ir.Schema, n int) {
	branch := func(b *ir.Schema) wire.Verdict {
		if b == nil {
			return wire.Valid
		}
		return e.verdict(b, n)
	}
	switch e.verdict(s.If, n) {
	case wire.Valid:
		if branch(s.Then) != wire.Valid {
			e.inPlace(s.Then, n, through("then"))
		}
	case wire.Invalid:
		if branch(s.Else) != wire.Valid {
			e.inPlace(s.Else, n, through("else"))
		}
	default:
		then, none := branch(s.Then), branch(s.Else)
		switch {
		case then == wire.Valid && none == wire.Valid:
		case then == none:
			e.inPlace(s.Then, n, through("then"))
		default:
			e.inPlace(s.If, n, through("if"))
		}
	}
}
