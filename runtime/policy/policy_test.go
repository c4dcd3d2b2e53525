package policy_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/protocol"
	"vcp.core/runtime/policy"
	"vcp.core/runtime/result"
)

const ulid = "01J2XQ3Z5K8N7P4R6T9V0W1Y2"

// image and log are two resources of the results of these tests.
const image, logs = "res_" + ulid + "A", "res_" + ulid + "B"

// sealed is a canonical result with these members in place of the usual ones.
func sealed(t testing.TB, members map[result.Member]string) *result.Sealed {
	t.Helper()
	usual := map[result.Member]string{
		result.Protocol: `{"name":"vcp.tool-result","version":"1.0"}`, result.ID: `"tr_` + ulid + `A"`, result.Status: `"success"`,
		result.Tool: `{"name":"T","displayName":null,"version":"1.0.0","command":"Run"}`,
		result.Execution: `{"invocationId":"ti_` + ulid + `A","requestId":"req_` + ulid + `A","recordId":null,"startedAt":"2026-07-11T15:30:00.000+08:00",` +
			`"finishedAt":"2026-07-11T15:30:00.023+08:00","durationMs":23,"timeoutMs":null,"attempt":1}`,
		result.Actor: `null`, result.Origin: `{"source":"cli","nodeId":null,"serverId":"local","distributed":false,"requestIp":null}`,
		result.Data: `null`, result.Resources: `[]`, result.Warnings: `[]`, result.Error: `null`, result.Task: `null`,
		result.Presentation: `null`, result.AIAdvice: `null`,
		result.Policy: `{"classification":"internal","containsSensitiveData":false,"redactionsApplied":[]}`, result.Extensions: `{}`,
	}
	var b strings.Builder
	for m := result.Protocol; m <= result.Extensions; m++ {
		text, ok := members[m]
		if !ok {
			text = usual[m]
		}
		fmt.Fprintf(&b, `,%q:%s`, m.String(), text)
	}
	s, err := result.Parse([]byte("{" + b.String()[1:] + "}"))
	if err != nil {
		t.Fatalf("%v: %s", err, b.String())
	}
	return s
}

func resource(id, kind, role, url, access string) string {
	if access != "" {
		access = `,"access":{"type":"` + access + `","expiresAt":"2026-07-12T00:00:00Z","requiresAuth":false}`
	}
	return `{"id":"` + id + `","kind":"` + kind + `","role":"` + role + `","mimeType":"image/png","fileName":"a.png","sizeBytes":1,"sha256":null,` +
		`"url":` + url + `,"source":null,"dimensions":null,"durationMs":null,"metadata":{}` + access + `}`
}

