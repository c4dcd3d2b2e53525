package fuzz

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// frontSeeds are schemas that lead a resolver astray.
var frontSeeds = []string{
	`{"$ref":"#"}`, `{"$ref":"other.json","$defs":{"a":{"$id":"a","$anchor":"x","$ref":"#x"}}}`, `{"allOf":[{"$ref":"#/allOf/0"}]}`,
	`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"$ref":"#/additionalItems"}],"additionalItems":{"$id":"#a"},"dependencies":{"a":["b"],"c":{}}}`,
	`{"$id":"urn:x","$defs":{"b":{"$id":"urn:y","$dynamicAnchor":"z"}},"$ref":"urn:y#z","unevaluatedItems":false,"$dynamicRef":"#z"}`,
	`{"x":{"y":[{"$ref":"#/x/y/0/z","z":{"items":{"$ref":"#/x"}}}]},"$ref":"#/x/y/0"}`, `{"$ref":"#/%25%7E0~1/资源","%~/":{"资源":true}}`,
	`{"pattern":"(?=a)(b{1000}){1000}","patternProperties":{"^(":{},"\\p{L}":1}}`, `{"type":["strin",5],"propertes":[],"required":["a","a"],"maxLength":1e999}`,
	`{"$ref":"../../../a/./b/..//c?d#e"}`, `{"$id":"http://[::1]:1/%zz"}`, `{"if":{"$ref":"#/then"},"then":{"$ref":"#/else"},"else":{"$ref":"#/if"}}`,
	`{"$schema":"other.json"}`, `{"$schema":"file://./other.json","$vocabulary":{"a":true}}`, `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`,
	`{"definitions":{"a":{"$schema":"http://json-schema.org/draft-04/schema#","$id":"b"}},"$ref":"b"}`, `[{"$ref":"#/0"}]`, `true`,
}

func addSeeds(f *testing.F, add func(src []byte)) {
	for _, s := range slices.Concat(hostile, frontSeeds) {
		add([]byte(s))
	}
	for _, d := range schema.All() {
		add(d.Source)
	}
	cases, err := filepath.Glob(filepath.Join("..", "gen", "resolve", "testdata", "*", "*.txtar"))
	if err != nil || len(cases) == 0 {
		f.Fatal("no cases of gen/resolve", err)
	}
	for _, name := range cases {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			add(file.Data)
		}
	}
}

// Whatever bytes come, the loader gives a tree that spells the document back, or one finding about it.
func FuzzLoad(f *testing.F) {
	addSeeds(f, func(src []byte) { f.Add(src) })
	f.Fuzz(func(t *testing.T, src []byte) {
		file, list := load.Parse("fuzz.json", src, wire.Limits{})
		if file == nil {
			if len(list) != 1 || list[0].Severity != diag.Error {
				t.Fatalf("no file and %v", list)
			}
			inRange(t, list, src)
			return
		}
		if len(list) > 0 {
			t.Fatalf("a file and %v", list)
		}
		compact := wire.AppendCompact(nil, src)
		if back := spell(nil, file, file.Root); !bytes.Equal(back, compact) {
			t.Fatalf("the tree spells %q", back)
		}
		if len(src) > 4<<10 {
			return // the checks below are quadratic
		}
		checkPlaces(t, file, file.Root, "")
		line, col := 1, 1
		for offset, r := range string(src) {
			if p := file.Position(offset); p.Line != line || p.Col != col || p.Offset != offset {
				t.Fatalf("offset %d is at %+v, want %d:%d", offset, p, line, col)
			}
			col++
			if r == '\n' {
				line, col = line+1, 1
			}
		}
	})
}

// spell writes a tree as compact JSON, from the places that its nodes remember.
func spell(out []byte, file *load.File, n *load.Node) []byte {
	switch n.Kind {
	case wire.KindObject:
		out = append(out, '{')
		for i := range n.Members {
			if i > 0 {
				out = append(out, ',')
			}
			m := &n.Members[i]
			out = append(append(out, file.Src[m.NameStart:m.NameEnd]...), ':')
			out = spell(out, file, m.Value)
		}
		return append(out, '}')
	case wire.KindArray:
		out = append(out, '[')
		for i, e := range n.Elems {
			if i > 0 {
				out = append(out, ',')
			}
			out = spell(out, file, e)
		}
		return append(out, ']')
	default:
		return append(out, file.Raw(n)...)
	}
}

