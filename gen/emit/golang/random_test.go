package golang_test

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/emitted"
	"vcp.core/fuzz/random"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/resolve"
)

// set of schema texts, one root each, named S1, S2, …
func textSet(t testing.TB, name string, schemas []string) golang.Set {
	s := golang.Set{Name: name, ImportPath: emitted.ImportPath(name)}
	for i, text := range schemas {
		file := fmt.Sprintf("s%d.json", i+1)
		s.Documents = append(s.Documents, resolve.Document{File: parse(t, file, []byte(text))})
		s.Roots = append(s.Roots, golang.SetRoot{Name: fmt.Sprintf("S%d", i+1), File: file})
	}
	return s
}

// Random schemas: what is decided at emission (what is inline, fused, left out) changes no verdict.
func TestRandomAgreement(t *testing.T) {
	count := 200
	if testing.Short() {
		count = 60
	}
	var schemas []string
	var makers []*random.Maker
	for seed := range count {
		m := random.New(uint64(1_000_000 + seed))
		m.Unevaluated = seed%2 == 1
		schemas = append(schemas, m.Schema())
		makers = append(makers, m)
	}
	p, list := textSet(t, "random", schemas).Compile()
	if list.HasErrors() {
		t.Fatal(list)
	}
	a := newAgreement()
	a.add(t, p)
	used := map[string]int{}
	for _, s := range p.Program.Schemas {
		for what, is := range map[string]bool{"dispatch": s.AnyBy != nil || s.OneBy != nil, "decision": s.Decisions != nil, "shared": s.Shared} {
			if is {
				used[what]++
			}
		}
	}
	for i, m := range makers {
		for range 40 {
			a.ask(fmt.Sprintf("random.S%d", i+1), []byte(m.Document(4)), "random", "")
		}
	}
	a.check(t)
	for _, what := range []string{"dispatch", "decision", "shared"} {
		if used[what] < count/20 {
			t.Errorf("the generator misses a case: %v", used)
		}
	}
	t.Logf("%d schemas, used %v", count, used)
}

// The truth tables of live's tests, through generated code: live, which is held against their definition,
// must agree.
func TestTruthTables(t *testing.T) {
	part := map[wire.Verdict]string{
		wire.Valid: `{"minimum": 1}`, wire.Invalid: `{"minimum": 2}`, wire.Undecided: `{"multipleOf": ` + random.Undecidable + `}`,
	}
	var schemas []string
	var combine func(parts []string, n int, f func(parts []string))
	combine = func(parts []string, n int, f func(parts []string)) {
		if n == 0 {
			f(parts)
			return
		}
		for _, v := range []wire.Verdict{wire.Invalid, wire.Undecided, wire.Valid} {
			combine(append(slices.Clip(parts), part[v]), n-1, f)
		}
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		for n := 1; n <= 3; n++ {
			combine(nil, n, func(p []string) {
				schemas = append(schemas, fmt.Sprintf(`{%q: [%s]}`, keyword, strings.Join(p, ",")), fmt.Sprintf(`{"not": {%q: [%s]}}`, keyword, strings.Join(p, ",")))
			})
		}
	}
	combine(nil, 3, func(p []string) {
		schemas = append(schemas, fmt.Sprintf(`{"if": %s, "then": %s, "else": %s}`, p[0], p[1], p[2]))
	})
	combine(nil, 2, func(p []string) {
		schemas = append(schemas, fmt.Sprintf(`{"if": %s, "then": %s}`, p[0], p[1]), fmt.Sprintf(`{"if": %s, "else": %s}`, p[0], p[1]),
			fmt.Sprintf(`{"$ref": "#/$defs/d", "allOf": [%s], "$defs": {"d": %s}}`, p[0], p[1]))
	})
	p, list := textSet(t, "tables", schemas).Compile()
	if list.HasErrors() {
		t.Fatal(list)
	}
	a := newAgreement()
	a.add(t, p)
	for i := range schemas {
		a.ask(fmt.Sprintf("tables.S%d", i+1), []byte("1"), "truth tables", "")
	}

	element := `{"type": "number", "multipleOf": ` + random.Undecidable + `}`
	schemas = nil
	for least := range 4 {
		for most := -1; most < 4; most++ {
			s := fmt.Sprintf(`{"contains": %s, "minContains": %d`, element, least)
			if most >= 0 {
				s += fmt.Sprintf(`, "maxContains": %d`, most)
			}
			schemas = append(schemas, s+"}")
		}
	}
	schemas = append(schemas, `{"items": `+element+`}`, `{"prefixItems": [`+element+`, true], "items": `+element+`}`)
	arrays, list := textSet(t, "arrays", schemas).Compile()
	if list.HasErrors() {
		t.Fatal(list)
	}
	a.add(t, arrays)
	for i := range schemas {
		for n := range 81 {
			var parts []string
			for k := n; k > 0; k /= 3 {
				parts = append(parts, []string{"0", `"x"`, "1"}[k%3])
			}
			a.ask(fmt.Sprintf("arrays.S%d", i+1), []byte("["+strings.Join(parts, ",")+"]"), "truth tables of elements", "")
		}
	}

	// A pattern that no budget is enough for, beside others that decide: every combination of what claims
	// the member and of what its schemas say.
	const endless = `^((?:a|a)*)*\\1b$`
	name := strings.Repeat("a", 60)
	schemas = nil
	combine(nil, 3, func(p []string) {
		for _, claim := range []string{``, `"properties": {"` + name + `": ` + p[1] + `},`, `"patternProperties": {"^a": ` + p[1] + `, "` + endless + `": ` + p[0] + `},`} {
			if !strings.Contains(claim, endless) {
				claim += `"patternProperties": {"` + endless + `": ` + p[0] + `},`
			}
			schemas = append(schemas, `{`+claim+`"additionalProperties": `+p[2]+`}`)
		}
		schemas = append(schemas, `{"patternProperties": {"`+endless+`": `+p[0]+`}}`)
	})
	patterns, list := textSet(t, "patterns", schemas).Compile()
	if list.HasErrors() {
		t.Fatal(list)
	}
	a.add(t, patterns)
	for i := range schemas {
		a.ask(fmt.Sprintf("patterns.S%d", i+1), []byte(`{"`+name+`":1}`), "truth tables of patterns", "")
	}
	a.check(t)
}

