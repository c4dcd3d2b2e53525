package live

import (
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// unevaluatedProperties and unevaluatedItems ask which members and elements other rules on the same value have
// evaluated (2020-12 core §11). A verdict does not tell, and a memo of verdicts need not: when everything else in
// the schema has been judged, a second walk over the schemas that apply to the value gathers what they
// evaluate. It enters an arm of a union, or a branch of a condition, where that holds, and asks its unit,
// which remembers (ir marks such arms as shared). Under `not` nothing is gathered.
//
// So a schema without these keywords pays nothing for them, and one with them pays one more look at the
// members for each schema that applies to the object.
//
// The walk takes for granted that the schema holds apart from the keyword itself. If it does not, the verdict is
// Invalid anyway. An arm whose verdict is Undecided evaluates its members perhaps; the rule for what is left
// then counts only if it holds.

// evaluated is how sure it is that a member or an element has been evaluated.
type evaluated uint8

const (
	unseen evaluated = iota
	perhaps
	surely
)

// unevaluated is the compiled rule for what nothing else has evaluated.
type unevaluated struct {
	set    *Set
	schema *ir.Schema // in which the keyword stands
	rest   *unit
	kind   wire.Kind
}

func (c *compiler) unevaluated(s *ir.Schema, rest *ir.Schema, kind wire.Kind) check {
	if rest == nil || rest.Trivial() {
		return nil
	}
	u := &unevaluated{c.set, s, c.unit(rest), kind}
	return u.judge
}

func (u *unevaluated) judge(r *run, n int) wire.Verdict {
	if r.nodes[n].Kind != u.kind || r.nodes[n].Count == 0 {
		return wire.Valid
	}
	base := u.set.gather(r, u.schema, n, false)
	v := wire.Valid
	i := base
	for c := r.firstPart(n); c < int(r.nodes[n].Next); c = r.nextPart(n, c) {
		// Judging may move the marks, so they are looked up by their base.
		if mark := evaluated(r.marks[i]); mark != surely {
			w := u.rest.judge(r, c)
			if mark == perhaps {
				w = either(wire.Valid, w)
			}
			if v = min(v, w); v == wire.Invalid {
				break
			}
		}
		i++
	}
	r.marks = r.marks[:base]
	return v
}

// firstPart returns the first element of an array, or the value of the first member of an object.
func (r *run) firstPart(n int) int {
	if r.nodes[n].Kind == wire.KindObject {
		return n + 2
	}
	return r.t.FirstChild(n)
}

// nextPart returns the element or value after c; from the end of n on there is none.
func (r *run) nextPart(n, c int) int {
	next := int(r.nodes[c].Next)
	if r.nodes[n].Kind == wire.KindObject {
		next++ // the name
	}
	return next
}

// gathering is one walk that gathers.
type gathering struct {
	set  *Set
	r    *run
	root *ir.Schema
	n    int
	base int // of the marks of n's parts in r.marks
	left int // parts that are not surely evaluated
	// lenient is for walks that explain: a union none of whose arms holds has perhaps evaluated what its
	// arms speak of. That it does not hold is told anyway.
	lenient bool
}

// gather pushes a mark for every member or element of n, and returns where they begin.
func (s *Set) gather(r *run, schema *ir.Schema, n int, lenient bool) int {
	g := gathering{set: s, r: r, root: schema, n: n, base: len(r.marks), left: int(r.nodes[n].Count), lenient: lenient}
	for range g.left {
		r.marks = append(r.marks, byte(unseen))
	}
	if len(r.gathered) < len(s.prog.Schemas) {
		r.gathered = make([]uint64, len(s.prog.Schemas))
	}
	r.generation += 4
	g.schema(schema, r.generation, surely)
	return g.base
}

// schema gathers what s evaluates, which holds as surely as the walk is here. A schema that is met
// twice on the way is walked once.
func (g *gathering) schema(s *ir.Schema, generation uint64, as evaluated) {
	if s == nil || g.left == 0 {
		return
	}
	s = s.Target()
	if g.r.gathered[s.ID] >= generation+uint64(as) && g.r.gathered[s.ID] < generation+4 {
		return
	}
	g.r.gathered[s.ID] = generation + uint64(as)
	g.r.visits++
	if g.r.depth == maxOpen {
		g.r.limit = errcode.LimitDepth
	}
	if g.r.exhausted() {
		g.all(perhaps) // nobody knows any more
		return
	}
	g.r.depth++
	g.own(s, as)
	g.schema(s.Ref, generation, as)
	for _, a := range s.AllOf {
		g.schema(a, generation, as)
	}
	parts := &g.set.parts[s.ID]
	g.union(s.AnyOf, s.AnyBy, parts.anyBy, generation, as)
	g.union(s.OneOf, s.OneBy, parts.oneBy, generation, as)
	if s.If != nil {
		g.condition(s, generation, as)
	}
	if s.Object != nil && g.r.nodes[g.n].Kind == wire.KindObject {
		for _, d := range s.Object.DependentSchemas {
			if _, ok := g.r.t.Find(g.n, d.Name); ok {
				g.schema(d.Schema, generation, as)
			}
		}
	}
	g.r.depth--
}

func (g *gathering) judge(s *ir.Schema) wire.Verdict { return g.set.units[s.ID].judge(g.r, g.n) }

// union enters the arms that hold.
func (g *gathering) union(arms []*ir.Schema, by *ir.Dispatch, compiled *dispatcher, generation uint64, as evaluated) {
	if g.left == 0 {
		return
	}
	var chosen []int
	count := len(arms)
	if by != nil {
		chosen, _ = g.r.selected(by, compiled, g.n)
		count = len(chosen)
	}
	arm := func(i int) *ir.Schema {
		if by != nil {
			return arms[chosen[i]]
		}
		return arms[i]
	}
	none := true
	for i := 0; i < count && g.left > 0; i++ {
		a := arm(i)
		switch g.judge(a) {
		case wire.Valid:
			none = false
			g.schema(a, generation, as)
		case wire.Undecided:
			none = false
			g.schema(a, generation, perhaps)
		}
	}
	if none && g.lenient {
		for i := range count {
			g.schema(arm(i), generation, perhaps)
		}
	}
}

func (g *gathering) condition(s *ir.Schema, generation uint64, as evaluated) {
	if g.left == 0 {
		return
	}
	switch g.judge(s.If) {
	case wire.Valid:
		g.schema(s.If, generation, as)
		g.schema(s.Then, generation, as)
	case wire.Invalid:
		g.schema(s.Else, generation, as)
	default:
		for _, branch := range []*ir.Schema{s.If, s.Then, s.Else} {
			g.schema(branch, generation, perhaps)
		}
	}
}

// own marks what the rules of s itself evaluate.
func (g *gathering) own(s *ir.Schema, as evaluated) {
	switch g.r.nodes[g.n].Kind {
	case wire.KindObject:
		if o := s.Object; o != nil {
			if o.Additional != nil || o.Unevaluated != nil && s != g.root {
				g.all(as)
			} else if o.Properties != nil || o.Patterns != nil {
				g.members(g.set.parts[s.ID].object, as)
			}
		}
	case wire.KindArray:
		if a := s.Array; a != nil {
			if a.Items != nil || a.Unevaluated != nil && s != g.root {
				g.all(as)
			} else if a.Prefix != nil || a.Contains != nil {
				g.elements(a, as)
			}
		}
	}
}

func (g *gathering) members(o *object, as evaluated) {
	r := g.r
	r.visits += int(r.nodes[g.n].Count)
	next := 0
	for c, i := r.firstPart(g.n), 0; c < int(r.nodes[g.n].Next); c, i = r.nextPart(g.n, c), i+1 {
		at := o.names.find(r, c-1, next)
		if at >= 0 {
			next = at + 1
			if o.members[at].declared {
				g.mark(i, as)
				continue
			}
		}
		for _, p := range o.patterns {
			switch r.match(p.match, r.string(c-1)) {
			case wire.Valid:
				g.mark(i, as)
			case wire.Undecided:
				g.mark(i, perhaps)
			}
		}
	}
}

func (g *gathering) elements(a *ir.ArrayRules, as evaluated) {
	r := g.r
	r.visits += int(r.nodes[g.n].Count)
	for i := range min(len(a.Prefix), int(r.nodes[g.n].Count)) {
		g.mark(i, as)
	}
	if a.Contains == nil || !a.Contains.Evaluates {
		return
	}
	u := g.set.units[a.Contains.Schema.ID]
	for c, i := r.firstPart(g.n), 0; c < int(r.nodes[g.n].Next); c, i = r.nextPart(g.n, c), i+1 {
		switch u.judge(r, c) {
		case wire.Valid:
			g.mark(i, as)
		case wire.Undecided:
			g.mark(i, perhaps)
		}
	}
}

func (g *gathering) mark(i int, as evaluated) {
	m := &g.r.marks[g.base+i]
	if evaluated(*m) < as {
		*m = byte(as)
		if as == surely {
			g.left--
		}
	}
}

func (g *gathering) all(as evaluated) {
	for i := range int(g.r.nodes[g.n].Count) {
		g.mark(i, as)
	}
}
