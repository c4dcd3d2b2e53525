package schema_test

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vcp.core/contract/schema"
)

// assertions are the keywords that can be broken. Those that only apply schemas elsewhere (properties,
// items, $ref, allOf, if …) are shown by what they apply.
var assertions = []string{
	"type", "enum", "const", "required", "minProperties", "maxProperties",
	"minItems", "maxItems", "uniqueItems", "minLength", "maxLength", "pattern", "format",
	"minimum", "maximum", "not", "anyOf", "oneOf",
}

// toldByUnions are rules that only stand in arms of unions, where a value that breaks them is reported as
// fitting no arm: the union's own rule.
var toldByUnions = []string{
	"error#/$defs/cause/type",
	"frame-tool-call#/$defs/callback/type",
	"resource-descriptor#/$defs/dimensions/type",
	"resource-descriptor#/$defs/source/type",
	"resource-draft#/oneOf/1/required \"url\"",
	"resource-draft#/oneOf/2/required \"dataUri\"",
	"result#/$defs/actor/type",
	"vocabulary#/$defs/namespacedCode/maxLength",
	"vocabulary#/$defs/namespacedCode/pattern",
	"vocabulary#/$defs/recordId/type",
}

// TestEveryRuleIsBrokenByAnExample lists every assertion of every document and demands an invalid
// example that breaks it; for required, one for each name. Assertions inside a condition only select,
// and an arm that is nothing but null is told by its union.
func TestEveryRuleIsBrokenByAnExample(t *testing.T) {
	broken := map[string]bool{}
	for _, d := range schema.All() {
		paths, _ := filepath.Glob(filepath.Join("testdata", d.Name, "invalid", "*.json"))
		for _, path := range paths {
			_, violations := judge(t, d.Name, path)
			for i, f := range findings(violations) {
				broken[f.rule] = true
				if v := violations[i]; v.Keyword == "required" {
					broken[f.rule+" "+strings.TrimPrefix(v.Expected, "member ")] = true
				}
			}
		}
	}

	roots := map[string]node{}
	for _, d := range schema.All() {
		roots[d.Name] = parse(t, d)
	}
	rules := 0
	for _, d := range schema.All() {
		visit(roots[d.Name], "", func(pointer string, s any) {
			n, ok := s.(node)
			null := len(n) == 1 && n["type"] == "null"
			if !ok || null || slices.Contains(strings.Split(pointer, "/"), "if") {
				return
			}
			at := d.Name + "#" + pointer
			demand := func(rule string) {
				rules++
				if exempt := slices.Contains(toldByUnions, rule); broken[rule] == exempt {
					t.Errorf("%s: broken by an example: %v, told by a union: %v", rule, broken[rule], exempt)
				}
			}
			for k := range n {
				switch {
				case k == "required":
					for _, name := range n[k].([]any) {
						demand(at + "/required " + strconv.Quote(name.(string)))
					}
				case k == "additionalProperties" && n[k] == false:
					demand(at + "/" + k)
				case slices.Contains(assertions, k):
					demand(at + "/" + k)
				}
			}
		})
	}
	t.Logf("%d rules", rules)
	if rules < 600 {
		t.Errorf("only %d rules were looked at", rules)
	}
}
