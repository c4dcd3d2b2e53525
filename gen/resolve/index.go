package resolve

import (
	"fmt"

	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
)

// place is a location in a document where a schema stands, or may stand.
type place struct {
	node    *load.Node
	pointer string // in the file
	in      *resource
}

// resource is a schema with the places in it that belong to no inner resource (2020-12 core §4.3.5).
type resource struct {
	reading
	uri     uri    // base of its references, without fragment
	name    string // uri as text
	doc     *document
	root    *place
	anchors map[string]*place
	dynamic map[string]*place // `$dynamicAnchor` by name; recursiveAnchor for `$recursiveAnchor`
}

// recursiveAnchor is what `$recursiveAnchor: true` of draft 2019-09 is: a dynamic anchor of the root, whose name
// no `$dynamicAnchor` can have.
const recursiveAnchor = "#"

// document is the index of one loaded document, or of one schema inside a bigger one. It is immutable
// once made, so a registry's documents serve any number of resolutions at a time.
type document struct {
	file      *load.File
	root      *place
	places    map[*load.Node]*place
	order     []*place // as the document has them
	resources map[string]*resource
	findings  report
	bytes     int  // of the pointers of all places
	builtin   bool // a meta-schema of ours
	over      bool // a limit was met, the index is not complete
}

// indexer walks a document and fills its index.
type indexer struct {
	doc     *document
	dialect func(schema string) (reading, *dialectFault)
	lim     Limits
	bytes   int // of pointers

	// loose is set for a place below an unknown keyword: it is a schema because a reference says so, and
	// names nothing and belongs to the resource around it.
	loose bool
	found map[*load.Node]*place // where places go; doc.places unless loose
}

// indexDocument indexes the schema at node. base names the document; fallback is the dialect of a
// schema that does not say.
func indexDocument(file *load.File, node *load.Node, pointer string, base uri, fallback Dialect, lim Limits,
	dialect func(string) (reading, *dialectFault),
) *document {
	doc := &document{
		file:      file,
		places:    map[*load.Node]*place{},
		resources: map[string]*resource{},
		findings:  report{limit: lim.Findings},
	}
	x := &indexer{doc: doc, dialect: dialect, lim: lim, found: doc.places}
	if fallback == "" {
		fallback = Draft2020
	}
	outside := &resource{uri: base, name: base.document(), doc: doc, reading: reading{dialect: fallback}}
	doc.root = x.place(node, pointer, outside, true)
	doc.bytes = x.bytes
	return doc
}

// place makes a place of the value, and of the schemas inside it. A value that can be no schema makes
// no place; the keyword that holds it will be blamed.
func (x *indexer) place(n *load.Node, pointer string, around *resource, root bool) *place {
	if x.doc.over {
		return nil
	}
	if known := x.found[n]; known != nil {
		return known
	}
	if !isSchema(n) {
		if root {
			x.faultf(CodeValue, n.Start, pointer, "", "a schema is an object or a boolean, not %s", describe(n))
		}
		return nil
	}
	p := &place{node: n, pointer: pointer, in: around}
	x.found[n] = p
	if !x.loose {
		x.doc.order = append(x.doc.order, p)
	}
	x.bytes += len(pointer)
	if x.overLimit(p) {
		return p
	}
	if root {
		x.enter(p, around, around.uri)
	}
	if n.Kind == wire.KindObject {
		if !x.loose {
			x.identify(p, root)
		}
		x.inside(p)
	}
	return p
}

func isSchema(n *load.Node) bool {
	return n.Kind == wire.KindObject || n.Kind == wire.KindTrue || n.Kind == wire.KindFalse
}

func (x *indexer) overLimit(p *place) bool {
	switch {
	case len(x.found) > x.lim.Schemas:
		x.faultf(CodeLimit, p.node.Start, p.pointer, "split the document", "limit exceeded: more than %d schemas", x.lim.Schemas)
	case x.bytes > x.lim.PointerBytes:
		x.faultf(CodeLimit, p.node.Start, p.pointer, "shorten the names of the outer properties or definitions",
			"limit exceeded: the JSON Pointers of all schemas together are longer than %d bytes", x.lim.PointerBytes)
	default:
		return false
	}
	x.doc.over = true
	return true
}

