//go:build unix

package bench

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/emitted"
	"vcp.core/fuzz/ours"
	"vcp.core/fuzz/peers/corpus"
	"vcp.core/fuzz/peers/oracle"
	"vcp.core/fuzz/random"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/ir"
	"vcp.core/gen/resolve"
)

// BenchmarkGrowth judges deep documents under schemas that are exponential without a memo: by live, by generated code,
// and by v6 at the depth that v6 can be asked for. All figures are microseconds of processor time, scan included.
func BenchmarkGrowth(b *testing.B) {
	overlap := random.BlowUps[0]
	b.Run("anyOf", func(b *testing.B) {
		s := corpus.Subject{URI: "urn:growth", Documents: map[string][]byte{"urn:growth": []byte(overlap.Schema)}, Dialect: "draft2020-12"}
		growth(b, s, overlap.Document, 22, 12)
	})
	b.Run("cql2", func(b *testing.B) {
		not := func(n int) string {
			return strings.Repeat(`{"op":"not","args":[`, n) + `{"op":"=","args":[{"property":"a"},1]}` + strings.Repeat(`]}`, n)
		}
		growth(b, corpus.RealOne(b, "cql2"), not, 12, 3)
	})
}

func growth(b *testing.B, s corpus.Subject, document func(int) string, depth, depthOf6 int) {
	b.Helper()
	schema := ours.Schema{URI: s.URI, Documents: s.Documents, Dialect: resolve.Draft2020}
	judge, err := ours.Compile(schema)
	if err != nil {
		b.Fatal(err)
	}
	deep := []byte(document(depth))
	byLive := emitted.Measure(1000, func() {
		if v, err := judge.Document(deep); err != nil || v != wire.Valid {
			b.Fatal(v, err)
		}
	})
	resolved, err := schema.Resolve()
	if err != nil {
		b.Fatal(err)
	}
	program, list := ir.Lower([]*resolve.Schema{resolved}, ir.Options{})
	if list.HasErrors() {
		b.Fatal(list)
	}
	costs := emitted.MeasureJudge(b, golang.Package{
		Name: "growth", ImportPath: emitted.ImportPath("growth"), Source: "growth", Program: program,
		Roots: []golang.Root{{Name: "Growth", Schema: program.Roots[0]}},
	}, "Growth", deep)
	o := oracle.Schema{URI: s.URI, Documents: map[string]json.RawMessage{}, Dialect: s.Dialect}
	for uri, raw := range s.Documents {
		o.Documents[uri] = raw
	}
	by6, err := oracle.Compile(o)
	if err != nil {
		b.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(document(depthOf6))))
	if err != nil {
		b.Fatal(err)
	}
	v6 := emitted.Measure(1, func() {
		if err := by6.Validate(value); err != nil {
			b.Fatal(err)
		}
	})
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(depth), "depth")
	b.ReportMetric(byLive/1000, "live-µs")
	b.ReportMetric(costs.Validate/1000, "generated-µs")
	b.ReportMetric(float64(depthOf6), "v6-depth")
	b.ReportMetric(v6/1000, "v6-µs")
	// Generated code and live, as a share of the millisecond that is their bar.
	b.ReportMetric(byLive/1e6, "live/ms")
	b.ReportMetric(costs.Validate/1e6, "generated/ms")
}
