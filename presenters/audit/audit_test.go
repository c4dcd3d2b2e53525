package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/results"
	v1 "vcp.core/generated/protocol/v1"
	"vcp.core/runtime/result"
)

func open(t testing.TB, s *result.Sealed) *result.Visible {
	t.Helper()
	v, err := result.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

const ulid = "01J2XQ3Z5K8N7P4R6T9V0W1Y2Z"

// full is a result that says everything, with the word SECRET wherever a digest must not look.
func full() *result.Sealed {
	started := time.Date(2026, 7, 11, 15, 30, 0, 0, time.FixedZone("", 8*3600))
	return result.Seal(result.Parts{
		ID: "tr_" + ulid, Status: call.Partial,
		Tool:      v1.Tool{Name: "ScheduleManager", DisplayName: wire.NotNull("SECRET"), Version: wire.OrNull("1.0.0"), Command: wire.OrNull("ListSchedules")},
		Execution: result.ExecutionPart{InvocationID: "ti_" + ulid, RequestID: "req_" + ulid, StartedAt: started, FinishedAt: started.Add(23 * time.Millisecond), Duration: 23 * time.Millisecond, Timeout: time.Minute, Attempt: 1},
		Actor:     &call.Actor{Type: "agent", Name: "Nova", Maid: "Nova"},
		Origin:    v1.Origin{Source: "ai-loop", ServerID: wire.NotNull("local")},
		Data:      result.Bytes([]byte(`{"SECRET":[{"SECRET":1},"SECRET",[null,true]],"n":{"SECRET":9007199254740993}}`)),
		Resources: result.Bytes([]byte(`[{"id":"res_` + ulid + `","kind":"image","role":"output","mimeType":"image/png ; name=\"SECRET.png\"","fileName":"SECRET.png","sizeBytes":183920,"sha256":"` + strings.Repeat("ab", 32) +
			`","url":"https://vcp.example/SECRET","source":{"type":"SECRET"},"dimensions":null,"durationMs":null,"metadata":{"SECRET":1}}]`)),
		Warnings:     result.Bytes([]byte(`[{"code":"OUTPUT_TRUNCATED","message":"SECRET","target":"/SECRET","details":{"SECRET":1}},{"code":"SHOP.ODD","message":"SECRET"}]`)),
		Error:        &result.ErrorPart{Code: "SHOP.SOLD_OUT", Message: result.Text("SECRET"), Category: errcode.Domain, Retryable: true, Target: result.Text("SECRET"), Details: result.Bytes([]byte(`{"reason":"SECRET"}`)), Cause: result.Bytes([]byte(`{"message":"SECRET"}`))},
		Task:         &result.TaskPart{ID: "task_" + ulid, State: "completed", Placeholder: "{{VCP_ASYNC_RESULT::SECRET::task_" + ulid + "}}"},
		Presentation: result.Bytes([]byte(`{"summary":"SECRET","title":"SECRET"}`)),
		AIAdvice:     result.Bytes([]byte(`{"intent":"relay","message":"SECRET","resourceIds":[],"priority":"low"}`)),
		Extensions:   result.Bytes([]byte(`{"vendor.x":"SECRET"}`)),
	})
}

func TestDigest(t *testing.T) {
	s := full()
	want := `{"type":"vcp_audit","version":"1.0","resultId":"tr_` + ulid + `","invocationId":"ti_` + ulid + `","requestId":"req_` + ulid + `","recordId":null,` +
		`"tool":"ScheduleManager","toolVersion":"1.0.0","command":"ListSchedules","status":"partial",` +
		`"startedAt":"2026-07-11T15:30:00.000+08:00","finishedAt":"2026-07-11T15:30:00.023+08:00","durationMs":23,"timeoutMs":60000,"attempt":1,` +
		`"actor":{"type":"agent","id":null,"name":"Nova","maid":"Nova"},` +
		`"origin":{"source":"ai-loop","nodeId":null,"serverId":"local","distributed":false,"requestIp":"192.0.2.7"},` +
		`"error":{"code":"SHOP.SOLD_OUT","category":"domain","reason":null,"retryable":true},` +
		`"task":{"id":"task_` + ulid + `","state":"completed"},` +
		fmt.Sprintf(`"data":{"kind":"object","sizeBytes":%d,"sha256":"%s","count":2,"values":10,"arrays":2,"elements":5,"longestArray":3},`, len(s.Member(result.Data)), sum(s.Member(result.Data))) +
		`"resources":[{"id":"res_` + ulid + `","kind":"image","role":"output","mimeType":"image/png","sizeBytes":183920,"sha256":"` + strings.Repeat("ab", 32) + `"}],` +
		`"warnings":["OUTPUT_TRUNCATED","SHOP.ODD"],` +
		`"policy":{"classification":"internal","containsSensitiveData":false,"redactionsApplied":[]},` +
		fmt.Sprintf(`"sizeBytes":%d,"sha256":"%s"}`, s.Len(), sum(s.String()))
	if got := Present(open(t, s), Origin{RequestIP: "192.0.2.7"}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What a plugin wrote stays out, whatever it is and wherever it stands.
func TestNothingOfThePlugin(t *testing.T) {
	if got := Present(open(t, full()), Origin{}); strings.Contains(got, "SECRET") || !strings.Contains(got, `"requestIp":null`) {
		t.Errorf("the digest says too much: %s", got)
	}
}

// A reason of the closed set is repeated.
func TestReason(t *testing.T) {
	s := result.Seal(result.Parts{Error: &result.ErrorPart{Code: errcode.InvalidToolResult, Message: result.Text("m"), Category: errcode.Protocol, Details: result.Bytes([]byte(`{"reason":"NOT_JSON"}`))}})
	if got := Present(open(t, s), Origin{}); !strings.Contains(got, `"error":{"code":"INVALID_TOOL_RESULT","category":"protocol","reason":"NOT_JSON","retryable":false}`) {
		t.Errorf("%s", got)
	}
}

// Text of a caller's choice does not fill a log.
// What a plugin wrote with escapes stands in a digest as the core writes it.
func TestEscapedCode(t *testing.T) {
	p := result.Parts{ID: "tr_" + ulid, Status: call.Success, Warnings: result.Bytes([]byte(`[{"code":"SHOP.\u004fDD","message":"m"}]`))}
	if got := Present(open(t, result.Seal(p)), Origin{}); !strings.Contains(got, `"SHOP.ODD"`) {
		t.Error(got)
	}
}

func TestLongNames(t *testing.T) {
	s := result.Seal(result.Parts{Tool: v1.Tool{Name: strings.Repeat("名", 201)}})
	if got := Present(open(t, s), Origin{}); !strings.Contains(got, `"tool":"`+strings.Repeat("名", 200)+`…"`) {
		t.Errorf("%s", got)
	}
}

// Any result has a digest: strict JSON, the same each time, of a size that does not follow the data.
func TestTotal(t *testing.T) {
	for seed := range uint64(600) {
		s := results.New(seed).Result()
		got := Present(open(t, s), Origin{RequestIP: "::1"})
		var tape wire.Tape
		if err := tape.Scan([]byte(got), wire.Limits{}); err != nil || !json.Valid([]byte(got)) {
			t.Fatalf("seed %d: %v\n%s", seed, err, got)
		}
		if again := Present(open(t, s), Origin{RequestIP: "::1"}); again != got {
			t.Fatalf("seed %d: two digests\n%s\n%s", seed, got, again)
		}
		if len(got) > 6000 {
			t.Fatalf("seed %d: a digest of %d bytes", seed, len(got))
		}
	}
}
