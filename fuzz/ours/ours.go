// Package ours takes raw schema documents through the whole compiler, load, resolve, ir and live, and
// judges raw documents with what comes out. It is the one way in which the comparisons of fuzz use the
// engine that they compare.
//
// Data flow: schema documents -> [Compile] -> [Judge] -> verdicts. It adds no meaning of its own and
// hides none: what a phase refuses comes back as that phase's diagnostics.
package ours

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// Schema is what to compile.
type Schema struct {
	URI             string                     // of the document whose root judges; absolute, without fragment
	Documents       map[string][]byte          // that document and all it may reach, by absolute URI
	Dialect         resolve.Dialect            // of documents without `$schema`
	Dialects        map[string]resolve.Dialect // the same for single documents, by URI
	FormatAssertion bool
	Dependencies    bool // see resolve.Options
}

// RefusedError holds the diagnostics with which the compiler refuses a schema.
type RefusedError struct{ List diag.List }

// Error says it in a sentence.
func (e *RefusedError) Error() string {
	for _, d := range e.List {
		if d.Severity == diag.Error {
			return fmt.Sprintf("%s: %s: %s", d.Code, d.Pointer, d.Message)
		}
	}
	return "refused without an error"
}

// Compile compiles s. A schema that the compiler refuses is a *RefusedError.
func Compile(s Schema) (*Judge, error) {
	schema, err := s.Resolve()
	if err != nil {
		return nil, err
	}
	program, list := ir.Lower([]*resolve.Schema{schema}, ir.Options{FormatAssertion: s.FormatAssertion})
	if list.HasErrors() {
		return nil, &RefusedError{list}
	}
	return &Judge{Validator: live.Compile(program).Root(0)}, nil
}

// Resolve goes as far as the graph of schemas, for back ends other than live. Errors are those of Compile.
func (s Schema) Resolve() (*resolve.Schema, error) {
	var others []resolve.Document
	var root *load.File
	for _, uri := range slices.Sorted(maps.Keys(s.Documents)) {
		file, list := load.Parse(uri, s.Documents[uri], wire.Limits{})
		if list.HasErrors() {
			return nil, &RefusedError{list}
		}
		if uri == s.URI {
			root = file
		}
		others = append(others, resolve.Document{URI: uri, File: file, Dialect: cmp.Or(s.Dialects[uri], s.Dialect)})
	}
	registry, list := resolve.NewRegistry(others...)
	if list.HasErrors() {
		return nil, &RefusedError{list}
	}
	schema, list := resolve.Resolve(root, nil, resolve.Options{URI: s.URI, Dialect: s.Dialect, Registry: registry, Dependencies: s.Dependencies})
	if list.HasErrors() {
		return nil, &RefusedError{list}
	}
	return schema, nil
}

// Judge judges documents one after the other. It is not safe for concurrent use.
type Judge struct {
	Validator *live.Validator
	tape      wire.Tape
}

// Document scans and judges one document. The error is the scanner's *wire.Error, and then there is no
// verdict.
func (j *Judge) Document(doc []byte) (wire.Verdict, error) {
	if err := j.tape.Scan(doc, wire.Limits{}); err != nil {
		return wire.Invalid, err
	}
	return j.Validator.Verdict(&j.tape), nil
}

// Violations scans a document and lists its violations: none for a valid one, and none for one that the
// scanner refuses.
func (j *Judge) Violations(doc []byte) []call.Violation {
	if err := j.tape.Scan(doc, wire.Limits{}); err != nil {
		return nil
	}
	return j.Validator.Violations(&j.tape)
}
