package resolve

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
)

// reference finds the place that a `$ref` leads to. It returns nil after it has reported why there is
// none.
func (b *build) reference(v *load.Node) *place {
	ref, ok := parseURI(v.Str)
	if !ok {
		b.faultf(CodeReference, v.Start, b.pointer(), "write characters that a URI cannot have as %XX", "%s is no URI reference", quote(v.Str))
		return nil
	}
	r := b.resourceOf(v, ref)
	if r == nil {
		return nil
	}
	fragment := decodePercent(ref.fragment)
	switch {
	case !utf8.ValidString(fragment):
		b.faultf(CodeReference, v.Start, b.pointer(), "", "the fragment of %s is not UTF-8", quote(v.Str))
		return nil
	case fragment == "":
		return b.rootOf(v, r)
	case strings.HasPrefix(fragment, "/"):
		return b.follow(v, r, fragment)
	}
	if p := r.anchors[fragment]; p != nil {
		return p
	}
	hint := ""
	if r.doc.root.in == r && r.root.node.Step(fragment) != nil {
		hint = "a JSON Pointer starts with '/': write #/" + load.EscapeToken(fragment)
	} else if b.mayGuess() {
		if near := closest(fragment, sortedKeys(r.anchors)); near != "" {
			hint = "did you mean #" + near + "?"
		}
	}
	b.faultf(CodeReference, v.Start, b.pointer(), hint, "the reference %s leads nowhere: there is no anchor %s in %s", quote(v.Str), quote(fragment), b.nameOf(r))
	return nil
}

// resourceOf finds the resource that a reference leads to. Most references are fragments only, or lead to
// the same few documents; no URI is put together for them twice.
func (b *build) resourceOf(v *load.Node, ref uri) *resource {
	here := b.place.in
	length := len(v.Str)
	if ref.hasFragment {
		length -= len(ref.fragment) + len("#")
	}
	ref.fragment, ref.hasFragment = "", false
	key := reached{here, v.Str[:length]}
	if r := b.reached[key]; r != nil {
		return r
	}
	if length > b.lim.URIBytes {
		b.faultf(CodeLimit, v.Start, b.pointer(), "", "limit exceeded: the reference is a URI of more than %d bytes", b.lim.URIBytes)
		return nil
	}
	target := here.uri.resolve(ref)
	r := b.find(target.document())
	if r == nil {
		b.unknownDocument(v, target)
		return nil
	}
	b.reached[key] = r
	return r
}

// reached is a reference without its fragment, as it stands in a resource.
type reached struct {
	from *resource
	text string
}

// find returns the resource of a name: the root document's own before the registry's.
func (s *session) find(name string) *resource {
	if r := s.root.resources[name]; r != nil {
		return r
	}
	return s.registry.find(name)
}

func (b *build) rootOf(v *load.Node, r *resource) *place {
	if isSchema(r.root.node) {
		return r.root
	}
	b.faultf(CodeReference, v.Start, b.pointer(), "", "the reference %s leads to %s, which is no schema", quote(v.Str), describe(r.root.node))
	return nil
}

// follow goes along a JSON Pointer from the root of a resource. It may cross into a resource inside;
// the drafts advise against such references and leave them undefined, and they are in use.
func (b *build) follow(v *load.Node, r *resource, pointer string) *place {
	tokens, ok := load.SplitPointer(pointer)
	if !ok {
		b.faultf(CodeReference, v.Start, b.pointer(), "in a JSON Pointer '~' is written ~0 and '/' is written ~1", "the fragment of %s is no JSON Pointer", quote(v.Str))
		return nil
	}
	node, around := r.root.node, r
	for i, token := range tokens {
		next := node.Step(token)
		if next == nil {
			b.lost(v, r, tokens[:i], node, token)
			return nil
		}
		node = next
		if p := r.doc.places[node]; p != nil {
			around = p.in
		}
	}
	if !isSchema(node) {
		b.faultf(CodeReference, v.Start, b.pointer(), "", "the reference %s leads to %s, which is no schema", quote(v.Str), describe(node))
		return nil
	}
	if p := r.doc.places[node]; p != nil {
		return p
	}
	return b.loosePlace(r.doc, node, r.root.pointer+joined(tokens), around)
}

func joined(tokens []string) string {
	var out strings.Builder
	for _, t := range tokens {
		out.WriteString("/" + load.EscapeToken(t))
	}
	return out.String()
}

// loosePlace makes a schema of a location that no keyword makes one. Its resource is that of the
// nearest place around it, whatever `$id`s stand between: so it does not matter by which of several
// references, or in which order, the location is reached.
func (b *build) loosePlace(doc *document, node *load.Node, pointer string, around *resource) *place {
	found := b.loose[doc]
	if found == nil {
		found = map[*load.Node]*place{}
		b.loose[doc] = found
	}
	if p := found[node]; p != nil {
		return p
	}
	scratch := &document{file: doc.file, findings: report{limit: b.lim.Findings}}
	x := &indexer{doc: scratch, lim: b.lim, bytes: b.pointerBytes, loose: true, found: found}
	p := x.place(node, pointer, around, false)
	b.pointerBytes = x.bytes
	if scratch.over {
		b.report.list = append(b.report.list, scratch.findings.list...)
		b.over = true
	}
	return p
}

// maxListed is how many names there may be to list them all where none is close.
const maxListed = 5

