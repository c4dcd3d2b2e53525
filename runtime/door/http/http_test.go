package http_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/protocol"
	"vcp.core/gen/resolve"
	"vcp.core/runtime"
	"vcp.core/runtime/blob/disk"
	door "vcp.core/runtime/door/http"
	"vcp.core/runtime/door/token"
	"vcp.core/runtime/record"
	"vcp.core/runtime/record/recordtest"
)

type registry []*call.Spec

func (r registry) Lookup(tool, command string) (spec *call.Spec, known bool) {
	for _, s := range r {
		if s.Tool == tool {
			known = true
			if s.Command == command {
				return s, true
			}
		}
	}
	return nil, known
}

func (r registry) Specs() []*call.Spec { return r }

func compile(t testing.TB, text string) call.Validator {
	t.Helper()
	file, list := load.Parse("schema.json", []byte(text), wire.Limits{})
	root, more := resolve.Resolve(file, nil, resolve.Options{Registry: protocol.Registry()})
	program, rest := ir.Lower([]*resolve.Schema{root}, ir.Options{})
	if n := len(list) + len(more) + len(rest); n > 0 {
		t.Fatal(list, more, rest)
	}
	return live.Compile(program).Root(0)
}

// house is a door with all that stands behind it.
type house struct {
	*httptest.Server
	door   *door.Door
	store  *recordtest.Memory
	tokens *token.File
	calls  atomic.Int64
	goOn   chan struct{} // closed: Slow ends with a success

	runtime *runtime.Runtime
	tools   call.Registry
}

const picture = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB`\x82"

func open(t testing.TB) *house {
	t.Helper()
	h := &house{tokens: token.Open(filepath.Join(t.TempDir(), "data", "tokens.json")), goOn: make(chan struct{})}
	var db recordtest.Database
	h.store = db.Open()
	command := func(name string, change func(*call.Spec)) *call.Spec {
		s := &call.Spec{
			Tool: "T", DisplayName: "Tool", Version: "1.2.3", Command: name, Kind: call.Synchronous, Protocol: "direct", Effect: call.Read,
			Timeout: time.Minute, Grace: time.Minute, Discriminator: "command", Input: compile(t, `true`), Output: compile(t, `true`), InputSchema: []byte(`{"a":"<&>"}`),
		}
		if change != nil {
			change(s)
		}
		return s
	}
	tools := registry{
		command("Echo", nil), command("Slow", nil), command("Picture", nil), command("Page", nil), command("Fail", nil),
		command("Admin", func(s *call.Spec) { s.RequiresAdmin = true }),
		command("Scoped", func(s *call.Spec) { s.Scopes = []string{"garden", "house"} }),
	}
	handler := call.HandlerFunc(func(ctx context.Context, in call.Invocation) ([]byte, error) {
		h.calls.Add(1)
		draft := func(name, uri string) string {
			return `[{"id":"p","kind":"document","role":"output","fileName":"` + name + `","dataUri":"` + uri + `"}]`
		}
		resources, data := "[]", string(in.Arguments)
		switch in.Command {
		case "Slow":
			select {
			case <-h.goOn:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		case "Fail":
			return nil, errors.New("broken")
		case "Page":
			resources, data = draft("page.html", "data:text/html,%3Cscript%3Ealert(1)%3C/script%3E"), `{"$resource":"p"}`
		case "Picture":
			resources = strings.Replace(draft(`pic \"1\".png`, "data:image/png,"+percent(picture)), "document", "image", 1)
			data = `{"$resource":"p"}`
		}
		return []byte(`{"status":"success","data":` + data + `,"resources":` + resources + `,"warnings":[],"extensions":{}}`), nil
	})
	blobs, err := disk.New(filepath.Join(t.TempDir(), "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	rt := runtime.New(tools, runtime.Bind("T", handler), runtime.Records(h.store), runtime.Resources(blobs), runtime.DataDir(t.TempDir()), runtime.Authorize(door.Authorize(nil)))
	h.runtime, h.tools = rt, tools
	h.door = door.New(door.Options{
		Runtime: rt, Registry: func() call.Registry { return tools }, Tokens: h.tokens, Records: h.store, Version: "1",
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "calls 1\n") }),
	})
	h.Server = httptest.NewServer(h.door)
	t.Cleanup(func() {
		h.Close()
		if err := rt.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h
}

func percent(s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, "%%%02x", s[i])
	}
	return b.String()
}

