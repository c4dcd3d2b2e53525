package runtime_test

import (
	"context"
	"strings"
	"testing"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
)

const strictInput = `{
	"type": "object",
	"properties": {
		"command": {"const": "Run"},
		"time": {"type": "string", "minLength": 3},
		"limit": {"type": "integer", "maximum": 9, "default": 5},
		"deep": {"type": "object", "properties": {"a/b": {"type": "array", "items": {"type": "null"}}}, "required": ["x"]}
	},
	"required": ["command", "time"],
	"additionalProperties": false
}`

func strict(s *call.Spec) {
	s.SuppliesDiscriminator = true
	s.Defaults = []call.Default{{Name: "limit", Value: []byte("5")}}
}

// toolRegistry has a strict command, a disabled tool, one on another transport and one nobody linked.
func toolRegistry(t testing.TB) registry {
	plain := func(*call.Spec) {}
	named := func(tool, command string, more func(*call.Spec)) *call.Spec {
		return spec(t, `true`, `true`, func(s *call.Spec) { s.Tool, s.Command = tool, command; more(s) })
	}
	return registry{
		spec(t, strictInput, `true`, strict),
		named("T", "Other", plain),
		named("Off", "Run", func(s *call.Spec) { s.Disabled = true }),
		named("Far", "Run", func(s *call.Spec) { s.Protocol = "stdio" }),
		named("Loose", "Run", plain),
		spec(t, `{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `true`, func(s *call.Spec) { s.Tool = "Either" }),
	}
}

func TestCallsThatReachNoHandler(t *testing.T) {
	r := runtime.New(toolRegistry(t), runtime.Bind("T", answer(ok("null"))), runtime.Limit(runtime.Limits{Arguments: wire.Limits{Bytes: 400, Depth: 10}}))
	long := strings.Repeat("x", 300)
	tests := []struct {
		name          string
		tool, command string
		arguments     string
		code          string
		target        string // raw JSON
		reason        string
		message       string // part of it
	}{
		{"no such tool", "Nope", "Run", `{}`, "TOOL_NOT_FOUND", `null`, "", `no tool \"Nope\"`},
		{"no such tool, almost", "lo-ose", "Run", `{}`, "TOOL_NOT_FOUND", `null`, "", `did you mean Loose?`},
		{"a command in the name", "Loose.Run", "", `{}`, "TOOL_NOT_FOUND", `null`, "", `no tool \"Loose.Run\"; did you mean the command Run of the tool Loose?`},
		{"a command in the name, once more", "Loose.Run", "Run", `{}`, "TOOL_NOT_FOUND", `null`, "", `; did you mean the command Run of the tool Loose?`},
		{"no command in the name", "Loose.Walk", "", `{}`, "TOOL_NOT_FOUND", `null`, "", `no tool \"Loose.Walk\"`},
		{"no name", "", "", `{}`, "TOOL_NOT_FOUND", `null`, "", `no tool \"\"`},
		{"a name that is no UTF-8", "\xff", "\xff", `{}`, "TOOL_NOT_FOUND", `null`, "", `no tool`},
		{"a name without end", long, "Run", `{}`, "TOOL_NOT_FOUND", `null`, "", `x…\"`},
		{"no such command", "T", "run", `{}`, "UNKNOWN_COMMAND", `null`, "", `no command \"run\"; it has Run, Other`},
		{"no such command inside", "T", "", `{"command":"go"}`, "UNKNOWN_COMMAND", `"/command"`, "", `no command \"go\"; it has Run, Other`},
		{"command nowhere", "T", "", `{}`, "MISSING_ARGUMENT", `"/command"`, "", `names no command: give \"command\" as one of Run, Other`},
		{"command is a number", "T", "", `{"command":1}`, "INVALID_ARGUMENT", `"/command"`, "", `expected a string, got a number`},
		{"disabled", "Off", "Run", `{}`, "TOOL_DISABLED", `null`, "", `Off is switched off`},
		{"disabled comes before the command", "Off", "Nope", `{}`, "TOOL_DISABLED", `null`, "", `Off is switched off`},
		{"another transport", "Far", "Run", `{}`, "TRANSPORT_FAILURE", `null`, "", `no transport for the protocol \"stdio\"`},
		{"not linked", "Loose", "Run", `{}`, "TRANSPORT_FAILURE", `null`, "", `not linked`},

		{"not JSON", "T", "Run", `{"time":}`, "INVALID_ARGUMENT", `null`, "NOT_JSON", `at byte 8`},
		{"empty", "T", "Run", ``, "INVALID_ARGUMENT", `null`, "NOT_JSON", `end of the document`},
		{"two values", "T", "Run", `{}{}`, "INVALID_ARGUMENT", `null`, "NOT_JSON", `at byte 2`},
		{"a comment", "T", "Run", `{/**/}`, "INVALID_ARGUMENT", `null`, "NOT_JSON", `at byte 1`},
		{"duplicate", "T", "Run", `{"time":"abc","t\u0069me":"abd"}`, "INVALID_ARGUMENT", `null`, "DUPLICATE_KEY", `\"time\"`},
		{"not UTF-8", "T", "Run", "{\"time\":\"\xc3\"}", "INVALID_ARGUMENT", `null`, "NOT_UTF8", `0xc3`},
		{"lone surrogate", "T", "Run", `{"time":"\ud800"}`, "INVALID_ARGUMENT", `null`, "NOT_UTF8", `at byte`},
		{"too deep", "T", "Run", strings.Repeat("[", 11) + strings.Repeat("]", 11), "INVALID_ARGUMENT", `null`, "LIMIT_DEPTH", `more than 10`},
		{"too long", "T", "Run", `"` + strings.Repeat("x", 400) + `"`, "INVALID_ARGUMENT", `null`, "LIMIT_BYTES", `more than 400`},
		{"an array", "T", "Run", `[]`, "INVALID_ARGUMENT", `""`, "SCHEMA_MISMATCH", `one JSON object, got an array`},
		{"null", "T", "", `null`, "INVALID_ARGUMENT", `""`, "SCHEMA_MISMATCH", `one JSON object, got null`},

		{"missing", "T", "Run", `{}`, "MISSING_ARGUMENT", `"/time"`, "SCHEMA_MISMATCH", `argument \"time\" is missing`},
		{"missing, misspelt", "T", "Run", `{"tmie":"abc"}`, "MISSING_ARGUMENT", `"/time"`, "SCHEMA_MISMATCH", `\"tmie\"`},
		{"wrong type", "T", "Run", `{"time":7}`, "INVALID_ARGUMENT", `"/time"`, "SCHEMA_MISMATCH", `argument \"time\": expected string, got 7`},
		{"too short", "T", "Run", `{"time":"ab"}`, "INVALID_ARGUMENT", `"/time"`, "SCHEMA_MISMATCH", `argument \"time\": expected `},
		{"missing deep inside is not a missing argument's pointer", "T", "Run", `{"time":"abc","deep":{"a/b":[]}}`, "MISSING_ARGUMENT", `"/deep/x"`, "SCHEMA_MISMATCH", `argument \"/deep/x\" is missing`},
		{"a pointer with an escape", "T", "Run", `{"time":"abc","deep":{"x":1,"a/b":[null,1]}}`, "INVALID_ARGUMENT", `"/deep/a~1b/1"`, "SCHEMA_MISMATCH", `argument \"/deep/a~1b/1\"`},
		{"unknown argument", "T", "Run", `{"time":"abc","x":1}`, "INVALID_ARGUMENT", `"/x"`, "SCHEMA_MISMATCH", `argument \"x\" is not known`},
		{"another command inside", "T", "Run", `{"command":"Other","time":"abc"}`, "INVALID_ARGUMENT", `"/command"`, "SCHEMA_MISMATCH", `expected \"Run\", got \"Other\"`},
		{"neither of two", "Either", "Run", `{}`, "INVALID_ARGUMENT", `""`, "SCHEMA_MISMATCH", `the arguments: expected one of 2 alternatives, got {} (alternative 1 comes closest); in the closest of them, argument \"a\" is missing`},
		{"two faults", "T", "Run", `{"time":"abc","limit":10,"x":1}`, "INVALID_ARGUMENT", `"/limit"`, "SCHEMA_MISMATCH", `; 1 more violation in details`},
		{"defaults do not hide a wrong value", "T", "Run", `{"time":"abc","limit":null}`, "INVALID_ARGUMENT", `"/limit"`, "SCHEMA_MISMATCH", `got null`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := execute(t, r, call.Call{Tool: tt.tool, Command: tt.command, Arguments: []byte(tt.arguments)})
			if s.Status() != call.Error || s.Code() != tt.code {
				t.Fatalf("%s %s, want error %s: %s", s.Status(), s.Code(), tt.code, s.Member(result.Error))
			}
			if got := at(t, s, "/error/target"); got != tt.target {
				t.Errorf("target %s, want %s", got, tt.target)
			}
			if got := clean(at(t, s, "/error/details/reason")); got != tt.reason {
				t.Errorf("reason %q, want %q", got, tt.reason)
			}
			if got := at(t, s, "/error/message"); !strings.Contains(got, tt.message) {
				t.Errorf("message %s does not say %s", got, tt.message)
			}
		})
	}
}

