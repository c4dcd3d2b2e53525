//go:build unix

package stdio_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/fuzz/shared"
	"vcp.core/runtime"
	"vcp.core/runtime/transport/stdio"
	"vcp.core/runtime/transport/stdio/frame"
	"vcp.core/runtime/transport/stdio/kept"
)

// echoes are programs that write each line back, and workers that give their arguments back.
var echoes = []struct {
	language, program string
	bare, json, kept  string // what stands in a file beside the library of the example
}{
	{language: "go"},
	{
		language: "node", program: "node",
		bare: "require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => process.stdout.write(`${line}\\n`));",
		json: "require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => process.stdout.write(`${JSON.stringify(JSON.parse(line))}\\n`));",
		kept: "require('./worker.js').serve({ Run: (call) => call.arguments });",
	},
	{
		language: "python", program: "python3",
		bare: "import sys\nfor line in sys.stdin.buffer:\n    sys.stdout.buffer.write(line)\n    sys.stdout.buffer.flush()\n",
		json: "import json, sys\nfor line in sys.stdin.buffer:\n    sys.stdout.buffer.write(json.dumps(json.loads(line)).encode() + b'\\n')\n    sys.stdout.buffer.flush()\n",
		kept: "import worker\nworker.serve({'Run': lambda call: call.arguments})\n",
	},
}

// BenchmarkKept compares a call of a kept worker with bare pipes to a program in the same language, with the same bytes
// in both directions: an NDJSON echo, where both sides read and write JSON by what the language brings along, and an echo
// of lines that nobody looks into. They take turns in one run; the figures are medians. The ratio to NDJSON binds: at most 1.5,
// for the transport, which checks the frame and the answer besides.
func BenchmarkKept(b *testing.B) {
	for _, e := range echoes {
		b.Run(e.language, func(b *testing.B) {
			library := filepath.Join(shared.Root(b), "docs", "examples", "worker", e.language)
			dir := b.TempDir()
			program := func(name, source string) stdio.Program {
				if e.program == "" {
					p := acting(b, name)
					p.Env = nil
					return p
				}
				if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(library)); err != nil {
					b.Fatal(err)
				}
				file := filepath.Join(dir, name, "echo")
				if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
					b.Fatal(err)
				}
				return stdio.Program{Dir: filepath.Dir(file), Argv: []string{interpreter(b, e.program), "echo"}}
			}
			arguments := []byte(`{"text":"` + string(bytes.Repeat([]byte("x"), 1000)) + `"}`)
			p := program("echoing", e.kept)
			s := stdio.New(map[string]stdio.Program{tool: p}, stdio.Environment(os.Environ()), stdio.Keep(tool, kept.Bounds{Max: 1, Idle: time.Minute}))
			spec := &call.Spec{
				Tool: tool, Version: "1.0.0", Command: "Run", Kind: call.Synchronous, Protocol: "stdio", Effect: call.Read,
				Timeout: time.Minute, Grace: time.Second, Input: accepting{}, Output: accepting{},
			}
			r := runtime.New(call.NewTable([]*call.Spec{spec}), runtime.Use("stdio", s))
			defer func() { _ = r.Close(context.Background()) }()
			in := call.Invocation{Tool: tool, Command: "Run", Arguments: arguments, InvocationID: invocation, RequestID: invocation, Source: "bench", Config: []byte("{}"), Deadline: time.Now().Add(time.Hour)}
			line := frame.AppendCall(nil, &in, in.Deadline)

			callers := []caller{
				{"ndjson", speaking(b, program("ndjson", e.json), arguments)},
				{"run", func() error { _, err := s.Run(b.Context(), in, time.Second); return err }},
				{"lines", piping(b, program("bare", e.bare), line)},
				{"execute", func() error {
					if res := r.Execute(b.Context(), call.Call{Tool: tool, Command: "Run", Arguments: arguments}); res.Status() != call.Success {
						return fmt.Errorf("%s", res)
					}
					return nil
				}},
			}
			took := map[string][]time.Duration{}
			for b.Loop() {
				for _, c := range callers {
					goruntime.GC()
					const calls = 200
					start := time.Now()
					for range calls {
						if err := c.call(); err != nil {
							b.Fatal(c.name, err)
						}
					}
					took[c.name] = append(took[c.name], time.Since(start)/calls)
				}
			}
			middle := func(name string) float64 {
				slices.Sort(took[name])
				return float64(took[name][len(took[name])/2].Nanoseconds()) / 1000
			}
			b.ReportMetric(0, "ns/op")
			for _, c := range callers {
				b.ReportMetric(middle(c.name), c.name+"-µs")
			}
			b.ReportMetric(middle("run")/middle("ndjson"), "run/ndjson")
			b.ReportMetric(middle("run")/middle("lines"), "run/lines")
			b.ReportMetric(middle("execute")/middle("ndjson"), "execute/ndjson")
		})
	}
}

