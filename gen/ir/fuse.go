package ir

import (
	"cmp"
	"slices"
)

// Fusion. A union whose arms each demand a constant of the same member (a discriminator), and an if
// whose condition is such a demand, need not be judged by trying: one look at the member tells which
// arms or branches can matter. This file makes the tables for that look.
//
// For a union, take every arm's necessary condition on the member. For each constant that any arm
// names, for all other values, for a missing member and for a value that is no object, list the arms
// whose condition allows it. An arm outside the list is invalid, because its condition is necessary.
// An arm inside is still judged. So the table is right for every union, disjoint or not, with arms that
// have no condition standing in every case; it is worth having when it leaves arms out.
//
// For conditions, "necessary" is not enough: an if that fails makes its else apply. Only exact guards
// take part. For each constant, list the then of each condition that allows it and the else of each
// other. All listed schemas apply. Conditions on the same member, the schema's own if and any allOf
// arm that is an if and nothing more, share one table: a status matrix of twenty rules costs one look.

// maxCells bounds a table. Beyond it (a thousand arms with a thousand constants each) trying is cheaper
// to build and no worse to run.
const maxCells = 1 << 16

// fuse computes Guard, AnyBy, OneBy and Decisions around one schema.
func fuse(s *Schema) {
	s.AnyBy = dispatch(s.AnyOf)
	s.OneBy = dispatch(s.OneOf)
	guardArms(s.AnyOf, s.AnyBy)
	guardArms(s.OneOf, s.OneBy)
	if s.If != nil && s.If.Guard == nil {
		s.If.Guard = guardOf(s.If)
	}
	s.Decisions = decisions(s)
}

// guardArms gives every arm its guard: on the member that the union is sorted by, if there is one.
func guardArms(arms []*Schema, by *Dispatch) {
	for _, a := range arms {
		if a.Guard != nil {
			continue
		}
		a.Guard = guardOf(a)
		if by != nil && (a.Guard == nil || a.Guard.Member != by.Member) {
			if g := guardOn(a, by.Member); g.Values != nil {
				a.Guard = g
			}
		}
	}
}

// dispatch returns the best table for a union, nil when no member tells its arms apart: the one whose
// largest case is smallest, then the one that leaves fewest arms when the member says nothing, then the
// first in the source.
func dispatch(arms []*Schema) *Dispatch {
	if len(arms) < 2 {
		return nil
	}
	var names []string
	for _, a := range arms {
		names = ask().candidates(a, names)
	}
	var best *Dispatch
	for _, name := range names {
		d := dispatchOn(arms, name)
		if d != nil && (best == nil || cmp.Or(
			cmp.Compare(d.largest(), best.largest()),
			cmp.Compare(len(d.Other)+len(d.Absent), len(best.Other)+len(best.Absent)),
		) < 0) {
			best = d
		}
	}
	return best
}

// largest returns the size of the largest case that an object can select.
func (d *Dispatch) largest() int {
	n := max(len(d.Other), len(d.Absent))
	for _, c := range d.Cases {
		n = max(n, len(c))
	}
	return n
}

// dispatchOn makes the table for one member, nil when it is not worth having. Arms that no object passes
// need no constant to be told apart; at least two others must name one.
func dispatchOn(arms []*Schema, name string) *Dispatch {
	d := &Dispatch{Member: name}
	guards := make([]*Guard, len(arms))
	naming := 0
	index := make(map[string]int)
	for i, a := range arms {
		g := guardOn(a, name)
		guards[i] = g
		if g.Values != nil && (len(g.Values) > 0 || g.Absent) {
			naming++
		}
		for _, v := range g.Values {
			if _, ok := index[v.Canonical]; !ok {
				index[v.Canonical] = len(d.Values)
				d.Values = append(d.Values, v)
			}
		}
	}
	if naming < 2 {
		return nil
	}
	d.Cases = make([][]int, len(d.Values))
	cells := 0
	for i, g := range guards {
		if g.NotObject {
			d.NotObject = append(d.NotObject, i)
		}
		if g.Absent {
			d.Absent = append(d.Absent, i)
		}
		if g.Values == nil {
			d.Other = append(d.Other, i)
			for c := range d.Cases {
				d.Cases[c] = append(d.Cases[c], i)
			}
			cells += len(d.Cases)
		} else {
			for _, v := range g.Values {
				c := index[v.Canonical]
				d.Cases[c] = append(d.Cases[c], i)
			}
			cells += len(g.Values)
		}
		if cells > maxCells {
			return nil
		}
	}
	d.Disjoint = d.largest() <= 1
	return d
}

