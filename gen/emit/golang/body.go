package golang

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// body is the judge of one schema under construction: statements, and tests that are still to be written.
type body struct {
	*judging
	s       *ir.Schema
	code    []jen.Code
	pending []test
	kinds   wire.Kinds // of values that reach the statement to come
	locals  scope
	// at holds the local variables that tell where a member's value stands, 0 for an absent member.
	at   map[string]string
	used map[string]bool // members whose variables are read
	// measured is what another body of the schema, made for the purpose, used; nil in that one.
	measured map[string]bool
	// fused are the subschemas, by ID, that are tested by those variables.
	fused map[int]bool
	ok    bool // the variable ok is declared
	// settled is what a choice has settled where alternatives are being written: the member has one of
	// these values. Nil elsewhere.
	settled *settled
}

type settled struct {
	member string
	values []string // canonical
}

// says reports whether s demands no more of the member than what is settled.
func (k *settled) says(s *ir.Schema) bool {
	s = s.Target()
	rest := *s
	rest.Const, rest.Enum = nil, nil
	if !rest.Trivial() {
		return false
	}
	for _, v := range k.values {
		equals := func(c ir.Value) bool { return c.Canonical == v }
		if s.Const != nil && !equals(*s.Const) || s.Enum != nil && !slices.ContainsFunc(s.Enum, equals) {
			return false
		}
	}
	return true
}

func newBody(g *judging, s *ir.Schema) *body {
	return &body{judging: g, s: s, kinds: anyKind, locals: scope{}, at: map[string]string{}, used: map[string]bool{}, fused: map[int]bool{}}
}

// schema writes all rules. What is cheap comes first.
func (b *body) schema() {
	s := b.s
	if s.Never {
		b.test(methodf("Fail(n, %d)", b.anyRule(s)))
		b.end()
		return
	}
	if work := b.facts.armsOf(s); work > freeWork {
		b.statement(jen.If(jen.Op(fmt.Sprintf("!j.Spend(n, %d, %d)", work, b.anyRule(s)))).Block(jen.Return(jen.True())))
	}
	b.test(b.own(s, "n")...)
	b.kinds = ownKinds(s)
	b.admits()
	b.array()
	b.object()
	b.conjunctions()
	for _, u := range unionsOf(s) {
		b.union(u)
	}
	b.not()
	b.conditional()
	b.unevaluated()
	b.end()
}

// admits refuses what the schema as a whole does not admit: its parts would refuse it too, but later,
// and the law of cost (ir.Schema.Shared) counts on an early refusal. The rule that is reported is the
// part's.
func (b *body) admits() {
	refused := b.kinds &^ kindsOf(b.s.Admits)
	if refused == 0 {
		return
	}
	for _, r := range b.blame(b.s, refused, nil) {
		b.test(methodf("Is(n, %s, %d)", kindCode(b.kinds&^r.kinds), r.rule))
		b.kinds &^= r.kinds
	}
}

// blamed is a rule that refuses values of some kinds.
type blamed struct {
	kinds wire.Kinds
	rule  int
}

// blame finds the rules by which s refuses kinds that it does not admit.
func (g *judging) blame(s *ir.Schema, kinds wire.Kinds, list []blamed) []blamed {
	s = s.Target()
	take := func(passed wire.Kinds, rule func() int) {
		if hit := kinds &^ passed; hit != 0 {
			list = append(list, blamed{hit, rule()})
			kinds &^= hit
		}
	}
	if s.Never {
		take(0, func() int { return g.anyRule(s) })
	}
	if s.Types != 0 {
		take(kindsOf(s.Types), func() int { return g.rule(s, "type", "") })
	}
	if s.Const != nil {
		take(kindOf(s.Const), func() int { return g.rule(s, "const", "") })
	}
	if s.Enum != nil {
		take(kindsOfValues(s.Enum), func() int { return g.rule(s, "enum", "") })
	}
	for _, a := range append([]*ir.Schema{s.Ref}, s.AllOf...) {
		if a == nil {
			continue
		}
		if hit := kinds &^ kindsOf(a.Admits); hit != 0 {
			list = g.blame(a, hit, list)
			kinds &^= hit
		}
	}
	for _, u := range unionsOf(s) {
		var passed wire.Kinds
		for _, a := range u.arms {
			passed |= kindsOf(a.Admits)
		}
		take(passed, func() int { return g.rule(s, u.keyword, "") })
	}
	return list
}

// test adds tests of n.
func (b *body) test(tests ...test) { b.pending = append(b.pending, tests...) }

// statement adds statements after the tests so far.
func (b *body) statement(code ...jen.Code) {
	b.flush()
	b.code = append(b.code, code...)
}

func (b *body) flush() {
	if len(b.pending) > 0 {
		b.code = append(b.code, refuse(b.pending))
		b.pending = nil
	}
}

// refuse returns false when one of the tests does.
func refuse(tests []test) jen.Code {
	return jen.If(jen.Op(negated(tests))).Block(jen.Return(jen.False()))
}

// end writes the last statement.
func (b *body) end() {
	b.code = append(b.code, jen.Return(jen.Op(all(b.pending).code)))
}

// only reports whether every value that reaches the next statement is of one of the kinds.
func (b *body) only(kinds wire.Kinds) bool { return b.kinds&^kinds == 0 }

// local takes a name for a local variable.
func (b *body) local(want string) string { return b.locals.take(want) }
