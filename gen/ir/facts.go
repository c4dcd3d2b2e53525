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
// question carries a budget of schemas to look at, and an exhausted budget answers "I do not know".

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

// types returns the types that a valid value may have.
func (q *question) types(s *Schema) TypeSet {
	if !q.spend() {
		return anyType
	}
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
	if s.Ref != nil {
		set &= q.types(s.Ref)
	}
	for _, a := range s.AllOf {
		set &= q.types(a)
	}
	for _, union := range [][]*Schema{s.AnyOf, s.OneOf} {
		if union == nil {
			continue
		}
		var any TypeSet
		for _, a := range union {
			any |= q.types(a)
		}
		set &= any
	}
	return set
}

// valueSet is the scalars that a valid value must be one of; nil means that any value may do.
type valueSet []Value

func (s valueSet) has(v *Value) bool {
	return slices.ContainsFunc(s, func(o Value) bool { return o.Canonical == v.Canonical })
}

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
			if either = either.or(q.values(a)); either == nil {
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
		list := valueSet{}
		for i := range s.Enum {
			if s.Enum[i].Kind >= wire.KindArray {
				return set
			}
			list = list.or(valueSet{s.Enum[i]})
		}
		set = set.and(list)
	}
	return set
}

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
			if q.types(a)&TypeObject == 0 {
				continue // no object passes this arm, so it adds no value
			}
			if either = either.or(q.memberValues(a, name)); either == nil {
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
