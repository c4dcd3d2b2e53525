package result

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	v1 "vcp.core/generated/protocol/v1"
)

var shanghai = time.FixedZone("", 8*3600)

func minimal() Parts {
	return Parts{
		ID: "tr_1", Status: call.Success,
		Tool: v1.Tool{Name: "T"},
		Execution: ExecutionPart{
			InvocationID: "ti_1", RequestID: "req_1", Attempt: 1,
			StartedAt:  time.Date(2026, 7, 11, 15, 30, 0, 0, shanghai),
			FinishedAt: time.Date(2026, 7, 11, 15, 30, 0, 23_900_000, shanghai),
			Duration:   23_900 * time.Microsecond,
		},
		Origin: v1.Origin{Source: "cli", ServerID: wire.OrNull("local")},
	}
}

func full() Parts {
	p := minimal()
	p.Status = call.Partial
	p.Tool = v1.Tool{Name: "日程", DisplayName: wire.OrNull(`a "b"`), Version: wire.OrNull("1.0.0"), Command: wire.OrNull("List")}
	p.Execution.RecordID = "tcr_1"
	p.Execution.Timeout = time.Minute
	p.Actor = &call.Actor{Type: "agent", Name: "Nova", Maid: "Nova"}
	p.Origin = v1.Origin{Source: "ai-loop", NodeID: wire.OrNull("n1"), ServerID: wire.OrNull("s"), Distributed: true}
	p.Data = Bytes([]byte(`[ 1.10 , "\/" ]`))
	p.Resources = Bytes([]byte(`[{}]`))
	p.Warnings = Bytes([]byte(`[ {"code":"X"} ]`))
	p.Error = &ErrorPart{
		Code: errcode.UpstreamError, Message: Text("<no>\n"), Category: errcode.Dependency, Retryable: true,
		Target: Text("/a"), Details: Bytes([]byte(`{"n": 1e400}`)), Cause: Bytes([]byte(`{"message":"m"}`)),
	}
	p.Task = &TaskPart{ID: "task_1", State: "completed", Progress: Bytes([]byte("1.0")), PollAfterMs: Bytes([]byte("5")), Placeholder: "{{x}}"}
	p.Presentation = Bytes([]byte(`{"summary": "s"}`))
	p.AIAdvice = Bytes([]byte(`{"intent": "none"}`))
	p.Extensions = Bytes([]byte(`{"a.b": {}}`))
	return p
}

