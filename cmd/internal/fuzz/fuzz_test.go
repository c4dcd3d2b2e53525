package fuzz

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/manifest"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
)

const faulty = `{
  "name": "Faulty", "version": "0.1.0", "description": "Breaks in many ways.", "pluginType": "synchronous", "entryPoint": {"direct": true},
  "communication": {"protocol": "direct", "timeoutMs": 20000, "graceMs": 10}, "toolResultProtocol": {"name": "vcp.tool-result", "version": "1.0"},
  "configSchema": {"type": "object", "properties": {"key": {"type": "string", "minLength": 8, "writeOnly": true}, "place": {"type": "string"}}, "required": ["key", "place"], "additionalProperties": false},
  "capabilities": {"invocationCommands": [{
    "commandIdentifier": "Sum", "description": "Adds.", "effect": "read", "errorCodes": ["INVALID_ARGUMENT", "FAULTY.ODD"],
    "inputSchema": {"type": "object", "properties": {"list": {"type": "array", "items": {"type": "integer", "minimum": -5000, "maximum": 5000}, "maxItems": 6},
      "note": {"type": "string", "maxLength": 30}, "deep": {"$ref": "#/$defs/node"}}, "required": ["list"], "additionalProperties": false,
      "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "additionalProperties": false}}},
    "outputSchema": {"type": "object", "properties": {"sum": {"type": "integer"}, "id": {"type": "string"}}, "required": ["sum"], "additionalProperties": false},
    "examples": [{"list": [1, 2]}]
  }]}}`

// arguments of Sum.
type arguments struct {
	List []float64       `json:"list"`
	Note *string         `json:"note"`
	Deep json.RawMessage `json:"deep"`
}

const fine = `{"status":"success","data":{"sum":7,"id":"thing_1"},"resources":[],"warnings":[],"extensions":{}}`

func failing(code string) string {
	return `{"status":"error","data":null,"error":{"code":"` + code + `","message":"no"},"resources":[],"warnings":[],"extensions":{}}`
}

