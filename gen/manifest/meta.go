package manifest

import (
	"fmt"
	"strings"
	"sync"

	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// metaSchemas are the published meta-schemas, compiled by live at their first use. `format` is an annotation in them, as
// in the drafts: asserted, `uri-reference` would refuse references to definitions whose names go beyond ASCII.
var metaSchemas = map[resolve.Dialect]func() *live.Validator{
	resolve.Draft2020: sync.OnceValue(func() *live.Validator { return metaSchema("https://json-schema.org/draft/2020-12/schema") }),
	resolve.Draft2019: sync.OnceValue(func() *live.Validator { return metaSchema("https://json-schema.org/draft/2019-09/schema") }),
	resolve.Draft07:   sync.OnceValue(func() *live.Validator { return metaSchema("http://json-schema.org/draft-07/schema#") }),
}

// metaSchema compiles one. It panics if that fails, which a test would find: the documents are part of the program.
func metaSchema(uri string) *live.Validator {
	file, list := load.Parse("meta-schema", fmt.Appendf(nil, `{"$ref":%q}`, uri), wire.Limits{})
	if len(list) == 0 {
		var root *resolve.Schema
		if root, list = resolve.Resolve(file, nil, resolve.Options{}); len(list) == 0 {
			var program *ir.Program
			if program, list = ir.Lower([]*resolve.Schema{root}, ir.Options{}); len(list) == 0 {
				return live.Compile(program).Root(0)
			}
		}
	}
	panic(fmt.Sprintf("manifest: the meta-schema %s: %v", uri, list))
}

// byMetaSchema judges a schema by the meta-schema of its draft, with live and no other engine. It is a second opinion
// beside gen/resolve's own checks, which have the better words: a place of which resolve has told something, or
// inside of which it has, is not told of again.
//
// The meta-schema has no say where it would be wrong: beside a draft-07 `$ref`, whose neighbours the draft ignores, and
// around a schema inside that declares another draft.
func (c *checker) byMetaSchema(s value, told diag.List) {
	dialect := resolve.Draft2020
	if name := s.get("$schema"); name.exists() {
		var published bool
		if dialect, published = resolve.PublishedDialect(name.str()); !published {
			return // resolve has told that nobody here knows it
		}
	}
	var tape wire.Tape
	if tape.Scan(c.file.Raw(s.node), load.Limits()) != nil {
		return // part of a document that was scanned under these limits
	}
	v := metaSchemas[dialect]()
	if v.Verdict(&tape) == wire.Valid {
		return
	}
	foreign := foreignSchemas(s, dialect, nil)
	violations := v.Violations(&tape)
	for i, w := range violations {
		if i+1 < len(violations) && violations[i+1].Pointer == w.Pointer {
			continue // a union, of which the next one says more
		}
		at := c.nearest(s.pointer + w.Pointer)
		if alreadyTold(at.pointer, told) || besideReference(s, dialect, w.Pointer) || around(at.pointer, foreign) {
			continue
		}
		c.faultf(at, CodeMetaSchema, w.Hint, "by the meta-schema of %s, %s", dialectWords[dialect], w.Message)
	}
}

var dialectWords = map[resolve.Dialect]string{
	resolve.Draft2020: "draft 2020-12", resolve.Draft2019: "draft 2019-09", resolve.Draft07: "draft-07",
}

// alreadyTold tells whether resolve found a mistake there or inside, or refused the value that it is part of.
func alreadyTold(pointer string, told diag.List) bool {
	for _, d := range told {
		if d.Severity == diag.Error && (within(d.Pointer, pointer) || d.Code == resolve.CodeValue && within(pointer, d.Pointer)) {
			return true
		}
	}
	return false
}

// within tells whether a pointer leads to a value or into it.
func within(pointer, value string) bool {
	rest, below := strings.CutPrefix(pointer, value)
	return below && (rest == "" || rest[0] == '/')
}

// besideReference tells whether a place of a draft-07 schema, by its pointer in it, belongs to a keyword beside `$ref`.
func besideReference(s value, dialect resolve.Dialect, pointer string) bool {
	if dialect != resolve.Draft07 {
		return false
	}
	tokens, _ := load.SplitPointer(pointer)
	n := s.node
	for _, token := range tokens {
		if n == nil {
			return false
		}
		if r := n.Get("$ref"); r != nil && r.Kind == wire.KindString && token != "$ref" && token != "definitions" && token != "$defs" {
			return true
		}
		n = n.Step(token)
	}
	return false
}

// foreignSchemas appends the pointers of the values inside that declare another draft than the schema's.
func foreignSchemas(s value, dialect resolve.Dialect, to []string) []string {
	visit := func(inner value) {
		if name := inner.get("$schema"); name.is(wire.KindString) {
			if other, _ := resolve.PublishedDialect(name.str()); other != dialect {
				to = append(to, inner.pointer)
				return
			}
		}
		to = foreignSchemas(inner, dialect, to)
	}
	for _, inner := range s.elems() {
		visit(inner)
	}
	if s.is(wire.KindObject) {
		for i := range s.node.Members {
			m := &s.node.Members[i]
			visit(value{m.Value, load.Child(s.pointer, m.Name)})
		}
	}
	return to
}

// around tells whether a place is in one of the values, or has one of them in it: a union that has no arm for it.
func around(pointer string, values []string) bool {
	for _, v := range values {
		if within(pointer, v) || within(v, pointer) {
			return true
		}
	}
	return false
}
