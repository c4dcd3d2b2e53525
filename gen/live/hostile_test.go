package live_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/shared"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
)

// Pairs of schema and document made to be dear: to judge, or to explain. The bound is some ten times what
// they take, and far below what a product of the two would take.
func TestHostilePairs(t *testing.T) {
	repeat := func(n int, f func(i int) string) string {
		parts := make([]string, n)
		for i := range n {
			parts[i] = f(i)
		}
		return strings.Join(parts, ",")
	}
	member := func(i int) string { return fmt.Sprintf(`"member%d":%d`, i, i) }
	slow := strings.Repeat("a", 60)
	for _, c := range []struct {
		name, schema, doc string
		want              wire.Verdict
		steps             int
	}{
		{
			"10,000 names missing from 60,000 members",
			`{"required": [` + repeat(10_000, func(i int) string { return fmt.Sprintf(`"member_%d"`, i) }) + `]}`,
			`{` + repeat(60_000, member) + `}`, wire.Invalid, 0,
		},
		{
			"60,000 unknown members beside 10,000 known",
			`{"additionalProperties": false, "properties": {` + repeat(10_000, func(i int) string { return fmt.Sprintf(`"membre%d": true`, i) }) + `}}`,
			`{` + repeat(60_000, member) + `}`, wire.Invalid, 0,
		},
		{
			"60,000 values outside an enum of 60,000",
			`{"items": {"enum": [` + repeat(60_000, func(i int) string { return fmt.Sprintf(`"value number %d"`, i) }) + `]}}`,
			`[` + repeat(60_000, func(i int) string { return fmt.Sprintf(`"valeu number %d"`, i) }) + `]`, wire.Invalid, 0,
		},
		{
			"20,000 values that no case of 1,000 knows",
			`{"items": {"oneOf": [` + repeat(1000, func(i int) string {
				return fmt.Sprintf(`{"properties": {"kind": {"const": "k%d"}}, "required": ["kind"]}`, i)
			}) + `]}}`,
			`[` + repeat(20_000, func(i int) string { return `{"kind":"K"}` }) + `]`, wire.Invalid, 0,
		},
		{
			"20,000 values that match none of 200 arms",
			`{"items": {"anyOf": [` + repeat(200, func(i int) string {
				return fmt.Sprintf(`{"properties": {"p%d": {"type": "string"}}, "required": ["p%d", "q"]}`, i, i)
			}) + `]}}`,
			`[` + repeat(20_000, func(i int) string { return fmt.Sprintf(`{"p%d":1}`, i%200) }) + `]`, wire.Invalid, 0,
		},
		{
			"a union at every level, invalid at the bottom",
			`{"anyOf": [{"items": {"$ref": "#"}, "type": "array"}, {"items": {"$ref": "#"}, "minItems": 1, "type": "array"}, {"prefixItems": [{"$ref": "#"}, {"$ref": "#"}], "type": "array"}]}`,
			nest("[", "]", "1", 1000), wire.Invalid, 0,
		},
		{
			"many strings under a pattern that takes its whole budget",
			`{"items": {"pattern": "^((?:a|a)*)*\\1b$"}}`,
			`[` + repeat(50_000, func(int) string { return `"` + slow + `"` }) + `]`, wire.Undecided, 4_000_000,
		},
		{
			"many names under such a pattern",
			`{"patternProperties": {"^((?:a|a)*)*\\1b$": false}}`,
			`{` + repeat(50_000, func(i int) string { return fmt.Sprintf(`"%s%d":1`, slow, i) }) + `}`, wire.Undecided, 4_000_000,
		},
		{
			"60,000 members under 3,000 patterns",
			`{"patternProperties": {` + repeat(3000, func(i int) string { return fmt.Sprintf(`"^m.*x%d$": {"type": "string"}`, i) }) + `}}`,
			`{` + repeat(60_000, member) + `}`, wire.Undecided, 4_000_000,
		},
		{
			"many equal elements of many shapes",
			`{"items": {"uniqueItems": true}}`,
			`[` + repeat(100, func(i int) string {
				return `[` + repeat(300, func(j int) string { return `[` + strings.Repeat(`0,`, j) + `1]` }) + `]`
			}) + `]`, wire.Valid, 0,
		},
	} {
		p := program(t, c.schema, ir.Options{})
		v := live.CompileWith(p, live.Options{Steps: c.steps, PatternSteps: c.steps}).Root(0)
		bound := 15 * time.Second // of the processor
		if shared.Race {
			bound *= 6
		}
		before := shared.Worked()
		verdict, violations, err := v.Check([]byte(c.doc), wire.Limits{Nodes: 1 << 24})
		if err != nil {
			t.Fatal(c.name, err)
		}
		took := shared.Worked() - before
		t.Logf("%s: verdict %d, %d violations, %v", c.name, verdict, len(violations), took)
		if verdict != c.want || took > bound {
			t.Errorf("%s: verdict %d, want %d, in %v", c.name, verdict, c.want, took)
		}
		checkLaws(t, c.name, verdict, violations)
	}
}
