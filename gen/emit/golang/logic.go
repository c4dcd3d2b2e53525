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
		var labels []string
		var texts []string
		b.settled = &settled{member: d.Member}
		for k := i; k < len(d.Values); k++ {
			if slices.Equal(d.Cases[k], d.Cases[i]) {
				written[k] = true
				labels = append(labels, strconv.Itoa(k))
				texts = append(texts, string(d.Values[k].Raw))
				b.settled.values = append(b.settled.values, d.Values[k].Canonical)
			}
		}
		inside := answer(d.Cases[i], member)
		b.settled = nil
		comment := oneLine(strings.Join(texts, ", "))
		cases = append(cases, jen.Case(jen.Op(strings.Join(labels, ", "))).Block(append([]jen.Code{jen.Comment(comment)}, inside...)...))
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
