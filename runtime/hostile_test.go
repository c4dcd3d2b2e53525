package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/direct"
)

// A handler that returns the error of a transport, forged or one that it met itself, does not speak for ours.
func TestHandlersDoNotSpeakForTransports(t *testing.T) {
	const want = `{"code":"INTERNAL_ERROR","message":"T.Run failed and gave no payload","category":"runtime","retryable":false,"target":null,"details":{"effect":"unknown"},"cause":null}`
	for name, err := range map[string]error{
		"a code that nobody knows": &transport.Failure{Code: "BOGUS"},
		"a code of the core":       &transport.Failure{Code: errcode.Forbidden, Message: "go away"},
		"joined":                   errors.Join(errors.New("a"), &transport.Failure{Code: errcode.ToolNotFound, Message: "m"}),
		"a time limit":             &transport.StoppedError{Cause: context.DeadlineExceeded},
		"a panic":                  &direct.PanicError{Value: "no"},
	} {
		h := call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) { return nil, err })
		r := runtime.New(registry{spec(t, `true`, `true`, func(s *call.Spec) { s.Effect = call.Write })}, runtime.Bind("T", h))
		if s := execute(t, r, call.Call{Tool: "T", Command: "Run"}); s.Member(result.Error) != want {
			t.Errorf("%s: %s", name, s.Member(result.Error))
		}
	}
}

// A transport may be anybody's: what a result cannot hold is left out.
func TestTransportsThatBreakTheirContract(t *testing.T) {
	good := []byte(ok("1"))
	for name, tt := range map[string]struct {
		say        scripted
		code, own  string
		wantDetail string
	}{
		"no code":           {scripted{err: &transport.Failure{}}, "TRANSPORT_FAILURE", "[]", "null"},
		"an unknown code":   {scripted{err: &transport.Failure{Code: "BOGUS", Message: "m"}}, "TRANSPORT_FAILURE", "[]", "null"},
		"no reason":         {scripted{err: &transport.Failure{Code: errcode.InvalidToolResult, Message: "m"}}, "TRANSPORT_FAILURE", "[]", "null"},
		"another reason":    {scripted{err: &transport.Failure{Code: errcode.TransportFailure, Reason: "X Y", Message: "m"}}, "TRANSPORT_FAILURE", "[]", "null"},
		"details twice":     {scripted{err: &transport.Failure{Code: errcode.TransportFailure, Reason: errcode.Crashed, Message: "m", Details: []transport.Detail{{Name: "reason", Text: "x"}, {Name: "a", Number: 1}, {Name: "a", Number: 2}}}}, "TRANSPORT_FAILURE", "[]", `{"reason":"CRASHED","a":1}`},
		"no warning":        {scripted{reply: transport.Reply{Payload: good, Warnings: []call.Warning{{Code: "low er", Message: "m"}, {Code: errcode.NonzeroExit}}}}, "", "[]", ""},
		"details no JSON":   {scripted{reply: transport.Reply{Payload: good, Warnings: []call.Warning{{Code: errcode.NonzeroExit, Message: "m", Details: []byte(`{bad`)}}}}, "", `[{"code":"NONZERO_EXIT","message":"m"}]`, ""},
		"details no object": {scripted{reply: transport.Reply{Payload: good, Warnings: []call.Warning{{Code: errcode.NonzeroExit, Message: "m", Details: []byte(`[]`)}}}}, "", `[{"code":"NONZERO_EXIT","message":"m"}]`, ""},
	} {
		r := runtime.New(registry{spec(t, `true`, `true`, func(s *call.Spec) { s.Protocol = "test" })}, runtime.Use("test", tt.say))
		s := execute(t, r, call.Call{Tool: "T", Command: "Run"})
		if s.Code() != tt.code || s.Member(result.Warnings) != tt.own || at(t, s, "/error/details") != tt.wantDetail {
			t.Errorf("%s: %s", name, s)
		}
	}
}

// panicking is a log handler, and a transport, of somebody who tests little.
type panicking struct{ slog.Handler }

func (panicking) Enabled(context.Context, slog.Level) bool  { return true }
func (panicking) Handle(context.Context, slog.Record) error { panic("log") }
func (panicking) Close(context.Context) error               { panic("close") }
func (panicking) Run(context.Context, call.Invocation, time.Duration) (transport.Reply, error) {
	panic("run")
}

// speechless is an error that cannot be printed.
type speechless struct{ code *int }

func (b *speechless) Error() string { return string(rune(*b.code)) }

