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

// The rules for what nothing else has evaluated, and the functions that tell what a schema evaluates.
//
// Where all that is evaluated is known at emission, the rule is a loop over the others. Else it is a walk with a
// [wire.Evaluated]: what is known is noted, arms and conditions are asked for their verdicts, and those that hold
// note what they evaluate, a few names on the spot, more in a function of their own.

// unevaluated writes both rules, after all others.
func (b *body) unevaluated() {
	for _, kind := range partKinds {
		rest := leftover(b.s, kind)
		if rest == nil || b.kinds&kind == 0 {
			continue
		}
		r := b.newReach(b.s, kind, true)
		switch {
		case r.all || b.inLoop(r):
		case !r.plain():
			b.remaining(r, rest)
		case kind == wire.AnObject:
			b.otherMembers(r, rest)
		default:
			b.otherElements(r, rest)
		}
	}
}

// inLoop reports whether the loop that the schema's own rules need anyhow applies the rule for what is left, like
// one for additional members or elements.
func (b *body) inLoop(r *reach) bool {
	if !r.plain() || r.all {
		return false
	}
	if r.kind == wire.AnObject {
		o := b.s.Object
		return hasMemberRules(o) && o.Patterns == nil
	}
	a := b.s.Array
	return r.prefix > 0 && r.prefix == len(a.Prefix)
}

// leftInLoop returns that rule, and what the loop need not apply it to; nil when there is none.
func (b *body) leftInLoop(kind wire.Kinds) (*ir.Schema, *reach) {
	if rest := leftover(b.s, kind); rest != nil {
		if r := b.newReach(b.s, kind, true); b.inLoop(r) {
			return rest, r
		}
	}
	return nil, nil
}

// doubtWalks tells facts that a walk may leave its schema undecided: its budget may run out.
func (g *judging) doubtWalks() {
	for _, s := range g.prog.Schemas {
		for _, kind := range partKinds {
			if leftover(s, kind) != nil && !g.newReach(s, kind, true).plain() {
				g.facts.doubt[s.ID] = yes
			}
		}
	}
}

// otherMembers applies rest to the members that are not among the names.
func (b *body) otherMembers(r *reach, rest *ir.Schema) {
	tests := b.apply(rest, "m+1", "unevaluatedProperties")
	if len(tests) == 0 {
		return
	}
	if len(r.names) == 0 {
		b.statement(memberLoop(refuse(tests)))
		return
	}
	b.statement(memberLoop(jen.Switch(jen.Op("j.Text(m)")).Block(
		jen.Case(jen.Op(namesCode(r.names))),
		jen.Default().Block(refuse(tests)),
	)))
}

// otherElements applies rest to the elements after the prefix.
func (b *body) otherElements(r *reach, rest *ir.Schema) {
	tests := b.apply(rest, "e", "unevaluatedItems")
	if len(tests) == 0 {
		return
	}
	if r.prefix == 0 {
		b.statement(elementLoop(refuse(tests)))
		return
	}
	i := b.local("i")
	b.statement(
		jen.Id(i).Op(":=").Lit(0),
		elementLoop(
			refuse([]test{unless(fmt.Sprintf("%s < %d", i, r.prefix), tests)}),
			jen.Op(i+"++"),
		),
	)
}

// remaining applies rest to what nothing has evaluated.
func (b *body) remaining(r *reach, rest *ir.Schema) {
	kind, keyword := "wire.KindObject", "unevaluatedProperties"
	if r.kind == wire.AnArray {
		kind, keyword = "wire.KindArray", "unevaluatedItems"
	}
	code := b.noting(r, "&ev")
	code = append(code,
		jen.Op("for ev.Next()").Block(
			jen.If(jen.Op(fmt.Sprintf("!ev.Allows(%s, %d)", all(b.apply(rest, "ev.Part", keyword)).code, b.rule(b.s, keyword, "")))).Block(jen.Return(jen.False())),
		),
		jen.Op("ev.End()"),
	)
	b.statement(jen.If(jen.Op("ev := j.Evaluated(n, " + kind + "); ev.Left()")).Block(code...))
}