// checkPlaces checks that every node is found by its pointer, and its pointer by the node.
func checkPlaces(t *testing.T, file *load.File, n *load.Node, pointer string) {
	if back, ok := file.PointerTo(n); !ok || back != pointer || file.At(pointer) != n {
		t.Fatalf("the node at %q has the pointer %q", pointer, back)
	}
	if !utf8.ValidString(n.Str) {
		t.Fatalf("%q holds %q", pointer, n.Str)
	}
	for i, e := range n.Elems {
		checkPlaces(t, file, e, load.Item(pointer, i))
	}
	for i := range n.Members {
		m := &n.Members[i]
		if n.Member(m.Name) != m {
			t.Fatalf("%q does not find its member %q", pointer, m.Name)
		}
		checkPlaces(t, file, m.Value, load.Child(pointer, m.Name))
	}
}

func inRange(t *testing.T, list diag.List, src []byte) {
	t.Helper()
	for _, d := range list {
		whole := d.Line == 0 && d.Col == 0 && d.Offset == 0
		if d.Offset < 0 || d.Offset > len(src) || !whole && (d.Line < 1 || d.Col < 1) {
			t.Fatalf("%+v is out of range", d)
		}
		if _, ok := load.SplitPointer(d.Pointer); !ok || d.Message == "" || d.Code == "" {
			t.Fatalf("%+v", d)
		}
	}
}

// Whatever schema comes, and whatever document it refers to, the resolver says the same twice, blames
// places that exist, and gives a graph only without errors. In that graph no way about one value is endless.
func FuzzResolve(f *testing.F) {
	other := []byte(`{"$id":"other.json","$defs":{"a":{"$ref":"fuzz.json"},"b":{"type":"strin"}}}`)
	addSeeds(f, func(src []byte) {
		f.Add(src, other, false)
		f.Add(src, src, true)
	})
	f.Fuzz(func(t *testing.T, src, other []byte, old bool) {
		if len(src) > 64<<10 || len(other) > 64<<10 {
			return
		}
		root, list := load.Parse("fuzz.json", src, wire.Limits{})
		if len(list) > 0 {
			return
		}
		opts := resolve.Options{Limits: resolve.Limits{Findings: 50}}
		if old {
			opts.Dialect = resolve.Draft07
		}
		if file, list := load.Parse("other.json", other, wire.Limits{}); len(list) == 0 {
			opts.Registry, list = resolve.NewRegistry(resolve.Document{File: file})
			inRange(t, list, other)
		}
		schema, list := resolve.Resolve(root, nil, opts)
		if (schema == nil) != list.HasErrors() {
			t.Fatalf("schema %v beside %v", schema, list)
		}
		if len(list) > 2*50+3 {
			t.Fatalf("%d findings", len(list))
		}
		for i, d := range list {
			switch d.File {
			case "fuzz.json":
				inRange(t, list[i:i+1], src)
			case "other.json":
				inRange(t, list[i:i+1], other)
			default:
				t.Fatalf("a finding about %s", d.File)
			}
		}
		again, second := resolve.Resolve(root, nil, opts)
		if (again == nil) != (schema == nil) || !slices.Equal(list, second) {
			t.Fatalf("first %v\nthen %v", list, second)
		}
		if schema != nil {
			checkGraph(t, schema)
		}
	})
}

// checkGraph walks the graph of a resolved schema: every edge leads somewhere, patterns are compiled, and
// there is no cycle of keywords that stay with one value.
func checkGraph(t *testing.T, root *resolve.Schema) {
	const inPlace = " $ref allOf anyOf oneOf not if then else dependentSchemas "
	const open, done = 1, 2
	state := map[*resolve.Schema]int{}
	queue := []*resolve.Schema{root}
	var visit func(s *resolve.Schema)
	visit = func(s *resolve.Schema) {
		switch state[s] {
		case open:
			t.Fatalf("a cycle through %s%s", s.File.Name, s.Pointer)
		case done:
			return
		}
		state[s] = open
		if s.File.At(s.Pointer) != s.Node {
			t.Fatalf("%q is not the place of its schema", s.Pointer)
		}
		for _, k := range s.Keywords {
			if len(k.Schemas) != len(k.Names) && len(k.Names) > 0 && len(k.Lists) != len(k.Names) {
				t.Fatalf("%s has %d names for %d schemas", k.Pointer, len(k.Names), len(k.Schemas))
			}
			if slices.Contains(k.Schemas, nil) || slices.Contains(k.Patterns, nil) {
				t.Fatalf("%s has a hole", k.Pointer)
			}
			if strings.Contains(inPlace, " "+k.Name+" ") {
				for _, sub := range k.Schemas {
					visit(sub)
				}
			} else {
				queue = append(queue, k.Schemas...)
			}
		}
		state[s] = done
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		visit(s)
	}
}
