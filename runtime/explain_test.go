package runtime_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
)

// decides is a judge that does not explain, as generated judges are.
type decides struct{ judge call.Judge }

func (d decides) Verdict(t *wire.Tape) wire.Verdict { return d.judge.Verdict(t) }

// A result says the same about a refused document, whether the judge explains or only decides: what is
// wrong is then found by the schema. The pointers continue that of the schema in its file.
func TestJudgesThatOnlyDecideAreExplained(t *testing.T) {
	const output = `{"type":"object","properties":{"n":{"type":"integer"},"when":{"format":"date-time"}}}`
	explaining := spec(t, strictInput, output, strict)
	deciding := *explaining
	deciding.Input, deciding.Output = decides{explaining.Input}, decides{explaining.Output}
	deciding.InputSchema, deciding.OutputSchema, deciding.SchemaFile = []byte(strictInput), []byte(output), "schema.json"
	pointed := deciding
	pointed.InputPointer, pointed.OutputPointer = "/commands/0/in", "/commands/0/out"

	fixed := func(s *call.Spec, payload string) *runtime.Runtime {
		return runtime.New(registry{s}, runtime.Bind("T", answer(payload)),
			runtime.Clock(func() time.Time { return time.UnixMilli(0) }), runtime.IDs(func(prefix string, _ time.Time) string { return prefix + strings.Repeat("0", 26) }))
	}
	for _, tt := range []struct{ arguments, data, code string }{
		{`{}`, `null`, "MISSING_ARGUMENT"},
		{`{"time":7,"x":1}`, `null`, "INVALID_ARGUMENT"},
		{`{"time":"abc","deep":{"a/b":[1]}}`, `null`, "MISSING_ARGUMENT"},
		{`{"time":"abc"}`, `{"n":"one"}`, "INVALID_TOOL_RESULT"},
		{`{"time":"abc"}`, `[]`, "INVALID_TOOL_RESULT"},
		{`{"time":"abc"}`, `{"n":1,"when":"never"}`, ""},
	} {
		ask := func(s *call.Spec) *result.Sealed {
			return execute(t, fixed(s, ok(tt.data)), call.Call{Tool: "T", Command: "Run", Arguments: []byte(tt.arguments)})
		}
		want, got := ask(explaining), ask(&deciding)
		if want.Code() != tt.code || got.String() != want.String() {
			t.Errorf("%s -> %s:\ngot  %s\nwant %s", tt.arguments, tt.data, got, want)
		}
		if tt.code == "" {
			continue
		}
		prefix := `"/commands/0/in`
		if tt.code == "INVALID_TOOL_RESULT" {
			prefix = `"/commands/0/out`
		}
		if at := at(t, ask(&pointed), "/error/details/violations/0/schemaPointer"); !strings.HasPrefix(at, prefix) {
			t.Errorf("%s -> %s: schema pointer %s", tt.arguments, tt.data, at)
		}
	}
	// The switch for formats is the manifest's.
	asserting := deciding
	asserting.FormatAssertion = true
	asserting.Output = decides{refuses{}}
	if s := execute(t, fixed(&asserting, ok(`{"n":1,"when":"never"}`)), call.Call{Tool: "T", Command: "Run", Arguments: []byte(`{"time":"abc"}`)}); at(t, s, "/error/details/violations/0/keyword") != `"format"` {
		t.Errorf("the format is not what is blamed: %s", s)
	}
}

// refuses refuses everything.
type refuses struct{}

func (refuses) Verdict(*wire.Tape) wire.Verdict { return wire.Invalid }

// A registry may be wrong about itself. Then a refusal stays one, in words that promise nothing.
func TestRefusalsNobodyCanExplain(t *testing.T) {
	for _, schema := range []string{``, `{"type":"strange"}`, `{"$ref":"#/nowhere"}`, `true`} {
		s := spec(t, `true`, `true`, func(s *call.Spec) {
			s.Input, s.InputSchema, s.SchemaFile = refuses{}, []byte(schema), "schema.json"
		})
		r := runtime.New(registry{s}, runtime.Bind("T", answer(ok("null"))))
		if s := execute(t, r, call.Call{Tool: "T", Command: "Run"}); s.Code() != "INTERNAL_ERROR" || !strings.Contains(s.String(), "says nothing about why") {
			t.Errorf("schema %q: %s", schema, s)
		}
		s.Output, s.OutputSchema, s.Input = refuses{}, []byte(schema), compile(t, `true`)
		r = runtime.New(registry{s}, runtime.Bind("T", answer(ok("null"))))
		if s := execute(t, r, call.Call{Tool: "T", Command: "Run"}); s.Code() != "INVALID_TOOL_RESULT" || at(t, s, "/error/details/reason") != `"SCHEMA_MISMATCH"` {
			t.Errorf("schema %q: %s", schema, s)
		}
	}
}

// The first refusals of a command may come at once.
func TestExplanationsAreMadeOnce(t *testing.T) {
	s := spec(t, `true`, `true`, func(s *call.Spec) {
		s.Input, s.InputSchema, s.SchemaFile = refuses{}, []byte(`{"required":["a"]}`), "schema.json"
	})
	r := runtime.New(registry{s}, runtime.Bind("T", answer(ok("null"))))
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if got := r.Execute(t.Context(), call.Call{Tool: "T", Command: "Run"}).Code(); got != "MISSING_ARGUMENT" {
				t.Errorf("code %s", got)
			}
		})
	}
	wg.Wait()
}
