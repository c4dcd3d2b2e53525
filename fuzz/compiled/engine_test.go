package compiled_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vcp.core/fuzz/compiled"
	"vcp.core/fuzz/ours"
	"vcp.core/fuzz/shared"
	"vcp.core/fuzz/suite"
	"vcp.core/gen/emit/golang"
)

// A suite whose faults are known: wrong expectations are counted, a schema that is refused and documents that are none
// have failed, and a remote document is found.
func TestEngine(t *testing.T) {
	group := func(schema string, cases ...suite.Case) suite.Group {
		return suite.Group{Description: schema, Schema: []byte(schema), Cases: cases}
	}
	document := func(data string, valid bool) suite.Case {
		return suite.Case{Description: data, Data: []byte(data), Valid: valid}
	}
	files := []suite.File{
		{Name: "a.json", Groups: []suite.Group{
			group(`{"type":"integer"}`, document(`1.0`, true), document(`"1"`, false), document(`2`, false)),
			group(`{"type":"integre"}`, document(`1`, true), document(`2`, true)),
			group(`{"$ref":"http://localhost:1234/name.json"}`, document(`"ab"`, true), document(`"a"`, false)),
		}},
		{Name: "b.json", Groups: []suite.Group{
			group(`{"type":"integer"}`, document(`3`, true), document(`{"a":1,"a":2}`, false)),
			group(`{"dependencies":{"a":["b"]},"format":"date"}`, document(`{"a":1}`, false), document(`"x"`, false)),
		}},
	}
	remotes := suite.Remotes{"http://localhost:1234/name.json": []byte(`{"minLength":2}`)}
	for name, value := range map[string]string{"GOFLAGS": "-mod=vendor", "GO111MODULE": "off", "GOOS": "windows", "GOARCH": "arm64", "GOPROXY": "off"} {
		t.Setenv(name, value) // of the user's own work
	}
	var steps []string
	engine, err := compiled.NewEngine(t.Context(), suite.Draft2020, files, remotes,
		ours.Options{FormatAssertion: true, Dependencies: true}, func(step string) { steps = append(steps, step) })
	if err != nil {
		t.Fatal(err)
	}
	rep := suite.Run(engine, suite.Draft2020, files, remotes)
	want := []suite.Row{{File: "a.json", Cases: 7, Passed: 4, Failed: 3}, {File: "b.json", Cases: 4, Passed: 3, Failed: 1}}
	if !slices.Equal(rep.Rows, want) {
		t.Errorf("rows %+v, want %+v", rep.Rows, want)
	}
	for i, part := range []string{"got valid", "schema refused: schema/value: /type: ", "schema refused", "DUPLICATE_KEY"} {
		if i >= len(rep.Misses) || !strings.Contains(rep.Misses[i].String(), part) {
			t.Fatalf("misses %v, number %d should say %q", rep.Misses, i, part)
		}
	}
	if len(steps) != 3 || steps[0] != "generating code for 5 schemas" || steps[1] != "building 3 packages" || steps[2] != "judging 11 documents" {
		t.Errorf("steps %q", steps)
	}
	if _, err := engine(suite.Draft2020, []byte(`{}`), nil); err == nil {
		t.Error("the engine has an answer to a schema that it never saw")
	}
}

// A program that crashes keeps the answers it gave; one that does not build says why.
func TestBrokenPrograms(t *testing.T) {
	build := func(judge string) (string, error) {
		dir := t.TempDir()
		packages := map[string][]golang.File{"p": {{Name: "p.go", Bytes: []byte("package p\n\nimport \"vcp.core/contract/wire\"\n\nfunc JudgeR(t *wire.Tape) error {\n" + judge + "\n}\n")}}}
		if err := compiled.Write(dir, packages, compiled.Main(map[string][]string{"p": {"R"}}, "")); err != nil {
			t.Fatal(err)
		}
		return compiled.Build(t.Context(), dir)
	}
	_, err := build("return 1")
	broken := new(compiled.BuildError)
	if !errors.As(err, &broken) || !strings.Contains(broken.Output, "p.go:6") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a package that does not compile: %v", err)
	}
	program, err := build("if t.Count(0) == 1 { panic(\"one\") }\n for t.Count(0) == 2 { JudgeR(t) }\n return nil")
	if err != nil {
		t.Fatal(err)
	}
	questions := []compiled.Question{{Judge: "p.R", Document: []byte(`"12345"`)}, {Judge: "p.R", Document: []byte(`"1"`)}, {Judge: "p.R", Document: []byte(`"12"`)}, {Judge: "p.R", Document: []byte(`""`)}}
	answers, err := compiled.Ask(t.Context(), program, questions)
	if len(answers) != 2 || answers[1].Panic != "one" || err == nil || !strings.Contains(err.Error(), "stack") {
		t.Errorf("a program that panics, then overflows its stack: %+v, %v", answers, err)
	}
	bad := suite.Remotes{"http://localhost:1234/bad.json": []byte(`{`)}
	files := []suite.File{{Name: "a.json", Groups: []suite.Group{{Schema: []byte(`{}`), Cases: []suite.Case{{Data: []byte(`1`), Valid: true}}}}}}
	engine, err := compiled.NewEngine(t.Context(), suite.Draft2020, files, bad, ours.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if rep := suite.Run(engine, suite.Draft2020, files, bad); len(rep.Misses) != 1 || rep.Misses[0].Refused == nil {
		t.Errorf("a remote document that is no JSON: %+v", rep)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := compiled.NewEngine(ended, suite.Draft2020, []suite.File{{Groups: []suite.Group{{Schema: []byte(`{}`)}}}}, nil, ours.Options{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// The optional files that are not about formats, by generated code.
func TestOptionalSuite(t *testing.T) {
	root := shared.Path(t, "data", "json-schema-test-suite")
	all, err := suite.ReadRemotes(filepath.Join(root, "remotes"))
	if err != nil {
		t.Fatal(err)
	}
	remotes := all.Among(suite.Draft2020, suite.Draft2019, suite.Draft07)
	for d, want := range map[suite.Dialect]suite.Row{
		suite.Draft2020: {File: "total", Cases: 162, Passed: 162},
		suite.Draft2019: {File: "total", Cases: 158, Passed: 158},
		suite.Draft07:   {File: "total", Cases: 118, Passed: 114, Failed: 4}, // content.json, see docs/deviations.md
	} {
		files, err := suite.Read(filepath.Join(root, "tests", string(d), "optional"))
		if err != nil {
			t.Fatal(err)
		}
		engine, err := compiled.NewEngine(t.Context(), d, files, remotes, ours.Options{Dependencies: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		rep := suite.Run(engine, d, files, remotes)
		if rep.Total() != want {
			t.Errorf("%s: %+v, want %+v", d, rep.Total(), want)
		}
		for _, m := range rep.Misses {
			if d != suite.Draft07 || m.File != "content.json" {
				t.Errorf("%s: %s", d, m)
			}
		}
	}
}