// fuzzed runs the fuzzer on a plugin.
func fuzzed(t *testing.T, text string, documents int, handle func(ctx context.Context, in arguments, config string) (string, error)) *Report {
	t.Helper()
	plugin, list := manifest.Parse("plugin-manifest.json", []byte(text))
	if plugin == nil {
		t.Fatal(list)
	}
	catalog, _ := manifest.NewCatalog(plugin)
	specs := catalog.Specs()
	config, secrets, ok := Config("config", specs[0].ConfigSchema, 1)
	if !ok || len(secrets) != 1 || !bytes.Contains(config, []byte(secrets[0])) {
		t.Fatalf("the configuration %s has the secrets %q", config, secrets)
	}
	witness := new(Witness)
	handler := call.HandlerFunc(func(ctx context.Context, in call.Invocation) ([]byte, error) {
		var a arguments
		if err := json.Unmarshal(in.Arguments, &a); err != nil {
			t.Errorf("%s: %v", in.Arguments, err)
		}
		out, err := handle(ctx, a, string(in.Config))
		return []byte(out), err
	})
	r := runtime.New(catalog, runtime.Bind("Faulty", witness.Handler(handler)), runtime.Config(func(string) []byte { return config }))
	defer func() { _ = r.Close(context.Background()) }()
	report, err := Run(context.Background(), Options{
		Specs: specs, Witness: witness, Secrets: secrets, Documents: documents, Seed: 1,
		Run: func(ctx context.Context, c call.Call) Result { return r.Execute(ctx, c).(*result.Sealed) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// Each fault that is planted is found, as what it is, with the smallest arguments that show it.
func TestFindings(t *testing.T) {
	for _, c := range []struct {
		name, rule, code, reason, arguments string
		handle                              func(ctx context.Context, in arguments, config string) (string, error)
	}{
		{"panic", "broken", "INTERNAL_ERROR", "PANIC", `{"list":[1001]}`, func(_ context.Context, in arguments, _ string) (string, error) {
			for _, n := range in.List {
				if n > 1000 {
					panic("too large")
				}
			}
			return fine, nil
		}},
		{"error", "broken", "INTERNAL_ERROR", "", `{"list":[0,0,0]}`, func(_ context.Context, in arguments, _ string) (string, error) {
			if len(in.List) >= 3 {
				return "", errors.New("unexpected")
			}
			return fine, nil
		}},
		{"wrong data", "broken", "INVALID_TOOL_RESULT", "SCHEMA_MISMATCH", `{"list":[-1]}`, func(_ context.Context, in arguments, _ string) (string, error) {
			if len(in.List) > 0 && in.List[0] < 0 {
				return strings.Replace(fine, `"sum":7`, `"sum":0.5`, 1), nil
			}
			return fine, nil
		}},
		{"no JSON", "broken", "INVALID_TOOL_RESULT", "NOT_JSON", `{"list":[],"note":""}`, func(_ context.Context, in arguments, _ string) (string, error) {
			if in.Note != nil {
				return "7", nil
			}
			return fine, nil
		}},
		{"too late", "broken", "TOOL_TIMEOUT", "", `{"list":[],"deep":{}}`, func(ctx context.Context, in arguments, _ string) (string, error) {
			if in.Deep != nil {
				<-ctx.Done()
			}
			return fine, nil
		}},
		{"undeclared", "undeclared", "UNDECLARED_ERROR_CODE", "FAULTY.EVEN", `{"list":[],"note":"aaaaaaaa"}`, func(_ context.Context, in arguments, _ string) (string, error) {
			if in.Note != nil && utf8.RuneCountInString(*in.Note) > 7 {
				return failing("FAULTY.EVEN"), nil
			}
			return fine, nil
		}},
		{"secret", "secret", "SECRET_REDACTED", "", `{"list":[]}`, func(_ context.Context, in arguments, config string) (string, error) {
			if len(in.List) == 0 {
				_, secret, _ := strings.Cut(config, `"key":`)
				return strings.Replace(fine, `"thing_1"`, secret[:30], 1), nil
			}
			return fine, nil
		}},
	} {
		const documents = 200
		text := faulty
		if c.code == "TOOL_TIMEOUT" {
			text = strings.Replace(text, "20000", "100", 1)
		}
		var r *Report
		synctest.Test(t, func(t *testing.T) { r = fuzzed(t, text, documents, c.handle) }) // nobody is late but who waits for his limit
		if len(r.Findings) != 1 {
			t.Errorf("%s: %d findings: %+v", c.name, len(r.Findings), r.Findings)
			continue
		}
		f := r.Findings[0]
		if c.name == "no JSON" {
			f.Reason = c.reason // the runtime says what it would rather have had
		}
		if string(f.Rule) != c.rule || f.Code != c.code || f.Reason != c.reason || string(f.Arguments) != c.arguments || !f.Repeats || !f.Minimal || f.Message == "" {
			t.Errorf("%s: %s %s %s %q, repeats %v, minimal %v: %s", c.name, f.Rule, f.Code, f.Reason, f.Message, f.Repeats, f.Minimal, f.Arguments)
		}
		if f.Times < 2 || r.Calls <= 0 || r.Refused == 0 || r.Documents != documents || len(r.Hard) != 0 {
			t.Errorf("%s: met %d times; %+v", c.name, f.Times, r.Tally)
		}
	}
}

// A plugin without a fault has no findings; a declared failure is none.
func TestClean(t *testing.T) {
	notes := map[string]bool{}
	r := fuzzed(t, faulty, 600, func(_ context.Context, in arguments, _ string) (string, error) {
		if in.Note != nil {
			notes[*in.Note] = true
		}
		if len(in.List)%2 == 1 {
			return failing("FAULTY.ODD"), nil
		}
		return fine, nil
	})
	if len(r.Findings) != 0 || r.Calls < 200 || r.Refused < 200 {
		t.Errorf("%+v", r)
	}
	if !notes["thing_1"] {
		t.Error("what a result showed did not come back as an argument")
	}
}

// What does not show again is said to do so, and kept as it was. The next one of its kind is not told again.
func TestPassing(t *testing.T) {
	calls := 0
	r := fuzzed(t, faulty, 100, func(context.Context, arguments, string) (string, error) {
		if calls++; calls%10 == 9 {
			panic("now and then")
		}
		return fine, nil
	})
	if len(r.Findings) != 1 || r.Findings[0].Repeats || r.Findings[0].Times < 3 || !bytes.Equal(r.Findings[0].Arguments, r.Findings[0].Original) {
		t.Errorf("%+v", r.Findings)
	}
}

// It ends when the time is over, and when nobody waits for it any more.
func TestEnd(t *testing.T) {
	plugin, _ := manifest.Parse("plugin-manifest.json", []byte(faulty))
	catalog, _ := manifest.NewCatalog(plugin)
	for _, c := range []struct {
		time   time.Duration
		cancel int
	}{{time: 30 * time.Millisecond}, {cancel: 5}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			witness, calls := new(Witness), 0
			r := runtime.New(catalog, runtime.Bind("Faulty", witness.Handler(call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) {
				if calls++; calls == c.cancel {
					cancel()
				}
				time.Sleep(time.Millisecond) // by the clock of the test: nothing else takes time
				return []byte(fine), nil
			}))), runtime.Config(func(string) []byte { return []byte(`{"key":"0123456789","place":""}`) }))
			report, err := Run(ctx, Options{Specs: catalog.Specs(), Witness: witness, Time: c.time, Seed: 1, Run: func(ctx context.Context, c call.Call) Result { return r.Execute(ctx, c).(*result.Sealed) }})
			if err != nil || len(report.Findings) != 0 || report.Documents == 0 || report.Calls > max(c.cancel, int(c.time.Milliseconds()))+1 {
				t.Errorf("%+v: %+v, %v", c, report, err)
			}
			cancel()
			_ = r.Close(context.Background())
		})
	}
}