// Whatever a hook does, there is a result and the process lives.
func TestHooksAreContained(t *testing.T) {
	fails := call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) { return nil, (*speechless)(nil) })
	year := func(y int) func() time.Time {
		return func() time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
	}
	keys := runtime.Secrets(func(string) [][]byte { return [][]byte{[]byte("a-key-of-ours")} })
	for name, options := range map[string][]runtime.Option{
		"clock":                {runtime.Clock(func() time.Time { panic("clock") })},
		"a clock before time":  {runtime.Clock(year(-5))},
		"a clock after time":   {runtime.Clock(year(20000))},
		"ids":                  {runtime.IDs(func(string, time.Time) string { panic("ids") })},
		"ids that are none":    {runtime.IDs(func(string, time.Time) string { return "x\xff" })},
		"log":                  {runtime.Logger(slog.New(panicking{})), keys},
		"nil":                  {runtime.Clock(nil), runtime.IDs(nil), runtime.Logger(nil), runtime.Config(nil), runtime.Secrets(nil), runtime.Listen(nil), runtime.Measure(nil)},
		"an error, and a mask": {runtime.Logger(slog.New(slog.NewTextHandler(new(bytes.Buffer), nil))), keys},
		"everything":           {runtime.Clock(func() time.Time { panic("clock") }), runtime.IDs(func(string, time.Time) string { panic("ids") }), runtime.Logger(slog.New(panicking{}))},
	} {
		r := runtime.New(registry{spec(t, `true`, `true`, func(s *call.Spec) { s.Effect = call.Write })}, append(options, runtime.Bind("T", fails))...)
		s := execute(t, r, call.Call{Tool: "T", Command: "Run", RequestID: "none"})
		if s.Code() != "INTERNAL_ERROR" || at(t, s, "/error/details") != `{"effect":"unknown"}` {
			t.Errorf("%s: %s", name, s)
		}
	}
	r := runtime.New(registry{spec(t, `true`, `true`, func(s *call.Spec) { s.Protocol, s.Effect = "test", call.Write })}, runtime.Use("test", panicking{}))
	s := execute(t, r, call.Call{Tool: "T", Command: "Run"})
	if at(t, s, "/error/details") != `{"reason":"PANIC","effect":"unknown"}` {
		t.Errorf("a transport that panics: %s", s)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Errorf("Close = %v", err)
	}
}

// A plugin that puts a link in the place of its folder publishes nothing of what the link leads to, neither in this
// call nor in the next. One that takes its folder away has a new one at its next call.
func TestDataFoldersThatAreReplaced(t *testing.T) {
	elsewhere := t.TempDir()
	if err := os.WriteFile(filepath.Join(elsewhere, "key"), []byte("not yours"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir, _, options := keeping(t)
	folder := filepath.Join(dir, "plugins", "T")
	replace := func() error { return nil }
	h := call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
		if _, err := in.Resources.Write(call.Draft{ID: "b", Kind: "text"}, strings.NewReader("b")); err != nil {
			return nil, err
		}
		if err := replace(); err != nil {
			return nil, err
		}
		return []byte(payloadOf("success", `"data":null`, `"resources":[{"id":"a","kind":"text","role":"output","localPath":"key"}]`)), nil
	})
	r := runtime.New(registry{spec(t, `true`, `true`)}, append(options, runtime.Bind("T", h))...)
	run := func(reason, message string) {
		t.Helper()
		s := execute(t, r, call.Call{Tool: "T", Command: "Run"})
		if clean(at(t, s, "/error/details/reason")) != reason || clean(at(t, s, "/error/message")) != message {
			t.Errorf("got %s, want %s, %s", s.Member(result.Error), reason, message)
		}
	}
	replace = func() error {
		return errors.Join(os.Rename(folder, folder+".old"), os.Symlink(elsewhere, folder))
	}
	run("PATH_ESCAPE", "a resource cannot be published: the plugin's folder is a link")
	run("", "the data folder of T cannot be used")
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	replace = func() error { return os.RemoveAll(folder) }
	run("DANGLING_RESOURCE", "a resource cannot be published: its localPath names no file in the plugin's data folder")
	replace = func() error { return os.WriteFile(filepath.Join(folder, "key"), []byte("mine"), 0o600) }
	if s := execute(t, r, call.Call{Tool: "T", Command: "Run"}); s.Status() != call.Success {
		t.Errorf("after its folder was gone: %s", s.Member(result.Error))
	}
	if err := os.RemoveAll(folder); err != nil { // between two calls
		t.Fatal(err)
	}
	if s := execute(t, r, call.Call{Tool: "T", Command: "Run"}); s.Status() != call.Success {
		t.Errorf("when its folder was gone: %s", s.Member(result.Error))
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// A name may have megabytes. What is wrong below it is told without repeating it a thousand times.
func TestErrorsAboutLongNames(t *testing.T) {
	long := strings.Repeat("n", 2<<20)
	var bad strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&bad, `,"k%d":%d`, i, i)
	}
	document := `{"` + long + `":{` + bad.String()[1:] + `}}`
	const schema = `{"additionalProperties":{"additionalProperties":{"type":"string"}}}`
	check := func(s *result.Sealed, code, target string) {
		t.Helper()
		if s.Code() != code || s.Len() > 16<<10 || at(t, s, "/error/target") != target || at(t, s, "/error/details/violations/0/pointer") == "" {
			t.Errorf("a result of %d bytes: %.300s", s.Len(), s.Member(result.Error))
		}
	}
	r := runtime.New(registry{spec(t, schema, `true`)}, runtime.Bind("T", echo))
	check(execute(t, r, call.Call{Tool: "T", Command: "Run", Arguments: []byte(document)}), "INVALID_ARGUMENT", `""`)
	r = runtime.New(registry{spec(t, `true`, schema)}, runtime.Bind("T", answer(ok(document))))
	check(execute(t, r, call.Call{Tool: "T", Command: "Run"}), "INVALID_TOOL_RESULT", `"/data"`)
	_, _, options := keeping(t)
	r = runtime.New(registry{spec(t, `true`, `true`)}, append(options, runtime.Bind("T", answer(ok(`{"`+long+`":{"$resource":"`+long+`"}}`))))...)
	if s := execute(t, r, call.Call{Tool: "T", Command: "Run"}); s.Len() > 16<<10 || s.Code() != "INVALID_TOOL_RESULT" {
		t.Errorf("a result of %d bytes: %.300s", s.Len(), s.Member(result.Error))
	}
}

