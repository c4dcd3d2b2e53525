package golang

import (
	"fmt"
	"strconv"

	"github.com/dave/jennifer/jen"

	"vcp.core/contract/wire"
)

// array writes the loops over the elements. An iteration over a value that is no array does nothing, so
// they need no test of the kind.
func (b *body) array() {
	a := b.s.Array
	if a == nil || b.kinds&wire.AnArray == 0 {
		return
	}
	b.elements()
	if a.Contains != nil && (a.Contains.Min > 0 || a.Contains.Max >= 0) {
		b.contains()
	}
}

func (b *body) elements() {
	a := b.s.Array
	var rest []test
	if a.Items != nil {
		rest = b.apply(a.Items, "e", "items")
	} else if u, _ := b.leftInLoop(wire.AnArray); u != nil {
		rest = b.apply(u, "e", "unevaluatedItems")
	}
	if len(a.Prefix) == 0 {
		if len(rest) > 0 {
			b.statement(elementLoop(refuse(rest)))
		}
		return
	}
	cases := make([]jen.Code, 0, len(a.Prefix)+1)
	for i, p := range a.Prefix {
		clause := jen.Case(jen.Lit(i))
		if tests := b.apply(p, "e", "prefixItems"); len(tests) > 0 {
			clause.Block(jen.Id("ok").Op("=").Op(all(tests).code))
		}
		cases = append(cases, clause)
	}
	if len(rest) > 0 {
		cases = append(cases, jen.Default().Block(jen.Id("ok").Op("=").Op(all(rest).code)))
	}
	i := b.local("i")
	b.statement(
		jen.Id(i).Op(":=").Lit(0),
		elementLoop(
			jen.Id("ok").Op(":=").True(),
			jen.Switch(jen.Id(i)).Block(cases...),
			refuse([]test{{code: "ok"}}),
			jen.Op(i+"++"),
		),
	)
}

func (b *body) contains() {
	c := b.s.Array.Contains
	match := b.apply(c.Schema, "e", "contains")
	found := b.local("found")
	b.statement(
		jen.Id(found).Op(":=").Op(fmt.Sprintf("j.Contains(n, %d, %d)", c.Min, c.Max)),
		elementLoop(
			jen.If(jen.Op("!"+found+".Add("+all(match).code+")")).Block(jen.Break()),
		),
	)
	b.test(test{code: found + ".End(" + strconv.Itoa(b.rule(b.s, "minContains", "contains")) + ", " +
		strconv.Itoa(b.rule(b.s, "maxContains", "contains")) + ")"})
}

func elementLoop(inside ...jen.Code) jen.Code {
	return jen.Op("for e, end := j.Elements(n); e < end; e = j.Next(e)").Block(inside...)
}
