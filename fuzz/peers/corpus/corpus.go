// Package corpus gathers what engines are compared on: schemas of three groups with the instances that
// belong to them. The protocol's schemas and the plugins' command schemas are read from the module's
// tree, real schemas and their instances from the shared files.
//
// Data flow: folders -> [Subject]s -> the differential and the deletion test, the benchmarks. The
// package judges nothing and makes no documents; it never changes what it reads.
package corpus

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vcp.core/fuzz/shared"
)

// Group says where a subject comes from; its format setting follows from it.
type Group string

// The groups.
const (
	Protocol Group = "protocol" // contract/schema/v1: date-time is asserted
	Plugin   Group = "plugin"   // input, output and configuration schemas of shipped plugins
	Shared   Group = "shared"   // real schemas: formats are annotations
)

// Subject is one schema to judge by.
type Subject struct {
	Group     Group
	Name      string
	URI       string            // of the schema to judge by
	Documents map[string][]byte // every document it may reach, by absolute URI
	Dialect   string            // of documents without `$schema`
	Formats   []string          // asserted formats
	Instances [][]byte          // documents that are meant for it, valid or not
	// Backtracking says that patterns need an engine with look-arounds.
	Backtracking bool
}

// SharedNames are the real schemas.
var SharedNames = []string{
	"ansible-meta", "aws-cdk", "babelrc", "clang-format", "cmake-presets", "cql2", "cspell", "deno", "draft-04", "fabric-mod", "geojson",
	"helm-chart-lock", "jsconfig", "krakend", "lazygit", "openapi", "pulumi", "stylecop", "unreal-engine-uproject", "vercel", "yamllint",
}

// Small are the twelve of them with which comparisons of speed and of shapes began: v6 compiles each in
// milliseconds, and there is little in them that other engines do not know.
var Small = []string{
	"ansible-meta", "aws-cdk", "babelrc", "clang-format", "deno", "fabric-mod", "helm-chart-lock", "jsconfig", "lazygit",
	"pulumi", "stylecop", "yamllint",
}

// Real returns the subjects of shared schemas. The test is skipped when they are absent.
func Real(t testing.TB, names []string) []Subject {
	t.Helper()
	var out []Subject
	for _, name := range names {
		out = append(out, RealOne(t, name))
	}
	return out
}

// noInstances are the shared schemas that come without.
var noInstances = []string{"draft-04", "geojson", "openapi"}

// RealOne returns one shared schema with its instances.
func RealOne(t testing.TB, name string) Subject {
	t.Helper()
	dir := shared.Path(t, "data", "schemas", name)
	s := Subject{Group: Shared, Name: name, URI: "https://shared.test/" + name, Dialect: "draft7", Backtracking: name == "cspell"}
	s.Documents = map[string][]byte{s.URI: read(t, filepath.Join(dir, "schema.json"))}
	if slices.Contains(noInstances, name) {
		return s
	}
	lines := bufio.NewScanner(bytes.NewReader(read(t, filepath.Join(dir, "instances.jsonl"))))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		s.Instances = append(s.Instances, bytes.Clone(lines.Bytes()))
	}
	if err := lines.Err(); err != nil || len(s.Instances) == 0 {
		t.Fatalf("instances of %s: %d, %v", name, len(s.Instances), err)
	}
	return s
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
