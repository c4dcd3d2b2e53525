package live_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/random"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
)

func nest(open, end, core string, depth int) string {
	return strings.Repeat(open, depth) + core + strings.Repeat(end, depth)
}

// patience is what a test gives to what takes a tenth of a second: the growth that it looks for takes minutes, and a busy machine with
// the race detector ten times as long.
const patience = 30 * time.Second

// Law: visits ≤ 3 × nodes × arms, at every depth.
func TestLinear(t *testing.T) {
	for _, c := range random.BlowUps {
		v := compile(t, c.Schema)
		for _, depth := range []int{1, 2, 3, 8, 16, 22, 100, 1000, 1023} {
			tape := scan(t, c.Document(depth))
			verdict, visits := v.Visits(tape)
			if want := map[bool]wire.Verdict{true: wire.Valid}[c.Valid]; verdict != want && depth > 1 {
				t.Errorf("%s, depth %d: verdict %d, want %d", c.Name, depth, verdict, want)
			}
			if bound := 3 * tape.Len() * c.Arms; visits > bound {
				t.Errorf("%s, depth %d: %d visits, bound %d", c.Name, depth, visits, bound)
			}
			start := time.Now()
			checkLaws(t, c.Name, verdict, v.Violations(tape))
			if took := time.Since(start); took > patience {
				t.Errorf("%s, depth %d: explaining takes %v", c.Name, depth, took)
			}
		}
	}
}

// The coarse marking of huge schemas keeps the law too.
func TestLinearWhenPairsRunOut(t *testing.T) {
	var arms []string
	const n = 600 // pairs of arms beyond what the pair walk is willing to look at
	for i := range n {
		arms = append(arms, fmt.Sprintf(`{"items": {"$ref": "#"}, "minItems": %d}`, i%3))
	}
	v := compile(t, `{"type": "array", "not": {"allOf": [{"minItems": 5}, `+strings.Join(arms, ",")+`]}, "allOf": [`+strings.Join(arms[:200], ",")+`, {"maxItems": 2}], "anyOf": [`+strings.Join(arms, ",")+`]}`)
	for _, depth := range []int{2, 22, 300} {
		tape := scan(t, nest("[[],", "]", "[]", depth))
		if _, visits := v.Visits(tape); visits > 3*tape.Len()*3*n {
			t.Errorf("depth %d: %d visits of %d nodes", depth, visits, tape.Len())
		}
	}
}

// uniqueItems at every level: the bytes hashed and compared must not be depth × size. Time stands in for
// them with a wide margin: quadratic cost would take minutes.
func TestUniqueAtEveryLevel(t *testing.T) {
	v := compile(t, `{"uniqueItems": true, "items": {"$ref": "#"}, "additionalProperties": {"$ref": "#"}}`)
	big := `[` + numbers(200_000) + `]`
	for name, doc := range map[string]string{
		"few beside the next level":   nest(`[[1],[2],`, "]", big, 1000),
		"many beside the next level":  nest(`[`+numbers(30)+`,[1],[2],[3],`, "]", big, 1000),
		"same shape, huge and small":  nest(`[[["`+strings.Repeat("x", 10_000)+`"]],[[""]],`, "]", "1", 500),
		"one shape, many elements":    `[` + strings.Join(strings.Split(strings.Repeat(`[0]|`, 10), "|")[:1], ",") + `,` + shapes(20_000) + `]`,
		"objects in different orders": nest(`{"a":[{"x":1,"y":[2]},{"y":[3],"x":1},`, "]}", big, 500),
	} {
		tape := new(wire.Tape)
		if err := tape.Scan([]byte(doc), wire.Limits{Members: 1 << 20}); err != nil {
			t.Fatal(name, err)
		}
		start := time.Now()
		verdict := v.Verdict(tape)
		if took := time.Since(start); took > patience {
			t.Errorf("%s: %d bytes take %v", name, len(doc), took)
		}
		if strings.HasPrefix(name, "one shape") && verdict != wire.Valid {
			t.Errorf("%s: verdict %d", name, verdict)
		}
	}
}

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, i)
	}
	return b.String()
}

func shapes(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `[%d,"a"]`, i)
	}
	return b.String()
}

// The budget of steps ends a walk, with the reason named, and both walks agree.
func TestSteps(t *testing.T) {
	p := program(t, `{"allOf": [{"items": {"$ref": "#"}}, {"items": {"$ref": "#"}}]}`, ir.Options{})
	for _, s := range p.Schemas {
		s.Shared = false // a memo would make the document harmless
	}
	v := live.CompileWith(p, live.Options{Steps: 100_000}).Root(0)
	start := time.Now()
	verdict, violations := judge(t, v, nest("[", "]", "1", 60))
	if verdict != wire.Undecided || violations[len(violations)-1].Reason != "LIMIT_NODES" {
		t.Errorf("verdict %d: %+v", verdict, violations)
	}
	if took := time.Since(start); took > patience {
		t.Errorf("the limit took %v to be felt", took)
	}
}

