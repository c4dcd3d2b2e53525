// Package http is the first door: tools over HTTP, for people's programs (specification §9.1).
//
//	POST /v1/human/tool          run a command; one canonical result, tool failures too
//	GET  /v1/tools               what can be called
//	GET  /v1/results/{id}?view=  a recorded result, as a view
//	GET  /v1/resources/{id}      the bytes of a resource of a recorded result
//	GET  /v1/audit               the audit records, newest first, page by page
//	GET  /healthz  /readyz       whether the process lives, and whether it takes calls: reads its store and its tokens
//	GET  /metrics                for Prometheus
//	GET  /openapi.json           this, as OpenAPI 3.1
//
// Data flow of a call: bearer token -> body (limit, ingest rules, call-request schema) -> [call.Executor] -> policy and
// presenter of the view -> response. Nothing is read of a request before its token was checked. A call that is as it should
// be is read without huma, in short.go; everything else is huma's, mistakes too.
//
// # Status codes
//
// 200 a result, whatever its status, but for: 401 UNAUTHORIZED and 403 FORBIDDEN, which are results as well. Without a
// result: 400 the request is wrong, 401 no valid token, 403 the token lacks a scope, 404 nothing is there that the
// token may see, 405 the method, 413 and 415 the body, 503 the door is closing or full, or the store does not answer, 500 a result that
// cannot be shown.
// What is no result is application/problem+json (RFC 9457).
//
// The package keeps nothing, decides no permission of a command (the token's scopes stand in the call's actor, an
// authorizer judges: [Authorize]), and never shows what policy hides.
package http

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"vcp.core/contract/call"
	"vcp.core/runtime/door/token"
	"vcp.core/runtime/record"
)

// Runtime is what runs calls; a [*vcp.core/runtime.Runtime] does.
type Runtime interface {
	call.Executor
	// Resource opens the bytes of a resource by its sha256.
	Resource(ctx context.Context, sha256 string) (io.ReadSeekCloser, error)
}

// Tokens tells who a bearer is; a [*token.File] does. An error says that it cannot tell.
type Tokens interface {
	Check(text string) (token.Token, bool, error)
}

// Options are what a door stands before. Runtime, Registry and Tokens must be set.
type Options struct {
	Runtime  Runtime
	Registry func() call.Registry // the current one
	Tokens   Tokens
	Records  record.Store // nil: there are no results and no audit records to read
	Metrics  http.Handler // nil: 404
	// OpenMetrics lets everybody read the metrics, who can reach the door. Else a token with metrics:read is needed.
	OpenMetrics bool
	Logger      *slog.Logger // nil: silence
	Version     string       // of the program
	MaxBody     int64        // bytes of a request, 0 is 4 MiB for the arguments and 64 KiB for the rest
	// MaxRequests is how many requests of token holders are at work at a time, 0 is 256: with MaxBody, a bound on what
	// they hold. Others are asked to come again.
	MaxRequests int
}

// maxBody is the default of Options.MaxBody.
const maxBody = 4<<20 + 64<<10

// maxRequests is the default of Options.MaxRequests.
const maxRequests = 256

// bodyWait is how long the body of a request may take, unreadWait how long one that nobody reads: net/http passes over
// what is left of it, after the answer, and without a limit of its own.
const (
	bodyWait   = 30 * time.Second
	unreadWait = time.Second
)

// Door is the handler of all paths.
type Door struct {
	o         Options
	mux       *http.ServeMux
	api       huma.API
	readiness readiness

	mu      sync.Mutex
	closing bool
	working int           // requests that were let in and are not answered
	idle    chan struct{} // closed when the door is closing and nothing is at work
}

var _ http.Handler = (*Door)(nil)

// New makes a door.
func New(o Options) *Door {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.MaxBody <= 0 {
		o.MaxBody = maxBody
	}
	if o.MaxRequests <= 0 {
		o.MaxRequests = maxRequests
	}
	d := &Door{o: o, mux: http.NewServeMux(), idle: make(chan struct{}), readiness: readiness{store: o.Records, tokens: o.Tokens, log: o.Logger}}
	config := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "VCP tools", Version: o.Version,
				Description: "Runs the commands of plugins. Every call that was understood ends in one canonical result, failures too.",
			},
			Components: &huma.Components{
				Schemas:         huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer),
				SecuritySchemes: map[string]*huma.SecurityScheme{"bearer": {Type: "http", Scheme: "bearer", Description: "A token of vcp token create."}},
			},
			Security: []map[string][]string{{"bearer": {}}},
			Servers:  []*huma.Server{{URL: "/"}},
		},
		Formats:       map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat},
		DefaultFormat: "application/json",
		Transformers:  []huma.Transformer{blame},
	}
	d.api = humago.New(d.mux, config)
	d.api.UseMiddleware(d.known)
	d.routes()
	d.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok") })
	d.mux.HandleFunc("GET /readyz", d.ready)
	d.mux.HandleFunc("GET /openapi.json", d.describe)
	d.mux.HandleFunc("GET /v1/resources/{id}", d.resource)
	if o.Metrics != nil {
		d.mux.Handle("GET /metrics", o.Metrics)
	}
	return d
}

