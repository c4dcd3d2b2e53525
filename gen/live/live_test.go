package live_test

import (
	"testing"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// program lowers a schema text.
func program(t testing.TB, schema string, opts ir.Options) *ir.Program {
	t.Helper()
	file, list := load.Parse("schema.json", []byte(schema), wire.Limits{Bytes: 64 << 20, Nodes: 1 << 22})
	if len(list) > 0 {
		t.Fatalf("%s: %v", schema, list)
	}
	root, list := resolve.Resolve(file, nil, resolve.Options{})
	if list.HasErrors() {
		t.Fatalf("%s: %v", schema, list)
	}
	p, list := ir.Lower([]*resolve.Schema{root}, opts)
	if list.HasErrors() {
		t.Fatalf("%s: %v", schema, list)
	}
	return p
}

func compile(t testing.TB, schema string) *live.Validator {
	t.Helper()
	return live.Compile(program(t, schema, ir.Options{})).Root(0)
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
	return verdict, violations
}

// checkLaws holds a verdict against its violations.
func checkLaws(t testing.TB, doc string, verdict wire.Verdict, violations []call.Violation) {
	t.Helper()
	if (verdict == wire.Valid) != (len(violations) == 0) {
		t.Errorf("%s: verdict %d with violations %+v", doc, verdict, violations)
	}
	limited, broken := 0, 0
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
		if v.Offset < offset {
			t.Errorf("%s: violations out of order: %+v", doc, violations)
		}
		offset = v.Offset
		if n := len([]rune(v.Got)); n > 80 || n == 0 {
			t.Errorf("%s: got has %d characters: %q", doc, n, v.Got)
		}
	}
	if verdict == wire.Undecided && limited == 0 || verdict == wire.Invalid && broken == 0 {
		t.Errorf("%s: verdict %d with violations %+v", doc, verdict, violations)
	}
}
