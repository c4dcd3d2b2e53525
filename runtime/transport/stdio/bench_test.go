//go:build unix

package stdio_test

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/fuzz/shared"
	"vcp.core/runtime"
	"vcp.core/runtime/transport/stdio"
	"vcp.core/runtime/transport/stdio/frame"
)

// BenchmarkOneShot measures a whole call of a Go plugin that is started for it, through Execute, and the same
// program started by os/exec with its output collected. The two take turns, so that a busy machine is busy for
// both; the figures are medians. The ratio binds: at most 1.3.
func BenchmarkOneShot(b *testing.B) {
	hello := filepath.Join(b.TempDir(), "hello")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", hello, "./runtime/sdk/testdata/hello")
	build.Dir = shared.Root(b)
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	spec := &call.Spec{
		Tool: tool, Version: "1.0.0", Command: "Run", Kind: call.Synchronous, Protocol: "stdio", Effect: call.Read,
		Timeout: time.Minute, Grace: time.Second, Input: accepting{}, Output: accepting{},
	}
	program := stdio.Program{Dir: filepath.Dir(hello), Argv: []string{hello}}
	r := runtime.New(call.NewTable([]*call.Spec{spec}), runtime.Use("stdio", stdio.New(map[string]stdio.Program{tool: program})))
	defer func() { _ = r.Close(context.Background()) }()
	arguments := []byte(`{"text":"` + string(bytes.Repeat([]byte("x"), 1000)) + `"}`)
	line := frame.AppendCall(nil, &call.Invocation{Command: "Run", Arguments: arguments, Config: []byte("{}")}, time.Now().Add(time.Minute))

	var ours, bare []time.Duration
	for b.Loop() {
		start := time.Now()
		if res := r.Execute(b.Context(), call.Call{Tool: tool, Command: "Run", Arguments: arguments}); res.Status() != call.Success {
			b.Fatal(res)
		}
		ours = append(ours, time.Since(start))

		start = time.Now()
		cmd := exec.Command(hello)
		cmd.Stdin = bytes.NewReader(line)
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("hello")) {
			b.Fatalf("%v\n%s", err, out)
		}
		bare = append(bare, time.Since(start))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(ours), "execute-ms")
	b.ReportMetric(median(bare), "bare-ms")
	b.ReportMetric(median(ours)/median(bare), "ratio")
}

// median returns the middle one in milliseconds.
func median(list []time.Duration) float64 {
	slices.Sort(list)
	return float64(list[len(list)/2].Microseconds()) / 1000
}
