//go:build knockout

package ir

import (
	"os"
	"slices"
	"strings"

	"vcp.core/contract/wire"
)

// This file is part of test builds alone: builds with the tag "knockout". It lets fuzz/knockout ask
// whether the tests would notice that a back end forgot a keyword.
//
// VCP_KNOCKOUT names a back end and one rule, as in "live:minLength". The program that lowering made stays
// as it is; that back end alone gets a copy in which the rule is not there, so none of its code for the
// rule runs, while everything around it (guards, dispatch, the other back end) works as before.
//
// A rule is a keyword, or one form of a keyword for which back ends have code of their own:
// "minimum/wide" is a bound beyond 64 bits or with a fraction.

// Knockout returns p as a back end sees it: p itself, unless VCP_KNOCKOUT names that back end.
//
// "explain" is the walk of gen/live that lists violations. It looks at the same program, so for it the
// rule stays and only the mention of the keyword is gone ([Schema.Keywords]).
func Knockout(p *Program, backEnd string) *Program {
	setting := os.Getenv("VCP_KNOCKOUT")
	if setting == "" || p == nil {
		return p
	}
	who, rule, _ := strings.Cut(setting, ":")
	drop := knockouts[rule]
	switch {
	case drop == nil || !slices.Contains([]string{"live", "explain", "go"}, who):
		panic("VCP_KNOCKOUT: there is no rule " + setting)
	case who == "explain" && backEnd == "live":
		drop = whole(func(*Schema, *knocked) {})
	case who != backEnd:
		return p
	}
	k := copied(p)
	keyword, _, _ := strings.Cut(rule, "/")
	for _, s := range k.Schemas {
		if drop(s, k) {
			s.Keywords = slices.DeleteFunc(s.Keywords, func(w Keyword) bool { return w.Name == keyword })
		}
	}
	k.always.ID = len(k.Schemas)
	k.Schemas = append(k.Schemas, k.always)
	admit(&k.Program)
	return &k.Program
}

// knocked is a copy of a program that is about to lose a rule.
type knocked struct {
	Program
	always     *Schema          // accepts everything: what stands where a schema must stand
	decided    map[*Schema]bool // elements of allOf that a decision replaces
	then, none map[*Schema]bool // schemas under then and else
}

// copied copies everything but constants, patterns and annotations, which nobody writes to.
func copied(p *Program) *knocked {
	k := &knocked{always: &Schema{}, decided: map[*Schema]bool{}, then: map[*Schema]bool{}, none: map[*Schema]bool{}}
	all := make([]Schema, len(p.Schemas))
	one := func(s *Schema) *Schema {
		if s == nil {
			return nil
		}
		return &all[s.ID]
	}
	list := func(from []*Schema) []*Schema {
		to := slices.Clone(from) // nil stays nil
		for i, s := range to {
			to[i] = one(s)
		}
		return to
	}
	pairs := func(from []Property) []Property {
		to := slices.Clone(from)
		for i := range to {
			to[i].Schema = one(to[i].Schema)
		}
		return to
	}
	for i, from := range p.Schemas {
		s := &all[i]
		*s = *from
		k.Schemas = append(k.Schemas, s)
		s.Keywords = slices.Clone(s.Keywords)
		s.Number, s.String = clone(s.Number), clone(s.String)
		if s.Array = clone(s.Array); s.Array != nil {
			s.Array.Prefix, s.Array.Items, s.Array.Unevaluated = list(s.Array.Prefix), one(s.Array.Items), one(s.Array.Unevaluated)
			if s.Array.Contains = clone(s.Array.Contains); s.Array.Contains != nil {
				s.Array.Contains.Schema = one(s.Array.Contains.Schema)
			}
		}
		if o := clone(s.Object); o != nil {
			s.Object = o
			o.Properties, o.DependentSchemas = pairs(o.Properties), pairs(o.DependentSchemas)
			o.Additional, o.Names, o.Unevaluated = one(o.Additional), one(o.Names), one(o.Unevaluated)
			o.Patterns = slices.Clone(o.Patterns)
			for i := range o.Patterns {
				o.Patterns[i].Schema = one(o.Patterns[i].Schema)
			}
		}
		s.Ref, s.Not, s.If, s.Then, s.Else = one(s.Ref), one(s.Not), one(s.If), one(s.Then), one(s.Else)
		s.AllOf, s.AnyOf, s.OneOf = list(s.AllOf), list(s.AnyOf), list(s.OneOf)
		s.Decisions = slices.Clone(s.Decisions)
		for i := range s.Decisions {
			s.Decisions[i] = clone(s.Decisions[i])
			s.Decisions[i].Rules = list(s.Decisions[i].Rules)
		}
		arms, _ := from.Decided()
		for i := range arms {
			k.decided[s.AllOf[i]] = true
		}
		k.then[s.Then], k.none[s.Else] = true, true
	}
	k.Roots = list(p.Roots)
	return k
}

