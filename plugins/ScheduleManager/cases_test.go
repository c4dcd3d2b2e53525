package schedulemanager_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vcp.core/contract/call"
	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/manifest"
	"vcp.core/gen/protocol"
	contract "vcp.core/generated/plugins/schedulemanager"
	schedulemanager "vcp.core/plugins/ScheduleManager"
	"vcp.core/runtime"
)

// contractCase is a file of the folder cases; cases/README.md explains it.
type contractCase struct {
	About     string          `json:"about"`
	Before    []earlierCall   `json:"before"`
	Arguments json.RawMessage `json:"arguments"`
	Expect    expectation     `json:"expect"`
}

type earlierCall struct {
	Command   string            `json:"command"`
	Arguments json.RawMessage   `json:"arguments"`
	Save      map[string]string `json:"save"` // name -> JSON Pointer into the result
}

type expectation struct {
	Status  string `json:"status"`
	Code    string `json:"code"`
	Target  string `json:"target"`
	Message string `json:"message"` // regular expression
	View    string `json:"view"`
	Data    any    `json:"data"`
}

// bench is a runtime with the plugin in it, on a folder of its own.
type bench struct {
	*runtime.Runtime
	plugin *schedulemanager.Plugin
}

func newBench(t testing.TB, dir string) *bench {
	t.Helper()
	return newBenchOf(t, call.TableOf(contract.Contract()), dir)
}

