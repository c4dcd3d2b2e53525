package ir

import (
	"strconv"
	"strings"

	"vcp.core/gen/diag"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// Options of [Lower].
type Options struct {
	// FormatAssertion makes `format` decide (specification of JSON Schema, validation §7.2.2). Otherwise
	// it is an annotation: [Format.Check] stays nil.
	FormatAssertion bool
}

// Codes of the diagnostics of [Lower].
const (
	// CodeUnsupportedKeyword is a keyword that resolve let pass and that this package cannot express.
	CodeUnsupportedKeyword = resolve.CodeUnsupportedKeyword
	// CodeUnknownFormat warns of an asserted format that nobody defined.
	CodeUnknownFormat diag.Code = "schema/unknown-format"
	// CodeValue is a keyword value that cannot be read. resolve has checked shapes, so what is left is a
	// constant or a number beyond what package wire accepts.
	CodeValue = resolve.CodeValue
)

// Lower brings everything that the roots reach into one program. Roots from several resolutions must have
// been resolved with one registry: a schema that more than one of them reaches is lowered once. The list holds what could not be
// expressed; a program that came with an error judges wrongly and must not be used. Lower is a pure
// function: equal graphs give programs with equal dumps.
func Lower(roots []*resolve.Schema, opts Options) (*Program, diag.List) {
	l := &lowering{
		opts:  opts,
		prog:  &Program{},
		known: make(map[identity]*Schema),
	}
	for _, root := range roots {
		l.prog.Roots = append(l.prog.Roots, l.schema(root))
	}
	// The queue is a loop and not a recursion, so that a long chain of references costs no stack.
	for len(l.queue) > 0 {
		next := l.queue[0]
		l.queue = l.queue[1:]
		l.lower(next.from, next.to)
	}
	admit(l.prog)
	for _, s := range l.prog.Schemas {
		fuse(s)
	}
	markShared(l.prog)
	return l.prog, l.diags
}

type lowering struct {
	opts  Options
	prog  *Program
	known map[identity]*Schema
	queue []pending
	diags diag.List
}

type pending struct {
	from *resolve.Schema
	to   *Schema
}

// identity is what makes two resolved schemas one: the same value of the same file, read in the same
// dialect, with the same base and in the same dynamic scope. Each resolution makes Schemas of its own, also for documents that all
// of them reach.
type identity struct {
	node    *load.Node
	base    string
	dialect resolve.Dialect
	scope   *resolve.Scope
}

// schema returns the one Schema for a resolved one, and sees to it that it will be filled.
func (l *lowering) schema(from *resolve.Schema) *Schema {
	key := identity{from.Node, from.Base, from.Dialect, from.Scope}
	if to, ok := l.known[key]; ok {
		return to
	}
	to := &Schema{ID: len(l.prog.Schemas)}
	l.known[key] = to
	l.prog.Schemas = append(l.prog.Schemas, to)
	l.queue = append(l.queue, pending{from, to})
	return to
}

func (l *lowering) schemas(from []*resolve.Schema) []*Schema {
	to := make([]*Schema, len(from))
	for i, s := range from {
		to[i] = l.schema(s)
	}
	return to
}

func (l *lowering) report(from *resolve.Schema, k *resolve.Keyword, code diag.Code, message, hint string) {
	l.add(diag.Error, from, k, code, message, hint)
}

func (l *lowering) warn(from *resolve.Schema, k *resolve.Keyword, code diag.Code, message, hint string) {
	l.add(diag.Warning, from, k, code, message, hint)
}

func (l *lowering) add(severity diag.Severity, from *resolve.Schema, k *resolve.Keyword, code diag.Code, message, hint string) {
	at := from.Node.Start
	if k.Value != nil {
		at = k.Value.Start
	}
	l.diags = append(l.diags, diag.Diagnostic{
		Position: from.File.Position(at), Pointer: k.Pointer,
		Severity: severity, Code: code, Message: message, Hint: hint,
	})
}

// lower fills one schema. Keywords that only make sense together (minContains without contains, then
// without if) are settled after the loop, because their order in the source is free.
func (l *lowering) lower(from *resolve.Schema, to *Schema) {
	to.Origin = Origin{
		Pos:     from.File.Position(from.Node.Start),
		Pointer: from.Pointer,
		URI:     from.Base + "#" + strings.TrimPrefix(from.Pointer, from.Root),
	}
	if from.Always != nil {
		to.Never = !*from.Always
		return
	}
	r := rules{from: from, to: to, lowering: l, minContains: 1, maxContains: -1}
	for i := range from.Keywords {
		k := &from.Keywords[i]
		if r.annotation(k) || r.reference(k) {
			continue
		}
		if !r.general(k) && !r.scalar(k) && !r.array(k) && !r.object(k) {
			l.report(from, k, CodeUnsupportedKeyword, "the compiler does not implement "+strconv.Quote(k.Source), "")
			continue
		}
		to.Keywords = append(to.Keywords, Keyword{Name: k.Name, Source: k.Source})
	}
	r.settle()
}

// general handles the keywords that apply to values of every type.
func (r *rules) general(k *resolve.Keyword) bool {
	s, l := r.to, r.lowering
	switch k.Name {
	case "allOf":
		s.AllOf = l.schemas(k.Schemas)
	case "anyOf":
		s.AnyOf = l.schemas(k.Schemas)
	case "oneOf":
		s.OneOf = l.schemas(k.Schemas)
	case "not":
		s.Not = l.schema(k.Schemas[0])
	case "if":
		s.If = l.schema(k.Schemas[0])
	case "then":
		s.Then = l.schema(k.Schemas[0])
	case "else":
		s.Else = l.schema(k.Schemas[0])
	case "type":
		s.Types = typeSet(k.Value)
	case "const":
		if v, ok := r.value(k, k.Value); ok {
			s.Const = &v
		}
	case "enum":
		s.Enum = make([]Value, 0, len(k.Value.Elems))
		for _, e := range k.Value.Elems {
			if v, ok := r.value(k, e); ok {
				s.Enum = append(s.Enum, v)
			}
		}
	default:
		return false
	}
	return true
}

// reference handles both kinds of reference, which are one here. A schema that has both refers to a schema made
// for them, which has nothing but the two.
func (r *rules) reference(k *resolve.Keyword) bool {
	if k.Name != "$ref" && k.Name != "$dynamicRef" {
		return false
	}
	s, target := r.to, r.schema(k.Schemas[0])
	if s.Ref == nil {
		s.Ref, r.first = target, Keyword{Name: "$ref", Source: k.Source}
		s.Keywords = append(s.Keywords, r.first)
		return true
	}
	pair := &Schema{ID: len(r.prog.Schemas), Origin: s.Origin, Ref: s.Ref, AllOf: []*Schema{target}}
	pair.Keywords = []Keyword{r.first, {Name: "allOf", Source: k.Source}}
	r.prog.Schemas = append(r.prog.Schemas, pair)
	s.Ref = pair
	return true
}

// annotation handles what never changes a verdict. Identifiers and containers of definitions have done
// their work in resolve.
func (r *rules) annotation(k *resolve.Keyword) bool {
	n := &r.to.Notes
	switch k.Name {
	case "$schema", "$id", "$anchor", "$defs", "$vocabulary", "contentEncoding", "contentMediaType", "contentSchema":
	case "title":
		n.Title = k.Value.Str
	case "description":
		n.Description = k.Value.Str
	case "$comment":
		n.Comment = k.Value.Str
	case "default":
		n.Default = r.compact(k.Value)
	case "examples":
		for _, e := range k.Value.Elems {
			n.Examples = append(n.Examples, r.compact(e))
		}
	case "deprecated":
		n.Deprecated = isTrue(k.Value)
	case "readOnly":
		n.ReadOnly = isTrue(k.Value)
	case "writeOnly":
		n.WriteOnly = isTrue(k.Value)
	case "x-unit":
		n.Unit = text(k.Value)
	default:
		return false
	}
	return true
}

var typeBits = map[string]TypeSet{
	"null": TypeNull, "boolean": TypeBoolean, "integer": TypeInteger, "number": TypeNumber,
	"string": TypeString, "array": TypeArray, "object": TypeObject,
}

func typeSet(v *load.Node) TypeSet {
	if v.Str != "" {
		return typeBits[v.Str]
	}
	var set TypeSet
	for _, e := range v.Elems {
		set |= typeBits[e.Str]
	}
	if set&TypeNumber != 0 {
		set &^= TypeInteger
	}
	return set
}
