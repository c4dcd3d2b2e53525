package fuzz

import (
	"strings"
	"sync"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// FuzzLive takes a schema and a document through the whole compiler. Whatever resolves must be lowered and
// judged without a panic and within the bound of steps; the verdict must agree with the list of
// violations, and with itself: again, at the same time, and without what lowering found out to save work.
func FuzzLive(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}`, `{"a": 1.0, "b": null}`},
		{`{"anyOf": [{"items": {"$ref": "#"}}, {"items": {"$ref": "#"}, "minItems": 1}]}`, strings.Repeat("[", 22) + strings.Repeat("]", 22)},
		{`{"oneOf": [{"properties": {"k": {"const": "a"}}, "required": ["k"]}, {"properties": {"k": {"enum": ["b", 1]}}, "required": ["k"]}]}`, `{"k": "\u0061"}`},
		{`{"allOf": [{"if": {"properties": {"s": {"const": null}}}, "then": {"required": ["t"]}, "else": {"not": {"required": ["t"]}}}]}`, `{"s": null, "t": 0}`},
		{`{"$defs": {"n": {"multipleOf": 0.01, "minimum": -1e400}}, "prefixItems": [{"$ref": "#/$defs/n"}], "items": false, "uniqueItems": true}`, `[9007199254740993, 1e-400]`},
		{`{"patternProperties": {"^(a|b)\\1$": {"minLength": 1}, "😀": false}, "propertyNames": {"maxLength": 3}, "dependentSchemas": {"a": {"minProperties": 2}}}`, `{"aa": "", "a": "\ud83d\ude00"}`},
		{`{"contains": {"const": [1, {"x": []}]}, "minContains": 2, "maxContains": 2}`, `[[1.0, {"x": []}], [1, {"x": []}], {}]`},
		{`{"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}], "additionalItems": {"$ref": "#"}, "dependencies": {"a": ["b"], "b": {"required": ["c"]}}}`, `["x", ["y", {"a": 1, "b": 2}]]`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, schema, doc string) {
		if len(schema) > 4<<10 || len(doc) > 16<<10 {
			return
		}
		file, list := load.Parse("schema.json", []byte(schema), wire.Limits{})
		if len(list) > 0 {
			return
		}
		root, list := resolve.Resolve(file, nil, resolve.Options{})
		if list.HasErrors() {
			return
		}
		var tape wire.Tape
		if err := tape.Scan([]byte(doc), wire.Limits{}); err != nil {
			return
		}
		lower := func() *ir.Program {
			p, list := ir.Lower([]*resolve.Schema{root}, ir.Options{})
			if list.HasErrors() {
				t.Fatalf("what resolved is not lowered: %v", list)
			}
			return p
		}
		p := lower()
		v := live.CompileWith(p, live.Options{Steps: stepsBound(p, &tape)}).Root(0)
		verdict := v.Verdict(&tape)
		violations := v.Violations(&tape)
		if (verdict == wire.Valid) != (len(violations) == 0) {
			t.Fatalf("verdict %d with %+v", verdict, violations)
		}
		for _, w := range violations {
			if w.Reason == "LIMIT_NODES" {
				t.Fatalf("more than %d steps", stepsBound(p, &tape))
			}
		}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if again := v.Verdict(&tape); again != verdict {
					t.Errorf("verdict %d, then %d", verdict, again)
				}
			})
		}
		if again, _, err := v.Check([]byte(doc), wire.Limits{}); err != nil || again != verdict {
			t.Errorf("verdict %d, checked %d, %v", verdict, again, err)
		}
		wg.Wait()

		bare := lower()
		for _, s := range bare.Schemas {
			s.Guard, s.AnyBy, s.OneBy, s.Decisions = nil, nil, nil, nil
		}
		if other := live.Compile(bare).Root(0).Verdict(&tape); other != verdict {
			t.Errorf("verdict %d, %d without dispatch", verdict, other)
		}
	})
}

// stepsBound is the law of linear cost: three times the nodes of the document, names included, times the
// schemas and the edges between them. An edge counts because a schema without subschemas is judged once
// for each way that leads to it.
func stepsBound(p *ir.Program, tape *wire.Tape) int {
	arms := 0
	for _, s := range p.Schemas {
		arms += 1 + len(s.Children())
	}
	return 3 * tape.Len() * arms
}
