//go:build unix

package bench

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vcp.core/fuzz/emitted"
	"vcp.core/fuzz/peers/corpus"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"

	"vcp.core/contract/wire"
)

// BenchmarkCodec compares the generated decoder and encoder of the canonical result with what one would
// write by hand: sonic into a struct with the same members, unchecked, and sonic into a struct and into any
// for jsonschema v5 to validate. Everything runs in one child, in turns; figures are medians of processor
// time. Bars: decode 1.0 of sonic, 0.08 of the checked way, encode 0.6 of sonic, the status matrix 0.2 of decode.
//
// The struct that sonic fills is written by hand (testdata/codec/plain.go): nullable members are pointers,
// free objects maps of raw JSON, numbers json.Number, so that neither side loses what the other keeps. The child
// checks that it loses nothing.
func BenchmarkCodec(b *testing.B) {
	document, _ := resultEngines(b)
	full := resultPackage(b, "result", func(schema map[string]any) {})
	plain := resultPackage(b, "nomatrix", func(schema map[string]any) { delete(schema, "allOf") })
	packages := map[string][]golang.File{}
	for _, p := range []golang.Package{full, plain} {
		files, list := golang.Emit(p)
		if list.HasErrors() {
			b.Fatal(list)
		}
		packages[p.Name] = files
	}
	packages["plain"] = []golang.File{{Name: "plain.go", Bytes: testdata(b, "plain.go")}}
	main := strings.ReplaceAll(string(testdata(b, "main.go")), "// IMPORTS", `"`+emitted.ImportPath("plain")+"\"\n\t\""+
		emitted.ImportPath("nomatrix")+"\"\n\t\""+emitted.ImportPath("result")+`"`)
	program := emitted.Build(b, packages, strings.TrimPrefix(main, "//go:build ignore\n"))

	dir := b.TempDir()
	write := func(name string, content []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	write("document.json", document)
	docs, err := json.Marshal(resultSubject(b).Documents)
	if err != nil {
		b.Fatal(err)
	}
	write("schemas.json", docs)
	cmd := exec.Command(program, dir, resultSubject(b).URI)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	var figures []struct {
		Name  string
		Value float64
	}
	if err := json.Unmarshal(out, &figures); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	b.ReportMetric(0, "ns/op")
	for _, f := range figures {
		b.ReportMetric(f.Value, f.Name)
	}
}

func testdata(b *testing.B, name string) []byte {
	b.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "codec", name))
	if err != nil {
		b.Fatal(err)
	}
	return raw
}

func resultSubject(b *testing.B) corpus.Subject {
	b.Helper()
	for _, s := range corpus.OfProtocol(b) {
		if s.Name == "result" {
			return s
		}
	}
	b.Fatal("there is no schema of the result")
	return corpus.Subject{}
}

// resultPackage compiles the schema of the canonical result after a change.
func resultPackage(b *testing.B, name string, change func(schema map[string]any)) golang.Package {
	b.Helper()
	subject := resultSubject(b)
	set := golang.Set{
		Name: name, ImportPath: emitted.ImportPath(name), Source: "result", FormatAssertion: true,
		Roots: []golang.SetRoot{{Name: "Result", File: subject.URI}},
	}
	for uri, src := range subject.Documents {
		if uri == subject.URI {
			var schema map[string]any
			if err := json.Unmarshal(src, &schema); err != nil {
				b.Fatal(err)
			}
			change(schema)
			var err error
			if src, err = json.Marshal(schema); err != nil {
				b.Fatal(err)
			}
		}
		file, list := load.Parse(uri, src, wire.Limits{})
		if len(list) > 0 {
			b.Fatal(list)
		}
		set.Documents = append(set.Documents, resolve.Document{URI: uri, File: file})
	}
	p, list := set.Compile()
	if list.HasErrors() {
		b.Fatal(list)
	}
	return p
}
