package golang

import (
	"fmt"
	"slices"
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// view is everything that is known about one value: the schemas that all apply to it, and the types it
// may have. Its parts are the schemas themselves, what they reach by $ref and allOf, and the arms of choices
// of which one arm is left.
type view struct {
	parts  []*ir.Schema
	admits ir.TypeSet
	unions []left // with more than one arm left
	solved []solved
	broad  bool // more parts than planning looks at

	claims map[claimKey]*claim                       // see claimOf
	listed map[*ir.ObjectRules]map[string]*ir.Schema // see declared
}

// left is a union of a part with the arms that are left, and their positions in the schema.
type left struct {
	unionOf
	holder *ir.Schema
	index  []int
}

// solved is a union of a part that was resolved: one of its arms is a part of the view.
type solved struct {
	id      int
	keyword string
	alone   bool // no other arm holds beside it
}

func (v *view) solution(holder *ir.Schema, keyword string) (d solved, ok bool) {
	i := slices.IndexFunc(v.solved, func(d solved) bool { return d.id == holder.ID && d.keyword == keyword })
	if i < 0 {
		return solved{}, false
	}
	return v.solved[i], true
}

// allTypes is the set of all types, integers and other numbers apart.
const allTypes = ir.TypeNull | ir.TypeBoolean | ir.TypeInteger | ir.TypeNumber | ir.TypeString | ir.TypeArray | ir.TypeObject

// maxParts bounds the schemas of one view.
const maxParts = 256

// newView gathers what applies to a value of one of the types.
func newView(applied []*ir.Schema, types ir.TypeSet, done []solved) *view {
	v := &view{admits: types, solved: done}
	for _, s := range applied {
		v.add(s)
	}
	// An arm that becomes a part may exclude types, and with them arms of other unions.
	for again := true; again && !v.broad; {
		again = false
		v.unions = v.unions[:0]
		for _, p := range v.parts {
			for _, u := range unionsOf(p) {
				if _, ok := v.solution(p, u.keyword); ok || slices.ContainsFunc(u.arms, trivial) {
					continue
				}
				l := left{unionOf: u, holder: p}
				l.arms = nil
				for i, a := range u.arms {
					if a.Admits&v.admits != 0 && !never(a) {
						l.arms, l.index = append(l.arms, a), append(l.index, i)
					}
				}
				switch len(l.arms) {
				case 0:
					v.admits = 0
				case 1:
					again = v.add(l.arms[0]) || again
				default:
					v.unions = append(v.unions, l)
				}
			}
		}
	}
	if slices.ContainsFunc(v.parts, never) {
		v.admits = 0
	}
	return v
}

func trivial(s *ir.Schema) bool { return s.Target().Trivial() }

// add makes a schema a part, with all that it conjoins. It reports whether anything is new.
func (v *view) add(s *ir.Schema) bool {
	s = s.Target()
	switch {
	case slices.Contains(v.parts, s):
		return false
	case len(v.parts) >= maxParts:
		v.broad = true
		return false
	}
	v.parts = append(v.parts, s)
	v.admits &= s.Admits
	if s.Ref != nil {
		v.add(s.Ref)
	}
	for _, a := range s.AllOf {
		v.add(a)
	}
	return true
}

// never reports whether no value is valid for s, as far as is plain.
func never(s *ir.Schema) bool {
	s = s.Target()
	return s.Never || s.Admits == 0 || s.Not != nil && s.Not.Target().Trivial()
}

// with returns the view that also applies an arm of one of its unions. alone says that no other arm holds then.
func (v *view) with(u left, arm *ir.Schema, alone bool) *view {
	done := append(slices.Clone(v.solved), solved{u.holder.ID, u.keyword, alone || u.one})
	return newView(append(slices.Clone(v.parts), arm), v.admits, done)
}

// key tells views apart.
func (v *view) key() string { return fmt.Sprint(ids(v.parts), v.admits, v.solvedOf(v.parts)) }

func ids(list []*ir.Schema) []int {
	out := make([]int, len(list))
	for i, s := range list {
		out[i] = s.ID
	}
	slices.Sort(out)
	return out
}

// solvedOf returns the solved unions that stand in the parts.
func (v *view) solvedOf(parts []*ir.Schema) []string {
	var list []string
	for _, d := range v.solved {
		if slices.ContainsFunc(parts, func(s *ir.Schema) bool { return s.ID == d.id }) {
			list = append(list, fmt.Sprint(d.id, d.keyword, d.alone))
		}
	}
	slices.Sort(list)
	return list
}

// shaping returns the parts that a question about shape depends on, at least one of them.
func (v *view) shaping(matters func(*ir.Schema) bool) []*ir.Schema {
	var list []*ir.Schema
	for _, p := range v.parts {
		if matters(p) {
			list = append(list, p)
		}
	}
	if list == nil && len(v.parts) > 0 {
		list = v.parts[:1]
	}
	return list
}

// saysMore reports whether a part has rules of its own beyond what it conjoins and beyond unions that are
// resolved.
func (v *view) saysMore(s *ir.Schema) bool {
	rest := *s
	rest.Ref, rest.AllOf = nil, nil
	for _, u := range unionsOf(s) {
		if slices.ContainsFunc(v.unions, func(w left) bool { return w.holder == s && w.keyword == u.keyword }) {
			return true
		}
	}
	rest.AnyOf, rest.OneOf = nil, nil
	return !rest.Trivial()
}

func shapesObject(s *ir.Schema) bool {
	o := s.Object
	return o != nil && (o.Properties != nil || o.Patterns != nil || o.Additional != nil || o.Required != nil || o.Unevaluated != nil)
}

func shapesArray(s *ir.Schema) bool {
	a := s.Array
	return a != nil && (a.Prefix != nil || a.Items != nil || a.Unevaluated != nil)
}

// judgesFor returns the parts that judge for the others: those that no other of them conjoins.
func judgesFor(parts []*ir.Schema) []*ir.Schema {
	inside := map[*ir.Schema]bool{}
	for _, p := range parts {
		inner := &view{admits: allTypes}
		inner.add(p)
		for _, q := range inner.parts[1:] {
			inside[q] = true
		}
	}
	var list []*ir.Schema
	for _, p := range parts {
		if !inside[p] {
			list = append(list, p)
		}
	}
	return list
}

// constants returns the values that the value must be one of, in the order of the source; known is false
// when they are not listed. Only scalars are listed, and a single constant of any type.
func (v *view) constants() (list []ir.Value, known bool) {
	for _, p := range v.parts {
		if p.Const != nil && p.Const.Kind >= wire.KindArray {
			return []ir.Value{*p.Const}, true
		}
		if len(p.Enum) == 1 && p.Enum[0].Kind >= wire.KindArray {
			return p.Enum[:1], true
		}
		values := p.Values()
		if values == nil {
			continue
		}
		if !known {
			list, known = values, true
			continue
		}
		in := map[string]bool{}
		for i := range values {
			in[values[i].Canonical] = true
		}
		list = slices.DeleteFunc(slices.Clone(list), func(c ir.Value) bool { return !in[c.Canonical] })
	}
	return slices.DeleteFunc(slices.Clone(list), func(c ir.Value) bool { return typesOf(&c)&v.admits == 0 }), known
}

// wholes returns the first part that lists constants of which some are objects or lists, nil for none.
func (v *view) wholes() *ir.Schema {
	whole := func(c ir.Value) bool { return c.Kind >= wire.KindArray && typesOf(&c)&v.admits != 0 }
	for _, p := range v.parts {
		if p.Const != nil && whole(*p.Const) || slices.ContainsFunc(p.Enum, whole) {
			return p
		}
	}
	return nil
}

// typesOf returns the type of a constant, integers and other numbers apart.
func typesOf(v *ir.Value) ir.TypeSet {
	switch v.Kind {
	case wire.KindNull:
		return ir.TypeNull
	case wire.KindFalse, wire.KindTrue:
		return ir.TypeBoolean
	case wire.KindNumber:
		if d, ok := wire.ParseDecimal(v.Canonical); ok && d.IsInteger() {
			return ir.TypeInteger
		}
		return ir.TypeNumber
	case wire.KindString:
		return ir.TypeString
	case wire.KindArray:
		return ir.TypeArray
	}
	return ir.TypeObject
}

// memberNames returns the names that the parts declare or require, in order: declared ones first.
func (v *view) memberNames() []string {
	var names []string
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for _, p := range v.parts {
		if p.Object != nil {
			for _, m := range p.Object.Properties {
				add(m.Name)
			}
		}
	}
	for _, p := range v.parts {
		if p.Object != nil {
			for _, name := range p.Object.Required {
				add(name)
			}
		}
	}
	return names
}

// required returns the names that an object must have.
func (v *view) required() map[string]bool {
	names := map[string]bool{}
	for _, p := range v.parts {
		if p.Object != nil {
			for _, name := range p.Object.Required {
				names[name] = true
			}
		}
	}
	return names
}

// member returns the schemas that apply to the member of that name. A pattern that cannot be decided
// claims the name and says nothing.
func (v *view) member(name string) []*ir.Schema {
	var list []*ir.Schema
	for _, p := range v.parts {
		o := p.Object
		if o == nil {
			continue
		}
		declared, claimed := v.declared(o, name)
		if claimed {
			list = append(list, declared)
		}
		for _, m := range o.Patterns {
			matched, decided := m.Pattern.Match([]byte(name))
			if matched && decided {
				list = append(list, m.Schema)
			}
			claimed = claimed || matched || !decided
		}
		if !claimed && o.Additional != nil {
			list = append(list, o.Additional)
		}
		if rest := v.leftMember(p, name); rest != nil {
			list = append(list, rest)
		}
	}
	return list
}

// declared returns what the rules say of the member by its name.
func (v *view) declared(o *ir.ObjectRules, name string) (s *ir.Schema, ok bool) {
	byName, known := v.listed[o]
	if !known {
		byName = make(map[string]*ir.Schema, len(o.Properties))
		for _, m := range o.Properties {
			byName[m.Name] = m.Schema
		}
		if v.listed == nil {
			v.listed = map[*ir.ObjectRules]map[string]*ir.Schema{}
		}
		v.listed[o] = byName
	}
	s, ok = byName[name]
	return s, ok
}

// extras returns what applies to a member without a declared name: one of several conjunctions, because
// patterns tell such members apart. None means that there can be no such member.
func (v *view) extras() [][]*ir.Schema {
	var always []*ir.Schema
	var unmatched []*ir.Schema // apply where no pattern matches
	var patterned []*ir.ObjectRules
	for _, p := range v.parts {
		switch o := p.Object; {
		case o == nil:
		case o.Patterns != nil:
			patterned = append(patterned, o)
		case o.Additional != nil:
			always = append(always, o.Additional)
		}
		if rest, patterns := v.leftExtras(p); rest != nil && patterns == nil {
			always = append(always, rest)
		} else if rest != nil {
			unmatched = append(unmatched, rest)
		}
	}
	either := [][]*ir.Schema{always}
	if len(patterned) == 1 {
		either = nil
		for _, m := range patterned[0].Patterns {
			either = append(either, append(slices.Clip(always), m.Schema))
		}
		if a := patterned[0].Additional; a != nil {
			always = append(slices.Clip(always), a)
		}
		either = append(either, append(slices.Clip(always), unmatched...))
	}
	return slices.DeleteFunc(either, func(all []*ir.Schema) bool { return slices.ContainsFunc(all, never) })
}

// elements returns the schemas that apply to element i, or to those after all prefixes.
func (v *view) elements(i int) []*ir.Schema {
	var list []*ir.Schema
	for _, p := range v.parts {
		switch a := p.Array; {
		case a == nil:
		case i < len(a.Prefix):
			list = append(list, a.Prefix[i])
		case a.Items != nil:
			list = append(list, a.Items)
		}
		if rest := v.leftElement(p, i); rest != nil {
			list = append(list, rest)
		}
	}
	return list
}

// prefix returns how many elements have a schema by position, and the least length of the array.
func (v *view) prefix() (count, least int) {
	for _, p := range v.parts {
		if p.Array != nil {
			count, least = max(count, len(p.Array.Prefix)), max(least, p.Array.MinItems)
		}
	}
	return count, least
}

// bounded reports whether an integer is an int64.
func (v *view) bounded() bool {
	lowest, highest := wire.DecimalOf(-1<<63), wire.DecimalOf(1<<63-1)
	low, high := false, false
	for _, p := range v.parts {
		if n := p.Number; n != nil {
			for _, bound := range []*wire.Decimal{n.Minimum, n.ExclusiveMinimum} {
				low = low || bound != nil && bound.Cmp(lowest) >= 0
			}
			for _, bound := range []*wire.Decimal{n.Maximum, n.ExclusiveMaximum} {
				high = high || bound != nil && bound.Cmp(highest) <= 0
			}
		}
	}
	return low && high
}

// kindGroup is a type that Go tells apart, with the word that names an alternative.
type kindGroup struct {
	types ir.TypeSet
	word  string
	kinds []string // constants of wire.Kind
}

var kindGroups = []kindGroup{
	{ir.TypeString, "String", []string{"KindString"}},
	{ir.TypeInteger | ir.TypeNumber, "Number", []string{"KindNumber"}},
	{ir.TypeBoolean, "Boolean", []string{"KindFalse", "KindTrue"}},
	{ir.TypeArray, "List", []string{"KindArray"}},
	{ir.TypeObject, "Object", []string{"KindObject"}},
}

// groups returns the kinds that the value may have, null apart.
func (v *view) groups() []kindGroup {
	var list []kindGroup
	for _, g := range kindGroups {
		if g.types &= v.admits; g.types != 0 {
			if g.types == ir.TypeInteger {
				g.word = "Integer"
			}
			list = append(list, g)
		}
	}
	return list
}

// typeWords spells a set of types for people.
func typeWords(t ir.TypeSet) string {
	var list []string
	for _, w := range []struct {
		types ir.TypeSet
		word  string
	}{
		{ir.TypeObject, "object"}, {ir.TypeArray, "array"}, {ir.TypeString, "string"}, {ir.TypeNumber, "number"},
		{ir.TypeInteger, "integer"}, {ir.TypeBoolean, "boolean"}, {ir.TypeNull, "null"},
	} {
		if t&w.types != 0 && !(w.types == ir.TypeInteger && t&ir.TypeNumber != 0) {
			list = append(list, w.word)
		}
	}
	return strings.Join(list, ", ")
}
