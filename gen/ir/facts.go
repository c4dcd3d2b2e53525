package ir

import (
	"slices"

	"vcp.core/contract/wire"
)

// This file asks a schema what must be true of every value that it accepts, without judging anything.
// Guards, dispatches and decisions are made of the answers.
//
// An answer is a necessary condition. It may be weaker than the truth, never stronger: "I do not know"
// is the weakest answer and always right. That makes composition simple. A conjunction (the schema's
// own rules, $ref, allOf) may take the strongest of its parts; a disjunction (anyOf, oneOf) must take
// what all its parts say; not, if and rules about other things say nothing.
//
// Exactness is asked apart: a schema is exact about a fact when the fact is also sufficient. Here the
// weakest answer is "no".
//
// Questions follow edges that stay on the same value. resolve refuses cycles of such edges, but the
// graph below one schema may be large and reached again and again (each allOf twice the last). So a
// question carries a budget of schemas to look at, and an exhausted budget answers "I do not know". Sets
// of constants that are united cost as much as a schema for every four.

// question bounds one inquiry.
type question struct{ budget int }

// questionBudget is generous for schemas that people write: a discriminator stands within a few steps.
const questionBudget = 1024

// maxValues bounds the constants that a fact carries; an enum beyond it discriminates nothing.
const maxValues = 4096

func ask() *question { return &question{budget: questionBudget} }

func (q *question) spend() bool {
	q.budget--
	return q.budget >= 0
}

// Types in facts are normalised: TypeInteger means integers, TypeNumber the numbers that are none.
const (
	anyNumber = TypeInteger | TypeNumber
	anyType   = TypeNull | TypeBoolean | anyNumber | TypeString | TypeArray | TypeObject
	notObject = anyType &^ TypeObject
)

func normalised(t TypeSet) TypeSet {
	switch {
	case t == 0:
		return anyType
	case t&TypeNumber != 0:
		return t | TypeInteger
	}
	return t
}

func typeOf(v *Value) TypeSet {
	switch v.Kind {
	case wire.KindNull:
		return TypeNull
	case wire.KindFalse, wire.KindTrue:
		return TypeBoolean
	case wire.KindNumber:
		if d, ok := wire.ParseDecimal(v.Canonical); ok && d.IsInteger() {
			return TypeInteger
		}
		return TypeNumber
	case wire.KindString:
		return TypeString
	case wire.KindArray:
		return TypeArray
	}
	return TypeObject
}

// admit sets Admits everywhere. Unlike the other questions this one is asked of every schema, so answers
// are kept and each schema is looked at once. Recursion is bounded by the depth of in-place nesting, which
// resolve limits.
func admit(p *Program) {
	const (
		open = iota + 1
		done
	)
	state := make([]uint8, len(p.Schemas))
	var types func(s *Schema) TypeSet
	types = func(s *Schema) TypeSet {
		switch state[s.ID] {
		case done:
			return s.Admits
		case open:
			return anyType // a cycle, which resolve refuses
		}
		state[s.ID] = open
		set := ownTypes(s)
		if s.Ref != nil {
			set &= types(s.Ref)
		}
		for _, a := range s.AllOf {
			set &= types(a)
		}
		for _, union := range [][]*Schema{s.AnyOf, s.OneOf} {
			if union == nil {
				continue
			}
			var either TypeSet
			for _, a := range union {
				either |= types(a)
			}
			set &= either
		}
		s.Admits = set
		state[s.ID] = done
		return set
	}
	for _, s := range p.Schemas {
		types(s)
	}
}

// ownTypes is what type, const and enum admit.
func ownTypes(s *Schema) TypeSet {
	if s.Never {
		return 0
	}
	set := normalised(s.Types)
	if s.Const != nil {
		set &= typeOf(s.Const)
	}
	if s.Enum != nil {
		var kinds TypeSet
		for i := range s.Enum {
			kinds |= typeOf(&s.Enum[i])
		}
		set &= kinds
	}
	return set
}

// valueSet is the scalars that a valid value must be one of; nil means that any value may do.
type valueSet []Value

// and intersects. nil is the set of everything.
func (s valueSet) and(o valueSet) valueSet {
	if s == nil {
		return o
	}
	if o == nil {
		return s
	}
	in := make(map[string]bool, len(o))
	for i := range o {
		in[o[i].Canonical] = true
	}
	both := valueSet{}
	for i := range s {
		if in[s[i].Canonical] {
			both = append(both, s[i])
		}
	}
	return both
}

// or unites, without repetition.
func (s valueSet) or(o valueSet) valueSet {
	if s == nil || o == nil {
		return nil
	}
	in := make(map[string]bool, len(s))
	for i := range s {
		in[s[i].Canonical] = true
	}
	either := slices.Clone(s)
	for i := range o {
		if !in[o[i].Canonical] {
			in[o[i].Canonical] = true
			either = append(either, o[i])
		}
	}
	if len(either) > maxValues {
		return nil
	}
	return either
}

// unite is or, within the budget.
func (q *question) unite(s, o valueSet) valueSet {
	either := s.or(o)
	if q.budget -= len(either) / 4; q.budget < 0 {
		return nil
	}
	return either
}

