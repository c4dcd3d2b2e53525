package sample

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
)

// has returns a predicate: somewhere in the document is a value of which f is true.
func has(t *testing.T, f func(n *load.Node) bool) func([]byte) bool {
	return func(doc []byte) bool {
		found := false
		file, list := load.Parse("test", doc, wire.Limits{})
		if list.HasErrors() {
			t.Errorf("%s is no JSON", doc)
			return false
		}
		each(file.Root, func(n *load.Node) { found = found || f(n) })
		return found
	}
}

// Each document becomes the smallest of its kind.
func TestShrink(t *testing.T) {
	number := func(from, to int) func(*load.Node) bool {
		return func(n *load.Node) bool {
			r, ok := rational(n.Str)
			return n.Kind == wire.KindNumber && ok && r.IsInt() && r.Num().Int64() >= int64(from) && r.Num().Int64() <= int64(to)
		}
	}
	text := func(f func(string) bool) func(*load.Node) bool {
		return func(n *load.Node) bool { return n.Kind == wire.KindString && f(n.Str) }
	}
	for _, c := range []struct {
		doc, want string
		keep      func([]byte) bool
	}{
		{`{"a":[1,2,{"x":"y"}]}`, `0`, func([]byte) bool { return true }},
		{` { "a" : [ 1 , 2 ] } `, `{"a":[0,0]}`, func(doc []byte) bool { return len(doc) >= 11 }},
		{`{"a":[1,{"b":[4711]}],"c":[1,2,3]}`, `100`, has(t, number(100, 5000))},
		{`[-2,-4711]`, `-100`, has(t, number(-5000, -100))},
		{`[15e2]`, `100`, has(t, number(100, 5000))},
		{`[12345678901234567890]`, `1000000000000000000`, has(t, number(1_000_000_000_000_000_000, 1<<62))},
		{`{"a":["long and winding text"]}`, `"aaaaa"`, has(t, text(func(s string) bool { return len(s) >= 5 }))},
		{`["2024-02-29x"]`, `"-"`, has(t, text(func(s string) bool { return strings.Contains(s, "-") }))},
		{"[\"\\u0041\\u00e9\"]", `"é"`, has(t, text(func(s string) bool { return strings.Contains(s, "é") }))},
		{`[2.5e0]`, `0.5`, has(t, func(n *load.Node) bool { return n.Kind == wire.KindNumber && !isInteger(n.Str) })},
		{`[0.123456]`, `0.1`, has(t, func(n *load.Node) bool { return n.Kind == wire.KindNumber && !isInteger(n.Str) })},
		{`{"one":{"two":{"deep":true,"other":false}}}`, `{"deep":0}`, has(t, func(n *load.Node) bool { return n.Get("deep") != nil })},
		{`{"one":1,"two":2,"three":3}`, `{"":0,"a":0}`, has(t, func(n *load.Node) bool { return len(n.Members) == 2 })},
		{`[1,2,3,4,5,6,7,8,9]`, `[0,0,0]`, has(t, func(n *load.Node) bool { return len(n.Elems) >= 3 })},
		{`[[[[[["x"]]]]]]`, `[[0]]`, has(t, func(n *load.Node) bool { return len(n.Elems) == 1 && len(n.Elems[0].Elems) == 1 })},
		// Where only every other level fits, the one between is jumped over.
		{`{"l":{"r":{"l":{"r":{"l":{"r":7}}}}}}`, `{"l":{"r":7}}`, func(doc []byte) bool {
			s := string(doc)
			for strings.HasPrefix(s, `{"l":{"r":`) {
				s = s[10 : len(s)-2]
			}
			return s == "7" && string(doc) != "7"
		}},
		// What has to keep its white space, and what is no JSON, loses bytes.
		{" [1 ,2] ", " ", func(doc []byte) bool { return bytes.ContainsRune(doc, ' ') }},
		{`{"a":1,"a":2,"b":3}`, `"a""a"`, func(doc []byte) bool { return bytes.Count(doc, []byte(`"a"`)) == 2 }},
		{"[\"\xff\"]", "\xff", func(doc []byte) bool { return bytes.Contains(doc, []byte("\xff")) }},
	} {
		if got, minimal := Shrink([]byte(c.doc), 10_000, c.keep); string(got) != c.want || !minimal {
			t.Errorf("%s: got %s, minimal %v, want %s", c.doc, got, minimal, c.want)
		}
	}
}