// lost reports a pointer that ends at token.
func (b *build) lost(v *load.Node, r *resource, done []string, node *load.Node, token string) {
	hint := ""
	switch node.Kind {
	case wire.KindObject:
		if !b.mayGuess() {
			break
		}
		names := make([]string, 0, min(len(node.Members), 1000))
		for i := range node.Members[:cap(names)] {
			names = append(names, node.Members[i].Name)
		}
		near := closest(token, names)
		for _, twin := range [][2]string{{"definitions", "$defs"}, {"$defs", "definitions"}} {
			if near == "" && token == twin[0] && slices.Contains(names, twin[1]) {
				near = twin[1]
			}
		}
		switch {
		case near != "":
			hint = "did you mean " + quote(near) + "?"
		case len(done) > 0 && len(names) == len(node.Members) && 0 < len(names) && len(names) <= maxListed:
			for i, name := range names {
				names[i] = quote(name)
			}
			hint = "it has " + strings.Join(names, ", ")
		}
	case wire.KindArray:
		hint = fmt.Sprintf("the array has %d elements, counted from 0", len(node.Elems))
	}
	if hint == "" && r.root.pointer != "" && len(done) == 0 {
		hint = "a schema inside a document is a document of its own: '#' is the schema at " + r.root.pointer
	}
	where := b.nameOf(r)
	if len(done) > 0 {
		where = quote("#"+joined(done)) + " of " + where
	}
	b.faultf(CodeReference, v.Start, b.pointer(), hint, "the reference %s leads nowhere: there is no %s in %s", quote(v.Str), quote(token), where)
}

func (b *build) nameOf(r *resource) string {
	if r == b.place.in {
		return "this schema"
	}
	return quote(r.name)
}

// mayGuess says whether to look for a name that was probably meant. It costs a walk over all candidates,
// so it is done for the first hundred mistakes only.
func (s *session) mayGuess() bool {
	s.guesses++
	return s.guesses <= 100
}

// unknownDocument reports a reference to a document that was not given.
func (b *build) unknownDocument(v *load.Node, target uri) {
	switch target.scheme {
	case "http", "https", "ftp":
		b.faultf(CodeNetwork, v.Start, b.pointer(), "give the compiler a local copy of the document; it is known by its $id",
			"the reference %s needs the network, which is never used", quote(v.Str))
	case "file":
		b.faultf(CodeUnknownDocument, v.Start, b.pointer(), "name the file together with this one",
			"the reference %s leads to a file that was not given: %s", quote(v.Str), target.localName())
	default:
		b.faultf(CodeUnknownDocument, v.Start, b.pointer(), "no schema among the given documents has this $id",
			"the reference %s leads to an unknown document, %s", quote(v.Str), quote(target.document()))
	}
}

// blameReferences reports references from the root document into other documents that reach a schema
// with an error there. The place itself is in a document that its user may not even see.
func (s *session) blameReferences() {
	cause := s.causes()
	for id, schema := range s.schemas {
		if s.origin[id].in.doc != s.root {
			continue
		}
		for i := range schema.Keywords {
			k := &schema.Keywords[i]
			if !isReference(k.Name) {
				continue
			}
			target := k.Schemas[0].id
			if s.origin[target].in.doc == s.root || cause[target] < 0 {
				continue
			}
			bad := s.schemas[cause[target]]
			code, what := s.faultOf(bad)
			at := bad.File.Position(bad.Node.Start)
			s.report.addf(diag.Error, schema.File, k.Value.Start, k.Pointer, code, "",
				"the reference %s reaches a schema that cannot be used: %s at %s:%d:%d", quote(k.Value.Str), what, at.File, at.Line, at.Col)
		}
	}
}

// causes finds, for every schema, one bad schema of another document that it reaches without passing
// through the root document; -1 when there is none. It walks the edges backwards from the bad ones, in
// order, so that the answer does not depend on anything but the graph.
func (s *session) causes() []int {
	cause := make([]int, len(s.schemas))
	backward := make([][]int, len(s.schemas))
	found := false
	for id, schema := range s.schemas {
		cause[id] = -1
		foreign := s.origin[id].in.doc != s.root
		found = found || foreign && s.bad[id]
		if !foreign {
			continue
		}
		for i := range schema.Keywords {
			for _, to := range schema.Keywords[i].Schemas {
				backward[to.id] = append(backward[to.id], id)
			}
		}
	}
	if !found {
		return cause
	}
	var queue []int
	for id := range s.schemas {
		if s.bad[id] && s.origin[id].in.doc != s.root {
			cause[id] = id
			queue = append(queue, id)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, from := range backward[queue[0]] {
			if cause[from] < 0 {
				cause[from] = cause[queue[0]]
				queue = append(queue, from)
			}
		}
	}
	return cause
}

// faultOf says what is wrong with a bad schema of another document: the keyword that is not supported,
// where that is it.
func (s *session) faultOf(bad *Schema) (diag.Code, string) {
	table := vocabulary[bad.Dialect]
	if table == nil {
		return CodeDialect, "its $schema is not supported"
	}
	for i := range bad.Node.Members {
		if name := bad.Node.Members[i].Name; table[name].role == refused {
			return CodeUnsupportedKeyword, name + " is not supported"
		}
	}
	return CodeReference, "it has errors"
}
