package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
	"vcp.core/runtime/transport"
)

// scripted is a transport whose calls all end the same way.
type scripted struct {
	reply transport.Reply
	err   error
}

func (s scripted) Run(context.Context, call.Invocation, time.Duration) (transport.Reply, error) {
	return s.reply, s.err
}
func (scripted) Close(context.Context) error { return nil }

// What a transport says about its failure is the error of the result, word for word; the cause is for logs.
func TestFailuresOfTransports(t *testing.T) {
	secret := errors.New("fork /srv/secret: no such file")
	shown := func(code, message, category, details string) string {
		return `{"code":"` + code + `","message":"` + message + `","category":"` + category + `","retryable":false,"target":null,"details":` + details + `,"cause":null}`
	}
	tests := []struct {
		name   string
		effect call.Effect
		err    error
		want   string
	}{
		{"code and message", call.Write, &transport.Failure{Code: errcode.TransportFailure, Message: "it is not there", Err: secret},
			shown("TRANSPORT_FAILURE", "it is not there", "transport", `null`)},
		{"a reason", call.Write, &transport.Failure{Code: errcode.TransportFailure, Reason: errcode.SpawnFailed, Message: "m", Err: secret},
			shown("TRANSPORT_FAILURE", "m", "transport", `{"reason":"SPAWN_FAILED"}`)},
		{"begun, and it may have written", call.Write, &transport.Failure{Code: errcode.TransportFailure, Reason: errcode.Crashed, Message: "m", Started: true, Details: []transport.Detail{{Name: "exitCode", Number: 3}}},
			shown("TRANSPORT_FAILURE", "m", "transport", `{"reason":"CRASHED","exitCode":3,"effect":"unknown"}`)},
		{"begun, twice is once", call.Idempotent, &transport.Failure{Code: errcode.TransportFailure, Reason: errcode.Signalled, Message: "m", Started: true, Details: []transport.Detail{{Name: "signal", Text: "SIGSEGV"}}},
			shown("TRANSPORT_FAILURE", "m", "transport", `{"reason":"SIGNALLED","signal":"SIGSEGV","effect":"unknown"}`)},
		{"begun, and it only reads", call.Read, &transport.Failure{Code: errcode.InvalidToolResult, Reason: errcode.NoFrame, Message: "m", Started: true},
			shown("INVALID_TOOL_RESULT", "m", "protocol", `{"reason":"NO_FRAME"}`)},
		{"a quote", call.Read, &transport.Failure{Code: errcode.InvalidToolResult, Reason: errcode.StrayOutput, Message: "m", Quote: "◇ \"<b>\"\n", Details: []transport.Detail{{Name: "line", Number: 1}, {Name: "limit"}}},
			shown("INVALID_TOOL_RESULT", "m", "protocol", `{"reason":"STRAY_OUTPUT","quote":"◇ \"<b>\"\n","line":1,"limit":0}`)},
		{"a dependency", call.Read, &transport.Failure{Code: errcode.DependencyUnavailable, Message: "node is not installed"},
			shown("DEPENDENCY_UNAVAILABLE", "node is not installed", "dependency", `null`)},
		{"a node", call.Read, &transport.Failure{Code: errcode.DistributedNodeOffline, Message: "m"},
			shown("DISTRIBUTED_NODE_OFFLINE", "m", "transport", `null`)},
		{"a percent sign is no verb", call.Read, &transport.Failure{Code: errcode.TransportFailure, Message: "100%d"},
			shown("TRANSPORT_FAILURE", "100%d", "transport", `null`)},
		{"wrapped", call.Read, fmt.Errorf("stdio: %w", &transport.Failure{Code: errcode.TransportFailure, Message: "m"}),
			shown("TRANSPORT_FAILURE", "m", "transport", `null`)},
		{"an error of its own", call.Write, secret,
			shown("INTERNAL_ERROR", "T.Run failed and gave no payload", "runtime", `{"effect":"unknown"}`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// A payload beside an error does not count.
			r := runtime.New(registry{spec(t, `true`, `true`, func(s *call.Spec) { s.Effect, s.Protocol = tt.effect, "test" })},
				runtime.Use("test", scripted{reply: transport.Reply{Payload: []byte(ok("1"))}, err: tt.err}))
			s := execute(t, r, call.Call{Tool: "T", Command: "Run"})
			if got := s.Member(result.Error); got != tt.want || s.Status() != call.Error || s.Member(result.Data) != "null" {
				t.Errorf("%s %s\nwant %s", s.Status(), got, tt.want)
			}
		})
	}
}

