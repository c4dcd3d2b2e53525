package live_test

import (
	"fmt"
	"strings"
	"testing"

	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/random"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
)

// The truth tables. Every rule is tried with all combinations of verdicts of its parts, and held against
// a definition that knows no table: replace each undecided part by valid and by invalid in all ways; if
// all ways agree, that is the verdict, else it is undecided.

// part is a schema with the given verdict on the document 1.
func part(v wire.Verdict) string {
	switch v {
	case wire.Valid:
		return `{"minimum": 1}`
	case wire.Invalid:
		return `{"minimum": 2}`
	}
	return `{"multipleOf": ` + random.Undecidable + `}`
}

// element is a value with the given verdict under elementSchema.
func element(v wire.Verdict) string {
	return map[wire.Verdict]string{wire.Valid: "0", wire.Invalid: `"x"`, wire.Undecided: "1"}[v]
}

var elementSchema = `{"type": "number", "multipleOf": ` + random.Undecidable + `}`

// combinations calls f with all lists of n verdicts.
func combinations(n int, f func(parts []wire.Verdict)) {
	parts := make([]wire.Verdict, n)
	var next func(i int)
	next = func(i int) {
		if i == n {
			f(parts)
			return
		}
		for _, v := range []wire.Verdict{wire.Invalid, wire.Undecided, wire.Valid} {
			parts[i] = v
			next(i + 1)
		}
	}
	next(0)
}

// settled is the definition.
func settled(parts []wire.Verdict, holds func(parts []bool) bool) wire.Verdict {
	yes, no := false, false
	var open []int
	values := make([]bool, len(parts))
	for i, p := range parts {
		values[i] = p == wire.Valid
		if p == wire.Undecided {
			open = append(open, i)
		}
	}
	for mask := range 1 << len(open) {
		for bit, i := range open {
			values[i] = mask>>bit&1 == 1
		}
		if holds(values) {
			yes = true
		} else {
			no = true
		}
	}
	switch {
	case yes && no:
		return wire.Undecided
	case yes:
		return wire.Valid
	}
	return wire.Invalid
}

func count(parts []bool) int {
	n := 0
	for _, p := range parts {
		if p {
			n++
		}
	}
	return n
}

func TestTruthTables(t *testing.T) {
	list := func(parts []wire.Verdict) string {
		var s []string
		for _, p := range parts {
			s = append(s, part(p))
		}
		return strings.Join(s, ",")
	}
	for _, rule := range []struct {
		name   string
		parts  []int
		schema func(parts []wire.Verdict) string
		holds  func(parts []bool) bool
	}{
		{"allOf", []int{1, 2, 3, 4}, func(p []wire.Verdict) string { return `{"allOf": [` + list(p) + `]}` }, func(p []bool) bool { return count(p) == len(p) }},
		{"anyOf", []int{1, 2, 3, 4}, func(p []wire.Verdict) string { return `{"anyOf": [` + list(p) + `]}` }, func(p []bool) bool { return count(p) > 0 }},
		{"oneOf", []int{1, 2, 3, 4}, func(p []wire.Verdict) string { return `{"oneOf": [` + list(p) + `]}` }, func(p []bool) bool { return count(p) == 1 }},
		{"not", []int{1}, func(p []wire.Verdict) string { return `{"not": ` + part(p[0]) + `}` }, func(p []bool) bool { return !p[0] }},
		{"not of oneOf", []int{2, 3}, func(p []wire.Verdict) string { return `{"not": {"oneOf": [` + list(p) + `]}}` }, func(p []bool) bool { return count(p) != 1 }},
		{"if", []int{3}, func(p []wire.Verdict) string {
			return fmt.Sprintf(`{"if": %s, "then": %s, "else": %s}`, part(p[0]), part(p[1]), part(p[2]))
		}, func(p []bool) bool { return p[0] && p[1] || !p[0] && p[2] }},
		{"if without else", []int{2}, func(p []wire.Verdict) string {
			return fmt.Sprintf(`{"if": %s, "then": %s}`, part(p[0]), part(p[1]))
		}, func(p []bool) bool { return !p[0] || p[1] }},
		{"if without then", []int{2}, func(p []wire.Verdict) string {
			return fmt.Sprintf(`{"if": %s, "else": %s}`, part(p[0]), part(p[1]))
		}, func(p []bool) bool { return p[0] || p[1] }},
		{"$ref beside rules", []int{2}, func(p []wire.Verdict) string {
			return fmt.Sprintf(`{"$ref": "#/$defs/d", "allOf": [%s], "$defs": {"d": %s}}`, part(p[0]), part(p[1]))
		}, func(p []bool) bool { return p[0] && p[1] }},
	} {
		for _, n := range rule.parts {
			combinations(n, func(parts []wire.Verdict) {
				schema := rule.schema(parts)
				want := settled(parts, rule.holds)
				if got, violations := judge(t, compile(t, schema), "1"); got != want {
					t.Errorf("%s %v: verdict %d, want %d (%d violations)", rule.name, parts, got, want, len(violations))
				}
			})
		}
	}
}