// token makes a token with scopes.
func (h *house) token(t testing.TB, name string, scopes ...string) string {
	t.Helper()
	text, _, err := h.tokens.Create(name, scopes, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

type reply struct {
	*http.Response
	body string
}

func (h *house) do(t testing.TB, bearer, method, path, body string, headers ...string) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, h.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if bearer != "" {
		r.Header.Set("Authorization", "Bearer "+bearer)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := h.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close() //nolint:errcheck // read whole
	src, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res, string(src)}
}

func (h *house) post(t testing.TB, bearer, body string, headers ...string) reply {
	t.Helper()
	return h.do(t, bearer, http.MethodPost, "/v1/human/tool", body, headers...)
}

// at reads a value by its JSON Pointer.
func at(t testing.TB, text, pointer string) string {
	t.Helper()
	var tape wire.Tape
	if err := tape.Scan([]byte(text), wire.Limits{}); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if i, ok := tape.Lookup(pointer); ok {
		return string(tape.Raw(i))
	}
	return ""
}

func unquoted(s string) string { return strings.Trim(s, `"`) }

// Each path without a token, with a wrong one, and with one that lacks the scope; nothing runs.
func TestNothingBeforeAuthentication(t *testing.T) {
	h := open(t)
	none := h.token(t, "none")
	for _, path := range []string{"POST /v1/human/tool", "GET /v1/tools", "GET /v1/results/tr_1", "GET /v1/resources/res_1", "GET /v1/audit", "GET /metrics", "GET /nothing", "PUT /v1/tools"} {
		method, place, _ := strings.Cut(path, " ")
		for _, bearer := range []string{"", "x", "vcp_", none + "x", none[:len(none)-1], strings.Replace(none, "vcp_", "vcp_0", 1), strings.Repeat("a", 10000)} {
			got := h.do(t, bearer, method, place, `{"tool":"T","command":"Echo"}`)
			if got.StatusCode != http.StatusUnauthorized || !strings.HasPrefix(got.Header.Get("WWW-Authenticate"), "Bearer") || got.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s with %.20q: %s %s", path, bearer, got.Status, got.body)
			}
		}
		want := http.StatusForbidden
		switch path {
		case "GET /nothing":
			want = http.StatusNotFound
		case "PUT /v1/tools":
			want = http.StatusMethodNotAllowed
		}
		if got := h.do(t, none, method, place, `{"tool":"T","command":"Echo"}`); got.StatusCode != want {
			t.Errorf("%s without a scope: %s %s, want %d", path, got.Status, got.body, want)
		}
	}
	if h.calls.Load() != 0 {
		t.Error("something ran")
	}
	for _, path := range []string{"/healthz", "/readyz", "/openapi.json"} {
		if got := h.do(t, "", http.MethodGet, path, ""); got.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, got.Status)
		}
	}
}

// A token that is revoked is worth nothing at the next request.
func TestRevoked(t *testing.T) {
	h := open(t)
	bearer := h.token(t, "a", token.Call)
	if got := h.post(t, bearer, `{"tool":"T","command":"Echo"}`); got.StatusCode != http.StatusOK {
		t.Fatal(got.body)
	}
	if err := token.Open(h.tokens.Path()).Revoke("a"); err != nil {
		t.Fatal(err)
	}
	if got := h.post(t, bearer, `{"tool":"T","command":"Echo"}`); got.StatusCode != http.StatusUnauthorized {
		t.Error(got.Status)
	}
}

