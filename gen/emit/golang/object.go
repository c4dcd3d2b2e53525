package golang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// Objects. One loop over the members with a switch on names serves all rules about members, and notes on
// the way which members that others ask for are there (bits) and where they stand (local variables).
//
// Where members stand is what fuses other schemas into the loop: a choice by a member's value needs no
// search, and a schema that applies to the same object and says nothing but "these members, if present,
// are so" and "these are required" becomes tests of those variables. A status matrix is such a case.

// maxNoted bounds the local variables.
const maxNoted = 16

// noted returns the members whose place other rules of the schema ask for, in order. It decides which
// subschemas are fused.
func (b *body) noted() []string {
	var names []string
	want := func(list []string) bool {
		added := names
		for _, name := range list {
			if !slices.Contains(added, name) {
				added = append(slices.Clip(added), name)
			}
		}
		if len(added) > max(maxNoted, len(names)) {
			return false
		}
		names = added
		return true
	}
	must := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	s := b.s
	for _, d := range []*ir.Dispatch{s.AnyBy, s.OneBy} {
		if d != nil {
			must(d.Member)
		}
	}
	for _, d := range s.Decisions {
		must(d.Member)
	}
	arms, own := s.Decided()
	fuse := func(list ...*ir.Schema) {
		for _, c := range list {
			if c != nil && b.isFlat(c) && want(flatNames(c.Target())) {
				b.fused[c.Target().ID] = true
			}
		}
	}
	for _, d := range s.Decisions {
		fuse(d.Rules...)
	}
	fuse(s.Ref)
	for i, a := range s.AllOf {
		if !arms[i] {
			fuse(a)
		}
	}
	fuse(s.AnyOf...)
	fuse(s.OneOf...)
	fuse(s.Not)
	if !own {
		fuse(s.If, s.Then, s.Else)
	}
	if s.Object != nil {
		for _, d := range s.Object.DependentSchemas {
			fuse(d.Schema)
		}
	}
	return names
}

// maxFlat bounds the members of a schema that is fused.
const maxFlat = 8

// isFlat reports whether s says nothing but what some members must be and that some are required.
func (g *judging) isFlat(s *ir.Schema) bool {
	s = s.Target()
	o := s.Object
	if o == nil || s.Never || s.Shared || g.facts.cyclic[s.ID] || s.Types&^ir.TypeObject != 0 ||
		o.Patterns != nil || o.Additional != nil && !o.Additional.Trivial() || o.Names != nil ||
		o.MinMembers > 0 || o.MaxMembers >= 0 || o.DependentRequired != nil || o.DependentSchemas != nil || o.Unevaluated != nil {
		return false
	}
	rest := *s
	rest.Types, rest.Object = 0, nil
	return rest.Trivial() && len(o.Required) <= maxFlat && len(flatNames(s)) <= maxFlat
}

// flatNames returns the members that a flat schema asks for.
func flatNames(s *ir.Schema) []string {
	names := slices.Clone(s.Object.Required)
	for _, p := range s.Object.Properties {
		if !p.Schema.Trivial() {
			names = append(names, p.Name)
		}
	}
	return distinct(names, func(string) bool { return true })
}

// asked returns the members whose places flat will read: what a schema says of a member may come to no test
// (minLength 0, a condition without branches).
func (b *body) asked(s *ir.Schema) []string {
	trying := b.trying
	b.trying = true
	defer func() { b.trying = trying }()
	return distinct(flatNames(s), func(name string) bool { // of which there are at most maxFlat
		i := slices.IndexFunc(s.Object.Properties, func(p ir.Property) bool { return p.Name == name })
		return slices.Contains(s.Object.Required, name) || i >= 0 && len(b.apply(s.Object.Properties[i].Schema, "n", "properties")) > 0
	})
}

