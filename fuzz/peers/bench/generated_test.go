//go:build unix

package bench

import (
	"testing"

	"vcp.core/fuzz/emitted"
	"vcp.core/fuzz/ours"
	"vcp.core/fuzz/peers/corpus"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/ir"
	"vcp.core/gen/resolve"
)

// BenchmarkGeneratedRatios reports how many times longer live and the peers take than generated code, in
// processor time: "tape" and "any" from what each validates, "bytes" from the document.
func BenchmarkGeneratedRatios(b *testing.B) {
	document, engines := resultEngines(b)
	var subject corpus.Subject
	for _, s := range corpus.OfProtocol(b) {
		if s.Name == "result" {
			subject = s
		}
	}
	schema, err := ours.Schema{URI: subject.URI, Documents: subject.Documents, Dialect: resolve.Draft2020}.Resolve()
	if err != nil {
		b.Fatal(err)
	}
	program, list := ir.Lower([]*resolve.Schema{schema}, ir.Options{FormatAssertion: true})
	if list.HasErrors() {
		b.Fatal(list)
	}
	c := emitted.MeasureJudge(b, golang.Package{
		Name: "result", ImportPath: emitted.ImportPath("result"), Source: "result", FormatAssertion: true,
		Program: program, Roots: []golang.Root{{Name: "Result", Schema: program.Roots[0]}},
	}, "Result", document)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(c.Judge, "generated-ns")
	b.ReportMetric(c.Validate, "generated-bytes-ns")
	for _, e := range engines {
		calls, own := 2000, c.Judge
		if e.name == "live/bytes" || e.name == "v6/bytes" || e.name == "v5/bytes" {
			own = c.Validate
		}
		took := emitted.Measure(calls, func() {
			if !e.judge() {
				b.Fatal("the fixture is not valid")
			}
		})
		b.ReportMetric(took/own, e.name+"/generated")
	}
}
