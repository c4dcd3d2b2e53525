// Package golang writes Go source for an [ir.Program]: types, readers, encoders and judges. It is the
// only importer of jennifer.
//
// Data flow: ir.Program and the raw schemas it came from -> [Emit] -> [File]s. The caller writes them to
// disk. Emission is a pure function: equal packages give equal bytes, whatever the machine, the folder
// and the time.
//
// # The shape of generated code
//
// One strict scan makes a tape ([wire.Tape]); everything generated walks the tape. A judge
// (judge_gen.go) gives the verdict, with the meaning and the cost of gen/live, which is its peer; a
// reader (read_gen.go) then builds the Go value from a tape that was judged valid and checks nothing
// again. So bytes are scanned once, and a verdict never comes from a decoded struct. Judges stand on
// [wire.Judge], a small hand-written set of tests; what is emitted is a list of calls to it.
//
// A judge reports one failure: where in the document, and the number of the rule that broke
// (rules_gen.go says which keyword of which schema that is). Lists of violations are made by gen/live
// from the raw schemas, which every generated package carries (schemas_gen.go).
//
// # Files
//
//	types_gen.go    Go types
//	read_gen.go     tape to value, Decode and Validate functions
//	append_gen.go   value to JSON
//	judge_gen.go    tape to verdict
//	rules_gen.go    rule number to schema file, pointer and keyword
//	schemas_gen.go  the raw schemas
//	inputs_gen.go   hash of all inputs, range of versions of the support package
//
// and for a plugin ([EmitPlugin])
//
//	plugin_gen.go   names, error codes, the interfaces that its author implements
//	client_gen.go   a typed client
//	specs_gen.go    the rows of the registry
//
// The package never reads or writes files, never resolves or lowers schemas (gen/resolve and gen/ir
// did), and decides nothing about a document: what is fused, shared or guarded was settled in the IR.
package golang

import (
	"vcp.core/gen/diag"
	"vcp.core/gen/ir"
)

// Package is what one generated package is made of.
type Package struct {
	Name       string // Go package name
	ImportPath string // its own import path
	// Support is the prefix of the support packages: generated code imports Support + "/contract/wire".
	// "" means [DefaultSupport].
	Support string
	// Source names the input in the header of each file, slash-separated and never absolute: the manifest,
	// or the schemas. "" means the names in Sources.
	Source string

	Program *ir.Program
	// Roots are the schemas that get an API, in order.
	Roots []Root
	// Sources are the documents that the program was made of, sorted by Name. They are embedded, and their
	// hash identifies the package's inputs.
	Sources []Source
	// References are documents that schemas in Sources led to and that are embedded elsewhere. Their bytes
	// are inputs all the same.
	References []Source
	// FormatAssertion tells live what the program was lowered with.
	FormatAssertion bool

	plugin   *pluginPlan // set for the package of a plugin
	registry *Registry   // set for the package of the registry
}

// DefaultSupport is the module of the support packages.
const DefaultSupport = "vcp.core"

// Root is a schema with the exported Go name that its type and its functions get.
type Root struct {
	Name   string
	Schema *ir.Schema
}

// Source is one document of the input, or a schema inside one that is a document of its own.
type Source struct {
	Name    string // as in positions of the program: ir.Origin.Pos.File
	Pointer string // of the schema in the document
	URI     string // under which references reach it; "" for a schema inside a document
	Bytes   []byte // as read
}

// File is one generated file.
type File struct {
	Name  string // without folder
	Bytes []byte
}

// The codes of this package's diagnostics.
const (
	// CodeName is a root whose name is no exported Go identifier, or is used twice.
	CodeName diag.Code = "emit/name"
	// CodeFormat is generated source that go/format does not parse, which most files do not pass through (see
	// layout). It is a mistake in this package; the message holds the source with line numbers.
	CodeFormat diag.Code = "emit/format"
)

// Emit writes a package. Files are sorted by name; there are none when a diagnostic is an error.
func Emit(p Package) ([]File, diag.List) {
	return newEmitter(p).finished()
}

// finished writes the package.
func (e *emitter) finished() ([]File, diag.List) {
	e.roots()
	e.emit()
	var files []File
	if !e.diags.HasErrors() {
		files = e.render()
		e.isFull()
	}
	e.diags.Sort()
	e.diags = few(e.diags)
	if e.diags.HasErrors() {
		return nil, e.diags
	}
	return files, e.diags
}
