package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
)

// Which calls ask: what the manifest says, else the effect; a caller that asked already does not ask again.
func TestWhoNeedsApproval(t *testing.T) {
	tests := []struct {
		approval call.Approval
		effect   call.Effect
		from     call.Effect // "" for the default
		skip     bool
		asks     bool
	}{
		{call.ByEffect, call.Read, "", false, false},
		{call.ByEffect, call.Idempotent, "", false, false},
		{call.ByEffect, call.Write, "", false, false},
		{call.ByEffect, call.Destructive, "", false, true},
		{call.ByEffect, "", "", false, true}, // an effect that nobody declared is the strongest
		{call.ByEffect, call.Destructive, "", true, false},
		{call.ByEffect, call.Idempotent, call.Write, false, false},
		{call.ByEffect, call.Write, call.Write, false, true},
		{call.ByEffect, call.Destructive, call.Write, false, true},
		{call.ByEffect, call.Read, call.Read, false, true},
		{call.Always, call.Read, "", false, true},
		{call.Always, call.Read, "", true, false},
		{call.Never, call.Destructive, "", false, false},
		{call.Never, call.Destructive, call.Read, false, false},
	}
	for _, tt := range tests {
		asked := 0
		options := []runtime.Option{runtime.Bind("T", answer(ok("1"))), runtime.Approve(runtime.ApproverFunc(func(context.Context, runtime.Question) (runtime.Decision, error) {
			asked++
			return runtime.Decision{Approved: true}, nil
		}))}
		if tt.from != "" {
			options = append(options, runtime.AskFrom(tt.from))
		}
		r := runtime.New(registry{spec(t, `true`, `true`, func(s *call.Spec) { s.Approval, s.Effect = tt.approval, tt.effect })}, options...)
		s := execute(t, r, call.Call{Tool: "T", Command: "Run", Options: call.Options{SkipApproval: tt.skip}})
		if (asked == 1) != tt.asks || asked > 1 || s.Status() != call.Success {
			t.Errorf("%+v: asked %d times: %s", tt, asked, s)
		}
	}
}

