package live_test

import (
	"strconv"
	"strings"
	"testing"

	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// canonicalResult is a result of usual size and shape: one resource, one warning, some data.
const canonicalResult = `{
  "protocol": {"name": "vcp.tool-result", "version": "1.0"},
  "id": "tr_01J8ZQ4K3M5N6P7Q8R9S0T1V2W",
  "status": "success",
  "tool": {"name": "DoubaoGen", "displayName": "豆包图像生成", "version": "1.2.0", "command": "GenerateImage"},
  "execution": {
    "invocationId": "ti_01J8ZQ4K3M5N6P7Q8R9S0T1V2X", "requestId": "req_01J8ZQ4K3M5N6P7Q8R9S0T1V2Y", "recordId": "tcr_01J8ZQ4K3M5N6P7Q8R9S0T1V2Z",
    "startedAt": "2026-03-01T10:20:30.123+08:00", "finishedAt": "2026-03-01T10:20:34.567+08:00", "durationMs": 4444, "timeoutMs": 60000, "attempt": 1
  },
  "actor": {"type": "agent", "id": "nova", "name": "Nova", "maid": null},
  "origin": {"source": "ai-loop", "nodeId": null, "serverId": "core-1", "distributed": false, "requestIp": null},
  "data": {"prompt": "a cat under a cherry tree, watercolor", "seed": 9007199254740993, "size": "1024x1024", "image": {"$resource": "res_01J8ZQ4K3M5N6P7Q8R9S0T1V30"}, "tags": ["cat", "watercolor", "spring"]},
  "resources": [{
    "id": "res_01J8ZQ4K3M5N6P7Q8R9S0T1V30", "kind": "image", "role": "output", "mimeType": "image/png", "fileName": "cat.png", "sizeBytes": 482133,
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "url": null, "source": {"type": "generated", "provider": "doubao"},
    "dimensions": {"width": 1024, "height": 1024}, "durationMs": null, "metadata": {}
  }],
  "warnings": [{"code": "MIME_MISMATCH", "message": "declared image/jpeg, found image/png", "target": "/image", "details": {"declared": "image/jpeg"}}],
  "error": null,
  "task": null,
  "presentation": {"summary": "one image", "title": null, "preferredView": "image-result", "primaryResourceId": "res_01J8ZQ4K3M5N6P7Q8R9S0T1V30"},
  "aiAdvice": {"intent": "display_resource", "message": null, "resourceIds": ["res_01J8ZQ4K3M5N6P7Q8R9S0T1V30"], "renderHint": "image", "priority": "normal"},
  "policy": {"classification": "internal", "containsSensitiveData": false, "redactionsApplied": []},
  "extensions": {"doubao.usage": {"tokens": 1234}}
}`

// protocolSchema compiles a document of the protocol, formats asserted.
func protocolSchema(t testing.TB, name string) *live.Validator {
	t.Helper()
	return live.Compile(protocolProgram(t, name)).Root(0)
}

func protocolProgram(t testing.TB, name string) *ir.Program {
	t.Helper()
	var docs []resolve.Document
	var root *load.File
	for _, d := range schema.All() {
		file, list := load.Parse(d.Path, d.Source, wire.Limits{})
		if len(list) > 0 {
			t.Fatal(list)
		}
		docs = append(docs, resolve.Document{URI: d.ID, File: file})
		if d.Name == name {
			root = file
		}
	}
	registry, list := resolve.NewRegistry(docs...)
	if list.HasErrors() {
		t.Fatal(list)
	}
	resolved, list := resolve.Resolve(root, nil, resolve.Options{Registry: registry, URI: "https://vcp.core/schema/v1/" + name + ".schema.json"})
	if list.HasErrors() {
		t.Fatal(list)
	}
	p, list := ir.Lower([]*resolve.Schema{resolved}, ir.Options{FormatAssertion: true})
	if list.HasErrors() {
		t.Fatal(list)
	}
	return p
}

func compact(t testing.TB, doc string) []byte {
	t.Helper()
	return scan(t, doc).AppendCompact(nil, 0)
}

func BenchmarkResult(b *testing.B) {
	v := protocolSchema(b, schema.Result)
	doc := compact(b, canonicalResult)
	verdict, violations, err := v.Check(doc, wire.Limits{})
	if verdict != wire.Valid {
		b.Fatal(violations, err)
	}
	b.Run("bytes", func(b *testing.B) {
		var tape wire.Tape
		b.SetBytes(int64(len(doc)))
		b.ReportAllocs()
		for b.Loop() {
			if err := tape.Scan(doc, wire.Limits{}); err != nil || v.Verdict(&tape) != wire.Valid {
				b.Fatal(err)
			}
		}
	})
	b.Run("scan", func(b *testing.B) {
		var tape wire.Tape
		b.SetBytes(int64(len(doc)))
		b.ReportAllocs()
		for b.Loop() {
			if err := tape.Scan(doc, wire.Limits{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("tape", func(b *testing.B) {
		tape := scan(b, string(doc))
		b.SetBytes(int64(len(doc)))
		b.ReportAllocs()
		for b.Loop() {
			if v.Verdict(tape) != wire.Valid {
				b.Fatal("not valid")
			}
		}
	})
}

// A result with three faults: the verdict alone, and with the list.
func BenchmarkInvalid(b *testing.B) {
	v := protocolSchema(b, schema.Result)
	doc := strings.NewReplacer(`"attempt": 1`, `"attempt": 0`, `"status": "success"`, `"status": "error"`, `"kind": "image"`, `"kind": "imgae"`).Replace(canonicalResult)
	tape := scan(b, doc)
	if n := len(v.Violations(tape)); n != 3 {
		b.Fatalf("%d violations: %+v", n, v.Violations(tape))
	}
	b.Run("verdict", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			v.Verdict(tape)
		}
	})
	b.Run("violations", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			v.Violations(tape)
		}
	})
}

// Overlapping arms at growing depth: time must grow with the depth and not with its power.
func BenchmarkOverlappingArms(b *testing.B) {
	v := compile(b, `{"anyOf": [{"type": "array", "items": {"$ref": "#"}}, {"type": "array", "items": {"$ref": "#"}}, {"const": 2}]}`)
	for _, depth := range []int{22, 1000} {
		b.Run(strconv.Itoa(depth), func(b *testing.B) {
			tape := scan(b, nest("[", "]", "1", depth))
			b.ReportAllocs()
			for b.Loop() {
				v.Verdict(tape)
			}
		})
	}
}

// Lowering and compiling the largest document of the protocol.
func BenchmarkCompile(b *testing.B) {
	p := protocolProgram(b, schema.Result)
	b.ReportAllocs()
	for b.Loop() {
		live.Compile(p)
	}
}