// What a transport noticed beside a good payload stands after what the plugin warns of.
func TestWarningsOfTransports(t *testing.T) {
	exit := call.Warning{Code: errcode.NonzeroExit, Message: "exit code 3", Details: wire.Raw(`{"exitCode":3}`)}
	const told = `{"code":"NONZERO_EXIT","message":"exit code 3","details":{"exitCode":3}}`
	tests := []struct{ payload, want string }{
		{ok("1"), `[` + told + `]`},
		{payloadOf("success", `"warnings":[{"code":"A.B","message":"m"}]`), `[{"code":"A.B","message":"m"},` + told + `]`},
		{payloadOf("error", `"error":{"code":"X.Y","message":"m"}`), `[` + told + `,{"code":"UNDECLARED_ERROR_CODE","message":"the manifest does not declare the error code X.Y","target":"/error/code"}]`},
	}
	for _, tt := range tests {
		r := runtime.New(registry{spec(t, `true`, `true`, func(s *call.Spec) { s.Protocol = "test" })},
			runtime.Use("test", scripted{reply: transport.Reply{Payload: []byte(tt.payload), Warnings: []call.Warning{exit}}}))
		if got := execute(t, r, call.Call{Tool: "T", Command: "Run"}).Member(result.Warnings); got != tt.want {
			t.Errorf("warnings %s\nwant %s", got, tt.want)
		}
	}
}

// Every kind with every status (DESIGN §4).
func TestKindsAndStatuses(t *testing.T) {
	payloads := map[call.Status]string{
		call.Success:   payloadOf("success"),
		call.Partial:   payloadOf("partial", `"data":1`),
		call.Accepted:  payloadOf("accepted", `"task":{"id":"t","state":"queued"}`),
		call.Error:     payloadOf("error", failed),
		call.Cancelled: payloadOf("cancelled", `"error":{"code":"TOOL_CANCELLED","message":"m"}`),
		call.Timeout:   payloadOf("timeout", `"error":{"code":"TOOL_TIMEOUT","message":"m"}`),
	}
	statuses := []call.Status{call.Success, call.Partial, call.Accepted, call.Error, call.Cancelled, call.Timeout}
	tests := []struct {
		kind call.Kind
		fits string // for each of the statuses
	}{
		{call.Synchronous, "yynyyy"},
		{call.Asynchronous, "nnyynn"},
		{call.Hybrid, "yyyyyy"},
	}
	for _, tt := range tests {
		for i, status := range statuses {
			for _, effect := range []call.Effect{call.Read, call.Write} {
				t.Run(fmt.Sprintf("%s %s %s", tt.kind, status, effect), func(t *testing.T) {
					r := runtime.New(registry{spec(t, `true`, `true`, func(s *call.Spec) { s.Kind, s.Effect = tt.kind, effect })}, runtime.Bind("T", answer(payloads[status])))
					s := execute(t, r, call.Call{Tool: "T", Command: "Run"})
					if tt.fits[i] == 'y' {
						if s.Status() != status {
							t.Errorf("%s", s)
						}
						return
					}
					details := `{"reason":"KIND_MISMATCH"}`
					if effect == call.Write {
						details = `{"reason":"KIND_MISMATCH","effect":"unknown"}`
					}
					want := fmt.Sprintf(`{"code":"INVALID_TOOL_RESULT","message":"T.Run is %s and must not answer with status \"%s\"","category":"protocol","retryable":false,"target":"/status","details":%s,"cause":null}`, tt.kind, status, details)
					if got := s.Member(result.Error); got != want || s.Status() != call.Error || s.Member(result.Task) != "null" {
						t.Errorf("%s %s, task %s\nwant %s", s.Status(), got, s.Member(result.Task), want)
					}
				})
			}
		}
	}
}
