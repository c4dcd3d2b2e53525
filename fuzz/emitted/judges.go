package emitted

import (
	"bytes"
	"slices"
	"testing"

	"vcp.core/fuzz/compiled"
	"vcp.core/gen/emit/golang"
)

// Judges is a number of packages whose judges are to be asked.
type Judges struct {
	packages map[string][]golang.File
	roots    map[string][]string
}

// Add emits a package, which must be for ImportPath(p.Name). Errors fail the test; warnings do not: they say
// that a type could be better.
func (a *Judges) Add(t testing.TB, p golang.Package) {
	t.Helper()
	files, list := golang.Emit(p)
	if list.HasErrors() {
		t.Fatalf("%s: %v", p.Name, list)
	}
	if a.packages == nil {
		a.packages, a.roots = map[string][]golang.File{}, map[string][]string{}
	}
	if judgesOnly {
		files = slices.DeleteFunc(files, func(f golang.File) bool {
			return f.Name == "types_gen.go" || f.Name == "read_gen.go" || f.Name == "append_gen.go"
		})
	}
	a.packages[p.Name] = files
	for _, r := range p.Roots {
		a.roots[p.Name] = append(a.roots[p.Name], r.Name)
	}
}

// Question asks for the verdict on one document.
type Question = compiled.Question

// Answer is what generated code says. A panic fails the test.
type Answer = compiled.Answer

// Ask is Build and Run.
func (a *Judges) Ask(t testing.TB, questions []Question) []Answer {
	t.Helper()
	return a.Run(t, a.Build(t), questions)
}

// Lines is how many lines of Go the packages have.
func (a *Judges) Lines() (n int) {
	for _, files := range a.packages {
		for _, f := range files {
			n += bytes.Count(f.Bytes, []byte("\n"))
		}
	}
	return n
}

// Build builds the program that answers.
func (a *Judges) Build(t testing.TB) (program string) {
	t.Helper()
	return Build(t, a.packages, a.main())
}

// Run runs a program of Build once over all questions.
func (a *Judges) Run(t testing.TB, program string, questions []Question) []Answer {
	t.Helper()
	answers, err := compiled.Ask(t.Context(), program, questions)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range answers {
		if a.Panic != "" {
			t.Fatalf("%s panics on %s: %s", questions[i].Judge, questions[i].Document, a.Panic)
		}
	}
	return answers
}

// main is a program that answers questions.
func (a *Judges) main() string {
	if judgesOnly {
		return compiled.Main(a.roots, "")
	}
	return compiled.Main(a.roots, lawSource)
}
