package fuzz

import (
	"context"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/mutate"
	"vcp.core/gen/manifest"
	"vcp.core/gen/protocol"
	schedulecontract "vcp.core/generated/plugins/schedulemanager"
	"vcp.core/generated/registry"
	schedulemanager "vcp.core/plugins/ScheduleManager"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
)

// harness runs payloads of the fuzzer's choice through a runtime. Its tools Synchronous, Asynchronous and
// Hybrid have one command Run that takes and gives anything; their manifest fills in what it can.
type harness struct {
	runtime *runtime.Runtime // with generated contracts
	live    *runtime.Runtime // with the same ones, compiled just now
	payload []byte           // what the handler returns next
	payouts *payloads
}

type payloads struct{ tape wire.Tape }

func (h *harness) Handle(context.Context, call.Invocation) ([]byte, error) { return h.payload, nil }

// accepting is a judge that accepts everything.
type accepting struct{}

func (accepting) Verdict(*wire.Tape) wire.Verdict { return wire.Valid }

var kinds = []call.Kind{call.Synchronous, call.Asynchronous, call.Hybrid}

func newHarness(t testing.TB) *harness {
	t.Helper()
	catalog, list := manifest.Load("../plugins/ScheduleManager")
	if len(list) > 0 {
		t.Fatal(list)
	}
	h := &harness{payouts: new(payloads)}
	h.runtime = h.over(t, registry.New().Specs())
	h.live = h.over(t, catalog.Specs())
	return h
}

// over makes a runtime of the given tools and those of the harness.
func (h *harness) over(t testing.TB, shipped []*call.Spec) *runtime.Runtime {
	plugin := new(schedulemanager.Plugin)
	t.Cleanup(func() { _ = plugin.Close() })
	var own []*call.Spec
	options := []runtime.Option{
		runtime.Bind(schedulecontract.Tool, schedulecontract.Bind(plugin)), runtime.DataDir(t.TempDir()),
		runtime.Limit(runtime.Limits{Arguments: wire.Limits{Bytes: 1 << 16}, Payload: wire.Limits{Bytes: 1 << 16, Depth: 100}}),
	}
	for _, kind := range kinds {
		own = append(own, &call.Spec{
			Tool: string(kind), DisplayName: "工具", Version: "1.0.0", Command: "Run", Kind: kind, Protocol: manifest.Direct,
			Effect: call.Write, Timeout: time.Minute, Discriminator: "command", Input: accepting{}, Output: accepting{},
			Presentation: []byte(`{"title":"T","preferredView":"table"}`),
			Advice:       []byte(`{"intent":"relay","message":"m","renderHint":"text"}`),
		})
		options = append(options, runtime.Bind(string(kind), h))
	}
	return runtime.New(call.NewTable(shipped, own), options...)
}

// lawful holds a result against the protocol.
func lawful(t testing.TB, res call.Result) *result.Sealed {
	t.Helper()
	s, ok := res.(*result.Sealed)
	if !ok {
		t.Fatalf("the result is a %T", res)
	}
	verdict, violations, err := protocol.Validator(schema.Result).Check([]byte(s.String()), wire.Limits{Bytes: 1 << 26, Depth: 2000})
	if err != nil || verdict != wire.Valid {
		t.Fatalf("the result breaks its schema: %v %+v\n%s", err, violations, s)
	}
	return s
}

// answer runs a payload through a tool of the given kind and checks what must hold of every answer:
//
//   - the result is canonical;
//   - a payload that its schema refuses is refused, with that code and nothing of it in the result;
//   - one that is accepted has its status, and its data byte for byte but for white space.
//
// It reports whether the payload was accepted.
func (h *harness) answer(t testing.TB, kind call.Kind, payload []byte) bool {
	t.Helper()
	h.payload = payload
	s := lawful(t, h.runtime.Execute(context.Background(), call.Call{Tool: string(kind), Command: "Run"}))
	if s.Code() == "INTERNAL_ERROR" && s.Member(result.Data) == "null" {
		// Either the payload says so itself, or the runtime broke down on it.
		if verdict, _, err := protocol.Validator(schema.Payload).Check(payload, wire.Limits{}); err != nil || verdict != wire.Valid {
			t.Fatalf("the runtime broke down on %q: %s", payload, s)
		}
	}
	tape := &h.payouts.tape
	scanned := tape.Scan(payload, wire.Limits{Bytes: 1 << 16, Depth: 100}) == nil
	valid := scanned && protocol.Validator(schema.Payload).Verdict(tape) == wire.Valid
	refused := s.Code() == "INVALID_TOOL_RESULT" && s.Member(result.Data) == "null" && s.Member(result.Extensions) == "{}"
	if !valid {
		if !refused {
			t.Fatalf("%q is no payload but was accepted: %s", payload, s)
		}
		return false
	}
	status, _ := tape.Find(0, "status")
	if string(s.Status()) != tape.String(status) {
		if !refused {
			t.Fatalf("%q: status %s: %s", payload, s.Status(), s)
		}
		return false // the kind, or a resource
	}
	data, _ := tape.Find(0, "data")
	if got, want := s.Member(result.Data), string(tape.AppendCompact(nil, data)); got != want && !refused {
		t.Fatalf("data %s became %s", want, got)
	}
	return !refused
}