// Drain makes the door refuse calls from now on (503) and tell so at /readyz. Calls in flight are not touched.
func (d *Door) Drain() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closing {
		d.closing = true
		d.rest()
	}
}

// Idle waits until a door that drains has nothing at work, or until the context ends. Keep the listener open until then:
// who asks in the meantime is told that the service is closing, instead of not being answered.
func (d *Door) Idle(ctx context.Context) error {
	select {
	case <-d.idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enter lets a request in, unless the door is closing or full. Every request that was let in leaves.
func (d *Door) enter() *denial {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closing:
		return &denial{status: http.StatusServiceUnavailable, detail: "the service is closing", later: true}
	case d.working >= d.o.MaxRequests:
		return &denial{status: http.StatusServiceUnavailable, detail: fmt.Sprintf("%d requests are at work, which is the most at a time; try again", d.working), later: true}
	}
	d.working++
	return nil
}

func (d *Door) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.working--
	d.rest()
}

// rest tells who waits for the end that it is there. The lock is held.
func (d *Door) rest() {
	if d.closing && d.working == 0 {
		close(d.idle)
	}
}

func (d *Door) draining() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.closing
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}

// nosniff is a header of every answer. Nobody changes the list.
var nosniff = []string{"nosniff"}

// ServeHTTP lets in who may come in.
func (d *Door) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w := newPaced(rw)
	defer d.broken(w, r)
	defer d.refused(w, r)
	w.Header()["X-Content-Type-Options"] = nosniff
	if d.open(r) {
		w.begin(r)
		d.mux.ServeHTTP(w, r)
		return
	}
	bearer, no := d.authenticate(r)
	w.bearer = bearer.ID
	if no == nil {
		no = d.enter()
	}
	if no != nil {
		w.begin(r)
		no.write(w)
		return
	}
	defer d.leave()
	v := visitOf(r, bearer)
	rest := r.Body
	if bearer.Has(token.Call) && d.isPlain(r) {
		if rest = d.short(w, r, v); rest == nil { //nolint:contextcheck // v is the context
			return
		}
	}
	w.begin(r)
	if d.nowhere(w, r) {
		return
	}
	if r.Method == http.MethodPost {
		// isPlain leaves to this what it would refuse.
		if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
			w.Header().Set("Accept-Encoding", "identity") // RFC 9110, section 12.5.3
			problem(w, http.StatusUnsupportedMediaType, "a body is taken as it is, without Content-Encoding")
			return
		}
		w.Header().Del("Connection")
	}
	body := &noted{ReadCloser: rest}
	r = r.WithContext(v) //nolint:contextcheck // it is made of the request's
	r.Body = body
	d.mux.ServeHTTP(blaming{w, body}, r)
}

// broken is deferred: one request that breaks the door must not end the process for everybody. An answer that has begun is
// cut off, so that nobody takes it for a whole one.
func (d *Door) broken(w *paced, r *http.Request) {
	v := recover()
	if v == nil {
		return
	}
	if v != http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
		d.o.Logger.LogAttrs(r.Context(), slog.LevelError, "the door panicked", slog.String("path", r.URL.Path), slog.Any("panic", v))
		if !w.begun {
			w.begin(r)
			problem(w, http.StatusInternalServerError, "the door broke down")
			return
		}
	}
	panic(http.ErrAbortHandler)
}

// refused is deferred: it logs requests that were turned away. Of calls the runtime tells.
func (d *Door) refused(w *paced, r *http.Request) {
	level := slog.LevelDebug
	switch {
	case w.status == http.StatusUnauthorized, w.status == http.StatusForbidden:
		level = slog.LevelWarn
	case w.status < 400 || w.status >= 500:
		return
	}
	if w.Header().Get("Content-Type") != problemType || !d.o.Logger.Enabled(r.Context(), level) {
		return
	}
	d.o.Logger.LogAttrs(r.Context(), level, "a request was refused", slog.Int("status", w.status), slog.String("method", r.Method),
		slog.String("path", record.Key(r.URL.Path)), slog.String("from", r.RemoteAddr), slog.String("token", w.bearer))
}

// nowhere answers requests that no path or method is there for, which the mux would in text.
func (d *Door) nowhere(w http.ResponseWriter, r *http.Request) bool {
	h, pattern := d.mux.Handler(r)
	if pattern != "" {
		return false
	}
	said := &silent{header: http.Header{}}
	h.ServeHTTP(said, r)
	switch said.status {
	case http.StatusMethodNotAllowed:
		w.Header()["Allow"] = said.header["Allow"]
		problem(w, said.status, "the path takes "+said.header.Get("Allow"))
	case http.StatusNotFound:
		problem(w, said.status, "there is no such path; /openapi.json lists them")
	default:
		return false
	}
	return true
}

// silent is a response that nobody gets.
type silent struct {
	header http.Header
	status int
}

// Header implements http.ResponseWriter.
func (s *silent) Header() http.Header { return s.header }

// WriteHeader implements http.ResponseWriter.
func (s *silent) WriteHeader(status int) { s.status = status }

// Write implements http.ResponseWriter.
func (s *silent) Write(src []byte) (int, error) { return len(src), nil }