func policyOf(t testing.TB, rules ...policy.Rule) *policy.Policy {
	t.Helper()
	p, err := policy.New(rules...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// see returns what a reader sees and holds it against the laws: the visible is a valid result, seeing it
// again hides nothing more, and the sealed result is what it was.
func see(t testing.TB, p *policy.Policy, s *result.Sealed, r policy.Reader) *result.Visible {
	t.Helper()
	before := s.String()
	v, err := p.For(s, r)
	if err != nil {
		t.Fatalf("%v: %s", err, s)
	}
	if s.String() != before {
		t.Fatal("the sealed result changed")
	}
	verdict, violations, err := protocol.Validator(schema.Result).Check([]byte(v.String()), wire.Limits{Bytes: 1 << 26})
	if err != nil || verdict != wire.Valid {
		t.Fatalf("the visible breaks the result schema: %v %+v\n%s", err, violations, v)
	}
	again, err := result.Parse([]byte(v.String()))
	if err != nil {
		t.Fatal(err)
	}
	twice, err := p.For(again, r)
	if err != nil || twice.String() != v.String() {
		t.Fatalf("seen again it is another: %v\n%s\n%s", err, v, twice)
	}
	return v
}

var ai, human, audit = policy.Reader{Consumer: policy.AI}, policy.Reader{Consumer: policy.Human}, policy.Reader{Consumer: policy.Audit}

func TestDefault(t *testing.T) {
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	tests := []struct {
		name    string
		reader  policy.Reader
		members map[result.Member]string
		want    map[result.Member]string // what is not named is as it was
		told    string
	}{
		{"nothing", ai, map[result.Member]string{
			result.Data: `{"tokenCount":5,"maxTokens":100,"keyboard":"qwerty","path":"\/etc/passwd","host":"10.0.0.1","note":"sk-learn","hasPassword":true,"passwords":12,"cookies":0,"nextPageToken":"CAoQAA1234567"}`,
		}, nil, ``},
		{"keys", ai, map[result.Member]string{result.Data: `{"user":"a","password":"x","pin_secret":7,"n":[{"api_key":{"v":1}},{"apiKeys":[]}],"token":"tok_abc123"}`}, map[result.Member]string{
			result.Data: `{"user":"a","password":"[redacted]","pin_secret":"[redacted]","n":[{"api_key":"[redacted]"},{"apiKeys":[]}],"token":"[redacted]"}`,
		}, `{"rule":"credential-key","target":"/data/password"},{"rule":"credential-key","target":"/data/pin_secret"},{"rule":"credential-key","target":"/data/n/0/api_key"},{"rule":"credential-key","target":"/data/token"}`},
		{"keys for a human who may", policy.Reader{Consumer: policy.Human, Scopes: []string{policy.ScopeSecrets}}, map[result.Member]string{result.Data: `{"password":"x"}`}, nil, ``},
		{"keys for an admin's audit", policy.Reader{Consumer: policy.Audit, Admin: true}, map[result.Member]string{result.Data: `{"password":"x"}`}, map[result.Member]string{
			result.Data: `{"password":"[redacted]"}`,
		}, `{"rule":"credential-key","target":"/data/password"}`},
		{"shapes", human, map[result.Member]string{
			result.Data: `["use ` + token + ` now",{"` + token + `":"` + token + `","[redacted]":1}]`, result.Presentation: `{"summary":"got ` + token + `"}`,
		}, map[result.Member]string{
			result.Data: `["use [redacted] now",{"[redacted][2]":"[redacted]","[redacted]":1}]`, result.Presentation: `{"summary":"got [redacted]"}`,
		}, `{"rule":"credential","target":"/data/0"},{"rule":"credential","target":"/data/1/[redacted][2]"},{"rule":"credential","target":"/presentation/summary"}`},
		{"paths and addresses beside the data", ai, map[result.Member]string{
			result.Status: `"error"`, result.Data: `"/srv/ann/a.txt at http://localhost:8080/"`,
			result.Error: `{"code":"UPSTREAM_ERROR","message":"open /srv/ann/my.txt:12: no","category":"dependency","retryable":false,"target":"/srv","details":{"reason":"x","at":"http://db.internal:5432/x, 10.1.2.3:80"},"cause":{"message":"see C:\\Users\\ann\\x."}}`,
		}, map[result.Member]string{
			result.Error: `{"code":"UPSTREAM_ERROR","message":"open [redacted]:12: no","category":"dependency","retryable":false,"target":"/srv","details":{"reason":"x","at":"[redacted], [redacted]"},"cause":{"message":"see [redacted]."}}`,
		}, `{"rule":"local-path","target":"/error/message"},{"rule":"private-address","target":"/error/details/at"},{"rule":"local-path","target":"/error/cause/message"}`},
		{"names of extensions", human, map[result.Member]string{
			result.Extensions: `{"a.b":1,"a.` + token + `":2,"` + token + `.b":{"` + token + `":3},"redacted.name-3":4}`,
		}, map[result.Member]string{
			result.Extensions: `{"a.b":1,"redacted.name":2,"redacted.name-2":{"[redacted]":3},"redacted.name-3":4}`,
		}, `{"rule":"credential","target":"/extensions/redacted.name"},{"rule":"credential","target":"/extensions/redacted.name-2"},{"rule":"credential","target":"/extensions/redacted.name-2/[redacted]"}`},
		{"what an error repeats of a credential", ai, map[result.Member]string{
			result.Status: `"error"`,
			result.Error: `{"code":"INVALID_ARGUMENT","message":"argument \"password\": expected an integer, got \"hunter2\"; 4 more","category":"validation","retryable":false,"target":"/password","details":{"reason":"SCHEMA_MISMATCH","violations":[` +
				`{"pointer":"/password","got":"\"hunter2\"","message":"m"},{"pointer":"/a/apiKeys/0","got":"12","message":"m"},{"pointer":"/secret","got":"true","message":"m"},{"pointer":"/token","got":"\"the\"","message":"m"},{"pointer":"/name","got":"\"hunter2\"","message":"m"}]},"cause":null}`,
		}, map[result.Member]string{
			result.Error: `{"code":"INVALID_ARGUMENT","message":"argument \"password\": expected an integer, got [redacted]; 4 more","category":"validation","retryable":false,"target":"/password","details":{"reason":"SCHEMA_MISMATCH","violations":[` +
				`{"pointer":"/password","got":"[redacted]","message":"m"},{"pointer":"/a/apiKeys/0","got":"[redacted]","message":"m"},{"pointer":"/secret","got":"true","message":"m"},{"pointer":"/token","got":"\"the\"","message":"m"},{"pointer":"/name","got":"\"hunter2\"","message":"m"}]},"cause":null}`,
		}, `{"rule":"credential-key","target":"/error/message"},{"rule":"credential-key","target":"/error/details/violations/0/got"},{"rule":"credential-key","target":"/error/details/violations/1/got"}`},
		{"temporary URLs in the record", audit, map[result.Member]string{
			result.Resources: `[` + resource(image, "image", "output", `"https://x.example/a"`, "ephemeral") + `,` + resource(logs, "text", "log", `"https://x.example/b"`, "managed") + `]`,
		}, map[result.Member]string{
			result.Resources: `[` + resource(image, "image", "output", `null`, "ephemeral") + `,` + resource(logs, "text", "log", `"https://x.example/b"`, "managed") + `]`,
		}, `{"rule":"temporary-url","target":"/resources/0/url"}`},
		{"restricted", policy.Reader{Consumer: policy.Workflow}, map[result.Member]string{
			result.Status: `"partial"`, result.Data: `{"image":{"$resource":"` + image + `"}}`, result.Resources: `[` + resource(image, "image", "output", `null`, "") + `]`,
			result.Error:        `{"code":"UPSTREAM_ERROR","message":"m","category":"dependency","retryable":false,"target":null,"details":{"reason":"x","n":1},"cause":null}`,
			result.Warnings:     `[{"code":"A.B","message":"m","details":{}}]`,
			result.Presentation: `{"primaryResourceId":"` + image + `"}`, result.AIAdvice: `{"intent":"relay","resourceIds":[],"priority":"low"}`, result.Extensions: `{"a.b":1}`,
			result.Policy: `{"classification":"restricted","containsSensitiveData":false,"redactionsApplied":[{"rule":"secret","target":"/data/image"},{"rule":"secret","target":"/tool/name"}]}`,
		}, map[result.Member]string{
			result.Data: `"[redacted]"`, result.Resources: `[]`, result.Warnings: `[{"code":"A.B","message":"[redacted]","details":null}]`,
			result.Error:        `{"code":"UPSTREAM_ERROR","message":"[redacted]","category":"dependency","retryable":false,"target":null,"details":{"reason":"x"},"cause":null}`,
			result.Presentation: `null`, result.AIAdvice: `null`, result.Extensions: `{}`,
			result.Policy: `{"classification":"restricted","containsSensitiveData":true,"redactionsApplied":[{"rule":"secret","target":"/tool/name"},{"rule":"restricted","target":"/data"},{"rule":"restricted","target":"/resources"},` +
				`{"rule":"restricted","target":"/warnings/0/message"},{"rule":"restricted","target":"/warnings/0/details"},{"rule":"restricted","target":"/error/message"},{"rule":"restricted","target":"/error/details"},` +
				`{"rule":"restricted","target":"/presentation"},{"rule":"restricted","target":"/aiAdvice"},{"rule":"restricted","target":"/extensions"}]}`,
		}, ``},
	}
	p := policyOf(t, policy.Default()...)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := sealed(t, tt.members)
			v := see(t, p, s, tt.reader)
			if tt.want == nil {
				if v.String() != s.String() {
					t.Fatalf("something is hidden: %s", v)
				}
				return
			}
			if tt.told != "" {
				tt.want[result.Policy] = `{"classification":"internal","containsSensitiveData":true,"redactionsApplied":[` + tt.told + `]}`
			}
			for m := result.Protocol; m <= result.Extensions; m++ {
				want, ok := tt.want[m]
				if !ok {
					want = s.Member(m)
				}
				if v.Member(m) != want {
					t.Errorf("%v is\n%s, want\n%s", m, v.Member(m), want)
				}
			}
		})
	}
}

