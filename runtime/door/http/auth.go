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

// authenticate finds the token of a request, or answers it.
func (d *Door) authenticate(w http.ResponseWriter, r *http.Request) (token.Token, bool) {
	scheme, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		w.Header().Set("WWW-Authenticate", `Bearer realm="vcp"`)
		problem(w, http.StatusUnauthorized, "a bearer token is needed; vcp token create makes one")
		return token.Token{}, false
	}
	bearer, ok, err := d.o.Tokens.Check(strings.TrimSpace(text))
	if err != nil {
		d.o.Logger.LogAttrs(r.Context(), slog.LevelError, "tokens cannot be read", slog.Any("error", err))
		problem(w, http.StatusServiceUnavailable, "tokens cannot be checked now")
		return token.Token{}, false
	}
	if !ok {
		w.Header().Set("WWW-Authenticate", `Bearer realm="vcp", error="invalid_token"`)
		problem(w, http.StatusUnauthorized, "the token is not valid")
		return token.Token{}, false
	}
	if r.URL.Path == "/metrics" && !bearer.Has(token.MetricsRead) {
		lacks(w, token.MetricsRead)
		return token.Token{}, false
	}
	return bearer, true
}

// lacks refuses a request for want of a scope (RFC 6750, section 3.1).
func lacks(w http.ResponseWriter, scope string) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="vcp", error="insufficient_scope", scope="`+scope+`"`)
	problem(w, http.StatusForbidden, "the token lacks the scope "+scope)
}

// problemType is the media type of what is no result.
const problemType = "application/problem+json"

// problem writes what is no result (RFC 9457).
func problem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"title": http.StatusText(status), "status": status, "detail": detail})
}

type bearerKey struct{}

// caller is who sent a request, and from where.
type caller struct {
	token.Token
	ip string
}

func withBearer(ctx context.Context, t token.Token, remote string) context.Context {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	return context.WithValue(ctx, bearerKey{}, caller{t, host})
}

// callerOf is the caller of a request that came in; nobody else's context holds one.
func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(bearerKey{}).(caller)
	return c
}

// actor is how the caller stands in results.
func (c *caller) actor() *call.Actor {
	return &call.Actor{Type: "client", ID: c.ActorID(), Name: c.Name}
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
		c, ours := ctx.Value(bearerKey{}).(caller)
		if !ours {
			if next != nil {
				return next.Authorize(ctx, a)
			}
			if !a.Spec.RequiresAdmin && len(a.Spec.Scopes) == 0 {
				return nil
			}
			return &runtime.DeniedError{Unproven: a.Actor == nil, Scopes: a.Spec.Scopes}
		}
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