// enter makes p the root of a resource.
func (x *indexer) enter(p *place, around *resource, base uri) {
	p.in = &resource{uri: base, name: base.document(), doc: x.doc, root: p, reading: around.reading, anchors: map[string]*place{}}
	x.register(p.in.name, p.in)
}

// register makes a resource reachable by name. The first one keeps a name that two claim.
func (x *indexer) register(name string, r *resource) bool {
	if other := x.doc.resources[name]; other != nil {
		return other == r
	}
	x.doc.resources[name] = r
	return true
}

// identify reads `$schema`, `$id` and the anchors of a schema.
func (x *indexer) identify(p *place, root bool) {
	id := p.node.Member("$id")
	schema := p.node.Get("$schema")
	// An inner resource says its dialect itself; that decides already how its `$id` is read.
	read, fault := p.in.reading, (*dialectFault)(nil)
	if schema != nil {
		if schema.Kind == wire.KindString {
			read, fault = x.dialect(schema.Str)
		} else {
			x.faultf(CodeValue, schema.Start, p.pointer+"/$schema", "", "$schema must be a string, not %s", describe(schema))
		}
	}
	if id != nil && read.dialect == Draft07 && p.node.Get("$ref") != nil {
		id = nil // draft-07 §8.3: members beside $ref are ignored, `$id` too
	}
	fragment := ""
	if id != nil {
		fragment = x.named(p, id.Value, root)
	}
	switch {
	case p.in.root != p:
		if read != p.in.reading {
			x.misplaced(p, schema)
		}
	case fault != nil:
		x.faultf(fault.code, schema.Start, p.pointer+"/$schema", fault.hint, "%s", fault.message)
		p.in.reading = reading{}
	default:
		p.in.reading = read
	}
	switch p.in.dialect {
	case Draft07:
		if fragment != "" {
			x.anchor(p, id.Value, "/$id", fragment)
		}
	case Draft2020, Draft2019:
		if fragment != "" {
			x.faultf(CodeID, id.Value.Start, p.pointer+"/$id", "name a place inside the document with $anchor",
				"$id %s has a fragment", quote(id.Value.Str))
		}
		x.anchors(p)
	}
}

// anchors reads the keywords that name a place by themselves.
func (x *indexer) anchors(p *place) {
	names := []string{"$anchor", "$dynamicAnchor"}
	if p.in.dialect == Draft2019 {
		names = names[:1]
		x.recursive(p)
	}
	for _, name := range names {
		a := p.node.Get(name)
		switch {
		case a == nil:
		case a.Kind != wire.KindString || !isAnchor(a.Str):
			x.faultf(CodeID, a.Start, p.pointer+"/"+name, "", "%s must be a name of letters, digits, '-', '_' and '.' that starts with a letter or '_'", name)
		default:
			x.anchor(p, a, "/"+name, a.Str)
			if name == "$dynamicAnchor" {
				p.in.bind(a.Str, p)
			}
		}
	}
}

// recursive reads `$recursiveAnchor`, which counts at the root of a resource.
func (x *indexer) recursive(p *place) {
	a := p.node.Get("$recursiveAnchor")
	switch {
	case a == nil:
	case a.Kind != wire.KindTrue && a.Kind != wire.KindFalse:
		x.faultf(CodeID, a.Start, p.pointer+"/$recursiveAnchor", "", "$recursiveAnchor must be true or false, not %s", describe(a))
	case a.Kind == wire.KindTrue && p.in.root == p:
		p.in.bind(recursiveAnchor, p)
	}
}

// bind gives a dynamic anchor to the first place that claims it.
func (r *resource) bind(name string, p *place) {
	if r.dynamic == nil {
		r.dynamic = map[string]*place{}
	}
	if r.dynamic[name] == nil {
		r.dynamic[name] = p
	}
}

func (x *indexer) misplaced(p *place, schema *load.Node) {
	severity := diag.Error
	if p.in.dialect == Draft07 {
		severity = diag.Warning // draft-07 schemas that embed others by copying them are common
	}
	x.doc.findings.addf(severity, x.doc.file, schema.Start, p.pointer+"/$schema", CodeDialect,
		"give the schema an $id, which makes it a resource of its own, or remove $schema",
		"$schema has no effect inside a schema resource, which is read as %s", p.in.dialect)
}

