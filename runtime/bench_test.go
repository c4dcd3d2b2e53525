package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
)

// BenchmarkExecute measures a whole call: 1,000 distinct arguments of 1 KB, fresh ids, a deadline, both sides
// validated, the result encoded. The handler echoes, so nearly everything that is measured is the runtime.
func BenchmarkExecute(b *testing.B) {
	const input = `{
		"type": "object",
		"properties": {
			"command": {"const": "Run"},
			"id": {"type": "integer", "minimum": 0},
			"title": {"type": "string", "minLength": 1, "maxLength": 200},
			"kind": {"enum": ["note", "task", "event"]},
			"tags": {"type": "array", "items": {"type": "string"}, "maxItems": 20},
			"body": {"type": "string"},
			"at": {"type": "object", "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}}, "required": ["lat", "lon"]},
			"limit": {"type": "integer", "default": 10}
		},
		"required": ["command", "id", "title", "kind"],
		"additionalProperties": false
	}`
	s := spec(b, input, input, func(s *call.Spec) {
		s.SuppliesDiscriminator = true
		s.Defaults = []call.Default{{Name: "limit", Value: []byte("10")}}
		s.Presentation = []byte(`{"preferredView":"table"}`)
	})
	r := runtime.New(registry{s}, runtime.Bind("T", echo))
	calls := make([]call.Call, 1000)
	for i := range calls {
		calls[i] = call.Call{Tool: "T", Command: "Run", Source: "bench", Timeout: time.Minute, Arguments: fmt.Appendf(nil,
			`{"id":%d,"title":"entry %d","kind":"task","tags":["a","b","c"],"body":"%s","at":{"lat":52.5,"lon":13.40}}`, i, i, strings.Repeat("lorem ipsum ", 72))}
	}
	b.SetBytes(int64(len(calls[0].Arguments)))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		res := r.Execute(context.Background(), calls[i%len(calls)])
		if res.Status() != call.Success {
			b.Fatal(res.(*result.Sealed))
		}
		i++
	}
}
