package ir

import "slices"

// markEvaluating marks what a back end asks again to learn what a schema with Unevaluated has evaluated: the
// arms and conditions on the same value, and what contains asks of its elements.
func markEvaluating(p *Program) {
	seen := make([]bool, len(p.Schemas))
	var queue []*Schema
	reach := func(s *Schema, asked bool) {
		if s == nil {
			return
		}
		s = s.Target()
		s.Shared = s.Shared || asked && s.HasParts()
		if !seen[s.ID] {
			seen[s.ID] = true
			queue = append(queue, s)
		}
	}
	for _, s := range p.Schemas {
		for _, u := range s.unevaluated() {
			if !u.Trivial() {
				reach(s, false)
			}
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		reach(s.Ref, false)
		for _, a := range s.AllOf {
			reach(a, false)
		}
		for _, a := range slices.Concat(s.AnyOf, s.OneOf) {
			reach(a, true)
		}
		reach(s.If, true)
		reach(s.Then, false)
		reach(s.Else, false)
		if s.Object != nil {
			for _, d := range s.Object.DependentSchemas {
				reach(d.Schema, false)
			}
		}
		if s.Array != nil && s.Array.Contains != nil {
			if c := s.Array.Contains.Schema.Target(); c.HasParts() {
				c.Shared = true
			}
		}
	}
}

// unevaluated returns the rules of s for what nothing else has evaluated.
func (s *Schema) unevaluated() (list []*Schema) {
	if s.Array != nil && s.Array.Unevaluated != nil {
		list = append(list, s.Array.Unevaluated)
	}
	if s.Object != nil && s.Object.Unevaluated != nil {
		list = append(list, s.Object.Unevaluated)
	}
	return list
}
