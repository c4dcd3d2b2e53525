package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"time"

	mcpclient "github.com/mark3labs/mcp-go/client"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/load"
	"vcp.core/gen/manifest"
	"vcp.core/runtime"
)

// entrySchema is the schema of both the arguments and the data of the command that echoes.
const entrySchema = `{
	"type": "object",
	"properties": {
		"id": {"type": "integer", "minimum": 0},
		"title": {"type": "string", "minLength": 1, "maxLength": 200},
		"kind": {"type": "string", "enum": ["note", "task", "event"]},
		"tags": {"type": "array", "items": {"type": "string"}, "maxItems": 20},
		"body": {"type": "string"},
		"at": {"type": "object", "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}}, "required": ["lat", "lon"], "additionalProperties": false}
	},
	"required": ["id", "title", "kind"],
	"additionalProperties": false
}`

// entry is what entrySchema describes, for the peer that decodes into Go types.
type entry struct {
	ID    int64    `json:"id"`
	Title string   `json:"title"`
	Kind  string   `json:"kind"`
	Tags  []string `json:"tags,omitempty"`
	Body  string   `json:"body,omitempty"`
	At    *place   `json:"at,omitempty"`
}

type place struct {
	Lat float64 `json:"lat"`
	Lon float64 `json:"lon"`
}

// caller makes one call with the given arguments and returns the length of the encoded result.
type caller struct {
	name string
	call func(arguments []byte) (int, error)
}

// BenchmarkExecute compares a whole call of ours with one of the two Go libraries for MCP, in memory, in one
// run, in turns: 1,000 distinct arguments of 1 KB as bytes, the same schema on both sides of the same echo,
// arguments and data validated, a deadline, the result encoded. Bars: 20 times mcp-go, 30 times go-sdk.
func BenchmarkExecute(b *testing.B) {
	arguments := make([][]byte, 1000)
	for i := range arguments {
		arguments[i] = fmt.Appendf(nil, `{"id":%d,"title":"entry %d","kind":"task","tags":["a","b","c"],"body":"%s","at":{"lat":52.5,"lon":13.4}}`,
			i, i, strings.Repeat("lorem ipsum ", 72))
	}
	callers := []caller{oursDirect(b), mcpGo(b), goSDK(b)}
	b.Log("ours: runtime.Execute, direct handler, schemas judged by gen/live, ids, deadline, sealed result")
	b.Log("mcp-go v1.2.1: in-process client, WithInputSchemaValidation, WithOutputSchemaValidation, raw schemas, raw structured result")
	b.Log("go-sdk v1.8.0: in-memory transports, typed AddTool (validates arguments and results), the same schemas")
	for _, c := range callers { // every one refuses what breaks the schema, and knows what it echoes
		if _, err := c.call([]byte(`{"id":-1,"title":"x","kind":"task"}`)); err == nil {
			b.Fatalf("%s takes arguments that break the schema", c.name)
		}
		if n, err := c.call(arguments[0]); err != nil || n < len(arguments[0]) {
			b.Fatalf("%s: %d bytes, %v", c.name, n, err)
		}
	}
	// Rounds are long enough for everybody to pay for several collections of his own garbage, and begin without
	// anybody else's.
	const rounds, calls = 9, 2000
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
	own := median(0)
	b.ReportMetric(float64(own.Nanoseconds())/1000, "ours-µs/call")
	for i := 1; i < len(callers); i++ {
		b.ReportMetric(float64(median(i).Nanoseconds())/1000, callers[i].name+"-µs/call")
		b.ReportMetric(float64(median(i))/float64(own), callers[i].name+"/ours")
	}
	b.ReportMetric(0, "ns/op")
}

// oursDirect is Execute with a direct handler, from a manifest that was compiled for it.
func oursDirect(b *testing.B) caller {
	plugin := compiled(b, `"entryPoint":{"direct":true},"communication":{"protocol":"direct","timeoutMs":60000}`)
	return oursCaller(runtime.New(call.NewTable(plugin.Specs()), runtime.Bind("Echo", call.HandlerFunc(echo))))
}

