package golang

import (
	"fmt"
	"strconv"
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// test is an expression that is false exactly when a rule is broken.
type test struct {
	code  string
	loose bool // || stands outside of parentheses
}

// all is the conjunction of tests, over several lines when it is long. A test that is there twice (a
// schema may say so) is written once.
func all(tests []test) test {
	tests = once(tests)
	if len(tests) == 0 {
		return test{code: "true"}
	}
	if len(tests) == 1 {
		return tests[0]
	}
	parts := make([]string, len(tests))
	size := 0
	for i, t := range tests {
		parts[i] = t.tight()
		size += len(parts[i])
	}
	if size > maxLine {
		return test{code: strings.Join(parts, " &&\n")}
	}
	return test{code: strings.Join(parts, " && ")}
}

const maxLine = 110

func once(tests []test) []test {
	kept := tests[:0:0]
	seen := make(map[test]bool, len(tests))
	for _, t := range tests {
		if !seen[t] {
			kept = append(kept, t)
		}
		seen[t] = true
	}
	return kept
}

// tight is the code in parentheses where it needs them.
func (t test) tight() string {
	if t.loose {
		return "(" + t.code + ")"
	}
	return t.code
}

// negated is the code of "broken".
func negated(tests []test) string {
	tests = once(tests)
	t := all(tests)
	if len(tests) > 1 || t.loose {
		return "!(" + t.code + ")"
	}
	return "!" + t.code
}

// methodf is a call of a method of the judge.
func methodf(format string, args ...any) test { return test{code: "j." + fmt.Sprintf(format, args...)} }

// unless is a test that only concerns values for which a condition does not hold.
func unless(condition string, tests []test) test {
	return test{code: condition + " || " + all(tests).code, loose: true}
}

// maxInline is up to how many characters the tests of a schema are written where it is applied.
const maxInline = 150

// apply returns the tests of s on the value v, which is Go code for a node. via is the keyword that
// applies s; a schema that is false is reported under it.
func (g *judging) apply(s *ir.Schema, v, via string) []test {
	s = s.Target()
	if s.Never {
		return []test{methodf("Fail(%s, %d)", v, g.number(wire.Rule{File: s.Origin.Pos.File, Pointer: s.Origin.Pointer, Keyword: via}))}
	}
	if s.Trivial() {
		return nil
	}
	if g.isInline(s) {
		tests, _ := g.inline(s, v)
		return tests
	}
	return []test{{code: g.judge(s) + "(j, " + v + ")"}}
}

// isInline reports whether s gets no function.
func (g *judging) isInline(s *ir.Schema) bool {
	if g.inlined[s.ID] == unknown {
		g.inlined[s.ID] = no // for questions that come back while this one is being answered
		trying := g.trying
		g.trying = true
		defer func() { g.trying = trying }()
		if tests, ok := g.inline(s, "n"); ok && len(all(tests).code) <= maxInline {
			g.inlined[s.ID] = yes
		}
	}
	return g.inlined[s.ID] == yes
}

// inline writes all rules of s as tests; ok is false when some need statements.
func (g *judging) inline(s *ir.Schema, v string) (tests []test, ok bool) {
	if g.facts.cyclic[s.ID] || s.Shared && s.HasParts() || g.facts.workOf(s) > freeWork ||
		s.If != nil || len(s.Decisions) > 0 || leftover(s, wire.AnObject) != nil || leftover(s, wire.AnArray) != nil || s.Array != nil && hasElementRules(s.Array) || s.Object != nil && hasMemberRules(s.Object) {
		return nil, false
	}
	tests = g.own(s, v)
	if s.Ref != nil {
		tests = append(tests, g.apply(s.Ref, v, "$ref")...)
	}
	for _, a := range s.AllOf {
		tests = append(tests, g.apply(a, v, "allOf")...)
	}
	for _, u := range unionsOf(s) {
		t, ok := g.simpleUnion(s, u, v)
		if !ok {
			return nil, false
		}
		tests = append(tests, t...)
	}
	if s.Not != nil {
		if g.facts.mayDoubt(s.Not) {
			return nil, false
		}
		tests = append(tests, g.simpleNot(s, v))
	}
	return tests, true
}

// hasElementRules reports whether a loop over the elements is needed.
func hasElementRules(a *ir.ArrayRules) bool {
	return a.Prefix != nil || a.Items != nil && !a.Items.Trivial() || a.Contains != nil
}

// hasMemberRules reports whether members have to be looked at.
func hasMemberRules(o *ir.ObjectRules) bool {
	return o.Properties != nil || o.Patterns != nil || o.Additional != nil || o.Names != nil || o.Required != nil ||
		o.DependentRequired != nil || o.DependentSchemas != nil
}

// own returns the tests of the rules that concern the value as a whole: type, constants, bounds, counts.
func (g *judging) own(s *ir.Schema, v string) []test {
	var tests []test
	if s.Types != 0 && !impliedTypes(s) {
		rule := g.rule(s, "type", "")
		tests = append(tests, methodf("Is(%s, %s, %d)", v, kindCode(kindsOf(s.Types)), rule))
		if s.Types&ir.TypeInteger != 0 && s.Types&ir.TypeNumber == 0 {
			tests = append(tests, methodf("Whole(%s, %d)", v, rule))
		}
	}
	if s.Const != nil {
		tests = append(tests, g.constant(s, []ir.Value{*s.Const}, v, "const"))
	}
	if s.Enum != nil {
		tests = append(tests, g.constant(s, s.Enum, v, "enum"))
	}
	return append(tests, g.ofKind(s, v)...)
}

// ofKind returns the tests that concern values of one kind and that all others pass.
func (g *judging) ofKind(s *ir.Schema, v string) []test {
	tests := append(g.numberTests(s, v), g.stringTests(s, v)...)
	if a := s.Array; a != nil {
		if a.MinItems > 0 {
			tests = append(tests, methodf("MinItems(%s, %d, %d)", v, a.MinItems, g.rule(s, "minItems", "")))
		}
		if a.MaxItems >= 0 {
			tests = append(tests, methodf("MaxItems(%s, %d, %d)", v, a.MaxItems, g.rule(s, "maxItems", "")))
		}
		if a.Unique {
			tests = append(tests, methodf("Unique(%s, %d)", v, g.rule(s, "uniqueItems", "")))
		}
	}
	if o := s.Object; o != nil {
		if o.MinMembers > 0 {
			tests = append(tests, methodf("MinProperties(%s, %d, %d)", v, o.MinMembers, g.rule(s, "minProperties", "")))
		}
		if o.MaxMembers >= 0 {
			tests = append(tests, methodf("MaxProperties(%s, %d, %d)", v, o.MaxMembers, g.rule(s, "maxProperties", "")))
		}
	}
	return tests
}

// impliedTypes reports whether const or enum say all that type says.
func impliedTypes(s *ir.Schema) bool {
	values := s.Enum
	if s.Const != nil {
		values = []ir.Value{*s.Const}
	}
	if len(values) == 0 {
		return false
	}
	for i := range values {
		d, number := wire.ParseDecimal(values[i].Canonical)
		switch {
		case kindsOf(s.Types)&kindOf(&values[i]) == 0:
			return false
		case number && values[i].Kind == wire.KindNumber && s.Types&ir.TypeNumber == 0 && !d.IsInteger():
			return false
		}
	}
	return true
}

// constant tests that v is one of the values.
func (g *judging) constant(s *ir.Schema, values []ir.Value, v, keyword string) test {
	rule := g.rule(s, keyword, "")
	var kinds wire.Kinds
	plain := true // null, true and false only: their kind says all
	for i := range values {
		kinds |= kindOf(&values[i])
		plain = plain && values[i].Kind <= wire.KindTrue
	}
	if plain && len(values) > 0 {
		return methodf("Is(%s, %s, %d)", v, kindCode(kinds), rule)
	}
	if len(values) == 1 && values[0].Kind == wire.KindString {
		return methodf("IsText(%s, %s, %d)", v, strconv.Quote(decoded(&values[0])), rule)
	}
	return methodf("Enum(%s, %s, %d)", v, g.constants(values, g.nameOf(s)), rule)
}

// decoded returns what a constant string says.
func decoded(v *ir.Value) string {
	var t wire.Tape
	if err := t.Scan(v.Raw, wire.Limits{}); err != nil {
		panic("golang: a constant of the program is not JSON: " + err.Error())
	}
	return t.String(0)
}

func (g *judging) numberTests(s *ir.Schema, v string) []test {
	r := s.Number
	if r == nil {
		return nil
	}
	var tests []test
	for _, b := range []struct {
		bound           *wire.Decimal
		method, keyword string
	}{
		{r.Minimum, "Minimum", "minimum"},
		{r.ExclusiveMinimum, "ExclusiveMinimum", "exclusiveMinimum"},
		{r.Maximum, "Maximum", "maximum"},
		{r.ExclusiveMaximum, "ExclusiveMaximum", "exclusiveMaximum"},
		{r.MultipleOf, "MultipleOf", "multipleOf"},
	} {
		if b.bound == nil {
			continue
		}
		rule := g.rule(s, b.keyword, "")
		if small, ok := b.bound.Int64(); ok {
			tests = append(tests, methodf("%s(%s, %d, %d)", b.method, v, small, rule))
		} else {
			tests = append(tests, methodf("%sDecimal(%s, %q, %d)", b.method, v, b.bound.String(), rule))
		}
	}
	return tests
}

func (g *judging) stringTests(s *ir.Schema, v string) []test {
	r := s.String
	if r == nil {
		return nil
	}
	var tests []test
	if r.MinLength > 0 {
		tests = append(tests, methodf("MinLength(%s, %d, %d)", v, r.MinLength, g.rule(s, "minLength", "")))
	}
	if r.MaxLength >= 0 {
		tests = append(tests, methodf("MaxLength(%s, %d, %d)", v, r.MaxLength, g.rule(s, "maxLength", "")))
	}
	if r.Format != nil && r.Format.Check != nil {
		tests = append(tests, methodf("Format(%s, %s, %d)", v, g.format(r.Format), g.rule(s, "format", "")))
	}
	if r.Pattern != nil {
		tests = append(tests, methodf("Pattern(%s, %s, %d)", v, g.pattern(r.Pattern.Source(), g.nameOf(s)), g.rule(s, "pattern", "")))
	}
	return tests
}

// ownKinds returns the kinds that pass the tests of own.
func ownKinds(s *ir.Schema) wire.Kinds {
	kinds := anyKind
	if s.Never {
		return 0
	}
	if s.Types != 0 {
		kinds &= kindsOf(s.Types)
	}
	if s.Const != nil {
		kinds &= kindOf(s.Const)
	}
	if s.Enum != nil {
		kinds &= kindsOfValues(s.Enum)
	}
	return kinds
}
