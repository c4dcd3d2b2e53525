// Package worker_test runs the examples of kept workers.
package worker_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/gen/manifest"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
	"vcp.core/runtime/transport/stdio"
	"vcp.core/runtime/transport/stdio/kept"
)

// example is one of them, in a folder of its own.
type example struct {
	*runtime.Runtime
	tool    string
	workers *manifest.Workers
	mu      sync.Mutex
	told    int          // reports
	log     bytes.Buffer // of the transport
}

// Write lets the example be where its transport logs to.
func (e *example) Write(text []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.log.Write(text)
}

// ended is how many workers have ended so far.
func (e *example) ended() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Count(e.log.String(), "worker has ended")
}

// open starts a runtime for an example. A text replaces its program, whose commands then take any arguments; the library stays.
func open(t *testing.T, language, program string) *example {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(language)); err != nil {
		t.Fatal(err)
	}
	if program != "" {
		name := map[string]string{"go": "main.go", "node": "reverse.js", "python": "reverse.py"}[language]
		if err := os.WriteFile(filepath.Join(dir, name), []byte(program), 0o600); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, manifest.FileName)
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, bytes.ReplaceAll(text, []byte(`"additionalProperties": false`), []byte(`"additionalProperties": true`)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	switch language {
	case "go":
		build := exec.Command("go", "build", "-o", "reverse", "main.go", "worker.go")
		build.Dir = dir
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	case "node":
		if _, err := exec.LookPath("node"); err != nil {
			t.Skipf("the example needs Node: %v", err)
		}
	case "python":
		if out, err := exec.Command("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 8))").CombinedOutput(); err != nil {
			t.Skipf("the example needs Python 3.8: %v %s", err, out)
		}
	}
	c, list := manifest.Load(filepath.Join(dir, manifest.FileName))
	if len(list) > 0 {
		t.Fatal(list)
	}
	p := c.Plugins()[0]
	e := &example{tool: p.Name, workers: p.Workers}
	w := p.Workers
	s := stdio.New(map[string]stdio.Program{p.Name: {Dir: dir, Argv: p.Argv}}, stdio.Environment(os.Environ()),
		stdio.Logger(slog.New(slog.NewTextHandler(e, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		stdio.Keep(p.Name, kept.Bounds{Min: w.Min, Max: w.Max, Idle: w.Idle, MaxCalls: w.MaxCalls, InFlight: w.InFlight}))
	e.Runtime = runtime.New(c, runtime.Use(manifest.Stdio, s), runtime.Listen(func(runtime.ProgressEvent) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.told++
	}))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := e.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return e
}

func (e *example) call(ctx context.Context, command, arguments string) *result.Sealed {
	return e.Execute(ctx, call.Call{Tool: e.tool, Command: command, Arguments: []byte(arguments)}).(*result.Sealed)
}

func TestExamples(t *testing.T) {
	for _, language := range []string{"node", "python", "go"} {
		t.Run(language, func(t *testing.T) {
			e := open(t, language, "")
			calls(t, e)
			many(t, e)
			cancels(t, e)
		})
	}
}

// calls answer what they are asked, characters of every length and texts of several megabytes included.
func calls(t *testing.T, e *example) {
	t.Helper()
	if s := e.call(t.Context(), "Reverse", `{"text":"añ世😀"}`); !equal(s.Member(result.Data), `{"text":"😀世ña"}`) {
		t.Errorf("%s", s)
	}
	if s := e.call(t.Context(), "Reverse", `{"text":""}`); s.Code() != "REVERSE.EMPTY" {
		t.Errorf("%s", s)
	}
	long := strings.Repeat("0123456789", 200_000)
	if s := e.call(t.Context(), "Reverse", `{"text":"`+long+`"}`); len(s.Member(result.Data)) != len(long)+len(`{"text":""}`) {
		t.Errorf("%.300s", s)
	}
	if s := e.call(t.Context(), "Wait", `{"ms":20}`); s.Status() != call.Success {
		t.Errorf("%s", s)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.told != 1 {
		t.Errorf("%d reports", e.told)
	}
}

// equal compares documents whose characters may be escaped.
func equal(a, b string) bool {
	plain := strings.NewReplacer(`\ud83d\ude00`, "😀", `\u4e16`, "世", `\u00f1`, "ñ")
	return plain.Replace(a) == b
}

// many callers get each their own answer.
func many(t *testing.T, e *example) {
	t.Helper()
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			text := fmt.Sprint(1000 + i)
			want := fmt.Sprintf(`{"text":"%c%c%c%c"}`, text[3], text[2], text[1], text[0])
			if s := e.call(t.Context(), "Reverse", `{"text":"`+text+`"}`); s.Member(result.Data) != want {
				t.Errorf("%s: %s", text, s)
			}
		})
	}
	all.Wait()
}