// The deepest recursion that limits allow: 1,024 levels of a document times 1,000 levels in place.
func TestDeepRecursion(t *testing.T) {
	var defs []string
	const n = 250 // resolve bounds a chain of in-place schemas by 1,024
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"d%d": {"allOf": [{"not": {"not": {"$ref": "#/$defs/d%d"}}}]}`, i, i+1))
	}
	defs = append(defs, fmt.Sprintf(`"d%d": {"items": {"$ref": "#/$defs/d0"}}`, n))
	v := compile(t, `{"$ref": "#/$defs/d0", "$defs": {`+strings.Join(defs, ",")+`}}`)
	for _, depth := range []int{10, 1024} {
		start := time.Now()
		verdict, violations := judge(t, v, nest("[", "]", "", depth))
		t.Logf("depth %d: verdict %d, %d violations, %v", depth, verdict, len(violations), time.Since(start))
		if depth == 10 && verdict != wire.Valid {
			t.Errorf("verdict %d", verdict)
		}
		if verdict == wire.Undecided && violations[len(violations)-1].Reason != "LIMIT_DEPTH" {
			t.Errorf("%+v", violations)
		}
	}
}

// A report is bounded and says so.
func TestManyViolations(t *testing.T) {
	p := program(t, `{"items": {"type": "string"}}`, ir.Options{})
	v := live.CompileWith(p, live.Options{Violations: 10}).Root(0)
	_, violations := judge(t, v, `[`+numbers(12)+`]`)
	if len(violations) != 11 || violations[10].Keyword != "" || !strings.Contains(violations[10].Message, "more violations than the 10 listed") {
		t.Errorf("%d violations, the last is %+v", len(violations), violations[len(violations)-1])
	}
	if _, violations = judge(t, v, `[`+numbers(10)+`]`); len(violations) != 10 || violations[9].Keyword != "type" {
		t.Errorf("%d violations, the last is %+v", len(violations), violations[len(violations)-1])
	}
	if _, violations = judge(t, live.Compile(p).Root(0), `[`+numbers(60_000)+`]`); len(violations) != 1001 {
		t.Errorf("%d violations by default", len(violations))
	}
}

// Violations below a long name do not repeat it a thousand times.
func TestLongPointers(t *testing.T) {
	v := live.Compile(program(t, `{"additionalProperties": {"items": {"type": "string"}}}`, ir.Options{})).Root(0)
	_, violations := judge(t, v, `{"`+strings.Repeat("n", 300<<10)+`": [`+numbers(500)+`]}`)
	size := 0
	for _, w := range violations {
		size += len(w.Pointer)
	}
	if len(violations) != 5 || size > 2<<20 || !strings.Contains(violations[4].Message, "more violations than the 4 listed") {
		t.Errorf("%d violations, their pointers have %d bytes, the last is %s", len(violations), size, violations[len(violations)-1].Message)
	}
}

// Explaining asks a discriminator as the verdict does: asking every arm took 16 ms for each element, 96 s together.
func TestExplainLargeUnion(t *testing.T) {
	var arms []string
	for i := range 40_000 {
		arms = append(arms, fmt.Sprintf(`{"properties": {"k": {"const": "v%d"}}, "required": ["k"]}`, i))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		v := compile(t, `{"items": {"`+keyword+`": [`+strings.Join(arms, ",")+`]}}`)
		tape := scan(t, `[`+strings.Repeat(`{"k": "x"},`, 6000)+`{"k": "v7"}]`)
		start := time.Now()
		violations := v.Violations(tape)
		if took := time.Since(start); took > patience {
			t.Errorf("%s: explaining takes %v", keyword, took)
		}
		checkLaws(t, keyword, v.Verdict(tape), violations)
		if len(violations) != 1001 || violations[0].Pointer != "/0/k" {
			t.Errorf("%s: %d violations, first %+v", keyword, len(violations), violations[0])
		}
	}
}

// A budget that runs out while a document is explained ends that walk too, and what the verdict knows is
// still said.
func TestExplainWithinBudget(t *testing.T) {
	var patterns, members []string
	for i := range 300 {
		patterns = append(patterns, fmt.Sprintf(`"q%d.*x": true`, i))
		members = append(members, fmt.Sprintf(`"m%d": 1`, i))
	}
	p := program(t, `{"patternProperties": {`+strings.Join(patterns, ",")+`}, "additionalProperties": false}`, ir.Options{})
	v := live.CompileWith(p, live.Options{PatternSteps: 10_000}).Root(0)
	verdict, violations := judge(t, v, `{`+strings.Join(members, ",")+`}`)
	if verdict != wire.Invalid || len(violations) > 10 {
		t.Errorf("verdict %d, %d violations: %+v", verdict, len(violations), violations[0])
	}
}

// What dependentRequired asks for is kept in room that grows with the schema, not with its square.
func TestManyDependents(t *testing.T) {
	var rules, members []string
	const n = 20_000
	for i := range n {
		rules = append(rules, fmt.Sprintf(`"a%d": ["b%d"]`, i, i))
		members = append(members, fmt.Sprintf(`"a%d": 1, "b%d": 1`, i, i))
	}
	p := program(t, `{"dependentRequired": {`+strings.Join(rules, ",")+`}}`, ir.Options{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	v := live.Compile(p).Root(0)
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 32<<20 {
		t.Errorf("compiling allocates %d MiB", grown>>20)
	}
	if verdict, _ := judge(t, v, `{`+strings.Join(members, ",")+`}`); verdict != wire.Valid {
		t.Errorf("verdict %d", verdict)
	}
	lacking := `{` + strings.Join(members[:n-1], ",") + fmt.Sprintf(`,"a%d": 1}`, n-1)
	verdict, violations := judge(t, v, lacking)
	if verdict != wire.Invalid || len(violations) != 1 || violations[0].Missing != fmt.Sprintf("b%d", n-1) {
		t.Errorf("verdict %d: %+v", verdict, violations)
	}
}
