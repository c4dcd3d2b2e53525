package resolve

import (
	"vcp.core/contract/wire"
	"vcp.core/contract/wire/ecma"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
)

// session is one resolution: what is made of one root schema.
type session struct {
	registry *Registry
	lim      Limits
	retired  bool // Options.Dependencies
	report   report
	root     *document

	schemas []*Schema // by id, in order of discovery
	origin  []*place  // by id
	ids     map[entry]int
	met     map[*place]bool // places that have a schema in some scope
	bad     []bool          // by id: the schema itself has an error
	scopes  scopes

	loose    map[*document]map[*load.Node]*place // places that only references make schemas
	reached  map[reached]*resource
	told     map[*resource]bool // resources whose dialect has been reported
	patterns map[string]compiled
	near     map[string]string // unknown keyword -> known keyword it resembles

	patternCost, pointerBytes int
	patternsOver, over        bool
	guesses                   int // hints that were looked for by edit distance
}

func newSession(file *load.File, node *load.Node, opts Options) *session {
	s := &session{
		registry: opts.Registry,
		lim:      opts.Limits.filled(),
		retired:  opts.Dependencies,
		ids:      map[entry]int{},
		met:      map[*place]bool{},
		loose:    map[*document]map[*load.Node]*place{},
		reached:  map[reached]*resource{},
		told:     map[*resource]bool{},
		patterns: map[string]compiled{},
		near:     map[string]string{},
	}
	s.report.limit = s.lim.Findings
	s.scopes = newScopes(s.lim.Scopes)
	if node == nil {
		node = file.Root
	}
	pointer, _ := file.PointerTo(node)
	name := opts.URI
	if name == "" {
		name = FileURI(file.Name)
		if node != file.Root {
			name += "?at=" + encodePath(pointer)
		}
	}
	base, ok := parseURI(name)
	if !ok || base.scheme == "" || base.hasFragment {
		s.report.addf(diag.Error, file, node.Start, pointer, CodeID, "", "the base URI %s is not absolute", quote(name))
	}
	s.root = indexDocument(file, node, pointer, base, opts.Dialect, s.lim, s.dialect)
	s.pointerBytes = s.root.bytes
	return s
}

func (s *session) dialect(schema string) (reading, *dialectFault) {
	return dialectOf(schema, s.registry.root)
}

// run builds the graph and looks at it as a whole. It returns the root, whatever was found.
func (s *session) run() *Schema {
	for _, d := range s.root.findings.list {
		s.report.list = append(s.report.list, d)
		if d.Severity == diag.Error {
			s.report.errors++
		}
	}
	if s.root.over || s.root.places[s.root.root.place()] == nil {
		return nil
	}
	outside := s.scopes.enter(nil, s.root.root.in)
	root := s.schema(s.root.root, outside)
	next := s.fill(0)
	for _, p := range s.root.order {
		if !s.met[p] { // definitions that nothing leads to
			s.schema(p, s.scopes.enter(outside, p.in))
			next = s.fill(next)
		}
	}
	s.warnOfNothing(root)
	if !s.over {
		s.blameReferences()
		s.checkGraph()
	}
	return root
}

// warnOfNothing warns of a root schema that has members and not one keyword: it accepts everything, and is
// perhaps a document in the place of its schema.
func (s *session) warnOfNothing(root *Schema) {
	read := s.root.root.in.reading
	if vocabulary[read.dialect] == nil || len(root.Node.Members) == 0 {
		return
	}
	for i := range root.Node.Members {
		if _, known := read.keyword(root.Node.Members[i].Name); known {
			return
		}
	}
	s.report.addf(diag.Warning, root.File, root.Node.Start, root.Pointer, CodeNoKeyword, "is it a document, in the place of its schema?",
		"the schema has no keyword that the dialect knows; it accepts everything")
}

// place is nil-safe access for a document whose root is no schema.
func (p *place) place() *load.Node {
	if p == nil {
		return nil
	}
	return p.node
}

// entry is a place in the dynamic scope that it is entered with.
type entry struct {
	at *place
	in *Scope
}

// schema returns the Schema of a place; a new one has no keywords until fill comes to it.
func (s *session) schema(p *place, in *Scope) *Schema {
	if p.node.Kind != wire.KindObject {
		in = nil // true and false are the same in every scope
	}
	key := entry{p, in}
	if id, known := s.ids[key]; known {
		return s.schemas[id]
	}
	out := &Schema{
		File: p.in.doc.file, Node: p.node, Pointer: p.pointer, Base: p.in.name, Root: p.in.root.pointer, Dialect: p.in.dialect, Scope: in, id: len(s.schemas),
	}
	s.ids[key] = out.id
	s.met[p] = true
	s.schemas = append(s.schemas, out)
	s.origin = append(s.origin, p)
	s.bad = append(s.bad, false)
	return out
}

