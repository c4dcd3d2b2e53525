package bench

import (
	"fmt"
	"os"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"time"

	mcpclient "github.com/mark3labs/mcp-go/client"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"vcp.core/contract/call"
	"vcp.core/gen/manifest"
	"vcp.core/runtime"
	"vcp.core/runtime/sdk"
	"vcp.core/runtime/transport/stdio"
	"vcp.core/runtime/transport/stdio/kept"
)

// The arguments that make this test program a server or a plugin.
const (
	asPlugin = "as-plugin"
	asServer = "as-mcp-go-server"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case asPlugin:
			sdk.Main(call.HandlerFunc(echo))
		case asServer:
			if err := mcpserver.ServeStdio(mcpGoServer()); err != nil {
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// BenchmarkKept compares a whole call of a kept worker with one of mcp-go over standard streams, in one run, in
// turns: the same echo in a process of this program, arguments and data validated. mcp-go has to take 8 times as
// long.
func BenchmarkKept(b *testing.B) {
	arguments := make([][]byte, 1000)
	for i := range arguments {
		arguments[i] = fmt.Appendf(nil, `{"id":%d,"title":"entry %d","kind":"task","tags":["a","b","c"],"body":"%s","at":{"lat":52.5,"lon":13.4}}`,
			i, i, strings.Repeat("lorem ipsum ", 72))
	}
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	plugin := compiled(b, `"entryPoint":{"argv":["self"]},"communication":{"protocol":"stdio","timeoutMs":60000,"workers":{"max":1}}`)
	s := stdio.New(map[string]stdio.Program{"Echo": {Dir: b.TempDir(), Argv: []string{self, asPlugin}}}, stdio.Keep("Echo", kept.Bounds{Max: 1, Idle: time.Minute}))
	r := runtime.New(call.NewTable(plugin.Specs()), runtime.Use(manifest.Stdio, s))
	defer func() { _ = r.Close(b.Context()) }()
	c, err := mcpclient.NewStdioMCPClient(self, nil, asServer)
	if err != nil {
		b.Fatal(err)
	}
	b.Log("mcp-go v1.2.1: stdio client and server, WithInputSchemaValidation, WithOutputSchemaValidation, raw schemas, raw structured result")
	callers := []caller{oursCaller(r), mcpGoCaller(b, c)}
	for _, c := range callers { // both refuse what breaks the schema, and know what they echo
		if _, err := c.call([]byte(`{"id":-1,"title":"x","kind":"task"}`)); err == nil {
			b.Fatalf("%s takes arguments that break the schema", c.name)
		}
		if n, err := c.call(arguments[0]); err != nil || n < len(arguments[0]) {
			b.Fatalf("%s: %d bytes, %v", c.name, n, err)
		}
	}
	const rounds, calls = 31, 200
	times := make([][]time.Duration, len(callers))
	for b.Loop() {
		for round := range rounds {
			for i, c := range callers {
				goruntime.GC()
				start := time.Now()
				for n := range calls {
					if _, err := c.call(arguments[(round*calls+n)%len(arguments)]); err != nil {
						b.Fatal(c.name, err)
					}
				}
				times[i] = append(times[i], time.Since(start)/calls)
			}
		}
	}
	median := func(i int) time.Duration { slices.Sort(times[i]); return times[i][len(times[i])/2] }
	b.ReportMetric(float64(median(0).Nanoseconds())/1000, "ours-µs/call")
	b.ReportMetric(float64(median(1).Nanoseconds())/1000, "mcp-go-µs/call")
	b.ReportMetric(float64(median(1))/float64(median(0)), "mcp-go/ours")
	b.ReportMetric(float64(times[1][0])/float64(times[0][0]), "mcp-go/ours-least") // of the rounds that were disturbed least
	b.ReportMetric(0, "ns/op")
}