// seeds are payloads of every status.
var seeds = []string{
	`{"status":"success","data":{"n":9007199254740993,"x":[1.10,1e400,"\u0041\/"]},"resources":[],"warnings":[{"code":"A.B","message":"m"}],"presentation":{"summary":"s"},"aiAdvice":{"intent":"relay","resourceIds":[],"priority":"low"},"extensions":{"a.b":{}}}`,
	`{"status":"error","data":null,"resources":[],"warnings":[],"error":{"code":"UPSTREAM_ERROR","message":"m","retryable":true,"target":null,"details":{"reason":"x"},"cause":{"message":"c"}},"extensions":{}}`,
	`{"status":"partial","data":[],"resources":[],"warnings":[],"error":{"code":"A.B","message":"m"},"extensions":{}}`,
	`{"status":"accepted","data":null,"task":{"id":"t-1","state":"queued","progress":0.5,"pollAfterMs":5000},"resources":[],"warnings":[],"extensions":{}}`,
	`{"status":"cancelled","data":null,"resources":[],"warnings":[],"error":{"code":"TOOL_CANCELLED","message":"m"},"extensions":{}}`,
	`{"status":"timeout","data":null,"resources":[],"warnings":[],"error":{"code":"TOOL_TIMEOUT","message":"m","category":"timeout"},"task":{"id":"t","state":"timed_out"},"extensions":{}}`,
	`{"status":"success","data":{"image":{"$resource":"a"}},"resources":[{"id":"a","kind":"image","role":"output","localPath":"a.png"}],"warnings":[],"extensions":{}}`,
	`{"status":"success","id":"tr_1","data":null,"resources":[],"warnings":[],"extensions":{}}`,
	`{"status":"success","data":1,"data":2,"resources":[],"warnings":[],"extensions":{}}`,
	"{\"status\":\"success\",\"data\":\"\xff\"}", `[`, ``, `null`, `{"status":"\ud800"}`,
}

// TestResultsAreLawful runs payloads that are nearly valid through the runtime.
func TestResultsAreLawful(t *testing.T) {
	documents := map[string][]byte{}
	for _, d := range schema.All() {
		documents[d.ID] = d.Source
	}
	s, err := mutate.NewSchema(schema.Base+schema.Version+"/payload.schema.json", documents)
	if err != nil {
		t.Fatal(err)
	}
	var instances [][]byte
	for _, text := range seeds[:8] {
		instances = append(instances, []byte(text))
	}
	maker, err := mutate.New(s, instances, 1)
	if err != nil {
		t.Fatal(err)
	}
	h := newHarness(t)
	accepted := 0
	const documentsMade = 20_000
	for i := range documentsMade {
		d := maker.Next()
		ok := h.answer(t, kinds[i%len(kinds)], d.Bytes)
		maker.Saw(d, ok)
		if ok {
			accepted++
		}
	}
	t.Logf("%d payloads, %d accepted", documentsMade, accepted)
	if accepted < documentsMade/10 || accepted > documentsMade*9/10 {
		t.Errorf("%d of %d payloads were accepted: the stream tries one side only", accepted, documentsMade)
	}
}

func FuzzPayload(f *testing.F) {
	for i, text := range seeds {
		f.Add(uint8(i), []byte(text))
	}
	h := newHarness(f)
	f.Fuzz(func(t *testing.T, kind uint8, payload []byte) {
		h.answer(t, kinds[int(kind)%len(kinds)], payload)
	})
}

// FuzzCall calls with anything: names, arguments and envelope fields of any bytes. Generated contracts and
// live say the same about every call.
func FuzzCall(f *testing.F) {
	f.Add("ScheduleManager", "CreateSchedule", []byte(`{"time":"2026-07-12T10:00:00+08:00","content":"x"}`), "cli", "")
	f.Add("ScheduleManager", "", []byte(`{"command":"ListSchedules","limit":1.0e1}`), "", "req_01K0000000000000000000000A")
	f.Add("ScheduleManager", "UpdateSchedule", []byte(`{"id":"sch_01K0000000000000000000000A","time":"2016-12-31T23:59:60Z"}`), "x", "y")
	f.Add("ScheduleManager", "DeleteSchedule", []byte(`{"id":"sch_01K0000000000000000000000A"}`), "\xff", "\x00")
	f.Add("synchronous", "Run", []byte(`{"a":{"b":[1.10,"\ud83d\ude00"]}}`), "", "")
	f.Add("\xff\x00\"", "a\nb", []byte("{\"\xc3\":1}"), "é", "req_")
	h := newHarness(f)
	f.Fuzz(func(t *testing.T, tool, command string, arguments []byte, source, request string) {
		h.payload = []byte(`{"status":"success","data":null,"resources":[],"warnings":[],"extensions":{}}`)
		c := call.Call{Tool: tool, Command: command, Arguments: arguments, Source: source, RequestID: request, Actor: &call.Actor{Type: source, Name: tool},
			Options: call.Options{SkipApproval: true}}
		s := lawful(t, h.runtime.Execute(context.Background(), c))
		if s.Code() == "INTERNAL_ERROR" {
			t.Fatalf("%s.%s %q: %s", tool, command, arguments, s)
		}
		if l := lawful(t, h.live.Execute(context.Background(), c)); l.Status() != s.Status() || l.Member(result.Error) != s.Member(result.Error) {
			t.Fatalf("%s.%s %q: with the generated contract %s\nwith live %s", tool, command, arguments, s, l)
		}
	})
}