// fill gives keywords to all schemas from that id on, those included that it discovers on the way. A
// queue and no recursion: a chain of references may be as long as the document.
func (s *session) fill(next int) int {
	for ; next < len(s.schemas) && !s.over; next++ {
		b := &build{session: s, schema: s.schemas[next], place: s.origin[next]}
		b.run()
		if len(s.schemas) > s.lim.Schemas {
			b.overf("more than %d schemas", s.lim.Schemas)
		}
		if s.scopes.full {
			b.overf("schemas are reached in more than %d dynamic scopes, or these have more than %d anchors together; give fewer schema resources a dynamic anchor",
				s.lim.Scopes, maxBindings)
		}
		if len(s.schemas)-len(s.met) > s.lim.Copies {
			b.overf("dynamic scopes make more than %d copies of schemas; give fewer schema resources a dynamic anchor", s.lim.Copies)
		}
		if s.pointerBytes > s.lim.PointerBytes {
			b.overf("the JSON Pointers of all schemas and keywords together are longer than %d bytes", s.lim.PointerBytes)
		}
	}
	return next
}

// build makes the keywords of one schema.
type build struct {
	*session
	schema *Schema
	place  *place
	member *load.Member // the keyword at hand
	at     string       // its pointer, made when needed
}

// overf ends the session at a limit that concerns the whole.
func (b *build) overf(format string, args ...any) {
	if !b.over {
		b.over = true
		b.member = nil
		b.faultf(CodeLimit, b.schema.Node.Start, b.schema.Pointer, "", "limit exceeded: "+format, args...)
	}
}

func (b *build) pointer() string {
	if b.at == "" {
		b.at = load.Child(b.schema.Pointer, b.member.Name)
	}
	return b.at
}

// faultf reports an error in this schema. Those in embedded meta-schemas are reported where a reference
// leads there: the user can do nothing about the place itself.
func (b *build) faultf(code diag.Code, offset int, pointer, hint, format string, args ...any) {
	b.bad[b.schema.id] = true
	if !b.place.in.doc.builtin {
		b.report.addf(diag.Error, b.schema.File, offset, pointer, code, hint, format, args...)
	}
}

func (b *build) warnf(code diag.Code, hint, format string, args ...any) {
	if b.place.in.doc == b.root {
		b.report.addf(diag.Warning, b.schema.File, b.member.NameStart, b.pointer(), code, hint, format, args...)
	}
}

func (b *build) run() {
	n := b.schema.Node
	if n.Kind != wire.KindObject {
		always := n.Kind == wire.KindTrue
		b.schema.Always = &always
		return
	}
	if vocabulary[b.schema.Dialect] == nil {
		// The finding stands at `$schema` of the resource. Where that is in another document, this makes
		// the references that lead to it bad.
		b.bad[b.schema.id] = true
		b.dialectFault()
		return
	}
	onlyRef := b.schema.Dialect == Draft07 && n.Get("$ref") != nil
	for i := range n.Members {
		b.member, b.at = &n.Members[i], ""
		k, known := b.place.in.keyword(b.member.Name)
		switch {
		case !known:
			b.unknown(onlyRef)
		case onlyRef && !k.besideRef():
			if k.role == assertion || k.role == applicator {
				b.warnf(CodeIgnored, "put the reference into allOf, or declare draft 2020-12 in $schema",
					"%s has no effect beside $ref in draft-07", b.member.Name)
			}
		default:
			b.keyword(k)
		}
	}
}

// dialectFault repeats the finding about `$schema` of another document, once per resource.
func (b *build) dialectFault() {
	r := b.place.in
	if r.doc == b.root || b.told[r] {
		return
	}
	b.told[r] = true
	for _, d := range r.doc.findings.list {
		if d.Pointer == r.root.pointer+"/$schema" {
			b.report.list = append(b.report.list, d)
			b.report.errors++
		}
	}
}

