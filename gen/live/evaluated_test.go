package live_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/shared"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
)

// Counter-examples to memos that forget the dynamic scope or what was evaluated.
func TestMemo(t *testing.T) {
	src, err := os.ReadFile(shared.Path(t, "cases", "memo.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		ID     string
		Schema json.RawMessage
		Cases  []struct {
			Doc   json.RawMessage
			Valid bool
		}
	}
	if err := json.Unmarshal(src, &list); err != nil || len(list) == 0 {
		t.Fatal(len(list), err)
	}
	for _, c := range list {
		v := compile(t, string(c.Schema))
		for _, doc := range c.Cases {
			if verdict, _ := judge(t, v, string(doc.Doc)); (verdict == wire.Valid) != doc.Valid {
				t.Errorf("%s: %s: verdict %d", c.ID, doc.Doc, verdict)
			}
		}
	}
}

// What a rule evaluates, with every combination of verdicts of its parts. p[0] and p[1] hold of arms that
// evaluate the members "a" and "b"; the last part is the verdict of the rule for what is left. A verdict that is
// decided must be that of the definition; where exact is set the definition's Undecided is all that may be undecided.
func TestUnevaluatedTruthTables(t *testing.T) {
	arm := func(v wire.Verdict, member string) string {
		return fmt.Sprintf(`{"properties": {"k": %s, %q: true}}`, part(v), member)
	}
	arms := func(p []wire.Verdict) string { return arm(p[0], "a") + ", " + arm(p[1], "b") }
	left := func(a, b, rest bool) bool { return a && b || rest }
	for _, rule := range []struct {
		name   string
		exact  bool
		schema func(p []wire.Verdict) string
		holds  func(p []bool) bool
	}{
		{"allOf", true, func(p []wire.Verdict) string { return `"allOf": [` + arms(p) + `]` },
			func(p []bool) bool { return p[0] && p[1] }},
		{"anyOf", false, func(p []wire.Verdict) string { return `"anyOf": [` + arms(p) + `]` },
			func(p []bool) bool { return (p[0] || p[1]) && left(p[0], p[1], p[2]) }},
		{"oneOf", false, func(p []wire.Verdict) string { return `"oneOf": [` + arms(p) + `]` },
			func(p []bool) bool { return p[0] != p[1] && left(p[0], p[1], p[2]) }},
		{"not", true, func(p []wire.Verdict) string {
			return `"not": {"not": ` + arm(p[0], "a") + `}, "allOf": [` + arm(p[1], "b") + `]`
		},
			func(p []bool) bool { return p[0] && p[1] && p[2] }},
		{"if", false, func(p []wire.Verdict) string {
			return `"if": ` + arm(p[0], "a") + `, "then": ` + arm(p[1], "b") + `, "else": ` + arm(p[1], "a")
		}, func(p []bool) bool { return p[1] && left(p[0], p[0], p[2]) }},
		{"dependentSchemas", true, func(p []wire.Verdict) string {
			return `"dependentSchemas": {"a": ` + arm(p[0], "a") + `, "c": ` + arm(p[1], "b") + `}`
		}, func(p []bool) bool { return p[0] && p[2] }},
		{"a rule inside", true, func(p []wire.Verdict) string {
			return `"allOf": [` + arm(p[0], "a") + `, {"properties": {"k": true, "a": true}, "unevaluatedProperties": ` + part(p[1]) + `}]`
		}, func(p []bool) bool { return p[0] && p[1] }},
	} {
		combinations(3, func(p []wire.Verdict) {
			schema := `{"properties": {"k": true}, ` + rule.schema(p) + `, "unevaluatedProperties": ` + part(p[2]) + `}`
			got, _ := judge(t, compile(t, schema), `{"k": 1, "a": 1, "b": 1}`)
			want := settled(p, rule.holds)
			if got != want && (rule.exact || got != wire.Undecided) {
				t.Errorf("%s: %v: verdict %d, want %d: %s", rule.name, p, got, want, schema)
			}
		})
	}
}

// Elements: contains, which evaluated nothing before 2020-12, and undecided elements of it.
func TestUnevaluatedItems(t *testing.T) {
	const in2019 = `"$schema": "https://json-schema.org/draft/2019-09/schema", `
	for _, c := range []struct {
		schema, doc string
		want        wire.Verdict
	}{
		{`{"contains": {"const": 1}, "unevaluatedItems": false}`, `[1, 1]`, wire.Valid},
		{`{"contains": {"const": 1}, "unevaluatedItems": false}`, `[1, 2]`, wire.Invalid},
		{`{"contains": {"const": 1}, "minContains": 0, "unevaluatedItems": {"const": 2}}`, `[2, 1]`, wire.Valid},
		{`{` + in2019 + `"contains": {"const": 1}, "unevaluatedItems": false}`, `[1]`, wire.Invalid},
		{`{` + in2019 + `"items": [true], "unevaluatedItems": false}`, `[1]`, wire.Valid},
		{`{` + in2019 + `"items": [true], "additionalItems": true, "unevaluatedItems": false}`, `[1, 2]`, wire.Valid},
		{`{` + in2019 + `"additionalItems": true, "unevaluatedItems": false}`, `[1]`, wire.Invalid},
		{`{"contains": ` + elementSchema + `, "minContains": 0, "unevaluatedItems": false}`, `[` + element(wire.Undecided) + `]`, wire.Undecided},
		{`{"contains": ` + elementSchema + `, "minContains": 0, "unevaluatedItems": {"const": 1}}`, `[` + element(wire.Undecided) + `]`, wire.Valid},
		{`{"anyOf": [{"prefixItems": [true]}, {"prefixItems": [true, true, true]}], "unevaluatedItems": false}`, `[1, 2, 3]`, wire.Valid},
		{`{"oneOf": [{"prefixItems": [true], "maxItems": 1}, {"prefixItems": [true, true], "minItems": 2}], "unevaluatedItems": false}`, `[1, 2, 3]`, wire.Invalid},
		{`{"unevaluatedItems": false, "unevaluatedProperties": false}`, `"text"`, wire.Valid},
	} {
		if got, _ := judge(t, compile(t, c.schema), c.doc); got != c.want {
			t.Errorf("%s: %s: verdict %d, want %d", c.schema, c.doc, got, c.want)
		}
	}
}

// Both kinds of reference in one schema, and a meta-schema that asserts formats.
func TestReferencesBesideEachOther(t *testing.T) {
	v := compile(t, `{"$id": "https://example.com/r", "$dynamicAnchor": "n", "type": ["object", "string"], "properties": {"p": {"$ref": "#/$defs/short", "$dynamicRef": "#n"}}, "$defs": {"short": {"maxLength": 2}}}`)
	for doc, want := range map[string]string{
		`{"p": "ab"}`:  "",
		`{"p": "abc"}`: "/$defs/short/maxLength",
		`{"p": 1}`:     "/type",
	} {
		verdict, list := judge(t, v, doc)
		if (verdict == wire.Valid) != (want == "") || want != "" && (len(list) != 1 || list[0].SchemaPointer != want) {
			t.Errorf("%s: verdict %d, %+v", doc, verdict, list)
		}
	}
}

// Rules for the unevaluated inside each other, on one value and on values inside values: every arm is judged
// once, and a walk that gathers ends where everything is evaluated.
func TestUnevaluatedIsLinear(t *testing.T) {
	inPlace := `{"properties": {"a": true}}`
	for i := range 40 {
		inPlace = fmt.Sprintf(`{"anyOf": [%s, {"properties": {"b%d": true}}], "unevaluatedProperties": {"maxLength": 1}}`, inPlace, i)
	}
	const deep = `{"anyOf": [{"properties": {"a": {"$ref": "#"}}}, {"properties": {"a": {"$ref": "#"}, "b": true}}], "unevaluatedProperties": false}`
	for _, c := range []struct {
		name, schema, doc string
		bound             int // visits for each node of the document
		want              wire.Verdict
	}{
		{"forty in place", inPlace, `{"a": 1, "c": "x"}`, 4 * 40 * 40, wire.Valid},
		{"forty in place, refused", inPlace, `{"a": 1, "c": "xx"}`, 4 * 40 * 40, wire.Invalid},
		{"a thousand deep", deep, nest(`{"b": 1, "a": `, "}", "1", 1000), 30, wire.Valid},
		{"asked again, under a rule with parts", `{"anyOf": [{"properties": {"a": {"$ref": "#"}}}], "unevaluatedProperties": {"items": {"maxLength": 1}}}`,
			nest(`{"b": 1, "a": `, "}", "1", 1000), 30, wire.Valid},
		{"what is left meets what a failed arm has judged", `{"anyOf": [{"properties": {"a": {"$ref": "#/$defs/t"}}, "required": ["b"]}, true], "unevaluatedProperties": {"$ref": "#/$defs/t"},
			"$defs": {"t": {"additionalProperties": {"$ref": "#"}}}}`, nest(`{"a": `, "}", "1", 1000), 30, wire.Valid},
		{"a thousand deep, refused", deep, nest(`{"b": 1, "a": `, "}", `{"c": 1}`, 1000), 30, wire.Invalid},
	} {
		v := compile(t, c.schema)
		tape := scan(t, c.doc)
		if verdict, visits := v.Visits(tape); verdict != c.want || visits > c.bound*tape.Len() {
			t.Errorf("%s: verdict %d, %d visits of %d nodes", c.name, verdict, visits, tape.Len())
		}
		checkLaws(t, c.name, c.want, v.Violations(tape))
		if shared.Race {
			continue // pools drop what they hold
		}
		if n := testing.AllocsPerRun(10, func() { v.Verdict(tape) }); n != 0 {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}

// A budget that ends while a walk gathers leaves the verdict open; it makes nothing unevaluated.
func TestUnevaluatedBeyondTheBudget(t *testing.T) {
	p := program(t, `{"anyOf": [{"properties": {"a": true}}, {"properties": {"b": true}}], "unevaluatedProperties": false}`, ir.Options{})
	tape := scan(t, `{"a": 1, "b": 2}`)
	for steps := range 40 {
		v := live.CompileWith(p, live.Options{Steps: steps + 1}).Root(0)
		if verdict := v.Verdict(tape); verdict == wire.Invalid {
			t.Errorf("%d steps: invalid", steps+1)
		}
		checkLaws(t, strings.Repeat("x", steps), v.Verdict(tape), v.Violations(tape))
	}
}

// A published schema whose definitions refer to each other dynamically, on a document that nests `not`: linear,
// where engines without a memo take eight times as long with each level.
func TestNestedNotOfCQL2(t *testing.T) {
	src, err := os.ReadFile(shared.Path(t, "data", "schemas", "cql2", "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	v := compile(t, string(src))
	visits := func(depth int) int {
		tape := scan(t, nest(`{"op":"not","args":[`, "]}", `{"op":"=","args":[{"property":"a"},1]}`, depth))
		verdict, visits := v.Visits(tape)
		if verdict != wire.Valid {
			t.Errorf("depth %d: verdict %d", depth, verdict)
		}
		return visits
	}
	if a, b := visits(12), visits(24); b > 3*a {
		t.Errorf("%d visits at depth 12, %d at depth 24", a, b)
	}
}
