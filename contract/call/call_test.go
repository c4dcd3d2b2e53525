package call_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/protocol"
)

// out is data of an answer.
type out string

func (o out) AppendJSON(dst []byte) []byte { return wire.AppendQuoted(dst, string(o)) }

// decodeText reads a JSON string.
func decodeText(src []byte) (string, error) {
	var t wire.Tape
	if err := t.Scan(src, wire.Limits{}); err != nil {
		return "", err
	}
	if t.Kind(t.Root()) != wire.KindString {
		return "", &wire.Rejection{Rule: wire.Rule{Pointer: "/type", Keyword: "type"}}
	}
	return t.String(t.Root()), nil
}

// serve runs a handler that gives one answer.
func serve(t *testing.T, arguments string, a call.Answer[out], failure error) (string, error) {
	t.Helper()
	payload, err := call.Serve(context.Background(), 7, []byte(arguments), decodeText,
		func(_ context.Context, at int, in string) (call.Answer[out], error) {
			if at != 7 || in != "in" {
				t.Errorf("the handler got %d and %q", at, in)
			}
			return a, failure
		})
	return string(payload), err
}

func progress(text string) wire.Opt[wire.Number] {
	n, _ := wire.ParseNumber(text)
	return wire.Some(n)
}

func TestAnswersArePayloads(t *testing.T) {
	type answer = call.Answer[out]
	tests := []struct {
		name   string
		answer answer
		err    error
		want   string
	}{
		{"success", answer{Data: "done"}, nil,
			`{"status":"success","data":"done","resources":[],"warnings":[],"extensions":{}}`},
		{"everything", answer{
			Data:         "a\"b",
			Presentation: call.Presentation{Summary: "s", Title: "t", View: "table", PrimaryResource: "r"},
			Advice:       &call.Advice{Intent: "relay", Message: "m", RenderHint: "text", Resources: []string{"r", "q"}, Priority: "high"},
			Warnings:     []call.Warning{{Code: errcode.OutputTruncated, Message: "cut", Target: "/a", Details: wire.Raw(`{"n":1}`)}, {Code: "MY.OWN", Message: "w"}},
			Resources:    []wire.Raw{wire.Raw(`{"id":"r","kind":"image","role":"output","url":"https://example.org/x.png"}`)},
			Extensions:   wire.Raw(`{"org.example":{"a":1}}`),
		}, nil,
			`{"status":"success","data":"a\"b","resources":[{"id":"r","kind":"image","role":"output","url":"https://example.org/x.png"}],` +
				`"warnings":[{"code":"OUTPUT_TRUNCATED","message":"cut","target":"/a","details":{"n":1}},{"code":"MY.OWN","message":"w","target":null,"details":null}],` +
				`"presentation":{"summary":"s","title":"t","preferredView":"table","primaryResourceId":"r"},` +
				`"aiAdvice":{"intent":"relay","message":"m","renderHint":"text","priority":"high","resourceIds":["r","q"]},"extensions":{"org.example":{"a":1}}}`},
		{"the shortest advice", answer{Data: "d", Advice: &call.Advice{Intent: "none"}, Presentation: call.Presentation{Title: "t"}}, nil,
			`{"status":"success","data":"d","resources":[],"warnings":[],"presentation":{"title":"t"},"aiAdvice":{"intent":"none","priority":"normal","resourceIds":[]},"extensions":{}}`},
		{"partial", answer{Status: call.Partial, Data: "half", Failure: &call.Failure{Code: errcode.UpstreamError, Message: "no more"}}, nil,
			`{"status":"partial","data":"half","resources":[],"warnings":[],"error":{"code":"UPSTREAM_ERROR","message":"no more","retryable":false,"target":null,"details":null},"extensions":{}}`},
		{"accepted", answer{Status: call.Accepted, Data: "not sent", Task: &call.Task{ID: "t1", State: call.TaskQueued, Progress: progress("0.50"), PollAfter: 5 * time.Second}}, nil,
			`{"status":"accepted","data":null,"resources":[],"warnings":[],"task":{"id":"t1","state":"queued","progress":0.50,"pollAfterMs":5000},"extensions":{}}`},
		{"failed", answer{Data: "not sent"}, &call.Failure{Code: "SHOP.SOLD_OUT", Message: "none left", Category: errcode.Dependency, Target: "/item", Retryable: true, Details: wire.Raw(`{"left":0}`), Cause: wire.Raw(`{"message":"c"}`)},
			`{"status":"error","data":null,"resources":[],"warnings":[],"error":{"code":"SHOP.SOLD_OUT","message":"none left","category":"dependency","retryable":true,"target":"/item","details":{"left":0},"cause":{"message":"c"}},"extensions":{}}`},
		{"failed, wrapped", answer{}, fmt.Errorf("deep down: %w", &call.Failure{Code: errcode.FileNotFound, Message: "gone"}),
			`{"status":"error","data":null,"resources":[],"warnings":[],"error":{"code":"FILE_NOT_FOUND","message":"gone","retryable":false,"target":null,"details":null},"extensions":{}}`},
		{"cancelled", answer{}, &call.Failure{Status: call.Cancelled, Code: errcode.ToolCancelled, Message: "stopped"},
			`{"status":"cancelled","data":null,"resources":[],"warnings":[],"error":{"code":"TOOL_CANCELLED","message":"stopped","retryable":false,"target":null,"details":null},"extensions":{}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := serve(t, `"in"`, tt.answer, tt.err)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			verdict, violations, err := protocol.Validator(schema.Payload).Check([]byte(got), wire.Limits{})
			if err != nil || verdict != wire.Valid {
				t.Errorf("the payload breaks its schema: %v %+v", err, violations)
			}
		})
	}
}

func TestFaultsOfHandlersAreErrors(t *testing.T) {
	broken := errors.New("disk on fire")
	if got, err := serve(t, `"in"`, call.Answer[out]{}, broken); !errors.Is(err, broken) || got != "" {
		t.Errorf("payload %q, error %v", got, err)
	}
}

// endless is data that contains itself, as a recursive type may.
type endless struct{ next *endless }

func (e endless) AppendJSON(dst []byte) []byte { return e.appendJSON(dst, 0) }

func (e endless) appendJSON(dst []byte, depth int) []byte {
	if e.next == nil {
		return append(dst, "[]"...)
	}
	return e.next.appendJSON(append(dst, '['), wire.Deeper(depth))
}

// Data that contains itself is an error of the handler, and not the end of the program.
func TestEndlessData(t *testing.T) {
	var e endless
	e.next = &e
	payload, err := call.Serve(context.Background(), 7, []byte(`"in"`), decodeText, func(context.Context, int, string) (call.Answer[endless], error) {
		return call.Answer[endless]{Data: e}, nil
	})
	if _, deep := errors.AsType[*wire.DepthError](err); !deep || payload != nil {
		t.Errorf("payload %q, error %v", payload, err)
	}
}

// Arguments that the decoder refuses are the caller's or the operator's mistake, never a crash.
func TestArgumentsThatDoNotFit(t *testing.T) {
	const unfit = "the arguments do not fit the contract that the plugin was built from"
	tests := []struct{ arguments, message, details string }{
		{`7`, unfit, `{"schemaPointer":"/type","keyword":"type"}`},
		{`{`, unfit, `null`},
		{strings.Repeat("[", 1025), "the arguments are more than the plugin reads: more than 1024 nested arrays and objects", `{"reason":"LIMIT_DEPTH"}`},
	}
	for _, tt := range tests {
		got, err := serve(t, tt.arguments, call.Answer[out]{}, nil)
		want := `{"status":"error","data":null,"resources":[],"warnings":[],"error":{"code":"INVALID_ARGUMENT",` +
			`"message":"` + tt.message + `","retryable":false,"target":null,"details":` + tt.details + `},"extensions":{}}`
		if err != nil || got != want {
			t.Errorf("%s: got %s, %v\nwant %s", tt.arguments, got, err, want)
		}
	}
}

// fixed is an executor that always gives one result, and remembers the call.
type fixed struct {
	text   string
	status call.Status
	got    call.Call
}

func (f *fixed) Execute(_ context.Context, c call.Call) call.Result {
	f.got = c
	return f
}
func (f *fixed) ID() string          { return "tr_1" }
func (f *fixed) Status() call.Status { return f.status }
func (f *fixed) Code() string        { return "" }
func (f *fixed) String() string      { return f.text }
func (f *fixed) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, bytes.NewReader([]byte(f.text)))
}

func TestAsk(t *testing.T) {
	const failed = `{"code":"UPSTREAM_ERROR","message":"m","category":"dependency","retryable":true,"target":"/a","details":{"x":1.0},"cause":{"message":"c"}}`
	tests := []struct {
		name    string
		result  string
		status  call.Status
		data    string
		failure *call.Failure // of the reply
		task    *call.Task
		err     string
	}{
		{"success", `{"data":"d","error":null,"task":null}`, call.Success, "d", nil, nil, ""},
		{"partial", `{"error":` + failed + `,"data":"d"}`, call.Partial, "d", &call.Failure{Status: call.Partial, Code: "UPSTREAM_ERROR", Message: "m", Category: "dependency", Target: "/a", Retryable: true, Details: wire.Raw(`{"x":1.0}`), Cause: wire.Raw(`{"message":"c"}`)}, nil, ""},
		{"accepted", `{"data":null,"task":{"id":"task_1","state":"running","progress":0.5,"pollAfterMs":2e3,"placeholder":"p"}}`, call.Accepted, "", nil,
			&call.Task{ID: "task_1", State: call.TaskRunning, Progress: progress("0.5"), PollAfter: 2 * time.Second}, ""},
		{"accepted, little known", `{"data":null,"task":{"id":"task_1","state":"running","progress":null,"pollAfterMs":null}}`, call.Accepted, "", nil, &call.Task{ID: "task_1", State: call.TaskRunning}, ""},
		{"error", `{"data":null,"error":{"code":"A.B","message":"m","target":null,"details":null}}`, call.Error, "", &call.Failure{Status: call.Error, Code: "A.B", Message: "m"}, nil, "A.B: m"},
		{"timeout", `{"data":null,"error":{"code":"TOOL_TIMEOUT","message":"late"}}`, call.Timeout, "", &call.Failure{Status: call.Timeout, Code: "TOOL_TIMEOUT", Message: "late"}, nil, "TOOL_TIMEOUT: late"},
		{"data of another type", `{"data":5}`, call.Success, "", nil, nil, "the data of tr_1 does not fit: offset 0: breaks #/type"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := &fixed{text: tt.result, status: tt.status}
			r, err := call.Ask(t.Context(), x, "T", "C", out("in"), decodeText,
				func(c *call.Call) { c.Source = "test" })
			if text := fmt.Sprint(err); (err != nil || tt.err != "") && text != tt.err {
				t.Errorf("error %v, want %q", err, tt.err)
			}
			if x.got.Tool != "T" || x.got.Command != "C" || x.got.Source != "test" || string(x.got.Arguments) != `"in"` {
				t.Errorf("call %+v", x.got)
			}
			if r.Result != call.Result(x) || r.Status() != tt.status || r.Data != tt.data {
				t.Errorf("reply %+v", r)
			}
			if got, want := fmt.Sprintf("%+v", r.Failure), fmt.Sprintf("%+v", tt.failure); got != want {
				t.Errorf("failure %s, want %s", got, want)
			}
			if got, want := fmt.Sprintf("%+v", r.Task), fmt.Sprintf("%+v", tt.task); got != want {
				t.Errorf("task %s, want %s", got, want)
			}
			if tt.err == "" {
				return
			}
			var f *call.Failure
			var m *call.MismatchError
			if tt.failure != nil && (!errors.As(err, &f) || f != r.Failure) || tt.failure == nil && (!errors.As(err, &m) || m.ResultID != "tr_1") {
				t.Errorf("error %#v", err)
			}
		})
	}
}

func TestTable(t *testing.T) {
	spec := func(name string) *call.Spec {
		tool, command, _ := strings.Cut(name, ".")
		return &call.Spec{Tool: tool, Command: command}
	}
	a1, a2, b1, c1, a3 := spec("A.z"), spec("A.a"), spec("B.x"), spec("C.x"), spec("A.n")
	table := call.NewTable([]*call.Spec{c1}, []*call.Spec{a1, a2}, []*call.Spec{b1}, nil)
	want := []*call.Spec{a1, a2, b1, c1}
	list := table.Specs()
	if fmt.Sprint(list) != fmt.Sprint(want) {
		t.Errorf("specs %v, want %v", list, want)
	}
	list[0] = nil
	if table.Specs()[0] != a1 {
		t.Error("the caller changed the table")
	}
	if s, known := table.Lookup("A", "a"); s != a2 || !known {
		t.Errorf("A.a is %v, %v", s, known)
	}
	if s, known := table.Lookup("A", "b"); s != nil || !known {
		t.Errorf("A.b is %v, %v", s, known)
	}
	if s, known := table.Lookup("D", "b"); s != nil || known {
		t.Errorf("D.b is %v, %v", s, known)
	}
	replaced := call.NewTable([]*call.Spec{a1, a2, b1}, []*call.Spec{a3})
	if fmt.Sprint(replaced.Specs()) != fmt.Sprint([]*call.Spec{a3, b1}) {
		t.Errorf("specs %v", replaced.Specs())
	}
	if s, known := replaced.Lookup("A", "z"); s != nil || !known {
		t.Errorf("the replaced A.z is %v, %v", s, known)
	}
}

func TestGeneratedJudges(t *testing.T) {
	judge := call.Generated(func(j *wire.Judge, n int) bool { return j.Is(n, wire.AString, 1) })
	var tape wire.Tape
	for doc, want := range map[string]wire.Verdict{`"x"`: wire.Valid, `1`: wire.Invalid} {
		if err := tape.Scan([]byte(doc), wire.Limits{}); err != nil {
			t.Fatal(err)
		}
		if got := judge.Verdict(&tape); got != want {
			t.Errorf("%s is %v, want %v", doc, got, want)
		}
	}
	if err := tape.Scan([]byte(`{"a":[1,"x"]}`), wire.Limits{}); err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]wire.Verdict{"": wire.Invalid, "/a": wire.Invalid, "/a/0": wire.Invalid, "/a/1": wire.Valid} {
		n, _ := tape.Lookup(pointer)
		if got := judge.VerdictAt(&tape, n); got != want {
			t.Errorf("the value at %q is %v, want %v", pointer, got, want)
		}
	}
}