func clone[T any](from *T) *T {
	if from == nil {
		return nil
	}
	to := *from
	return &to
}

// knockout takes one rule out of one schema. It returns whether nothing is left of the keyword there. Where a
// schema must stand for others to mean the same (a declared member is not an additional one) it becomes the
// schema that accepts everything.
type knockout func(s *Schema, k *knocked) (gone bool)

var knockouts = map[string]knockout{
	"false": whole(func(s *Schema, _ *knocked) { s.Never = false }),
	"type":  whole(func(s *Schema, _ *knocked) { s.Types = 0 }),
	"type/integer": func(s *Schema, _ *knocked) bool {
		if s.Types&TypeInteger != 0 {
			s.Types |= TypeNumber
		}
		return false // the type is still a number
	},
	"const":           constant(wire.KindNull, wire.KindObject),
	"const/literal":   constant(wire.KindNull, wire.KindTrue),
	"const/number":    constant(wire.KindNumber, wire.KindNumber),
	"const/string":    constant(wire.KindString, wire.KindString),
	"const/composite": constant(wire.KindArray, wire.KindObject),
	"enum":            whole(func(s *Schema, _ *knocked) { s.Enum = nil }),
	"enum/literal": when(func(s *Schema) bool { return !slices.ContainsFunc(s.Enum, isNoLiteral) },
		func(s *Schema) { s.Enum = nil }),

	"minimum":               bound(func(r *NumberRules) **wire.Decimal { return &r.Minimum }, false),
	"maximum":               bound(func(r *NumberRules) **wire.Decimal { return &r.Maximum }, false),
	"exclusiveMinimum":      bound(func(r *NumberRules) **wire.Decimal { return &r.ExclusiveMinimum }, false),
	"exclusiveMaximum":      bound(func(r *NumberRules) **wire.Decimal { return &r.ExclusiveMaximum }, false),
	"multipleOf":            bound(func(r *NumberRules) **wire.Decimal { return &r.MultipleOf }, false),
	"minimum/wide":          bound(func(r *NumberRules) **wire.Decimal { return &r.Minimum }, true),
	"maximum/wide":          bound(func(r *NumberRules) **wire.Decimal { return &r.Maximum }, true),
	"exclusiveMinimum/wide": bound(func(r *NumberRules) **wire.Decimal { return &r.ExclusiveMinimum }, true),
	"exclusiveMaximum/wide": bound(func(r *NumberRules) **wire.Decimal { return &r.ExclusiveMaximum }, true),
	"multipleOf/wide":       bound(func(r *NumberRules) **wire.Decimal { return &r.MultipleOf }, true),

	"minLength": ofString(func(r *StringRules) { r.MinLength = -1 }),
	"maxLength": ofString(func(r *StringRules) { r.MaxLength = -1 }),
	"pattern":   ofString(func(r *StringRules) { r.Pattern = nil }),
	"format":    ofString(func(r *StringRules) { r.Format = nil }),

	"prefixItems": whole(func(s *Schema, k *knocked) {
		if s.Array != nil {
			k.open(s.Array.Prefix)
		}
	}),
	"items": ofArray(func(r *ArrayRules) { r.Items = nil }),
	"items/rest": when(func(s *Schema) bool { return s.Array != nil && s.Array.Prefix != nil },
		func(s *Schema) { s.Array.Items = nil }),
	"minItems":    ofArray(func(r *ArrayRules) { r.MinItems = 0 }),
	"maxItems":    ofArray(func(r *ArrayRules) { r.MaxItems = -1 }),
	"uniqueItems": ofArray(func(r *ArrayRules) { r.Unique = false }),
	"contains":    ofArray(func(r *ArrayRules) { r.Contains = nil }),
	"minContains": when(hasContains, func(s *Schema) { s.Array.Contains.Min = 1 }),
	"maxContains": when(hasContains, func(s *Schema) { s.Array.Contains.Max = -1 }),

	"properties": whole(func(s *Schema, k *knocked) {
		if s.Object != nil {
			k.openMembers(s.Object.Properties)
		}
	}),
	"patternProperties": whole(func(s *Schema, k *knocked) {
		if s.Object != nil {
			k.openPatterns(s.Object.Patterns)
		}
	}),
	"additionalProperties": ofObject(func(r *ObjectRules) { r.Additional = nil }),
	"additionalProperties/unmatched": when(func(s *Schema) bool { return s.Object != nil && s.Object.Patterns != nil },
		func(s *Schema) { s.Object.Additional = nil }),
	"propertyNames":         ofObject(func(r *ObjectRules) { r.Names = nil }),
	"required":              ofObject(func(r *ObjectRules) { r.Required = nil }),
	"minProperties":         ofObject(func(r *ObjectRules) { r.MinMembers = 0 }),
	"maxProperties":         ofObject(func(r *ObjectRules) { r.MaxMembers = -1 }),
	"dependentRequired":     ofObject(func(r *ObjectRules) { r.DependentRequired = nil }),
	"dependentSchemas":      ofObject(func(r *ObjectRules) { r.DependentSchemas = nil }),
	"unevaluatedItems":      ofArray(func(r *ArrayRules) { r.Unevaluated = nil }),
	"unevaluatedProperties": ofObject(func(r *ObjectRules) { r.Unevaluated = nil }),
	"unevaluatedItems/plain": when(func(s *Schema) bool { return s.Array != nil && !hasArms(s) },
		func(s *Schema) { s.Array.Unevaluated = nil }),
	"unevaluatedItems/asked": when(func(s *Schema) bool { return s.Array != nil && hasArms(s) },
		func(s *Schema) { s.Array.Unevaluated = nil }),
	"unevaluatedProperties/plain": when(func(s *Schema) bool { return s.Object != nil && !hasArms(s) },
		func(s *Schema) { s.Object.Unevaluated = nil }),
	"unevaluatedProperties/asked": when(func(s *Schema) bool { return s.Object != nil && hasArms(s) },
		func(s *Schema) { s.Object.Unevaluated = nil }),
	"contains/evaluates":     when(hasContains, func(s *Schema) { s.Array.Contains.Evaluates = false }),
	"properties/flat":        when(isFlat, func(s *Schema) { s.Object.Properties = nil }),
	"required/flat":          when(isFlat, func(s *Schema) { s.Object.Required = nil }),
	"required/many":          when(asksForMany, func(s *Schema) { s.Object.Required = nil }),
	"dependentRequired/many": when(asksForMany, func(s *Schema) { s.Object.DependentRequired = nil }),

	"$ref":        whole(func(s *Schema, _ *knocked) { s.Ref = nil }),
	"$ref/beside": when(func(s *Schema) bool { return s.Types != 0 || !s.onlyRef() }, func(s *Schema) { s.Ref = nil }),
	"allOf": whole(func(s *Schema, _ *knocked) {
		s.AllOf = nil
		s.Decisions = slices.DeleteFunc(s.Decisions, func(d *Decision) bool { return d.Arms != nil })
	}),
	"anyOf":            whole(func(s *Schema, _ *knocked) { s.AnyOf, s.AnyBy = nil, nil }),
	"anyOf/tried":      when(func(s *Schema) bool { return s.AnyBy == nil }, func(s *Schema) { s.AnyOf = nil }),
	"anyOf/dispatched": when(func(s *Schema) bool { return s.AnyBy != nil }, func(s *Schema) { s.AnyOf, s.AnyBy = nil, nil }),
	"anyOf/kinds":      when(func(s *Schema) bool { return apart(s.AnyOf) }, func(s *Schema) { s.AnyOf, s.AnyBy = nil, nil }),
	"oneOf":            whole(func(s *Schema, _ *knocked) { s.OneOf, s.OneBy = nil, nil }),
	"oneOf/tried":      when(func(s *Schema) bool { return s.OneBy == nil }, func(s *Schema) { s.OneOf = nil }),
	"oneOf/dispatched": when(func(s *Schema) bool { return s.OneBy != nil }, func(s *Schema) { s.OneOf, s.OneBy = nil, nil }),
	"oneOf/kinds":      when(func(s *Schema) bool { return apart(s.OneOf) }, func(s *Schema) { s.OneOf, s.OneBy = nil, nil }),
	"not":              whole(func(s *Schema, _ *knocked) { s.Not = nil }),
	"if":               whole(func(s *Schema, _ *knocked) { s.If, s.Then, s.Else, s.Decisions = nil, nil, nil, nil }),
	"if/decided": func(s *Schema, k *knocked) bool {
		for _, d := range s.Decisions {
			k.open(d.Rules)
		}
		return false // outside of the decision the conditions are still there
	},
	"if/judged": func(s *Schema, k *knocked) bool {
		if _, own := s.Decided(); own || k.decided[s] {
			return false
		}
		s.If, s.Then, s.Else = nil, nil, nil
		return true
	},
	"then": whole(func(s *Schema, k *knocked) { s.Then = nil; k.openDecided(s, k.then) }),
	"else": whole(func(s *Schema, k *knocked) { s.Else = nil; k.openDecided(s, k.none) }),
}