// values returns the constants that a valid value must equal one of.
func (q *question) values(s *Schema) valueSet {
	if !q.spend() {
		return nil
	}
	if s.Never {
		return valueSet{}
	}
	set := ownValues(s)
	if s.Ref != nil {
		set = set.and(q.values(s.Ref))
	}
	for _, a := range s.AllOf {
		set = set.and(q.values(a))
	}
	for _, union := range [][]*Schema{s.AnyOf, s.OneOf} {
		if union == nil {
			continue
		}
		either := valueSet{}
		for _, a := range union {
			if either = q.unite(either, q.values(a)); either == nil {
				break
			}
		}
		set = set.and(either)
	}
	if set == nil {
		return nil
	}
	types := normalised(s.Types)
	kept := valueSet{}
	for i := range set {
		if types&typeOf(&set[i]) != 0 {
			kept = append(kept, set[i])
		}
	}
	return kept
}

// ownValues are the values of const and enum. A constant that is no scalar makes the set unknown: a
// member is compared with the set in one lookup, and only scalars allow that.
func ownValues(s *Schema) valueSet {
	var set valueSet
	if s.Const != nil {
		if s.Const.Kind >= wire.KindArray {
			return nil
		}
		set = valueSet{*s.Const}
	}
	if s.Enum != nil {
		if len(s.Enum) > maxValues {
			return set
		}
		for i := range s.Enum {
			if s.Enum[i].Kind >= wire.KindArray {
				return set
			}
		}
		set = set.and(valueSet{}.or(s.Enum))
	}
	return set
}

// Values returns the scalars that a valid value must equal one of, without repetition, nil when they are
// not known. The condition is necessary, not sufficient: a listed value may still be invalid.
func (s *Schema) Values() []Value { return ask().values(s) }

// exactValues reports whether values(s) is all that s demands.
func (q *question) exactValues(s *Schema) bool {
	if !q.spend() || s.Never {
		return false
	}
	if s.Number != nil || s.String != nil || s.Array != nil || s.Object != nil || s.OneOf != nil || s.Not != nil || s.If != nil {
		return false
	}
	if (s.Const != nil || s.Enum != nil) && ownValues(s) == nil {
		return false
	}
	if s.Const == nil && s.Enum == nil && s.Ref == nil && s.AllOf == nil && s.AnyOf == nil {
		return false // a type, or nothing: its values are not listed
	}
	if s.Ref != nil && !q.exactValues(s.Ref) {
		return false
	}
	for _, a := range s.AllOf {
		if !q.exactValues(a) {
			return false
		}
	}
	for _, a := range s.AnyOf {
		if !q.exactValues(a) {
			return false
		}
	}
	return true
}

// requires reports whether an object must have the member.
func (q *question) requires(s *Schema, name string) bool {
	if !q.spend() {
		return false
	}
	if s.Never || s.Object != nil && slices.Contains(s.Object.Required, name) {
		return true
	}
	if s.Ref != nil && q.requires(s.Ref, name) {
		return true
	}
	for _, a := range s.AllOf {
		if q.requires(a, name) {
			return true
		}
	}
	for _, union := range [][]*Schema{s.AnyOf, s.OneOf} {
		if union != nil && !slices.ContainsFunc(union, func(a *Schema) bool { return !q.requires(a, name) }) {
			return true
		}
	}
	return false
}

// memberValues returns what the member of an object must be one of, if it is present.
func (q *question) memberValues(s *Schema, name string) valueSet {
	if !q.spend() {
		return nil
	}
	if s.Never {
		return valueSet{}
	}
	var set valueSet
	if s.Object != nil {
		for _, p := range s.Object.Properties {
			if p.Name == name {
				set = q.values(p.Schema)
				break
			}
		}
	}
	if s.Ref != nil {
		set = set.and(q.memberValues(s.Ref, name))
	}
	for _, a := range s.AllOf {
		set = set.and(q.memberValues(a, name))
	}
	for _, union := range [][]*Schema{s.AnyOf, s.OneOf} {
		if union == nil {
			continue
		}
		either := valueSet{}
		for _, a := range union {
			if a.Admits&TypeObject == 0 {
				continue // no object passes this arm, so it adds no value
			}
			if either = q.unite(either, q.memberValues(a, name)); either == nil {
				break
			}
		}
		set = set.and(either)
	}
	return set
}

// maxCandidates bounds how many members are tried as a discriminator.
const maxCandidates = 32

// candidates appends the members that s may restrict to constants, in the order of the source.
func (q *question) candidates(s *Schema, names []string) []string {
	if !q.spend() || s.Never {
		return names
	}
	if s.Object != nil {
		for _, p := range s.Object.Properties {
			if len(names) == maxCandidates {
				return names
			}
			if !slices.Contains(names, p.Name) && q.values(p.Schema) != nil {
				names = append(names, p.Name)
			}
		}
	}
	if s.Ref != nil {
		names = q.candidates(s.Ref, names)
	}
	for _, list := range [][]*Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for _, a := range list {
			names = q.candidates(a, names)
		}
	}
	return names
}
