package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/load"
	"vcp.core/gen/manifest"
	schedulecontract "vcp.core/generated/plugins/schedulemanager"
	built "vcp.core/generated/registry"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
)

// The faults of fault-kinds.json that this package answers for. Those of presenters, doors and other
// transports are tested where they are; K28 is in TestApproval.
var faults = map[string]func(t *testing.T){
	"K00": resultIntegersKeepTheirDigits,
	"K01": argumentIntegersKeepTheirDigits,
	"K18": unsetListsAreEmptyLists,
	"K20": nothingRunsAfterItsLimit,
	"K21": aStringIsNotTheObjectThatWasPromised,
	"K26": hostileSchemasAreNotRegistered,
	"K30": wrongArgumentsAreExplained,
	"K31": jsonIsEncodedOnce,
	"K32": anglesStayLiteral,
	"K48": logsHoldNoArgumentsAndResults,
}

func TestFaultKinds(t *testing.T) {
	for id, test := range faults {
		t.Run(id, test)
	}
}

// run makes a runtime of one command and calls it.
func run(t *testing.T, s *call.Spec, h call.Handler, arguments string, options ...runtime.Option) *result.Sealed {
	t.Helper()
	r := runtime.New(registry{s}, append(options, runtime.Bind("T", h))...)
	return execute(t, r, call.Call{Tool: "T", Command: "Run", Arguments: []byte(arguments)})
}

func resultIntegersKeepTheirDigits(t *testing.T) {
	const data = `{"id":9007199254740993,"big":9223372036854775807123456789,"exact":0.10000000000000000001,"exponent":1E+2}`
	s := run(t, spec(t, `true`, `{"properties":{"id":{"type":"integer"}}}`), answer(ok(data)), `{}`)
	if got := s.Member(result.Data); got != data {
		t.Errorf("data %s", got)
	}
	var written bytes.Buffer
	if n, err := s.WriteTo(&written); err != nil || int(n) != s.Len() || !strings.Contains(written.String(), data) {
		t.Errorf("written %s, %v", written.String(), err)
	}
	read, err := result.Parse(written.Bytes())
	if err != nil || read.String() != s.String() {
		t.Errorf("read back: %v, %v", read, err)
	}
	v, err := result.Open(s)
	if err != nil || !strings.Contains(v.String(), data) {
		t.Errorf("visible: %v, %v", v, err)
	}
}

func argumentIntegersKeepTheirDigits(t *testing.T) {
	seen := call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
		return []byte(ok(string(wire.AppendQuoted(nil, string(in.Arguments))))), nil
	})
	const sent = `{"n":9007199254740993}`
	if s := run(t, spec(t, `{"properties":{"n":{"type":"integer"}}}`, `true`), seen, sent); s.Member(result.Data) != `"{\"n\":9007199254740993}"` {
		t.Errorf("the handler saw %s", s.Member(result.Data))
	}
	s := run(t, spec(t, `{"properties":{"n":{"type":"integer","maximum":9007199254740992}}}`, `true`), seen, sent)
	if s.Code() != "INVALID_ARGUMENT" || at(t, s, "/error/target") != `"/n"` || !strings.Contains(at(t, s, "/error/message"), "9007199254740993") {
		t.Errorf("%s", s.Member(result.Error))
	}
}

// listing is a plugin whose list was never set.
type listing struct{ schedulecontract.Handler }

func (listing) ListSchedules(context.Context, *schedulecontract.Invocation, schedulecontract.ListSchedulesInput) (call.Answer[schedulecontract.ListSchedulesOutput], error) {
	return call.Answer[schedulecontract.ListSchedulesOutput]{}, nil
}

func unsetListsAreEmptyLists(t *testing.T) {
	r := runtime.New(built.New(), runtime.Bind(schedulecontract.Tool, schedulecontract.Bind(listing{})))
	s := execute(t, r, call.Call{Tool: schedulecontract.Tool, Command: "ListSchedules"})
	if got := s.Member(result.Data); got != `{"schedules":[],"total":0}` {
		t.Errorf("data %s: %s", got, s.Member(result.Error))
	}
}

func nothingRunsAfterItsLimit(t *testing.T) {
	s := spec(t, `true`, `true`)
	synctest.Test(t, func(t *testing.T) {
		var running, told atomic.Int64
		r := runtime.New(registry{s}, runtime.Bind("T", call.HandlerFunc(func(ctx context.Context, _ call.Invocation) ([]byte, error) {
			running.Add(1)
			defer running.Add(-1)
			select {
			case <-time.After(time.Minute):
			case <-ctx.Done():
				told.Add(1)
			}
			return []byte(ok("1")), nil
		})))
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				res := lawful(t, r.Execute(t.Context(), call.Call{Tool: "T", Command: "Run", Timeout: 200 * time.Millisecond}))
				if res.Status() != call.Timeout || res.Code() != "TOOL_TIMEOUT" {
					t.Errorf("%s %s", res.Status(), res.Code())
				}
			})
		}
		time.Sleep(2 * time.Second)
		wg.Wait()
		if running.Load() != 0 || told.Load() != 50 {
			t.Errorf("%d are running, %d of 50 were told", running.Load(), told.Load())
		}
	})
}

