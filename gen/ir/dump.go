package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// Dump prints the program for people and for golden tests: one block per schema in order of ID,
// everything that lowering decided and nothing else. Equal programs have equal dumps.
//
//	0 root a.schema.json:1:1 "" admits object
//	  type object
//	  property "kind" 1 required
//	  any-of 2 3 by "kind": "a" 2, "b" 3, other -, absent 2 3, not-object -
func (p *Program) Dump() string {
	d := dumper{&strings.Builder{}}
	roots := make(map[int]bool)
	for _, r := range p.Roots {
		roots[r.ID] = true
	}
	for _, s := range p.Schemas {
		d.schema(s, roots[s.ID])
	}
	return d.String()
}

type dumper struct{ *strings.Builder }

func (d dumper) linef(format string, args ...any) {
	d.WriteString("  ")
	fmt.Fprintf(d.Builder, format, args...)
	d.WriteByte('\n')
}

func (d dumper) schema(s *Schema, root bool) {
	d.WriteString(strconv.Itoa(s.ID))
	if root {
		d.WriteString(" root")
	}
	pos := s.Origin.Pos
	fmt.Fprintf(d.Builder, " %s:%d:%d %q", pos.File, pos.Line, pos.Col, s.Origin.Pointer)
	if s.Admits != anyType {
		d.WriteString(" admits " + typeNames(s.Admits))
	}
	if s.Shared {
		d.WriteString(" shared")
	}
	d.WriteByte('\n')
	if s.Guard != nil {
		d.linef("guard %s", guardText(s.Guard))
	}
	if s.Never {
		d.linef("never")
	}
	if s.Types != 0 {
		d.linef("type %s", typeNames(s.Types))
	}
	if s.Const != nil {
		d.linef("const %s", s.Const.Raw)
	}
	if s.Enum != nil {
		d.linef("enum%s", valueList(s.Enum))
	}
	d.number(s.Number)
	d.strings(s.String)
	d.array(s.Array)
	d.object(s.Object)
	if s.Ref != nil {
		d.linef("ref %d", s.Ref.ID)
	}
	d.list("all-of", s.AllOf)
	d.union("any-of", s.AnyOf, s.AnyBy)
	d.union("one-of", s.OneOf, s.OneBy)
	for _, e := range []struct {
		word string
		to   *Schema
	}{{"not", s.Not}, {"if", s.If}, {"then", s.Then}, {"else", s.Else}} {
		if e.to != nil {
			d.linef("%s %d", e.word, e.to.ID)
		}
	}
	for _, c := range s.Decisions {
		var by strings.Builder
		if c.Own {
			by.WriteString(" own")
		}
		for _, a := range c.Arms {
			fmt.Fprintf(&by, " all-of[%d]", a)
		}
		d.linef("decide%s %s", by.String(), dispatchText(&c.Dispatch, c.Rules))
	}
}

func (d dumper) number(n *NumberRules) {
	if n == nil {
		return
	}
	var b strings.Builder
	for _, e := range []struct {
		word  string
		bound fmt.Stringer
		set   bool
	}{
		{">=", n.Minimum, n.Minimum != nil}, {">", n.ExclusiveMinimum, n.ExclusiveMinimum != nil},
		{"<=", n.Maximum, n.Maximum != nil}, {"<", n.ExclusiveMaximum, n.ExclusiveMaximum != nil},
		{"multiple-of", n.MultipleOf, n.MultipleOf != nil},
	} {
		if e.set {
			fmt.Fprintf(&b, " %s %s", e.word, e.bound)
		}
	}
	d.linef("number%s", b.String())
}

func (d dumper) strings(s *StringRules) {
	if s == nil {
		return
	}
	var b strings.Builder
	if s.MinLength >= 0 || s.MaxLength >= 0 {
		b.WriteString(" length " + span(max(s.MinLength, 0), s.MaxLength))
	}
	if s.Pattern != nil {
		fmt.Fprintf(&b, " pattern %q", s.Pattern.Source())
	}
	if s.Format != nil {
		fmt.Fprintf(&b, " format %s", s.Format.Name)
		if s.Format.Check != nil {
			b.WriteString(" asserted")
		}
	}
	d.linef("string%s", b.String())
}