// A result is the canonical one, byte for byte what is stored, and numbers stay as they were sent.
func TestCall(t *testing.T) {
	h := open(t)
	bearer := h.token(t, "Ann", token.Call, token.ResultsRead)
	got := h.post(t, bearer, ` {"tool":"T", "command":"Echo","arguments":{"n":9007199254740993, "x":1.10,"s":"\u0041<&>"}}`, "Content-Type", "application/json")
	if got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "application/json" {
		t.Fatal(got.Status, got.body)
	}
	if data := at(t, got.body, "/data"); data != `{"n":9007199254740993,"x":1.10,"s":"\u0041<&>"}` {
		t.Errorf("data %s", data)
	}
	if verdict, violations, err := protocol.Validator(schema.Result).Check([]byte(got.body), wire.Limits{}); err != nil || verdict != wire.Valid {
		t.Errorf("no canonical result: %v %v", err, violations)
	}
	if at(t, got.body, "/origin/source") != `"human-tool"` || at(t, got.body, "/actor/name") != `"Ann"` || strings.Contains(got.body, "127.0.0.1") {
		t.Errorf("%s", got.body)
	}
	again := h.do(t, bearer, http.MethodGet, "/v1/results/"+unquoted(at(t, got.body, "/id")), "")
	if again.StatusCode != http.StatusOK || again.body != got.body {
		t.Errorf("%s %s\nwant %s", again.Status, again.body, got.body)
	}
	// Every view is there, and says what it is.
	for name, media := range map[string]string{"canonical": "application/json", "human": "application/json", "ai": "text/markdown; charset=utf-8", "bridge": "application/json", "audit": "application/json"} {
		by := h.do(t, bearer, http.MethodGet, "/v1/results/"+unquoted(at(t, got.body, "/id"))+"?view="+name, "")
		posted := h.post(t, bearer, `{"tool":"T","command":"Echo","options":{"view":"`+name+`"}}`)
		if by.StatusCode != http.StatusOK || by.Header.Get("Content-Type") != media || posted.Header.Get("Content-Type") != media {
			t.Errorf("%s: %s %s, %s", name, by.Status, by.Header.Get("Content-Type"), posted.Header.Get("Content-Type"))
		}
	}
}

func TestStatusCodes(t *testing.T) {
	h := open(t)
	plain := h.token(t, "plain", token.Call)
	garden := h.token(t, "garden", token.Call, "garden", "house")
	admin := h.token(t, "admin", token.Admin)
	for _, tt := range []struct {
		name, bearer, body string
		status             int
		code               string
	}{
		{"unknown tool", plain, `{"tool":"No"}`, 200, "TOOL_NOT_FOUND"},
		{"unknown command", plain, `{"tool":"T","command":"No"}`, 200, "UNKNOWN_COMMAND"},
		{"failing", plain, `{"tool":"T","command":"Fail"}`, 200, "INTERNAL_ERROR"},
		{"timeout", plain, `{"tool":"T","command":"Slow","options":{"timeoutMs":20}}`, 200, "TOOL_TIMEOUT"},
		{"command inside", plain, `{"tool":"T","arguments":{"command":"Slow"},"options":{"timeoutMs":20}}`, 200, "TOOL_TIMEOUT"},
		{"admin", plain, `{"tool":"T","command":"Admin"}`, 403, "FORBIDDEN"},
		{"scopes", plain, `{"tool":"T","command":"Scoped"}`, 403, "FORBIDDEN"},
		{"scopes given", garden, `{"tool":"T","command":"Scoped"}`, 200, ""},
		{"admin given", admin, `{"tool":"T","command":"Admin"}`, 200, ""},
	} {
		got := h.post(t, tt.bearer, tt.body)
		if got.StatusCode != tt.status || unquoted(at(t, got.body, "/error/code")) != tt.code {
			t.Errorf("%s: %s %s", tt.name, got.Status, got.body)
		}
	}
	before := h.calls.Load()
	for _, tt := range []struct {
		name, body, detail string
		status             int
	}{
		{"empty", ``, "", 400}, {"no JSON", `{`, "", 400}, {"two", `{"tool":"T"}{}`, "", 400}, {"twice", `{"tool":"T","tool":"T"}`, "", 400},
		{"not UTF-8", "{\"tool\":\"\xff\"}", "", 400}, {"no tool", `{}`, "body#", 400}, {"a list", `[]`, "body#", 400}, {"text", `{"tool":"T","arguments":"{}"}`, "body#/arguments", 400},
		{"unknown member", `{"tool":"T","args":{}}`, "body#/args", 400}, {"unknown view", `{"tool":"T","options":{"view":"poster"}}`, "body.options.view", 400},
		{"deep", `{"tool":"T","arguments":` + strings.Repeat(`{"a":`, 2000) + `1` + strings.Repeat(`}`, 2001), "", 400},
		{"large", `{"tool":"T","arguments":{"a":"` + strings.Repeat("x", 5<<20) + `"}}`, "", 413},
	} {
		got := h.post(t, plain, tt.body)
		if got.StatusCode != tt.status || got.Header.Get("Content-Type") != "application/problem+json" || !strings.Contains(got.body, tt.detail) {
			t.Errorf("%s: %s %.300s", tt.name, got.Status, got.body)
		}
	}
	if got := h.post(t, plain, `{"tool":"T"}`, "Content-Type", "text/plain"); got.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("text/plain: %s %s", got.Status, got.body)
	}
	if h.calls.Load() != before {
		t.Error("something ran")
	}
}

