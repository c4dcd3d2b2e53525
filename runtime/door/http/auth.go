package http

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"vcp.core/contract/call"
	"vcp.core/runtime"
	"vcp.core/runtime/door/token"
	"vcp.core/runtime/door/view"
)

// source is where the calls of this door come from (specification §9.1).
const source = "human-tool"

// open reports whether a path needs no token.
func (d *Door) open(r *http.Request) bool {
	switch r.URL.Path {
	case "/healthz", "/readyz", "/openapi.json":
		return true
	case "/metrics":
		return d.o.OpenMetrics
	default:
		return false
	}
}

// denial is why a request is turned away before anybody looked into it.
type denial struct {
	status    int
	detail    string
	challenge string // what a token has to be or to have, "" for nothing
	later     bool   // the same may be asked again, on another connection
}

// write answers a request with the denial.
func (f *denial) write(w http.ResponseWriter) {
	if f.challenge != "" {
		w.Header().Set("WWW-Authenticate", f.challenge)
	}
	if f.later {
		w.Header().Set("Connection", "close")
		w.Header().Set("Retry-After", "1")
	}
	problem(w, f.status, f.detail)
}

// authenticate finds the token of a request.
func (d *Door) authenticate(r *http.Request) (token.Token, *denial) {
	scheme, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return token.Token{}, &denial{status: http.StatusUnauthorized, detail: "a bearer token is needed; vcp token create makes one", challenge: `Bearer realm="vcp"`}
	}
	bearer, ok, err := d.o.Tokens.Check(strings.TrimSpace(text))
	if err != nil {
		d.o.Logger.LogAttrs(r.Context(), slog.LevelError, "tokens cannot be read", slog.Any("error", err))
		return token.Token{}, &denial{status: http.StatusServiceUnavailable, detail: "tokens cannot be checked now"}
	}
	if !ok {
		return token.Token{}, &denial{status: http.StatusUnauthorized, detail: "the token is not valid", challenge: `Bearer realm="vcp", error="invalid_token"`}
	}
	if r.URL.Path == "/metrics" && !bearer.Has(token.MetricsRead) {
		return bearer, lacking(token.MetricsRead)
	}
	return bearer, nil
}

// lacking refuses a request for want of a scope (RFC 6750, section 3.1).
func lacking(scope string) *denial {
	return &denial{status: http.StatusForbidden, detail: "the token lacks the scope " + scope, challenge: `Bearer realm="vcp", error="insufficient_scope", scope="` + scope + `"`}
}

// problemType is the media type of what is no result.
const problemType = "application/problem+json"

// problem writes what is no result (RFC 9457).
func problem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"title": http.StatusText(status), "status": status, "detail": detail})
}

type visitKey struct{}

// caller is who sent a request, and from where.
type caller struct {
	token.Token
	ip string
}

// visit is the context of a request that was let in. It knows who sent the request.
type visit struct {
	context.Context
	caller caller
	actor  call.Actor // how the caller stands in results
}

func visitOf(r *http.Request, t token.Token) *visit {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return &visit{Context: r.Context(), caller: caller{t, host}, actor: call.Actor{Type: "client", ID: t.ActorID(), Name: t.Name}}
}

// Value implements context.Context.
func (v *visit) Value(key any) any {
	if key == (visitKey{}) {
		return v
	}
	return v.Context.Value(key)
}

// visitIn is the visit of a context of a request that came in; nobody else's context holds one.
func visitIn(ctx context.Context) (*visit, bool) {
	v, ours := ctx.Value(visitKey{}).(*visit)
	return v, ours
}

// callerOf is the caller of a request that came in.
func callerOf(ctx context.Context) caller {
	if v, ours := visitIn(ctx); ours {
		return v.caller
	}
	return caller{}
}

// reads reports whether the caller may read results, of his own calls at least.
func (c *caller) reads() bool { return c.Has(token.ResultsRead) || c.Has(token.ResultsAll) }

// reader is how policy knows the caller.
func (c *caller) reader() view.Reader {
	return view.Reader{Admin: c.Has(token.Admin), Scopes: c.Scopes}
}

// Authorize is the authorizer of calls that come in at this door: a command for administrators needs a token with the
// scope admin, and every scope that a command asks for has to be the token's. Calls from elsewhere are next's to judge; nil
// refuses those that ask for anything.
func Authorize(next runtime.Authorizer) runtime.Authorizer {
	return runtime.AuthorizerFunc(func(ctx context.Context, a runtime.Access) error {
		v, ours := visitIn(ctx)
		if !ours {
			if next != nil {
				return next.Authorize(ctx, a)
			}
			if !a.Spec.RequiresAdmin && len(a.Spec.Scopes) == 0 {
				return nil
			}
			return &runtime.DeniedError{Unproven: a.Actor == nil, Scopes: a.Spec.Scopes}
		}
		c := &v.caller
		if a.Spec.RequiresAdmin && !c.Has(token.Admin) {
			return &runtime.DeniedError{Message: "the tool is for administrators", Scopes: []string{token.Admin}}
		}
		var missing []string
		for _, s := range a.Spec.Scopes {
			if !c.Has(s) {
				missing = append(missing, s)
			}
		}
		if missing != nil {
			return &runtime.DeniedError{Scopes: missing}
		}
		return nil
	})
}
