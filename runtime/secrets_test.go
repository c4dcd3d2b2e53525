package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/runtime"
	"vcp.core/runtime/policy/canary"
	"vcp.core/runtime/policy/secret"
	"vcp.core/runtime/result"
	"vcp.core/runtime/transport"
)

const liveKey = "sk_live_SECRET/1"

// keys is a source of secrets.
func keys(values ...string) runtime.Option {
	return runtime.Secrets(func(string) [][]byte {
		var list [][]byte
		for _, v := range values {
			list = append(list, []byte(v))
		}
		return list
	})
}

// No form of a secret gets through, wherever a plugin puts it.
func TestNoSecretGetsThrough(t *testing.T) {
	s := spec(t, `true`, `true`, func(s *call.Spec) { s.ErrorCodes = []string{"UPSTREAM_ERROR"} })
	for _, value := range []string{canary.Secret, liveKey, "correct horse battery"} {
		for _, p := range canary.Payloads(value) {
			r := runtime.New(registry{s}, runtime.Bind("T", answer(p)), keys(value))
			got := execute(t, r, call.Call{Tool: "T", Command: "Run"})
			if got.Code() == string(errcode.InvalidToolResult) {
				t.Fatalf("refused: %s", got)
			}
			if ways := canary.Find(got.String(), value); ways != nil {
				t.Errorf("%q gets through: %v\n%s", value, ways, got)
			}
			if at(t, got, "/data/kept") != `"\u0041\/"` && at(t, got, "/data/0/kept") != `"\u0041\/"` {
				t.Errorf("more was changed than had to be: %s", got)
			}
			if at(t, got, "/policy/containsSensitiveData") != "true" || at(t, got, "/policy/redactionsApplied/0/rule") != `"secret"` {
				t.Errorf("nothing is told: %s", got.Member(result.Policy))
			}
		}
	}
}

func TestMaskedResults(t *testing.T) {
	tests := []struct {
		name, secret, payload, output string
		want                          map[result.Member]string
	}{
		{"told by rule and path (K49)", liveKey, `{"status":"error","data":null,"resources":[],"warnings":[],"error":{"code":"UPSTREAM_ERROR","message":"Invalid key sk_live_SECRET\/1"},"extensions":{}}`, `true`,
			map[result.Member]string{
				result.Error:    `{"code":"UPSTREAM_ERROR","message":"Invalid key [redacted]","category":"dependency","retryable":false,"target":null,"details":null,"cause":null}`,
				result.Warnings: `[{"code":"SECRET_REDACTED","message":"a secret of the tool or the call was masked","target":"/error/message","details":{"places":1}}]`,
				result.Policy:   `{"classification":"internal","containsSensitiveData":true,"redactionsApplied":[{"rule":"secret","target":"/error/message"}]}`,
			}},
		{"names", liveKey, ok(`{"a":1.0,"sk_live_SECRET/1":["x","sk_live_SECRET/1"]}`), `true`, map[result.Member]string{
			result.Data:     `{"a":1.0,"[redacted]":["x","[redacted]"]}`,
			result.Warnings: `[{"code":"SECRET_REDACTED","message":"secrets of the tool or the call were masked in 2 places","details":{"places":2}}]`,
			result.Policy:   `{"classification":"internal","containsSensitiveData":true,"redactionsApplied":[{"rule":"secret","target":"/data/[redacted]"},{"rule":"secret","target":"/data/[redacted]/1"}]}`,
		}},
		{"words of the protocol stay", "extensions", ok(`{"extensions":"extensions"}`), `true`, map[result.Member]string{
			result.Data: `{"[redacted]":"[redacted]"}`, result.Extensions: `{}`,
		}},
		{"the schema judges what is left", liveKey, ok(`{"key":"sk_live_SECRET/1"}`), `{"properties":{"key":{"pattern":"^sk_"}}}`, map[result.Member]string{
			result.Data: `null`,
			result.Error: `{"code":"INVALID_TOOL_RESULT","message":"data member \"key\": expected a match of ^sk_, got \"[redacted]\"","category":"protocol","retryable":false,"target":"/data/key",` +
				`"details":{"reason":"SCHEMA_MISMATCH","violationCount":1,"violations":[{"pointer":"/data/key","keyword":"pattern","schemaPointer":"/properties/key/pattern","expected":"a match of ^sk_","got":"\"[redacted]\"","message":"the value must match the pattern ^sk_"}]},"cause":null}`,
			result.Warnings: `[]`,
		}},
		{"nothing to mask", liveKey, ok(`["sk_live_SECRE", "\/"]`), `true`, map[result.Member]string{
			result.Data: `["sk_live_SECRE","\/"]`, result.Warnings: `[]`, result.Policy: `{"classification":"internal","containsSensitiveData":false,"redactionsApplied":[]}`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := spec(t, `true`, tt.output, func(s *call.Spec) { s.ErrorCodes = []string{"UPSTREAM_ERROR"} })
			r := runtime.New(registry{s}, runtime.Bind("T", answer(tt.payload)), keys(tt.secret))
			got := execute(t, r, call.Call{Tool: "T", Command: "Run"})
			for m, want := range tt.want {
				if got.Member(m) != want {
					t.Errorf("%v is\n%s, want\n%s", m, got.Member(m), want)
				}
			}
		})
	}
}

