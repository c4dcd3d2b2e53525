package golang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// Unions. In the order of preference: without any statement, by the value's kind, by the value of one
// member, by trying.

// unionOf is anyOf or oneOf of a schema.
type unionOf struct {
	keyword string
	arms    []*ir.Schema
	by      *ir.Dispatch
	one     bool
}

func unionsOf(s *ir.Schema) []unionOf {
	var list []unionOf
	if s.AnyOf != nil {
		list = append(list, unionOf{keyword: "anyOf", arms: s.AnyOf, by: s.AnyBy})
	}
	if s.OneOf != nil {
		list = append(list, unionOf{keyword: "oneOf", arms: s.OneOf, by: s.OneBy, one: true})
	}
	return list
}

// union writes anyOf or oneOf.
func (b *body) union(u unionOf) {
	if !u.one && slices.ContainsFunc(u.arms, func(a *ir.Schema) bool { return a.Target().Trivial() }) {
		return
	}
	if tests, ok := b.simple(b.s, u, "n", func(a *ir.Schema) []test { return b.inPlace(a, u.keyword) }); ok {
		b.test(tests...)
		return
	}
	if byKind := b.byKind(u); byKind != nil {
		b.answer(byKind)
		return
	}
	every := make([]int, len(u.arms))
	for i := range every {
		every[i] = i
	}
	if u.by == nil {
		code, tests := b.try(u, every, "n")
		b.statement(code...)
		b.test(tests...)
		return
	}
	if cells(u.by) > maxCells && len(u.by.Other) > 0 {
		b.split(u)
		return
	}
	b.choose(u.by, "By"+exported(u.by.Member), func(list []int, at string) ([]jen.Code, []test) { return b.try(u, list, at) })
}

// maxCells is up to how many arms all cases of a choice may list together, each time written out.
const maxCells = 256

func cells(d *ir.Dispatch) int {
	n := len(d.Other) + len(d.Absent) + len(d.NotObject)
	for _, c := range d.Cases {
		n += len(c)
	}
	return n
}

// split writes a union in which many arms name a value of the member and some name none: the latter stand
// in every case, so they are tried first, and once.
func (b *body) split(u unionOf) {
	d, member := u.by, b.place(u.by.Member)
	variable, going, op := b.unionVariable(u), "!ok", " || "
	if u.one {
		going, op = "ok", " && "
	}
	add := func(list []int) string {
		parts := make([]string, len(list))
		for i, arm := range list {
			parts[i] = variable + ".Add(" + all(b.inPlace(u.arms[arm], u.keyword)).code + ")"
		}
		return strings.Join(parts, op)
	}
	every := map[int]bool{}
	for _, arm := range d.Other {
		every[arm] = true
	}
	var cases []jen.Code
	for i, c := range d.Cases {
		own := slices.DeleteFunc(slices.Clone(c), func(arm int) bool { return every[arm] })
		if len(own) > 0 {
			cases = append(cases, jen.Case(jen.Lit(i)).Block(jen.Comment(oneLine(string(d.Values[i].Raw))), jen.Id("ok").Op("=").Op(add(own))))
		}
	}
	without := func(list []int) []jen.Code {
		code, tests := b.try(u, list, "n")
		if len(tests) > 0 {
			code = append(code, jen.Id("ok").Op("=").Op(all(tests).code))
		}
		return code
	}
	absent := without(d.Absent)
	if !b.only(wire.AnObject) && !slices.Equal(d.Absent, d.NotObject) {
		absent = []jen.Code{jen.If(jen.Op("j.Kind(n) == wire.KindObject")).Block(absent...).Else().Block(without(d.NotObject)...)}
	}
	b.answer(jen.If(jen.Op(member+" == 0")).Block(absent...).Else().Block(
		jen.Id(variable).Op(":=").Op(unionStart(u, b.rule(b.s, u.keyword, ""))),
		jen.Id("ok").Op("=").Op(add(d.Other)),
		jen.If(jen.Op(going)).Block(
			jen.Switch(jen.Op("j.Case("+member+", "+b.constants(d.Values, b.nameOf(b.s)+"By"+exported(d.Member))+")")).Block(cases...),
		),
		jen.Id("ok").Op("=").Op("ok"+op+variable+".End()"),
	))
}

// unionVariable takes a name for the variable of a union.
func (b *body) unionVariable(u unionOf) string {
	if u.one {
		return b.local("one")
	}
	return b.local("any")
}

func unionStart(u unionOf, rule int) string {
	if u.one {
		return fmt.Sprintf("j.OneOf(n, %d)", rule)
	}
	return fmt.Sprintf("j.AnyOf(n, %d)", rule)
}

// try judges by several arms of a union, one after the other. Without any, at is to blame.
func (b *body) try(u unionOf, list []int, at string) ([]jen.Code, []test) {
	rule := b.rule(b.s, u.keyword, "")
	switch len(list) {
	case 0:
		return nil, []test{methodf("Fail(%s, %d)", at, rule)}
	case 1:
		return nil, b.inPlace(u.arms[list[0]], u.keyword)
	}
	variable := b.unionVariable(u)
	var arms []string // each once
	times := map[string]int{}
	for _, i := range list {
		arm := all(b.inPlace(u.arms[i], u.keyword)).code
		if times[arm]++; times[arm] == 1 {
			arms = append(arms, arm)
		}
	}
	var parts []string
	for _, arm := range arms {
		add := ".Add("
		if u.one && times[arm] > 1 {
			add = ".AddTwice("
		}
		parts = append(parts, variable+add+arm+")")
	}
	parts = append(parts, variable+".End()")
	begin := []jen.Code{jen.Id(variable).Op(":=").Op(unionStart(u, rule))}
	if !u.one {
		return begin, []test{{code: joinOr(parts), loose: true}}
	}
	tests := make([]test, len(parts))
	for i, p := range parts {
		tests[i].code = p
	}
	return begin, tests
}

