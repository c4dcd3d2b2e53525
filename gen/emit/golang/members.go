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

// The loop over the members of an object.

// bits numbers the members whose presence is asked for.
type bits struct{ index map[string]int }

func (s *bits) of(name string) int {
	i, ok := s.index[name]
	if !ok {
		i = len(s.index)
		s.index[name] = i
	}
	return i
}

// word is the variable that holds a bit. Beyond 64 bits it is an element of an array.
func (s *bits) word(w int) string {
	if len(s.index) <= 64 {
		return "seen"
	}
	return "seen[" + strconv.Itoa(w) + "]"
}

// covers is the code of "all of these members are there"; all bits are known by now.
func (s *bits) covers(names []string) string {
	masks := make([]uint64, (len(s.index)+63)/64)
	for _, name := range names {
		i := s.index[name]
		masks[i/64] |= 1 << (i % 64)
	}
	var parts []string
	for w, mask := range masks {
		if mask == 0 {
			continue
		}
		full := ^uint64(0)
		if w == len(masks)-1 && len(s.index)%64 != 0 {
			full = 1<<(len(s.index)%64) - 1
		}
		word := s.word(w)
		if mask != full {
			word += fmt.Sprintf("&%#x", mask)
		}
		parts = append(parts, fmt.Sprintf("%s == %#x", word, mask))
	}
	return strings.Join(parts, " && ")
}

// has is the code of "this member is not there".
func (s *bits) lacks(name string) string {
	i := s.index[name]
	return fmt.Sprintf("%s&%#x == 0", s.word(i/64), uint64(1)<<(i%64))
}

// members writes the loop, and returns the tests of what it saw.
func (b *body) members(noted []string) (code []jen.Code, tests []test) {
	o := b.s.Object
	seen := &bits{index: map[string]int{}}
	for _, name := range o.Required {
		seen.of(name)
	}
	for _, d := range o.DependentRequired {
		if len(d.Required) > 0 {
			for _, name := range append([]string{d.Name}, d.Required...) {
				seen.of(name)
			}
		}
	}
	for _, d := range o.DependentSchemas {
		seen.of(d.Name)
	}
	switch n := len(seen.index); {
	case n > 64:
		code = append(code, jen.Op(fmt.Sprintf("var seen [%d]uint64", (n+63)/64)))
	case n > 0:
		code = append(code, jen.Var().Id("seen").Uint64())
	}
	if inside := b.memberCases(seen, noted); len(inside) > 0 {
		code = append(code, memberLoop(inside...))
	}

	if len(o.Required) > 0 {
		tests = append(tests, test{code: seen.covers(o.Required) + fmt.Sprintf(" || j.Fail(n, %d)", b.rule(b.s, "required", "")), loose: true})
	}
	for _, d := range o.DependentRequired {
		if len(d.Required) > 0 {
			tests = append(tests, test{code: seen.lacks(d.Name) + " || " + seen.covers(d.Required) +
				fmt.Sprintf(" || j.Fail(n, %d)", b.rule(b.s, "dependentRequired", "")), loose: true})
		}
	}
	for _, d := range o.DependentSchemas {
		if inside := b.inPlace(d.Schema, "dependentSchemas"); len(inside) > 0 {
			tests = append(tests, unless(seen.lacks(d.Name), inside))
		}
	}
	return code, tests
}