// noting is the code that notes what is evaluated. ev is the pointer that functions are given.
func (g *judging) noting(r *reach, ev string) []jen.Code {
	var code []jen.Code
	add := func(more ...jen.Code) { code = append(code, more...) }
	if r.all {
		return []jen.Code{jen.Op("ev.All()")}
	}
	switch {
	case len(r.names) > manyNames:
		add(jen.Op("for ev.Next()").Block(jen.Switch(jen.Op("ev.Name()")).Block(jen.Case(jen.Op(namesCode(r.names))).Block(jen.Op("ev.Mark()")))))
	case len(r.names) > 0:
		add(jen.Op("ev.Names(" + namesCode(r.names) + ")"))
	}
	for _, p := range r.patterns {
		add(jen.Op("ev.Pattern(" + g.pattern(p.Pattern.Source(), g.nameOf(p.Schema)) + ")"))
	}
	if r.prefix > 0 {
		add(jen.Op("ev.Prefix(" + strconv.Itoa(r.prefix) + ")"))
	}
	for _, s := range r.contains {
		match := all(g.apply(s.Array.Contains.Schema, "ev.Part", "contains")).code
		add(jen.Op("for ev.Next()").Block(jen.Op("ev.Matched(" + match + ")")))
	}
	for _, s := range r.conjoined {
		add(jen.Op(g.noter(s, r.kind) + "(j, n, " + ev + ")"))
	}
	for _, u := range r.unions {
		add(g.notingArms(u, r.kind, ev)...)
	}
	for _, s := range r.conditions {
		add(g.notingBranches(s, r.kind, ev))
	}
	for _, d := range r.dependent {
		add(jen.If(jen.Op("j.Find(n, " + strconv.Quote(d.Name) + ") != 0")).Block(g.notingPart(d.Schema, r.kind, ev)...))
	}
	return code
}

// manyNames is from where on names are told apart by a switch.
const manyNames = 8

// notingPart is the code that notes what a schema evaluates which holds where the code stands.
func (g *judging) notingPart(s *ir.Schema, kind wire.Kinds, ev string) []jen.Code {
	r := g.reachOf(s, kind)
	if r.all || r.settled() && len(r.contains) == 0 && len(r.names)+len(r.patterns) <= manyNames {
		return g.noting(r, ev)
	}
	return []jen.Code{jen.Op(g.noter(s.Target(), kind) + "(j, n, " + ev + ")")}
}

// asks reports whether somebody has to ask what s evaluates of values of the kind.
func (g *judging) asks(s *ir.Schema, kind wire.Kinds) bool { return g.extentOf(s, kind) != nothing }

// notingArm notes what an arm evaluates, if it holds.
func (g *judging) notingArm(a *ir.Schema, via string, kind wire.Kinds, ev string) jen.Code {
	return jen.If(jen.Op("ev.Left() && ev.Holds(" + all(g.apply(a, "n", via)).code + ")")).Block(
		append(g.notingPart(a, kind, ev), jen.Op("ev.Leave()"))...,
	)
}

// notingArms is the code for a union. Where a member selects arms, no others are asked: nobody else asks them
// either, and that is what the law of cost counts on (ir.Schema.Shared).
func (g *judging) notingArms(u unionReach, kind wire.Kinds, ev string) []jen.Code {
	arms := func(list []int) []jen.Code {
		var code []jen.Code
		for _, i := range list {
			if g.asks(u.arms[i], kind) {
				code = append(code, g.notingArm(u.arms[i], u.keyword, kind, ev))
			}
		}
		return code
	}
	d := u.by
	switch {
	case d == nil:
		every := make([]int, len(u.arms))
		for i := range every {
			every[i] = i
		}
		return arms(every)
	case kind != wire.AnObject:
		return arms(d.NotObject)
	}
	var code []jen.Code
	member := "j.Find(n, " + strconv.Quote(d.Member) + ")"
	// An arm that names no value of the member stands in every case. It is written once.
	free := map[int]bool{}
	for _, i := range d.Other {
		free[i] = true
	}
	always, present := split(d.Other, d.Absent)
	code = append(code, arms(always)...)
	if inside := arms(present); len(inside) > 0 {
		code = append(code, jen.If(jen.Op(member+" != 0")).Block(inside...))
	}
	bound := func(list []int) []int {
		return slices.DeleteFunc(slices.Clone(list), func(i int) bool { return free[i] })
	}
	var cases []jen.Code
	written := make([]bool, len(d.Values))
	for i := range d.Values {
		inside := arms(bound(d.Cases[i]))
		if written[i] || len(inside) == 0 {
			continue
		}
		var labels, texts []string
		for k := i; k < len(d.Values); k++ {
			if slices.Equal(d.Cases[k], d.Cases[i]) {
				written[k] = true
				labels, texts = append(labels, strconv.Itoa(k)), append(texts, string(d.Values[k].Raw))
			}
		}
		cases = append(cases, jen.Case(jen.Op(strings.Join(labels, ", "))).Block(
			append([]jen.Code{jen.Comment(oneLine(strings.Join(texts, ", ")))}, inside...)...,
		))
	}
	if inside := arms(bound(d.Absent)); len(inside) > 0 {
		cases = append(cases, jen.Case(g.q("Absent")).Block(inside...))
	}
	if len(cases) > 0 {
		values := g.constants(d.Values, g.nameOf(u.holder)+"By"+exported(d.Member))
		code = append(code, jen.Switch(jen.Op("j.Case("+member+", "+values+")")).Block(cases...))
	}
	return code
}