// simpleUnion writes a union without statements; ok is false when that cannot be done.
func (g *judging) simpleUnion(s *ir.Schema, u unionOf, v string) (tests []test, ok bool) {
	return g.simple(s, u, v, func(a *ir.Schema) []test { return g.apply(a, v, u.keyword) })
}

func (g *judging) simple(s *ir.Schema, u unionOf, v string, arm func(*ir.Schema) []test) (tests []test, ok bool) {
	if len(u.arms) == 1 {
		if kinds := kindsOf(u.arms[0].Admits); kinds != anyKind {
			tests = append(tests, methodf("Is(%s, %s, %d)", v, kindCode(kinds), g.rule(s, u.keyword, "")))
		}
		return append(tests, arm(u.arms[0])...), true
	}
	if tests, ok := g.nullable(s, u, v, arm); ok {
		return tests, true
	}
	if u.one || u.by != nil || len(u.arms) > 8 || slices.ContainsFunc(u.arms, g.facts.mayDoubt) {
		return nil, false
	}
	var parts []string
	for _, a := range u.arms {
		if part := all(arm(a)).code; !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	parts = append(parts, fmt.Sprintf("j.Fail(%s, %d)", v, g.rule(s, u.keyword, "")))
	return []test{{code: joinOr(parts), loose: true}}, true
}

func joinOr(parts []string) string {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	if size > maxLine {
		return strings.Join(parts, " ||\n")
	}
	return strings.Join(parts, " || ")
}

// nullable writes a union of kinds that exclude each other, of which at most one has rules beyond its
// kind: null or a string with a pattern.
func (g *judging) nullable(s *ir.Schema, u unionOf, v string, arm func(*ir.Schema) []test) (tests []test, ok bool) {
	var plain, taken wire.Kinds
	var rest *ir.Schema
	for _, a := range u.arms {
		kinds := kindsOf(a.Admits)
		if kinds&taken != 0 {
			return nil, false
		}
		taken |= kinds
		switch {
		case onlyKind(a):
			plain |= kinds
		case rest != nil:
			return nil, false
		default:
			rest = a
		}
	}
	if rest != nil && plain == 0 {
		return nil, false
	}
	tests = []test{methodf("Is(%s, %s, %d)", v, kindCode(taken), g.rule(s, u.keyword, ""))}
	if rest == nil {
		return tests, true
	}
	if r := rest.Target(); g.isInline(r) && onlyOfKind(r) {
		// Other kinds pass these tests anyhow.
		return append(tests, g.ofKind(r, v)...), true
	}
	var conditions []string
	for _, k := range kindWords {
		if plain&k.kinds != 0 && k.kind != "" {
			conditions = append(conditions, "j.Kind("+v+") == wire."+k.kind)
		}
	}
	if len(conditions) > 2 {
		return nil, false
	}
	return append(tests, unless(strings.Join(conditions, " || "), arm(rest))), true
}

// onlyKind reports whether s says nothing but the kinds of a value.
func onlyKind(s *ir.Schema) bool {
	s = s.Target()
	rest := *s
	rest.Types = 0
	return rest.Trivial() && s.Types != 0 && (s.Types&ir.TypeInteger == 0 || s.Types&ir.TypeNumber != 0)
}

// onlyOfKind reports whether s is a type, and rules that concern values of this type alone.
func onlyOfKind(s *ir.Schema) bool {
	rest := *s
	rest.Types, rest.Number, rest.String, rest.Array, rest.Object = 0, nil, nil, nil, nil
	return rest.Trivial() && !s.HasParts() && s.Types&ir.TypeInteger == 0
}

// byKind chooses the arm by the value's kind when no kind is admitted by two arms, nil when some is.
func (b *body) byKind(u unionOf) jen.Code {
	arms := map[wire.Kinds]*ir.Schema{} // by kind
	for _, a := range u.arms {
		for _, k := range kindWords {
			if k.kind == "" || kindsOf(a.Admits)&k.kinds == 0 {
				continue
			}
			if arms[k.kinds] != nil {
				return nil
			}
			arms[k.kinds] = a
		}
	}
	var cases []jen.Code
	for _, a := range u.arms {
		var labels []string
		for _, k := range kindWords {
			if k.kind != "" && arms[k.kinds] == a && b.kinds&k.kinds != 0 {
				labels = append(labels, "wire."+k.kind)
			}
		}
		if len(labels) == 0 {
			continue
		}
		clause := jen.Case(jen.Op(strings.Join(labels, ", ")))
		if tests := b.inPlace(a, u.keyword); len(tests) > 0 {
			clause.Block(jen.Id("ok").Op("=").Op(all(tests).code))
		}
		cases = append(cases, clause)
	}
	var passed wire.Kinds
	for k := range arms {
		passed |= k
	}
	if b.kinds&^passed != 0 {
		cases = append(cases, jen.Default().Block(jen.Id("ok").Op("=").Op(fmt.Sprintf("j.Fail(n, %d)", b.rule(b.s, u.keyword, "")))))
	}
	return jen.Switch(jen.Op("j.Kind(n)")).Block(cases...)
}