// A media type stays one when a credential stands in it.
func TestMediaTypes(t *testing.T) {
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	p := policyOf(t, policy.Default()...)
	for given, want := range map[string]string{
		"text/plain;charset=utf-8":         "text/plain;charset=utf-8",
		"text/plain ; a=b; name=" + token:  "text/plain",
		"text/plain;x=" + token + ";y=1":   "text/plain",
		"text/" + token:                    "application/octet-stream",
		"application/" + token + "; q=abc": "application/octet-stream",
	} {
		r := resource(image, "image", "output", `null`, "")
		v := see(t, p, sealed(t, map[result.Member]string{result.Resources: `[` + strings.Replace(r, "image/png", given, 1) + `]`}), human)
		if got := v.Member(result.Resources); got != `[`+strings.Replace(r, "image/png", want, 1)+`]` {
			t.Errorf("%s: %s", given, got)
		}
	}
}

// A resource goes with all that refers to it (specification §8.2).
func TestHiddenResources(t *testing.T) {
	p := policyOf(t, policy.Rule{Name: "no-logs", Match: policy.ResourceRoles("log")}, policy.Rule{Name: "no-archives", Match: policy.ResourceKinds("archive")})
	first, second, third := resource(image, "image", "output", `null`, ""), resource(logs, "text", "log", `null`, ""), resource("res_"+ulid+"C", "archive", "output", `null`, "")
	for name, lists := range map[string][2]string{
		"last":   {first + `,` + second, first},
		"first":  {second + `,` + first, first},
		"both":   {second + `,` + third + `,` + first + `,` + third, first},
		"all":    {second + `,` + third, ``},
		"middle": {first + `,` + second + `,` + strings.ReplaceAll(first, image, "res_"+ulid+"D"), first + `,` + strings.ReplaceAll(first, image, "res_"+ulid+"D")},
	} {
		s := sealed(t, map[result.Member]string{
			result.Resources:    `[` + lists[0] + `]`,
			result.Data:         `{"a":{"$resource":"` + logs + `"},"b":[{"$resource":"` + image + `"}],"c":"see ` + logs + `!","` + logs + `":1}`,
			result.Presentation: `{"title":"t","primaryResourceId":"` + logs + `"}`,
			result.AIAdvice:     `{"intent":"display_resource","message":"show the log","resourceIds":["` + image + `","` + logs + `"],"renderHint":"image","priority":"high"}`,
			result.Policy:       `{"classification":"public","containsSensitiveData":false,"redactionsApplied":[{"rule":"secret","target":"/resources/1/fileName"}]}`,
		})
		v := see(t, p, s, ai)
		for m, want := range map[result.Member]string{
			result.Resources:    `[` + lists[1] + `]`,
			result.Data:         `{"a":"[redacted]","b":[{"$resource":"` + image + `"}],"c":"see [redacted]!","[redacted]":1}`,
			result.Presentation: `{"title":"t","primaryResourceId":null}`,
			result.AIAdvice:     `{"intent":"relay","message":null,"resourceIds":["` + image + `"],"renderHint":null,"priority":"high"}`,
		} {
			if v.Member(m) != want {
				t.Errorf("%s: %v is\n%s, want\n%s", name, m, v.Member(m), want)
			}
		}
		if strings.Contains(v.String(), logs) || !v.Hides(logs) || v.Hides(image) {
			t.Errorf("%s: the resource is not hidden: %s", name, v)
		}
		if !strings.Contains(v.Member(result.Policy), `{"rule":"no-logs","target":"/resources"}`) || strings.Contains(v.Member(result.Policy), "fileName") {
			t.Errorf("%s: told %s", name, v.Member(result.Policy))
		}
	}
}

