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

// conjunctions writes decisions, $ref and allOf.
func (b *body) conjunctions() {
	s := b.s
	arms, _ := s.Decided()
	for _, d := range s.Decisions {
		b.choose(&d.Dispatch, "By"+exported(d.Member), func(list []int, _ string) ([]jen.Code, []test) {
			var tests []test
			for _, i := range list {
				tests = append(tests, b.inPlace(d.Rules[i], "then")...)
			}
			return nil, tests
		})
	}
	if s.Ref != nil {
		b.test(b.inPlace(s.Ref, "$ref")...)
	}
	for i, a := range s.AllOf {
		if !arms[i] {
			b.test(b.inPlace(a, "allOf")...)
		}
	}
}

// choose writes a choice by the value of one member. write gives, for a list of alternatives, statements
// and the tests that come after them; at is the node to blame when there is no alternative.
func (b *body) choose(d *ir.Dispatch, name string, write func(list []int, at string) ([]jen.Code, []test)) {
	answer := func(list []int, at string) []jen.Code {
		code, tests := write(list, at)
		if len(tests) > 0 {
			code = append(code, jen.Id("ok").Op("=").Op(all(tests).code))
		}
		return code
	}
	if b.kinds&wire.AnObject == 0 {
		code, tests := write(d.NotObject, "n")
		b.statement(code...)
		b.test(tests...)
		return
	}
	member := b.place(d.Member)
	// Cases with the same alternatives stand together, in the order of the first.
	var cases []jen.Code
	written := make([]bool, len(d.Values))
	for i := range d.Values {
		if written[i] || slices.Equal(d.Cases[i], d.Other) {
			continue
		}
		var labels []jen.Code
		var texts []string
		b.settled = &settled{member: d.Member}
		for k := i; k < len(d.Values); k++ {
			if slices.Equal(d.Cases[k], d.Cases[i]) {
				written[k] = true
				labels = append(labels, jen.Lit(k))
				texts = append(texts, string(d.Values[k].Raw))
				b.settled.values = append(b.settled.values, d.Values[k].Canonical)
			}
		}
		inside := answer(d.Cases[i], member)
		b.settled = nil
		comment := oneLine(strings.Join(texts, ", "))
		cases = append(cases, jen.Case(labels...).Block(append([]jen.Code{jen.Comment(comment)}, inside...)...))
	}
	other := answer(d.Other, member)
	if !slices.Equal(d.Absent, d.Other) || len(d.Other) == 0 && len(other) > 0 {
		cases = append(cases, jen.Case(b.q("Absent")).Block(answer(d.Absent, "n")...))
	}
	if len(other) > 0 {
		cases = append(cases, jen.Default().Block(other...))
	}
	var choice jen.Code = jen.Switch(jen.Op("j.Case(" + member + ", " + b.constants(d.Values, b.nameOf(b.s)+name) + ")")).Block(cases...)
	if !b.only(wire.AnObject) && !slices.Equal(d.NotObject, d.Absent) {
		choice = jen.If(jen.Op("j.Kind(n) != wire.KindObject")).Block(answer(d.NotObject, "n")...).Else().Block(choice)
	}
	b.answer(choice)
}

// answer writes code that sets ok, and refuses what it refused.
func (b *body) answer(code ...jen.Code) {
	op := ":="
	if b.ok {
		op = "="
	}
	b.ok = true
	b.statement(append([]jen.Code{jen.Id("ok").Op(op).True()}, code...)...)
	b.test(test{code: "ok"})
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
	op := " || "
	if u.one {
		op = " && "
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
	size := 0
	for _, arm := range arms {
		add := ".Add("
		if u.one && times[arm] > 1 {
			add = ".AddTwice("
		}
		parts = append(parts, variable+add+arm+")")
		size += len(parts[len(parts)-1])
	}
	parts = append(parts, variable+".End()")
	if size > maxLine {
		op = strings.TrimRight(op, " ") + "\n"
	}
	return []jen.Code{jen.Id(variable).Op(":=").Op(unionStart(u, rule))},
		[]test{{code: strings.Join(parts, op), loose: !u.one}}
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
		var labels []jen.Code
		for _, k := range kindWords {
			if k.kind != "" && arms[k.kinds] == a && b.kinds&k.kinds != 0 {
				labels = append(labels, b.q(k.kind))
			}
		}
		if len(labels) == 0 {
			continue
		}
		clause := jen.Case(labels...)
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

// simpleNot writes the negation of what is never undecided.
func (g *judging) simpleNot(s *ir.Schema, v string) test {
	return test{code: negated(g.apply(s.Not, v, "not")) + fmt.Sprintf(" || j.Fail(%s, %d)", v, g.rule(s, "not", "")), loose: true}
}

func (b *body) not() {
	s := b.s
	if s.Not == nil {
		return
	}
	rule := b.rule(s, "not", "")
	part := b.inPlace(s.Not, "not")
	if !b.facts.mayDoubt(s.Not) {
		b.test(test{code: negated(part) + fmt.Sprintf(" || j.Fail(n, %d)", rule), loose: true})
		return
	}
	mark := b.local("mark")
	b.statement(jen.Id(mark).Op(":=").Op("j.Mark()"))
	b.test(test{code: mark + ".Not(" + all(part).code + ", n, " + strconv.Itoa(rule) + ")"})
}

// conditional writes if, then and else, where no decision replaces them.
func (b *body) conditional() {
	s := b.s
	if _, own := s.Decided(); own || s.If == nil || s.Then == nil && s.Else == nil {
		return
	}
	branch := func(c *ir.Schema, via string) []test {
		if c == nil {
			return nil
		}
		return b.inPlace(c, via)
	}
	then, none := branch(s.Then, "then"), branch(s.Else, "else")
	if len(then) == 0 && len(none) == 0 {
		return
	}
	cond := b.inPlace(s.If, "if")
	set := func(tests []test) []jen.Code {
		if len(tests) == 0 {
			return nil
		}
		return []jen.Code{jen.Id("ok").Op("=").Op(all(tests).code)}
	}
	if !b.facts.mayDoubt(s.If) {
		switch {
		case len(none) == 0:
			b.answer(jen.If(jen.Op(all(cond).code)).Block(set(then)...))
		case len(then) == 0:
			b.answer(jen.If(jen.Op(negated(cond))).Block(set(none)...))
		default:
			b.answer(jen.If(jen.Op(all(cond).code)).Block(set(then)...).Else().Block(set(none)...))
		}
		return
	}
	mark := b.local("mark")
	verdict := func(tests []test) string {
		if len(tests) == 0 {
			return "wire.Valid"
		}
		return mark + ".Verdict(" + all(tests).code + ")"
	}
	b.statement(jen.Id(mark).Op(":=").Op("j.Mark()"))
	b.answer(jen.Switch(jen.Op(mark+".Verdict("+all(cond).code+")")).Block(
		jen.Case(b.q("Valid")).Block(set(then)...),
		jen.Case(b.q("Invalid")).Block(set(none)...),
		jen.Default().Block(jen.Id("ok").Op("=").Op(mark+".Either("+verdict(none)+", "+verdict(then)+")")),
	))
}
