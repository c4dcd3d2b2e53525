package golang

import (
	"slices"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// finish decides what could not be decided while shapes still led back to unfinished ones: what
// alternatives have in common, which members are constants, where recursion needs a name or a pointer.
func (p *planner) finish(m *model) {
	for _, s := range reachable(m.roots) {
		p.settle(s)
	}
	for _, s := range reachable(m.roots) {
		for _, f := range s.members {
			if f.required {
				f.fixed = p.fixed(f.shape)
			}
		}
	}
	for _, s := range reachable(m.roots) {
		nameCycle(s)
	}
	for _, s := range reachable(m.roots) {
		p.nameArms(s)
	}
	for i, s := range m.roots {
		if !s.to().kind.named() {
			m.roots[i] = p.wrapped(s)
		}
	}
	all := reachable(m.roots)
	breakCycles(all)
	boundSizes(all)
	findCycles(all)
	for _, s := range all {
		if s.kind.named() {
			m.named = append(m.named, s)
		}
		if s.whole != nil && s.untyped() {
			p.report(CodeConstants, s.whole, "the value is one of listed objects or lists, of which Go has no constants; the Go type is raw JSON", "name the choices by strings, as in \"enum\": [\"small\", \"large\"]")
		}
		if s.kind == openShape {
			p.report(CodeRaw, s.about, s.why+"; the Go type is raw JSON with accessors", hintFor(s))
		}
	}
}

// untyped reports whether Go says nothing about what is inside a value.
func (s *shape) untyped() bool {
	if s.kind == listShape || s.kind == entriesShape {
		s = s.elem.to()
	}
	return s.kind == rawShape
}

func hintFor(s *shape) string {
	if s.via != nil {
		return "give each arm a required member with a constant of its own"
	}
	return `say which types are meant, as in "type": "object"`
}

// reachable returns all shapes below the roots, forwards resolved, in the order of a walk.
func reachable(roots []*shape) []*shape {
	var list []*shape
	seen := map[*shape]bool{}
	queue := slices.Clone(roots)
	for len(queue) > 0 {
		s := queue[0].to()
		queue = queue[1:]
		if seen[s] {
			continue
		}
		seen[s] = true
		list = append(list, s)
		queue = append(queue, s.children()...)
	}
	return list
}

// settle decides about alternatives, and about what hides in open types.
func (p *planner) settle(s *shape) {
	s = s.to()
	if s.settled != unsettled {
		return
	}
	s.settled = settlingNow
	defer func() { s.settled = settledShape }()
	switch s.kind {
	case alternativesShape:
		alike := true
		for _, a := range s.arms[1:] {
			alike = alike && p.same(s.arms[0].shape, a.shape, nil)
		}
		switch {
		case alike:
			s.kind, s.elem, s.arms = forwardShape, s.arms[0].shape, nil
		case s.orAny:
			s.kind, s.arms = rawShape, nil
		default:
			s.kind = openShape
		}
	case openShape:
		// Any JSON of which objects are one of several: its accessors are those of the objects.
		if len(s.arms) == 1 {
			p.settle(s.arms[0].shape)
			if t := s.arms[0].shape.to(); t.kind == openShape {
				s.arms, s.why, s.via = t.arms, t.why, t.via
			}
		}
	}
}

// same reports whether two shapes are the same Go type, and are read and written alike. Named shapes are
// the same only if they are one; pairs are taken to be the same while they are compared.
func (p *planner) same(a, b *shape, pairs [][2]*shape) bool {
	p.settle(a)
	p.settle(b)
	a, b = a.to(), b.to()
	if a == b || slices.Contains(pairs, [2]*shape{a, b}) {
		return true
	}
	if a.kind != b.kind || a.kind.named() || a.kind == alternativesShape {
		return false
	}
	if a.elem == nil {
		return true
	}
	return p.same(a.elem, b.elem, append(pairs, [2]*shape{a, b}))
}

// fixed returns the JSON text of the only value of a shape, nil when there are several. An object is
// constant when all its members are, and there can be no others.
func (p *planner) fixed(s *shape) []byte {
	for ; s.kind == forwardShape && s.elem != nil; s = s.elem {
		if s.raw != nil {
			return s.raw
		}
	}
	if s.raw != nil || s.kind != structShape || s.extra != nil || p.various[s] {
		return s.raw
	}
	p.various[s] = true // until the opposite is shown; a member that requires itself has no value at all
	text := []byte{'{'}
	for i, m := range s.members {
		value := []byte(nil)
		if m.required {
			value = p.fixed(m.shape)
		}
		if value == nil {
			return nil
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(wire.AppendQuoted(text, m.json), ':'), value...)
	}
	text = append(text, '}')
	s.raw = text
	return text
}

// nameCycle gives a name to a list or a map that contains itself without any other name in between, as in
// type Tree []Tree. Which one of a cycle is met first must not matter, so all of them get names.
func nameCycle(s *shape) {
	if s.kind != listShape && s.kind != entriesShape {
		return
	}
	seen := map[*shape]bool{}
	for t := s.elem.to(); ; t = t.elem.to() {
		if t == s {
			inner := *s
			*s = shape{kind: wrapShape, elem: &inner, about: s.about, admits: s.admits, judged: s.judged, parts: s.parts}
			return
		}
		if seen[t] || t.kind != listShape && t.kind != entriesShape && t.kind != nullableShape {
			return
		}
		seen[t] = true
	}
}

// nameArms gives a type of its own to every alternative of a union or an open type: Go tells alternatives
// apart by their types, and accessors return what can be decoded by itself.
func (p *planner) nameArms(s *shape) {
	for _, a := range s.arms {
		if !a.shape.to().kind.named() {
			a.shape = p.wrapped(a.shape)
		}
	}
}

// wrapped returns a named shape around an unnamed one.
func (p *planner) wrapped(s *shape) *shape {
	s = s.to()
	return &shape{kind: wrapShape, elem: s, about: s.about, admits: s.admits, judged: s.judged, parts: s.parts, settled: settledShape}
}

// byValue returns the named shape that a Go value of s holds inside itself, nil when there is none or it is
// behind a pointer anyhow.
func byValue(s *shape) *shape {
	for {
		switch s = s.to(); s.kind {
		case nullableShape:
			s = s.elem
		case wrapShape:
			if inner := s.elem.to(); inner.kind == nullableShape {
				return s
			}
			return nil
		case structShape, tupleShape:
			return s
		default:
			return nil
		}
	}
}

// breakCycles puts a pointer wherever a struct would hold itself: on every edge inside a strongly
// connected component of the graph "holds by value", so that the order of members does not matter.
func breakCycles(all []*shape) {
	component := components(all, held)
	inside := func(from, to *shape) bool {
		to = byValue(to)
		return to != nil && component[from] == component[to]
	}
	for _, s := range all {
		for _, m := range s.members {
			m.pointer = m.fixed == nil && inside(s, m.shape)
		}
		for _, i := range s.items {
			i.pointer = inside(s, i.shape)
		}
	}
}

// maxInside is up to how many bytes of another struct a struct holds for one member.
const maxInside = 2048

// boundSizes puts a pointer wherever a member would be bigger. Without it, definitions that refer to the
// next one ten times each make a type that grows by ten with every level.
func boundSizes(all []*shape) {
	sizes := map[*shape]int{}
	var sizeOf func(s *shape) int
	part := func(s *shape, required bool, pointer *bool) int {
		size := 8
		if !*pointer {
			size = sizeOf(s)
			if *pointer = size > maxInside && byValue(s) != nil; *pointer {
				size = 8
			}
		}
		if !required && (!*pointer || s.to().kind == nullableShape) {
			size += 8 // wire.Opt
		}
		return size
	}
	sizeOf = func(s *shape) int {
		switch s = s.to(); s.kind {
		case nullShape:
			return 0
		case boolShape, int64Shape:
			return 8
		case stringShape, intShape, numberShape, refShape, enumShape, literalShape, unionShape:
			return 16
		case nullableShape:
			return sizeOf(s.elem) + 8
		case wrapShape:
			return sizeOf(s.elem)
		case tupleShape, structShape:
			size, known := sizes[s]
			if !known {
				size = 24 // Extra or Rest
				for _, m := range s.members {
					if m.fixed == nil {
						size += part(m.shape, m.required, &m.pointer)
					}
				}
				for _, i := range s.items {
					size += part(i.shape, i.required, &i.pointer)
				}
				sizes[s] = size
			}
			return size
		}
		return 24 // a slice
	}
	for _, s := range all {
		sizeOf(s)
	}
}

// components numbers the strongly connected components of a graph, by Tarjan's algorithm.
func components(all []*shape, next func(s *shape) []*shape) map[*shape]int {
	var (
		order, low, component = map[*shape]int{}, map[*shape]int{}, map[*shape]int{}
		stack                 []*shape
		visit                 func(s *shape)
	)
	visit = func(s *shape) {
		order[s] = len(order) + 1
		low[s] = order[s]
		stack = append(stack, s)
		for _, c := range next(s) {
			switch {
			case order[c] == 0:
				visit(c)
				low[s] = min(low[s], low[c])
			case component[c] == 0:
				low[s] = min(low[s], order[c])
			}
		}
		if low[s] != order[s] {
			return
		}
		for {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			component[top] = order[s]
			if top == s {
				return
			}
		}
	}
	for _, s := range all {
		if order[s] == 0 {
			visit(s)
		}
	}
	return component
}

// held returns the named shapes that s holds by value.
func held(s *shape) []*shape {
	var list []*shape
	add := func(c *shape) {
		if v := byValue(c); v != nil {
			list = append(list, v)
		}
	}
	for _, m := range s.members {
		if m.fixed == nil {
			add(m.shape)
		}
	}
	for _, i := range s.items {
		add(i.shape)
	}
	if s.kind == wrapShape && s.elem.to().kind == nullableShape {
		add(s.elem)
	}
	return list
}

// admitted returns the types that all of the schemas admit.
func admitted(list []*ir.Schema) ir.TypeSet {
	types := allTypes
	for _, s := range list {
		types &= s.Admits
	}
	return types
}
