package sample

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/ours"
	"vcp.core/fuzz/shared"
	"vcp.core/fuzz/suite"
	"vcp.core/gen/load"
)

func parse(t testing.TB, src []byte) *load.Node {
	t.Helper()
	f, list := load.Parse("test", src, wire.Limits{})
	if list.HasErrors() {
		t.Fatalf("%s: %v", src, list)
	}
	return f.Root
}

// group is a schema of the official suite, prepared.
type group struct {
	suite.Group
	file    string
	dialect suite.Dialect
	remotes suite.Remotes
	source  *Source
}

func officialGroups(t *testing.T, d suite.Dialect) []group {
	t.Helper()
	root := shared.Path(t, "data", "json-schema-test-suite")
	all, err := suite.ReadRemotes(filepath.Join(root, "remotes"))
	if err != nil {
		t.Fatal(err)
	}
	remotes := all.Of(d)
	documents := map[string]*load.Node{}
	for uri, src := range remotes {
		documents[uri] = parse(t, src)
	}
	metas, err := filepath.Glob(filepath.Join("..", "resolve", "meta", "*.json"))
	more, err2 := filepath.Glob(filepath.Join("..", "resolve", "meta", "*", "*.json"))
	if err != nil || err2 != nil || len(metas)+len(more) == 0 {
		t.Fatalf("no meta-schemas: %v, %v", err, err2)
	}
	for _, path := range append(metas, more...) {
		f, list := load.ReadFile(path, wire.Limits{})
		if list.HasErrors() {
			t.Fatal(list)
		}
		documents[text(f.Root.Get("$id"))] = f.Root
	}
	files, err := suite.Read(filepath.Join(root, "tests", string(d)))
	if err != nil {
		t.Fatal(err)
	}
	var groups []group
	for _, f := range files {
		for _, g := range f.Groups {
			s, err := New(parse(t, g.Schema), Options{URI: "urn:suite:group", Documents: documents, Draft07: d == suite.Draft07})
			if err != nil {
				t.Errorf("%s: %s: %v", f.Name, g.Description, err)
				continue
			}
			groups = append(groups, group{g, f.Name, d, remotes, s})
		}
	}
	return groups
}

// The reading of this package, which everything it makes must pass, against the cases of the official
// suite: a reading that is wrong about a keyword would let wrong documents pass. It differs where it means
// to: formats are assertions, and vocabularies are not read.
func TestReadingOfTheOfficialSuite(t *testing.T) {
	for _, d := range []suite.Dialect{suite.Draft2020, suite.Draft07} {
		cases, meant := 0, 0
		for _, g := range officialGroups(t, d) {
			for _, c := range g.Cases {
				cases++
				checker := checker{documents: g.source.docs, left: 1_000_000}
				got, _ := checker.judge(g.source.root, nil, parse(t, c.Data))
				switch {
				case c.Valid && !got && (strings.HasSuffix(c.Description, "is only an annotation by default") || g.file == "vocabulary.json"):
					meant++
				case got != c.Valid || checker.lost:
					t.Errorf("%s: %s: %s: %s: valid is %v, lost %v", d, g.file, g.Description, c.Description, got, checker.lost)
				}
			}
		}
		t.Logf("%s: %d cases, %d differ on purpose", d, cases, meant)
		if want := map[suite.Dialect]int{suite.Draft2020: 20}[d]; meant != want {
			t.Errorf("%s: %d differ on purpose, want %d", d, meant, want)
		}
	}
}

// Every schema of the suite that some case fits must have documents, and live must agree with each.
func TestSamplesOfTheOfficialSuite(t *testing.T) {
	const seeds = 12
	for _, d := range []suite.Dialect{suite.Draft2020, suite.Draft07} {
		judged, made, none := 0, 0, 0
		for _, g := range officialGroups(t, d) {
			satisfiable := slices.ContainsFunc(g.Cases, func(c suite.Case) bool { return c.Valid })
			judge, refused := ours.Engine(d, g.Schema, maps.Clone(g.remotes))
			got := 0
			for seed := range uint64(seeds) {
				doc, ok := g.source.Valid(seed)
				if !ok {
					continue
				}
				got++
				if refused != nil {
					continue
				}
				judged++
				if valid, err := judge(doc); !valid || err != nil {
					t.Errorf("%s: %s: %s: seed %d: live refuses %s: %v", d, g.file, g.Description, seed, doc, err)
				}
			}
			made += got
			if satisfiable && got < seeds {
				none++
				t.Errorf("%s: %s: %s: %d of %d", d, g.file, g.Description, got, seeds)
			}
		}
		t.Logf("%s: %d documents, %d judged by live, %d schemas without", d, made, judged, none)
	}
}
