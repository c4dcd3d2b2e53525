// Package gen is the compiler as a library: plugin manifests go in, Go packages come out.
//
// Data flow: [Manifest]s -> gen/load -> gen/manifest (every check, one finding after the other with its
// place) -> gen/resolve and gen/ir for each package -> gen/emit/golang -> [Tree]. A [Tree] is files in
// memory; [Tree.Compare] holds it against a folder, [Tree.API] says what changes for those who import
// it, and [Tree.Write] puts it there.
//
//	protocol/v1/     the protocol's own documents, in the module that publishes them
//	plugins/NAME/    one package for each plugin
//	registry/        all of them in one registry
//
// [Generate] is a pure function: equal inputs give equal bytes, whatever the machine, the folder, the
// time and the order of the inputs. Only Tree.Write writes, and it leaves either the old folder or the new
// one. The package never deletes a file that it did not write, never generates half of a set of manifests,
// and never imports what it generates: it builds when everything under generated/ is gone.
package gen

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/load"
	"vcp.core/gen/manifest"
	"vcp.core/gen/protocol"
	"vcp.core/gen/resolve"
)

// Manifest is a manifest file. Diagnostics call it by its own name.
type Manifest struct {
	// Name is what generated code calls the file, slash-separated; "" means the file's own name. It should not
	// depend on the machine or on the working folder, because it is part of the output.
	Name string
	File *load.File
}

// Target says what is generated for whom.
type Target struct {
	// ImportPath is that of the folder which the tree will be.
	ImportPath string
	// Support is the prefix of the support packages; "" means [golang.DefaultSupport].
	Support string
	// Protocol adds the package of the protocol's documents. A module that uses the support packages of
	// another one finds it there.
	Protocol bool
}

// Tree is generated files.
type Tree struct {
	Files []File // by path
}

// File is one file of a tree.
type File struct {
	Path  string // slash-separated, relative to the tree
	Bytes []byte
}

// Generate makes the packages of all manifests. All findings are returned, sorted. The tree is nil exactly
// when one of them is an error: a set of manifests is generated as a whole or not at all, because the
// package of a plugin that is not there is removed.
func Generate(manifests []Manifest, t Target) (*Tree, diag.List) {
	manifests = slices.Clone(manifests)
	for i := range manifests {
		manifests[i].Name = cmp.Or(manifests[i].Name, manifests[i].File.Name)
	}
	slices.SortFunc(manifests, func(a, b Manifest) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.File.Name, b.File.Name))
	})
	t.Support = cmp.Or(t.Support, golang.DefaultSupport)

	// The protocol's package does not depend on the manifests, and is often the largest: it is made meanwhile.
	protocolFiles := sync.OnceValues(t.protocol)
	if t.Protocol {
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = protocolFiles() })
		defer wg.Wait()
	}

	plugins := make([]*manifest.Plugin, len(manifests))
	lists := make([]diag.List, len(manifests))
	parallel(len(manifests), func(i int) { plugins[i], lists[i] = manifests[i].compile() })
	findings := slices.Concat(lists...)

	catalog, clashes := manifest.NewCatalog(plugins...)
	findings = append(findings, shown(clashes, manifests)...)
	if !findings.HasErrors() {
		tree, more := t.emit(catalog, manifests, protocolFiles)
		findings = append(findings, more...)
		findings.Sort()
		if !findings.HasErrors() {
			return tree, findings
		}
	}
	findings.Sort()
	return nil, findings
}

// compile checks one manifest.
func (m *Manifest) compile() (*manifest.Plugin, diag.List) {
	file := *m.File
	file.Name = m.Name
	p, list := manifest.Compile(&file)
	return p, shown(list, []Manifest{*m})
}

// shown puts the names that people know into findings.
func shown(list diag.List, manifests []Manifest) diag.List {
	for i := range list {
		for _, m := range manifests {
			if list[i].File == m.Name {
				list[i].File = m.File.Name
				break
			}
		}
	}
	return list
}

// unit is one package on its way into the tree.
type unit struct {
	folder string
	emit   func() ([]golang.File, diag.List)
}

// emit writes all packages; protocolFiles makes that of the protocol.
func (t *Target) emit(catalog *manifest.Catalog, manifests []Manifest, protocolFiles func() ([]golang.File, diag.List)) (*Tree, diag.List) {
	var units []unit
	if t.Protocol {
		units = append(units, unit{"protocol/" + schema.Version, protocolFiles})
	}
	registry := golang.Registry{Name: "registry", ImportPath: t.ImportPath + "/registry", Support: t.Support}
	references := protocolSources()
	for _, p := range catalog.Plugins() {
		if len(p.Specs()) == 0 {
			continue // a mounted server that says what it can do when it is asked
		}
		plugin := golang.Plugin{
			Name: p.GoPackage, ImportPath: path.Join(t.ImportPath, "plugins", p.GoPackage), Support: t.Support,
			Manifest: p.File, ManifestHash: HashOf(p.File.Src), Description: p.Description, FormatAssertion: p.FormatAssertion,
			Specs: p.Specs(), Registry: protocol.Registry(), References: references,
		}
		if p.Config != nil {
			plugin.Config = p.Config.Node
		}
		units = append(units, unit{"plugins/" + p.GoPackage, func() ([]golang.File, diag.List) { return golang.EmitPlugin(plugin) }})
		registry.Plugins = append(registry.Plugins, golang.Registered{Name: plugin.Name, ImportPath: plugin.ImportPath, ManifestHash: plugin.ManifestHash})
	}
	units = append(units, unit{"registry", func() ([]golang.File, diag.List) { return golang.EmitRegistry(registry) }})

	files := make([][]golang.File, len(units))
	lists := make([]diag.List, len(units))
	parallel(len(units), func(i int) { files[i], lists[i] = units[i].emit() })
	tree := &Tree{}
	for i, u := range units {
		for _, f := range files[i] {
			tree.Files = append(tree.Files, File{Path: u.folder + "/" + f.Name, Bytes: f.Bytes})
		}
	}
	tree.sort()
	return tree, shown(slices.Concat(lists...), manifests)
}

func (t *Tree) sort() {
	slices.SortFunc(t.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
}

// HashOf is the SHA-256 of a manifest, in hexadecimal, as it stands in [call.Contract].
func HashOf(src []byte) string {
	sum := sha256.Sum256(src)
	return hex.EncodeToString(sum[:])
}

// protocol writes the package of the protocol's documents.
func (t *Target) protocol() ([]golang.File, diag.List) {
	set := golang.Set{
		Name: schema.Version, ImportPath: t.ImportPath + "/protocol/" + schema.Version, Support: t.Support,
		Source: "contract/schema/" + schema.Version, FormatAssertion: true,
	}
	for _, d := range schema.All() {
		file, list := load.Parse(protocolFile(d), d.Source, wire.Limits{})
		if file == nil {
			return nil, list
		}
		set.Documents = append(set.Documents, resolve.Document{URI: d.ID, File: file})
	}
	return golang.EmitSchemas(set)
}

// protocolFile is the name that gen/protocol gives a document.
func protocolFile(d schema.Document) string { return d.Name + ".schema.json" }

// protocolSources are the protocol's documents as inputs of packages whose schemas refer to them.
func protocolSources() []golang.Source {
	var list []golang.Source
	for _, d := range schema.All() {
		list = append(list, golang.Source{Name: protocolFile(d), URI: d.ID, Bytes: d.Source})
	}
	return list
}

// parallel calls f for 0 to n-1, on all processors.
func parallel(n int, f func(i int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}