// What the runtime does wrong is found as well: here somebody else does it.
func TestCheck(t *testing.T) {
	plugin, _ := manifest.Parse("plugin-manifest.json", []byte(faulty))
	catalog, _ := manifest.NewCatalog(plugin)
	spec := catalog.Specs()[0]
	r := runtime.New(catalog, runtime.Bind("Faulty", call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) { return []byte(fine), nil })),
		runtime.Config(func(string) []byte { return []byte(`{"key":"0123456789","place":""}`) }))
	defer func() { _ = r.Close(context.Background()) }()
	text := func(tool, arguments string) string {
		return r.Execute(context.Background(), call.Call{Tool: tool, Command: "Sum", Arguments: []byte(arguments)}).(*result.Sealed).String()
	}
	good, refused, unknown := text("Faulty", `{"list":[]}`), text("Faulty", `{}`), text("Other", `{}`)
	for _, c := range []struct {
		name, rule string
		o          outcome
		secrets    []string
	}{
		{"as it must be", "", outcome{text: good, verdict: wire.Valid, seen: true, sawVerdict: wire.Valid}, []string{"another"}},
		{"refused", "", outcome{text: refused, verdict: wire.Invalid}, nil},
		{"completed", "", outcome{text: good, verdict: wire.Invalid, seen: true, sawVerdict: wire.Valid}, nil},
		{"let through", "let-through", outcome{text: good, verdict: wire.Invalid, seen: true, sawVerdict: wire.Invalid}, nil},
		{"kept back", "kept-back", outcome{text: refused, verdict: wire.Valid}, nil},
		{"wrong code", "refusal", outcome{text: unknown, verdict: wire.Invalid}, nil},
		{"success without the plugin", "refusal", outcome{text: good, verdict: wire.Undecided}, nil},
		{"no result", "canonical", outcome{text: `{}`, verdict: wire.Valid, seen: true, sawVerdict: wire.Valid}, nil},
		{"another order", "canonical", outcome{text: reordered(t, good), verdict: wire.Valid, seen: true, sawVerdict: wire.Valid}, nil},
		{"a secret", "secret", outcome{text: good, verdict: wire.Valid, seen: true, sawVerdict: wire.Valid}, []string{"thing_1"}},
	} {
		got := ""
		if f := check(spec, &c.o, c.secrets); f != nil {
			got = string(f.Rule)
		}
		if got != c.rule {
			t.Errorf("%s: %q, want %q", c.name, got, c.rule)
		}
	}
}

// reordered moves the first member of a result to its end.
func reordered(t *testing.T, text string) string {
	t.Helper()
	members := object([]byte(text))
	if len(members) == 0 {
		t.Fatal(text)
	}
	out := []byte("{}")
	for _, m := range slices.Concat(members[1:], members[:1]) {
		out = set(out, m.name, m.value)
	}
	return string(out)
}
