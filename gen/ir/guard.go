package ir

import "slices"

// guardOf returns a necessary condition on one member, exact if one can be had, else on the first
// member that s restricts to constants.
func guardOf(s *Schema) *Guard {
	if g := exactGuard(s); g != nil {
		return g
	}
	for _, name := range ask().candidates(s, nil) {
		if g := guardOn(s, name); g.Values != nil {
			return g
		}
	}
	return nil
}

// guardOn returns the condition that s puts on one member. Values is nil when every value may do.
func guardOn(s *Schema, name string) *Guard {
	g := &Guard{Member: name, NotObject: s.Admits&notObject != 0}
	if s.Admits&TypeObject == 0 {
		g.Values = []Value{} // no object passes
		return g
	}
	g.Values = ask().memberValues(s, name)
	g.Absent = !ask().requires(s, name)
	return g
}

// exactGuard collects the rules of s and of everything that s conjoins, and succeeds when together
// they say this and nothing else: one member has one of these values, is perhaps required, and the
// instance is perhaps an object.
//
// The usual form is {"properties": {"kind": {"const": "a"}}, "required": ["kind"]}. Without "required"
// an object without the member passes; without "type": "object" everything that is no object passes.
// Authors forget both, and then the rule holds more often than they think. The guard says exactly what
// the schema says.
func exactGuard(s *Schema) *Guard {
	e := exactness{question: *ask()}
	if !e.collect(s) || e.member == "" && !e.named || e.values == nil {
		return nil
	}
	for _, name := range e.required {
		if name != e.member {
			return nil
		}
	}
	return &Guard{
		Member: e.member, Values: e.values,
		Absent: len(e.required) == 0, NotObject: !e.object, Exact: true,
	}
}

// exactness is what collect has seen. named tells the member "" from none.
type exactness struct {
	question
	member   string
	named    bool
	values   valueSet
	required []string
	object   bool
}

func (e *exactness) collect(s *Schema) bool {
	if !e.spend() || s.Never || s.Const != nil || s.Enum != nil ||
		s.Number != nil || s.String != nil || s.Array != nil ||
		s.AnyOf != nil || s.OneOf != nil || s.Not != nil || s.If != nil {
		return false
	}
	switch s.Types {
	case 0:
	case TypeObject:
		e.object = true
	default:
		return false
	}
	if o := s.Object; o != nil {
		if o.Patterns != nil || o.Additional != nil || o.Names != nil || o.MinMembers > 0 || o.MaxMembers >= 0 ||
			o.DependentRequired != nil || o.DependentSchemas != nil || o.Unevaluated != nil {
			return false
		}
		for _, p := range o.Properties {
			if e.named && p.Name != e.member || !e.exactValues(p.Schema) {
				return false
			}
			e.member, e.named = p.Name, true
			if e.values = e.values.and(ask().values(p.Schema)); e.values == nil {
				return false
			}
		}
		e.required = append(e.required, o.Required...)
	}
	if s.Ref != nil && !e.collect(s.Ref) {
		return false
	}
	return !slices.ContainsFunc(s.AllOf, func(a *Schema) bool { return !e.collect(a) })
}
