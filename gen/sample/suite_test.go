package sample

import (
	"fmt"
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
	"vcp.core/gen/resolve"
)

func parse(t testing.TB, src []byte) *load.Node {
	t.Helper()
	f, list := load.Parse("test", src, wire.Limits{})
	if list.HasErrors() {
		t.Fatalf("%s: %v", src, list)
	}
	return f.Root
}

// drafts are the dialects of the suite, in the order of allDialects.
var (
	drafts      = map[suite.Dialect]Draft{suite.Draft2020: Draft2020, suite.Draft2019: Draft2019, suite.Draft07: Draft07}
	allDialects = []suite.Dialect{suite.Draft2020, suite.Draft2019, suite.Draft07}
)

// group is a schema of the official suite, prepared.
type group struct {
	suite.Group
	file    string
	dialect suite.Dialect
	remotes suite.Remotes
	source  *Source
}

// officialGroups are those of a folder of a dialect: "" for the required ones, "optional", "optional/format".
func officialGroups(t *testing.T, d suite.Dialect, folder string) []group {
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
	for _, meta := range resolve.MetaSchemas() {
		documents[meta.URI] = meta.File.Root
	}
	files, err := suite.Read(filepath.Join(root, "tests", string(d), filepath.FromSlash(folder)))
	if err != nil {
		t.Fatal(err)
	}
	var groups []group
	for _, f := range files {
		if f.Name == "cross-draft.json" {
			continue // it refers to remotes of other drafts, which have the names of ours
		}
		for _, g := range f.Groups {
			s, err := New(parse(t, g.Schema), Options{URI: "urn:suite:group", Documents: documents, Draft: drafts[d]})
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
// to: formats are assertions.
func TestReadingOfTheOfficialSuite(t *testing.T) {
	for _, d := range allDialects {
		cases, meant := 0, 0
		for _, g := range officialGroups(t, d, "") {
			for _, c := range g.Cases {
				cases++
				checker := checker{documents: g.source.docs, left: 1_000_000}
				got, _ := checker.judge(g.source.root, nil, parse(t, c.Data))
				switch {
				case c.Valid && !got && strings.HasSuffix(c.Description, "is only an annotation by default"):
					meant++
				case got != c.Valid || checker.lost:
					t.Errorf("%s: %s: %s: %s: valid is %v, lost %v", d, g.file, g.Description, c.Description, got, checker.lost)
				}
			}
		}
		t.Logf("%s: %d cases, %d differ on purpose", d, cases, meant)
		if want := map[suite.Dialect]int{suite.Draft2020: 19}[d]; meant != want {
			t.Errorf("%s: %d differ on purpose, want %d", d, meant, want)
		}
	}
}

// Every schema of the suite that some case fits must have documents for every seed, all valid by live, and every
// one that some case does not fit must have a document beside it that live refuses. Nothing is excused but what
// live does not refuse either: keywords of an older draft, and the content of strings, which only annotate.
func TestSamplesOfTheOfficialSuite(t *testing.T) {
	const seeds, beside = 12, 60
	for _, folder := range []string{"", "optional", "optional/format"} {
		for _, d := range allDialects {
			var of, found [2]int // refusing, allowing
			documents := 0
			for _, g := range officialGroups(t, d, folder) {
				judge := g.judge(t, folder == "optional/format")
				if judge == nil {
					continue
				}
				tell := func(what string, args ...any) {
					t.Errorf("%s: %s: %s: %s", d, g.file, g.Description, fmt.Sprintf(what, args...))
				}
				if g.expects(true) {
					of[1]++
					if g.source.Empty() {
						tell("it allows something")
					}
					for seed := range uint64(seeds) {
						doc, ok := g.source.Valid(seed)
						if !ok {
							tell("nothing valid for seed %d", seed)
							found[1]--
							break
						}
						documents++
						if v, err := judge.Document(doc); v != wire.Valid || err != nil {
							tell("seed %d: live refuses %s: %v", seed, doc, err)
						}
					}
					found[1]++
				}
				if g.expects(false) && g.file != "dependencies-compatibility.json" && g.file != "content.json" {
					of[0]++
					if g.refused(judge, beside) {
						found[0]++
					} else {
						tell("live refuses none of %d documents beside the border", beside)
					}
				}
			}
			t.Logf("%s %s: valid samples of %d of %d schemas, invalid ones of %d of %d; %d valid documents", d, folder, found[1], of[1], found[0], of[0], documents)
			if of[0] == 0 || of[1] == 0 {
				t.Errorf("%s %s: no schemas", d, folder)
			}
		}
	}
}

// expects reports whether some case of the group has a verdict.
func (g *group) expects(valid bool) bool {
	return slices.ContainsFunc(g.Cases, func(c suite.Case) bool { return c.Valid == valid })
}

// refused reports whether live refuses one of n documents beside the border.
func (g *group) refused(judge *ours.Judge, n uint64) bool {
	for seed := range n {
		if v, err := judge.Document(g.source.Near(seed)); err == nil && v == wire.Invalid {
			return true
		}
	}
	return false
}

// judge is what live makes of the schema, nil when the compiler refuses it.
func (g *group) judge(t *testing.T, formats bool) *ours.Judge {
	const uri = "urn:suite:group"
	s := ours.Schema{URI: uri, Documents: maps.Clone(g.remotes), Dialect: resolve.Dialect(drafts[g.dialect]), FormatAssertion: formats}
	s.Documents[uri] = g.Schema
	judge, err := ours.Compile(s)
	if err != nil {
		t.Logf("%s: %s: %s: %v", g.dialect, g.file, g.Description, err)
		return nil
	}
	return judge
}
