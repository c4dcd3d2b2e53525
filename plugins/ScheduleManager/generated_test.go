package schedulemanager_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/laws"
	"vcp.core/gen"
	"vcp.core/gen/manifest"
	contract "vcp.core/generated/plugins/schedulemanager"
	"vcp.core/generated/registry"
	"vcp.core/runtime/plugintest"
)

// This file uses everything that was generated from the manifest, as its consumers do.

// source is the name by which generated code knows the manifest.
const source = "plugins/ScheduleManager/" + manifest.FileName

func manifestFile(t testing.TB) []byte {
	t.Helper()
	src, err := os.ReadFile(manifest.FileName)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// A row of the generated registry says what the manifest says; only its judges are others.
func TestSpecsAreTheManifests(t *testing.T) {
	p, list := manifest.Parse(source, manifestFile(t))
	if len(list) > 0 {
		t.Fatal(list)
	}
	want, got := p.Specs(), contract.Specs()
	if len(want) != len(got) {
		t.Fatalf("%d specs, want %d", len(got), len(want))
	}
	for i := range want {
		w, g := *want[i], *got[i]
		compact(&w)
		compact(&g)
		v, u := reflect.ValueOf(w), reflect.ValueOf(g)
		for f := range v.NumField() {
			name := v.Type().Field(f).Name
			if name == "Input" || name == "Output" {
				if _, explains := reflect.TypeAssert[call.Validator](u.Field(f)); explains {
					t.Errorf("%s of %s is not generated", name, g.Command)
				}
				continue
			}
			if !reflect.DeepEqual(v.Field(f).Interface(), u.Field(f).Interface()) {
				t.Errorf("%s of %s:\ngot  %s\nwant %s", name, g.Command, u.Field(f), v.Field(f))
			}
		}
	}
}

// compact drops space between tokens, which means nothing.
func compact(s *call.Spec) {
	for _, schema := range []*[]byte{&s.InputSchema, &s.OutputSchema, &s.ConfigSchema} {
		*schema = wire.AppendCompact(nil, *schema)
	}
	examples := make([][]byte, len(s.Examples))
	for i, e := range s.Examples {
		examples[i] = wire.AppendCompact(nil, e)
	}
	s.Examples = examples
}

// The registry has the plugin, and knows the manifest that it was made from.
func TestRegistry(t *testing.T) {
	table := registry.New()
	for _, command := range []string{contract.CommandCreateSchedule, contract.CommandListSchedules, contract.CommandUpdateSchedule, contract.CommandDeleteSchedule} {
		s, known := table.Lookup(contract.Tool, command)
		if !known || s == nil || s.Command != command || s.DisplayName != contract.DisplayName || s.Version != contract.Version {
			t.Errorf("%s: %+v, %v", command, s, known)
		}
	}
	found := false
	for _, c := range registry.Contracts() {
		if c.Tool == contract.Tool {
			found = c.ManifestHash == contract.ManifestHash
		}
	}
	if !found || contract.Contract().ManifestHash != gen.HashOf(manifestFile(t)) {
		t.Error("the generated code is not of this manifest; run make generate")
	}
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(contract.InputHash) || contract.InputHash == contract.ManifestHash || contract.InputHash == registry.InputHash {
		t.Errorf("input hash %s", contract.InputHash)
	}
}

// clientOf is a client of a bench.
func clientOf(b *bench) contract.Client { return contract.NewClient(b) }

func TestClient(t *testing.T) {
	b := newBench(t, t.TempDir())
	c, ctx := clientOf(b), t.Context()
	created, err := c.CreateSchedule(ctx, contract.CreateScheduleInput{Time: "2026-07-12T10:00:00.50+08:00", Content: "项目\"会议\""},
		func(c *call.Call) { c.Source = "typed test" })
	if err != nil {
		t.Fatal(err)
	}
	want := contract.Schedule{ID: created.Data.Schedule.ID, Time: "2026-07-12T10:00:00.50+08:00", Content: "项目\"会议\""}
	if created.Status() != call.Success || created.Data != (contract.CreateScheduleOutput{Schedule: want}) || !strings.HasPrefix(want.ID, "sch_") {
		t.Errorf("created %+v", created.Data)
	}
	if !strings.Contains(created.Result.String(), `"source":"typed test"`) || !strings.Contains(created.Result.String(), `"operation":"created"`) {
		t.Errorf("result %s", created.Result)
	}

	updated, err := c.UpdateSchedule(ctx, contract.UpdateScheduleInput{ID: want.ID, Content: wire.Some("later")})
	if want.Content = "later"; err != nil || updated.Data != (contract.UpdateScheduleOutput{Schedule: want}) {
		t.Errorf("updated %+v, %v", updated.Data, err)
	}

	for range 2 {
		if _, err := c.CreateSchedule(ctx, contract.CreateScheduleInput{Time: "2026-07-13T10:00:00Z", Content: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	var ids []string
	in := contract.ListSchedulesInput{From: wire.Some("2026-01-01T00:00:00Z"), To: wire.Some("2027-01-01T00:00:00Z"), Limit: wire.Some[int64](2)}
	for {
		page, err := c.ListSchedules(ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range page.Data.Schedules {
			ids = append(ids, s.ID)
		}
		if total, _ := page.Data.Total.Int64(); total != 3 {
			t.Errorf("total %v", page.Data.Total)
		}
		if in.Cursor = page.Data.NextCursor; !in.Cursor.Present() {
			break
		}
	}
	if len(ids) != 3 || ids[0] != want.ID {
		t.Errorf("listed %v", ids)
	}

	asked := func(c *call.Call) { c.Options.SkipApproval = true }
	deleted, err := c.DeleteSchedule(ctx, contract.DeleteScheduleInput{ID: want.ID}, asked)
	if err != nil || deleted.Data != (contract.DeleteScheduleOutput{Schedule: want}) {
		t.Errorf("deleted %+v, %v", deleted.Data, err)
	}
	_, err = c.DeleteSchedule(ctx, contract.DeleteScheduleInput{ID: want.ID}, asked)
	if f, ok := errors.AsType[*call.Failure](err); !ok || f.Code != contract.CodeScheduleNotFound || f.Target != "/id" || f.Category != errcode.Domain || string(f.Details) != `{"id":"`+want.ID+`"}` {
		t.Errorf("deleted twice: %+v", err)
	}
	_, err = c.CreateSchedule(ctx, contract.CreateScheduleInput{Time: "tomorrow", Content: "x"})
	if f, ok := errors.AsType[*call.Failure](err); !ok || f.Code != contract.CodeInvalidArgument {
		t.Errorf("a wrong time: %v", err)
	}
}

// The plugin's error codes are the standard ones where there is one.
func TestErrorCodes(t *testing.T) {
	for code, standard := range map[errcode.Code]bool{
		contract.CodeInvalidArgument: true, contract.CodeMissingArgument: true, contract.CodeDependencyUnavailable: true, contract.CodeScheduleNotFound: false,
	} {
		if code.Standard() != standard || !code.Valid() {
			t.Errorf("code %s", code)
		}
	}
}

// half implements a part of the handler, as a test double does.
type half struct {
	contract.Handler // nil: commands without a method here panic
	config           contract.Config
}

var (
	_ contract.CreateScheduleHandler = (*half)(nil)
	_ contract.ListSchedulesHandler  = (*half)(nil)
	_ contract.UpdateScheduleHandler = (*half)(nil)
	_ contract.DeleteScheduleHandler = (*half)(nil)
)

func (h *half) ListSchedules(_ context.Context, at *contract.Invocation, in contract.ListSchedulesInput) (call.Answer[contract.ListSchedulesOutput], error) {
	h.config = at.Config
	if at.InvocationID != "ti_1" || in.Limit.Or(0) != 7 {
		return call.Answer[contract.ListSchedulesOutput]{}, errors.New("not what was sent")
	}
	return call.Answer[contract.ListSchedulesOutput]{}, nil
}

func TestBind(t *testing.T) {
	h := contract.Bind(&half{})
	ask := func(command, arguments, config string) (string, error) {
		payload, err := h.Handle(t.Context(), call.Invocation{Command: command, Arguments: []byte(arguments), Config: []byte(config), InvocationID: "ti_1"})
		return string(payload), err
	}
	got, err := ask(contract.CommandListSchedules, `{"command":"ListSchedules","limit":7}`, `{}`)
	if want := `{"status":"success","data":{"schedules":[],"total":0},"resources":[],"warnings":[],"extensions":{}}`; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if got, err := ask(contract.CommandListSchedules, `{"command":"ListSchedules","limit":0}`, `{}`); err != nil || !strings.Contains(got, `"code":"INVALID_ARGUMENT"`) {
		t.Errorf("a limit of 0: %s, %v", got, err)
	}
	if got, err := ask("Nope", `{}`, `{}`); err != nil || !strings.Contains(got, `"code":"UNKNOWN_COMMAND"`) {
		t.Errorf("no such command: %s, %v", got, err)
	}
	if _, err := ask(contract.CommandListSchedules, `{}`, `{"surprise":1}`); err == nil {
		t.Error("a configuration that breaks its schema is taken")
	} else if _, ok := errors.AsType[*call.ConfigError](err); !ok {
		t.Errorf("a wrong configuration: %v", err)
	}
}

// Ports lead somewhere: those of inputs into the examples, those of outputs into real data; and each port
// that is not optional is there.
func TestPorts(t *testing.T) {
	b := newBench(t, t.TempDir())
	created := b.call(t, contract.CommandCreateSchedule, `{"time":"2026-07-12T10:00:00Z","content":"x"}`)
	id, _ := plugintest.Lookup(created, "/data/schedule/id").(string)
	data := map[string]any{contract.CommandCreateSchedule: created["data"]}
	data[contract.CommandUpdateSchedule] = b.call(t, contract.CommandUpdateSchedule, `{"id":"`+id+`","content":"y"}`)["data"]
	data[contract.CommandListSchedules] = b.call(t, contract.CommandListSchedules, `{}`)["data"]
	data[contract.CommandDeleteSchedule] = b.call(t, contract.CommandDeleteSchedule, `{"id":"`+id+`"}`)["data"]
	for _, s := range contract.Specs() {
		reached := map[string]bool{}
		for _, e := range s.Examples {
			see(t, s.Inputs, plugintest.Decode(t, e), reached)
		}
		for _, p := range s.Inputs {
			if !reached[p.Pointer] && !p.Optional {
				t.Errorf("%s: no example has %s", s.Command, p.Pointer)
			}
		}
		clear(reached)
		see(t, s.Outputs, data[s.Command], reached)
		for _, p := range s.Outputs {
			if !reached[p.Pointer] && !p.Optional {
				t.Errorf("%s: data lacks %s", s.Command, p.Pointer)
			}
		}
	}
}

// see follows ports into a value and checks what stands there.
func see(t *testing.T, ports []call.Port, v any, reached map[string]bool) {
	t.Helper()
	for _, p := range ports {
		at := plugintest.Lookup(v, p.Pointer)
		if at == nil {
			continue
		}
		reached[p.Pointer] = true
		if got := typeOf(at); got != p.Type {
			t.Errorf("%s is %s, its port says %s", p.Pointer, got, p.Type)
		}
		if p.Title == "" {
			t.Errorf("%s has no title", p.Pointer)
		}
		list, _ := at.([]any)
		for _, e := range list {
			see(t, p.Items, e, map[string]bool{})
		}
	}
}

func typeOf(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "other"
}

// The view of the renderer is the one that results prefer, and the rest of the row is what results show.
func TestRowsAreWhatResultsShow(t *testing.T) {
	b := newBench(t, t.TempDir())
	for _, s := range contract.Specs() {
		res := b.call(t, s.Command, string(s.Examples[0]))
		if res["status"] != "success" {
			continue // the example names a schedule that is not there
		}
		if view := plugintest.Lookup(res, "/presentation/preferredView"); view != s.Renderer.View || view == "" {
			t.Errorf("%s prefers %v, its renderer is %+v", s.Command, view, s.Renderer)
		}
		if title := plugintest.Lookup(res, "/presentation/title"); title != s.Renderer.Title {
			t.Errorf("%s has the title %v, its renderer %+v", s.Command, title, s.Renderer)
		}
		if intent := plugintest.Lookup(res, "/aiAdvice/intent"); intent != plugintest.Lookup(plugintest.Decode(t, s.Advice), "/intent") {
			t.Errorf("%s advises %v", s.Command, intent)
		}
	}
}

// The five laws of generated types hold for those of the plugin.
func TestLaws(t *testing.T) {
	schema := func(pointer string) []byte {
		for _, d := range contract.Schemas {
			if d.Pointer == pointer {
				if d.Name != source {
					t.Errorf("%s is of %s", pointer, d.Name)
				}
				return []byte(d.Text)
			}
		}
		t.Fatalf("no schema at %s", pointer)
		return nil
	}
	at := func(i, part string) []byte { return schema("/capabilities/invocationCommands/" + i + "/" + part) }
	types := []laws.Type{
		laws.Of("CreateScheduleInput", at("0", "inputSchema"), contract.DecodeCreateScheduleInput, contract.ValidateCreateScheduleInput),
		laws.Of("CreateScheduleOutput", at("0", "outputSchema"), contract.DecodeCreateScheduleOutput, contract.ValidateCreateScheduleOutput),
		laws.Of("ListSchedulesInput", at("1", "inputSchema"), contract.DecodeListSchedulesInput, contract.ValidateListSchedulesInput),
		laws.Of("ListSchedulesOutput", at("1", "outputSchema"), contract.DecodeListSchedulesOutput, contract.ValidateListSchedulesOutput),
		laws.Of("UpdateScheduleInput", at("2", "inputSchema"), contract.DecodeUpdateScheduleInput, contract.ValidateUpdateScheduleInput),
		laws.Of("UpdateScheduleOutput", at("2", "outputSchema"), contract.DecodeUpdateScheduleOutput, contract.ValidateUpdateScheduleOutput),
		laws.Of("DeleteScheduleInput", at("3", "inputSchema"), contract.DecodeDeleteScheduleInput, contract.ValidateDeleteScheduleInput),
		laws.Of("DeleteScheduleOutput", at("3", "outputSchema"), contract.DecodeDeleteScheduleOutput, contract.ValidateDeleteScheduleOutput),
		laws.Of("Config", schema("/configSchema"), contract.DecodeConfig, contract.ValidateConfig),
		laws.Of("Schedule", definition(t, at("0", "outputSchema"), "schedule"), contract.DecodeSchedule, contract.ValidateSchedule),
	}
	for i := range types {
		types[i].FormatAssertion = contract.FormatAssertion
	}
	laws.Check(t, laws.Options{Documents: 60}, types...)
}

// definition cuts a definition out of a schema.
func definition(t *testing.T, schema []byte, name string) []byte {
	t.Helper()
	var tape wire.Tape
	if err := tape.Scan(schema, wire.Limits{}); err != nil {
		t.Fatal(err)
	}
	n, ok := tape.Lookup("/$defs/" + name)
	if !ok {
		t.Fatalf("no definition %s", name)
	}
	return tape.Raw(n)
}

// Judges say the same on a tape as validators do on bytes, and name the rule.
func TestJudgesOnTapes(t *testing.T) {
	judges := map[string]func(*wire.Tape) error{
		`{"command":"CreateSchedule","time":"2026-07-12T10:00:00Z","content":"x"}`:                                               contract.JudgeCreateScheduleInput,
		`{"operation":"created","schedule":{"id":"sch_01K0000000000000000000000A","time":"2026-07-12T10:00:00Z","content":"x"}}`: contract.JudgeCreateScheduleOutput,
		`{"command":"ListSchedules"}`: contract.JudgeListSchedulesInput,
		`{"schedules":[],"total":0}`:  contract.JudgeListSchedulesOutput,
		`{"command":"UpdateSchedule","id":"sch_01K0000000000000000000000A","content":"x"}`:                                       contract.JudgeUpdateScheduleInput,
		`{"operation":"updated","schedule":{"id":"sch_01K0000000000000000000000A","time":"2026-07-12T10:00:00Z","content":"x"}}`: contract.JudgeUpdateScheduleOutput,
		`{"command":"DeleteSchedule","id":"sch_01K0000000000000000000000A"}`:                                                     contract.JudgeDeleteScheduleInput,
		`{"operation":"deleted","schedule":{"id":"sch_01K0000000000000000000000A","time":"2026-07-12T10:00:00Z","content":"x"}}`: contract.JudgeDeleteScheduleOutput,
		`{}`: contract.JudgeConfig,
	}
	for doc, judge := range judges {
		for other := range judges {
			var tape wire.Tape
			if err := tape.Scan([]byte(other), wire.Limits{}); err != nil {
				t.Fatal(err)
			}
			err := judge(&tape)
			if (err == nil) != (doc == other) {
				t.Errorf("the judge of %s says %v about %s", doc, err, other)
			}
			if r, ok := errors.AsType[*wire.Rejection](err); err != nil && (!ok || r.Rule.File != source || !strings.HasPrefix(r.Rule.Pointer, "/c")) {
				t.Errorf("%s: %v", other, err)
			}
		}
	}
}

// Generated types work with encoding/json as they do by themselves.
func TestEncodingJSON(t *testing.T) {
	in := contract.ListSchedulesInput{Limit: wire.Some[int64](5)}
	src, err := json.Marshal(map[string]any{"in": in})
	if want := `{"in":` + string(in.AppendJSON(nil)) + `}`; err != nil || string(src) != want {
		t.Errorf("marshalled %s, %v, want %s", src, err, want)
	}
	var out struct{ In contract.ListSchedulesInput }
	if err := json.Unmarshal(src, &out); err != nil || out.In != in {
		t.Errorf("unmarshalled %+v, %v", out, err)
	}
	if err := json.Unmarshal([]byte(`{"in":{"command":"ListSchedules","limit":0}}`), &out); err == nil {
		t.Error("encoding/json takes what the schema refuses")
	}
	direct, err := in.MarshalJSON()
	if err != nil || !bytes.Equal(direct, in.AppendJSON(nil)) || out.In.UnmarshalJSON(direct) != nil {
		t.Errorf("%s, %v", direct, err)
	}
}

// A stranger can read what is generated for four commands, top to bottom.
func TestGeneratedCodeIsShort(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "generated", "plugins", "schedulemanager", "*.go"))
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	lines := 0
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(src, []byte("\n"))
	}
	if t.Logf("%d lines", lines); lines >= 1200 {
		t.Errorf("%d lines are too many, 1,200 are the limit", lines)
	}
}

// Nothing is generated that no test uses: every exported name occurs in a test of this folder.
func TestEveryGeneratedNameIsUsed(t *testing.T) {
	used := map[string]bool{}
	tests, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tests {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				used[n.Sel.Name] = true
			case *ast.KeyValueExpr:
				if id, ok := n.Key.(*ast.Ident); ok {
					used[id.Name] = true
				}
			}
			return true
		})
	}
	changes, err := new(gen.Tree).API(filepath.Join("..", "..", "generated", "plugins", "schedulemanager"))
	if err != nil || len(changes) < 50 {
		t.Fatalf("%d names, %v", len(changes), err)
	}
	for _, c := range changes {
		name := c.Name[strings.LastIndexByte(c.Name, '.')+1:]
		if !used[name] {
			t.Errorf("no test uses %s", c.Name)
		}
	}
}