// Of documents that a schema refuses, or allows, a small one is left: it is still refused or allowed, no step makes
// it smaller, and the same comes out again.
func TestShrinkUnderASchema(t *testing.T) {
	before, after := 0, 0
	for _, schema := range []string{
		tree, `{"type":"object","properties":{"k":{"enum":["a","b"]},"v":{"type":"integer","minimum":7}},"required":["k","v"],"additionalProperties":false}`,
		`{"type":"array","items":{"type":"string","format":"date"},"uniqueItems":true,"minItems":2}`, `{"oneOf":[{"type":"integer","maximum":3},{"type":"integer","minimum":2}]}`,
		`{"type":"object","patternProperties":{"^[a-z]{3,}$":{"type":"number","multipleOf":0.5}},"additionalProperties":false,"minProperties":1}`,
	} {
		documents := map[string]*load.Node{"https://sample.test/other": parse(t, []byte(`{"$defs":{"x":{"enum":[1,2,3]}}}`))}
		s, err := New(parse(t, []byte(schema)), Options{Documents: documents})
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(60) {
			doc := s.Near(seed)
			want := s.fits(t, doc)
			keep := func(doc []byte) bool { return s.fits(t, doc) == want }
			small, minimal := Shrink(doc, 10_000, keep)
			before, after = before+len(doc), after+len(small)
			if !minimal || !keep(small) || len(small) > len(doc) {
				t.Fatalf("%s: %s became %s, minimal %v", schema, doc, small, minimal)
			}
			if again, _ := Shrink(doc, 10_000, keep); !bytes.Equal(again, small) {
				t.Errorf("%s became %s, and then %s", doc, small, again)
			}
			if again, _ := Shrink(small, 10_000, keep); !bytes.Equal(again, small) {
				t.Errorf("%s became %s, which was called minimal", small, again)
			}
		}
	}
	t.Logf("%d bytes became %d", before, after)
	if after*4 > before {
		t.Errorf("%d bytes became %d: not even a quarter", before, after)
	}
}

// fits judges a document by the reading of the package.
func (s *Source) fits(t *testing.T, doc []byte) bool {
	c := checker{documents: s.docs, left: 1_000_000}
	ok, _ := c.judge(s.root, nil, parse(t, doc))
	if c.lost {
		t.Errorf("%s cannot be judged", doc)
	}
	return ok
}

// It ends after the steps that it may take, however large the document is, and the best so far counts.
func TestShrinkBounds(t *testing.T) {
	var big strings.Builder
	big.WriteString("[0")
	for i := range 30_000 {
		fmt.Fprintf(&big, `,{"n%d":"%d"}`, i, i*i)
	}
	big.WriteString("," + strings.Repeat("7", 100_000) + "]")
	for _, doc := range []string{big.String(), strings.Repeat("[", 900) + strings.Repeat("]", 900), `"` + strings.Repeat("ab", 100_000) + `"`, big.String()[1:]} {
		for _, steps := range []int{0, 1, 200} {
			asked := 0
			size := len(doc)
			small, minimal := Shrink([]byte(doc), steps, func(d []byte) bool {
				asked++
				if len(d) > size {
					t.Errorf("was asked about %d bytes after %d were kept", len(d), size)
				}
				if len(d)*3 < len(doc) {
					return false
				}
				size = len(d)
				return true
			})
			if asked > steps || minimal && steps < 200 || len(small) != size || steps == 200 && len(small) > len(doc)/2 {
				t.Errorf("%.20s of %d bytes: %d steps of %d, %d bytes, minimal %v", doc, len(doc), asked, steps, len(small), minimal)
			}
		}
	}
}
