package live_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"vcp.core/contract/call"
	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/shared"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// program lowers a schema text.
func program(t testing.TB, text string, opts ir.Options) *ir.Program {
	t.Helper()
	file, list := load.Parse("schema.json", []byte(text), load.Limits())
	if len(list) > 0 {
		t.Fatalf("%s: %v", text, list)
	}
	root, list := resolve.Resolve(file, nil, resolve.Options{})
	if list.HasErrors() {
		t.Fatalf("%s: %v", text, list)
	}
	p, list := ir.Lower([]*resolve.Schema{root}, opts)
	if list.HasErrors() {
		t.Fatalf("%s: %v", text, list)
	}
	return p
}

func compile(t testing.TB, text string) *live.Validator {
	t.Helper()
	return live.Compile(program(t, text, ir.Options{})).Root(0)
}

func scan(t testing.TB, doc string) *wire.Tape {
	t.Helper()
	tape := new(wire.Tape)
	if err := tape.Scan([]byte(doc), wire.Limits{}); err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return tape
}

// judge returns the verdict and checks what must hold of every verdict.
func judge(t testing.TB, v *live.Validator, doc string) (wire.Verdict, []call.Violation) {
	t.Helper()
	tape := scan(t, doc)
	verdict := v.Verdict(tape)
	violations := v.Violations(tape)
	if again := v.Verdict(tape); again != verdict {
		t.Errorf("%s: verdict %d, then %d", doc, verdict, again)
	}
	checkLaws(t, doc, verdict, violations)
	// A value inside a document is judged as if it stood alone.
	var around wire.Tape
	if err := around.Scan([]byte(`[null,{"a":`+doc+`}]`), wire.Limits{Depth: wire.DefaultLimits().Depth + 2}); err != nil {
		t.Fatal(err)
	}
	if inside, _ := around.Lookup("/1/a"); v.VerdictAt(&around, inside) != verdict {
		t.Errorf("%s: verdict %d, but inside another document %d", doc, verdict, v.VerdictAt(&around, inside))
	}
	return verdict, violations
}

// checkLaws holds a verdict against its violations.
func checkLaws(t testing.TB, doc string, verdict wire.Verdict, violations []call.Violation) {
	t.Helper()
	if (verdict == wire.Valid) != (len(violations) == 0) {
		t.Errorf("%s: verdict %d with violations %+v", doc, verdict, violations)
	}
	limited, broken, named := 0, 0, 0
	offset := -1
	for _, v := range violations {
		if v.Reason != "" {
			limited++
		} else {
			broken++
		}
		if v.Message == "" || v.Expected == "" && v.Keyword != "" {
			t.Errorf("%s: violation without words: %+v", doc, v)
		}
		if v.Keyword == "" {
			continue
		}
		named++
		if v.Offset < offset {
			t.Errorf("%s: violations out of order: %+v", doc, violations)
		}
		offset = v.Offset
		if n := len([]rune(v.Got)); n > 80 || n == 0 {
			t.Errorf("%s: got has %d characters: %q", doc, n, v.Got)
		}
	}
	// Only a walk that a limit ended may leave open which keyword is broken.
	if verdict == wire.Undecided && limited == 0 || verdict == wire.Invalid && (broken == 0 || limited == 0 && named == 0) {
		t.Errorf("%s: verdict %d with violations %+v", doc, verdict, violations)
	}
}

// A verdict on a warm set allocates nothing: not for escapes, large sets of names, memo, unique arrays,
// canonical numbers.
func TestNoAllocations(t *testing.T) {
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprintf(`"n%d"`, i))
	}
	doc := `{"\u006b": "\u0061", "list": [` + numbers(100) + `, 1.50], "tree": [[[[{"a": []}]]]], "big": {` + strings.Join(names, ": {}, ") + `: {}},
		"objects": [{"a": 1}, {"a": 2}, {"b": [1e2]}], "number": 123456789012345678901234567890.50, "text": "資源\n", "enum": 1.5e1}`
	v := compile(t, `{"properties": {
		"k": {"enum": ["a", "b"]}, "list": {"uniqueItems": true}, "tree": {"$ref": "#/$defs/tree"}, "big": {"required": [`+strings.Join(names, ",")+`]},
		"objects": {"uniqueItems": true, "items": {"type": "object"}, "contains": {"required": ["b"]}}, "number": {"minimum": 1e20, "multipleOf": 0.01},
		"text": {"pattern": "^\\p{L}+\\n$", "maxLength": 3}, "enum": {"enum": [15, 0.5, {"a": [1, 2]}]}
	}, "oneOf": [{"properties": {"k": {"const": "a"}}, "required": ["k"]}, {"properties": {"k": {"const": "b"}}, "required": ["k"]}],
	"if": {"properties": {"k": {"const": "a"}}}, "then": {"propertyNames": {"maxLength": 7}},
	"$defs": {"tree": {"anyOf": [{"items": {"$ref": "#/$defs/tree"}, "minItems": 1}, {"items": {"$ref": "#/$defs/tree"}}]}}}`)
	tape := scan(t, doc)
	if verdict, violations := judge(t, v, doc); verdict != wire.Valid {
		t.Fatalf("%+v", violations)
	}
	if shared.Race {
		t.Skip("the race detector makes pools forget on purpose")
	}
	if n := testing.AllocsPerRun(100, func() { v.Verdict(tape) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	result := protocolSchema(t, schema.Result)
	src := compact(t, canonicalResult)
	if n := testing.AllocsPerRun(100, func() {
		if verdict, _, err := result.Check(src, wire.Limits{}); verdict != wire.Valid || err != nil {
			t.Error(verdict, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations for a canonical result", n)
	}
}

// What has no document has no verdict: a tape that was never scanned, bytes that the ingest rules refuse.
func TestNoDocument(t *testing.T) {
	v := compile(t, `true`)
	var empty wire.Tape
	if verdict, violations := v.Verdict(&empty), v.Violations(&empty); verdict != wire.Invalid || len(violations) != 1 {
		t.Errorf("an empty tape: verdict %d, %+v", verdict, violations)
	}
	for _, doc := range []string{"", "{", `{"a":1,"\u0061":2}`, "\"\xff\""} {
		_, violations, err := v.Check([]byte(doc), wire.Limits{})
		if refused := new(wire.Error); !errors.As(err, &refused) || violations != nil {
			t.Errorf("%q: %v, %+v", doc, err, violations)
		}
	}
	if _, _, err := v.Check([]byte(`[[]]`), wire.Limits{Depth: 1}); err == nil {
		t.Error("the limit was not handed on")
	}
}
