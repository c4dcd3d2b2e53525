//go:build unix

package generate_test

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"

	"vcp.core/cmd/internal/generate"
	"vcp.core/fuzz/emitted"
	"vcp.core/fuzz/shared"
)

// BenchmarkCheck is vcp gen --check on this repository, files and comparison included.
func BenchmarkCheck(b *testing.B) {
	b.Chdir(shared.Root(b))
	options := generate.Defaults()
	options.Check = true
	lines := 0
	err := fs.WalkDir(os.DirFS(options.Out), ".", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") {
			var src []byte
			src, err = os.ReadFile(options.Out + "/" + path)
			lines += bytes.Count(src, []byte("\n"))
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	before := emitted.Used()
	for b.Loop() {
		if code := generate.Run(options, io.Discard, io.Discard); code != 0 {
			b.Fatal("exit code", code)
		}
	}
	b.ReportMetric(float64(lines*b.N)/(emitted.Used()-before).Seconds(), "lines/cpu-s")
	b.ReportMetric(float64(lines*b.N)/b.Elapsed().Seconds(), "lines/s")
}
