package golang_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/emitted"
	"vcp.core/fuzz/shared"
	"vcp.core/fuzz/suite"
	"vcp.core/gen/diag"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/ir"
	"vcp.core/gen/resolve"
)

var wrapped = flag.Bool("wrapped", false, "wrap every group of the official suite, and not one in sixteen")

// drafts are those of the official suite, with the number of cases in their required files.
var drafts = []struct {
	suite   suite.Dialect
	dialect resolve.Dialect
	cases   int
}{
	{suite.Draft2020, resolve.Draft2020, 1299},
	{suite.Draft2019, resolve.Draft2019, 1259},
	{suite.Draft07, resolve.Draft07, 927},
}

// The required files of the official suite: every group becomes a judge.
func TestOfficialSuite(t *testing.T) {
	a := newAgreement()
	for i := range drafts {
		s := readSuite(t, i)
		cases := 0
		for _, f := range s.files {
			for _, g := range f.Groups {
				cases += len(g.Cases)
				s.group(t, g, nil)
				for _, c := range g.Cases {
					s.ask(a, c.Data, string(s.draft)+"/"+f.Name, c.Valid)
				}
			}
		}
		if cases != drafts[i].cases {
			t.Errorf("%s: %d cases, want %d", s.draft, cases, drafts[i].cases)
		}
		s.finish(t, a)
	}
	a.check(t)
}

// The same verdicts when the schema of a group stands in another place. Each place is a package for each draft. All
// groups are a matter of minutes (make suite-wrapped); else each place gets some of them.
func TestWrappedSuite(t *testing.T) {
	a := newAgreement()
	for i := range drafts {
		for k, w := range suite.Wrappings {
			s := readSuite(t, i)
			s.pkg.Name += strings.TrimPrefix(strings.ToLower(w.Name), "$")
			s.pkg.ImportPath = emitted.ImportPath(s.pkg.Name)
			label := fmt.Sprintf("generated code %-12s %s", w.Name, s.draft)
			number := 4 * k
			for _, f := range s.files {
				for _, g := range f.Groups {
					if number++; !*wrapped && number%16 != 0 {
						continue
					}
					s.group(t, g, &w)
					for _, c := range g.Cases {
						s.ask(a, w.Document(c.Data), label, c.Valid)
					}
				}
			}
			if *wrapped && s.cases != drafts[i].cases {
				t.Errorf("%s: %d cases, want %d", label, s.cases, drafts[i].cases)
			}
			s.finish(t, a)
		}
	}
	a.check(t)
}

// suitePackage is a package under construction with a judge for each group.
type suitePackage struct {
	draft   suite.Dialect
	dialect resolve.Dialect
	files   []suite.File
	cases   int

	documents []resolve.Document // remotes
	pkg       golang.Package
	roots     []*resolve.Schema
}

func readSuite(t *testing.T, draft int) *suitePackage {
	t.Helper()
	s := &suitePackage{draft: drafts[draft].suite, dialect: drafts[draft].dialect}
	all, err := suite.ReadRemotes(shared.Path(t, "data", "json-schema-test-suite", "remotes"))
	if err != nil {
		t.Fatal(err)
	}
	if s.files, err = suite.Read(shared.Path(t, "data", "json-schema-test-suite", "tests", string(s.draft))); err != nil {
		t.Fatal(err)
	}
	for uri, src := range all.Of(s.draft) {
		s.documents = append(s.documents, resolve.Document{URI: uri, File: parse(t, uri, src), Dialect: s.dialect})
	}
	s.pkg.Name = strings.NewReplacer("-", "", "draft", "suite").Replace(string(s.draft))
	s.pkg.ImportPath = emitted.ImportPath(s.pkg.Name)
	return s
}

// group makes the next judge of a group's schema, which may be wrapped.
func (s *suitePackage) group(t *testing.T, g suite.Group, w *suite.Wrapping) {
	t.Helper()
	name := fmt.Sprint("group", len(s.roots)+1)
	documents, schema := s.documents, []byte(g.Schema)
	if w != nil {
		uri := "urn:suite:" + name
		documents = append(slices.Clip(documents),
			resolve.Document{URI: uri, File: parse(t, name+"-inside", g.Schema), Dialect: s.dialect})
		schema = w.Schema(uri)
	}
	registry, _ := resolve.NewRegistry(documents...)
	root, list := resolve.Resolve(parse(t, name, schema), nil, resolve.Options{Registry: registry, Dialect: s.dialect})
	if list.HasErrors() {
		t.Fatalf("%s: %v", g.Description, list)
	}
	s.roots = append(s.roots, root)
	s.pkg.Roots = append(s.pkg.Roots, golang.Root{Name: fmt.Sprint("G", len(s.roots))})
	s.pkg.Sources = append(s.pkg.Sources, golang.Source{Name: name, Bytes: schema})
}

// ask asks the judge made last.
func (s *suitePackage) ask(a *agreement, document []byte, label string, valid bool) {
	s.cases++
	want := verdicts[wire.Invalid]
	if valid {
		want = verdicts[wire.Valid]
	}
	a.ask(s.pkg.Name+"."+s.pkg.Roots[len(s.pkg.Roots)-1].Name, document, label, want)
}

// finish lowers and emits the package.
func (s *suitePackage) finish(t *testing.T, a *agreement) {
	t.Helper()
	var list diag.List
	if s.pkg.Program, list = ir.Lower(s.roots, ir.Options{}); list.HasErrors() {
		t.Fatal(list)
	}
	for i := range s.pkg.Roots {
		s.pkg.Roots[i].Schema = s.pkg.Program.Roots[i]
	}
	a.add(t, s.pkg)
}