// split parts a list into what stands in the other one too, and what does not.
func split(list, other []int) (in, out []int) {
	for _, i := range list {
		if slices.Contains(other, i) {
			in = append(in, i)
		} else {
			out = append(out, i)
		}
	}
	return in, out
}

// notingBranches is the code for if, then and else.
func (g *judging) notingBranches(s *ir.Schema, kind wire.Kinds, ev string) jen.Code {
	holds := []*ir.Schema{s.If, s.Then}
	branch := func(parts []*ir.Schema) []jen.Code {
		var code []jen.Code
		for _, p := range parts {
			if g.asks(p, kind) {
				code = append(code, g.notingPart(p, kind, ev)...)
			}
		}
		if len(code) > 0 {
			code = append(code, jen.Op("ev.Leave()"))
		}
		return code
	}
	condition := g.condition(s.If, kind)
	then, none := branch(holds), branch([]*ir.Schema{s.Else})
	if len(none) == 0 {
		return jen.If(jen.Op("ev.Left() && ev.Holds(" + condition + ")")).Block(then...)
	}
	code := []jen.Code{jen.Id("met").Op(":=").Op("ev.Verdict(" + condition + ")")}
	if len(then) > 0 {
		code = append(code, jen.If(jen.Op("ev.Enter(met)")).Block(then...))
	}
	code = append(code, jen.If(jen.Op("ev.Enter(wire.Valid - met)")).Block(none...))
	return jen.If(jen.Op("ev.Left()")).Block(code...)
}

// condition is the code that tells whether a condition holds: a look at the member that decides it, if there is one.
func (g *judging) condition(s *ir.Schema, kind wire.Kinds) string {
	c := s.Guard
	if c == nil || !c.Exact || len(c.Values) == 0 || kind != wire.AnObject {
		return all(g.apply(s, "n", "if")).code
	}
	found := "j.Case(j.Find(n, " + strconv.Quote(c.Member) + "), " + g.constants(c.Values, g.nameOf(s)) + ")"
	if c.Absent {
		return found + " != wire.Other"
	}
	return found + " >= 0"
}

// noter is a function that notes what a schema evaluates.
type noter struct {
	name   string
	schema *ir.Schema
	calls  int
	code   []jen.Code
}

// noter returns the name of the function that notes what s evaluates, and sees to it that it is written.
func (g *judging) noter(s *ir.Schema, kind wire.Kinds) string {
	s = s.Target()
	want := "itemsOf" + g.nameOf(s)
	if kind == wire.AnObject {
		want = "membersOf" + g.nameOf(s)
	}
	if g.trying {
		return want
	}
	key := reachKey{s.ID, kind}
	f, ok := g.noters[key]
	if !ok {
		f = &noter{name: g.taken.take(want), schema: s}
		g.noters[key] = f
		g.noterOrder = append(g.noterOrder, key)
	}
	f.calls++
	return f.name
}

// writeNoters writes the promised functions, when all calls are known: a schema that several paths lead to is asked
// once.
func (g *judging) writeNoters() {
	f := g.file(judgeFile)
	numbers := 0
	for _, key := range g.noterOrder {
		n := g.noters[key]
		what := "elements"
		if key.kind == wire.AnObject {
			what = "members"
		}
		code := n.code
		if n.calls > 1 {
			code = append([]jen.Code{jen.If(jen.Op(fmt.Sprintf("!ev.Once(%d)", numbers))).Block(jen.Return())}, code...)
			numbers++
		}
		f.Commentf("%s notes which %s %s evaluates.", n.name, what, g.at(n.schema))
		f.Add(joined(jen.Op("func "+n.name+"(j *"), g.q("Judge"), jen.Op(", n int, ev *"), g.q("Evaluated"), jen.Op(") "), jen.Block(code...)))
		f.Line()
	}
}
