//go:build unix

package gen_test

import (
	"bytes"
	"fmt"
	"testing"

	"vcp.core/fuzz/emitted"
	"vcp.core/gen"
)

// BenchmarkGenerate goes from the bytes of manifests to the bytes of packages: synthetic manifests, and the
// contract of this repository with the protocol. Beside lines a second by the clock it tells lines a second
// of processor time, which other work on the machine changes less; on n processors the clock can show up to
// n times as many.
func BenchmarkGenerate(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { measure(b, synthetic(b, n), gen.Target{ImportPath: "example.org/m"}) })
	}
	b.Run("shipped", func(b *testing.B) { measure(b, shipped(b), here) })
}

func measure(b *testing.B, manifests []gen.Manifest, target gen.Target) {
	lines := 0
	b.ReportAllocs()
	before := emitted.Used()
	for b.Loop() {
		loaded := make([]gen.Manifest, len(manifests))
		for i, m := range manifests {
			loaded[i] = gen.Manifest{Name: m.Name, File: parse(b, m.File.Name, m.File.Src)}
		}
		lines = 0
		for _, f := range generate(b, loaded, target).Files {
			lines += bytes.Count(f.Bytes, []byte("\n"))
		}
	}
	all := float64(lines * b.N)
	b.ReportMetric(all/(emitted.Used()-before).Seconds(), "lines/cpu-s")
	b.ReportMetric(all/b.Elapsed().Seconds(), "lines/s")
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N*len(manifests))*1000, "ms/manifest")
}