func TestSealWritesEveryMemberInOrder(t *testing.T) {
	tests := []struct {
		name  string
		parts Parts
		want  string
	}{
		{"minimal", minimal(), `{"protocol":{"name":"vcp.tool-result","version":"1.0"},"id":"tr_1","status":"success",` +
			`"tool":{"name":"T","displayName":null,"version":null,"command":null},` +
			`"execution":{"invocationId":"ti_1","requestId":"req_1","recordId":null,"startedAt":"2026-07-11T15:30:00.000+08:00",` +
			`"finishedAt":"2026-07-11T15:30:00.023+08:00","durationMs":23,"timeoutMs":null,"attempt":1},"actor":null,` +
			`"origin":{"source":"cli","nodeId":null,"serverId":"local","distributed":false,"requestIp":null},` +
			`"data":null,"resources":[],"warnings":[],"error":null,"task":null,"presentation":null,"aiAdvice":null,` +
			`"policy":{"classification":"internal","containsSensitiveData":false,"redactionsApplied":[]},"extensions":{}}`},
		{"full", full(), `{"protocol":{"name":"vcp.tool-result","version":"1.0"},"id":"tr_1","status":"partial",` +
			`"tool":{"name":"日程","displayName":"a \"b\"","version":"1.0.0","command":"List"},` +
			`"execution":{"invocationId":"ti_1","requestId":"req_1","recordId":"tcr_1","startedAt":"2026-07-11T15:30:00.000+08:00",` +
			`"finishedAt":"2026-07-11T15:30:00.023+08:00","durationMs":23,"timeoutMs":60000,"attempt":1},` +
			`"actor":{"type":"agent","id":null,"name":"Nova","maid":"Nova"},` +
			`"origin":{"source":"ai-loop","nodeId":"n1","serverId":"s","distributed":true,"requestIp":null},` +
			`"data":[1.10,"\/"],"resources":[{}],"warnings":[{"code":"X"}],` +
			`"error":{"code":"UPSTREAM_ERROR","message":"<no>\n","category":"dependency","retryable":true,"target":"/a","details":{"n":1e400},"cause":{"message":"m"}},` +
			`"task":{"id":"task_1","state":"completed","progress":1.0,"pollAfterMs":5,"placeholder":"{{x}}"},` +
			`"presentation":{"summary":"s"},"aiAdvice":{"intent":"none"},` +
			`"policy":{"classification":"internal","containsSensitiveData":false,"redactionsApplied":[]},"extensions":{"a.b":{}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := Seal(tt.parts)
			if got := s.String(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if s.Len() != len(tt.want) {
				t.Errorf("Len() = %d, want %d", s.Len(), len(tt.want))
			}
		})
	}
}

func TestMemberReturnsWhatStandsInTheText(t *testing.T) {
	s := Seal(full())
	var want map[string]json.RawMessage
	if err := json.Unmarshal([]byte(s.String()), &want); err != nil {
		t.Fatal(err)
	}
	for m := Protocol; m < memberCount; m++ {
		name := strings.Trim(names[m], `{,":`)
		if got := s.Member(m); got != string(want[name]) {
			t.Errorf("Member(%s) = %s, want %s", name, got, want[name])
		}
		delete(want, name)
	}
	if len(want) != 0 {
		t.Errorf("no constant for %v", want)
	}
	for _, m := range []Member{-1, 0, memberCount} {
		if got := s.Member(m); got != "" {
			t.Errorf("Member(%d) = %q, want nothing", m, got)
		}
	}
	if s.ID() != "tr_1" || s.Status() != call.Partial || s.Code() != "UPSTREAM_ERROR" {
		t.Errorf("ID, Status, Code = %q, %q, %q", s.ID(), s.Status(), s.Code())
	}
}

// The bytes of data survive: numbers, escapes and member order as they came, whitespace between tokens
// gone. Both kinds of Value must agree.
func TestDataIsSplicedByteForByte(t *testing.T) {
	tests := []struct{ in, want string }{
		{`9007199254740993`, `9007199254740993`},
		{`[1.10, 1e400, -0, 0.0, 1E+2]`, `[1.10,1e400,-0,0.0,1E+2]`},
		{`{"b" : 1, "a" : 2}`, `{"b":1,"a":2}`},
		{`"\/ \u0041 é \u00e9 \ud83d\ude00 😀 <>& \u2028"`, `"\/ \u0041 é \u00e9 \ud83d\ude00 😀 <>& \u2028"`},
		{"{ \"a b\" :\t\" \\\" [ , ] \" \r\n}", `{"a b":" \" [ , ] "}`},
	}
	for _, tt := range tests {
		var tape wire.Tape
		if err := tape.Scan([]byte(tt.in), wire.Limits{}); err != nil {
			t.Fatal(err)
		}
		for name, v := range map[string]Value{"bytes": Bytes([]byte(tt.in)), "tape": At(&tape, 0)} {
			p := minimal()
			p.Data = v
			if got := Seal(p).Member(Data); got != tt.want {
				t.Errorf("%s: data %s became %s, want %s", name, tt.in, got, tt.want)
			}
		}
	}
}

func TestTimes(t *testing.T) {
	tests := []struct {
		at   time.Time
		want string
	}{
		{time.Date(2026, 1, 2, 3, 4, 5, 999_999_999, time.UTC), `"2026-01-02T03:04:05.999Z"`},
		{time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", -9000)), `"2026-01-02T03:04:05.000-02:30"`},
		{time.Date(1900, 1, 1, 8, 5, 43, 0, time.FixedZone("LMT", 8*3600+5*60+43)), `"1900-01-01T00:00:00.000Z"`},
	}
	for _, tt := range tests {
		p := minimal()
		p.Execution.StartedAt = tt.at
		if got := Seal(p).Member(Execution); !strings.Contains(got, `"startedAt":`+tt.want) {
			t.Errorf("%v is written in %s, want %s", tt.at, got, tt.want)
		}
	}
}

// scribbler writes over everything it is given, which io.Writer forbids.
type scribbler struct{}

func (scribbler) Write(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestNobodyCanChangeASealedResult(t *testing.T) {
	data := []byte(`{"a":1}`)
	p := minimal()
	p.Data = Bytes(data)
	s := Seal(p)
	want := strings.Clone(s.String())
	copy(data, `{"b":2}`)
	if n, err := s.WriteTo(scribbler{}); n != int64(len(want)) || err != nil {
		t.Errorf("WriteTo = %d, %v", n, err)
	}
	var out bytes.Buffer
	if _, err := s.WriteTo(&out); err != nil || out.String() != want || s.String() != want {
		t.Errorf("the result changed to %s, want %s", s.String(), want)
	}
}

func TestStringsOfCallersAreEscaped(t *testing.T) {
	p := minimal()
	p.Tool.Name = "\xff\"\\\x00"
	s := Seal(p)
	var tape wire.Tape
	if err := tape.Scan([]byte(s.String()), wire.Limits{}); err != nil {
		t.Fatal(err)
	}
	if got, want := s.Member(Tool), `{"name":"`+"\uFFFD"+`\"\\\u0000","displayName":null,"version":null,"command":null}`; got != want {
		t.Errorf("tool = %s, want %s", got, want)
	}
}

// What it costs to seal a result, to seal and open it, and to do both at once: small is one that says 1.2 KB in one string,
// table one with many values.
func BenchmarkSeal(b *testing.B) {
	small := `{"text":"` + strings.Repeat("0123456789abcdef", 75) + `"}`
	table := `{"schedules":[` + strings.Repeat(`{"id":"sch_01J","time":"2026-07-12T10:00:00+08:00","content":"meeting"},`, 12) + `{}]}`
	ways := []struct {
		name string
		do   func(p Parts)
	}{
		{"sealed", func(p Parts) { Seal(p) }},
		{"then opened", func(p Parts) { _, _ = Open(Seal(p)) }},
		{"opened", func(p Parts) { _, _ = Open(SealOpen(p)) }},
	}
	for name, doc := range map[string]string{"small": small, "table": table} {
		var tape wire.Tape
		if err := tape.Scan([]byte(doc), wire.Limits{}); err != nil {
			b.Fatal(err)
		}
		p := valid()
		p.Data, p.Error = At(&tape, 0), nil
		for _, way := range ways {
			b.Run(name+"/"+way.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					way.do(p)
				}
			})
		}
	}
}