// cancels end a call and leave the process at work.
func cancels(t *testing.T, e *example) {
	t.Helper()
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		s := e.call(ctx, "Wait", `{"ms":60000}`)
		cancel()
		if s.Status() != call.Timeout || strings.Contains(s.Member(result.Error), "handlerRunning") {
			t.Errorf("%s", s)
		}
		if s := e.call(t.Context(), "Reverse", `{"text":"ab"}`); s.Member(result.Data) != `{"text":"ba"}` {
			t.Errorf("%s", s)
		}
	}
	if n := e.ended(); n > 0 {
		t.Errorf("%d workers have ended", n)
	}
}

// careless are programs whose functions do what they should not: they print, break down, and answer what is no JSON.
var careless = map[string]string{
	"node": `
const { serve } = require('./worker.js');
serve({ Reverse: async ({ arguments: { text } }) => {
  console.log('a print');
  if (text === 'breaks') throw null;
  if (text === 'no file') require('node:fs').readFileSync('not there');
  if (text === 'no JSON') return { text: 1n };
  if (text === 'nothing') return undefined;
  return { text };
} });
`,
	"python": `
import worker
def reverse(call):
    text = call.arguments["text"]
    print("a print")
    if text == "breaks":
        raise KeyError(text)
    if text == "no file":
        open("not there")
    if text == "no JSON":
        return {"text": {1}}
    return None if text == "nothing" else {"text": text}
worker.serve({"Reverse": reverse})
`,
	"go": `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
)

func main() { _ = Serve(map[string]Func{"Reverse": reverse}) }

func reverse(_ context.Context, c Call) (any, error) {
	var in struct{ Text string }
	_ = json.Unmarshal(c.Arguments, &in)
	fmt.Println("a print")
	switch in.Text {
	case "breaks":
		panic(in.Text)
	case "no file":
		return os.ReadFile("not there")
	case "no JSON":
		return math.NaN(), nil
	case "nothing":
		return nil, nil
	}
	return map[string]string{"text": in.Text}, nil
}
`,
}

// A careless function costs its own call, and the process goes on.
func TestCarelessFunctions(t *testing.T) {
	for language, program := range careless {
		t.Run(language, func(t *testing.T) {
			e := open(t, language, program)
			for range 2 {
				for text, code := range map[string]string{"breaks": "INTERNAL_ERROR", "no file": "INTERNAL_ERROR", "no JSON": "INTERNAL_ERROR", "nothing": "INVALID_TOOL_RESULT"} {
					s := e.call(t.Context(), "Reverse", `{"text":"`+text+`"}`)
					if s.Code() != code || code == "INTERNAL_ERROR" && !strings.Contains(s.Member(result.Error), "Reverse broke down") {
						t.Errorf("%s: %s", text, s)
					}
				}
			}
			const deep = 1000 // a call may have 1,024 levels
			if s := e.call(t.Context(), "Reverse", `{"text":"ab","deep":`+strings.Repeat("[", deep)+strings.Repeat("]", deep)+`}`); s.Status() != call.Success {
				t.Errorf("%s", s)
			}
			if n := e.ended(); n > 0 {
				t.Errorf("%d workers have ended", n)
			}
		})
	}
}
