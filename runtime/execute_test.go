package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
)

func TestHandlersThatFail(t *testing.T) {
	const secret = "/var/secret/key"
	tests := []struct {
		name    string
		effect  call.Effect
		handler call.HandlerFunc
		details string
		logged  []string
	}{
		{"error", call.Read, func(context.Context, call.Invocation) ([]byte, error) {
			return []byte(ok("1")), errors.New("open " + secret)
		}, `null`, []string{secret}},
		{"error of a writing command", call.Write, func(context.Context, call.Invocation) ([]byte, error) { return nil, errors.New(secret) }, `{"effect":"unknown"}`, []string{secret}},
		{"panic", call.Read, func(context.Context, call.Invocation) ([]byte, error) { panic(secret) }, `{"reason":"PANIC"}`, []string{secret, "execute_test.go"}},
		{"panic of a destructive command", call.Destructive, func(context.Context, call.Invocation) ([]byte, error) { panic(secret) }, `{"reason":"PANIC","effect":"unknown"}`, []string{secret}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			r := runtime.New(registry{spec(t, `true`, `true`, func(s *call.Spec) { s.Effect = tt.effect })},
				runtime.Bind("T", tt.handler), runtime.Logger(slog.New(slog.NewTextHandler(&log, nil))))
			s := execute(t, r, call.Call{Tool: "T", Command: "Run", Options: call.Options{SkipApproval: true}})
			if s.Code() != "INTERNAL_ERROR" || at(t, s, "/error/category") != `"runtime"` || at(t, s, "/error/details") != tt.details {
				t.Errorf("error %s", s.Member(result.Error))
			}
			if strings.Contains(s.String(), secret) || strings.Contains(s.String(), ".go") {
				t.Errorf("the result tells what belongs in the log: %s", s)
			}
			for _, want := range tt.logged {
				if !strings.Contains(log.String(), want) {
					t.Errorf("the log does not tell %q: %s", want, log.String())
				}
			}
		})
	}
}

// obeys returns as soon as its context ends.
var obeys = call.HandlerFunc(func(ctx context.Context, _ call.Invocation) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
})

// ignores takes an hour whatever happens.
var ignores = call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) {
	time.Sleep(time.Hour)
	return []byte(ok("null")), nil
})

