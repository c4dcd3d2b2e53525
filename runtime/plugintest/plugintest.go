// Package plugintest runs the contract cases of a plugin: files that name a call and what must come of it. A
// plugin's own test hands it a runtime and a folder; every result is held against the protocol on the way.
//
// # A case
//
// One file is one call: COMMAND.CASE.json. A case starts with an empty data folder.
//
//	about             the rule that the case shows, in one sentence
//	before            calls that must succeed first: command, arguments, and save, which keeps texts of the
//	                  result by name: {"id": "/data/schedule/id"}
//	arguments         the arguments of the call
//	expect.status     the result's status
//	expect.code       error.code; absent means that there is no error
//	expect.target     error.target; absent means that there is none
//	expect.message    a regular expression for error.message
//	expect.details    error.details as a whole; not checked when absent
//	expect.view       presentation.preferredView; not checked when absent
//	expect.warnings   the codes of the warnings, in order; absent means none
//	expect.resources  for each resource the members to check, others are not looked at; absent means none
//	expect.data       data as a whole: no member more, no member less, numbers as they are spelled
//
// ${name} in a text is a saved text. {"$repeat": ["a", 2000]} is a text of 2000 times a. In expectations,
// {"$match": "^sch_"} is any text that the regular expression (RE2) matches.
//
// The package never makes a runtime and knows no plugin.
package plugintest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vcp.core/contract/call"
	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/protocol"
)

// contractCase is a file of the folder cases; the package comment explains it.
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
	Details any    `json:"details"`
	View    string `json:"view"`
	Data    any    `json:"data"`

	Warnings  []string `json:"warnings"`
	Resources []any    `json:"resources"`
}

// Run runs every case of a folder as a subtest, and fails when a command lacks cases: each needs a success, an
// error, and three in all. fresh makes the runtime that a case runs in, on an empty data folder.
func Run(t *testing.T, dir, tool string, commands []string, fresh func(t *testing.T) call.Executor) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]map[string]int{} // command -> status -> cases
	for _, name := range files {
		base := strings.TrimSuffix(filepath.Base(name), ".json")
		command, _, ok := strings.Cut(base, ".")
		if !ok || !slices.Contains(commands, command) {
			t.Errorf("%s is not named COMMAND.CASE.json after a command of %s", name, tool)
			continue
		}
		c := read(t, name)
		if kinds[command] == nil {
			kinds[command] = map[string]int{}
		}
		kinds[command][c.Expect.Status]++
		t.Run(base, func(t *testing.T) { c.run(t, fresh(t), tool, command) })
	}
	for _, command := range commands {
		if n := kinds[command]; n["success"] == 0 || n["error"] == 0 || n["success"]+n["error"] < 3 {
			t.Errorf("%s lacks cases: it needs a success, a bad argument and a boundary, and has %v", command, n)
		}
	}
}

// Call runs a command, holds the result against the protocol and decodes it, numbers as json.Number.
func Call(t testing.TB, x call.Executor, tool, command, arguments string) map[string]any {
	t.Helper()
	res := x.Execute(context.Background(), call.Call{Tool: tool, Command: command, Arguments: []byte(arguments), Source: "test",
		Options: call.Options{SkipApproval: true}})
	verdict, violations, err := protocol.Validator(schema.Result).Check([]byte(res.String()), wire.Limits{})
	if err != nil || verdict != wire.Valid {
		t.Fatalf("%s: the result breaks its schema: %v %+v\n%s", command, err, violations, res)
	}
	return Decode(t, []byte(res.String())).(map[string]any)
}

func read(t *testing.T, name string) (c contractCase) {
	t.Helper()
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(&c); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return c
}

func (c *contractCase) run(t *testing.T, x call.Executor, tool, command string) {
	saved := map[string]string{}
	arguments := func(raw json.RawMessage) string {
		out, err := json.Marshal(expand(Decode(t, raw), saved))
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	for i, earlier := range c.Before {
		res := Call(t, x, tool, earlier.Command, arguments(earlier.Arguments))
		if res["status"] != "success" {
			t.Fatalf("call %d before the case: %v", i, res["error"])
		}
		for name, pointer := range earlier.Save {
			text, ok := Lookup(res, pointer).(string)
			if !ok {
				t.Fatalf("call %d before the case has no text at %s", i, pointer)
			}
			saved[name] = text
		}
	}
	res := Call(t, x, tool, command, arguments(c.Arguments))
	text := func(pointer string) string { s, _ := Lookup(res, pointer).(string); return s }
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
	if c.Expect.Details != nil {
		if d := Mismatch(Lookup(res, "/error/details"), expand(c.Expect.Details, saved), "details"); d != "" {
			t.Error(d)
		}
	}
	if d := Mismatch(res["data"], expand(c.Expect.Data, saved), "data"); d != "" {
		t.Error(d)
	}
	var codes []string
	for _, w := range res["warnings"].([]any) {
		codes = append(codes, w.(map[string]any)["code"].(string))
	}
	if !slices.Equal(codes, c.Expect.Warnings) {
		t.Errorf("warnings %q, want %q: %v", codes, c.Expect.Warnings, res["warnings"])
	}
	resources := res["resources"].([]any)
	if len(resources) != len(c.Expect.Resources) {
		t.Fatalf("%d resources, want %d: %v", len(resources), len(c.Expect.Resources), resources)
	}
	for i, want := range c.Expect.Resources {
		for name, w := range want.(map[string]any) {
			if d := Mismatch(resources[i].(map[string]any)[name], expand(w, saved), fmt.Sprintf("resources/%d/%s", i, name)); d != "" {
				t.Error(d)
			}
		}
	}
}
