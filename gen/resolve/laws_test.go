package resolve_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// caseArchives reads all cases of testdata, by name.
func caseArchives(t *testing.T) map[string]*archive {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	out := map[string]*archive{}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = parsed(src)
	}
	return out
}

func (c *archive) resolve(t *testing.T, root *load.File) (*resolve.Schema, diag.List) {
	opts, _ := c.options(t)
	return resolve.Resolve(root, root.At(strings.TrimSpace(string(c.get("at")))), opts)
}

// The order of members in a schema changes positions and nothing else. Which of two equal names is the
// second one is such a position.
func TestMemberOrderDoesNotMatter(t *testing.T) {
	kinds := func(list diag.List) (out []string) {
		for _, d := range list {
			line := fmt.Sprintf("%s %s %s", d.Severity, d.Code, d.Pointer)
			if d.Code == resolve.CodeID {
				line = string(d.Code)
			}
			out = append(out, line)
		}
		slices.Sort(out)
		return out
	}
	rnd := rand.New(rand.NewPCG(7, 7))
	for name, c := range caseArchives(t) {
		root := parse(t, "schema.json", c.get("schema.json"))
		_, list := c.resolve(t, root)
		want := kinds(list)
		for range 20 {
			var out strings.Builder
			shuffle(&out, root, root.Root, rnd)
			_, list := c.resolve(t, parse(t, "schema.json", []byte(out.String())))
			if got := kinds(list); !slices.Equal(got, want) {
				t.Fatalf("%s: %s\ngot  %q\nwant %q", name, out.String(), got, want)
			}
		}
	}
}

// shuffle writes a value with the members of every object in random order.
func shuffle(out *strings.Builder, file *load.File, n *load.Node, rnd *rand.Rand) {
	switch n.Kind {
	case wire.KindObject:
		out.WriteByte('{')
		for i, at := range rnd.Perm(len(n.Members)) {
			if i > 0 {
				out.WriteByte(',')
			}
			m := n.Members[at]
			out.Write(file.Src[m.NameStart:m.NameEnd])
			out.WriteByte(':')
			shuffle(out, file, m.Value, rnd)
		}
		out.WriteByte('}')
	case wire.KindArray:
		out.WriteByte('[')
		for i, e := range n.Elems {
			if i > 0 {
				out.WriteByte(',')
			}
			shuffle(out, file, e, rnd)
		}
		out.WriteByte(']')
	default:
		out.Write(file.Raw(n))
	}
}

// The order in which documents are given to a registry changes nothing at all.
func TestRegistryOrderDoesNotMatter(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 8))
	for name, c := range caseArchives(t) {
		show := func() string {
			opts, findings := c.options(t)
			root := parse(t, "schema.json", c.get("schema.json"))
			schema, list := resolve.Resolve(root, root.At(strings.TrimSpace(string(c.get("at")))), opts)
			return text(t, findings) + dump(schema) + text(t, list)
		}
		want := show()
		for range 10 {
			rnd.Shuffle(len(c.Files), func(i, j int) { c.Files[i], c.Files[j] = c.Files[j], c.Files[i] })
			if got := show(); got != want {
				t.Fatalf("%s: got\n%s\nwant\n%s", name, got, want)
			}
		}
	}
}

// A registry serves resolutions at the same time, and each gives what it gives alone.
func TestRegistryIsSafeForConcurrentUse(t *testing.T) {
	for name, c := range caseArchives(t) {
		opts, _ := c.options(t)
		root := parse(t, "schema.json", c.get("schema.json"))
		at := root.At(strings.TrimSpace(string(c.get("at"))))
		schema, list := resolve.Resolve(root, at, opts)
		want := dump(schema) + text(t, list)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				schema, list := resolve.Resolve(root, at, opts)
				if got := dump(schema) + text(t, list); got != want {
					t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
				}
			})
		}
		group.Wait()
	}
}