// A result names the tool as far as it is known.
func TestToolIsNamedAsFarAsKnown(t *testing.T) {
	r := runtime.New(toolRegistry(t), runtime.Bind("T", answer(ok("null"))))
	tests := []struct{ tool, command, arguments, want string }{
		{"Nope", "Run", `{}`, `{"name":"Nope","displayName":null,"version":null,"command":null}`},
		{"T", "Nope", `{}`, `{"name":"T","displayName":"Tool","version":"1.2.3","command":"Nope"}`},
		{"T", "", `{}`, `{"name":"T","displayName":"Tool","version":"1.2.3","command":null}`},
		{"T", "", `{"command":"Run"}`, `{"name":"T","displayName":"Tool","version":"1.2.3","command":"Run"}`},
		{"T", "Other", `{}`, `{"name":"T","displayName":"Tool","version":"1.2.3","command":"Other"}`},
	}
	for _, tt := range tests {
		if got := execute(t, r, call.Call{Tool: tt.tool, Command: tt.command, Arguments: []byte(tt.arguments)}).Member(result.Tool); got != tt.want {
			t.Errorf("%s.%s %s: tool %s, want %s", tt.tool, tt.command, tt.arguments, got, tt.want)
		}
	}
}

// What the handler sees: compact, otherwise as sent, with constant and defaults at the end.
func TestArgumentsOfHandlers(t *testing.T) {
	loose := func(s *call.Spec) {
		s.Defaults = []call.Default{{Name: "é", Value: []byte(`{"a":1.0}`)}, {Name: "n", Value: []byte(`null`)}}
	}
	tests := []struct {
		name    string
		spec    *call.Spec
		command string
		in      string
		want    string
	}{
		{"nothing given", spec(t, `true`, `true`), "Run", ``, `{}`},
		{"kept", spec(t, `true`, `true`), "Run", ` { "b" : [ 1 , 2 ] , "a" : "x y" } `, `{"b":[1,2],"a":"x y"}`},
		{"constant and default are added", spec(t, strictInput, `true`, strict), "Run", `{"time":"abc"}`, `{"time":"abc","command":"Run","limit":5}`},
		{"a constant with a default", spec(t, `{"properties":{"command":{"const":"Run","default":"Run"}}}`, `true`, func(s *call.Spec) {
			s.SuppliesDiscriminator = true
			s.Defaults = []call.Default{{Name: "command", Value: []byte(`"Run"`)}}
		}), "Run", `{}`, `{"command":"Run"}`},
		{"only what is missing", spec(t, strictInput, `true`, strict), "Run", `{"limit":1e0,"command":"Run","time":"abc"}`, `{"limit":1e0,"command":"Run","time":"abc"}`},
		{"command inside stays where it is declared", spec(t, strictInput, `true`, strict), "", `{"time":"abc","command":"Run"}`, `{"time":"abc","command":"Run","limit":5}`},
		{"command inside, escaped", spec(t, strictInput, `true`, strict), "", `{"time":"abc","c\u006fmmand":"R\u0075n"}`, `{"time":"abc","c\u006fmmand":"R\u0075n","limit":5}`},
		{"command inside goes where it is not declared", spec(t, `{"additionalProperties":false,"properties":{"a":true,"b":true}}`, `true`), "", `{ "a" : 1 , "command":"Run", "b":[ ] }`, `{"a":1,"b":[]}`},
		{"nothing else inside", spec(t, `{"maxProperties":0}`, `true`), "", `{"command":"Run"}`, `{}`},
		{"an argument of that name", spec(t, `{"properties":{"command":{"type":"string"}}}`, `true`), "Run", `{"command":"ls -l"}`, `{"command":"ls -l"}`},
		{"defaults by decoded names", spec(t, `true`, `true`, loose), "Run", `{"\u00e9":2}`, `{"\u00e9":2,"n":null}`},
		{"defaults only", spec(t, `true`, `true`, loose), "Run", `{}`, `{"é":{"a":1.0},"n":null}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := runtime.New(registry{tt.spec}, runtime.Bind("T", echo))
			c := call.Call{Tool: "T", Command: tt.command}
			if tt.in != "" {
				c.Arguments = []byte(tt.in)
			}
			s := execute(t, r, c)
			if s.Status() != call.Success || s.Member(result.Data) != tt.want {
				t.Errorf("%s %s, want %s", s.Status(), s.Member(result.Data)+s.Member(result.Error), tt.want)
			}
		})
	}
}

func TestAnotherDiscriminator(t *testing.T) {
	s := spec(t, `{"properties":{"action":{"const":"Run"}},"required":["action"]}`, `true`, func(s *call.Spec) {
		s.Discriminator, s.SuppliesDiscriminator = "action", true
	})
	r := runtime.New(registry{s}, runtime.Bind("T", echo))
	for _, in := range []string{`{"action":"Run"}`, `{"command":"x","action":"Run"}`} {
		if got := execute(t, r, call.Call{Tool: "T", Arguments: []byte(in)}).Member(result.Data); got != in {
			t.Errorf("arguments %s became %s", in, got)
		}
	}
	if got := execute(t, r, call.Call{Tool: "T", Arguments: []byte(`{"command":"Run"}`)}); got.Code() != "MISSING_ARGUMENT" || at(t, got, "/error/target") != `"/action"` {
		t.Errorf("without action: %s", got.Member(result.Error))
	}
}

// Only whitespace between tokens may go: numbers, escapes and the order of members survive the call and
// the result byte for byte.
func TestBytesSurvive(t *testing.T) {
	r := runtime.New(registry{spec(t, `{"type":"object"}`, `{"type":"object"}`)}, runtime.Bind("T", echo))
	for _, in := range []string{
		`{"id":9007199254740993}`, `{"price":1.10}`, `{"huge":1e400}`, `{"n":[-0,0.0,1E+2,123456789012345678901234567890.10]}`,
		`{"z":1,"a":2,"m":{"y":1,"b":2}}`, `{"\u0041":"\/","é":"\u00e9","s":"\ud83d\ude00😀","c":"\b\f\n\r\t\"\\\u0000"}`,
		`{"html":"<script>&amp;</script>","ls":"` + "\u2028\u2029" + `","del":"` + "\x7f" + `"}`, `{"":{"":[[],{}]}}`, `{"a~b/c":null}`,
	} {
		if got := execute(t, r, call.Call{Tool: "T", Command: "Run", Arguments: []byte(in)}); got.Member(result.Data) != in {
			t.Errorf("%s became %s", in, got.Member(result.Data)+got.Member(result.Error))
		}
	}
}

// A caller may reuse its buffer at once, also when a handler that ignored its end still reads.
func TestArgumentsBelongToTheHandler(t *testing.T) {
	seen, release := make(chan call.Invocation, 1), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	slow := call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
		cancel()
		<-release
		seen <- in
		return nil, nil
	})
	r := runtime.New(registry{spec(t, `true`, `true`, func(s *call.Spec) { s.Grace = 0 })}, runtime.Bind("T", slow))
	buffer := []byte(`{"a":"original"}`)
	lawful(t, r.Execute(ctx, call.Call{Tool: "T", Command: "Run", Arguments: buffer}))
	copy(buffer, `{"a":"overwritten`)
	close(release)
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if in := <-seen; string(in.Arguments) != `{"a":"original"}` {
		t.Errorf("the handler saw %s", in.Arguments)
	}
}
