package gen

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// Schemas is a number of schema files that become one package.
type Schemas struct {
	Package         string // Go name
	ImportPath      string
	Support         string // "" means [golang.DefaultSupport]
	FormatAssertion bool
	Dependencies    bool // see [resolve.Options]
	// Files are the schemas that get an API. What they refer to is looked up beside them, and among the
	// protocol's documents; nothing is ever fetched.
	Files []string
}

// CompileSchemas reads schema files and makes their package. In the package a file is called by its path
// from the folder that all of Files have in common, wherever that folder lies; in findings, by the path
// that was given. The tree is nil exactly when a finding is an error.
func CompileSchemas(s Schemas) (*Tree, diag.List) {
	base := commonFolder(s.Files)
	names := renaming{base: base, shown: map[string]string{}}
	set := golang.Set{Name: s.Package, ImportPath: s.ImportPath, Support: s.Support, FormatAssertion: s.FormatAssertion, Dependencies: s.Dependencies}
	var findings diag.List
	known := map[string]bool{}
	for _, name := range s.Files {
		file, list := load.ReadFile(name, wire.Limits{})
		findings = append(findings, list...)
		if file == nil {
			continue
		}
		file = names.rename(file)
		documents, list := siblings(file, names.read)
		findings = append(findings, list...)
		set.Roots = append(set.Roots, golang.SetRoot{File: file.Name})
		for _, d := range append([]resolve.Document{{File: file}}, documents...) {
			d.URI = cmp.Or(d.URI, resolve.FileURI(d.File.Name))
			if key := d.File.Name + "\n" + d.URI; !known[key] {
				known[key] = true
				set.Documents = append(set.Documents, d)
			}
		}
	}
	if findings.HasErrors() {
		return nil, names.show(findings)
	}
	slices.SortFunc(set.Roots, func(a, b golang.SetRoot) int { return strings.Compare(a.File, b.File) })
	set.Roots = slices.Compact(set.Roots)
	set.References = ProtocolDocuments(set.Documents...)
	files, list := golang.EmitSchemas(set)
	findings = names.show(append(findings, list...))
	findings.Sort()
	if findings.HasErrors() {
		return nil, findings
	}
	tree := &Tree{}
	for _, f := range files {
		tree.Files = append(tree.Files, File{Path: f.Name, Bytes: f.Bytes})
	}
	tree.sort()
	return tree, findings
}

// commonFolder is the innermost folder around all files.
func commonFolder(files []string) string {
	common := ""
	for i, name := range files {
		abs, err := filepath.Abs(name)
		if err != nil {
			abs = name
		}
		dir := filepath.Dir(abs)
		if i == 0 {
			common = dir
		}
		for !strings.HasPrefix(dir+string(filepath.Separator), common+string(filepath.Separator)) && common != filepath.Dir(common) {
			common = filepath.Dir(common)
		}
	}
	return common
}

// renaming keeps the names that generated code uses apart from those that the user typed.
type renaming struct {
	base  string
	shown map[string]string // by the name in the package
}

// rename returns the file under its name in the package.
func (r *renaming) rename(file *load.File) *load.File {
	renamed := *file
	if abs, err := filepath.Abs(filepath.FromSlash(file.Name)); err == nil {
		if rel, err := filepath.Rel(r.base, abs); err == nil {
			renamed.Name = filepath.ToSlash(rel)
		}
	}
	if _, taken := r.shown[renamed.Name]; !taken {
		r.shown[renamed.Name] = file.Name
	}
	return &renamed
}

// read loads a file by its name in the package, nil when there is none.
func (r *renaming) read(name string) (*load.File, diag.List) {
	typed := filepath.Join(r.base, filepath.FromSlash(name))
	if rel, err := filepath.Rel(".", typed); err == nil && !filepath.IsAbs(name) {
		if wd, err := filepath.Abs("."); err == nil && strings.HasPrefix(typed, wd+string(filepath.Separator)) {
			typed = rel
		}
	}
	file, list := readSibling(typed)
	if file == nil {
		return nil, list
	}
	return r.rename(file), list
}

func (r *renaming) show(list diag.List) diag.List {
	for i := range list {
		if name, ok := r.shown[list[i].File]; ok {
			list[i].File = name
		}
	}
	return list
}

// ProtocolDocuments are the project's own schemas, which any schema may refer to by their addresses. One
// that is among the given documents already is left out.
func ProtocolDocuments(given ...resolve.Document) []resolve.Document {
	taken := map[string]bool{}
	for _, d := range given {
		taken[d.URI], taken[idOf(d.File)] = true, true
	}
	var out []resolve.Document
	for _, d := range schema.All() {
		if taken[d.ID] {
			continue
		}
		if file, _ := load.Parse(protocolFile(d), d.Source, wire.Limits{}); file != nil {
			out = append(out, resolve.Document{URI: d.ID, File: file})
		}
	}
	return out
}

func idOf(file *load.File) string {
	if id := file.Root.Get("$id"); id != nil && id.Kind == wire.KindString {
		return id.Str
	}
	return ""
}