// Unions with many arms, of which some name no value of the member: every case would list these.
func TestLargeUnions(t *testing.T) {
	var arms []string
	for i := range 60 {
		arms = append(arms, fmt.Sprintf(`{"properties": {"kind": {"const": "k%d"}, "x": {"pattern": "^%d"}}, "required": ["kind"]}`, i, i%3))
	}
	for i := range 6 {
		arms = append(arms, fmt.Sprintf(`{"properties": {"y": {"pattern": "^%d"}}, "required": ["y"]}`, i))
	}
	list := strings.Join(arms, ",")
	schemas := []string{
		`{"anyOf": [` + list + `]}`, `{"oneOf": [` + list + `]}`, `{"type": "object", "anyOf": [` + list + `]}`,
		`{"type": "object", "oneOf": [` + list + `], "properties": {"kind": {"maxLength": 3}}}`,
		`{"oneOf": [` + strings.ReplaceAll(list, `"required": ["kind"]`, `"type": "object", "required": ["kind"]`) + `, {"type": "null"}, {"minimum": 3, "type": "number"}]}`,
	}
	p, diags := textSet(t, "large", schemas).Compile()
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	a := newAgreement()
	a.add(t, p)
	for i := range schemas {
		for _, kind := range []string{``, `"kind":"k0",`, `"kind":"k7",`, `"kind":"k59",`, `"kind":"k60",`, `"kind":7,`, `"kind":"k\u0030",`} {
			for _, x := range []string{``, `"x":"0",`, `"x":"1",`, `"x":3,`} {
				for _, y := range []string{`"z":0`, `"y":"0"`, `"y":"5"`, `"y":"6"`, `"y":6`} {
					a.ask(fmt.Sprintf("large.S%d", i+1), []byte("{"+kind+x+y+"}"), "large unions", "")
				}
			}
		}
		for _, doc := range []string{`1`, `5`, `null`, `"a"`, `[]`, `{}`} {
			a.ask(fmt.Sprintf("large.S%d", i+1), []byte(doc), "large unions", "")
		}
	}
	a.check(t)
}

// Every combination of up to three keywords that write statements, or that come to no test at all: what one of them
// leaves to be tested is tested before the next one's statements, whatever both look like.
func TestCombinations(t *testing.T) {
	const doubtful = `{"type": "string", "pattern": "^(x)\\1"}` // may be undecided
	parts := []string{
		`"type": "object"`,
		`"properties": {"a": {"minProperties": 0}}`,
		`"oneOf": [{"minProperties": 3}, {"required": ["a"]}, {"patternProperties": {"^b": {"type": "null"}}}]`,
		`"anyOf": [{"maxProperties": 1}, {"required": ["b"]}, {"properties": {"c": ` + doubtful + `}}]`,
		`"not": {"properties": {"c": ` + doubtful + `}, "required": ["c"]}`,
		`"if": {"properties": {"a": ` + doubtful + `}}, "then": {"required": ["b"]}, "else": {"maxProperties": 2}`,
		`"additionalProperties": {"type": ["string", "null"]}`,
		`"allOf": [{"oneOf": [{"required": ["a"]}, {"required": ["b"]}, {"required": ["c"]}]}, {"dependentSchemas": {"b": {"minProperties": 2}}}]`,
	}
	var schemas []string
	for set := 1; set < 1<<len(parts); set++ {
		if bits.OnesCount(uint(set)) > 3 {
			continue
		}
		var chosen []string
		for i, p := range parts {
			if set>>i&1 != 0 {
				chosen = append(chosen, p)
			}
		}
		schemas = append(schemas, "{"+strings.Join(chosen, ",")+"}")
	}
	documents := []string{`1`, `"xx"`, `[]`}
	values := []string{"", "null", `"xx"`, "1"}
	for n := range 64 {
		var members []string
		for i, name := range []string{"a", "b", "c"} {
			if v := values[n>>(2*i)&3]; v != "" {
				members = append(members, fmt.Sprintf("%q: %s", name, v))
			}
		}
		documents = append(documents, "{"+strings.Join(members, ",")+"}")
	}
	p, list := textSet(t, "combinations", schemas).Compile()
	if list.HasErrors() {
		t.Fatal(list)
	}
	a := newAgreement()
	a.add(t, p)
	for i := range schemas {
		for _, d := range documents {
			a.ask(fmt.Sprintf("combinations.S%d", i+1), []byte(d), "combinations", "")
		}
	}
	a.check(t)
}