// compiled is a plugin of one command that echoes, over the given transport.
func compiled(b *testing.B, transport string) *manifest.Plugin {
	text := fmt.Sprintf(`{"name":"Echo","displayName":"Echo","version":"1.0.0","description":"Echoes.","pluginType":"synchronous",
		%s,
		"toolResultProtocol":{"name":"vcp.tool-result","version":"1.0"},
		"capabilities":{"invocationCommands":[{"commandIdentifier":"Echo","description":"Echoes.","effect":"read",
		"inputSchema":%s,"outputSchema":%s}]}}`, transport, entrySchema, entrySchema)
	file, list := load.Parse("plugin-manifest.json", []byte(text), wire.Limits{})
	if len(list) > 0 {
		b.Fatal(list)
	}
	plugin, list := manifest.Compile(file)
	if plugin == nil {
		b.Fatal(list)
	}
	return plugin
}

// echo gives the arguments back.
func echo(_ context.Context, in call.Invocation) ([]byte, error) {
	payload := make([]byte, 0, len(in.Arguments)+96)
	payload = append(payload, `{"status":"success","data":`...)
	payload = append(payload, in.Arguments...)
	return append(payload, `,"resources":[],"warnings":[],"extensions":{}}`...), nil
}

// oursCaller calls the command of a runtime.
func oursCaller(r *runtime.Runtime) caller {
	return caller{"ours", func(arguments []byte) (int, error) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		res := r.Execute(ctx, call.Call{Tool: "Echo", Command: "Echo", Arguments: arguments, Source: "bench"})
		if res.Status() != call.Success {
			return 0, fmt.Errorf("%s: %s", res.Status(), res.Code())
		}
		n, err := res.WriteTo(io.Discard)
		return int(n), err
	}}
}

// mcpGoServer is mark3labs/mcp-go with validation of both sides switched on.
func mcpGoServer() *mcpserver.MCPServer {
	s := mcpserver.NewMCPServer("echo", "1.0.0", mcpserver.WithToolCapabilities(false),
		mcpserver.WithInputSchemaValidation(), mcpserver.WithOutputSchemaValidation())
	tool := mcpgo.NewToolWithRawSchema("Echo", "Echoes.", json.RawMessage(entrySchema))
	tool.RawOutputSchema = json.RawMessage(entrySchema)
	s.AddTool(tool, func(_ context.Context, req mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		return &mcpgo.CallToolResult{StructuredContent: req.GetRawArguments(), Content: []mcpgo.Content{}}, nil
	})
	return s
}

// mcpGo is a client of that server in the same process.
func mcpGo(b *testing.B) caller {
	c, err := mcpclient.NewInProcessClient(mcpGoServer())
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	return mcpGoCaller(b, c)
}

// mcpGoCaller greets a server and calls its tool.
func mcpGoCaller(b *testing.B, c *mcpclient.Client) caller {
	b.Cleanup(func() { _ = c.Close() })
	var hello mcpgo.InitializeRequest
	hello.Params.ProtocolVersion = mcpgo.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcpgo.Implementation{Name: "bench", Version: "1.0.0"}
	if _, err := c.Initialize(b.Context(), hello); err != nil {
		b.Fatal(err)
	}
	return caller{"mcp-go", func(arguments []byte) (int, error) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		var req mcpgo.CallToolRequest
		req.Params.Name = "Echo"
		req.Params.Arguments = json.RawMessage(arguments)
		res, err := c.CallTool(ctx, req)
		if err != nil {
			return 0, err
		}
		if res.IsError {
			return 0, fmt.Errorf("%v", res.Content)
		}
		out, err := json.Marshal(res)
		return len(out), err
	}}
}

// goSDK is the MCP go-sdk with a typed tool, which validates both sides.
func goSDK(b *testing.B) caller {
	s := mcp.NewServer(&mcp.Implementation{Name: "echo", Version: "1.0.0"}, &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler)})
	mcp.AddTool(s, &mcp.Tool{Name: "Echo", Description: "Echoes.", InputSchema: json.RawMessage(entrySchema), OutputSchema: json.RawMessage(entrySchema)},
		func(_ context.Context, _ *mcp.CallToolRequest, in entry) (*mcp.CallToolResult, entry, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{}}, in, nil
		})
	clientSide, serverSide := mcp.NewInMemoryTransports()
	serving, err := s.Connect(b.Context(), serverSide, nil)
	if err != nil {
		b.Fatal(err)
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	session, err := c.Connect(b.Context(), clientSide, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = session.Close(); _ = serving.Wait() })
	return caller{"go-sdk", func(arguments []byte) (int, error) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "Echo", Arguments: json.RawMessage(arguments)})
		if err != nil {
			return 0, err
		}
		if res.IsError {
			return 0, fmt.Errorf("%v", res.Content)
		}
		out, err := json.Marshal(res)
		return len(out), err
	}}
}
