package peers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/emitted"
	"vcp.core/fuzz/peers/corpus"
	"vcp.core/fuzz/peers/oracle"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/ir"
	"vcp.core/gen/resolve"
)

// generated collects the documents that v6 decided, and asks generated code about them at the end, so that
// there is one build. Real schemas are a package each, which are compiled side by side; all others are in two
// packages, by what format does.
type generated struct {
	packages  map[string][]subject
	questions []emitted.Question
	want      []oracle.Answer
}

// asserted is the package in which format decides.
const asserted = "asserted"

// subject is a schema as a root of a package.
type subject struct {
	root   golang.Root
	schema *resolve.Schema
}

// add takes a subject in and returns the name of its judge.
func (g *generated) add(t *testing.T, s corpus.Subject) string {
	t.Helper()
	schema := schemaOf(s)
	resolved, err := schema.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	pkg := "annotated"
	switch {
	case s.Group == corpus.Shared:
		pkg = strings.ReplaceAll(s.Name, "-", "")
	case schema.FormatAssertion:
		pkg = asserted
	}
	if g.packages == nil {
		g.packages = map[string][]subject{}
	}
	name := fmt.Sprintf("S%d", len(g.packages[pkg])+1)
	g.packages[pkg] = append(g.packages[pkg], subject{golang.Root{Name: name}, resolved})
	return pkg + "." + name
}

func (g *generated) ask(judge string, document []byte, want oracle.Answer) {
	if judge == "" {
		return
	}
	g.questions = append(g.questions, emitted.Question{Judge: judge, Document: document})
	g.want = append(g.want, want)
}

// check compares and prints a line.
func (g *generated) check(t *testing.T, what string) {
	t.Helper()
	var judges emitted.Judges
	for name, list := range g.packages {
		p := golang.Package{Name: name, ImportPath: emitted.ImportPath(name), Source: what, FormatAssertion: name == asserted}
		var schemas []*resolve.Schema
		for _, s := range list {
			schemas = append(schemas, s.schema)
		}
		program, findings := ir.Lower(schemas, ir.Options{FormatAssertion: p.FormatAssertion})
		if findings.HasErrors() {
			t.Fatal(findings)
		}
		p.Program = program
		for i, s := range list {
			p.Roots = append(p.Roots, golang.Root{Name: s.root.Name, Schema: program.Roots[i]})
		}
		judges.Add(t, p)
	}
	if len(g.packages) == 0 {
		return
	}
	wrong := 0
	start := time.Now()
	program := judges.Build(t)
	took := time.Since(start)
	for i, a := range judges.Run(t, program, g.questions) {
		if a.Refused != "" || a.Verdict == int(wire.Undecided) || (a.Verdict == int(wire.Valid)) != (g.want[i] == oracle.Valid) {
			if wrong++; wrong <= 5 {
				t.Errorf("%s: v6 says %s, generated code %+v: %.1500s", g.questions[i].Judge, g.want[i], a, g.questions[i].Document)
			}
		}
	}
	fmt.Printf("%-40s%10d%8s%14d%12d lines, vet and build %.1f s\n", "generated code, "+what, len(g.questions), "", wrong, judges.Lines(), took.Seconds())
}
