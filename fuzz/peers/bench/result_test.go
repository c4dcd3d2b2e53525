package bench

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v5 "github.com/santhosh-tekuri/jsonschema/v5"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/ours"
	"vcp.core/fuzz/peers/corpus"
	"vcp.core/fuzz/peers/oracle"
	"vcp.core/fuzz/shared"
	"vcp.core/gen/resolve"
)

// engine is one contender. It must call the document valid.
type engine struct {
	name  string
	judge func() bool
}

// resultEngines compiles the canonical result schema in every engine. The document is the example of a
// success with everything in it, without white space. All engines assert date-time; v5 and v6 keep
// numbers as json.Number, since without that they misjudge large ones.
func resultEngines(b *testing.B) (document []byte, engines []engine) {
	b.Helper()
	var subject corpus.Subject
	for _, s := range corpus.OfProtocol(b) {
		if s.Name == "result" {
			subject = s
		}
	}
	raw, err := os.ReadFile(filepath.Join(shared.Root(b), "contract", "schema", "testdata", "result", "valid", "success.json"))
	if err != nil {
		b.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		b.Fatal(err)
	}
	document = compact.Bytes()

	judge, err := ours.Compile(ours.Schema{
		URI: subject.URI, Documents: subject.Documents, Dialect: resolve.Draft2020, FormatAssertion: true,
	})
	if err != nil {
		b.Fatal(err)
	}
	var tape wire.Tape
	if err := tape.Scan(document, wire.Limits{}); err != nil {
		b.Fatal(err)
	}

	docs := map[string]json.RawMessage{}
	five := v5.NewCompiler()
	five.AssertFormat = true
	for uri, doc := range subject.Documents {
		docs[uri] = doc
		if err := five.AddResource(uri, bytes.NewReader(doc)); err != nil {
			b.Fatal(err)
		}
	}
	by5, err := five.Compile(subject.URI)
	if err != nil {
		b.Fatal(err)
	}
	by6, err := oracle.Compile(oracle.Schema{URI: subject.URI, Documents: docs, Dialect: "draft2020-12", Formats: subject.Formats})
	if err != nil {
		b.Fatal(err)
	}
	decode := func() any {
		d := json.NewDecoder(bytes.NewReader(document))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			b.Fatal(err)
		}
		return v
	}
	value := decode()
	return document, []engine{
		{"live/tape", func() bool { return judge.Validator.Verdict(&tape) == wire.Valid }},
		{"live/bytes", func() bool {
			v, err := judge.Document(document)
			return err == nil && v == wire.Valid
		}},
		{"v6/any", func() bool { return by6.Validate(value) == nil }},
		{"v6/bytes", func() bool { return by6.Validate(decode()) == nil }},
		{"v5/any", func() bool { return by5.Validate(value) == nil }},
		{"v5/bytes", func() bool { return by5.Validate(decode()) == nil }},
	}
}

// BenchmarkResult gives each engine's own figures, allocations included.
func BenchmarkResult(b *testing.B) {
	document, engines := resultEngines(b)
	for _, e := range engines {
		b.Run(strings.ReplaceAll(e.name, "/", "-"), func(b *testing.B) {
			b.SetBytes(int64(len(document)))
			b.ReportAllocs()
			for b.Loop() {
				if !e.judge() {
					b.Fatal("the fixture is not valid")
				}
			}
		})
	}
}

// BenchmarkResultRatios reports how many times longer each peer takes than live from the same starting
// point: the ratio of the medians.
func BenchmarkResultRatios(b *testing.B) {
	_, engines := resultEngines(b)
	at := medians(b, engines)
	for _, c := range []struct{ peer, own string }{
		{"v6/any", "live/tape"}, {"v6/bytes", "live/bytes"}, {"v5/any", "live/tape"}, {"v5/bytes", "live/bytes"},
	} {
		b.ReportMetric(float64(at[c.peer])/float64(at[c.own]), strings.ReplaceAll(c.peer, "/", "-")+"/"+strings.ReplaceAll(c.own, "/", "-"))
	}
}