// A secret that has a slash or a tilde in it reads differently in a JSON Pointer. Where the payload schema knows no
// such member, the error points at it.
func TestSecretsInPointers(t *testing.T) {
	const key = "tok-Z9~q/W3x+Pk7=vL"
	for _, payload := range []string{
		payloadOf("success", `"data":null`, `"`+key+`":1`),
		payloadOf("success", `"data":null`, `"presentation":{"`+key+`":1}`),
		payloadOf("success", `"data":null`, `"aiAdvice":{"intent":"none","\u0074ok-Z9~q\/W3x+Pk7=vL":1}`),
	} {
		r := runtime.New(registry{spec(t, `true`, `true`)}, runtime.Bind("T", answer(payload)), runtime.Secrets(func(string) [][]byte { return [][]byte{[]byte(key)} }))
		s := execute(t, r, call.Call{Tool: "T", Command: "Run"})
		if s.Code() != "INVALID_TOOL_RESULT" || strings.Contains(s.String(), "W3x") || !strings.Contains(at(t, s, "/error/details"), "[redacted]") {
			t.Errorf("%s", s)
		}
	}
}

// A call cannot bring so many secrets that looking for them holds up everybody.
func TestTooManyCredentials(t *testing.T) {
	const schema = `{"properties":{"c":{"writeOnly":true}}}`
	many := func(n int) []byte {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"secret%06d","secret%06d"`, i, i)
		}
		return []byte(`{"c":[` + b.String()[1:] + `]}`)
	}
	r := runtime.New(registry{spec(t, schema, `true`, func(s *call.Spec) { s.InputSchema = []byte(schema) })}, runtime.Bind("T", echo))
	if s := execute(t, r, call.Call{Tool: "T", Command: "Run", Arguments: many(256)}); s.Status() != call.Success || strings.Contains(s.String(), "secret0") {
		t.Errorf("256 secrets: %.600s", s)
	}
	s := execute(t, r, call.Call{Tool: "T", Command: "Run", Arguments: many(257)})
	const want = `{"code":"INVALID_ARGUMENT","message":"the arguments hold more than 256 secrets","category":"validation","retryable":false,"target":null,"details":{"reason":"LIMIT_MEMBERS","limit":256},"cause":null}`
	if s.Member(result.Error) != want {
		t.Errorf("257 secrets: %s", s.Member(result.Error))
	}
}

// What was used up just now may be there again; what was begun is another matter.
func TestPassingFailures(t *testing.T) {
	for _, started := range []bool{false, true} {
		failed := &transport.Failure{Code: errcode.TransportFailure, Reason: errcode.SpawnFailed, Message: "m", Passing: true, Started: started}
		r := runtime.New(registry{spec(t, `true`, `true`, func(s *call.Spec) { s.Protocol = "test" })}, runtime.Use("test", scripted{err: failed}))
		if got := at(t, execute(t, r, call.Call{Tool: "T", Command: "Run"}), "/error/retryable"); got != fmt.Sprint(!started) {
			t.Errorf("started %v: retryable %s", started, got)
		}
	}
}

// A payload that is within its limit stays so when a short secret in it gives way to a longer mask.
func TestMaskIsLongerThanTheSecret(t *testing.T) {
	const key = "8-bytes!"
	data := `["` + strings.Repeat(key+`","`, 100) + `"]`
	for _, output := range []string{`true`, `{"items":{"type":"string"}}`} {
		r := runtime.New(registry{spec(t, `true`, output)}, runtime.Bind("T", answer(ok(data))), runtime.Limit(runtime.Limits{Payload: wire.Limits{Bytes: len(ok(data))}}),
			runtime.Secrets(func(string) [][]byte { return [][]byte{[]byte(key)} }))
		s := execute(t, r, call.Call{Tool: "T", Command: "Run"})
		if s.Status() != call.Success || strings.Contains(s.String(), key) {
			t.Errorf("%s", s.Member(result.Error))
		}
	}
}
