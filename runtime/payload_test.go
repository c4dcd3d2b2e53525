package runtime_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
)

// payloadOf writes a payload with the required members and those given.
func payloadOf(status string, more ...string) string {
	members := []string{`"status":"` + status + `"`}
	for name, value := range map[string]string{"data": "null", "resources": "[]", "warnings": "[]", "extensions": "{}"} {
		given := false
		for _, m := range more {
			given = given || strings.HasPrefix(m, `"`+name+`":`)
		}
		if !given {
			members = append(members, `"`+name+`":`+value)
		}
	}
	return "{" + strings.Join(append(members, more...), ",") + "}"
}

const failed = `"error":{"code":"UPSTREAM_ERROR","message":"no"}`

func TestRefusedPayloads(t *testing.T) {
	synchronous := spec(t, `true`, `{"type":["object","null"],"properties":{"n":{"type":"integer"},"list":{"type":"array","items":{"type":"string"}}},"required":["n"]}`)
	asynchronous := spec(t, `true`, `true`, func(s *call.Spec) { s.Kind = call.Asynchronous })
	imaging := spec(t, `true`, `true`, func(s *call.Spec) {
		s.ResourceOutputs = []call.ResourceOutput{{Field: "/image", Kind: "image", Role: "output"}}
	})
	tests := []struct {
		name    string
		spec    *call.Spec
		payload string
		reason  string
		target  string // raw JSON
		message string // part of it
	}{
		{"nothing", synchronous, ``, "NOT_JSON", `null`, "end of the document"},
		{"text", synchronous, `Error: it broke`, "NOT_JSON", `null`, "at byte 0"},
		{"a frame around it", synchronous, `{"vcp":"tool-result","version":"1.0","payload":{}}`, "SCHEMA_MISMATCH", `"/status"`, "is missing"},
		{"two documents", synchronous, ok(`{"n":1}`) + "\n" + ok(`{"n":1}`), "NOT_JSON", `null`, "at byte"},
		{"not UTF-8", synchronous, ok("\"\xff\""), "NOT_UTF8", `null`, "0xff"},
		{"lone surrogate", synchronous, ok(`"\udc00"`), "NOT_UTF8", `null`, ""},
		{"duplicate member", synchronous, ok(`{"n":1,"n":2}`), "DUPLICATE_KEY", `null`, `\"n\"`},
		{"duplicate status", synchronous, payloadOf("success", `"status":"error"`), "DUPLICATE_KEY", `null`, "status"},
		{"too deep", synchronous, ok(strings.Repeat("[", 30) + strings.Repeat("]", 30)), "LIMIT_DEPTH", `null`, "more than 20"},
		{"too many values", synchronous, ok("[" + strings.Repeat("0,", 300) + "0]"), "LIMIT_NODES", `null`, "more than 200"},
		{"too long", synchronous, ok(`"` + strings.Repeat("x", 3000) + `"`), "RESULT_TOO_LARGE", `null`, "more than 2000"},
		{"an array", synchronous, `[]`, "SCHEMA_MISMATCH", `""`, "expected object"},
		{"null", synchronous, `null`, "SCHEMA_MISMATCH", `""`, "expected object"},

		{"forged id", synchronous, payloadOf("success", `"id":"tr_1"`), "FORGED_FIELD", `"/id"`, "brings id"},
		{"forged tool and policy", synchronous, payloadOf("success", `"policy":{}`, `"t\u006fol":{}`), "FORGED_FIELD", `"/policy"`, "policy, tool"},
		{"forged record", synchronous, payloadOf("error", failed, `"record":null`), "FORGED_FIELD", `"/record"`, "record"},

		{"unknown member", synchronous, payloadOf("success", `"result":{}`), "SCHEMA_MISMATCH", `"/result"`, "is not known"},
		{"no extensions", synchronous, `{"status":"success","data":null,"resources":[],"warnings":[]}`, "SCHEMA_MISMATCH", `"/extensions"`, "is missing"},
		{"unknown status", synchronous, payloadOf("ok"), "SCHEMA_MISMATCH", `"/status"`, "expected one of"},
		{"extension without a namespace", synchronous, payloadOf("success", `"extensions":{"x":1}`), "SCHEMA_MISMATCH", `"/extensions/x"`, ""},
		{"a code of nobody", synchronous, payloadOf("error", `"error":{"code":"oops","message":"no"}`), "SCHEMA_MISMATCH", `"/error/code"`, ""},
		{"an error that is a string", synchronous, payloadOf("error", `"error":"no"`), "SCHEMA_MISMATCH", `"/error"`, ""},
		{"advice of an unknown intent", synchronous, payloadOf("success", `"aiAdvice":{"intent":"obey","resourceIds":[],"priority":"high"}`), "SCHEMA_MISMATCH", `"/aiAdvice/intent"`, ""},

		{"success with an error", synchronous, payloadOf("success", failed), "STATUS_MATRIX", `"/error"`, ""},
		{"error without an error", synchronous, payloadOf("error"), "STATUS_MATRIX", `"/error"`, ""},
		{"error with a null error", synchronous, payloadOf("error", `"error":null`), "STATUS_MATRIX", `"/error"`, ""},
		{"partial without data", synchronous, payloadOf("partial"), "STATUS_MATRIX", `"/data"`, ""},
		{"cancelled without an error", synchronous, payloadOf("cancelled"), "STATUS_MATRIX", `"/error"`, ""},
		{"timeout with another code", synchronous, payloadOf("timeout", failed), "STATUS_MATRIX", `"/error/code"`, ""},
		{"accepted without a task", asynchronous, payloadOf("accepted"), "STATUS_MATRIX", `"/task"`, ""},
		{"accepted with a task that has ended", asynchronous, payloadOf("accepted", `"task":{"id":"a","state":"completed"}`), "STATUS_MATRIX", `"/task/state"`, ""},
		{"error with a task that went well", asynchronous, payloadOf("error", failed, `"task":{"id":"a","state":"completed"}`), "STATUS_MATRIX", `"/task/state"`, ""},
		{"matrix and another fault", synchronous, payloadOf("success", failed, `"x":1`), "SCHEMA_MISMATCH", `"/error"`, ""},

		{"synchronous and accepted", synchronous, payloadOf("accepted", `"task":{"id":"a","state":"queued"}`), "KIND_MISMATCH", `"/status"`, "is synchronous"},
		{"asynchronous and done", asynchronous, payloadOf("success"), "KIND_MISMATCH", `"/status"`, "is asynchronous"},
		{"asynchronous and cancelled", asynchronous, payloadOf("cancelled", failed), "KIND_MISMATCH", `"/status"`, "is asynchronous"},

		{"data without a required member", synchronous, ok(`{}`), "SCHEMA_MISMATCH", `"/data/n"`, `data member \"n\" is missing`},
		{"data that is judged, not the payload around it", spec(t, `true`, `{"type":"object"}`), ok(`"7"`), "SCHEMA_MISMATCH", `"/data"`, `data: expected object, got \"7\"`},
		{"data of another type", synchronous, ok(`"7"`), "SCHEMA_MISMATCH", `"/data"`, `data: expected object or null, got \"7\"`},
		{"a member of another type", synchronous, ok(`{"n":1.5}`), "SCHEMA_MISMATCH", `"/data/n"`, `expected integer, got 1.5`},
		{"an element of another type", synchronous, ok(`{"n":1,"list":["a",2]}`), "SCHEMA_MISMATCH", `"/data/list/1"`, `data member \"/list/1\"`},
		{"partial data is bound too", synchronous, payloadOf("partial", `"data":{"n":null}`), "SCHEMA_MISMATCH", `"/data/n"`, ""},

		{"a resource", synchronous, payloadOf("success", `"data":{"n":1}`, `"resources":[{"id":"a","kind":"image","role":"output","localPath":"a.png"}]`), "LIMIT_RESOURCES", `"/resources"`, "no resource store is configured"},
		{"a reference to nothing", synchronous, ok(`{"n":1,"a":[{"$resource":"x"}]}`), "DANGLING_RESOURCE", `"/data/a/0"`, `refers to the resource \"x\"`},
		{"a reference to nothing in an error's data", synchronous, payloadOf("error", failed, `"data":{"$resource":"x"}`), "DANGLING_RESOURCE", `"/data"`, ""},
		{"a primary resource that is nothing", synchronous, payloadOf("success", `"data":{"n":1}`, `"presentation":{"primaryResourceId":"x"}`), "DANGLING_RESOURCE", `"/presentation/primaryResourceId"`, ""},
		{"advice on nothing", synchronous, payloadOf("success", `"data":{"n":1}`, `"aiAdvice":{"intent":"display_resource","resourceIds":["x"],"priority":"low"}`), "DANGLING_RESOURCE", `"/aiAdvice/resourceIds/0"`, ""},
		{"a promised resource", imaging, ok(`{}`), "MISSING_RESOURCE_OUTPUT", `"/data/image"`, `\"image\" must refer to a resource`},
		{"a promised resource as base64", imaging, ok(`{"image":"iVBORw0KGgo="}`), "MISSING_RESOURCE_OUTPUT", `"/data/image"`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := runtime.New(registry{tt.spec}, runtime.Bind("T", answer(tt.payload)),
				runtime.Limit(runtime.Limits{Payload: wire.Limits{Bytes: 2000, Depth: 20, Nodes: 200}}))
			s := execute(t, r, call.Call{Tool: "T", Command: "Run"})
			if s.Status() != call.Error || s.Code() != "INVALID_TOOL_RESULT" || at(t, s, "/error/category") != `"protocol"` {
				t.Fatalf("%s %s, want INVALID_TOOL_RESULT: %s", s.Status(), s.Code(), s)
			}
			if got := clean(at(t, s, "/error/details/reason")); got != tt.reason {
				t.Errorf("reason %q, want %q: %s", got, tt.reason, s.Member(result.Error))
			}
			if got := at(t, s, "/error/target"); got != tt.target {
				t.Errorf("target %s, want %s: %s", got, tt.target, s.Member(result.Error))
			}
			if got := at(t, s, "/error/message"); !strings.Contains(got, tt.message) {
				t.Errorf("message %s does not say %s", got, tt.message)
			}
			if s.Member(result.Data) != "null" || s.Member(result.Extensions) != "{}" || s.Member(result.Task) != "null" {
				t.Errorf("something of the refused payload stayed: %s", s)
			}
		})
	}
}