// Results, resources and audit records are for those whom they concern.
func TestWhoSeesWhat(t *testing.T) {
	h := open(t)
	ann, bob := h.token(t, "ann", token.Call, token.ResultsRead), h.token(t, "bob", token.Call, token.ResultsRead)
	all, auditor := h.token(t, "all", token.ResultsAll), h.token(t, "auditor", token.AuditRead)
	got := h.post(t, ann, `{"tool":"T","command":"Picture"}`)
	id, res := unquoted(at(t, got.body, "/id")), unquoted(at(t, got.body, "/resources/0/id"))
	if res == "" {
		t.Fatal(got.body)
	}
	for _, tt := range []struct {
		name, bearer, path string
		status             int
	}{
		{"own", ann, "/v1/results/" + id, 200}, {"own", ann, "/v1/resources/" + res, 200},
		{"another's", bob, "/v1/results/" + id, 404}, {"another's", bob, "/v1/resources/" + res, 404},
		{"everybody's", all, "/v1/results/" + id, 200}, {"everybody's", all, "/v1/resources/" + res, 200},
		{"audit only", auditor, "/v1/results/" + id, 403}, {"audit only", auditor, "/v1/resources/" + res, 403},
		{"none", ann, "/v1/results/tr_01J8Z6Q4M2X7C9V3K5T1W0R001", 404}, {"none", ann, "/v1/results/x%00y", 404}, {"none", ann, "/v1/resources/..%2f..%2fetc", 404},
		{"view", ann, "/v1/results/" + id + "?view=poster", 400},
		{"audit", ann, "/v1/audit", 403}, {"audit", auditor, "/v1/audit", 200}, {"place", auditor, "/v1/audit?after=x", 400}, {"limit", auditor, "/v1/audit?limit=0", 400},
		{"metrics", ann, "/metrics", 403}, {"metrics", h.token(t, "m", token.MetricsRead), "/metrics", 200},
	} {
		if got := h.do(t, tt.bearer, http.MethodGet, tt.path, ""); got.StatusCode != tt.status {
			t.Errorf("%s %s: %s %s", tt.name, tt.path, got.Status, got.body)
		}
	}
	// A name that is given again is somebody else.
	if err := h.tokens.Revoke("ann"); err != nil {
		t.Fatal(err)
	}
	if got := h.do(t, h.token(t, "ann", token.ResultsRead), http.MethodGet, "/v1/results/"+id, ""); got.StatusCode != http.StatusNotFound {
		t.Errorf("the next ann sees %s", got.body)
	}
}