// flat returns the tests of a flat schema on n, whose members' places are known.
func (b *body) flat(s *ir.Schema) []test {
	s = s.Target()
	var tests []test
	kinds := b.kinds
	if s.Types != 0 && !b.only(wire.AnObject) {
		tests = append(tests, methodf("Is(n, wire.AnObject, %d)", b.rule(s, "type", "")))
		kinds = wire.AnObject
	}
	for _, name := range s.Object.Required {
		if b.settled != nil && b.settled.member == name {
			continue
		}
		t := test{code: b.place(name) + " != 0 || ", loose: true}
		if kinds != wire.AnObject {
			t.code += "j.Kind(n) != wire.KindObject || "
		}
		t.code += fmt.Sprintf("j.Fail(n, %d)", b.rule(s, "required", ""))
		tests = append(tests, t)
	}
	for _, p := range s.Object.Properties {
		if b.settled != nil && b.settled.member == p.Name && b.settled.says(p.Schema) {
			continue
		}
		if inside := b.apply(p.Schema, b.at[p.Name], "properties"); len(inside) > 0 {
			at := b.place(p.Name)
			if slices.Contains(s.Object.Required, p.Name) && kinds == wire.AnObject {
				tests = append(tests, inside...)
			} else {
				tests = append(tests, unless(at+" == 0", inside))
			}
		}
	}
	return tests
}

// place returns the variable that tells where a member stands.
func (b *body) place(name string) string {
	b.used[name] = true
	return b.at[name]
}

// inPlace returns the tests of a schema that applies to n too.
func (b *body) inPlace(s *ir.Schema, via string) []test {
	if b.fused[s.Target().ID] {
		return b.flat(s)
	}
	return b.apply(s, "n", via)
}

// object writes the rules about members, and what notes the places of members.
func (b *body) object() {
	if b.kinds&wire.AnObject == 0 {
		return
	}
	noted := b.noted()
	if b.measured != nil {
		noted = distinct(noted, func(name string) bool { return b.measured[name] })
	}
	o := b.s.Object
	switch {
	case o == nil || !hasMemberRules(o):
		b.find(noted)
		return
	case b.fewMembers(noted):
		self := *b.s // the schema's rules about members alone
		self.Types = 0
		b.find(append(slices.Clip(noted), b.asked(&self)...))
		b.test(b.flat(&self)...)
		return
	}
	b.note(noted)
	code, tests := b.members(noted)
	if b.only(wire.AnObject) {
		b.statement(code...)
		b.test(tests...)
		return
	}
	if len(tests) > 0 {
		code = append(code, refuse(tests))
	}
	b.statement(jen.If(jen.Op("j.Kind(n) == wire.KindObject")).Block(code...))
}

// fewMembers reports whether so few members matter that each is looked up by itself.
func (b *body) fewMembers(noted []string) bool {
	o := b.s.Object
	if o.Patterns != nil || o.Additional != nil && !o.Additional.Trivial() || o.Names != nil || o.DependentRequired != nil || o.DependentSchemas != nil {
		return false
	}
	if u, _ := b.leftInLoop(wire.AnObject); u != nil {
		return false
	}
	names := append(slices.Clip(noted), flatNames(b.s)...)
	return len(distinct(names, func(string) bool { return true })) <= 2
}

// note declares the variables for the places of members.
func (b *body) note(names []string) {
	var fresh []string
	for _, name := range names {
		if b.at[name] == "" {
			b.at[name] = b.local(placeName(name))
			fresh = append(fresh, b.at[name])
		}
	}
	if len(fresh) > 0 {
		b.statement(jen.Op("var " + strings.Join(fresh, ", ") + " int"))
	}
}

// placeName names the variable for the place of a member.
func placeName(name string) string {
	return strings.TrimSuffix(unexported(name), "_") + "At"
}

// find notes the places of members that no loop passes.
func (b *body) find(names []string) {
	names = distinct(names, func(name string) bool { return b.at[name] == "" })
	if len(names) <= 2 {
		for _, name := range names {
			if b.at[name] == "" {
				b.at[name] = b.local(placeName(name))
				b.statement(jen.Id(b.at[name]).Op(":=").Op("j.Find(n, " + strconv.Quote(name) + ")"))
			}
		}
		return
	}
	b.note(names)
	cases := make([]jen.Code, len(names))
	for i, name := range names {
		cases[i] = jen.Case(jen.Lit(name)).Block(jen.Id(b.at[name]).Op("=").Op("m + 1"))
	}
	b.statement(memberLoop(jen.Switch(jen.Op("j.Text(m)")).Block(cases...)))
}

// distinct returns the names that are wanted, each once.
func distinct(names []string, wanted func(string) bool) []string {
	var list []string
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if !seen[name] && wanted(name) {
			list = append(list, name)
		}
		seen[name] = true
	}
	return list
}

func memberLoop(inside ...jen.Code) jen.Code {
	return jen.Op("for m, end := j.Members(n); m < end; m = j.Next(m + 1)").Block(inside...)
}