// What an accepted payload becomes, member by member.
func TestAcceptedPayloads(t *testing.T) {
	plain := spec(t, `true`, `true`)
	rich := spec(t, `true`, `true`, func(s *call.Spec) {
		s.Kind = call.Hybrid
		s.ErrorCodes = []string{"UPSTREAM_ERROR", "SHOP.SOLD_OUT"}
		s.Presentation = []byte(`{ "preferredView": "table", "title": "T" }`)
		s.Advice = []byte(`{"intent":"relay","message":"tell","priority":"high"}`)
	})
	const noError = `{"code":"INTERNAL_ERROR","message":"m","category":"runtime","retryable":false,"target":null,"details":null,"cause":null}`
	undeclared := func(code string) string {
		return `{"code":"UNDECLARED_ERROR_CODE","message":"the manifest does not declare the error code ` + code + `","target":"/error/code"}`
	}
	long := strings.Repeat("長", 501)
	type members map[result.Member]string
	tests := []struct {
		name    string
		spec    *call.Spec
		payload string
		status  call.Status
		want    members
	}{
		{"nothing but the required", plain, payloadOf("success"), call.Success, members{
			result.Data: `null`, result.Resources: `[]`, result.Warnings: `[]`, result.Error: `null`, result.Task: `null`,
			result.Presentation: `null`, result.AIAdvice: `null`, result.Extensions: `{}`,
		}},
		{"whitespace goes, the rest stays", plain, "\n{ \"status\" : \"success\" , \"data\" : [ 1.0 , \"\\/\" ] ,\t\"resources\":[ ],\"warnings\":[ {\"code\":\"A.B\", \"message\":\"\\u0041\"} ],\"extensions\":{ \"a.b\" : 1e2 } }\r\n", call.Success, members{
			result.Data: `[1.0,"\/"]`, result.Warnings: `[{"code":"A.B","message":"\u0041"}]`, result.Extensions: `{"a.b":1e2}`,
		}},
		{"explicit nulls", rich, payloadOf("success", `"error":null`, `"task":null`, `"presentation":null`, `"aiAdvice":null`), call.Success, members{
			result.Error: `null`, result.Task: `null`, result.Presentation: `null`, result.AIAdvice: `null`,
		}},
		{"defaults of the manifest", rich, payloadOf("success"), call.Success, members{
			result.Presentation: `{"preferredView":"table","title":"T"}`,
			result.AIAdvice:     `{"intent":"relay","message":"tell","priority":"high","resourceIds":[]}`,
		}},
		{"defaults key by key", rich, payloadOf("success", `"presentation":{ "summary":"\u0053", "title":null }`, `"aiAdvice":{"intent":"none","resourceIds":[],"priority":"low"}`), call.Success, members{
			result.Presentation: `{"summary":"\u0053","title":null,"preferredView":"table"}`,
			result.AIAdvice:     `{"intent":"none","resourceIds":[],"priority":"low","message":"tell"}`,
		}},
		{"an empty presentation", rich, payloadOf("success", `"presentation":{}`), call.Success, members{result.Presentation: `{"preferredView":"table","title":"T"}`}},
		{"long advice is cut", plain, payloadOf("success", `"aiAdvice":{"intent":"none","message":"`+long+`","resourceIds":[],"priority":"low","renderHint":"te\u0078t"}`), call.Success, members{
			result.AIAdvice: `{"intent":"none","message":"` + long[:1500] + `","resourceIds":[],"priority":"low","renderHint":"te\u0078t"}`,
			result.Warnings: `[{"code":"ADVICE_CLEANED","message":"the advice was longer than 500 characters and was cut","target":"/aiAdvice/message","details":{"originalCharacters":501,"returnedCharacters":500}}]`,
		}},
		{"advice of just the length", plain, payloadOf("success", `"aiAdvice":{"intent":"none","message":"`+long[:1500]+`","resourceIds":[],"priority":"low"}`), call.Success, members{result.Warnings: `[]`}},

		{"every command may break down", plain, payloadOf("error", `"error":{"code":"INTERNAL_ERROR","message":"m"}`), call.Error, members{
			result.Error: noError, result.Warnings: `[]`,
		}},
		{"the shortest error", plain, payloadOf("error", `"error":{"code":"UPSTREAM_ERROR","message":"m"}`), call.Error, members{
			result.Warnings: `[` + undeclared("UPSTREAM_ERROR") + `]`,
		}},
		{"a full error", rich, payloadOf("error", `"error":{"cause":{"message":"c","code":7e0},"details":{ "a":1.0 },"target":"t\u0069me","retryable":true,"category":"dependency","message":"\u006d","code":"SHOP.SOLD_OUT"}`, `"data":{"tried":[1]}`), "", nil},
		{"an error of the plugin's own", rich, payloadOf("error", `"error":{"details":{ "a":1.0 },"target":"t\u0069me","retryable":true,"message":"\u006d","code":"SHOP.SOLD_OUT"}`, `"data":{"tried":[1]}`), call.Error, members{
			result.Error:    `{"code":"SHOP.SOLD_OUT","message":"\u006d","category":"domain","retryable":true,"target":"t\u0069me","details":{"a":1.0},"cause":null}`,
			result.Data:     `{"tried":[1]}`,
			result.Warnings: `[]`,
		}},
		{"another category, a cause", rich, payloadOf("error", `"error":{"code":"UPSTREAM_ERROR","message":"m","category":"transport","cause":{"code":"E1","message":"c"}}`), call.Error, members{
			result.Error: `{"code":"UPSTREAM_ERROR","message":"m","category":"transport","retryable":false,"target":null,"details":null,"cause":{"code":"E1","message":"c"}}`,
		}},
		{"undeclared code beside a warning of the plugin", rich, payloadOf("error", `"error":{"code":"OTHER.CODE","message":"m"}`, `"warnings":[ {"code":"A.B","message":"w"} ]`), call.Error, members{
			result.Warnings: `[{"code":"A.B","message":"w"},` + undeclared("OTHER.CODE") + `]`,
		}},
		{"data of an error is free", spec(t, `true`, `false`, func(s *call.Spec) { s.ErrorCodes = []string{"UPSTREAM_ERROR"} }), payloadOf("error", failed, `"data":[{}]`), call.Error, members{result.Data: `[{}]`, result.Warnings: `[]`}},
		{"partial with an error", rich, payloadOf("partial", `"data":1`, failed), call.Partial, members{
			result.Data: `1`, result.Error: `{"code":"UPSTREAM_ERROR","message":"no","category":"dependency","retryable":false,"target":null,"details":null,"cause":null}`,
		}},
		{"cancelled by the plugin", rich, payloadOf("cancelled", `"error":{"code":"TOOL_CANCELLED","message":"m"}`), call.Cancelled, members{
			result.Error: `{"code":"TOOL_CANCELLED","message":"m","category":"cancelled","retryable":false,"target":null,"details":null,"cause":null}`,
		}},
		{"timeout of the plugin", plain, payloadOf("timeout", `"error":{"code":"TOOL_TIMEOUT","message":"m"}`), call.Timeout, members{
			result.Error: `{"code":"TOOL_TIMEOUT","message":"m","category":"timeout","retryable":false,"target":null,"details":null,"cause":null}`,
		}},
		{"a task", rich, payloadOf("accepted", `"task":{"id":"mine","state":"queued","progress":0.50,"pollAfterMs":5e3,"placeholder":"mine"}`), call.Accepted, members{
			result.Task: `{"id":"task_01K0000000000000000000000A","state":"queued","progress":0.50,"pollAfterMs":5e3,"placeholder":"{{VCP_ASYNC_RESULT::T::task_01K0000000000000000000000A}}"}`,
		}},
		{"a completed task", rich, payloadOf("success", `"task":{"state":"completed","id":"task_01K0000000000000000000000B"}`), call.Success, members{
			result.Task: `{"id":"task_01K0000000000000000000000A","state":"completed","progress":null,"pollAfterMs":null,"placeholder":"{{VCP_ASYNC_RESULT::T::task_01K0000000000000000000000A}}"}`,
		}},
		{"an object that only resembles a reference", plain, ok(`[{"$resource":1},{"$resource":"a","b":1},{"a":"$resource"}]`), call.Success, members{result.Data: `[{"$resource":1},{"$resource":"a","b":1},{"a":"$resource"}]`}},
		{"no primary resource", plain, payloadOf("success", `"presentation":{"primaryResourceId":null}`), call.Success, members{result.Presentation: `{"primaryResourceId":null}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := runtime.New(registry{tt.spec}, runtime.Bind("T", answer(tt.payload)), runtime.IDs(numbered))
			s := execute(t, r, call.Call{Tool: "T", Command: "Run"})
			if tt.want == nil { // refused: covered by the schema's own tests, here for the contrast
				if s.Code() != "INVALID_TOOL_RESULT" {
					t.Errorf("accepted: %s", s)
				}
				return
			}
			if s.Status() != tt.status {
				t.Fatalf("status %s, want %s: %s", s.Status(), tt.status, s)
			}
			for m, want := range tt.want {
				if got := s.Member(m); got != want {
					t.Errorf("member %d: got  %s\nwant %s", m, got, want)
				}
			}
		})
	}
}

// numbered mints the same id for everything.
func numbered(prefix string, _ time.Time) string { return prefix + "01K0000000000000000000000A" }

// A task has the id that its call offered, also when the plugin has one of its own for it, and also when that
// one looks like an id of the runtime: it could be another call's.
func TestTaskIDsAreTheRuntimes(t *testing.T) {
	const foreign = "task_01K0000000000000000000000A"
	for _, kind := range []call.Kind{call.Asynchronous, call.Hybrid} {
		for _, theirs := range []string{"", "mine", foreign} {
			s := spec(t, `true`, `true`, func(s *call.Spec) { s.Kind = kind })
			offered := map[string]bool{}
			r := runtime.New(registry{s}, runtime.Bind("T", call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
				name := theirs
				if name == "" {
					name = in.TaskID
				}
				offered[in.TaskID] = true
				return []byte(payloadOf("accepted", `"task":{"id":"`+name+`","state":"created"}`)), nil
			})))
			for range 2 {
				res := execute(t, r, call.Call{Tool: "T", Command: "Run"})
				if got := clean(at(t, res, "/task/id")); !offered[got] || got == foreign || !strings.HasPrefix(got, "task_") {
					t.Errorf("%s, id %q: the task became %s, offered were %v", kind, theirs, got, offered)
				}
			}
			if len(offered) != 2 {
				t.Errorf("%s: two calls offered %v", kind, offered)
			}
		}
	}
}

// A synchronous command gets no task id to use.
func TestSynchronousCommandsAreOfferedNoTask(t *testing.T) {
	r := runtime.New(registry{spec(t, `true`, `true`)}, runtime.Bind("T", call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
		if in.TaskID != "" {
			t.Errorf("offered %q", in.TaskID)
		}
		return []byte(ok("null")), nil
	})))
	execute(t, r, call.Call{Tool: "T", Command: "Run"})
}