// Bytes come as they are, in parts too, and no page of a tool's runs as ours.
func TestResources(t *testing.T) {
	h := open(t)
	bearer := h.token(t, "a", token.Call, token.ResultsRead)
	pic := unquoted(at(t, h.post(t, bearer, `{"tool":"T","command":"Picture"}`).body, "/resources/0/id"))
	page := unquoted(at(t, h.post(t, bearer, `{"tool":"T","command":"Page"}`).body, "/resources/0/id"))
	got := h.do(t, bearer, http.MethodGet, "/v1/resources/"+pic, "")
	if got.body != picture || got.Header.Get("Content-Type") != "image/png" || !strings.HasPrefix(got.Header.Get("Content-Disposition"), "inline; ") ||
		got.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(got.Header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%s %v", got.Status, got.Header)
	}
	if got := h.do(t, bearer, http.MethodGet, "/v1/resources/"+pic, "", "Range", "bytes=1-3"); got.StatusCode != http.StatusPartialContent || got.body != "PNG" {
		t.Errorf("%s %q", got.Status, got.body)
	}
	if got := h.do(t, bearer, http.MethodGet, "/v1/resources/"+pic, "", "If-None-Match", got.Header.Get("ETag")); got.StatusCode != http.StatusNotModified {
		t.Errorf("%s", got.Status)
	}
	if got := h.do(t, bearer, http.MethodGet, "/v1/resources/"+page, ""); !strings.HasPrefix(got.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%v", got.Header)
	}
}

func TestAudit(t *testing.T) {
	h := open(t)
	bearer := h.token(t, "a", token.Call, token.AuditRead)
	for range 5 {
		h.post(t, bearer, `{"tool":"T","command":"Echo","arguments":{"quiet":1}}`)
	}
	h.post(t, bearer, `{"tool":"T","command":"Fail"}`)
	seen, after := 0, ""
	for range 4 {
		got := h.do(t, bearer, http.MethodGet, "/v1/audit?limit=2&status=success&tool=T&after="+after, "")
		var page struct {
			Records []map[string]any
			Next    *string
		}
		if err := json.Unmarshal([]byte(got.body), &page); err != nil {
			t.Fatal(err, got.body)
		}
		seen += len(page.Records)
		if strings.Contains(got.body, "quiet") || !strings.Contains(got.body, "127.0.0.1") {
			t.Errorf("%s", got.body)
		}
		if page.Next == nil {
			break
		}
		after = *page.Next
	}
	if seen != 5 {
		t.Errorf("%d records, want 5", seen)
	}
	h.store.Fail = func(string) error { return &record.UnavailableError{Err: errors.New("gone")} }
	if got := h.do(t, bearer, http.MethodGet, "/v1/audit", ""); got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%s", got.Status)
	}
}

// The key of a request makes calls one.
func TestIdempotencyKey(t *testing.T) {
	h := open(t)
	bearer := h.token(t, "a", token.Call)
	first := h.post(t, bearer, `{"tool":"T","command":"Echo"}`, "Idempotency-Key", "k")
	second := h.post(t, bearer, `{"tool":"T","command":"Echo"}`, "Idempotency-Key", "k")
	if first.body != second.body || h.calls.Load() != 1 {
		t.Errorf("%d calls\n%s\n%s", h.calls.Load(), first.body, second.body)
	}
}

// A door that drains ends what runs and takes nothing new.
func TestDrain(t *testing.T) {
	h := open(t)
	bearer := h.token(t, "a", token.Call)
	ended := make(chan reply)
	go func() { ended <- h.post(t, bearer, `{"tool":"T","command":"Slow"}`) }()
	for h.calls.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	h.door.Drain()
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if h.door.Idle(short) == nil {
		t.Error("it is idle while a call runs")
	}
	if got := h.post(t, bearer, `{"tool":"T","command":"Echo"}`); got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%s", got.Status)
	}
	if got := h.do(t, "", http.MethodGet, "/readyz", ""); got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%s", got.Status)
	}
	close(h.goOn)
	if got := <-ended; got.StatusCode != http.StatusOK || at(t, got.body, "/status") != `"success"` {
		t.Errorf("%s %s", got.Status, got.body)
	}
	long, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := h.door.Idle(long); err != nil {
		t.Error("it is not idle when all has ended")
	}
}