// TestCredentialOfACall is K48: an argument that the input schema marks as writeOnly, and a key of the
// configuration. Neither stands in the result, the log, an approver's question or a report of progress.
func TestCredentialOfACall(t *testing.T) {
	const argument = "arg-credential-77"
	input := `{"type":"object","properties":{"api_key":{"type":"string","writeOnly":true,"maxLength":30},"n":{"type":"integer"}}}`
	s := spec(t, input, `true`, func(s *call.Spec) {
		s.InputSchema, s.Approval = []byte(input), call.Always
	})
	var log bytes.Buffer
	var seen strings.Builder
	fails := false
	handler := call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
		in.Progress(call.Progress{Stage: "login", Message: "with " + argument + " and " + liveKey})
		if fails {
			return nil, errors.New("cannot log in with " + argument + " or " + liveKey)
		}
		return []byte(ok(`{"echo":` + string(in.Arguments) + `,"token":"` + liveKey + `"}`)), nil
	})
	r := runtime.New(registry{s}, runtime.Bind("T", handler), keys(liveKey),
		runtime.Logger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		runtime.Listen(func(e runtime.ProgressEvent) { seen.WriteString(e.Stage + e.Message) }),
		runtime.Approve(runtime.ApproverFunc(func(_ context.Context, q runtime.Question) (runtime.Decision, error) {
			seen.Write(q.Arguments)
			return runtime.Decision{Approved: true}, nil
		})))
	check := func(got *result.Sealed) {
		t.Helper()
		for _, text := range []string{got.String(), log.String(), seen.String()} {
			if strings.Contains(text, argument) || strings.Contains(text, liveKey) {
				t.Errorf("a credential leaks: %s", text)
			}
		}
	}
	c := call.Call{Tool: "T", Command: "Run", Arguments: []byte(`{"api_key":"` + argument + `"}`)}
	got := execute(t, r, c)
	check(got)
	if want := `{"echo":{"api_key":"[redacted]"},"token":"[redacted]"}`; got.Member(result.Data) != want || !strings.Contains(seen.String(), `{"api_key":"[redacted]"}`) {
		t.Errorf("data is %s, want %s; seen: %s", got.Member(result.Data), want, seen.String())
	}
	if want := `[{"rule":"secret","target":"/data/echo/api_key"},{"rule":"secret","target":"/data/token"}]`; at(t, got, "/policy/redactionsApplied") != want {
		t.Errorf("told: %s", got.Member(result.Policy))
	}
	fails = true
	check(execute(t, r, c))
	if !strings.Contains(log.String(), "cannot log in with [redacted] or [redacted]") {
		t.Errorf("the log lost the error: %s", log.String())
	}
	// A violation quotes what it refuses, cut to 80 characters.
	long := argument + strings.Repeat("x", 200)
	c.Arguments = []byte(`{"n":"` + long + `","api_key":"` + long + `"}`)
	got = execute(t, r, c)
	check(got)
	if got.Code() != string(errcode.InvalidArgument) || strings.Contains(got.String(), argument[:12]) || at(t, got, "/policy/redactionsApplied") == "[]" {
		t.Errorf("arguments that are refused: %s", got)
	}
}

// talkative is a transport that fails with a quote of what it saw, and tells what it knows of secrets.
type talkative struct{ set *secret.Set }

func (b *talkative) Run(ctx context.Context, _ call.Invocation, _ time.Duration) (transport.Reply, error) {
	b.set = secret.FromContext(ctx)
	return transport.Reply{}, &transport.Failure{
		Code: errcode.TransportFailure, Reason: errcode.StrayOutput, Message: "stray output: key=" + liveKey, Quote: "key=" + liveKey[:10] + "…",
		Details: []transport.Detail{{Name: "line", Number: 3}, {Name: "text", Text: "c2tfbGl2ZV9TRUNSRVQvMQ=="}},
	}
}

func (b *talkative) Close(context.Context) error { return nil }

func TestQuotesOfTransportsAreMasked(t *testing.T) {
	s := spec(t, `true`, `true`, func(s *call.Spec) { s.Protocol = "broken" })
	b := new(talkative)
	r := runtime.New(registry{s}, runtime.Use("broken", b), keys(liveKey))
	got := execute(t, r, call.Call{Tool: "T", Command: "Run"})
	const want = `{"code":"TRANSPORT_FAILURE","message":"stray output: key=[redacted]","category":"transport","retryable":false,"target":null,"details":{"reason":"STRAY_OUTPUT","quote":"key=[redacted]…","line":3,"text":"[redacted]"},"cause":null}`
	if got.Member(result.Error) != want {
		t.Errorf("got  %s\nwant %s", got.Member(result.Error), want)
	}
	if want := `[{"rule":"secret","target":"/error/message"},{"rule":"secret","target":"/error/details/quote"},{"rule":"secret","target":"/error/details/text"}]`; at(t, got, "/policy/redactionsApplied") != want {
		t.Errorf("told: %s", got.Member(result.Policy))
	}
	if b.set.Text(liveKey) != secret.Mask {
		t.Error("the transport is not told what is secret")
	}
}

// What a configSchema marks as writeOnly is secret without a further word: an embedder who only hands out
// configurations leaks none of their keys, also after a setting has changed.
func TestSecretSettings(t *testing.T) {
	s := spec(t, `true`, `true`, func(s *call.Spec) {
		s.ConfigSchema = []byte(`{"type":"object","properties":{"apiKey":{"type":"string","writeOnly":true},"region":{"type":"string"}}}`)
	})
	key := "key-number-one"
	r := runtime.New(registry{s}, runtime.Bind("T", call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
		return []byte(ok(`{"config":` + string(in.Config) + `}`)), nil
	})), runtime.Config(func(string) []byte { return []byte(`{"apiKey":"` + key + `","region":"north-of-here"}`) }))
	for _, key = range []string{"key-number-one", "key-number-two"} {
		got := execute(t, r, call.Call{Tool: "T", Command: "Run"})
		if want := `{"config":{"apiKey":"[redacted]","region":"north-of-here"}}`; got.Member(result.Data) != want {
			t.Errorf("data is %s, want %s", got.Member(result.Data), want)
		}
	}
}
