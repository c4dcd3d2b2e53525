package golang_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"vcp.core/fuzz/emitted"
	"vcp.core/fuzz/shared"
	"vcp.core/gen/emit/golang"
)

// benchMain measures in the child: generated code cannot be part of the test's own program.
const benchMain = `package main

import (
	"encoding/json"
	"os"
	"syscall"
	"testing"
	"time"

	"generated.test/protocol"
	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	live "vcp.core/gen/protocol"
)

func main() {
	src, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var tape wire.Tape
	if err := tape.Scan(src, wire.Limits{}); err != nil {
		panic(err)
	}
	src = tape.AppendCompact(nil, 0)
	validator := live.Validator(schema.Result)
	best := map[string]float64{}
	allocs := map[string]float64{}
	used := func() time.Duration {
		var r syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
			panic(err)
		}
		return time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	measure := func(name string, f func()) {
		allocs[name] += testing.AllocsPerRun(100, f)
		const n = 20_000
		before := used()
		for range n {
			f()
		}
		if took := float64(used()-before) / n; best[name] == 0 || took < best[name] {
			best[name] = took
		}
	}
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	for range 5 {
		measure("scan", func() { check(tape.Scan(src, wire.Limits{})) })
		measure("judge generated", func() { check(protocol.JudgeResult(&tape)) })
		measure("judge live", func() {
			if validator.Verdict(&tape) != wire.Valid {
				panic("invalid")
			}
		})
		measure("scan and judge generated", func() { check(protocol.ValidateResult(src)) })
	}
	if err := json.NewEncoder(os.Stdout).Encode([]map[string]float64{best, allocs}); err != nil {
		panic(err)
	}
}
`

// BenchmarkResult judges a canonical result: generated code and live, in one process. Figures are the best
// of five runs, in processor time, so that a busy machine counts little.
func BenchmarkResult(b *testing.B) {
	files, list := golang.EmitSchemas(protocolSet(b))
	if list.HasErrors() {
		b.Fatal(list)
	}
	program := emitted.Build(b, map[string][]golang.File{"protocol": files}, benchMain)
	doc := filepath.Join(shared.Root(b), "contract", "schema", "testdata", "result", "valid", "success.json")
	out, err := exec.Command(program, doc).Output()
	if err != nil {
		b.Fatal(err)
	}
	var figures []map[string]float64
	if err := json.Unmarshal(out, &figures); err != nil {
		b.Fatal(err)
	}
	best := figures[0]
	for name, n := range figures[1] {
		if n != 0 {
			b.Errorf("%s allocates %v times", name, n)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(best["scan"], "scan-ns")
	b.ReportMetric(best["judge generated"], "judge-ns")
	b.ReportMetric(best["judge live"], "live-ns")
	b.ReportMetric(best["scan and judge generated"], "validate-ns")
	b.ReportMetric(best["judge generated"]/best["judge live"], "judge/live")
}

// BenchmarkEmit is the speed of emission alone, in generated lines per second.
func BenchmarkEmit(b *testing.B) {
	p, list := protocolSet(b).Compile()
	if list.HasErrors() {
		b.Fatal(list)
	}
	lines := 0
	for b.Loop() {
		files, _ := golang.Emit(p)
		for _, f := range files {
			for _, c := range f.Bytes {
				if c == '\n' {
					lines++
				}
			}
		}
	}
	b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "lines/s")
	b.ReportMetric(float64(lines)/float64(b.N), "lines")
}
