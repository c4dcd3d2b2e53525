package live_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
)

// generator makes small schemas over a tiny vocabulary, so that random documents over the same
// vocabulary meet their rules often.
type generator struct {
	*rand.Rand
	defs int
}

func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

func (g *generator) name() string { return pick(g, "a", "b", "k", "kind", "\\u0061b", "😀") }

func (g *generator) scalar() string {
	return pick(g, "null", "true", "false", "0", "1", "1.0", "2", "-0.0", "1e400", "0.5", `"a"`, `"b"`, `"\u0061"`, `""`, `"😀"`)
}

func (g *generator) value(depth int) string {
	if depth <= 0 || g.IntN(3) == 0 {
		return g.scalar()
	}
	var parts []string
	if g.IntN(3) == 0 {
		for range g.IntN(4) {
			parts = append(parts, g.value(depth-1))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	seen := map[string]bool{}
	for range g.IntN(5) {
		if name := g.name(); !seen[name] {
			seen[name] = true
			parts = append(parts, fmt.Sprintf(`"%s":%s`, name, g.value(depth-1)))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (g *generator) schemas(depth int) string {
	var list []string
	for range 1 + g.IntN(3) {
		list = append(list, g.schema(depth))
	}
	return "[" + strings.Join(list, ",") + "]"
}

func (g *generator) properties(depth int) string {
	var list []string
	seen := map[string]bool{}
	for range 1 + g.IntN(3) {
		if name := g.name(); !seen[name] {
			seen[name] = true
			list = append(list, fmt.Sprintf(`"%s":%s`, name, g.schema(depth)))
		}
	}
	return "{" + strings.Join(list, ",") + "}"
}

// tagged is a schema that asks for a constant member: the stuff of guards.
func (g *generator) tagged(depth int) string {
	value := `{"const":` + g.scalar() + `}`
	if g.IntN(3) == 0 {
		value = `{"enum":[` + g.scalar() + "," + g.scalar() + `]}`
	}
	s := `"properties":{"kind":` + value
	if g.IntN(2) == 0 {
		s += `,"a":` + g.schema(depth-1)
	}
	s += `}`
	if g.IntN(4) > 0 {
		s += `,"required":["kind"]`
	}
	if g.IntN(2) == 0 {
		s += `,"type":"object"`
	}
	return "{" + s + "}"
}

func (g *generator) schema(depth int) string {
	switch n := g.IntN(12); {
	case n == 0:
		return pick(g, "true", "false", "{}")
	case n <= 2 && g.defs > 0:
		return fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, g.IntN(g.defs))
	case n == 3:
		return g.tagged(depth)
	case depth <= 0:
		return "{" + g.leaf() + "}"
	}
	var parts []string
	seen := map[string]bool{}
	for range 1 + g.IntN(3) {
		keyword, value := g.keyword(depth - 1)
		if !seen[keyword] {
			seen[keyword] = true
			parts = append(parts, fmt.Sprintf("%q:%s", keyword, value))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (g *generator) leaf() string {
	return pick(g, `"type":"object"`, `"type":["string","integer"]`, `"type":"array"`, `"minimum":1`, `"multipleOf":0.5`, `"maxLength":1`,
		`"pattern":"^a"`, `"required":["a"]`, `"minItems":1`, `"uniqueItems":true`, `"maxProperties":2`, `"const":`+g.value(1), `"enum":[`+g.scalar()+`,`+g.value(1)+`]`,
		`"multipleOf":`+hugeDivisor)
}

func (g *generator) keyword(depth int) (name, value string) {
	switch g.IntN(18) {
	case 0:
		return "properties", g.properties(depth)
	case 1:
		return "patternProperties", fmt.Sprintf(`{"^a":%s,"b|k":%s}`, g.schema(depth), g.schema(depth))
	case 2:
		return "additionalProperties", g.schema(depth)
	case 3:
		return "propertyNames", g.schema(depth)
	case 4:
		return "items", g.schema(depth)
	case 5:
		return "prefixItems", g.schemas(depth)
	case 6:
		return "contains", g.schema(depth)
	case 7:
		return "maxContains", pick(g, "0", "1")
	case 8:
		return "allOf", g.schemas(depth)
	case 9:
		return "anyOf", g.schemas(depth)
	case 10:
		return "oneOf", g.schemas(depth)
	case 11:
		return pick(g, "anyOf", "oneOf"), "[" + g.tagged(depth) + "," + g.tagged(depth) + "," + g.tagged(depth) + "]"
	case 12:
		return "allOf", fmt.Sprintf(`[{"if":%s,"then":%s},{"if":%s,"then":%s,"else":%s}]`, g.tagged(depth), g.schema(depth), g.tagged(depth), g.schema(depth), g.schema(depth))
	case 13:
		return "not", g.schema(depth)
	case 14:
		return pick(g, "if", "then", "else"), g.schema(depth)
	case 15:
		return "dependentSchemas", g.properties(depth)
	case 16:
		return "dependentRequired", `{"a":["b","k"],"b":["a"]}`
	}
	name, value, _ = strings.Cut(g.leaf(), ":")
	return strings.Trim(name, `"`), value
}

// document returns a schema with definitions that refer to each other.
func (g *generator) document() string {
	g.defs = g.IntN(4)
	var defs []string
	for i := range g.defs {
		// A definition reaches another one only through a value, so that no cycle stays in place.
		defs = append(defs, fmt.Sprintf(`"d%d":{%s,%q:%s}`, i, g.leaf(), pick(g, "items", "additionalProperties", "contains"), g.schema(2)))
	}
	root := g.schema(3)
	if g.defs > 0 {
		return fmt.Sprintf(`{"allOf":[%s],"$defs":{%s}}`, root, strings.Join(defs, ","))
	}
	return root
}

// plain returns a program without anything that only saves work: no admitted types, no guards, no
// dispatch, no decisions, nothing shared.
func plain(p *ir.Program) *ir.Program {
	all := ir.TypeNull | ir.TypeBoolean | ir.TypeInteger | ir.TypeNumber | ir.TypeString | ir.TypeArray | ir.TypeObject
	for _, s := range p.Schemas {
		if !s.Never {
			// The type keyword itself has no other place in the closures than the admitted types.
			s.Admits = all
			if s.Types != 0 {
				s.Admits = s.Types
				if s.Types&ir.TypeNumber != 0 {
					s.Admits |= ir.TypeInteger
				}
			}
		}
		s.Guard, s.AnyBy, s.OneBy, s.Decisions, s.Shared = nil, nil, nil, nil, false
	}
	return p
}

// Random schemas and documents keep the laws of verdicts, and what lowering does to save work changes no
// verdict.
func TestRandom(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	verdicts := map[wire.Verdict]int{}
	used := map[string]int{}
	for seed := range rounds {
		g := &generator{Rand: rand.New(rand.NewPCG(uint64(seed), 7))}
		schema := g.document()
		fused := program(t, schema, ir.Options{})
		for _, s := range fused.Schemas {
			for what, is := range map[string]bool{"anyOf by": s.AnyBy != nil, "oneOf by": s.OneBy != nil, "decision": s.Decisions != nil, "shared": s.Shared} {
				if is {
					used[what]++
				}
			}
		}
		arms := 0
		for _, s := range fused.Schemas {
			arms += 1 + len(s.Children())
		}
		v := live.Compile(fused).Root(0)
		w := live.Compile(plain(program(t, schema, ir.Options{}))).Root(0)
		for range 20 {
			doc := g.value(4)
			got, _ := judge(t, v, doc)
			if want := w.Verdict(scan(t, doc)); got != want {
				t.Errorf("%s\n%s: verdict %d, %d without fusion", schema, doc, got, want)
			}
			verdicts[got]++
			tape := scan(t, doc)
			if _, visits := v.Visits(tape); visits > 3*tape.Len()*arms {
				t.Errorf("%s\n%s: %d visits", schema, doc, visits)
			}
		}
		if t.Failed() {
			t.Logf("seed %d: %s", seed, schema)
			return
		}
	}
	t.Logf("verdicts %v, used %v", verdicts, used)
	for _, n := range []int{verdicts[wire.Valid], verdicts[wire.Invalid], verdicts[wire.Undecided], used["anyOf by"], used["oneOf by"], used["decision"], used["shared"]} {
		if n < rounds/20 {
			t.Errorf("the generator misses a case: %v %v", verdicts, used)
		}
	}
}

// One validator serves many goroutines, and all get the verdicts that one alone gets.
func TestConcurrent(t *testing.T) {
	g := &generator{Rand: rand.New(rand.NewPCG(1, 2))}
	schema := `{"$defs":{"t":{"anyOf":[{"items":{"$ref":"#/$defs/t"},"uniqueItems":true},{"additionalProperties":{"$ref":"#/$defs/t"},"properties":{"\u0061b":{"pattern":"a"}}}]}},
		"oneOf":[{"properties":{"kind":{"const":"a"}},"required":["kind"]},{"$ref":"#/$defs/t"}]}`
	v := compile(t, schema)
	var docs []string
	var want []wire.Verdict
	for range 200 {
		doc := g.value(6)
		docs = append(docs, doc)
		want = append(want, v.Verdict(scan(t, doc)))
	}
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			var tape wire.Tape
			for i := range docs {
				i = (i + worker*25) % len(docs)
				if err := tape.Scan([]byte(docs[i]), wire.Limits{}); err != nil {
					t.Error(err)
				}
				if got := v.Verdict(&tape); got != want[i] {
					t.Errorf("%s: verdict %d, alone %d", docs[i], got, want[i])
				}
				if violations := v.Violations(&tape); (len(violations) == 0) != (want[i] == wire.Valid) {
					t.Errorf("%s: verdict %d with %d violations", docs[i], want[i], len(violations))
				}
				if got, _, err := v.Check([]byte(docs[i]), wire.Limits{}); err != nil || got != want[i] {
					t.Errorf("%s: checked %d, %v", docs[i], got, err)
				}
			}
		})
	}
	wg.Wait()
}