// condition is one if/then/else that an exact guard decides.
type condition struct {
	guard      *Guard
	then, none *Schema
	arm        int // index in AllOf, -1 for the schema's own
}

func decisions(s *Schema) []*Decision {
	var members []string
	groups := make(map[string][]condition)
	add := func(rule *Schema, arm int) {
		if rule.If.Guard == nil {
			rule.If.Guard = guardOf(rule.If)
		}
		g := rule.If.Guard
		if g == nil || !g.Exact {
			return
		}
		if groups[g.Member] == nil {
			members = append(members, g.Member)
		}
		groups[g.Member] = append(groups[g.Member], condition{g, rule.Then, rule.Else, arm})
	}
	if s.If != nil {
		add(s, -1)
	}
	for i, a := range s.AllOf {
		if rule := a.Target(); onlyConditional(rule) {
			add(rule, i)
		}
	}
	var list []*Decision
	for _, m := range members {
		if d := decide(m, groups[m]); d != nil {
			list = append(list, d)
		}
	}
	return list
}

// decide makes the table of the conditions on one member, nil when it would be too large.
func decide(member string, conditions []condition) *Decision {
	d := &Decision{Dispatch: Dispatch{Member: member}}
	index := make(map[string]int)
	for _, c := range conditions {
		for _, v := range c.guard.Values {
			if _, ok := index[v.Canonical]; !ok {
				index[v.Canonical] = len(d.Values)
				d.Values = append(d.Values, v)
			}
		}
		if len(d.Values)*len(conditions) > maxCells {
			return nil
		}
	}
	rules := make(map[*Schema]int)
	rule := func(s *Schema) int {
		if s == nil || s.Trivial() {
			return -1 // says nothing
		}
		i, ok := rules[s]
		if !ok {
			i = len(d.Rules)
			rules[s] = i
			d.Rules = append(d.Rules, s)
		}
		return i
	}
	// One list for each value, then those for other values, no member and no object.
	n := len(d.Values)
	lists := make([][]int, n+3)
	holds := make([]bool, n+3)
	for _, c := range conditions {
		if c.arm < 0 {
			d.Own = true
		} else {
			d.Arms = append(d.Arms, c.arm)
		}
		then, none := rule(c.then), rule(c.none)
		clear(holds)
		for _, v := range c.guard.Values {
			holds[index[v.Canonical]] = true
		}
		holds[n+1], holds[n+2] = c.guard.Absent, c.guard.NotObject
		for i := range lists {
			use := none
			if holds[i] {
				use = then
			}
			if use >= 0 {
				lists[i] = append(lists[i], use)
			}
		}
	}
	for i := range lists {
		slices.Sort(lists[i])
		lists[i] = slices.Compact(lists[i])
	}
	d.Cases, d.Other, d.Absent, d.NotObject = lists[:n:n], lists[n], lists[n+1], lists[n+2]
	return d
}

// onlyConditional reports whether a schema is an if/then/else and nothing more.
func onlyConditional(s *Schema) bool {
	if s.If == nil {
		return false
	}
	rest := *s
	rest.If, rest.Then, rest.Else = nil, nil, nil
	return rest.Trivial()
}

// Trivial reports whether the schema has no rule at all: every value is valid.
func (s *Schema) Trivial() bool {
	return !s.Never && s.Types == 0 && s.onlyRef() && s.Ref == nil
}

// Target follows references that stand alone: the schema that judges for s. A chain of references is
// finite, because resolve refuses cycles of them.
func (s *Schema) Target() *Schema {
	for s.Ref != nil && !s.Never && s.Types == 0 && s.onlyRef() {
		s = s.Ref
	}
	return s
}

// onlyRef reports whether Never, Types and Ref aside there is no rule.
func (s *Schema) onlyRef() bool {
	return s.Const == nil && s.Enum == nil && s.Number == nil && s.String == nil && s.Array == nil &&
		s.Object == nil && s.AllOf == nil && s.AnyOf == nil && s.OneOf == nil && s.Not == nil && s.If == nil
}
