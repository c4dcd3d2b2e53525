package runtime_test

import (
	"context"
	"errors"
	goruntime "runtime"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
)

func admin(s *call.Spec)  { s.RequiresAdmin = true }
func scoped(s *call.Spec) { s.Scopes = []string{"shop.read", "shop.write"} }

// refused is an error of the category authorization, as a result shows it.
func refused(code, message, details string) string {
	return `{"code":"` + code + `","message":"` + message + `","category":"authorization","retryable":false,"target":null,"details":` + details + `,"cause":null}`
}

// The safe side: who has nobody to decide runs nothing that somebody would have to allow.
func TestWithoutAnAuthorizer(t *testing.T) {
	nova := &call.Actor{Type: "agent", ID: "nova"}
	tests := []struct {
		name   string
		change func(*call.Spec)
		actor  *call.Actor
		want   string // error
	}{
		{"nothing asked", func(*call.Spec) {}, nil, `null`},
		{"an administrator", admin, nova, refused("FORBIDDEN", "the caller may not run T.Run; it needs an administrator", `{"requiresAdmin":true}`)},
		{"an administrator, nobody known", admin, nil, refused("UNAUTHORIZED", "T.Run is not for everybody, and who calls is not known; it needs an administrator", `{"requiresAdmin":true}`)},
		{"an administrator who says so", admin, &call.Actor{Type: "admin"}, refused("FORBIDDEN", "the caller may not run T.Run; it needs an administrator", `{"requiresAdmin":true}`)},
		{"scopes", scoped, nova, refused("FORBIDDEN", "the caller may not run T.Run; it needs shop.read, shop.write", `{"scopes":["shop.read","shop.write"]}`)},
		{"scopes, nobody known", scoped, nil, refused("UNAUTHORIZED", "T.Run is not for everybody, and who calls is not known; it needs shop.read, shop.write", `{"scopes":["shop.read","shop.write"]}`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ran := false
			r := runtime.New(registry{spec(t, `true`, `true`, tt.change)}, runtime.Bind("T", call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) {
				ran = true
				return []byte(ok("null")), nil
			})))
			s := execute(t, r, call.Call{Tool: "T", Command: "Run", Actor: tt.actor, Options: call.Options{SkipApproval: true}})
			if got := s.Member(result.Error); got != tt.want || ran != (tt.want == `null`) {
				t.Errorf("ran %v, error %s\nwant %s", ran, got, tt.want)
			}
		})
	}
}