type caller struct {
	name string
	call func() error
}

// interpreter finds the program itself: a shim of a version manager is a shell script, which costs its start.
func interpreter(b *testing.B, name string) string {
	b.Helper()
	ask := map[string][]string{"node": {"-p", "process.execPath"}, "python3": {"-c", "import sys; print(sys.executable)"}}
	out, err := exec.Command(name, ask[name]...).Output()
	if err != nil {
		b.Skipf("%s: %v", name, err)
	}
	return string(bytes.TrimSpace(out))
}

// message is a line of the NDJSON echo, in both directions.
type message struct {
	ID        string            `json:"id"`
	Arguments json.RawMessage   `json:"arguments"`
	Context   map[string]string `json:"context"` // as much again as a frame has beside the arguments
}

// speaking starts a program that reads and writes JSON, and returns what does so here.
func speaking(b *testing.B, p stdio.Program, arguments []byte) func() error {
	b.Helper()
	in, out := starting(b, p)
	said := message{ID: invocation, Arguments: arguments, Context: map[string]string{"requestId": invocation, "source": "bench", "deadline": "2030-01-02T03:04:05.006Z"}}
	lines := bufio.NewReader(out)
	return func() error {
		line, err := json.Marshal(said)
		if err != nil {
			return err
		}
		if _, err := in.Write(append(line, '\n')); err != nil {
			return err
		}
		if line, err = lines.ReadBytes('\n'); err != nil {
			return err
		}
		var heard message
		if err := json.Unmarshal(line, &heard); err != nil || len(heard.Arguments) < len(arguments) {
			return cmp.Or(err, io.ErrUnexpectedEOF)
		}
		return nil
	}
}

// starting starts a program.
func starting(b *testing.B, p stdio.Program) (io.Writer, io.Reader) {
	b.Helper()
	cmd := exec.Command(p.Argv[0], p.Argv[1:]...)
	cmd.Dir = p.Dir
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = stdin.Close(); _ = cmd.Wait() })
	return stdin, stdout
}

// piping starts a program and returns what sends it a line and reads one back.
func piping(b *testing.B, p stdio.Program, line []byte) func() error {
	b.Helper()
	in, from := starting(b, p)
	out := bufio.NewReader(from)
	return func() error {
		if _, err := in.Write(line); err != nil {
			return err
		}
		got, err := out.ReadSlice('\n')
		if err == nil && len(got) < len(line)*9/10 {
			return io.ErrUnexpectedEOF
		}
		return err
	}
}

// BenchmarkBesideHungWorkers measures calls of one tool while another tool's workers hang and calls wait for them,
// beside the same without that. They take turns in one run; the figures are medians. The ratio binds: at most 1.1.
func BenchmarkBesideHungWorkers(b *testing.B) {
	arguments := []byte(`{"text":"` + string(bytes.Repeat([]byte("x"), 1000)) + `"}`)
	in := call.Invocation{Tool: tool, Command: "Run", Arguments: arguments, InvocationID: invocation, RequestID: invocation, Source: "bench", Config: []byte("{}"), Deadline: time.Now().Add(time.Hour)}
	ctx, cancel := context.WithCancel(b.Context())
	var hanging sync.WaitGroup
	begin := func(hung int) *stdio.Stdio {
		s := stdio.New(map[string]stdio.Program{tool: acting(b, "echoing"), "Hung": acting(b, "odd")},
			stdio.Keep(tool, kept.Bounds{Max: 1, Idle: time.Minute}), stdio.Keep("Hung", kept.Bounds{Max: 4, Idle: time.Minute}))
		for range hung {
			hanging.Go(func() {
				deaf := inner("deaf")
				deaf.Tool = "Hung"
				_, _ = s.Run(ctx, deaf, time.Millisecond)
			})
		}
		return s
	}
	names := []string{"alone", "beside"}
	transports := []*stdio.Stdio{begin(0), begin(64)}
	took := make([][]time.Duration, len(transports))
	for b.Loop() {
		for i, s := range transports {
			goruntime.GC()
			const calls = 200
			start := time.Now()
			for range calls {
				if _, err := s.Run(b.Context(), in, time.Second); err != nil {
					b.Fatal(names[i], err)
				}
			}
			took[i] = append(took[i], time.Since(start)/calls)
		}
	}
	cancel()
	hanging.Wait()
	middle := func(i int) float64 {
		slices.Sort(took[i])
		return float64(took[i][len(took[i])/2].Nanoseconds()) / 1000
	}
	for i, s := range transports {
		if err := s.Close(b.Context()); err != nil {
			b.Error(err)
		}
		b.ReportMetric(middle(i), names[i]+"-µs")
	}
	b.ReportMetric(middle(1)/middle(0), "ratio")
	b.ReportMetric(0, "ns/op")
}
