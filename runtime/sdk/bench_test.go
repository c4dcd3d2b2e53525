package sdk

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vcp.core/fuzz/shared"
)

// BenchmarkStart measures how long a plugin takes from its start to its end, and a Go program that does nothing.
// They take turns; the figures are medians. What the package adds is the difference; a start has to stay under
// 5 ms.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	for _, name := range []string{"hello", "empty"} {
		build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(dir, name), "./runtime/sdk/testdata/"+name)
		build.Dir = shared.Root(b)
		if out, err := build.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	took := map[string][]time.Duration{}
	for b.Loop() {
		for _, name := range []string{"hello", "empty"} {
			cmd := exec.Command(filepath.Join(dir, name))
			cmd.Stdin = strings.NewReader(head + `{}` + tail + "\n")
			start := time.Now()
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
			took[name] = append(took[name], time.Since(start))
		}
	}
	median := func(name string) float64 {
		slices.Sort(took[name])
		return float64(took[name][len(took[name])/2].Microseconds()) / 1000
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median("hello"), "hello-ms")
	b.ReportMetric(median("empty"), "empty-ms")
}
