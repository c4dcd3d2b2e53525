// Package metacheck is a second opinion at build time: it judges schema documents against the
// meta-schema of their draft with jsonschema v5, an engine that shares no code with this compiler. What
// gen/resolve accepts and the meta-schema refuses, or the other way round, is a mistake of one of them.
//
// It is used by tests, over every schema of the protocol and the plugins, and by the generator before it
// writes. It stands beside the compiler's phases, is the only importer of the engine, and never judges a
// call or a document. Nothing in it reaches the network: the meta-schemas are in the engine, and its
// loader refuses everything else.
//
// # What the second opinion leaves out
//
//   - `format`: the engine asserts it in draft-07 and holds regular expressions to Go's syntax, so that a
//     correct ECMA-262 pattern with a look-ahead would be refused.
//   - numbers with an exponent beyond a thousand: the engine computes them as fractions and does not come
//     back. A document with such a number gets a warning and no opinion.
//   - an empty enum, and equal elements in one: the engine's copy of the draft-07 meta-schema forbids what
//     the published one allows and the draft only advises against (validation §6.1.2).
//   - references: the meta-schema sees only that they are strings.
package metacheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
)

// The codes of this package's diagnostics.
const (
	CodeMeta    diag.Code = "metacheck/invalid"   // the meta-schema refuses the value
	CodeNoDraft diag.Code = "metacheck/no-draft"  // `$schema` names no draft that the engine knows
	CodeEngine  diag.Code = "metacheck/engine"    // the engine failed
	CodeSkipped diag.Code = "metacheck/unchecked" // warning: a number that the engine cannot handle
)

// drafts are the meta-schemas that the engine brings along.
var drafts = map[string]bool{
	"https://json-schema.org/draft/2020-12/schema": true,
	"https://json-schema.org/draft/2019-09/schema": true,
	"http://json-schema.org/draft-07/schema":       true,
	"http://json-schema.org/draft-06/schema":       true,
	"http://json-schema.org/draft-04/schema":       true,
}

const fallback = "https://json-schema.org/draft/2020-12/schema"

// Check judges the schema at node, a value in file; a nil node means the whole document. The draft is
// that of `$schema`, 2020-12 when absent. The list is sorted; an empty one means that the meta-schema
// agrees.
func Check(file *load.File, node *load.Node) diag.List {
	if node == nil {
		node = file.Root
	}
	pointer, _ := file.PointerTo(node)
	c := &check{file: file, node: node, pointer: pointer}
	c.run()
	c.list.Sort()
	return c.list
}

type check struct {
	file    *load.File
	node    *load.Node
	pointer string
	list    diag.List
}

func (c *check) run() {
	draft := fallback
	if schema := c.node.Get("$schema"); schema != nil {
		draft = strings.TrimSuffix(schema.Str, "#")
		if !drafts[draft] {
			c.report(schema, c.pointer+"/$schema", diag.Error, CodeNoDraft, fmt.Sprintf("$schema names no known draft: %q", schema.Str))
			return
		}
	}
	if n := farNumber(c.node); n != nil {
		at, _ := c.file.PointerTo(n)
		c.report(n, at, diag.Warning, CodeSkipped, "no second opinion: the engine cannot handle this number")
		return
	}
	err := c.judge(draft)
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
	case errors.As(err, &invalid):
		for _, leaf := range leaves(invalid) {
			c.refused(leaf)
		}
	default:
		c.report(c.node, c.pointer, diag.Error, CodeEngine, err.Error())
	}
}

// judge runs the engine. A new compiler each time: after a failed compilation v5 reports nothing when it
// is asked again. Its panics are findings about it, not about the build.
func (c *check) judge(draft string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the engine panicked: %v", p)
		}
	}()
	compiler := jsonschema.NewCompiler()
	compiler.LoadURL = func(s string) (io.ReadCloser, error) { return nil, &NetworkError{URL: s} }
	meta, err := compiler.Compile(draft)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(c.file.Raw(c.node)))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return err
	}
	return meta.Validate(value)
}

// NetworkError is what the engine gets when it asks for a document that it does not have.
type NetworkError struct{ URL string }

// Error says it in a sentence.
func (e *NetworkError) Error() string { return "the network is never used: " + e.URL }

// refused turns one leaf of the engine's error tree into a diagnostic.
func (c *check) refused(leaf *jsonschema.ValidationError) {
	within, err := url.PathUnescape(leaf.InstanceLocation)
	if err != nil {
		within = leaf.InstanceLocation
	}
	at := c.node
	if tokens, ok := load.SplitPointer(within); ok {
		for _, token := range tokens {
			if next := at.Step(token); next != nil {
				at = next
			}
		}
	}
	pointer, _ := c.file.PointerTo(at)
	c.report(at, pointer, diag.Error, CodeMeta, "the meta-schema refuses this: "+leaf.Message)
}

func (c *check) report(at *load.Node, pointer string, severity diag.Severity, code diag.Code, message string) {
	c.list = append(c.list, diag.Diagnostic{
		Position: c.file.Position(at.Start), Pointer: pointer, Severity: severity, Code: code, Message: message,
	})
}

// leaves returns the errors that have no cause but themselves, without those that are left out. Where one of
// several alternatives would do, and one of them failed for nothing else, it did not fail.
func leaves(err *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(err.Causes) == 0 {
		if leftOut(err.KeywordLocation) {
			return nil
		}
		return []*jsonschema.ValidationError{err}
	}
	alternatives := strings.HasSuffix(err.KeywordLocation, "/anyOf") || strings.HasSuffix(err.KeywordLocation, "/oneOf")
	var out []*jsonschema.ValidationError
	for _, cause := range err.Causes {
		below := leaves(cause)
		if alternatives && len(below) == 0 {
			return nil
		}
		out = append(out, below...)
	}
	return out
}

// leftOut tells the rules of meta-schemas that are not asked for an opinion, see the package comment.
func leftOut(keyword string) bool {
	for _, suffix := range []string{"/format", "/properties/enum/minItems", "/properties/enum/uniqueItems"} {
		if strings.HasSuffix(keyword, suffix) {
			return true
		}
	}
	return false
}

// farNumber finds a number whose exponent is too large for an engine that computes fractions.
func farNumber(n *load.Node) *load.Node {
	switch n.Kind {
	case wire.KindNumber:
		_, exponent, found := strings.Cut(strings.ToLower(n.Str), "e")
		if !found {
			return nil
		}
		e, err := strconv.Atoi(exponent)
		if errors.Is(err, strconv.ErrRange) || e > 1000 || e < -1000 {
			return n
		}
	case wire.KindArray:
		for _, e := range n.Elems {
			if far := farNumber(e); far != nil {
				return far
			}
		}
	case wire.KindObject:
		for i := range n.Members {
			if far := farNumber(n.Members[i].Value); far != nil {
				return far
			}
		}
	}
	return nil
}
