package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"vcp.core/runtime/keeper/serve"
)

// programs are what this binary is below another name.
var programs = map[string]func(){"vcp": main, "vcp-keeper": serve.Main}

func TestMain(m *testing.M) {
	testscript.Main(m, programs)
}

// TestScripts runs the command as a user does: one script for each verb.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			folder, err := filepath.Abs(filepath.Join("..", "..", "plugins"))
			if err != nil {
				return err
			}
			env.Setenv("PLUGINS", folder)
			env.Setenv("SCHEDULE_MANAGER", filepath.Join(folder, "ScheduleManager"))
			// The program itself, for scripts that change the search path.
			program, err := exec.LookPath("vcp")
			env.Setenv("VCP", program)
			return err
		},
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

// The manifest that docs/plugins.md shows has no findings, and becomes the package that the page goes on with.
func TestManifestOfTheDocs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "plugins.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```json\n")
	manifest, _, closed := strings.Cut(rest, "```\n")
	if !closed {
		t.Fatal("docs/plugins.md shows no manifest")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	folder := filepath.Join("plugins", "Dice")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"go.mod": "module example.org/m\n", filepath.Join(folder, "plugin-manifest.json"): manifest} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var out, words bytes.Buffer
	if code := run([]string{"check"}, nil, &out, &words); code != 0 || out.Len() > 0 {
		t.Errorf("vcp check: %d\n%s%s", code, &out, &words)
	}
	words.Reset()
	if code := run([]string{"gen"}, nil, &out, &words); code != 0 {
		t.Fatalf("vcp gen: %d\n%s%s", code, &out, &words)
	}
	types, err := os.ReadFile(filepath.Join("generated", "plugins", "dice", "types_gen.go"))
	for _, want := range []string{"type RollInput struct", "Count wire.Opt[int64]", "Sides wire.Opt[int64]", "Rolls []int64"} {
		if !strings.Contains(string(types), want) {
			t.Errorf("the page relies on %q (%v)", want, err)
		}
	}
}

// exits runs a program and demands its exit code: exits CODE PROGRAM ARGS…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var ended *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &ended):
		got = ended.ExitCode()
	case err != nil:
		ts.Fatalf("%s: %v", args[1], err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
