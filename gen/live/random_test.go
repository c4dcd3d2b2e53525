package live_test

import (
	"strings"
	"sync"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/random"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
)

// plain returns a program without anything that only saves work: no admitted types but those of the type
// keyword, no guards, no dispatch, no decisions, and every schema judged by a unit of its own.
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
		s.Guard, s.AnyBy, s.OneBy, s.Decisions = nil, nil, nil, nil
		s.Shared = true // which no unit takes over from another
	}
	return p
}

// brief leaves the huge divisor out of a message.
func brief(schema string) string {
	return strings.ReplaceAll(schema, random.Undecidable, "UNDECIDABLE")
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
		g := random.New(uint64(seed))
		g.Unevaluated = seed%2 == 1
		schema := g.Schema()
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
			doc := g.Document(4)
			got, _ := judge(t, v, doc)
			checkOutput(t, v, doc)
			if want := w.Verdict(scan(t, doc)); got != want {
				t.Errorf("%s\n%s: verdict %d, %d without fusion", brief(schema), doc, got, want)
			}
			verdicts[got]++
			tape := scan(t, doc)
			if _, visits := v.Visits(tape); visits > 3*tape.Len()*arms {
				t.Errorf("%s\n%s: %d visits", brief(schema), doc, visits)
			}
		}
		if t.Failed() {
			t.Logf("seed %d: %s", seed, brief(schema))
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
	g := random.New(1)
	schema := `{"$defs":{"t":{"anyOf":[{"items":{"$ref":"#/$defs/t"},"uniqueItems":true},{"additionalProperties":{"$ref":"#/$defs/t"},"properties":{"\u0061b":{"pattern":"a"}}}]}},
		"oneOf":[{"properties":{"kind":{"const":"a"}},"required":["kind"]},{"$ref":"#/$defs/t"}]}`
	v := compile(t, schema)
	var docs []string
	var want []wire.Verdict
	for range 200 {
		doc := g.Document(6)
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
				for _, form := range forms {
					if u := v.Output(&tape, form); u.Valid != (want[i] == wire.Valid) {
						t.Errorf("%s: verdict %d, %s %+v", docs[i], want[i], form, u)
					}
				}
				if got, _, err := v.Check([]byte(docs[i]), wire.Limits{}); err != nil || got != want[i] {
					t.Errorf("%s: checked %d, %v", docs[i], got, err)
				}
			}
		})
	}
	wg.Wait()
}