// named handles `$id`: it starts a resource, unless it is only a fragment (draft-07's anchors). It
// returns the fragment.
func (x *indexer) named(p *place, id *load.Node, root bool) (fragment string) {
	pointer := p.pointer + "/$id"
	if id.Kind != wire.KindString {
		x.faultf(CodeID, id.Start, pointer, "", "$id must be a string, not %s", describe(id))
		return ""
	}
	ref, ok := parseURI(id.Str)
	if !ok {
		x.faultf(CodeID, id.Start, pointer, "", "$id %s is no URI reference", quote(id.Str))
		return ""
	}
	fragment = ref.fragment
	ref.fragment, ref.hasFragment = "", false
	if ref == (uri{}) {
		return fragment
	}
	base := p.in.uri.resolve(ref)
	if len(base.document()) > x.lim.URIBytes {
		x.faultf(CodeLimit, id.Start, pointer, "", "limit exceeded: the $id is a URI of more than %d bytes", x.lim.URIBytes)
		return fragment
	}
	if root {
		// The document keeps the name under which it was found beside the one it gives itself.
		p.in.uri, p.in.name = base, base.document()
		x.register(p.in.name, p.in)
		return fragment
	}
	around := p.in
	p.in = &resource{uri: base, name: base.document(), doc: x.doc, root: p, reading: around.reading, anchors: map[string]*place{}}
	if !x.register(p.in.name, p.in) {
		first := x.doc.resources[p.in.name].root
		at := x.doc.file.Position(first.node.Start)
		x.faultf(CodeID, id.Start, pointer, fmt.Sprintf("the first one is the schema at line %d, column %d", at.Line, at.Col),
			"two schemas have the $id %s", quote(p.in.name))
	}
	return fragment
}

func (x *indexer) anchor(p *place, at *load.Node, member, name string) {
	if first := p.in.anchors[name]; first != nil && first != p {
		pos := x.doc.file.Position(first.node.Start)
		x.faultf(CodeID, at.Start, p.pointer+member, fmt.Sprintf("the first one is the schema at line %d, column %d", pos.Line, pos.Col),
			"two schemas have the anchor %s", quote(name))
		return
	}
	p.in.anchors[name] = p
}

func isAnchor(s string) bool {
	for i, c := range []byte(s) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '-' && c != '.') {
			return false
		}
	}
	return s != ""
}

// inside goes on to the subschemas. Values of the wrong shape are passed over; build blames them.
func (x *indexer) inside(p *place) {
	onlyRef := p.in.dialect == Draft07 && p.node.Get("$ref") != nil
	for i := range p.node.Members {
		m := &p.node.Members[i]
		k, known := p.in.keyword(m.Name)
		if !known || onlyRef && !k.besideRef() {
			continue
		}
		if x.doc.over {
			return // before another pointer is put together
		}
		v := m.Value
		switch k.shape {
		case aSchema:
			x.place(v, p.pointer+"/"+m.Name, p.in, false)
		case aSchemaList:
			x.each(v.Elems, p, m.Name)
		case itemsList:
			if v.Kind == wire.KindArray {
				x.each(v.Elems, p, m.Name)
			} else {
				x.place(v, p.pointer+"/"+m.Name, p.in, false)
			}
		case aSchemaMap, maybeSchemaMap, aPatternMap, dependencies:
			for j := 0; j < len(v.Members) && !x.doc.over; j++ {
				x.place(v.Members[j].Value, load.Child(p.pointer+"/"+m.Name, v.Members[j].Name), p.in, false)
			}
		}
	}
}

func (x *indexer) each(elems []*load.Node, p *place, name string) {
	for i, e := range elems {
		if x.doc.over {
			return
		}
		x.place(e, load.Item(p.pointer+"/"+name, i), p.in, false)
	}
}

func (x *indexer) faultf(code diag.Code, offset int, pointer, hint, format string, args ...any) {
	x.doc.findings.addf(diag.Error, x.doc.file, offset, pointer, code, hint, format, args...)
}
