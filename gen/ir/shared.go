package ir

import "slices"

// Sharing. A schema that several paths lead to may judge one value several times, and if that value
// has parts, the parts are judged several times by every one of those: cost doubles with each level
//
//	{"anyOf": [{"items": {"$ref": "#"}}, {"items": {"$ref": "#"}}]}
//
// A back end that remembers the verdict of (schema, node) for schemas with more than one incoming edge
// judges every pair at most once: a schema with a single incoming edge is judged once for each time its
// one parent is, and the parent, by induction, once per node. So the cost is at most nodes × schemas,
// whatever the graph. That is the law.
//
// But remembering costs more than judging a small schema, and in schemas that people write most edges
// into a definition come from different places of the document ("street" of the billing address,
// "street" of the delivery address): no value is ever judged twice. So Shared is narrower than "several
// incoming edges": it is set where two different paths can reach the same value.
//
// To find out, walk pairs. (A, B) means: some value may be judged against A and against B, by paths that
// have parted. Pairs begin where one schema applies two subschemas to one value: two arms, $ref beside
// properties, contains beside items, a pattern beside a name. From (A, B) one gets to (A', B) and
// (A, B') for subschemas on the same value, and to (A', B') for subschemas on the same member or element.
// When both sides come to the same schema S, S is shared; nothing follows from (S, S), because with a
// memo it is judged once.
//
// Pairs that cannot cost anything are left out: schemas without subschemas; types that exclude each
// other, since the type is tested before anything else; arms that a Dispatch never selects together,
// and likewise rules of a Decision. Two patterns are taken to overlap; asking whether they do is not
// worth it. Nor is what a schema with Unevaluated has evaluated: its rule for the rest is taken to meet
// whatever else judges a member or an element.
//
// The number of pairs may be quadratic in the size of the schema. Beyond maxPairs the walk stops and
// every schema with several incoming edges is marked: more memo than needed, and still the law.
const maxPairs = 1 << 17

// markShared sets Schema.Shared everywhere in the program.
func markShared(p *Program) {
	w := &pairWalk{prog: p, shapes: make([]*shape, 2*len(p.Schemas)), seen: make(map[[2]int]bool)}
	for _, s := range p.Schemas {
		w.describe(s)
	}
	for _, s := range p.Schemas {
		w.begin(s)
	}
	for len(w.queue) > 0 && !w.exhausted {
		pair := w.queue[len(w.queue)-1]
		w.queue = w.queue[:len(w.queue)-1]
		w.follow(pair[0], pair[1])
	}
	if w.exhausted {
		markByDegree(p)
	}
	markEvaluating(p)
}

// markByDegree is the coarse answer: every schema with subschemas and two incoming edges.
func markByDegree(p *Program) {
	degree := make([]int, len(p.Schemas))
	for _, s := range p.Schemas {
		if s.Target() != s {
			continue // whoever points here is counted at the target
		}
		for _, c := range s.Children() {
			degree[c.Target().ID]++
		}
	}
	for _, s := range p.Schemas {
		s.Shared = degree[s.ID] > 1 && s.HasParts()
	}
}

// Children returns the direct subschemas of a schema, reference targets included, in a fixed order.
func (s *Schema) Children() []*Schema {
	var list []*Schema
	add := func(c *Schema) {
		if c != nil {
			list = append(list, c)
		}
	}
	add(s.Ref)
	list = append(append(append(list, s.AllOf...), s.AnyOf...), s.OneOf...)
	for _, c := range []*Schema{s.Not, s.If, s.Then, s.Else} {
		add(c)
	}
	if a := s.Array; a != nil {
		list = append(list, a.Prefix...)
		add(a.Items)
		if a.Contains != nil {
			add(a.Contains.Schema)
		}
		add(a.Unevaluated)
	}
	if o := s.Object; o != nil {
		for _, p := range o.Properties {
			add(p.Schema)
		}
		for _, p := range o.Patterns {
			add(p.Schema)
		}
		add(o.Additional)
		add(o.Names)
		for _, p := range o.DependentSchemas {
			add(p.Schema)
		}
		add(o.Unevaluated)
	}
	return list
}

// shape is what the walk needs of a schema: subschemas by where they lead, references elided, leaves
// left out. A schema has two shapes: number ID is all of it, number ID + len(Schemas) only its own rules
// about members and elements, which meet what the schema applies to the same value.
type shape struct {
	admits TypeSet
	same   []int // on the value itself
	// group numbers the entries of same: entries of one group other than 0 are judged together only if
	// together says so, all others always.
	group    []int
	groups   int
	together [][2]int

	prefix   []int // noShape for leaves
	rest     int
	contains int

	named      map[string]int
	declared   map[string]bool // all names of properties, leaves included
	patterns   []int
	additional int
	names      int

	// Rules for what nothing else has evaluated. What has is not known here: they are taken to meet whatever else may
	// judge a member or an element.
	leftMembers, leftElements int
}

