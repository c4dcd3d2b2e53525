package runtime_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/protocol"
	"vcp.core/gen/resolve"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
)

// registry is the smallest call.Registry.
type registry []*call.Spec

func (r registry) Lookup(tool, command string) (spec *call.Spec, known bool) {
	for _, s := range r {
		if s.Tool == tool {
			known = true
			if s.Command == command {
				return s, true
			}
		}
	}
	return nil, known
}

func (r registry) Specs() []*call.Spec { return r }

// compile makes a validator of a schema text.
func compile(t testing.TB, text string) call.Validator {
	t.Helper()
	file, list := load.Parse("schema.json", []byte(text), wire.Limits{})
	if len(list) > 0 {
		t.Fatalf("%s: %v", text, list)
	}
	root, list := resolve.Resolve(file, nil, resolve.Options{Registry: protocol.Registry()})
	if len(list) > 0 {
		t.Fatalf("%s: %v", text, list)
	}
	program, list := ir.Lower([]*resolve.Schema{root}, ir.Options{})
	if len(list) > 0 {
		t.Fatalf("%s: %v", text, list)
	}
	return live.Compile(program).Root(0)
}

// spec is a synchronous direct command T.Run that takes and gives anything, but for what change does.
func spec(t testing.TB, input, output string, change ...func(*call.Spec)) *call.Spec {
	t.Helper()
	s := &call.Spec{
		Tool: "T", DisplayName: "Tool", Version: "1.2.3", Command: "Run", Kind: call.Synchronous, Protocol: "direct",
		Effect: call.Read, Timeout: time.Minute, Grace: time.Second, Discriminator: "command",
		Input: compile(t, input), Output: compile(t, output),
	}
	for _, c := range change {
		c(s)
	}
	return s
}

// answer is a handler that always returns the same payload.
func answer(payload string) call.Handler {
	return call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) { return []byte(payload), nil })
}

// ok is a payload whose data is the given JSON.
func ok(data string) string {
	return `{"status":"success","data":` + data + `,"resources":[],"warnings":[],"extensions":{}}`
}

// echo returns its arguments as data.
var echo = call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
	return []byte(ok(string(in.Arguments))), nil
})

// execute runs a call and holds the result against the law: it is canonical, whatever happened.
func execute(t testing.TB, r *runtime.Runtime, c call.Call) *result.Sealed {
	t.Helper()
	return lawful(t, r.Execute(context.Background(), c))
}

func lawful(t testing.TB, res call.Result) *result.Sealed {
	t.Helper()
	s, isSealed := res.(*result.Sealed)
	if !isSealed || s == nil {
		t.Fatalf("Execute returned %T, want a sealed result", res)
	}
	verdict, violations, err := protocol.Validator(schema.Result).Check([]byte(s.String()), wire.Limits{Bytes: 1 << 28, Nodes: 1 << 24, Depth: 2048})
	if err != nil || verdict != wire.Valid {
		t.Fatalf("the result breaks its schema: %v %+v\n%s", err, violations, s)
	}
	var tape wire.Tape
	if err := tape.Scan([]byte(s.String()), wire.Limits{Bytes: 1 << 28, Nodes: 1 << 24, Depth: 2048}); err != nil {
		t.Fatal(err)
	}
	if compact := string(tape.AppendCompact(nil, tape.Root())); compact != s.String() {
		t.Errorf("the result is not compact: %s", s)
	}
	if s.Member(result.ID) != `"`+s.ID()+`"` || s.Member(result.Status) != `"`+string(s.Status())+`"` {
		t.Errorf("ID and Status do not agree with the bytes: %s", s)
	}
	if (s.Code() == "") != (s.Member(result.Error) == "null") {
		t.Errorf("Code %q does not agree with error %s", s.Code(), s.Member(result.Error))
	}
	return s
}

// at reads a value of a result by its JSON Pointer, "" when it is not there.
func at(t testing.TB, s *result.Sealed, pointer string) string {
	t.Helper()
	var tape wire.Tape
	if err := tape.Scan([]byte(s.String()), wire.Limits{}); err != nil {
		t.Fatal(err)
	}
	i, there := tape.Lookup(pointer)
	if !there {
		return ""
	}
	return string(tape.Raw(i))
}

// clean removes the quotes of a JSON string without escapes.
func clean(s string) string { return strings.Trim(s, `"`) }