func TestAuthorizer(t *testing.T) {
	broken := errors.New("ldap://10.0.0.7 is down")
	tests := []struct {
		name string
		says error
		want string
	}{
		{"yes", nil, `null`},
		{"no", &runtime.DeniedError{}, refused("FORBIDDEN", "the caller may not run T.Run; it needs an administrator", `{"requiresAdmin":true}`)},
		{"no, with words", &runtime.DeniedError{Message: "not on Sundays"}, refused("FORBIDDEN", "not on Sundays", `{"requiresAdmin":true}`)},
		{"not without a proof", &runtime.DeniedError{Unproven: true, Scopes: []string{"a"}},
			refused("UNAUTHORIZED", "T.Run is not for everybody, and who calls is not known; it needs an administrator", `{"requiresAdmin":true,"scopes":["a"]}`)},
		{"a wrapped no", errors.Join(errors.New("policy 7"), &runtime.DeniedError{Message: "policy 7 says no"}), refused("FORBIDDEN", "policy 7 says no", `{"requiresAdmin":true}`)},
		{"no decision", broken, `{"code":"INTERNAL_ERROR","message":"nobody could decide whether the caller may run T.Run","category":"runtime","retryable":true,"target":null,"details":null,"cause":null}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var asked []runtime.Access
			s := spec(t, `true`, `true`, admin)
			r := runtime.New(registry{s}, runtime.Bind("T", echo), runtime.Authorize(runtime.AuthorizerFunc(func(_ context.Context, a runtime.Access) error {
				asked = append(asked, a)
				return tt.says
			})))
			res := execute(t, r, call.Call{Tool: "T", Command: "Run", Arguments: []byte(`{ "a" : 1 }`), Actor: &call.Actor{ID: "x"}, Source: "cli", RequestIP: "192.0.2.1", NodeID: "n"})
			if got := res.Member(result.Error); got != tt.want {
				t.Errorf("error %s\nwant %s", got, tt.want)
			}
			if len(asked) != 1 || asked[0].Spec != s || string(asked[0].Arguments) != `{"a":1}` || asked[0].Actor.ID != "x" || asked[0].Source != "cli" || asked[0].RequestIP != "192.0.2.1" || asked[0].NodeID != "n" {
				t.Errorf("asked about %+v", asked)
			}
		})
	}
}

// An authorizer that breaks down lets nothing through.
func TestAuthorizerThatPanics(t *testing.T) {
	r := runtime.New(registry{spec(t, `true`, `true`)}, runtime.Bind("T", echo),
		runtime.Authorize(runtime.AuthorizerFunc(func(context.Context, runtime.Access) error { panic("no table") })))
	if s := execute(t, r, call.Call{Tool: "T", Command: "Run"}); s.Code() != "INTERNAL_ERROR" || at(t, s, "/error/details/reason") != `"PANIC"` {
		t.Errorf("%s", s)
	}
}

// An authorizer that ends its goroutine ends nothing else, and one that does not listen to the end of a call does
// not hold it up.
func TestAuthorizerThatDoesNotReturn(t *testing.T) {
	answers := make(chan struct{})
	ask := func(context.Context, runtime.Access) error { goruntime.Goexit(); return nil }
	r := runtime.New(registry{spec(t, `true`, `true`)}, runtime.Bind("T", echo),
		runtime.Authorize(runtime.AuthorizerFunc(func(ctx context.Context, a runtime.Access) error { return ask(ctx, a) })))
	if s := execute(t, r, call.Call{Tool: "T", Command: "Run"}); s.Code() != "INTERNAL_ERROR" || at(t, s, "/error/details/reason") != `"PANIC"` {
		t.Errorf("%s", s)
	}
	ask = func(context.Context, runtime.Access) error { <-answers; return nil }
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if s := lawful(t, r.Execute(ctx, call.Call{Tool: "T", Command: "Run"})); s.Code() != "TOOL_TIMEOUT" || at(t, s, "/error/details") != "null" {
		t.Errorf("%s", s)
	}
	close(answers)
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// An authorizer that waits for something ends with the caller's context.
func TestAuthorizerEndsWithTheCaller(t *testing.T) {
	r := runtime.New(registry{spec(t, `true`, `true`)}, runtime.Bind("T", echo),
		runtime.Authorize(runtime.AuthorizerFunc(func(ctx context.Context, _ runtime.Access) error {
			<-ctx.Done()
			return ctx.Err()
		})))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s := lawful(t, r.Execute(ctx, call.Call{Tool: "T", Command: "Run"})); s.Status() != call.Cancelled {
		t.Errorf("%s", s)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 1)
	defer cancel()
	if s := lawful(t, r.Execute(ctx, call.Call{Tool: "T", Command: "Run"})); s.Status() != call.Timeout || at(t, s, "/error/message") != `"the caller's time was over before the command began"` {
		t.Errorf("%s", s)
	}
}

// The order of the steps: each call has every fault that comes later, too.
func TestOrderOfRefusals(t *testing.T) {
	all := func(s *call.Spec) { s.RequiresAdmin, s.Approval, s.Protocol = true, call.Always, "nowhere" }
	off := func(s *call.Spec) { all(s); s.Disabled = true }
	yes := runtime.Authorize(runtime.AuthorizerFunc(func(context.Context, runtime.Access) error { return nil }))
	approved := runtime.Approve(runtime.ApproverFunc(func(context.Context, runtime.Question) (runtime.Decision, error) {
		return runtime.Decision{Approved: true}, nil
	}))
	actor := &call.Actor{ID: "x"}
	tests := []struct {
		name      string
		change    func(*call.Spec)
		tool      string
		command   string
		arguments string
		options   []runtime.Option
		code      string
	}{
		{"unknown tool", off, "Nope", "Run", `[`, nil, "TOOL_NOT_FOUND"},
		{"unknown command", all, "T", "Nope", `[`, nil, "UNKNOWN_COMMAND"},
		{"switched off", off, "T", "Run", `[`, nil, "TOOL_DISABLED"},
		{"switched off, command inside", off, "T", "", `[`, nil, "TOOL_DISABLED"},
		{"arguments", all, "T", "Run", `[`, nil, "INVALID_ARGUMENT"},
		{"arguments by the schema", all, "T", "Run", `{}`, nil, "MISSING_ARGUMENT"},
		{"permission", all, "T", "Run", `{"a":1}`, nil, "FORBIDDEN"},
		{"approval", all, "T", "Run", `{"a":1}`, []runtime.Option{yes}, "APPROVAL_REJECTED"},
		{"transport", all, "T", "Run", `{"a":1}`, []runtime.Option{yes, approved}, "TRANSPORT_FAILURE"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := runtime.New(registry{spec(t, `{"required":["a"]}`, `true`, tt.change)}, tt.options...)
			if s := execute(t, r, call.Call{Tool: tt.tool, Command: tt.command, Arguments: []byte(tt.arguments), Actor: actor}); s.Code() != tt.code {
				t.Errorf("%s, want %s", s.Member(result.Error), tt.code)
			}
		})
	}
}