func TestPointers(t *testing.T) {
	const data = `{"a":{"b":[{"c":1,"d":2},{"c":"x"}]},"c":null,"e/f":true}`
	for pattern, want := range map[string]string{
		"/data/a/b/0/c":  `{"a":{"b":[{"c":"[redacted]","d":2},{"c":"x"}]},"c":null,"e/f":true}`,
		"/data/a/b/*/c":  `{"a":{"b":[{"c":"[redacted]","d":2},{"c":"[redacted]"}]},"c":null,"e/f":true}`,
		"/data/**/c":     `{"a":{"b":[{"c":"[redacted]","d":2},{"c":"[redacted]"}]},"c":null,"e/f":true}`,
		"/data/**":       `"[redacted]"`,
		"/**/d":          `{"a":{"b":[{"c":1,"d":"[redacted]"},{"c":"x"}]},"c":null,"e/f":true}`,
		"/data/a":        `{"a":"[redacted]","c":null,"e/f":true}`,
		"/data/e~1f":     `{"a":{"b":[{"c":1,"d":2},{"c":"x"}]},"c":null,"e/f":"[redacted]"}`,
		"/*/a":           `{"a":"[redacted]","c":null,"e/f":true}`,
		"/data/a/b/2":    data,
		"/extensions/**": data,
	} {
		p := policyOf(t, policy.Rule{Name: "r", Match: policy.Pointers(pattern)})
		if v := see(t, p, sealed(t, map[result.Member]string{result.Data: data}), ai); v.Member(result.Data) != want {
			t.Errorf("%s: %s, want %s", pattern, v.Member(result.Data), want)
		}
	}
	// Whatever a wildcard meets, the result stays one.
	v := see(t, policyOf(t, policy.Rule{Name: "all", Match: policy.Pointers("/**")}), sealed(t, map[result.Member]string{
		result.Status: `"error"`, result.Data: `1`, result.Resources: `[` + resource(image, "image", "output", `"x:y"`, "ephemeral") + `]`,
		result.Error: `{"code":"INVALID_TOOL_RESULT","message":"m","category":"protocol","retryable":false,"target":"/x","details":{"reason":"NO_FRAME","a":1},"cause":{"message":"m"}}`,
		result.Task:  `{"id":"task_` + ulid + `A","state":"failed","progress":1,"pollAfterMs":5,"placeholder":"{{VCP_ASYNC_RESULT::T::task_` + ulid + `A}}"}`,
	}), ai)
	if want := `{"code":"INVALID_TOOL_RESULT","message":"[redacted]","category":"protocol","retryable":false,"target":"[redacted]","details":{"reason":"NO_FRAME"},"cause":null}`; v.Member(result.Error) != want {
		t.Errorf("error is %s", v.Member(result.Error))
	}
	// Where nothing stands that another rule looks for, a pattern still does.
	v = see(t, policyOf(t, policy.Rule{Name: "r", Match: policy.Pointers("/execution/recordId", "/task/progress", "/presentation/preferredView", "/resources/*/sizeBytes")}),
		sealed(t, map[result.Member]string{
			result.Status: `"accepted"`, result.Resources: `[` + resource(image, "image", "output", `"x:y"`, "ephemeral") + `]`,
			result.Execution: `{"invocationId":"ti_` + ulid + `A","requestId":"req_` + ulid + `A","recordId":"tcr_` + ulid + `A","startedAt":"2026-07-11T15:30:00.000+08:00",` +
				`"finishedAt":"2026-07-11T15:30:00.023+08:00","durationMs":23,"timeoutMs":null,"attempt":1}`,
			result.Presentation: `{"summary":"s","title":"t","preferredView":"table","primaryResourceId":null}`,
			result.Task:         `{"id":"task_` + ulid + `A","state":"queued","progress":0.5,"pollAfterMs":5,"placeholder":"{{VCP_ASYNC_RESULT::T::task_` + ulid + `A}}"}`,
		}), ai)
	for _, hidden := range []string{`"recordId":null`, `"progress":null`, `"preferredView":null`, `"sizeBytes":null`} {
		if !strings.Contains(v.String(), hidden) {
			t.Errorf("no %s in %s", hidden, v)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	many := make([]policy.Rule, 65)
	for i := range many {
		many[i] = policy.Rule{Name: "r", Match: policy.Keys()}
	}
	for _, rules := range [][]policy.Rule{
		{{Name: "A", Match: policy.Keys()}}, {{Name: "", Match: policy.Keys()}}, {{Name: "a--b", Match: policy.Keys()}}, {{Name: "a"}},
		{{Name: "a", Match: policy.Pointers("data")}}, {{Name: "a", Match: policy.Pointers("/id")}}, {{Name: "a", Match: policy.Pointers("/resources/0/id")}},
		{{Name: "a", Match: policy.Keys("apiKey")}}, {{Name: "a", Match: policy.Classified("secret")}}, many,
	} {
		var refused *policy.RuleError
		if _, err := policy.New(rules...); !errors.As(err, &refused) {
			t.Errorf("%+v is taken: %v", rules[0], err)
		}
	}
}