// memberCases writes the inside of the loop.
func (b *body) memberCases(seen *bits, noted []string) []jen.Code {
	o := b.s.Object
	var names []string // all that the switch must tell apart, in order
	schemas := map[string]*ir.Schema{}
	for _, p := range o.Properties {
		names = append(names, p.Name)
		schemas[p.Name] = p.Schema
	}
	names = append(append(names, o.Required...), noted...)
	for _, d := range o.DependentRequired {
		names = append(append(names, d.Name), d.Required...)
	}
	for _, d := range o.DependentSchemas {
		names = append(names, d.Name)
	}
	var rest []test
	evaluated := map[string]bool{}
	if o.Additional != nil {
		rest = b.apply(o.Additional, "m+1", "additionalProperties")
	} else if u, r := b.leftInLoop(wire.AnObject); u != nil {
		rest = b.apply(u, "m+1", "unevaluatedProperties")
		evaluated = r.named
		names = append(names, r.names...)
	}
	claims := len(o.Patterns) > 0

	var cases []jen.Code
	done := map[string]bool{}
	answers, undeclared := false, len(o.Properties) == 0
	var empty []string // names of cases that have nothing to do
	for _, name := range names {
		if done[name] {
			continue
		}
		done[name] = true
		var inside []jen.Code
		if i, asked := seen.index[name]; asked {
			inside = append(inside, jen.Op(fmt.Sprintf("%s |= 1 << %d", seen.word(i/64), i%64)))
		}
		if slices.Contains(noted, name) {
			inside = append(inside, jen.Id(b.at[name]).Op("=").Op("m + 1"))
		}
		s, declared := schemas[name]
		tests := rest
		switch {
		case declared:
			tests = b.apply(s, "m+1", "properties")
		case evaluated[name]:
			tests = nil
		case claims:
			tests = nil
			if !undeclared {
				inside = append(inside, jen.Id("declared").Op("=").False())
			}
		}
		if len(tests) > 0 {
			answers = true
			inside = append(inside, jen.Id("ok").Op("=").Op(all(tests).code))
		}
		if len(inside) == 0 {
			empty = append(empty, strconv.Quote(name))
			continue
		}
		cases = append(cases, jen.Case(jen.Lit(name)).Block(inside...))
	}
	switch {
	case claims:
		if len(empty) > 0 {
			cases = append(cases, jen.Case(jen.Op(strings.Join(empty, ", "))))
		}
		if !undeclared {
			cases = append(cases, jen.Default().Block(jen.Id("declared").Op("=").False()))
		}
	case len(rest) > 0:
		answers = true
		if len(empty) > 0 {
			cases = append(cases, jen.Case(jen.Op(strings.Join(empty, ", "))))
		}
		cases = append(cases, jen.Default().Block(jen.Id("ok").Op("=").Op(all(rest).code)))
	}
	var code []jen.Code
	if o.Names != nil {
		if tests := b.apply(o.Names, "m", "propertyNames"); len(tests) > 0 {
			code = append(code, refuse(tests))
		}
	}
	if claims {
		return append(code, b.claims(cases, answers, undeclared, rest)...)
	}
	if len(cases) == 0 {
		return code
	}
	if len(cases) == 1 && len(names) == 0 { // nothing but the rule for all members
		return append(code, refuse(rest))
	}
	if answers {
		code = append(code, jen.Id("ok").Op(":=").True())
	}
	code = append(code, jen.Switch(jen.Op("j.Text(m)")).Block(cases...))
	if answers {
		code = append(code, refuse([]test{{code: "ok"}}))
	}
	return code
}

// claims writes the inside of the loop when there are patterns: several schemas may apply to one member.
func (b *body) claims(cases []jen.Code, answers, undeclared bool, rest []test) []jen.Code {
	var code []jen.Code
	declared, ok := "declared", "true"
	if answers {
		ok = "ok"
		code = append(code, jen.Id("ok").Op(":=").True())
	}
	if undeclared {
		declared = "false"
	} else {
		code = append(code, jen.Id("declared").Op(":=").True())
	}
	if len(cases) > 0 {
		code = append(code, jen.Switch(jen.Op("j.Text(m)")).Block(cases...))
	}
	code = append(code, jen.Id("c").Op(":=").Op("j.Claims("+declared+", "+ok+")"))
	for _, p := range b.s.Object.Patterns {
		pattern := b.pattern(p.Pattern.Source(), b.nameOf(p.Schema))
		tests := b.apply(p.Schema, "m+1", "patternProperties")
		code = append(code, jen.If(jen.Op("c.Matches(m, "+pattern+")")).Block(
			jen.Op("c.Add("+all(tests).code+")"),
		))
	}
	if len(rest) > 0 {
		code = append(code, jen.If(jen.Op("c.Unclaimed()")).Block(jen.Op("c.Add("+all(rest).code+")")))
	}
	return append(code, refuse([]test{{code: fmt.Sprintf("c.End(m+1, %d)", b.rule(b.s, "patternProperties", ""))}}))
}
