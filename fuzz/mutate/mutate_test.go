package mutate

import (
	"bytes"
	"encoding/json"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const root = "urn:s"

func newSchema(t *testing.T, text string) *Schema {
	t.Helper()
	s, err := NewSchema(root, map[string][]byte{root: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSpellingsSurviveParsing(t *testing.T) {
	for _, doc := range []string{
		`null`, `-0.0e+00`, `"\u0041\ud83d\ude00\/"`, `[]`, `{}`, `[1,[2,{}],"]"]`, `{"a":1,"\u0061":2,"":[true,false]}`, `{"a":{"b":"{,}"}}`,
	} {
		n, err := parse([]byte(doc))
		if err != nil || n.String() != doc {
			t.Errorf("%s became %s, %v", doc, n, err)
		}
	}
	n, err := parse([]byte(" { \"a\" : [ 1 , 2 ] }\n"))
	if err != nil || n.String() != `{"a":[1,2]}` {
		t.Errorf("white space: %s, %v", n, err)
	}
	for _, doc := range []string{``, `{`, `nul`, `1 2`} {
		if _, err := parse([]byte(doc)); err == nil {
			t.Errorf("%q was read", doc)
		}
	}
}

// Each keyword's border documents must be among the neighbours, and come from that keyword.
func TestNeighboursOfEachKeyword(t *testing.T) {
	for _, c := range []struct {
		keyword, schema, doc string
		want                 []string
	}{
		{"type", `{"type":"integer"}`, `1`, []string{`null`, `1.5`, `1.0`, `"a"`, `[]`, `{}`}},
		{"const", `{"const":"ok"}`, `"ok"`, []string{`"ok"`, `"okx"`, `"OK"`, `"\u006f\u006b"`}},
		{"enum", `{"enum":["a",1,true]}`, `"a"`, []string{`1`, `true`, `"A"`, `2`, `false`, `"1"`}},
		{"minLength", `{"minLength":2}`, `"ab"`, []string{`"a"`, `"ab"`, `"aba"`, `"😀"`, `"😀😀"`}},
		{"maxLength", `{"maxLength":2}`, `"ab"`, []string{`"a"`, `"aba"`, `"😀😀😀"`}},
		{"maxLength", `{"format":"date-time","maxLength":24}`, `"x"`, []string{`"2025-01-31T08:00:00.1111Z"`, `"2025-01-31T08:00:00.111Z"`}},
		{"pattern", `{"pattern":"^[a-c]$"}`, `"b"`, []string{`""`, `"   "`, `"b!"`, `"b\n"`, `"B"`}},
		{"format", `{"format":"date-time"}`, `"x"`, []string{`"2025-02-30T08:00:00Z"`, `"2024-02-29T00:00:00-00:00"`}},
		{"maximum", `{"maximum":9007199254740993}`, `1`, []string{`9007199254740994`, `9007199254740993`, `9007199254740992.5`, `9007199254740993e0`}},
		{"multipleOf", `{"multipleOf":0.1}`, `1`, []string{`0.1`, `0.2`, `0.100000001`}},
		{"minItems", `{"minItems":2}`, `[7,8]`, []string{`[7]`, `[7,8]`, `[7,7,7]`}},
		{"maxItems", `{"maxItems":1}`, `[7]`, []string{`[]`, `[7,7]`}},
		{"uniqueItems", `{"uniqueItems":true}`, `[7,8]`, []string{`[7,8,7]`, `[1,1.0]`, `[1,true]`}},
		{"contains", `{"contains":{"const":"c"}}`, `["c"]`, []string{`[]`, `[null]`, `[null,"c"]`, `["c","c"]`}},
		{"maxContains", `{"contains":{"const":"c"},"maxContains":2}`, `["c"]`, []string{`[null,"c","c","c"]`, `[null,"c","c"]`}},
		{"prefixItems", `{"prefixItems":[{"const":1},{"const":2}]}`, `[1]`, []string{`[1,2]`, `[true,1]`, `[]`}},
		{"required", `{"required":["a","b"]}`, `{"a":1,"b":2}`, []string{`{"b":2}`, `{"a":1}`}},
		{"properties", `{"properties":{"a":{"const":5}}}`, `{}`, []string{`{"a":5}`, `{"a":null}`}},
		{"additionalProperties", `{"additionalProperties":false}`, `{"a":1}`, []string{`{"a":1,"unknownMember":null}`, `{"ax":1}`}},
		{"patternProperties", `{"patternProperties":{"^x$":{"const":5}}}`, `{}`, []string{`{"x":5}`, `{"x":null}`, `{"~x":null}`}},
		{"propertyNames", `{"propertyNames":{"const":"n"}}`, `{}`, []string{`{"n":null}`, `{"UPPER":null}`, `{"":null}`}},
		{"maxProperties", `{"maxProperties":1}`, `{"a":1}`, []string{`{}`}},
		{"dependentRequired", `{"dependentRequired":{"a":["b"]}}`, `{"a":1,"b":2}`, []string{`{"a":`}},
		{"$ref", `{"$ref":"#/$defs/x","$defs":{"x":{"const":7}}}`, `null`, []string{`7`}},
		{"$dynamicRef", `{"$dynamicRef":"#x","$defs":{"x":{"$dynamicAnchor":"x","const":7}}}`, `null`, []string{`7`}},
		{"$recursiveRef", `{"type":"object","required":["k"],"properties":{"k":{"const":1},"a":{"$recursiveRef":"#"}},"$recursiveAnchor":true}`, `{"a":1}`, []string{`{"a":{"k":`}},
		{"unevaluatedProperties", `{"unevaluatedProperties":false}`, `{"a":1}`, []string{`{"a":1,"unknownMember":null}`, `{"ax":1}`}},
		{"unevaluatedItems", `{"unevaluatedItems":{"const":5}}`, `[1]`, []string{`[1,5]`, `[1,null]`, `[]`}},
		{"anyOf", `{"anyOf":[{"required":["k"],"properties":{"k":{"const":1}}},{"const":0}]}`, `{"j":2}`, []string{`0`, `{"k":1}`, `{"j":2,"k":1}`}},
		{"not", `{"not":{"const":3}}`, `1`, []string{`3`}},
	} {
		var got []string
		err := newSchema(t, c.schema).Neighbours([]byte(c.doc), 1, func(d Document) bool {
			if strings.HasPrefix(d.Ops[0], c.keyword+" at ") != strings.HasSuffix(d.Aim, "/"+c.keyword) || !strings.HasPrefix(d.Aim, root+"#/") {
				t.Errorf("%s aims at %s", d, d.Aim)
			}
			if strings.HasPrefix(d.Ops[0], c.keyword+" at ") {
				got = append(got, string(d.Bytes))
			}
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !slices.Contains(got, want) && !(strings.HasSuffix(want, ":") && slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, want) })) {
				t.Errorf("%s: %s is no neighbour of %s; there are %s", c.keyword, want, c.doc, got)
			}
		}
	}
}

// Deeper values are reached through every keyword that applies a schema to them.
func TestTargetsAreFound(t *testing.T) {
	s, err := NewSchema("http://x.test/dir/a.json#/$defs/start", map[string][]byte{
		"http://x.test/dir/a.json": []byte(`{"$defs":{"start":{"properties":{"p":{"$ref":"b.json"}},"patternProperties":{"^q":{"$ref":"#/$defs/leaf"}},
			"additionalProperties":{"items":{"$ref":"b.json#named"}}},"leaf":{"const":"leaf"}}}`),
		"http://x.test/dir/b.json": []byte(`{"if":{"const":1},"then":{"minimum":2},"$defs":{"n":{"$anchor":"named","maxLength":3}}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := parse([]byte(`{"p":1,"q1":"leaf","r":["abc"]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, x := range s.targets(doc) {
		got[x.pointer] = append(got[x.pointer], x.facet.node.names...)
	}
	for pointer, keywords := range map[string][]string{
		"/p": {"if", "then", "const", "minimum"}, "/q1": {"$ref", "const"}, "/r": {"items"}, "/r/0": {"$ref", "maxLength"},
	} {
		for _, k := range keywords {
			if !slices.Contains(got[pointer], k) {
				t.Errorf("%s: no %s among %v", pointer, k, got[pointer])
			}
		}
	}
}

const mixed = `{"type":"object","required":["id","kind"],"additionalProperties":false,"properties":{
	"id":{"type":"string","pattern":"^t_[0-9]{4}$"},"kind":{"enum":["a","b"]},"n":{"type":"integer","minimum":0,"maximum":9},
	"tags":{"type":"array","items":{"type":"string","minLength":1},"uniqueItems":true,"maxItems":3}}}`

func TestStreamIsDeterministicAndWellFormed(t *testing.T) {
	seeds := [][]byte{[]byte(`{"id":"t_0001","kind":"a","tags":["x"]}`)}
	run := func(seed uint64) []Document {
		m, err := New(newSchema(t, mixed), seeds, seed)
		if err != nil {
			t.Fatal(err)
		}
		var out []Document
		for i := range 2000 {
			d := m.Next()
			m.Saw(d, i%3 == 0)
			out = append(out, d)
		}
		return out
	}
	first, second, other := run(1), run(1), run(2)
	same, hostileSeen := 0, map[string]int{}
	for i, d := range first {
		if !bytes.Equal(d.Bytes, second[i].Bytes) || !slices.Equal(d.Ops, second[i].Ops) {
			t.Fatalf("document %d differs between two runs: %s and %s", i, d, second[i])
		}
		if bytes.Equal(d.Bytes, other[i].Bytes) {
			same++
		}
		if !json.Valid(d.Bytes) {
			t.Errorf("document %d is not JSON: %s", i, d)
		}
		if d.Hostile == "" && !utf8.Valid(d.Bytes) {
			t.Errorf("document %d is not UTF-8 and does not say so: %s", i, d)
		}
		hostileSeen[d.Hostile]++
	}
	if same > 1000 {
		t.Errorf("%d of 2000 documents are the same under another seed", same)
	}
	for _, rule := range []string{"duplicate key", "lone surrogate", "invalid UTF-8", "depth"} {
		if hostileSeen[rule] == 0 {
			t.Errorf("no document breaks the rule %q: %v", rule, hostileSeen)
		}
	}
}

// The maker steers towards one half, also where the schema draws hardly a border, and where nothing but
// rare documents pass.
func TestStreamIsSteered(t *testing.T) {
	type judge func(doc []byte) bool
	for _, c := range []struct {
		name, schema string
		valid        judge
	}{
		{"lax", `{"properties":{"ignore":{"type":"string"}}}`, func(doc []byte) bool {
			var v struct{ Ignore any }
			if json.Unmarshal(doc, &v) != nil || v.Ignore == nil {
				return !bytes.Contains(doc, []byte(`"ignore":null`))
			}
			_, ok := v.Ignore.(string)
			return ok
		}},
		{"strict", `{"type":"array"}`, func(doc []byte) bool { return bytes.HasPrefix(doc, []byte(`["x"`)) }},
	} {
		m, err := New(newSchema(t, c.schema), [][]byte{[]byte(`["x"]`)}, 7)
		if err != nil {
			t.Fatal(err)
		}
		valid := 0
		for range 3000 {
			d := m.Next()
			ok := c.valid(d.Bytes)
			m.Saw(d, ok)
			if ok {
				valid++
			}
		}
		if valid < 900 || valid > 2100 {
			t.Errorf("%s: %d of 3000 documents are valid, want between 30 and 70 in a hundred", c.name, valid)
		}
	}
}

func TestBuiltDocumentsFollowTheSchema(t *testing.T) {
	s := newSchema(t, mixed)
	for seed := range uint64(200) {
		var doc struct {
			ID   *string  `json:"id"`
			Kind string   `json:"kind"`
			N    *int     `json:"n"`
			Tags []string `json:"tags"`
		}
		d := json.NewDecoder(bytes.NewReader(s.Built(seed).Bytes))
		d.DisallowUnknownFields()
		if err := d.Decode(&doc); err != nil {
			t.Fatalf("seed %d: %s: %v", seed, s.Built(seed), err)
		}
		if doc.ID == nil || len(*doc.ID) != 6 || doc.Kind != "a" && doc.Kind != "b" || doc.N != nil && (*doc.N < 0 || *doc.N > 9) || len(doc.Tags) > 3 {
			t.Errorf("seed %d: %s", seed, s.Built(seed))
		}
	}
	recursive := newSchema(t, `{"type":"object","required":["next"],"properties":{"next":{"$ref":"#"}}}`)
	if got := recursive.Built(1); len(got.Bytes) > 4096 {
		t.Errorf("a recursive schema gave %d bytes", len(got.Bytes))
	}
}

// Generator and compiler must not share a mistake, so they share no code.
func TestImportsNothingOfTheModule(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("own files: %v, %v", names, err)
	}
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if strings.HasPrefix(i.Path.Value, `"vcp.core`) {
				t.Errorf("%s imports %s", name, i.Path.Value)
			}
		}
	}
}