func (d dumper) array(a *ArrayRules) {
	if a == nil {
		return
	}
	var b strings.Builder
	if a.MinItems > 0 || a.MaxItems >= 0 {
		b.WriteString(" items " + span(a.MinItems, a.MaxItems))
	}
	if a.Unique {
		b.WriteString(" unique")
	}
	if a.Prefix != nil {
		b.WriteString(" prefix" + ids(a.Prefix))
	}
	if a.Items != nil {
		fmt.Fprintf(&b, " rest %d", a.Items.ID)
	}
	if c := a.Contains; c != nil {
		fmt.Fprintf(&b, " contains %d times %s", c.Schema.ID, span(c.Min, c.Max))
		if !c.Evaluates {
			b.WriteString(" evaluates none")
		}
	}
	if a.Unevaluated != nil {
		fmt.Fprintf(&b, " unevaluated %d", a.Unevaluated.ID)
	}
	d.linef("array%s", b.String())
}

func (d dumper) object(o *ObjectRules) {
	if o == nil {
		return
	}
	required := make(map[string]bool)
	for _, name := range o.Required {
		required[name] = true
	}
	if o.MinMembers > 0 || o.MaxMembers >= 0 {
		d.linef("members %s", span(o.MinMembers, o.MaxMembers))
	}
	for _, p := range o.Properties {
		mark := ""
		if required[p.Name] {
			mark = " required"
			delete(required, p.Name)
		}
		d.linef("property %q %d%s", p.Name, p.Schema.ID, mark)
	}
	for _, name := range o.Required {
		if required[name] {
			d.linef("required %q", name)
			delete(required, name)
		}
	}
	for _, p := range o.Patterns {
		d.linef("pattern %q %d", p.Pattern.Source(), p.Schema.ID)
	}
	if o.Additional != nil {
		d.linef("additional %d", o.Additional.ID)
	}
	if o.Names != nil {
		d.linef("names %d", o.Names.ID)
	}
	for _, r := range o.DependentRequired {
		d.linef("with %q required %q", r.Name, r.Required)
	}
	for _, p := range o.DependentSchemas {
		d.linef("with %q %d", p.Name, p.Schema.ID)
	}
	if o.Unevaluated != nil {
		d.linef("unevaluated %d", o.Unevaluated.ID)
	}
}

func (d dumper) list(word string, list []*Schema) {
	if list != nil {
		d.linef("%s%s", word, ids(list))
	}
}

func (d dumper) union(word string, arms []*Schema, by *Dispatch) {
	if by == nil {
		d.list(word, arms)
		return
	}
	disjoint := ""
	if by.Disjoint {
		disjoint = " disjoint"
	}
	d.linef("%s%s%s %s", word, ids(arms), disjoint, dispatchText(by, arms))
}

func dispatchText(by *Dispatch, list []*Schema) string {
	var b strings.Builder
	fmt.Fprintf(&b, "by %q:", by.Member)
	one := func(word string, c []int) {
		if word != "" {
			b.WriteString(" " + word)
		}
		if len(c) == 0 {
			b.WriteString(" -")
		}
		for _, i := range c {
			fmt.Fprintf(&b, " %d", list[i].ID)
		}
	}
	for i, v := range by.Values {
		one(string(v.Raw), by.Cases[i])
		b.WriteByte(',')
	}
	one("other", by.Other)
	b.WriteByte(',')
	one("absent", by.Absent)
	b.WriteByte(',')
	one("not-object", by.NotObject)
	return b.String()
}

func guardText(g *Guard) string {
	var b strings.Builder
	if g.Exact {
		b.WriteString("exact ")
	}
	fmt.Fprintf(&b, "%q in%s", g.Member, valueList(g.Values))
	if g.Absent {
		b.WriteString(" or absent")
	}
	if g.NotObject {
		b.WriteString(" or no object")
	}
	return b.String()
}

func valueList(list []Value) string {
	var b strings.Builder
	for _, v := range list {
		b.WriteByte(' ')
		b.Write(v.Raw)
	}
	return b.String()
}

func ids(list []*Schema) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, " %d", s.ID)
	}
	return b.String()
}

// span prints bounds as "1..3", "1.." and "..3".
func span(low, high int) string {
	b := ""
	if low > 0 {
		b = strconv.Itoa(low)
	}
	b += ".."
	if high >= 0 {
		b += strconv.Itoa(high)
	}
	return b
}

// typeNames spells a set as the types of JSON Schema, "none" when empty. Integer goes without saying
// beside number.
func typeNames(t TypeSet) string {
	if t == 0 {
		return "none"
	}
	if t&TypeNumber != 0 {
		t &^= TypeInteger
	}
	var names []string
	for _, e := range []struct {
		bit  TypeSet
		name string
	}{
		{TypeNull, "null"}, {TypeBoolean, "boolean"}, {TypeInteger, "integer"}, {TypeNumber, "number"},
		{TypeString, "string"}, {TypeArray, "array"}, {TypeObject, "object"},
	} {
		if t&e.bit != 0 {
			names = append(names, e.name)
		}
	}
	return strings.Join(names, "|")
}
