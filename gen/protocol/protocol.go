// Package protocol brings the documents of contract/schema to life: it puts them in a registry, so that
// manifests may refer to them, and compiles them once, so that payloads, frames, manifests and results
// can be judged.
//
// Data flow: contract/schema -> load -> resolve -> ir -> live -> [Validator]. Everything happens at the
// first use and never again; the documents are embedded, so it cannot fail at run time for any reason
// but a mistake in this project, which is a panic and which the package's test finds.
//
// The package adds no rule of its own: what the documents do not say is not checked here.
package protocol

import (
	"fmt"
	"sync"

	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// Registry returns the documents by their `$id`, for references from schemas of plugins: an output
// schema says {"$ref": "https://vcp.core/schema/v1/resource-reference.schema.json"}.
func Registry() *resolve.Registry { return compiled().registry }

// Validator returns the validator of a document by its name in package schema. `format` is asserted,
// as the documents demand. It panics for a name that is none.
func Validator(name string) *live.Validator {
	v, ok := compiled().validators[name]
	if !ok {
		panic(fmt.Sprintf("protocol: there is no document %q", name))
	}
	return v
}

type documents struct {
	registry   *resolve.Registry
	validators map[string]*live.Validator
}

var compiled = sync.OnceValue(func() documents {
	all := schema.All()
	files := make([]*load.File, len(all))
	sources := make([]resolve.Document, len(all))
	for i, d := range all {
		file, list := load.Parse(d.Name+".schema.json", d.Source, wire.Limits{})
		demand(list)
		files[i] = file
		sources[i] = resolve.Document{URI: d.ID, File: file}
	}
	registry, list := resolve.NewRegistry(sources...)
	demand(list)

	roots := make([]*resolve.Schema, len(all))
	for i, d := range all {
		root, list := resolve.Resolve(files[i], nil, resolve.Options{URI: d.ID, Registry: registry})
		demand(list)
		roots[i] = root
	}
	program, list := ir.Lower(roots, ir.Options{FormatAssertion: true})
	demand(list)

	set := live.Compile(program)
	validators := make(map[string]*live.Validator, len(all))
	for i, d := range all {
		validators[d.Name] = set.Root(i)
	}
	return documents{registry: registry, validators: validators}
})

// demand panics on a finding: the documents are part of the program, so it is a mistake in the program.
func demand(list diag.List) {
	if len(list) > 0 {
		d := list[0]
		panic(fmt.Sprintf("protocol: %s:%d:%d: %s: %s", d.File, d.Line, d.Col, d.Pointer, d.Message))
	}
}
