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
	"testing"

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
	times := map[string][]int64{}
	measure := func(name string, f func()) {
		r := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
		times[name] = append(times[name], r.NsPerOp(), r.AllocsPerOp())
	}
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	for range 3 {
		measure("scan", func() { check(tape.Scan(src, wire.Limits{})) })
		measure("judge generated", func() { check(protocol.JudgeResult(&tape)) })
		measure("judge live", func() {
			if validator.Verdict(&tape) != wire.Valid {
				panic("invalid")
			}
		})
		measure("scan and judge generated", func() { check(protocol.ValidateResult(src)) })
	}
	if err := json.NewEncoder(os.Stdout).Encode(times); err != nil {
		panic(err)
	}
}
`

// BenchmarkResult judges a canonical result: generated code and live, in one process. The figure of a row
// is the best of three runs.
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
	var times map[string][]int64
	if err := json.Unmarshal(out, &times); err != nil {
		b.Fatal(err)
	}
	best := map[string]float64{}
	for name, list := range times {
		for i := 0; i < len(list); i += 2 {
			if best[name] == 0 || float64(list[i]) < best[name] {
				best[name] = float64(list[i])
			}
			if list[i+1] != 0 {
				b.Errorf("%s allocates %d times", name, list[i+1])
			}
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
