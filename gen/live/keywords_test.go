package live_test

import (
	"slices"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/keyword"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
)

func TestKeywords(t *testing.T) {
	for _, c := range slices.Concat(keyword.Cases, keyword.Unevaluated) {
		v := compile(t, c.Schema)
		for _, doc := range c.Valid() {
			if got, violations := judge(t, v, doc); got != wire.Valid {
				t.Errorf("%s\n%s: verdict %d, want valid: %+v", c.Schema, doc, got, violations)
			}
		}
		for _, doc := range c.Invalid() {
			if got, _ := judge(t, v, doc); got != wire.Invalid {
				t.Errorf("%s\n%s: verdict %d, want invalid", c.Schema, doc, got)
			}
		}
	}
}

// A schema means the same inside another as alone: at a member, an element, in place, behind two nots.
func TestKeywordsEverywhere(t *testing.T) {
	frames := []struct{ schema, doc string }{
		{`{"properties": {"p": %}}`, `{"o":0,"p":%}`},
		{`{"properties": {"a": true, "b": true, "p": %}, "required": ["p"]}`, `{"b":0,"p":%,"a":0}`},
		{`{"patternProperties": {"^p": %}, "additionalProperties": false}`, `{"p1":%}`},
		{`{"additionalProperties": %}`, `{"x":%}`},
		{`{"items": %}`, `[%,%]`},
		{`{"prefixItems": [true, %]}`, `[0,%]`},
		{`{"contains": %}`, `[%]`},
		{`{"allOf": [true, %]}`, `%`},
		{`{"anyOf": [false, %]}`, `%`},
		{`{"oneOf": [%, false]}`, `%`},
		{`{"not": {"not": %}}`, `%`},
		{`{"if": true, "then": %, "else": false}`, `%`},
		{`{"if": %, "else": false}`, `%`},
		{`{"dependentSchemas": {"": true}, "$ref": "#/$defs/d", "$defs": {"d": %}}`, `%`},
		{`{"properties": {"k": true}, "oneOf": [{"properties": {"k": {"const": 1}, "p": %}, "required": ["k"]}, {"properties": {"k": {"const": 2}}, "required": ["k"]}]}`, `{"p":%,"k":1}`},
		{`{"allOf": [{"if": {"properties": {"k": {"const": 1}}, "required": ["k"]}, "then": {"properties": {"p": %}}}]}`, `{"k":1.0,"p":%}`},
	}
	for _, c := range slices.Concat(keyword.Cases, keyword.Unevaluated) {
		if strings.Contains(c.Schema, `"#`) || strings.Contains(c.Schema, "$schema") {
			continue // relative to their own root
		}
		for _, f := range frames {
			v := compile(t, strings.ReplaceAll(f.schema, "%", c.Schema))
			for _, doc := range c.Valid() {
				if got, violations := judge(t, v, strings.ReplaceAll(f.doc, "%", doc)); got != wire.Valid {
					t.Errorf("%s in %s\n%s: verdict %d, want valid: %+v", c.Schema, f.schema, doc, got, violations)
				}
			}
			for _, doc := range c.Invalid() {
				if got, _ := judge(t, v, strings.ReplaceAll(f.doc, "%", doc)); got != wire.Invalid {
					t.Errorf("%s in %s\n%s: verdict %d, want invalid", c.Schema, f.schema, doc, got)
				}
			}
		}
	}
}

// Formats decide only when asserted, and then only strings.
func TestFormatAssertion(t *testing.T) {
	for _, c := range keyword.Formats {
		v := live.Compile(program(t, c.Schema, ir.Options{FormatAssertion: true})).Root(0)
		for _, doc := range c.Valid() {
			if got, violations := judge(t, v, doc); got != wire.Valid {
				t.Errorf("%s\n%s: verdict %d, want valid: %+v", c.Schema, doc, got, violations)
			}
		}
		for _, doc := range c.Invalid() {
			if got, _ := judge(t, v, doc); got != wire.Invalid {
				t.Errorf("%s\n%s: verdict %d, want invalid", c.Schema, doc, got)
			}
		}
	}
	if got, _ := judge(t, compile(t, `{"format": "date"}`), `"never"`); got != wire.Valid {
		t.Error("an annotation decided")
	}
}

// Objects with more members, required names and dependencies than fit in a machine word.
func TestManyNames(t *testing.T) {
	const n = 300
	var names, doc []string
	for i := range n {
		name := strings.Repeat("n", i%7) + string(rune('a'+i%26)) + strings.Repeat("_", i/26)
		names = append(names, `"`+name+`"`)
		doc = append(doc, `"`+name+`":`+`{"deep":{}}`)
	}
	v := compile(t, `{"required": [`+strings.Join(names, ",")+`], "properties": {`+names[0]+`: {"$ref": "#/$defs/o"}, `+names[n-1]+`: {"$ref": "#/$defs/o"}},
		"dependentRequired": {`+names[3]+`: [`+names[200]+`, "extra"]},
		"dependentSchemas": {`+names[4]+`: {"maxProperties": `+"301"+`}},
		"$defs": {"o": {"required": ["deep"], "minProperties": 1}}}`)
	full := strings.Join(doc, ",")
	for _, c := range []struct {
		doc  string
		want wire.Verdict
	}{
		{`{` + full + `,"extra":1}`, wire.Valid},
		{`{"extra":1,` + full + `}`, wire.Valid},
		{`{` + full + `}`, wire.Invalid},
		{`{"extra":1,` + strings.Join(doc[1:], ",") + `}`, wire.Invalid},
		{`{"extra":1,` + strings.Join(doc[:n-1], ",") + `}`, wire.Invalid},
		{`{"extra":1,"more":1,` + full + `}`, wire.Invalid},
		{`{"extra":1,` + strings.Replace(full, `{"deep":{}}`, `{}`, 1) + `}`, wire.Invalid},
	} {
		if got, violations := judge(t, v, c.doc); got != c.want {
			t.Errorf("verdict %d, want %d: %+v", got, c.want, violations)
		}
	}
}

// Names that collide in everything that the table of names looks at are still told apart.
func TestCollidingNames(t *testing.T) {
	var props []string
	for i := range 200 {
		props = append(props, `"12345678`+strings.Repeat("x", 4)+string(rune('A'+i%26))+string(rune('a'+i/26))+strings.Repeat("x", 4)+`87654321": {"const": `+string(rune('0'+i%10))+`}`)
	}
	v := compile(t, `{"properties": {`+strings.Join(props, ",")+`}, "additionalProperties": false}`)
	for i, p := range props {
		name, _, _ := strings.Cut(p, ":")
		right, wrong := string(rune('0'+i%10)), string(rune('0'+(i+1)%10))
		if got, _ := judge(t, v, `{`+name+`:`+right+`}`); got != wire.Valid {
			t.Errorf("%s: verdict %d", name, got)
		}
		if got, _ := judge(t, v, `{`+name+`:`+wrong+`}`); got != wire.Invalid {
			t.Errorf("%s: verdict %d", name, got)
		}
	}
	if got, _ := judge(t, v, `{"12345678xxxxZzxxxx87654321":0}`); got != wire.Invalid {
		t.Errorf("an unknown name that collides: verdict %d", got)
	}
}
