package http_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/runtime/door/token"
)

// pointerTo is a path of the description as a JSON Pointer names it.
func pointerTo(path string) string {
	return "/paths/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(path)
}

// The description names every path; all that it refers to stands in it, and nothing else; it promises no status that is
// never sent, and says what a call looks like.
func TestOpenAPI(t *testing.T) {
	h := open(t)
	got := h.do(t, "", http.MethodGet, "/openapi.json", "")
	if at(t, got.body, "/openapi") != `"3.1.0"` {
		t.Fatalf("%.300s", got.body)
	}
	for _, path := range []string{"/v1/human/tool", "/v1/tools", "/v1/results/{id}", "/v1/audit", "/v1/resources/{id}"} {
		if at(t, got.body, pointerTo(path)) == "" {
			t.Errorf("%s is missing", path)
		}
	}
	var doc any
	if err := json.Unmarshal([]byte(got.body), &doc); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for name, e := range v {
				ref, isText := e.(string)
				switch {
				case name == "$id" && isText, name == "422", name == "name" && e == "Content-Type":
					t.Errorf("%s: %v", name, e)
				case name == "$ref" && isText:
					rest, inside := strings.CutPrefix(ref, "#/components/schemas/")
					if !inside || at(t, got.body, ref[1:]) == "" {
						t.Errorf("nothing is at %s", ref)
					}
					component, _, _ := strings.Cut(rest, "/")
					used[component] = true
				}
				walk(e)
			}
		}
	}
	walk(doc)
	there := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(at(t, got.body, "/components/schemas")), &there); err != nil {
		t.Fatal(err)
	}
	for name := range there {
		if !used[name] {
			t.Errorf("nobody refers to %s", name)
		}
	}
	if got := at(t, got.body, "/components/schemas/vcp-call-request/properties/arguments/additionalProperties"); got != "true" {
		t.Errorf("arguments may have members: %s", got)
	}
	for _, name := range []string{"vcp-result", "vcp-call-request", "vcp-bridge-envelope", "vcp-error", "Tool"} {
		if !used[name] {
			t.Errorf("%s is missing", name)
		}
	}
}

// What the door takes and sends is what its description says: that is all that a client of another make knows.
func TestOpenAPITellsTheTruth(t *testing.T) {
	h := open(t)
	bearer, none := h.token(t, "a", token.Call, token.ResultsRead, token.AuditRead), h.token(t, "none", token.MetricsRead)
	doc := h.do(t, "", http.MethodGet, "/openapi.json", "").body
	fits := func(pointer, body string) bool {
		t.Helper()
		s := at(t, doc, pointer)
		if s == "" {
			t.Fatalf("nothing is at %s", pointer)
		}
		text := strings.ReplaceAll(`{"$defs":`+at(t, doc, "/components/schemas")+`,"allOf":[`+s+`]}`, "#/components/schemas/", "#/$defs/")
		var tape wire.Tape
		if err := tape.Scan([]byte(body), wire.Limits{}); err != nil {
			t.Fatal(err)
		}
		return len(compile(t, text).Violations(&tape)) == 0
	}
	const call = `{"tool":"T","command":"Echo","arguments":{"a":1}}`
	for body, want := range map[string]bool{call: true, `{"tool":"T","options":{"view":"ai","timeoutMs":5}}`: true, `{"tol":"T"}`: false, `"T"`: false} {
		if got := fits(pointerTo("/v1/human/tool")+"/post/requestBody/content/application~1json/schema", body); got != want {
			t.Errorf("%s is a call: %v", body, got)
		}
	}
	id := unquoted(at(t, h.post(t, bearer, call).body, "/id"))
	for _, tt := range []struct{ name, bearer, method, path, of, body string }{
		{"a result", bearer, http.MethodPost, "/v1/human/tool", "/v1/human/tool", call},
		{"a failure", bearer, http.MethodPost, "/v1/human/tool", "/v1/human/tool", `{"tool":"T","command":"Fail"}`},
		{"a resource", bearer, http.MethodPost, "/v1/human/tool", "/v1/human/tool", `{"tool":"T","command":"Picture"}`},
		{"the view human", bearer, http.MethodPost, "/v1/human/tool", "/v1/human/tool", `{"tool":"T","command":"Echo","options":{"view":"human"}}`},
		{"the view bridge", bearer, http.MethodPost, "/v1/human/tool", "/v1/human/tool", `{"tool":"T","command":"Echo","options":{"view":"bridge"}}`},
		{"the view audit", bearer, http.MethodPost, "/v1/human/tool", "/v1/human/tool", `{"tool":"T","command":"Echo","options":{"view":"audit"}}`},
		{"forbidden", bearer, http.MethodPost, "/v1/human/tool", "/v1/human/tool", `{"tool":"T","command":"Admin"}`},
		{"no scope", none, http.MethodPost, "/v1/human/tool", "/v1/human/tool", call},
		{"no token", "", http.MethodPost, "/v1/human/tool", "/v1/human/tool", call},
		{"no call", bearer, http.MethodPost, "/v1/human/tool", "/v1/human/tool", `{"tol":"T"}`},
		{"tools", bearer, http.MethodGet, "/v1/tools", "/v1/tools", ""},
		{"a recorded result", bearer, http.MethodGet, "/v1/results/" + id, "/v1/results/{id}", ""},
		{"as an envelope", bearer, http.MethodGet, "/v1/results/" + id + "?view=bridge", "/v1/results/{id}", ""},
		{"no result", bearer, http.MethodGet, "/v1/results/tr_0", "/v1/results/{id}", ""},
		{"no view", bearer, http.MethodGet, "/v1/results/" + id + "?view=poster", "/v1/results/{id}", ""},
		{"audit records", bearer, http.MethodGet, "/v1/audit?limit=2", "/v1/audit", ""},
		{"the last page", bearer, http.MethodGet, "/v1/audit?limit=100", "/v1/audit", ""},
		{"no place", bearer, http.MethodGet, "/v1/audit?after=x", "/v1/audit", ""},
	} {
		got := h.do(t, tt.bearer, tt.method, tt.path, tt.body)
		media := strings.ReplaceAll(got.Header.Get("Content-Type"), "/", "~1")
		pointer := pointerTo(tt.of) + "/" + strings.ToLower(tt.method) + "/responses/" + got.Status[:3] + "/content/" + media + "/schema"
		if !fits(pointer, got.body) {
			t.Errorf("%s: %s is not what %s says", tt.name, got.body, pointer)
		}
	}
}
