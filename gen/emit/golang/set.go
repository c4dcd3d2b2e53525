package golang

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"vcp.core/gen/diag"
	"vcp.core/gen/ir"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// Set is a number of schema documents that become one package.
type Set struct {
	Name       string // Go package name
	ImportPath string // its own import path
	Support    string // see Package
	Source     string // see Package

	// Documents may refer to each other by URI. Their order does not matter.
	Documents []resolve.Document
	// References may be referred to and are known elsewhere: those that are reached are inputs of the package,
	// but it does not carry them.
	References []resolve.Document
	// Roots are the schemas that get an API. Nil means every document as a whole.
	Roots []SetRoot
	// FormatAssertion makes format decide, see [ir.Options].
	FormatAssertion bool
	// Dependencies makes a keyword of draft-07 decide in later drafts, see [resolve.Options].
	Dependencies bool
	Limits       resolve.Limits
}

// SetRoot is a schema in one of the documents of a [Set].
type SetRoot struct {
	Name    string // exported Go name; "" takes one from the document's file
	File    string // name of the document's file
	Pointer string // JSON Pointer of the schema; it is a resource of its own wherever it stands
}

// CodeRoot is a root that stands in no document.
const CodeRoot diag.Code = "emit/root"

// EmitSchemas compiles a set and writes its package.
func EmitSchemas(s Set) ([]File, diag.List) {
	p, findings := s.Compile()
	if findings.HasErrors() {
		return nil, findings
	}
	files, list := Emit(p)
	findings = append(findings, list...)
	findings.Sort()
	return files, findings
}

// Compile resolves and lowers the set: the package is ready for [Emit] unless a finding is an error.
func (s Set) Compile() (Package, diag.List) {
	p := Package{Name: s.Name, ImportPath: s.ImportPath, Support: s.Support, Source: s.Source, FormatAssertion: s.FormatAssertion}
	docs := slices.Clone(s.Documents)
	for i := range docs {
		docs[i].URI = cmp.Or(docs[i].URI, resolve.FileURI(docs[i].File.Name))
	}
	slices.SortStableFunc(docs, func(a, b resolve.Document) int {
		return cmp.Or(strings.Compare(a.File.Name, b.File.Name), strings.Compare(a.URI, b.URI))
	})
	registry, findings := resolve.NewRegistry(slices.Concat(docs, s.References)...)
	roots := s.Roots
	if roots == nil {
		for _, d := range docs {
			roots = append(roots, SetRoot{File: d.File.Name})
		}
	}
	var resolved []*resolve.Schema
	names := newScope()
	for _, r := range roots {
		for _, name := range rootNames(r.Name) {
			names[name] = names[name] || r.Name != ""
		}
	}
	for _, r := range roots {
		i := slices.IndexFunc(docs, func(d resolve.Document) bool { return d.File.Name == r.File })
		var node *load.Node
		if i >= 0 {
			node = docs[i].File.At(r.Pointer)
		}
		if node == nil {
			findings = append(findings, diag.Diagnostic{
				Position: diag.Position{File: r.File}, Pointer: r.Pointer, Severity: diag.Error, Code: CodeRoot,
				Message: "there is no schema " + strconv.Quote(r.Pointer) + " in the documents",
			})
			continue
		}
		opts := resolve.Options{Dialect: docs[i].Dialect, Registry: registry, Dependencies: s.Dependencies, Limits: s.Limits}
		if r.Pointer == "" {
			node, opts.URI = nil, docs[i].URI
		}
		schema, list := resolve.Resolve(docs[i].File, node, opts)
		findings = append(findings, list...)
		if schema == nil {
			continue
		}
		resolved = append(resolved, schema)
		name := r.Name
		if name == "" {
			name = names.takeRoot(stem(r.File))
		}
		p.Roots = append(p.Roots, Root{Name: name})
	}
	for _, d := range docs {
		p.Sources = append(p.Sources, Source{Name: d.File.Name, URI: d.URI, Bytes: d.File.Src})
	}
	if !findings.HasErrors() {
		var list diag.List
		p.Program, list = ir.Lower(resolved, ir.Options{FormatAssertion: s.FormatAssertion})
		findings = append(findings, list...)
	}
	findings.Sort()
	if findings.HasErrors() {
		return Package{}, findings
	}
	for i := range p.Roots {
		p.Roots[i].Schema = p.Program.Roots[i]
	}
	references := make([]Source, len(s.References))
	for i, d := range s.References {
		references[i] = Source{Name: d.File.Name, URI: d.URI, Bytes: d.File.Src}
	}
	p.References = reached(p.Program, references)
	return p, findings
}

// reached returns the documents that schemas of the program come from, sorted by name.
func reached(p *ir.Program, documents []Source) []Source {
	files := map[string]bool{}
	for _, s := range p.Schemas {
		files[s.Origin.Pos.File] = true
	}
	documents = slices.DeleteFunc(slices.Clone(documents), func(d Source) bool { return !files[d.Name] })
	slices.SortFunc(documents, func(a, b Source) int { return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.URI, b.URI)) })
	return documents
}
