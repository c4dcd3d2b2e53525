package sample

import (
	"slices"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
)

// atom is one rule of a schema that a document can break by itself: a keyword, or one name in `required`, or
// one member that must not be there. For a condition there is another atom, of which documents are valid: what
// the condition demands is not met, and need not be.
type atom struct {
	node    *load.Node
	keyword string
	name    string // of a required or a forbidden member
	valid   bool
	lifted  *load.Node // the schema without the rule
}

// atoms lists the rules of all schemas that the root reaches, in the order in which they are met. Keywords
// that lead into a value are not among them: what they lead to says more exactly what is to be broken.
func (d *documents) atoms(root *load.Node) []atom {
	var out []atom
	for _, n := range d.reached(root) {
		for _, m := range n.Members {
			switch m.Name {
			case "required":
				for _, e := range m.Value.Elems {
					out = append(out, atom{node: n, keyword: m.Name, name: e.Str})
				}
			case "properties":
				for _, p := range m.Value.Members {
					if d.never(p.Value, 8) {
						out = append(out, atom{node: n, keyword: m.Name, name: p.Name})
					}
				}
			case "items":
				if m.Value.Kind == wire.KindFalse {
					out = append(out, atom{node: n, keyword: m.Name})
				}
			case "if":
				out = append(out, atom{node: n, keyword: m.Name}, atom{node: n, keyword: m.Name, valid: true})
			default:
				if breakable[m.Name] {
					out = append(out, atom{node: n, keyword: m.Name})
				}
			}
		}
	}
	return out
}

var breakable = map[string]bool{
	"type": true, "const": true, "enum": true, "minimum": true, "maximum": true, "exclusiveMinimum": true, "exclusiveMaximum": true, "multipleOf": true,
	"minLength": true, "maxLength": true, "pattern": true, "format": true, "minItems": true, "maxItems": true, "uniqueItems": true,
	"contains": true, "minContains": true, "maxContains": true, "minProperties": true, "maxProperties": true, "propertyNames": true, "additionalProperties": true,
	"$ref": true, "$dynamicRef": true, "unevaluatedProperties": true, "dependentRequired": true, "dependentSchemas": true, "anyOf": true, "oneOf": true, "not": true,
}

// never reports whether a schema is one that nothing fits, as far as that is plain to see.
func (d *documents) never(n *load.Node, depth int) bool {
	if n.Kind == wire.KindFalse || depth == 0 {
		return n.Kind == wire.KindFalse
	}
	if to := d.targets[n.Get("$ref")]; to != nil {
		return d.never(to, depth-1)
	}
	not := n.Get("not")
	return not != nil && (not.Kind == wire.KindTrue || not.Kind == wire.KindObject && len(not.Members) == 0)
}

// lift returns the schema of an atom without the rule.
func (a *atom) lift() *load.Node {
	if a.valid {
		return a.node
	}
	out := &load.Node{Kind: wire.KindObject}
	for _, m := range a.node.Members {
		switch {
		case m.Name != a.keyword:
		case a.keyword == "required":
			m.Value = list(slices.DeleteFunc(slices.Clone(m.Value.Elems), func(e *load.Node) bool { return e.Str == a.name })...)
		case a.keyword == "properties":
			p := object(slices.Clone(m.Value.Members)...)
			for i := range p.Members {
				if p.Members[i].Name == a.name {
					p.Members[i].Value = boolean(true)
				}
			}
			m.Value = p
		default:
			continue
		}
		out.Members = append(out.Members, m)
	}
	return out
}

// ways lists how to break the rule.
func (a *atom) ways(b *builder, sc *scope) []way {
	objects := way{}.and(func(_ *builder, s *shape) { s.restrict(kObject) })
	if a.valid {
		var out []way
		for _, branch := range []string{"then", "else"} {
			if k := a.node.Get(branch); k != nil {
				out = append(out, way{}.fit(part{node: a.node.Get("if"), scope: sc, not: branch == "then"}).fit(part{node: k, scope: sc, not: true}))
			}
		}
		return out
	}
	switch a.keyword {
	case "required":
		return []way{objects.and(func(_ *builder, s *shape) { s.forbid(a.name) })}
	case "properties":
		return []way{objects.and(func(_ *builder, s *shape) { s.require(a.name) })}
	}
	return b.breaks(a.node, sc, a.keyword, a.node.Get(a.keyword))
}