// whole takes out a keyword in all its forms.
func whole(drop func(s *Schema, k *knocked)) knockout {
	return func(s *Schema, k *knocked) bool {
		drop(s, k)
		return true
	}
}

// when takes out a keyword where it has a form.
func when(is func(s *Schema) bool, drop func(s *Schema)) knockout {
	return func(s *Schema, _ *knocked) bool {
		if !is(s) {
			return false
		}
		drop(s)
		return true
	}
}

// constant takes out constants of kinds that follow each other in wire.Kind.
func constant(first, last wire.Kind) knockout {
	return when(func(s *Schema) bool { return s.Const != nil && first <= s.Const.Kind && s.Const.Kind <= last },
		func(s *Schema) { s.Const = nil })
}

// bound takes out a bound of numbers; wide are those that are no integers of 64 bits.
func bound(of func(r *NumberRules) **wire.Decimal, wide bool) knockout {
	return func(s *Schema, _ *knocked) bool {
		if s.Number == nil || *of(s.Number) == nil {
			return false
		}
		if _, small := (*of(s.Number)).Int64(); small && wide {
			return false
		}
		*of(s.Number) = nil
		return true
	}
}

func ofString(drop func(r *StringRules)) knockout {
	return when(func(s *Schema) bool { return s.String != nil }, func(s *Schema) { drop(s.String) })
}