// More requests than a door takes are asked to come again, and let in when others have left.
func TestFull(t *testing.T) {
	h := open(t)
	h.door = door.New(door.Options{Runtime: h.runtime, Registry: func() call.Registry { return h.tools }, Tokens: h.tokens, Records: h.store, MaxRequests: 2})
	h.Server = httptest.NewServer(h.door)
	t.Cleanup(h.Close)
	bearer := h.token(t, "a", token.Call)
	ended := make(chan reply)
	for range 2 {
		go func() { ended <- h.post(t, bearer, `{"tool":"T","command":"Slow"}`) }()
	}
	for h.calls.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	got := h.post(t, bearer, `{"tool":"T","command":"Echo"}`)
	if got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" || !strings.Contains(got.body, "2 requests") {
		t.Errorf("%s %v %s", got.Status, got.Header, got.body)
	}
	if got := h.do(t, "", http.MethodGet, "/readyz", ""); got.StatusCode != http.StatusOK {
		t.Errorf("a full door is not ready: %s", got.Status)
	}
	close(h.goOn)
	for range 2 {
		<-ended
	}
	if got := h.post(t, bearer, `{"tool":"T","command":"Echo"}`); got.StatusCode != http.StatusOK {
		t.Errorf("%s %s", got.Status, got.body)
	}
}

// What cannot be asked is said to be so, in the form of every refusal: a mistyped filter must not show everything.
func TestWrongQuestions(t *testing.T) {
	h := open(t)
	bearer := h.token(t, "a", token.Call, token.ResultsRead, token.AuditRead)
	for _, tt := range []struct {
		method, path, place string
		status              int
	}{
		{http.MethodGet, "/v1/audit?tol=T", "query.tol", 400}, {http.MethodGet, "/v1/tools?command=Echo", "query.command", 400},
		{http.MethodGet, "/v1/results/tr_0?veiw=ai", "query.veiw", 400}, {http.MethodPost, "/v1/human/tool?tool=T", "query.tool", 400},
		{http.MethodGet, "/v1/audit?from=yesterday", "RFC 3339", 400}, {http.MethodGet, "/v1/audit?to=2026-07-12", "query.to", 400},
		{http.MethodGet, "/v1/nothing", "/openapi.json", 404}, {http.MethodGet, "/", "/openapi.json", 404},
		{http.MethodGet, "/v1/human/tool", "POST", 405}, {http.MethodDelete, "/v1/tools", "GET, HEAD", 405},
	} {
		got := h.do(t, bearer, tt.method, tt.path, "")
		if got.StatusCode != tt.status || got.Header.Get("Content-Type") != "application/problem+json" || !strings.Contains(got.body, tt.place) {
			t.Errorf("%s %s: %s %s", tt.method, tt.path, got.Status, got.body)
		}
		if allow := got.Header.Get("Allow"); (allow != "") != (tt.status == 405) {
			t.Errorf("%s %s: allowed is %q", tt.method, tt.path, allow)
		}
	}
	if got := h.do(t, bearer, http.MethodGet, "/v1/audit?from=2026-07-12T10:00:00%2B08:00&to=2036-07-12T10:00:00.5Z&limit=3", ""); got.StatusCode != http.StatusOK {
		t.Errorf("times: %s %s", got.Status, got.body)
	}
}

// Whoever runs the door reads who was turned away, and not what he brought.
func TestRefusalsAreLogged(t *testing.T) {
	var log strings.Builder
	tokens := token.Open(filepath.Join(t.TempDir(), "tokens.json"))
	weak, made, err := tokens.Create("weak", []string{token.MetricsRead}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	d := door.New(door.Options{Tokens: tokens, Logger: slog.New(slog.NewTextHandler(&log, nil)), Registry: func() call.Registry { return registry{} }})
	for _, bearer := range []string{"", "vcp_000000000000_wrong", weak} {
		log.Reset()
		r := httptest.NewRequest(http.MethodGet, "/v1/audit", nil)
		if bearer != "" {
			r.Header.Set("Authorization", "Bearer "+bearer)
		}
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		for _, want := range []string{"level=WARN", "path=/v1/audit", "from=192.0.2.1:1234", fmt.Sprintf("status=%d", w.Code)} {
			if !strings.Contains(log.String(), want) || w.Code < 401 || w.Code > 403 {
				t.Errorf("%q: no %s in %s", bearer, want, &log)
			}
		}
		if bearer != "" && strings.Contains(log.String(), bearer) || (bearer == weak) != strings.Contains(log.String(), "token="+made.ID) {
			t.Errorf("%q: %s", bearer, &log)
		}
	}
}
