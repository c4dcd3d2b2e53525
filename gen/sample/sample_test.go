package sample

import (
	"bytes"
	"fmt"
	goparser "go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/ours"
	"vcp.core/gen/load"
)

func source(t testing.TB, schema string) *Source {
	t.Helper()
	s, err := New(parse(t, []byte(schema)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func engine(t testing.TB, schema string) *ours.Judge {
	t.Helper()
	judge, err := ours.Compile(ours.Schema{
		URI: "https://sample.test/root", Documents: map[string][]byte{"https://sample.test/root": []byte(schema)}, FormatAssertion: true,
	})
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return judge
}

func valid(judge *ours.Judge, doc []byte) bool {
	v, err := judge.Document(doc)
	return err == nil && v == wire.Valid
}

// Each schema must have documents for every seed, all valid; among 400 of them must be those that stand in
// want, in their canonical spelling; and among as many near ones valid and invalid ones, those in beside
// among them.
func TestEachKeyword(t *testing.T) {
	for _, c := range []struct{ schema, want, beside string }{
		{`{"type":"null"}`, `null`, `false 0 ""`},
		{`{"type":"boolean"}`, `true false`, `null`},
		{`{"type":["integer","string"],"maxLength":1}`, `0 "" "a"`, `null {}`},
		{`{"const":{"a":[1,"x"]}}`, `{"a":[1,"x"]}`, `null`},
		{`{"enum":[1,"b",null,true]}`, `1 "b" null true`, `"B" 2 "1" false`},
		{`{"type":"integer","minimum":3,"maximum":5}`, `3 4 5`, `2 6 3`},
		{`{"type":"integer","exclusiveMinimum":3,"exclusiveMaximum":5}`, `4`, `3 5`},
		{`{"type":"number","minimum":0.1,"maximum":0.2}`, `0.1 0.2`, `0.1 0.2`},
		{`{"type":"number","exclusiveMinimum":0,"maximum":1}`, `1`, `0 2`},
		{`{"type":"number","multipleOf":0.01,"minimum":1,"maximum":1.02}`, `1 1.01 1.02`, `1.001`},
		{`{"type":"integer","multipleOf":0.6,"minimum":1,"maximum":9}`, `3 6 9`, `0 12 4`},
		{`{"type":"integer","minimum":9007199254740993,"maximum":9007199254740994}`, `9007199254740993 9007199254740994`, `9007199254740992 9007199254740995`},
		{`{"type":"integer","minimum":100000000000000000000000000000001,"maximum":100000000000000000000000000000001}`, `100000000000000000000000000000001`, `100000000000000000000000000000002`},
		{`{"type":"integer"}`, `0 9223372036854775808`, `null`},
		{`{"type":"string","minLength":2,"maxLength":3}`, ``, ``},
		{`{"type":"string","maxLength":0}`, `""`, ``},
		{`{"type":"string","pattern":"^[a-c]$"}`, `"a" "b" "c"`, `""`},
		{`{"type":"string","pattern":"^(x|yy)\\.\\d{2}$","maxLength":4}`, ``, ``},
		{`{"type":"string","pattern":"a","minLength":50}`, ``, ``},
		{`{"type":"string","format":"date","pattern":"^2"}`, `"2024-02-29"`, `"2025-02-30"`},
		{`{"type":"string","format":"date-time","minLength":40,"maxLength":40}`, ``, ``},
		{`{"type":"string","format":"ipv4"}`, ``, `"1.2.3.256"`},
		{`{"type":"array","items":{"const":1},"minItems":1,"maxItems":2}`, `[1] [1,1]`, `[] [1,1,1]`},
		{`{"type":"array","items":{"type":"boolean"},"uniqueItems":true,"minItems":2}`, `[true,false] [false,true]`, ``},
		{`{"type":"array","prefixItems":[{"const":"a"},{"const":"b"}],"items":false}`, `["a","b"] ["a"] []`, `["b"]`},
		{`{"type":"array","items":{"enum":[1,2]},"contains":{"const":2},"minItems":2,"maxItems":2}`, `[1,2] [2,1] [2,2]`, `[1]`},
		{`{"type":"array","items":{"enum":[1,2]},"contains":{"const":2},"minContains":2,"maxContains":2,"minItems":3,"maxItems":3}`, `[1,2,2] [2,1,2] [2,2,1]`, ``},
		{`{"type":"array","maxItems":1,"contains":{"const":2},"minContains":0}`, `[] [2]`, ``},
		{`{"type":"object","properties":{"a":{"const":1},"b":{"const":2}},"required":["a"],"additionalProperties":false}`, `{"a":1} {"a":1,"b":2}`, `{"b":2} {}`},
		{`{"type":"object","patternProperties":{"^x$":{"const":1}},"additionalProperties":false}`, `{} {"x":1}`, ``},
		{`{"type":"object","additionalProperties":{"const":1},"propertyNames":{"enum":["k","l"]},"minProperties":1}`, `{"k":1} {"l":1}`, `{}`},
		{`{"type":"object","properties":{"a":{"const":1},"b":{"const":2}},"maxProperties":1,"additionalProperties":false}`, `{} {"a":1} {"b":2}`, ``},
		{`{"type":"object","properties":{"a":{"const":1},"b":{"const":2}},"dependentRequired":{"a":["b"]},"additionalProperties":false}`, `{} {"b":2} {"a":1,"b":2}`, `{"a":1}`},
		{`{"type":"object","properties":{"a":{"const":1},"b":true},"dependentSchemas":{"a":{"properties":{"b":{"const":3}},"required":["b"]}},"additionalProperties":false}`, `{} {"a":1,"b":3}`, `{"a":1}`},
		{`{"allOf":[{"type":["integer","string"]},{"type":["integer","null"]},{"minimum":1},{"maximum":2}]}`, `1 2`, `0 3`},
		{`{"anyOf":[{"const":1},{"const":"x"}]}`, `1 "x"`, ``},
		{`{"oneOf":[{"enum":[1,2]},{"enum":[2,3]}]}`, `1 3`, ``},
		{`{"oneOf":[{"type":"integer","maximum":3},{"type":"integer","minimum":2}]}`, ``, ``},
		{`{"oneOf":[{"required":["a"]},{"required":["b"]}],"type":"object","properties":{"a":{"const":1},"b":{"const":2}},"additionalProperties":false}`, `{"a":1} {"b":2}`, ``},
		{`{"enum":[1,2,3],"not":{"const":2}}`, `1 3`, ``},
		{`{"type":"integer","not":{"minimum":0}}`, `-1`, ``},
		{`{"type":"object","properties":{"a":{"const":1}},"not":{"required":["a"]},"additionalProperties":false}`, `{}`, ``},
		{`{"type":"object","properties":{"k":{"enum":["a","b"]},"v":{"enum":[1,2]}},"required":["k","v"],"additionalProperties":false,
			"if":{"properties":{"k":{"const":"a"}}},"then":{"properties":{"v":{"const":1}}},"else":{"properties":{"v":{"const":2}}}}`, `{"k":"a","v":1} {"k":"b","v":2}`, ``},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"},"v":{"const":0}},"required":["v"],"additionalProperties":false}}}`, `{"v":0} {"next":{"v":0},"v":0}`, `{}`},
		{`{"$ref":"#/$defs/t","$defs":{"t":{"oneOf":[{"type":"array","items":{"$ref":"#/$defs/t"},"minItems":1,"maxItems":2},{"const":0}]}}}`, `0 [0] [[0]]`, ``},
		{`{"type":"object","allOf":[{"properties":{"a":{"type":"integer"}}},{"properties":{"a":{"enum":["x",5]}}}],"required":["a"],"additionalProperties":true,"maxProperties":1}`, `{"a":5}`, ``},
		{`{"type":"object","properties":{"a":{"not":{}},"b":{"const":1}},"required":["b"],"maxProperties":1}`, `{"b":1}`, ``},
	} {
		s, judge := source(t, c.schema), engine(t, c.schema)
		seen, near := map[string]bool{}, map[string]bool{}
		nearValid := 0
		for seed := range uint64(400) {
			doc, ok := s.Valid(seed)
			if !ok {
				t.Errorf("%s: nothing for seed %d", c.schema, seed)
				break
			}
			if !valid(judge, doc) {
				t.Errorf("%s: seed %d is not valid: %s", c.schema, seed, doc)
			}
			seen[canonical(t, doc)] = true
			doc = s.Near(seed)
			if valid(judge, doc) {
				nearValid++
			}
			near[canonical(t, doc)] = true
		}
		for want := range strings.FieldsSeq(c.want) {
			if !seen[canonical(t, []byte(want))] {
				t.Errorf("%s: never %s, but %v", c.schema, want, some(seen))
			}
		}
		for want := range strings.FieldsSeq(c.beside) {
			if !near[canonical(t, []byte(want))] {
				t.Errorf("%s: never near %s, but %v", c.schema, want, some(near))
			}
		}
		if nearValid > 300 {
			t.Errorf("%s: %d of 400 near documents are valid", c.schema, nearValid)
		}
	}
}

func canonical(t testing.TB, doc []byte) string {
	t.Helper()
	var tape wire.Tape
	if err := tape.Scan(doc, wire.Limits{}); err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return string(wire.AppendCanonical(nil, &tape, 0))
}

func some(set map[string]bool) []string {
	var out []string
	for s := range set {
		if out = append(out, s); len(out) == 12 {
			break
		}
	}
	return out
}

// A schema that allows nothing has no documents, and a near one all the same.
func TestUnsatisfiable(t *testing.T) {
	for _, schema := range []string{
		`false`, `{"not":{}}`, `{"enum":[]}`, `{"type":"integer","minimum":2,"maximum":1}`, `{"const":1,"type":"string"}`,
		`{"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2}`, `{"type":"object","required":["a"],"properties":{"a":false}}`,
		`{"type":"array","minItems":1,"items":false}`, `{"type":"array","items":{"type":"boolean"},"uniqueItems":true,"minItems":3}`,
		`{"allOf":[{"const":1},{"const":2}]}`, `{"anyOf":[{"type":"object"},{"type":"null"}],"type":"string"}`,
		`{"type":"object","required":["n"],"properties":{"n":{"$ref":"#"}}}`, `{"type":"string","pattern":"^a$","minLength":2}`,
	} {
		s := source(t, schema)
		for seed := range uint64(20) {
			if doc, ok := s.Valid(seed); ok {
				t.Errorf("%s: calls %s valid", schema, doc)
			}
			canonical(t, s.Near(seed))
		}
		if certain := !strings.Contains(schema, "uniqueItems") && !strings.Contains(schema, "pattern"); s.Empty() != certain {
			t.Errorf("%s: it is certain that it allows nothing: %v", schema, !certain)
		}
	}
}

// What is beyond the package is said, not guessed.
func TestBeyond(t *testing.T) {
	for _, schema := range []string{
		`{"type":"string","pattern":"(?i:a)"}`, `{"type":"number","minimum":1e99999}`, `{"type":"string","minLength":100000}`, `{"type":"array","minItems":2000000}`,
		`{"type":"object","minProperties":100000}`,
	} {
		for seed := range uint64(3) {
			if doc, ok := source(t, schema).Valid(seed); ok {
				t.Errorf("%s: calls %.100s valid", schema, doc)
			}
		}
	}
	if _, err := New(parse(t, []byte(`{"$ref":"https://elsewhere.test/x"}`)), Options{}); err == nil || err.Error() != `no schema at "https://elsewhere.test/x"` {
		t.Errorf("a reference to nothing: %v", err)
	}
}

const tree = `{"type":"object","required":["name"],"properties":{"name":{"type":"string","minLength":1},"size":{"type":"number"},
	"kids":{"type":"array","items":{"$ref":"#"}},"more":{"$ref":"https://sample.test/other#/$defs/x"}},"additionalProperties":{"type":"integer"}}`

// The same seed makes the same document, whoever asks, however often, in whatever order.
func TestDeterminism(t *testing.T) {
	build := func() *Source {
		documents := map[string]*load.Node{"https://sample.test/other": parse(t, []byte(`{"$defs":{"x":{"enum":[1,2,3]}}}`))}
		for i := range 20 {
			documents[fmt.Sprintf("https://sample.test/%d", i)] = parse(t, []byte(`{"type":"null"}`))
		}
		s, err := New(parse(t, []byte(tree)), Options{Documents: documents})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := build()
	var first [200][2][]byte
	for seed := range first {
		first[seed][0], _ = s.Valid(uint64(seed))
		first[seed][1] = s.Near(uint64(seed))
	}
	var wg sync.WaitGroup
	for _, other := range []*Source{s, build(), s} {
		wg.Go(func() {
			for i := range first {
				seed := len(first) - 1 - i
				doc, ok := other.Valid(uint64(seed))
				if !ok || !bytes.Equal(doc, first[seed][0]) || !bytes.Equal(other.Near(uint64(seed)), first[seed][1]) {
					t.Errorf("seed %d: %s, then %s", seed, first[seed][0], doc)
				}
			}
		})
	}
	wg.Wait()
	different := map[string]bool{}
	for _, d := range first {
		different[string(d[0])] = true
	}
	if len(different) < 180 {
		t.Errorf("200 seeds make %d different documents", len(different))
	}
}

// Documents keep within their size: a schema that could go on for ever does not.
func TestSize(t *testing.T) {
	for _, schema := range []string{
		`{}`, `{"type":"array","items":{"$ref":"#"}}`, `{"type":"object","additionalProperties":{"$ref":"#"},"minProperties":0}`,
		`{"anyOf":[{"type":"array","items":{"$ref":"#"},"minItems":2},{"type":"null"}]}`,
	} {
		s := source(t, schema)
		for seed := range uint64(300) {
			doc, ok := s.Valid(seed)
			if !ok || len(doc) > 64<<10 {
				t.Errorf("%s: seed %d: %v, %d bytes", schema, seed, ok, len(doc))
			}
		}
	}
}

// Other spellings of the same document come up: escapes that nobody needs, fractions of nothing, white space.
func TestSpellings(t *testing.T) {
	s := source(t, `{"type":"array","prefixItems":[{"type":"string","const":"a/é"},{"const":5}],"minItems":2,"maxItems":2}`)
	seen := map[string]bool{}
	for seed := range uint64(400) {
		doc, _ := s.Valid(seed)
		for _, mark := range []string{`\u0061`, `\/`, `\u00e9`, "\n", `5.0`, `5e0`, `"a/é"`} {
			seen[mark] = seen[mark] || bytes.Contains(doc, []byte(mark))
		}
	}
	for mark, there := range seen {
		if !there {
			t.Errorf("no document has %q", mark)
		}
	}
}

// Generator and compiler must not share a mistake, so they share no code beyond the tree and the kinds.
func TestImports(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("own files: %v, %v", names, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := goparser.ParseFile(token.NewFileSet(), name, nil, goparser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if path := strings.Trim(i.Path.Value, `"`); strings.Contains(path, ".") && !slices.Contains([]string{"vcp.core/contract/wire", "vcp.core/gen/load"}, path) {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