func TestTruthTablesOfElements(t *testing.T) {
	for least := range 4 {
		for most := -1; most < 4; most++ {
			schema := fmt.Sprintf(`{"contains": %s, "minContains": %d`, elementSchema, least)
			if most >= 0 {
				schema += fmt.Sprintf(`, "maxContains": %d`, most)
			}
			v := compile(t, schema+"}")
			for n := range 5 {
				combinations(n, func(parts []wire.Verdict) {
					var elements []string
					for _, p := range parts {
						elements = append(elements, element(p))
					}
					want := settled(parts, func(p []bool) bool { return count(p) >= least && (most < 0 || count(p) <= most) })
					if got, _ := judge(t, v, "["+strings.Join(elements, ",")+"]"); got != want {
						t.Errorf("contains %d..%d %v: verdict %d, want %d", least, most, parts, got, want)
					}
				})
			}
		}
	}
	items := compile(t, `{"items": `+elementSchema+`}`)
	members := compile(t, `{"properties": {"m0": `+elementSchema+`}, "patternProperties": {"^m1": `+elementSchema+`}, "additionalProperties": `+elementSchema+`}`)
	for n := range 4 {
		combinations(n, func(parts []wire.Verdict) {
			var elements, named []string
			for i, p := range parts {
				elements = append(elements, element(p))
				named = append(named, fmt.Sprintf(`"m%d":%s`, i, element(p)))
			}
			want := settled(parts, func(p []bool) bool { return count(p) == len(p) })
			if got, _ := judge(t, items, "["+strings.Join(elements, ",")+"]"); got != want {
				t.Errorf("items %v: verdict %d, want %d", parts, got, want)
			}
			if got, _ := judge(t, members, "{"+strings.Join(named, ",")+"}"); got != want {
				t.Errorf("members %v: verdict %d, want %d", parts, got, want)
			}
		})
	}
}

// A pattern that cannot be decided leaves open whether it claims the member. The parts are: the schemas
// under the undecided patterns, the schema under what surely claims the member, additionalProperties.
func TestTruthTablesOfPatterns(t *testing.T) {
	for _, declared := range []bool{false, true} {
		for _, sure := range []bool{false, true} {
			for _, open := range []int{1, 2} {
				combinations(open+2, func(parts []wire.Verdict) {
					certain, additional := parts[open], parts[open+1]
					schema := `{"patternProperties": {"?1": ` + part(parts[0])
					if open == 2 {
						schema += `, "?2": ` + part(parts[1])
					}
					if sure {
						schema += `, "^m": ` + part(certain)
					}
					schema += `}, "additionalProperties": ` + part(additional)
					if declared {
						schema += `, "properties": {"m": ` + part(certain) + `}`
					}
					schema = strings.ReplaceAll(schema+"}", "?", "unmatchable")
					set := live.Compile(program(t, schema, ir.Options{}))
					set.Unmatchable("unmatchable1")
					set.Unmatchable("unmatchable2")
					// The undecided matches come first, then the verdicts.
					all := append(make([]wire.Verdict, open), parts...)
					for i := range open {
						all[i] = wire.Undecided
					}
					want := settled(all, func(p []bool) bool {
						matches, under, certain, additional := p[:open], p[open:2*open], p[2*open], p[2*open+1]
						claimed := declared || sure
						ok := !claimed || certain
						for i, m := range matches {
							if m {
								claimed = true
								ok = ok && under[i]
							}
						}
						return ok && (claimed || additional)
					})
					if got, _ := judge(t, set.Root(0), `{"m":1}`); got != want {
						t.Errorf("declared %v, sure %v, %v: verdict %d, want %d", declared, sure, parts, got, want)
					}
				})
			}
		}
	}
}

// The limits that make a verdict undecided, by the keyword that reports them.
func TestUndecided(t *testing.T) {
	many := strings.Repeat("1,", 70_000) + "1"
	for _, c := range []struct {
		schema, doc string
		reason      errcode.Reason
	}{
		{`{"multipleOf": ` + random.Undecidable + `}`, `1`, errcode.LimitNumber},
		{`{"pattern": "^((?:a|a)*)*\\1b$"}`, `"` + strings.Repeat("a", 60) + `"`, errcode.LimitPattern},
		{`{"patternProperties": {"^((?:a|a)*)*\\1b$": false}}`, `{"` + strings.Repeat("a", 60) + `":1}`, errcode.LimitPattern},
		{`{"uniqueItems": true}`, `[` + many + `]`, errcode.LimitMembers},
	} {
		v := compile(t, c.schema)
		verdict, violations := judge(t, v, c.doc)
		if verdict != wire.Undecided || len(violations) != 1 || violations[0].Reason != c.reason {
			t.Errorf("%s: verdict %d, %+v, want %s", c.schema, verdict, violations, c.reason)
		}
	}
}