// Every limit is an option, and holds exactly.
func TestLimitsAreOptions(t *testing.T) {
	for _, c := range []struct {
		schema string
		fits   resolve.Limits
		over   resolve.Limits
		says   string
	}{
		{`{"allOf":[{},{"anyOf":[{},{}]}]}`, resolve.Limits{Arms: 4}, resolve.Limits{Arms: 3}, "4 composition arms here, more than 3"},
		{`{"not":{"$ref":"#/$defs/a"},"$defs":{"a":{}}}`, resolve.Limits{Depth: 3}, resolve.Limits{Depth: 2}, "deeper than 2"},
		{`{"properties":{"a":{},"b":true}}`, resolve.Limits{Schemas: 3}, resolve.Limits{Schemas: 2}, "more than 2 schemas"},
		{`{"$ref":"#/x/0","x":[{"items":{}}]}`, resolve.Limits{Schemas: 3}, resolve.Limits{Schemas: 2}, "more than 2 schemas"},
		{`{"properties":{"a":{"type":"null"}}}`, resolve.Limits{PointerBytes: 42}, resolve.Limits{PointerBytes: 41}, "longer than 41 bytes"},
		{`{"$ref":"#/x/a","x":{"a":{"not":{}}}}`, resolve.Limits{PointerBytes: 100}, resolve.Limits{PointerBytes: 7}, "longer than 7 bytes"},
		{`{"patternProperties":{"a":{},"b":{}},"pattern":"a"}`, resolve.Limits{Patterns: 2}, resolve.Limits{Patterns: 1}, "more than 1 different patterns"},
		{`{"patternProperties":{"ab":{},"cd":{}}}`, resolve.Limits{PatternCost: 4}, resolve.Limits{PatternCost: 3}, "costs 4 units, more than 3"},
		{`{"pattern":"\\p{L}{2,30}"}`, resolve.Limits{PatternCost: 841}, resolve.Limits{PatternCost: 840}, "costs 841 units, more than 840"},
		{`{"$id":"file://./abcd"}`, resolve.Limits{URIBytes: 13}, resolve.Limits{URIBytes: 12}, "the $id is a URI of more than 12 bytes"},
		{`{"$ref":"./././././x#/items","$defs":{"x":{"$id":"x","items":{}}}}`, resolve.Limits{URIBytes: 11}, resolve.Limits{URIBytes: 10}, "the reference is a URI of more than 10 bytes"},
	} {
		root := parse(t, "s.json", []byte(c.schema))
		if schema, list := resolve.Resolve(root, nil, resolve.Options{Limits: c.fits}); schema == nil {
			t.Errorf("%s: %+v: %v", c.schema, c.fits, list)
		}
		schema, list := resolve.Resolve(root, nil, resolve.Options{Limits: c.over})
		if schema != nil || len(list) != 1 || list[0].Code != resolve.CodeLimit || !strings.Contains(list[0].Message, c.says) {
			t.Errorf("%s: %+v: %v", c.schema, c.over, list)
		}
	}
}

// Findings beyond the limit are counted and not listed, errors and warnings apart: a flood of warnings
// must not hide that a schema is wrong.
func TestFindingsAreLimited(t *testing.T) {
	src := `{"$defs":{` + strings.Repeat(`"a@":{"tipe":1},`, 5) + strings.Repeat(`"b@":{"type":1},`, 2) + `"c":{}}}`
	for i := 0; strings.Contains(src, "@"); i++ {
		src = strings.Replace(src, "@", fmt.Sprint(i), 1)
	}
	schema, list := resolve.Resolve(parse(t, "s.json", []byte(src)), nil, resolve.Options{Limits: resolve.Limits{Findings: 3}})
	if schema != nil {
		t.Error("resolved")
	}
	counts := map[string]int{}
	for _, d := range list {
		counts[string(d.Severity)+" "+string(d.Code)]++
	}
	want := map[string]int{"warning schema/near-miss": 3, "warning schema/more": 1, "error schema/value": 2}
	if fmt.Sprint(counts) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", counts, want)
	}
	_, list = resolve.Resolve(parse(t, "s.json", []byte(src)), nil, resolve.Options{Limits: resolve.Limits{Findings: 1}})
	if errs, warns := list.Count(); errs != 2 || warns != 2 {
		t.Errorf("%d errors, %d warnings: %v", errs, warns, list)
	}
}

func TestOptions(t *testing.T) {
	root := parse(t, "dir/s.json", []byte(`{"items": {"$ref": "other.json"}}`))
	other := parse(t, "elsewhere.json", []byte(`{"items": [true]}`))
	registry, list := resolve.NewRegistry(resolve.Document{URI: "https://example.com/a/other.json", File: other, Dialect: resolve.Draft07})
	if len(list) > 0 {
		t.Fatal(list)
	}
	schema, list := resolve.Resolve(root, nil, resolve.Options{URI: "https://example.com/a/s.json", Dialect: resolve.Draft07, Registry: registry})
	if len(list) > 0 {
		t.Fatal(list)
	}
	target := schema.Find("items").Schemas[0].Find("$ref").Schemas[0]
	if schema.Base != "https://example.com/a/s.json" || schema.Dialect != resolve.Draft07 || target.Base != "https://example.com/a/other.json" || target.Find("prefixItems") == nil {
		t.Errorf("%+v\n%+v", schema, target)
	}
	for _, bad := range []string{"relative", "https://example.com/#x", "a b", "%"} {
		if _, list := resolve.Resolve(root, nil, resolve.Options{URI: bad}); !list.HasErrors() || list[0].Code != resolve.CodeID {
			t.Errorf("%q: %v", bad, list)
		}
	}
	// Every embedded meta-schema is reachable, by both spellings of draft-07's name.
	for _, name := range []string{
		"http://json-schema.org/draft-07/schema", "http://json-schema.org/draft-07/schema#",
		"https://json-schema.org/draft/2020-12/meta/validation#/$defs/stringArray", "https://json-schema.org/draft/2020-12/meta/core#/$defs/anchorString",
		"https://json-schema.org/draft/2020-12/meta/content", "https://json-schema.org/draft/2020-12/meta/format-annotation",
		"https://json-schema.org/draft/2020-12/meta/format-assertion", "https://json-schema.org/draft/2020-12/meta/meta-data",
		"https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2019-09/meta/applicator#/$defs/schemaArray",
	} {
		_, list := resolve.Resolve(parse(t, "s.json", []byte(`{"$ref": "`+name+`"}`)), nil, resolve.Options{})
		for _, d := range list {
			t.Errorf("%s: %v", name, d)
		}
	}
}