func ofArray(drop func(r *ArrayRules)) knockout {
	return when(func(s *Schema) bool { return s.Array != nil }, func(s *Schema) { drop(s.Array) })
}

func ofObject(drop func(r *ObjectRules)) knockout {
	return when(func(s *Schema) bool { return s.Object != nil }, func(s *Schema) { drop(s.Object) })
}

// open puts the schema that accepts everything into every place of a list.
func (k *knocked) open(list []*Schema) {
	for i := range list {
		list[i] = k.always
	}
}

func (k *knocked) openMembers(list []Property) {
	for i := range list {
		list[i].Schema = k.always
	}
}

func (k *knocked) openPatterns(list []PatternProperty) {
	for i := range list {
		list[i].Schema = k.always
	}
}

// openDecided opens those branches of decisions that are among the given schemas.
func (k *knocked) openDecided(s *Schema, among map[*Schema]bool) {
	for _, d := range s.Decisions {
		for i, r := range d.Rules {
			if among[r] {
				d.Rules[i] = k.always
			}
		}
	}
}

func isNoLiteral(v Value) bool { return v.Kind > wire.KindTrue }

// apart: there are several arms, and the type of a value tells which one it may satisfy.
func apart(arms []*Schema) bool {
	var taken TypeSet
	for _, a := range arms {
		if taken&a.Admits != 0 {
			return false
		}
		taken |= a.Admits
	}
	return len(arms) > 1
}

// hasArms: what the schema evaluates depends on verdicts, its own or those of a schema that it conjoins.
func hasArms(s *Schema) bool {
	if s.AnyOf != nil || s.OneOf != nil || s.If != nil || s.Object != nil && s.Object.DependentSchemas != nil {
		return true
	}
	return s.Ref != nil && hasArms(s.Ref) || slices.ContainsFunc(s.AllOf, hasArms)
}

func hasContains(s *Schema) bool { return s.Array != nil && s.Array.Contains != nil }

// isFlat: the schema says nothing but what some members are and that some are required. A back end may
// test such a schema in the loop of another.
func isFlat(s *Schema) bool {
	o, rest := s.Object, *s
	rest.Object = nil
	return o != nil && rest.onlyRef() && rest.Ref == nil &&
		o.Patterns == nil && o.Additional == nil && o.Names == nil && o.DependentRequired == nil && o.DependentSchemas == nil && o.Unevaluated == nil &&
		o.MinMembers <= 0 && o.MaxMembers < 0
}

// asksForMany: so many members are asked for that their presence does not fit in a machine word.
func asksForMany(s *Schema) bool {
	if s.Object == nil {
		return false
	}
	names := map[string]bool{}
	for _, name := range s.Object.Required {
		names[name] = true
	}
	for _, d := range s.Object.DependentRequired {
		names[d.Name] = true
		for _, name := range d.Required {
			names[name] = true
		}
	}
	return len(names) > 64
}
