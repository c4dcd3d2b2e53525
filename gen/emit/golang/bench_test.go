//go:build unix

package golang_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/emitted"
	"vcp.core/fuzz/shared"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/protocol"
)

// BenchmarkResult judges a canonical result, the example of a success with everything in it, by generated
// code and by live. Figures are processor time.
func BenchmarkResult(b *testing.B) {
	raw, err := os.ReadFile(filepath.Join(shared.Root(b), "contract", "schema", "testdata", "result", "valid", "success.json"))
	if err != nil {
		b.Fatal(err)
	}
	doc := wire.AppendCompact(nil, raw)
	p, list := protocolSet(b).Compile()
	if list.HasErrors() {
		b.Fatal(list)
	}
	c := emitted.MeasureJudge(b, p, "Result", doc)
	if c.Allocs != 0 {
		b.Errorf("%v allocations", c.Allocs)
	}
	var tape wire.Tape
	if err := tape.Scan(doc, wire.Limits{}); err != nil {
		b.Fatal(err)
	}
	v := protocol.Validator(schema.Result)
	live := emitted.Measure(20_000, func() {
		if v.Verdict(&tape) != wire.Valid {
			b.Fatal("the example is not valid")
		}
	})
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(len(doc)), "bytes")
	b.ReportMetric(c.Scan, "scan-ns")
	b.ReportMetric(c.Judge, "judge-ns")
	b.ReportMetric(live, "live-ns")
	b.ReportMetric(c.Validate, "validate-ns")
	b.ReportMetric(c.Judge/live, "judge/live")
}

// BenchmarkEmit is the speed of emission alone, in generated lines per second of processor time.
func BenchmarkEmit(b *testing.B) {
	p, list := protocolSet(b).Compile()
	if list.HasErrors() {
		b.Fatal(list)
	}
	lines := 0
	took := emitted.Measure(20, func() {
		files, _ := golang.Emit(p)
		lines = 0
		for _, f := range files {
			lines += bytes.Count(f.Bytes, []byte("\n"))
		}
	})
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(lines)/took*1e9, "lines/s")
	b.ReportMetric(float64(lines), "lines")
}