func TestEndsOfCalls(t *testing.T) {
	const grace = 2 * time.Second
	tests := []struct {
		name     string
		handler  call.Handler
		effect   call.Effect
		timeout  time.Duration // of the call
		deadline time.Duration // of the context, 0 for none
		cancel   time.Duration // when the context is cancelled, 0 for never
		status   call.Status
		code     string
		category string
		retry    string
		details  string
		after    time.Duration
		limit    string // timeoutMs
	}{
		{"the manifest's limit", obeys, call.Read, 0, 0, 0, call.Timeout, "TOOL_TIMEOUT", "timeout", "true", `null`, time.Minute, "60000"},
		{"the call's limit", obeys, call.Read, time.Second, 0, 0, call.Timeout, "TOOL_TIMEOUT", "timeout", "true", `null`, time.Second, "1000"},
		{"a longer limit of the call", obeys, call.Idempotent, time.Hour, 0, 0, call.Timeout, "TOOL_TIMEOUT", "timeout", "true", `{"effect":"unknown"}`, time.Hour, "3600000"},
		{"the context's deadline", obeys, call.Write, 0, 3 * time.Second, 0, call.Timeout, "TOOL_TIMEOUT", "timeout", "false", `{"effect":"unknown"}`, 3 * time.Second, "3000"},
		{"cancelled", obeys, call.Read, 0, 0, time.Second, call.Cancelled, "TOOL_CANCELLED", "cancelled", "true", `null`, time.Second, "60000"},
		{"cancelled while writing", obeys, call.Destructive, 0, 0, time.Second, call.Cancelled, "TOOL_CANCELLED", "cancelled", "false", `{"effect":"unknown"}`, time.Second, "60000"},
		{"a handler that ignores its limit", ignores, call.Read, time.Second, 0, 0, call.Timeout, "TOOL_TIMEOUT", "timeout", "true", `{"handlerRunning":true}`, time.Second + grace, "1000"},
		{"a handler that ignores the cancel", ignores, call.Write, 0, 0, time.Second, call.Cancelled, "TOOL_CANCELLED", "cancelled", "false", `{"handlerRunning":true,"effect":"unknown"}`, time.Second + grace, "60000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := spec(t, `true`, `true`, func(s *call.Spec) { s.Effect, s.Grace = tt.effect, grace })
			synctest.Test(t, func(t *testing.T) {
				r := runtime.New(registry{s}, runtime.Bind("T", tt.handler))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.deadline > 0 {
					var stop context.CancelFunc
					ctx, stop = context.WithTimeout(ctx, tt.deadline)
					defer stop()
				}
				if tt.cancel > 0 {
					time.AfterFunc(tt.cancel, cancel)
				}
				start := time.Now()
				res := lawful(t, r.Execute(ctx, call.Call{Tool: "T", Command: "Run", Timeout: tt.timeout, Options: call.Options{SkipApproval: true}}))
				if took := time.Since(start); took != tt.after {
					t.Errorf("Execute took %v, want %v", took, tt.after)
				}
				if res.Status() != tt.status || res.Code() != tt.code || clean(at(t, res, "/error/category")) != tt.category {
					t.Errorf("%s %s: %s", res.Status(), res.Code(), res.Member(result.Error))
				}
				if got := at(t, res, "/error/details"); got != tt.details {
					t.Errorf("details %s, want %s", got, tt.details)
				}
				if got := at(t, res, "/error/retryable"); got != tt.retry {
					t.Errorf("retryable %s, want %s", got, tt.retry)
				}
				if got := at(t, res, "/execution/timeoutMs"); got != tt.limit {
					t.Errorf("timeoutMs %s, want %s", got, tt.limit)
				}
				if err := r.Close(t.Context()); err != nil {
					t.Errorf("Close: %v", err)
				}
			})
		})
	}
}

func TestCancelledBeforeItBegan(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := runtime.New(registry{spec(t, `true`, `true`, func(s *call.Spec) { s.Effect = call.Write })}, runtime.Bind("T", obeys))
	s := lawful(t, r.Execute(ctx, call.Call{Tool: "T", Command: "Run"}))
	// No effect can be unknown: nothing ran.
	if s.Status() != call.Cancelled || at(t, s, "/error/details") != `null` || at(t, s, "/error/retryable") != `true` {
		t.Errorf("%s", s)
	}
}

func TestClose(t *testing.T) {
	s := spec(t, `true`, `true`, func(s *call.Spec) { s.Grace = time.Second })
	synctest.Test(t, func(t *testing.T) {
		r := runtime.New(registry{s}, runtime.Bind("T", ignores))
		done := make(chan *result.Sealed, 1)
		go func() {
			done <- lawful(t, r.Execute(context.Background(), call.Call{Tool: "T", Command: "Run", Timeout: time.Second}))
		}()
		synctest.Wait()
		short, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if err := r.Close(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close with a handler that runs: %v", err)
		}
		if got := (<-done).Status(); got != call.Timeout {
			t.Errorf("the call in flight ended with %s", got)
		}
		refused := lawful(t, r.Execute(context.Background(), call.Call{Tool: "T", Command: "Run"}))
		if refused.Code() != "INTERNAL_ERROR" || at(t, refused, "/error/retryable") != `true` || !strings.Contains(refused.Member(result.Error), "closing") {
			t.Errorf("a call after Close: %s", refused)
		}
		if err := r.Close(t.Context()); err != nil { // the hour is over
			t.Errorf("second Close: %v", err)
		}
	})
}

