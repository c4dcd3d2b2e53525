package manifest

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/shared"
	"vcp.core/fuzz/suite"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// byBoth returns what resolve finds in a schema, and what only the meta-schema finds.
func byBoth(t *testing.T, src string) (file *load.File, ours, meta diag.List) {
	t.Helper()
	file, list := load.Parse("schema.json", []byte(src), load.Limits())
	if file == nil {
		t.Fatalf("%s: %v", src, list)
	}
	_, ours = resolve.Resolve(file, nil, resolve.Options{})
	c := &checker{file: file}
	c.byMetaSchema(value{file.Root, ""}, ours)
	return file, ours, c.list
}

func TestMetaSchema(t *testing.T) {
	const (
		in07   = `"$schema": "http://json-schema.org/draft-07/schema#", `
		in2019 = `"$schema": "https://json-schema.org/draft/2019-09/schema", `
	)
	for _, c := range []struct{ schema, pointer string }{ // "" for silence
		{`true`, ""},
		{`{"type": "objekt", "minLength": -1, "required": ["a", "a"], "allOf": [], "properties": {"a": 5}}`, ""}, // told by resolve
		{`{"$recursiveAnchor": true}`, "/$recursiveAnchor"},
		{`{"properties": {"a": {"$defs": {"b": {"$recursiveAnchor": true}}}}}`, "/properties/a/$defs/b/$recursiveAnchor"},
		{`{"$recursiveAnchor": true, "type": "objekt"}`, "/$recursiveAnchor"}, // one of two is told by resolve
		{`{` + in2019 + `"$recursiveAnchor": true}`, ""},
		{`{"$ref": "#/$defs/名", "$defs": {"名": {}}}`, ""}, // no URI reference, but an IRI reference
		{`{"properties": {"$recursiveAnchor": {}}, "const": {"$recursiveAnchor": true}, "default": {"type": 1}}`, ""},
		// A schema inside that is written in another draft.
		{`{"$defs": {"old": {"$id": "old", ` + in07 + `"items": [{}]}}}`, ""},
		{`{"items": {"anyOf": [{"$id": "old", ` + in07 + `"items": [{}]}]}}`, ""},
		{`{"$defs": {"old": {"$id": "old", ` + in07 + `"items": [{}]}}, "$recursiveAnchor": true}`, "/$recursiveAnchor"},
		// Beside a draft-07 $ref nothing counts.
		{`{` + in07 + `"$ref": "#/definitions/a", "minLength": -1, "definitions": {"a": {}}}`, ""},
		{`{` + in07 + `"properties": {"a": {"$ref": "#", "properties": {"b": {"type": 1}}}}}`, ""},
	} {
		_, _, meta := byBoth(t, c.schema)
		got := ""
		if len(meta) > 0 {
			got = meta[0].Pointer
		}
		if got != c.pointer || len(meta) > 1 {
			t.Errorf("%s: %v, want a finding at %q", c.schema, meta, c.pointer)
		}
	}
}

