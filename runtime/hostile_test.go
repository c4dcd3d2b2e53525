package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
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