func TestEnvelope(t *testing.T) {
	tick := time.Date(2026, 7, 11, 15, 30, 0, 0, time.FixedZone("", 8*3600))
	clock := func() time.Time { tick = tick.Add(23 * time.Millisecond); return tick }
	n := 0
	ids := func(prefix string, _ time.Time) string {
		n++
		return prefix + "0000000000000000000000000" + string(rune('0'+n))
	}
	var seen call.Invocation
	handler := call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) { seen = in; return []byte(ok("{}")), nil })
	dir := t.TempDir()
	r := runtime.New(registry{spec(t, `true`, `true`)}, runtime.Bind("T", handler), runtime.Clock(clock), runtime.IDs(ids),
		runtime.DataDir(dir), runtime.Config(func(tool string) []byte { return []byte(`{"of":"` + tool + `"}`) }))
	request := "req_01K0000000000000000000000A"
	s := execute(t, r, call.Call{Tool: "T", Command: "Run", Source: "ai-loop", Actor: &call.Actor{Name: "Nova"}, RequestIP: "203.0.113.9", RequestID: request})
	want := `{"protocol":{"name":"vcp.tool-result","version":"1.0"},"id":"tr_00000000000000000000000002","status":"success",` +
		`"tool":{"name":"T","displayName":"Tool","version":"1.2.3","command":"Run"},` +
		`"execution":{"invocationId":"ti_00000000000000000000000001","requestId":"` + request + `","recordId":null,` +
		`"startedAt":"2026-07-11T15:30:00.023+08:00","finishedAt":"2026-07-11T15:30:00.046+08:00","durationMs":23,"timeoutMs":60000,"attempt":1},` +
		`"actor":{"type":"unknown","id":null,"name":"Nova","maid":null},` +
		`"origin":{"source":"ai-loop","nodeId":null,"serverId":"local","distributed":false,"requestIp":null},` +
		`"data":{},"resources":[],"warnings":[],"error":null,"task":null,"presentation":null,"aiAdvice":null,` +
		`"policy":{"classification":"internal","containsSensitiveData":false,"redactionsApplied":[]},"extensions":{}}`
	if s.String() != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	folder := filepath.Join(dir, "plugins", "T")
	if stat, err := os.Stat(folder); err != nil || !stat.IsDir() || stat.Mode().Perm() != 0o700 {
		t.Errorf("data folder: %v, %v", stat, err)
	}
	if seen.DataDir != folder || string(seen.Config) != `{"of":"T"}` || seen.InvocationID != "ti_00000000000000000000000001" || seen.RequestID != request ||
		seen.RequestIP != "203.0.113.9" || seen.Source != "ai-loop" || seen.Actor.Name != "Nova" || !seen.Now.Equal(tick.Add(-23*time.Millisecond)) {
		t.Errorf("the handler saw %+v", seen)
	}
}

// What a handler writes into what it was given reaches nobody else: not the result, not the caller, not the
// next call.
func TestHandlersCannotForgeThroughTheirInput(t *testing.T) {
	config := []byte(`{"limit":1}`)
	var configs []string
	handler := call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
		configs = append(configs, string(in.Config))
		*in.Actor = call.Actor{Type: "system", ID: "root", Name: "Admin"}
		clear(in.Arguments)
		clear(in.Config)
		return []byte(ok("null")), nil
	})
	r := runtime.New(registry{spec(t, `true`, `true`)}, runtime.Bind("T", handler), runtime.Config(func(string) []byte { return config }))
	actor := &call.Actor{Type: "agent", ID: "nova"}
	arguments := []byte(`{"a":1}`)
	for range 2 {
		s := execute(t, r, call.Call{Tool: "T", Command: "Run", Actor: actor, Arguments: arguments})
		if got := s.Member(result.Actor); got != `{"type":"agent","id":"nova","name":null,"maid":null}` {
			t.Errorf("the result tells of %s", got)
		}
	}
	if *actor != (call.Actor{Type: "agent", ID: "nova"}) || string(arguments) != `{"a":1}` || configs[1] != configs[0] {
		t.Errorf("the caller's actor is %+v, the arguments are %q, the configurations were %q", *actor, arguments, configs)
	}
}