func TestApproval(t *testing.T) {
	const wait = 5 * time.Minute
	unanswered := func(ctx context.Context, _ runtime.Question) (runtime.Decision, error) {
		<-ctx.Done()
		return runtime.Decision{}, ctx.Err()
	}
	deaf := func(context.Context, runtime.Question) (runtime.Decision, error) {
		time.Sleep(time.Hour)
		return runtime.Decision{Approved: true}, nil
	}
	shown := func(code, category, message, retryable, details string) string {
		return `{"code":"` + code + `","message":"` + message + `","category":"` + category + `","retryable":` + retryable + `,"target":null,"details":` + details + `,"cause":null}`
	}
	timeout := shown("APPROVAL_TIMEOUT", "approval", "nobody answered whether T.Run may run", "true", "null")
	failed := shown("INTERNAL_ERROR", "runtime", "T.Run needs the approval of a human, and asking for it failed", "true", "null")
	tests := []struct {
		name     string
		approver runtime.ApproverFunc
		deadline time.Duration // of the caller, 0 for none
		cancel   time.Duration // when the caller cancels, 0 for never
		status   call.Status
		want     string // error
		after    time.Duration
		logged   string
	}{
		{"nobody to ask", nil, 0, 0, call.Error,
			shown("APPROVAL_REJECTED", "approval", "T.Run needs the approval of a human, and nobody can be asked here", "false", `{"asked":false}`), 0, ""},
		{"rejected", func(context.Context, runtime.Question) (runtime.Decision, error) {
			return runtime.Decision{By: "Lin", Comment: "not this folder"}, nil
		}, 0, 0, call.Error, shown("APPROVAL_REJECTED", "approval", "the call of T.Run was rejected: not this folder", "false", `{"asked":true,"rejectedBy":"Lin","comment":"not this folder"}`), 0, ""},
		{"rejected without a word", func(context.Context, runtime.Question) (runtime.Decision, error) {
			return runtime.Decision{}, nil
		}, 0, 0, call.Error, shown("APPROVAL_REJECTED", "approval", "the call of T.Run was rejected", "false", `{"asked":true}`), 0, ""},
		{"approved after four minutes", func(context.Context, runtime.Question) (runtime.Decision, error) {
			time.Sleep(4 * time.Minute)
			return runtime.Decision{Approved: true}, nil
		}, 0, 0, call.Success, `null`, 4*time.Minute + 50*time.Second, ""},

		{"K28 unanswered", unanswered, 0, 0, call.Error, timeout, wait, ""},
		{"K28 an approver that ignores its end", deaf, 0, 0, call.Error, timeout, wait, ""},
		{"K28 unanswered within the caller's time", unanswered, time.Minute, 0, call.Error, timeout, time.Minute, ""},
		{"K28 an approver with a limit of its own", func(context.Context, runtime.Question) (runtime.Decision, error) {
			time.Sleep(time.Second)
			return runtime.Decision{}, context.DeadlineExceeded
		}, 0, 0, call.Error, timeout, time.Second, ""},
		{"the caller gives up", unanswered, 0, time.Minute, call.Cancelled, shown("TOOL_CANCELLED", "cancelled", "the call was cancelled", "true", "null"), time.Minute, ""},

		{"an approver that fails", func(context.Context, runtime.Question) (runtime.Decision, error) {
			return runtime.Decision{Approved: true}, errors.New("no bus")
		}, 0, 0, call.Error, failed, 0, "no bus"},
		{"an approver that panics", func(context.Context, runtime.Question) (runtime.Decision, error) { panic("no screen") }, 0, 0, call.Error, failed, 0, "no screen"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := spec(t, `true`, `true`, func(s *call.Spec) { s.Effect = call.Destructive })
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				ran := false
				options := []runtime.Option{
					runtime.Logger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))),
					runtime.Bind("T", call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
						ran = true
						if left := time.Until(in.Deadline); left != time.Minute {
							t.Errorf("the command has %v left of its minute", left)
						}
						time.Sleep(50 * time.Second)
						return []byte(ok("1")), nil
					})),
				}
				if tt.approver != nil {
					options = append(options, runtime.Approve(tt.approver))
				}
				r := runtime.New(registry{s}, options...)
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
				res := lawful(t, r.Execute(ctx, call.Call{Tool: "T", Command: "Run"}))
				if took := time.Since(start); took != tt.after {
					t.Errorf("took %v, want %v", took, tt.after)
				}
				if got := res.Member(result.Error); got != tt.want || res.Status() != tt.status || ran != (tt.status == call.Success) {
					t.Errorf("ran %v, %s %s\nwant %s", ran, res.Status(), got, tt.want)
				}
				if limit := at(t, res, "/execution/timeoutMs"); (limit == "null") == ran {
					t.Errorf("the time limit in force was %s, ran %v", limit, ran)
				}
				if !strings.Contains(log.String(), tt.logged) || tt.logged == "" && log.Len() > 0 {
					t.Errorf("the log says %q", log.String())
				}
				if err := r.Close(t.Context()); err != nil { // waits for the approver, too
					t.Error(err)
				}
			})
		})
	}
}

// What a human is shown is what would run, and writing into it changes nothing.
func TestQuestion(t *testing.T) {
	s := spec(t, `true`, `true`, func(s *call.Spec) {
		s.Approval = call.Always
		s.Defaults = []call.Default{{Name: "limit", Value: []byte("5")}}
	})
	var q runtime.Question
	r := runtime.New(registry{s}, runtime.Bind("T", echo), runtime.ApprovalWait(time.Minute), runtime.Approve(runtime.ApproverFunc(func(_ context.Context, asked runtime.Question) (runtime.Decision, error) {
		q = asked
		q.Arguments = bytes.Clone(asked.Arguments)
		clear(asked.Arguments)
		*asked.Actor = call.Actor{}
		return runtime.Decision{Approved: true}, nil
	})))
	before := time.Now()
	actor := &call.Actor{Type: "agent", ID: "nova"}
	res := execute(t, r, call.Call{Tool: "T", Command: "Run", Arguments: []byte(`{"a":1}`), Actor: actor, Source: "ai-loop", RequestIP: "192.0.2.1"})
	if res.Member(result.Data) != `{"a":1,"limit":5}` || actor.ID != "nova" {
		t.Errorf("the approver wrote into the call: %s", res)
	}
	if q.Spec != s || string(q.Arguments) != `{"a":1,"limit":5}` || q.Source != "ai-loop" || q.RequestIP != "192.0.2.1" ||
		q.InvocationID != clean(at(t, res, "/execution/invocationId")) || q.RequestID != clean(at(t, res, "/execution/requestId")) ||
		q.Until.Before(before.Add(time.Minute)) || q.Until.After(time.Now().Add(time.Minute)) {
		t.Errorf("asked %+v", q)
	}
}
