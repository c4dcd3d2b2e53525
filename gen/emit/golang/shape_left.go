package golang

import (
	"slices"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// The rules for what nothing else has evaluated, as far as types can count on them: what no schema around the rule
// ever evaluates, whatever holds, is subject to it. An object with unevaluatedProperties false has no members but
// those that some schema names, and the elements after all prefixes are what unevaluatedItems says.

// claim is what may be evaluated of the parts of a value before the rule of a schema gets its turn.
type claim struct {
	all      bool // anything, or more than planning looks at
	names    map[string]bool
	patterns []*ir.ObjectRules // of which some names are matched
	prefix   int
}

type claimKey struct {
	schema *ir.Schema
	kind   wire.Kinds
}

func hasLeftover(s *ir.Schema) bool {
	return slices.ContainsFunc(partKinds, func(kind wire.Kinds) bool { return leftover(s, kind) != nil })
}

// leftMember returns the rule of part p for what is left, if the member of that name is subject to it for certain.
func (v *view) leftMember(p *ir.Schema, name string) *ir.Schema {
	rest := leftover(p, wire.AnObject)
	if rest == nil {
		return nil
	}
	c := v.claimOf(p, wire.AnObject)
	if c.all || c.names[name] || slices.ContainsFunc(c.patterns, func(o *ir.ObjectRules) bool { return mayMatch(o, name) }) {
		return nil
	}
	return rest
}

func mayMatch(o *ir.ObjectRules, name string) bool {
	return slices.ContainsFunc(o.Patterns, func(p ir.PatternProperty) bool {
		matched, decided := p.Pattern.Match([]byte(name))
		return matched || !decided
	})
}

// leftExtras returns the rule of part p for what is left, if members without a declared name are subject to it:
// all of them, or those that no pattern of an object's rules matches.
func (v *view) leftExtras(p *ir.Schema) (rest *ir.Schema, patterns *ir.ObjectRules) {
	rest = leftover(p, wire.AnObject)
	if rest == nil {
		return nil, nil
	}
	c := v.claimOf(p, wire.AnObject)
	if c.all || len(c.patterns) > 1 {
		return nil, nil
	}
	known := map[string]bool{}
	for _, name := range v.memberNames() {
		known[name] = true
	}
	for name := range c.names {
		if !known[name] {
			return nil, nil
		}
	}
	if len(c.patterns) == 1 {
		// extras tells members apart by the patterns of one part.
		for _, q := range v.parts {
			if q.Object != nil && q.Object.Patterns != nil && q.Object != c.patterns[0] {
				return nil, nil
			}
		}
		patterns = c.patterns[0]
		if !slices.ContainsFunc(v.parts, func(q *ir.Schema) bool { return q.Object == patterns }) {
			return nil, nil
		}
	}
	return rest, patterns
}

// leftElement returns the rule of part p for what is left, if element i and those after it are subject to it.
func (v *view) leftElement(p *ir.Schema, i int) *ir.Schema {
	rest := leftover(p, wire.AnArray)
	if rest == nil {
		return nil
	}
	if c := v.claimOf(p, wire.AnArray); c.all || i < c.prefix {
		return nil
	}
	return rest
}

// claimOf finds out what may be evaluated around the rule of s.
func (v *view) claimOf(s *ir.Schema, kind wire.Kinds) *claim {
	key := claimKey{s, kind}
	if c, ok := v.claims[key]; ok {
		return c
	}
	w := claimWalk{view: v, kind: kind, seen: map[*ir.Schema]bool{}, claim: &claim{names: map[string]bool{}}}
	w.schema(s, true)
	if v.claims == nil {
		v.claims = map[claimKey]*claim{}
	}
	v.claims[key] = w.claim
	return w.claim
}

type claimWalk struct {
	*view
	*claim
	kind wire.Kinds
	seen map[*ir.Schema]bool
}

// schema adds what s and all that may apply with it evaluate.
func (w *claimWalk) schema(s *ir.Schema, root bool) {
	if s == nil || w.all {
		return
	}
	s = s.Target()
	if w.seen[s] || kindsOf(s.Admits)&w.kind == 0 {
		return
	}
	w.seen[s] = true
	own := reach{kind: w.kind}
	own.rules(s, root)
	w.all = w.all || own.all || len(own.contains) > 0 || len(w.seen) > maxParts
	for _, name := range own.names {
		w.names[name] = true
	}
	if len(own.patterns) > 0 {
		w.patterns = append(w.patterns, s.Object)
	}
	w.claim.prefix = max(w.claim.prefix, own.prefix)
	w.schema(s.Ref, false)
	for _, a := range s.AllOf {
		w.schema(a, false)
	}
	for _, u := range unionsOf(s) {
		d, solved := w.solution(s, u.keyword)
		for _, a := range u.arms {
			if solved && d.alone && !slices.Contains(w.parts, a.Target()) {
				continue
			}
			w.schema(a, false)
		}
	}
	w.schema(s.If, false)
	w.schema(s.Then, false)
	w.schema(s.Else, false)
	if s.Object != nil && w.kind == wire.AnObject {
		for _, d := range s.Object.DependentSchemas {
			w.schema(d.Schema, false)
		}
	}
}