func TestRequestIDsOfAnotherFormAreReplaced(t *testing.T) {
	r := runtime.New(registry{spec(t, `true`, `true`)}, runtime.Bind("T", answer(ok("1"))))
	for _, given := range []string{"", "42", "req_", "req_01k0000000000000000000000a", "req_81K0000000000000000000000A", "req_01K000000000000000000000IL", "\xff"} {
		s := execute(t, r, call.Call{Tool: "T", Command: "Run", RequestID: given})
		if got := clean(at(t, s, "/execution/requestId")); got == given || !strings.HasPrefix(got, "req_") {
			t.Errorf("request id %q became %q", given, got)
		}
	}
}

func TestDataFoldersStayInside(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"..", ".", "a/b", "../x", ""} {
		s := spec(t, `true`, `true`, func(s *call.Spec) { s.Tool = name })
		r := runtime.New(registry{s}, runtime.Bind(name, echo), runtime.DataDir(filepath.Join(root, "data")))
		if res := execute(t, r, call.Call{Tool: name, Command: "Run"}); res.Code() != "INTERNAL_ERROR" || strings.Contains(res.String(), root) {
			t.Errorf("tool %q: %s", name, res)
		}
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 0 {
		t.Errorf("folders were made: %v, %v", entries, err)
	}
}

// broken is a validator with a mistake in it.
type broken struct{ call.Validator }

func (broken) Verdict(*wire.Tape) wire.Verdict { panic("index out of range") }

func TestAPanicOfOursIsAResult(t *testing.T) {
	var log bytes.Buffer
	s := spec(t, `true`, `true`, func(s *call.Spec) { s.Input = broken{} })
	r := runtime.New(registry{s}, runtime.Bind("T", echo), runtime.Logger(slog.New(slog.NewTextHandler(&log, nil))))
	for range 3 {
		if res := execute(t, r, call.Call{Tool: "T", Command: "Run"}); res.Code() != "INTERNAL_ERROR" || at(t, res, "/error/details/reason") != `"PANIC"` {
			t.Fatalf("%s", res)
		}
	}
	if !strings.Contains(log.String(), "index out of range") || !strings.Contains(log.String(), "stack=") {
		t.Errorf("the log says %s", log.String())
	}
	if err := r.Close(t.Context()); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// undecided is a validator whose budget is always over.
type undecided struct{}

func (undecided) Verdict(*wire.Tape) wire.Verdict { return wire.Undecided }
func (undecided) Violations(*wire.Tape) []call.Violation {
	return []call.Violation{{Pointer: "/p", Keyword: "pattern", Expected: "a string that matches", Got: `"aaaa"`, Message: "m", Reason: "LIMIT_PATTERN"}}
}

func TestUndecidedIsNotValid(t *testing.T) {
	in := spec(t, `true`, `true`, func(s *call.Spec) { s.Input = undecided{} })
	out := spec(t, `true`, `true`, func(s *call.Spec) { s.Output = undecided{} })
	for s, code := range map[*call.Spec]string{in: "INVALID_ARGUMENT", out: "INVALID_TOOL_RESULT"} {
		r := runtime.New(registry{s}, runtime.Bind("T", echo))
		if res := execute(t, r, call.Call{Tool: "T", Command: "Run"}); res.Code() != code || at(t, res, "/error/details/reason") != `"LIMIT_PATTERN"` {
			t.Errorf("want %s, LIMIT_PATTERN: %s", code, res)
		}
	}
}

func TestConcurrentCallsKeepApart(t *testing.T) {
	r := runtime.New(registry{spec(t, `{"type":"object"}`, `{"type":"object"}`)}, runtime.Bind("T", echo))
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 100 {
				in := `{"worker":` + strings.Repeat("1", w+1) + `,"call":"` + strings.Repeat("é", i) + `"}`
				s, isSealed := r.Execute(context.Background(), call.Call{Tool: "T", Command: "Run", Arguments: []byte(in)}).(*result.Sealed)
				if !isSealed || s.Member(result.Data) != in {
					t.Errorf("%s became %v", in, s)
				}
			}
		})
	}
	wg.Wait()
}