// newBenchOf is newBench for another registry than the generated one.
func newBenchOf(t testing.TB, registry call.Registry, dir string) *bench {
	t.Helper()
	b := &bench{plugin: new(schedulemanager.Plugin)}
	b.Runtime = runtime.New(registry, runtime.Bind(contract.Tool, contract.Bind(b.plugin)), runtime.DataDir(dir))
	t.Cleanup(func() {
		if err := b.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := b.plugin.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// call runs a command, holds the result against the protocol and decodes it.
func (b *bench) call(t testing.TB, command, arguments string) map[string]any {
	t.Helper()
	res := b.Execute(context.Background(), call.Call{Tool: contract.Tool, Command: command, Arguments: []byte(arguments), Source: "test"})
	verdict, violations, err := protocol.Validator(schema.Result).Check([]byte(res.String()), wire.Limits{})
	if err != nil || verdict != wire.Valid {
		t.Fatalf("%s: the result breaks its schema: %v %+v\n%s", command, err, violations, res)
	}
	return decode(t, []byte(res.String())).(map[string]any)
}

func decode(t testing.TB, src []byte) any {
	t.Helper()
	var v any
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return v
}

// lookup follows a JSON Pointer without escapes.
func lookup(v any, pointer string) any {
	for _, token := range strings.Split(pointer, "/")[1:] {
		switch at := v.(type) {
		case map[string]any:
			v = at[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

// expand replaces ${name} in strings and writes out {"$repeat": [text, times]}.
func expand(v any, saved map[string]string) any {
	switch v := v.(type) {
	case string:
		return os.Expand(v, func(name string) string { return saved[name] })
	case []any:
		for i := range v {
			v[i] = expand(v[i], saved)
		}
	case map[string]any:
		if r, ok := v["$repeat"].([]any); ok {
			times, _ := strconv.Atoi(r[1].(json.Number).String())
			return strings.Repeat(r[0].(string), times)
		}
		for name := range v {
			v[name] = expand(v[name], saved)
		}
	}
	return v
}

// mismatch compares a value with what a case expects, and returns the first difference, "" for none.
func mismatch(got, want any, at string) string {
	switch want := want.(type) {
	case map[string]any:
		if pattern, ok := want["$match"].(string); ok {
			text, isText := got.(string)
			if !isText || !regexp.MustCompile(pattern).MatchString(text) {
				return fmt.Sprintf("%s: %v does not match %s", at, got, pattern)
			}
			return ""
		}
		object, ok := got.(map[string]any)
		if !ok || len(object) != len(want) {
			return fmt.Sprintf("%s: %v, want %v", at, got, want)
		}
		for name, w := range want {
			if d := mismatch(object[name], w, at+"/"+name); d != "" {
				return d
			}
		}
		return ""
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Sprintf("%s: %v, want %v", at, got, want)
		}
		for i := range want {
			if d := mismatch(list[i], want[i], at+"/"+strconv.Itoa(i)); d != "" {
				return d
			}
		}
		return ""
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Sprintf("%s: %v, want %v", at, got, want)
	}
	return ""
}

func TestContractCases(t *testing.T) {
	files, err := filepath.Glob("cases/*.json")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]map[string]int{} // command -> what a case ended with
	for _, name := range files {
		base := strings.TrimSuffix(filepath.Base(name), ".json")
		command, _, ok := strings.Cut(base, ".")
		if !ok {
			t.Errorf("%s is not named COMMAND.CASE.json", name)
			continue
		}
		t.Run(base, func(t *testing.T) {
			c := readCase(t, name)
			runCase(t, newBench(t, t.TempDir()), command, c)
			runCase(t, newBenchOf(t, live(t), t.TempDir()), command, readCase(t, name))
			if kinds[command] == nil {
				kinds[command] = map[string]int{}
			}
			kinds[command][c.Expect.Status]++
		})
	}
	for _, command := range []string{"CreateSchedule", "ListSchedules", "UpdateSchedule", "DeleteSchedule"} {
		if kinds[command]["success"] == 0 || kinds[command]["error"] == 0 || kinds[command]["success"]+kinds[command]["error"] < 3 {
			t.Errorf("%s lacks cases: it needs a success, a bad argument and a boundary, and has %v", command, kinds[command])
		}
	}
}

func readCase(t *testing.T, name string) (c contractCase) {
	t.Helper()
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(&c); err != nil {
		t.Fatal(err)
	}
	return c
}

// runCase runs a case, whose texts it expands.
func runCase(t *testing.T, b *bench, command string, c contractCase) {
	saved := map[string]string{}
	arguments := func(raw json.RawMessage) string {
		out, err := json.Marshal(expand(decode(t, raw), saved))
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	for i, earlier := range c.Before {
		res := b.call(t, earlier.Command, arguments(earlier.Arguments))
		if res["status"] != "success" {
			t.Fatalf("call %d before the case: %v", i, res["error"])
		}
		for name, pointer := range earlier.Save {
			text, ok := lookup(res, pointer).(string)
			if !ok {
				t.Fatalf("call %d before the case has no text at %s", i, pointer)
			}
			saved[name] = text
		}
	}
	res := b.call(t, command, arguments(c.Arguments))
	text := func(pointer string) string { s, _ := lookup(res, pointer).(string); return s }
	for _, check := range []struct{ what, got, want string }{
		{"status", text("/status"), c.Expect.Status},
		{"code", text("/error/code"), c.Expect.Code},
		{"target", text("/error/target"), c.Expect.Target},
	} {
		if check.got != check.want {
			t.Errorf("%s %q, want %q: %v", check.what, check.got, check.want, res["error"])
		}
	}
	if c.Expect.View != "" && text("/presentation/preferredView") != c.Expect.View {
		t.Errorf("view %q, want %q", text("/presentation/preferredView"), c.Expect.View)
	}
	if !regexp.MustCompile(c.Expect.Message).MatchString(text("/error/message")) {
		t.Errorf("message %q does not match %s", text("/error/message"), c.Expect.Message)
	}
	if d := mismatch(res["data"], expand(c.Expect.Data, saved), "data"); d != "" {
		t.Error(d)
	}
	if w := res["warnings"].([]any); len(w) > 0 {
		t.Errorf("warnings: %v", w)
	}
}

// The matcher must be able to fail, or every case passes.
func TestMismatchSeesDifferences(t *testing.T) {
	tests := []struct{ got, want string }{
		{`1`, `1.0`}, {`{"a":1}`, `{}`}, {`{}`, `{"a":1}`}, {`{"a":1}`, `{"b":1}`}, {`[1,2]`, `[2,1]`}, {`[1]`, `[1,1]`},
		{`"x"`, `{"$match":"^y"}`}, {`1`, `{"$match":"1"}`}, {`null`, `{"$match":""}`}, {`null`, `false`}, {`"a"`, `null`},
	}
	for _, tt := range tests {
		if mismatch(decode(t, []byte(tt.got)), decode(t, []byte(tt.want)), "") == "" {
			t.Errorf("%s passes for %s", tt.got, tt.want)
		}
	}
	same := `{"a":[1,{"b":null}],"c":"x"}`
	if d := mismatch(decode(t, []byte(same)), decode(t, []byte(`{"a":[1,{"b":null}],"c":{"$match":"^x$"}}`)), ""); d != "" {
		t.Error(d)
	}
}

// live is the registry that is made of the manifest at run time.
func live(t testing.TB) *manifest.Catalog {
	t.Helper()
	catalog, list := manifest.Load(manifest.FileName)
	if len(list) > 0 {
		t.Fatalf("findings: %v", list)
	}
	return catalog
}

// The manifest has no findings and matches the code.
func TestManifest(t *testing.T) {
	p := live(t).Plugin(contract.Tool)
	if p.Name != contract.Tool || p.Transport != manifest.Direct || p.Kind != call.Synchronous || !p.FormatAssertion {
		t.Errorf("plugin %+v", p)
	}
	effects := map[string]call.Effect{"CreateSchedule": call.Write, "ListSchedules": call.Read, "UpdateSchedule": call.Idempotent, "DeleteSchedule": call.Destructive}
	for _, s := range p.Specs() {
		if s.Effect != effects[s.Command] || !s.SuppliesDiscriminator || len(s.Presentation) == 0 || len(s.Advice) == 0 {
			t.Errorf("spec of %s: %+v", s.Command, s)
		}
		knows := slices.Contains(s.ErrorCodes, string(contract.CodeScheduleNotFound))
		if needs := s.Command == "UpdateSchedule" || s.Command == "DeleteSchedule"; knows != needs {
			t.Errorf("%s declares %v", s.Command, s.ErrorCodes)
		}
		delete(effects, s.Command)
	}
	if len(effects) > 0 {
		t.Errorf("the manifest lacks %v", effects)
	}
}
