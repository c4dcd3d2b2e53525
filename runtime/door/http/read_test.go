package http_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"vcp.core/runtime/door/token"
	"vcp.core/runtime/record"
)

// Lists take Tool.Command where they take a tool, as the command line does.
func TestListsOfOneCommand(t *testing.T) {
	h := open(t)
	bearer := h.token(t, "ann", token.Call, token.AuditRead)
	for _, body := range []string{`{"tool":"T","command":"Echo"}`, `{"tool":"T","command":"Page"}`, `{"tool":"T.Echo","command":"Page"}`, `{"tool":"U","command":"Echo"}`} {
		h.post(t, bearer, body)
	}
	for _, tt := range []struct {
		path, key string
		count     int
	}{
		{"/v1/audit?tool=T", `"invocationId"`, 2}, {"/v1/audit?tool=T.Echo", `"invocationId"`, 2}, {"/v1/audit?tool=T.Page", `"invocationId"`, 1},
		{"/v1/audit?tool=T.Page&command=Page", `"invocationId"`, 1}, {"/v1/audit?tool=T.Echo&command=Page", `"invocationId"`, 0},
		{"/v1/audit?tool=T.Page&command=Echo", `"invocationId"`, 0}, {"/v1/audit?tool=T.Nothing", `"invocationId"`, 0},
		{"/v1/tools?tool=T", `"inputSchema"`, 7}, {"/v1/tools?tool=T.Echo", `"inputSchema"`, 1}, {"/v1/tools?tool=T.Nothing", `"inputSchema"`, 0}, {"/v1/tools?tool=T.", `"inputSchema"`, 0},
	} {
		got := h.do(t, bearer, http.MethodGet, tt.path, "")
		if n := strings.Count(got.body, tt.key); got.StatusCode != http.StatusOK || n != tt.count {
			t.Errorf("%s: %s, %d of them, expected %d\n%s", tt.path, got.Status, n, tt.count, got.body)
		}
	}
}

// What a list is asked for twice, or for no time at all, is told instead of answered by something else.
func TestSelectionsThatMeanNothing(t *testing.T) {
	h := open(t)
	bearer := h.token(t, "ann", token.Call, token.AuditRead, token.ResultsRead)
	for _, tt := range []struct {
		path, place string
		status      int
	}{
		{"/v1/audit?status=error&status=timeout", "query.status", 400}, {"/v1/audit?limit=1&limit=2", "query.limit", 400}, {"/v1/tools?tool=T&tool=U", "query.tool", 400},
		{"/v1/results/tr_1?view=ai&view=human", "query.view", 400},
		{"/v1/audit?from=2026-07-12T10:00:00Z&to=2026-07-12T10:00:00Z", "query.to", 400}, {"/v1/audit?from=2026-07-13T00:00:00Z&to=2026-07-12T23:00:00-05:00", "", 200},
		{"/v1/audit?from=2026-07-13T00:00:00Z&to=2026-07-12T00:00:00Z", "query.to", 400}, {"/v1/audit?to=2026-07-12T00:00:00Z", "", 200},
		{"/v1/audit?from=2026-07-12T00:00:00Z", "", 200},
	} {
		got := h.do(t, bearer, http.MethodGet, tt.path, "")
		if got.StatusCode != tt.status || tt.place != "" && !strings.Contains(got.body, `"location":"`+tt.place+`"`) {
			t.Errorf("%s: %s %s", tt.path, got.Status, got.body)
		}
	}
}

// A result is found by the id of its record as well, as on the command line, by those who may see it.
func TestResultByRecord(t *testing.T) {
	h := open(t)
	ann, bob := h.token(t, "ann", token.Call, token.ResultsRead), h.token(t, "bob", token.ResultsRead)
	made := h.post(t, ann, `{"tool":"T","command":"Echo","arguments":{"a":1}}`)
	id := unquoted(at(t, made.body, "/execution/recordId"))
	if got := h.do(t, ann, http.MethodGet, "/v1/results/"+id, ""); got.StatusCode != http.StatusOK || got.body != made.body {
		t.Errorf("%s: %s %s", id, got.Status, got.body)
	}
	for _, tt := range []struct{ bearer, id string }{{bob, id}, {ann, id[:len(id)-1]}, {ann, "tcr_"}} {
		if got := h.do(t, tt.bearer, http.MethodGet, "/v1/results/"+tt.id, ""); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s %s", tt.id, got.Status, got.body)
		}
	}
	if _, err := h.store.Prune(t.Context(), record.Retention{ResultsBefore: time.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if got := h.do(t, ann, http.MethodGet, "/v1/results/"+id, ""); got.StatusCode != http.StatusNotFound {
		t.Errorf("a result that is not kept: %s %s", got.Status, got.body)
	}
}

// A body that is packed is told to be, not taken for broken JSON.
func TestPackedBody(t *testing.T) {
	h := open(t)
	bearer := h.token(t, "ann", token.Call)
	for coding, want := range map[string]int{"gzip": 415, "br": 415, "identity": 200, "Identity": 200} {
		got := h.post(t, bearer, `{"tool":"T","command":"Echo"}`, "Content-Encoding", coding)
		if got.StatusCode != want || want == 415 && (!strings.Contains(got.body, "Content-Encoding") || got.Header.Get("Accept-Encoding") != "identity") {
			t.Errorf("%s: %s %s", coding, got.Status, got.body)
		}
	}
}