// noShape stands for an absent subschema and for a leaf.
const noShape = -1

type pairWalk struct {
	prog      *Program
	shapes    []*shape
	seen      map[[2]int]bool
	queue     [][2]int
	exhausted bool
}

// leadsTo returns the shape that judges for s, noShape when s is absent or has no subschemas.
func leadsTo(s *Schema) int {
	if s == nil {
		return noShape
	}
	if s = s.Target(); !s.HasParts() {
		return noShape
	}
	return s.ID
}

// HasParts reports whether the schema has subschemas.
func (s *Schema) HasParts() bool {
	if s.Ref != nil || s.AllOf != nil || s.AnyOf != nil || s.OneOf != nil || s.Not != nil || s.If != nil {
		return true
	}
	if a := s.Array; a != nil && (a.Prefix != nil || a.Items != nil || a.Contains != nil || a.Unevaluated != nil) {
		return true
	}
	o := s.Object
	return o != nil && (o.Properties != nil || o.Patterns != nil || o.Additional != nil || o.Names != nil ||
		o.DependentSchemas != nil || o.Unevaluated != nil)
}

// describe makes both shapes of a schema.
func (w *pairWalk) describe(s *Schema) {
	own := &shape{rest: noShape, contains: noShape, additional: noShape, names: noShape, leftMembers: noShape, leftElements: noShape}
	if a := s.Array; a != nil {
		own.admits |= s.Admits & TypeArray
		for _, p := range a.Prefix {
			own.prefix = append(own.prefix, leadsTo(p))
		}
		own.rest = leadsTo(a.Items)
		if a.Contains != nil {
			own.contains = leadsTo(a.Contains.Schema)
		}
		own.leftElements = leadsTo(a.Unevaluated)
	}
	if o := s.Object; o != nil {
		own.admits |= s.Admits & TypeObject
		own.named = make(map[string]int)
		own.declared = make(map[string]bool, len(o.Properties))
		for _, p := range o.Properties {
			own.declared[p.Name] = true
			if c := leadsTo(p.Schema); c != noShape {
				own.named[p.Name] = c
			}
		}
		for _, p := range o.Patterns {
			if c := leadsTo(p.Schema); c != noShape {
				own.patterns = append(own.patterns, c)
			}
		}
		own.additional = leadsTo(o.Additional)
		own.names = leadsTo(o.Names)
		own.leftMembers = leadsTo(o.Unevaluated)
	}
	all := *own
	all.admits = s.Admits
	all.inPlace(s)
	w.shapes[s.ID], w.shapes[s.ID+len(w.prog.Schemas)] = &all, own
}

// inPlace fills same and apart, seeing the schema as a back end judges it: with decisions instead of
// the conditions they replace.
func (sh *shape) inPlace(s *Schema) {
	replaced, own := s.Decided()
	sh.add(s.Ref)
	for i, a := range s.AllOf {
		if !replaced[i] {
			sh.add(a)
		}
	}
	sh.add(s.Not)
	if !own {
		sh.add(s.If)
		sh.add(s.Then)
		sh.add(s.Else)
	}
	if s.Object != nil {
		for _, p := range s.Object.DependentSchemas {
			sh.add(p.Schema)
		}
	}
	sh.alternatives(s.AnyOf, s.AnyBy)
	sh.alternatives(s.OneOf, s.OneBy)
	for _, d := range s.Decisions {
		sh.alternatives(d.Rules, &d.Dispatch)
	}
}

// Decided tells what the schema's decisions replace: elements of AllOf by index, and its own if.
func (s *Schema) Decided() (arms map[int]bool, own bool) {
	for _, d := range s.Decisions {
		own = own || d.Own
		for _, arm := range d.Arms {
			if arms == nil {
				arms = make(map[int]bool)
			}
			arms[arm] = true
		}
	}
	return arms, own
}

// add appends an entry of group 0.
func (sh *shape) add(s *Schema) int {
	c := leadsTo(s)
	if c != noShape {
		sh.same = append(sh.same, c)
		sh.group = append(sh.group, 0)
	}
	return c
}

