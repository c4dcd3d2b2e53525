package resolve

import (
	"cmp"
	"embed"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
)

// Document is a schema document that references may reach.
type Document struct {
	// URI under which it is known, absolute; the default is [FileURI] of the file's name. The `$id`s in
	// the document name it, and the schemas in it, as well.
	URI  string
	File *load.File
	// Dialect of a document without `$schema`; the default is 2020-12.
	Dialect Dialect
}

// Registry is a set of documents by URI. It is immutable and safe for concurrent use. The meta-schemas
// of the supported drafts are in every registry; a document may take their place.
type Registry struct {
	documents []*document
	resources map[string]*resource
}

// NewRegistry indexes the documents. Their order does not matter. Findings are about names: `$id`,
// `$schema`, anchors, two documents with one name. What else may be wrong in a document shows when a
// reference reaches it, or when it is resolved itself.
//
// The registry is usable in spite of findings; of two schemas with one name it has the first, by URI and
// file name.
func NewRegistry(docs ...Document) (*Registry, diag.List) {
	lim := DefaultLimits()
	r := &Registry{resources: map[string]*resource{}}
	findings := report{limit: lim.Findings}

	type named struct {
		Document
		base uri
	}
	sorted := make([]named, 0, len(docs))
	metas := map[string]*load.Node{} // documents by the names that `$schema` may use
	for _, d := range docs {
		if d.URI == "" {
			d.URI = FileURI(d.File.Name)
		}
		base, ok := parseURI(d.URI)
		if !ok || base.scheme == "" || base.hasFragment {
			findings.addf(diag.Error, d.File, 0, "", CodeID, "", "the document's URI %s is not absolute", quote(d.URI))
			continue
		}
		sorted = append(sorted, named{d, base})
	}
	slices.SortStableFunc(sorted, func(a, b named) int {
		return cmp.Or(cmp.Compare(a.URI, b.URI), cmp.Compare(a.File.Name, b.File.Name))
	})
	for _, d := range sorted {
		claim(metas, d.base.document(), d.File.Root)
		if id := d.File.Root.Get("$id"); id != nil && id.Kind == wire.KindString && !idIgnored(d.File.Root) {
			if ref, ok := parseURI(id.Str); ok {
				claim(metas, d.base.resolve(ref).document(), d.File.Root)
			}
		}
	}
	dialect := func(schema string) (reading, *dialectFault) {
		return dialectOf(schema, func(name string) *load.Node { return metas[name] })
	}
	for _, d := range sorted {
		doc := indexDocument(d.File, d.File.Root, "", d.base, d.Dialect, lim, dialect)
		r.documents = append(r.documents, doc)
		findings.list = append(findings.list, doc.findings.list...)
		r.take(doc, &findings)
	}
	findings.list.Sort()
	return r, findings.list
}

// idIgnored tells a draft-07 schema whose `$id` stands beside `$ref`.
func idIgnored(root *load.Node) bool {
	schema := root.Get("$schema")
	if schema == nil || root.Get("$ref") == nil {
		return false
	}
	d, _, _ := standardDialect(schema.Str)
	return d == Draft07
}

func claim(metas map[string]*load.Node, name string, root *load.Node) {
	if _, taken := metas[name]; !taken {
		metas[name] = root
	}
}

// take makes the resources of a document reachable. Names are taken in sorted order, so that nothing
// depends on a map's.
func (r *Registry) take(doc *document, findings *report) {
	for _, name := range sortedKeys(doc.resources) {
		res := doc.resources[name]
		other, taken := r.resources[name]
		if !taken {
			r.resources[name] = res
			continue
		}
		if other.doc.file == doc.file {
			continue // one file given twice
		}
		first := other.root
		at := other.doc.file.Position(first.node.Start)
		findings.addf(diag.Error, doc.file, res.root.node.Start, res.root.pointer, CodeID,
			"rename one of them", "the URI %s is taken by the schema at %s:%d:%d", quote(name), at.File, at.Line, at.Col)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// find returns the resource of that name. A nil registry has the meta-schemas only.
func (r *Registry) find(name string) *resource {
	if r != nil {
		if res := r.resources[name]; res != nil {
			return res
		}
	}
	return builtin().resources[name]
}

// root returns the root node of the document of that name, for [dialectOf].
func (r *Registry) root(name string) *load.Node {
	if res := r.find(name); res != nil {
		return res.root.node
	}
	return nil
}

// MetaSchemas are the documents of the published drafts that every registry has, for whoever follows references
// by himself. Their URIs are those of their `$id`s; their files are named by the path of these.
func MetaSchemas() []Document {
	var out []Document
	for _, doc := range builtin().documents {
		out = append(out, Document{URI: strings.TrimSuffix(doc.file.Root.Get("$id").Str, "#"), File: doc.file})
	}
	return out
}

//go:embed meta/draft-07.json meta/2019-09/*.json meta/2020-12/*.json
var metaFiles embed.FS

// builtin is the registry of the embedded meta-schemas. Their files are named by the path of their
// URIs.
var builtin = sync.OnceValue(func() *Registry {
	r := &Registry{resources: map[string]*resource{}}
	lim := DefaultLimits()
	dialect := func(schema string) (reading, *dialectFault) {
		return dialectOf(schema, func(string) *load.Node { return nil })
	}
	paths, err := fs.Glob(metaFiles, "meta/*/*.json")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, path := range append(paths, "meta/draft-07.json") {
		src, err := metaFiles.ReadFile(path)
		if err != nil {
			panic(err) // the file is embedded
		}
		file, list := load.Parse(strings.TrimPrefix(path, "meta/"), src, wire.Limits{})
		if len(list) > 0 {
			panic(list[0].String()) // a test loads every embedded file
		}
		base, _ := parseURI("embedded:" + path)
		doc := indexDocument(file, file.Root, "", base, Draft2020, lim, dialect)
		doc.builtin = true
		r.documents = append(r.documents, doc)
		r.take(doc, &report{limit: lim.Findings})
	}
	return r
})
