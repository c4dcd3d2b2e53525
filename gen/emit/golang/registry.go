package golang

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"vcp.core/gen/diag"
)

// Registry is what the package is made of that puts generated plugins into one registry.
type Registry struct {
	Name       string // Go package name
	ImportPath string // its own import path
	Support    string // see Package
	Plugins    []Registered
}

// Registered is the package of a plugin.
type Registered struct {
	Name, ImportPath string
	ManifestHash     string // see [call.Contract]
}

const registryFile = "registry_gen.go"

// EmitRegistry writes the package.
func EmitRegistry(r Registry) ([]File, diag.List) {
	r.Plugins = slices.Clone(r.Plugins)
	slices.SortFunc(r.Plugins, func(a, b Registered) int { return strings.Compare(a.ImportPath, b.ImportPath) })
	return Emit(Package{Name: r.Name, ImportPath: r.ImportPath, Support: r.Support, Source: "the manifests of the packages that it imports", registry: &r})
}

// registry writes the whole package.
func (e *emitter) registry(r *Registry) {
	f := e.file(registryFile)
	f.PackageComment("Package " + r.Name + " is every plugin whose package was generated together with it, in one registry.")
	f.Comment("Contracts are the plugins, sorted by package.")
	f.Func().Id("Contracts").Params().Index().Add(e.c("Contract")).Block(
		jen.Return(jen.Index().Add(e.c("Contract")).Values(each(r.Plugins, func(p Registered) jen.Code {
			f.ImportName(p.ImportPath, p.Name)
			return jen.Qual(p.ImportPath, "Contract").Call()
		})...)),
	)
	f.Line()
	f.Comment("New returns a registry of all of them.")
	f.Func().Id("New").Params().Op("*").Add(e.c("Table")).Block(
		jen.Return(e.c("TableOf").Call(jen.Id("Contracts").Call().Op("..."))),
	)
	e.inputs()
}

// each writes elements of a literal, one a line.
func each[T any](list []T, write func(T) jen.Code) []jen.Code {
	var code []jen.Code
	for _, v := range list {
		code = append(code, jen.Line().Add(write(v)))
	}
	return append(code, jen.Line())
}