// The schemas of the official suite keep to their meta-schemas, and where one value of them is replaced the two opinions
// agree, whichever way: so nothing is told twice.
func TestMetaSchemaAgreesWithResolve(t *testing.T) {
	values := []string{`1`, `-1`, `1.5`, `"x"`, `"string"`, `true`, `null`, `[]`, `{}`, `["a"]`, `["a","a"]`, `{"a":1}`, `{"a":{}}`, `[{}]`, `[1]`}
	rnd := rand.New(rand.NewPCG(7, 11))
	schemas, mutants, refused := 0, 0, 0
	for _, d := range []suite.Dialect{suite.Draft2020, suite.Draft2019, suite.Draft07} {
		files, err := suite.Read(shared.Path(t, "data", "json-schema-test-suite", "tests", string(d)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			for _, g := range f.Groups {
				file, ours, meta := byBoth(t, string(g.Schema))
				name := filepath.Join(string(d), f.Name) + ": " + g.Description
				schemas++
				if len(meta) > 0 {
					t.Errorf("%s: %v", name, meta)
				}
				if ours.HasErrors() {
					continue // it refers to remote documents
				}
				nodes := inside(file.Root, nil)
				for range 10 {
					if len(nodes) == 0 {
						break
					}
					n := nodes[rnd.IntN(len(nodes))]
					value := values[rnd.IntN(len(values))]
					mutant := string(slices.Concat(g.Schema[:n.Start], []byte(value), g.Schema[n.End:]))
					_, ours, meta := byBoth(t, mutant)
					mutants++
					if shape := slices.ContainsFunc(ours, func(d diag.Diagnostic) bool { return d.Code == resolve.CodeValue }); shape {
						refused++
						if verdict := metaVerdict(t, mutant); verdict == wire.Valid {
							t.Errorf("%s: the meta-schema has nothing against it: %v", mutant, ours)
						}
					}
					if len(meta) > 0 {
						t.Errorf("%s: the meta-schema alone: %v", mutant, meta)
					}
				}
			}
		}
	}
	t.Logf("%d schemas, %d mutants, %d of them refused by both", schemas, mutants, refused)
	if refused < 1000 {
		t.Error("too few refusals to say anything")
	}
}

// metaVerdict is that of the meta-schema alone.
func metaVerdict(t *testing.T, src string) wire.Verdict {
	t.Helper()
	file, _ := load.Parse("schema.json", []byte(src), load.Limits())
	dialect := resolve.Draft2020
	if name := file.Root.Get("$schema"); name != nil {
		dialect, _ = resolve.PublishedDialect(name.Str)
	}
	var tape wire.Tape
	if err := tape.Scan([]byte(src), load.Limits()); err != nil {
		t.Fatal(err)
	}
	return metaSchemas[dialect]().Verdict(&tape)
}

// inside returns the values of a schema that a mutant may replace: not `$schema`.
func inside(n *load.Node, out []*load.Node) []*load.Node {
	for _, e := range n.Elems {
		out = inside(e, append(out, e))
	}
	for i := range n.Members {
		if m := &n.Members[i]; m.Name != "$schema" && m.Value.Kind != wire.KindString {
			out = inside(m.Value, append(out, m.Value))
		}
	}
	return out
}

// What the second opinion costs beside everything else: the time of a check with it over the time without. The bar is 2.
func BenchmarkMetaSchema(b *testing.B) {
	src := []byte(`{"name": "Tool", "version": "1.0.0", "description": "A tool.", "pluginType": "synchronous", "entryPoint": {"direct": true},
	"communication": {"protocol": "direct"}, "toolResultProtocol": {"name": "vcp.tool-result", "version": "1.0"},
	"capabilities": {"invocationCommands": [{"commandIdentifier": "Run", "description": "Runs.", "effect": "read",
		"inputSchema": {"type": "object", "properties": {"city": {"type": "string", "minLength": 1}, "days": {"type": "integer", "minimum": 1, "maximum": 14, "default": 3}},
			"required": ["city"], "additionalProperties": false},
		"outputSchema": {"type": "object", "properties": {"days": {"type": "array", "items": {"$ref": "#/$defs/day"}}}, "required": ["days"],
			"$defs": {"day": {"type": "object", "properties": {"date": {"type": "string", "format": "date"}, "high": {"type": "number"}}, "required": ["date", "high"]}}}}]}}`)
	file, list := load.Parse("plugin-manifest.json", src, load.Limits())
	if file == nil {
		b.Fatal(list)
	}
	var whole, alone time.Duration
	for b.Loop() {
		start := time.Now()
		if p, list := Compile(file); p == nil {
			b.Fatal(list)
		}
		middle := time.Now()
		c := &checker{file: file}
		for _, pointer := range []string{"/capabilities/invocationCommands/0/inputSchema", "/capabilities/invocationCommands/0/outputSchema"} {
			c.byMetaSchema(value{file.At(pointer), pointer}, nil)
		}
		if len(c.list) > 0 {
			b.Fatal(c.list)
		}
		whole, alone = whole+middle.Sub(start), alone+time.Since(middle)
	}
	b.ReportMetric(float64(whole)/float64(whole-alone), "x/without")
}
