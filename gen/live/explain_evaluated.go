package live

import (
	"cmp"
	"fmt"
	"slices"

	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// unevaluated explains unevaluatedProperties or unevaluatedItems: every member or element that no rule has
// evaluated and that the keyword's schema does not allow. While something else is wrong with the value, those
// that a failed union speaks of are left out: the union is explained.
func (e *explainer) unevaluated(s *ir.Schema, k ir.Keyword, n int, rest *ir.Schema) {
	if rest == nil || e.r.nodes[n].Count == 0 {
		return
	}
	broken := e.verdict(s, n) == wire.Invalid
	base := e.set.gather(e.r, s, n, true)
	defer func() { e.r.marks = e.r.marks[:base] }()
	first := -1 // element that is not evaluated
	i := 0
	for c := e.r.firstPart(n); c < int(e.r.nodes[n].Next) && !e.full(); c = e.r.nextPart(n, c) {
		mark := evaluated(e.r.marks[base+i])
		if mark == unseen && first < 0 {
			first = i
		}
		if mark != surely && (mark == unseen || !broken) && e.verdict(rest, c) != wire.Valid {
			if mark == perhaps && e.verdict(rest, c) == wire.Invalid {
				e.part(n, c, i, func() { e.perhapsEvaluated(s, k, c) })
			} else {
				e.leftOver(s, k, rest, n, c, i, first)
			}
		}
		i++
	}
}

// perhapsEvaluated reports a value that the keyword refuses unless another rule, which nobody could decide, has
// evaluated it.
func (e *explainer) perhapsEvaluated(s *ir.Schema, k ir.Keyword, c int) {
	if v := e.report(s, k, c); v != nil {
		v.Expected = "a value that another rule evaluates"
		undecided(v, errcode.LimitPattern, "whether another rule evaluates this value was left undecided by a limit")
	}
}

// leftOver explains one of them; first is the number of the first element that is none's.
func (e *explainer) leftOver(s *ir.Schema, k ir.Keyword, rest *ir.Schema, n, c, i, first int) {
	if e.r.nodes[n].Kind == wire.KindObject {
		if v := e.inMember(c-1, rest, through(k.Source)); v != nil {
			v.Hint = e.leftOverHint(e.r.t.String(c-1), e.namesIn(s))
		}
		return
	}
	before := len(e.list)
	e.element(i, func() { e.explain(rest, c, through(k.Source)) })
	if rest.Never && len(e.list) > before {
		v := &e.list[before]
		v.Message = fmt.Sprintf("element %d is not allowed", i)
		v.Hint = "no rule that holds for the array knows the element"
		if first == i {
			v.Hint = fmt.Sprintf("the rules that hold for the array know %s", quantity(i, "element"))
		}
	}
}

func (e *explainer) leftOverHint(name string, known []string) string {
	if slices.Contains(known, name) {
		return "the member belongs to a rule that does not hold for the object"
	}
	return cmp.Or(e.didYouMean(name, known), "no rule that holds for the object knows the member")
}

// part walks into the member or element of n at c, number i.
func (e *explainer) part(n, c, i int, visit func()) {
	if e.r.nodes[n].Kind == wire.KindObject {
		e.member(c-1, visit)
	} else {
		e.element(i, visit)
	}
}

// namesIn returns the names that s and the schemas on the same value declare, not more than a search for a close
// one looks at.
func (e *explainer) namesIn(s *ir.Schema) (names []string) {
	seen := map[*ir.Schema]bool{}
	var visit func(s *ir.Schema)
	visit = func(s *ir.Schema) {
		if s == nil || seen[s] || len(seen) >= maxCandidates || len(names) >= maxCandidates {
			return
		}
		seen[s] = true
		if s.Object != nil {
			names = append(names, declaredNames(s.Object)...)
			for _, d := range s.Object.DependentSchemas {
				visit(d.Schema)
			}
		}
		for _, list := range [][]*ir.Schema{{s.Ref, s.If, s.Then, s.Else}, s.AllOf, s.AnyOf, s.OneOf} {
			for _, a := range list {
				visit(a)
			}
		}
	}
	visit(s)
	return names
}
