package http_test

import (
	"net/http"
	"strings"
	"testing"

	"vcp.core/runtime/door/token"
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