// alternatives adds schemas of which only those that share a case of d are judged together.
func (sh *shape) alternatives(list []*Schema, d *Dispatch) {
	from := len(sh.same)
	shapes := make([]int, len(list))
	for i, s := range list {
		shapes[i] = sh.add(s)
	}
	if d == nil {
		return
	}
	cases := append([][]int{d.Other, d.Absent, d.NotObject}, d.Cases...)
	work := 0
	for _, c := range cases {
		work += len(c) * len(c)
	}
	if work > maxPairs {
		return // group 0: always together
	}
	sh.groups++
	for i := from; i < len(sh.same); i++ {
		sh.group[i] = sh.groups
	}
	for _, c := range cases {
		for x, i := range c {
			for _, j := range c[:x] {
				sh.together = append(sh.together, [2]int{shapes[i], shapes[j]})
			}
		}
	}
}

// begin makes the pairs that part inside one schema.
func (w *pairWalk) begin(s *Schema) {
	sh := w.shapes[s.ID]
	for i, a := range sh.same {
		w.pair(s.ID+len(w.prog.Schemas), a)
		for j, b := range sh.same[:i] {
			if sh.group[i] == 0 || sh.group[i] != sh.group[j] {
				w.pair(a, b)
			}
		}
		if w.exhausted {
			return
		}
	}
	for _, p := range sh.together {
		w.pair(p[0], p[1])
	}
	for _, p := range sh.prefix {
		w.pair(p, sh.contains)
	}
	w.pair(sh.rest, sh.contains)
	w.pair(sh.leftElements, sh.contains)
	for i, p := range sh.patterns {
		w.pair(p, sh.leftMembers) // when nobody knows whether the pattern matches
		for _, n := range sh.named {
			w.pair(p, n)
		}
		for _, o := range sh.patterns[:i] {
			w.pair(p, o)
		}
	}
}

// pair notes that some value may be judged against both.
func (w *pairWalk) pair(a, b int) {
	if a == noShape || b == noShape || w.exhausted || w.shapes[a].admits&w.shapes[b].admits == 0 {
		return
	}
	if n := len(w.prog.Schemas); a%n == b%n {
		w.prog.Schemas[a%n].Shared = true
		return
	}
	key := [2]int{min(a, b), max(a, b)}
	if w.seen[key] {
		return
	}
	if len(w.seen) == maxPairs {
		w.exhausted = true
		return
	}
	w.seen[key] = true
	w.queue = append(w.queue, key)
}

// follow makes the pairs that follow from one.
func (w *pairWalk) follow(x, y int) {
	a, b := w.shapes[x], w.shapes[y]
	for _, c := range a.same {
		w.pair(c, y)
	}
	for _, c := range b.same {
		w.pair(x, c)
	}
	w.elements(a, b)
	w.membersOf(a, b)
	w.membersOf(b, a)
	w.leftOf(a, b)
	w.leftOf(b, a)
	w.pair(a.names, b.names)
	w.pair(a.additional, b.additional)
	for _, p := range a.patterns {
		for _, o := range b.patterns {
			w.pair(p, o)
		}
	}
}

func (w *pairWalk) elements(a, b *shape) {
	for i := range max(len(a.prefix), len(b.prefix)) {
		w.pair(a.element(i), b.element(i))
	}
	w.pair(a.rest, b.rest)
	w.pair(a.contains, b.contains)
	for _, side := range [2][2]*shape{{a, b}, {b, a}} {
		w.pair(side[0].rest, side[1].contains)
		for _, p := range side[0].prefix {
			w.pair(p, side[1].contains)
		}
	}
}

func (sh *shape) element(i int) int {
	if i < len(sh.prefix) {
		return sh.prefix[i]
	}
	return sh.rest
}

// membersOf pairs a's named members and patterns with what b says about the same members.
func (w *pairWalk) membersOf(a, b *shape) {
	for name, c := range a.named {
		if d, ok := b.named[name]; ok {
			w.pair(c, d)
		}
		for _, p := range b.patterns {
			w.pair(c, p)
		}
		if !b.declared[name] {
			w.pair(c, b.additional)
		}
	}
	for _, p := range a.patterns {
		w.pair(p, b.additional)
	}
}

// leftOf pairs a's rules for the unevaluated with all that b says about members and elements.
func (w *pairWalk) leftOf(a, b *shape) {
	if a.leftElements != noShape {
		for _, p := range append(slices.Clip(b.prefix), b.rest, b.contains, b.leftElements) {
			w.pair(a.leftElements, p)
		}
	}
	if a.leftMembers != noShape {
		for _, c := range b.named {
			w.pair(a.leftMembers, c)
		}
		for _, p := range append(slices.Clip(b.patterns), b.additional, b.leftMembers) {
			w.pair(a.leftMembers, p)
		}
	}
}