// beside makes a document that breaks the rule while everything else is as it must be: it builds a document by
// the schema with the rule turned round, steered so that some value meets it. Where that does not work out,
// since the rule is met by several values or by itself, it breaks the rule in one value of a valid document.
func (b *builder) beside(a atom) (*load.Node, bool) {
	a.lifted = a.lift()
	b.goal = b.docs.distances(a.node)
	whole := []part{{node: b.root, scope: b.docs.enter(nil, b.root)}}
	for range 2 {
		b.broken, b.tight = &a, true
		b.start(less)
		root, ok := b.build(whole, 0, nil)
		b.broken, b.tight = nil, false
		if ok && b.allows(whole, root) == a.valid && (!a.valid || len(b.about(root, a)) > 0) {
			return root, true
		}
	}
	for range 2 {
		root, ok := b.document()
		if !ok {
			return nil, false
		}
		about := b.about(root, a)
		if len(about) == 0 {
			continue
		}
		v := pick(b.rng, about...)
		if other, ok := b.breaking(b.origins[v], a); ok {
			*v = *other
			return root, true
		}
	}
	return nil, false
}

// about lists the values that the schema of an atom applies to.
func (b *builder) about(root *load.Node, a atom) []*load.Node {
	var out []*load.Node
	each(root, func(v *load.Node) {
		if o := b.origins[v]; o != nil && o.shape.merged[part{node: a.node}] {
			out = append(out, v)
		}
	})
	return out
}

// distances returns how many steps it takes from a schema to the one at the end, along references and
// subschemas, for every schema from which it can be reached.
func (d *documents) distances(end *load.Node) map[*load.Node]int {
	out := map[*load.Node]int{end: 0}
	for todo := []*load.Node{end}; len(todo) > 0; todo = todo[1:] {
		for _, from := range d.from[todo[0]] {
			if _, done := out[from]; !done {
				out[from] = out[todo[0]] + 1
				todo = append(todo, from)
			}
		}
	}
	return out
}

// far is the distance of a schema that leads nowhere near.
const far = 1 << 20

// distance returns the least distance of some schemas to the goal.
func (b *builder) remote(nodes ...*load.Node) int {
	least := far
	for _, n := range nodes {
		if d, ok := b.goal[n]; ok {
			least = min(least, d)
		}
	}
	return least
}

// remoteFrom returns the least distance of the schemas of a shape to the goal.
func (b *builder) remoteFrom(s *shape) int {
	least := far
	for p := range s.merged {
		if !p.not {
			least = min(least, b.remote(p.node))
		}
	}
	return least
}

// arrived reports whether the goal is one of the schemas of a shape.
func (b *builder) arrived(s *shape) bool { return b.remoteFrom(s) == 0 }

// onTheWay reports whether parts are nearer to the goal than the shape that they belong to.
func (b *builder) onTheWay(s *shape, parts ...part) bool {
	if b.goal == nil {
		return false
	}
	here, there := b.remoteFrom(s), far
	for _, p := range parts {
		if !p.not {
			there = min(there, b.remote(p.node))
		}
	}
	return there < here
}

// breaking makes a value in place of one, which breaks the rule and otherwise fits all parts.
func (b *builder) breaking(o *origin, a atom) (*load.Node, bool) {
	b.start(less)
	b.broken, b.tight = &a, true
	v, ok := b.build(o.parts, o.depth, nil)
	b.broken, b.tight = nil, false
	return v, ok && b.allows(o.parts, v) == a.valid
}

// each calls f for v and every value in it.
func each(v *load.Node, f func(v *load.Node)) {
	f(v)
	for _, m := range v.Members {
		each(m.Value, f)
	}
	for _, e := range v.Elems {
		each(e, f)
	}
}