// keyword handles a keyword that the dialect knows.
func (b *build) keyword(k keyword) {
	v := b.member.Value
	if k.role == identity {
		return
	}
	if !b.checkValue(k, v) {
		return
	}
	if k.role == refused {
		b.faultf(CodeUnsupportedKeyword, b.member.NameStart, b.pointer(), k.hint, "%s is not supported", b.member.Name)
		return
	}
	if k.role == retired && !b.asserts(k) {
		b.ignored(elsewhere[b.schema.Dialect][b.member.Name])
		return
	}
	if lacking := b.withoutEffect(k); lacking != "" {
		b.warnf(CodeIgnored, "", "%s has no effect without %s", b.member.Name, lacking)
		return
	}
	if k.role == silent || k.role == container && b.place.in.doc != b.root {
		return // definitions of other documents count only where a reference leads to them
	}
	out := Keyword{Name: k.name, Source: b.member.Name, Value: v, Pointer: b.pointer(), Asserted: b.place.in.asserts}
	b.pointerBytes += len(out.Pointer)
	switch k.shape {
	case aReference:
		target := b.target(k, v)
		if target == nil {
			return
		}
		out.Schemas = []*Schema{b.enter(target)}
	case aSchema:
		out.Schemas = b.subschemas(v)
	case aSchemaList:
		out.Schemas = b.subschemas(v.Elems...)
	case itemsList:
		if v.Kind == wire.KindArray {
			out.Name = "prefixItems"
			out.Schemas = b.subschemas(v.Elems...)
		} else {
			out.Schemas = b.subschemas(v)
		}
	case aSchemaMap:
		out.Names, out.Schemas = b.named(v)
	case aPatternMap:
		out.Names, out.Schemas = b.named(v)
		out.Patterns = make([]*ecma.Regexp, len(v.Members))
		for i := range v.Members {
			m := &v.Members[i]
			out.Patterns[i] = b.pattern(m.Name, m.NameStart, load.Child(b.pointer(), m.Name))
		}
	case aPattern:
		if !b.want(v.Kind == wire.KindString, v, "a regular expression") {
			return
		}
		out.Patterns = []*ecma.Regexp{b.pattern(v.Str, v.Start, b.pointer())}
	case aStringSetMap:
		out.Names, out.Lists = nameLists(v)
	case dependencies:
		b.dependencies(out, v)
		return
	}
	b.schema.Keywords = append(b.schema.Keywords, out)
}

// asserts tells whether a retired keyword decides here: the option says so, and the schema's meta-schema has the
// vocabulary of its successors.
func (b *build) asserts(k keyword) bool {
	return b.retired && b.place.in.off&applicatorVocabulary == 0
}

// withoutEffect returns the keyword that this one depends on and that is absent.
func (b *build) withoutEffect(k keyword) string {
	has := func(name string) bool { return b.schema.Node.Get(name) != nil }
	switch b.member.Name {
	case "then", "else":
		if !has("if") {
			return "if"
		}
	case "minContains", "maxContains":
		if !has("contains") {
			return "contains"
		}
	case "additionalItems":
		if items := b.schema.Node.Get("items"); items == nil || items.Kind != wire.KindArray {
			return "an array under items"
		}
	case "contentSchema":
		if !has("contentMediaType") {
			return "contentMediaType"
		}
	}
	return ""
}

// target returns the place that a reference leads to.
func (b *build) target(k keyword, v *load.Node) *place {
	if k.name == "$dynamicRef" {
		return b.dynamic(v)
	}
	return b.reference(v)
}

// enter returns the Schema of a place that this schema leads to.
func (b *build) enter(p *place) *Schema {
	scope := b.schema.Scope
	if p.in != b.place.in {
		scope = b.scopes.enter(scope, p.in)
	}
	return b.session.schema(p, scope)
}

func (b *build) subschemas(nodes ...*load.Node) []*Schema {
	out := make([]*Schema, 0, len(nodes))
	for _, n := range nodes {
		out = append(out, b.enter(b.placeOf(n)))
	}
	return out
}

// placeOf returns the place of a subschema, which the index found when it found this schema's.
func (b *build) placeOf(n *load.Node) *place {
	if p := b.place.in.doc.places[n]; p != nil {
		return p
	}
	return b.loose[b.place.in.doc][n]
}

func (b *build) named(v *load.Node) ([]string, []*Schema) {
	names := make([]string, len(v.Members))
	schemas := make([]*Schema, len(v.Members))
	for i := range v.Members {
		names[i] = v.Members[i].Name
		schemas[i] = b.enter(b.placeOf(v.Members[i].Value))
	}
	return names, schemas
}

func nameLists(v *load.Node) (names []string, lists [][]string) {
	for i := range v.Members {
		names = append(names, v.Members[i].Name)
		lists = append(lists, texts(v.Members[i].Value))
	}
	return names, lists
}

func texts(v *load.Node) []string {
	out := make([]string, len(v.Elems))
	for i, e := range v.Elems {
		out[i] = e.Str
	}
	return out
}

// dependencies splits draft-07's keyword into the two that followed it. An empty one leaves nothing.
func (b *build) dependencies(out Keyword, v *load.Node) {
	required, schemas := out, out
	required.Name, schemas.Name = "dependentRequired", "dependentSchemas"
	for i := range v.Members {
		m := &v.Members[i]
		if m.Value.Kind == wire.KindArray {
			required.Names = append(required.Names, m.Name)
			required.Lists = append(required.Lists, texts(m.Value))
		} else {
			schemas.Names = append(schemas.Names, m.Name)
			schemas.Schemas = append(schemas.Schemas, b.enter(b.placeOf(m.Value)))
		}
	}
	if len(required.Names) > 0 {
		b.schema.Keywords = append(b.schema.Keywords, required)
	}
	if len(schemas.Names) > 0 {
		b.schema.Keywords = append(b.schema.Keywords, schemas)
	}
}