func aStringIsNotTheObjectThatWasPromised(t *testing.T) {
	s := run(t, spec(t, `true`, `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`), answer(ok(`"done"`)), `{}`)
	if s.Code() != "INVALID_TOOL_RESULT" || at(t, s, "/error/target") != `"/data"` || at(t, s, "/error/details/reason") != `"SCHEMA_MISMATCH"` ||
		at(t, s, "/error/message") != `"data: expected object, got \"done\""` || at(t, s, "/error/details/violations/0/pointer") != `"/data"` {
		t.Errorf("%s", s.Member(result.Error))
	}
}

func hostileSchemasAreNotRegistered(t *testing.T) {
	asked := false
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer server.Close()
	bomb := `{"$defs":{"d20":true`
	for i := range 20 {
		bomb += fmt.Sprintf(`,"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"anyOf":[{"$ref":"#/$defs/d%d"}]}]}`, i, i+1, i+1)
	}
	for schema, want := range map[string]string{
		`{"$ref":"` + server.URL + `/x"}`: "needs the network, which is never used",
		bomb + `},"$ref":"#/$defs/d0"}`:   "100000",
	} {
		const before = `{"name":"T","version":"1.0.0","description":"d","pluginType":"synchronous","entryPoint":{"direct":true},"communication":{"protocol":"direct"},` +
			`"toolResultProtocol":{"name":"vcp.tool-result","version":"1.0"},"capabilities":{"invocationCommands":[{"commandIdentifier":"Run","description":"d","effect":"read",` +
			`"inputSchema":{"type":"object"},"outputSchema":`
		file, list := load.Parse("plugin-manifest.json", []byte(before+schema+`}]}}`), wire.Limits{})
		if len(list) > 0 {
			t.Fatal(list)
		}
		start := time.Now()
		plugin, found := manifest.Compile(file)
		if took := time.Since(start); plugin != nil || !strings.Contains(fmt.Sprint(found), want) || took > 20*time.Second {
			t.Errorf("%.80s: after %v: %v", schema, took, found)
		}
	}
	if asked {
		t.Error("a reference was followed into the network")
	}
}

func wrongArgumentsAreExplained(t *testing.T) {
	s := spec(t, `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`, `true`)
	for arguments, want := range map[string]string{
		`{"n":"7"}`: `INVALID_ARGUMENT "/n" "argument \"n\": expected integer, got \"7\" (did you mean 7 without quotes?)"`,
		`{}`:        `MISSING_ARGUMENT "/n" "argument \"n\" is missing"`,
	} {
		res := run(t, s, echo, arguments)
		if got := fmt.Sprint(res.Code(), " ", at(t, res, "/error/target"), " ", at(t, res, "/error/message")); got != want {
			t.Errorf("%s: %s, want %s", arguments, got, want)
		}
	}
}

func jsonIsEncodedOnce(t *testing.T) {
	const data = `{"object":{"list":[1,{"deep":"x"}]},"text":"{\"still\":\"a string\"}"}`
	s := run(t, spec(t, `true`, `true`), answer(ok(data)), `{}`)
	if got := s.Member(result.Data); got != data {
		t.Errorf("data %s", got)
	}
	if at(t, s, "/data/object/list/1/deep") != `"x"` || at(t, s, "/data/text") != `"{\"still\":\"a string\"}"` {
		t.Errorf("%s", s)
	}
}

func anglesStayLiteral(t *testing.T) {
	const html = `"<b>&</b>"`
	s := run(t, spec(t, `true`, `true`, func(s *call.Spec) { s.DisplayName = "a<b>&c" }), answer(payloadOf("error", `"data":{"html":`+html+`}`, `"error":{"code":"X.Y","message":"<no> & no"}`)), `{}`)
	if s.Member(result.Data) != `{"html":`+html+`}` || at(t, s, "/error/message") != `"<no> & no"` || at(t, s, "/tool/displayName") != `"a<b>&c"` || strings.Contains(s.String(), `\u00`) {
		t.Errorf("%s", s)
	}
}

// The most talkative log, and calls that end in every way.
func logsHoldNoArgumentsAndResults(t *testing.T) {
	const key, token = "sk_live_4711", "tok_0815"
	var log bytes.Buffer
	loud := runtime.Logger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug - 10})))
	strict := spec(t, `{"properties":{"api_key":{"type":"string"}}}`, `{"type":"object"}`)
	for _, payload := range []string{ok(`{"token":"` + token + `"}`), ok(`"` + token + `"`), payloadOf("error", `"error":{"code":"X.Y","message":"`+token+`"}`), token} {
		run(t, strict, answer(payload), `{"api_key":"`+key+`"}`, loud)
		run(t, strict, answer(payload), `{"api_key":["`+key+`"]}`, loud)
		run(t, strict, answer(payload), `{"api_key":"`+key+`"`, loud)
	}
	run(t, strict, call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) { return nil, os.ErrClosed }), `{"api_key":"`+key+`"}`, loud)
	if !strings.Contains(log.String(), "msg=call") || strings.Contains(log.String(), key) || strings.Contains(log.String(), token) {
		t.Errorf("the log says %s", log.String())
	}
}
