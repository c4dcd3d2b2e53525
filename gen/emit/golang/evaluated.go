package golang

import (
	"slices"
	"strconv"
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// What schemas evaluate. unevaluatedProperties and unevaluatedItems concern the members and elements that nothing
// else on the same value has evaluated, and most of that is known at emission: the names of properties, the
// length of a prefix, that everything is. This file finds it out; unevaluated.go writes the code.
//
// A schema always evaluates what it and what it conjoins ($ref, allOf) name. Arms, branches and dependent schemas
// evaluate something where they hold. So there is a [reach] for a schema with all that it conjoins, and it lists
// the schemas that have to be asked for the rest, each of which has a reach of its own. What evaluates nothing
// of the kind at hand is left out: nobody has to ask whether it holds.

// reach is what a schema evaluates of values of one kind, object or array.
type reach struct {
	kind wire.Kinds
	all  bool // everything, and nothing below matters

	names    []string
	patterns []ir.PatternProperty
	prefix   int          // elements
	contains []*ir.Schema // the schemas that hold one

	conjoined  []*ir.Schema  // schemas that hold as well and are asked by functions of their own
	unions     []unionReach  // of which some arm evaluates something
	conditions []*ir.Schema  // the schemas that hold one
	dependent  []ir.Property // schemas that count when a member is there

	named map[string]bool // of names
}

// unionReach is a union with the schema that holds it.
type unionReach struct {
	unionOf
	holder *ir.Schema
}

// plain reports whether what is evaluated is known by name or position, for every document.
func (r *reach) plain() bool {
	return r.all || len(r.patterns) == 0 && len(r.contains) == 0 && r.settled()
}

// settled reports whether nothing has to be asked for its verdict.
func (r *reach) settled() bool {
	return len(r.conjoined)+len(r.unions)+len(r.conditions)+len(r.dependent) == 0
}

// reachOf returns what s evaluates where a schema around it asks.
func (g *judging) reachOf(s *ir.Schema, kind wire.Kinds) *reach {
	s = s.Target()
	key := reachKey{s.ID, kind}
	r, known := g.reaches[key]
	if !known {
		r = g.newReach(s, kind, false)
		g.reaches[key] = r
	}
	return r
}

type reachKey struct {
	id   int
	kind wire.Kinds
}

// newReach finds out what s evaluates. As a root it is the schema whose rule for what is left asks, which does not
// count itself.
func (g *judging) newReach(s *ir.Schema, kind wire.Kinds, root bool) *reach {
	r := &reach{kind: kind}
	if !root {
		switch g.extentOf(s, kind) {
		case nothing:
			return r
		case everything:
			r.all = true
			return r
		}
	}
	f := &reachFinder{judging: g, reach: r, seen: map[int]bool{s.ID: true}, room: maxRepeated}
	f.schema(s, root, true)
	if r.all {
		return &reach{kind: kind, all: true}
	}
	return r
}

// extent is how much a schema may evaluate of the values of a kind that are valid for it.
type extent uint8

const (
	nothing extent = iota + 1
	some
	everything // where the schema holds
)

func (g *judging) extentOf(s *ir.Schema, kind wire.Kinds) extent {
	if s == nil {
		return nothing
	}
	s = s.Target()
	key := reachKey{s.ID, kind}
	e, known := g.extents[key]
	if !known {
		e = g.extent(s, kind)
		g.extents[key] = e
	}
	return e
}

func (g *judging) extent(s *ir.Schema, kind wire.Kinds) extent {
	if kindsOf(s.Admits)&kind == 0 {
		return nothing
	}
	e := nothing
	own := reach{kind: kind}
	if own.rules(s, false); own.all {
		return everything
	}
	if len(own.names)+own.prefix+len(own.patterns)+len(own.contains) > 0 {
		e = some
	}
	for _, c := range append([]*ir.Schema{s.Ref}, s.AllOf...) {
		e = max(e, g.extentOf(c, kind))
	}
	if e != nothing {
		return e
	}
	for _, c := range inPlace(s) {
		if c != s.Not && g.extentOf(c, kind) != nothing {
			return some
		}
	}
	return nothing
}

// maxRepeated is up to how many names of schemas that several others conjoin are written into each of those. It
// bounds what one definition adds to the code; what everybody conjoins is mostly small.
const maxRepeated = 64

// reachFinder walks over what a schema conjoins.
type reachFinder struct {
	*judging
	*reach
	seen map[int]bool
	room int
}

// schema adds what s evaluates. own says that no other reach has s as a part.
func (f *reachFinder) schema(s *ir.Schema, root, own bool) {
	f.rules(s, root)
	for _, u := range unionsOf(s) {
		if slices.ContainsFunc(u.arms, f.asks) {
			f.unions = append(f.unions, unionReach{u, s})
		}
	}
	if s.If != nil && (f.asks(s.If) || f.asks(s.Then) || f.asks(s.Else)) {
		f.conditions = append(f.conditions, s)
	}
	if s.Object != nil && f.kind == wire.AnObject {
		for _, d := range s.Object.DependentSchemas {
			if f.asks(d.Schema) {
				f.dependent = append(f.dependent, d)
			}
		}
	}
	for _, c := range append([]*ir.Schema{s.Ref}, s.AllOf...) {
		if c != nil && !f.all {
			f.conjoin(c.Target(), own)
		}
	}
}

// asks reports whether s has to be asked, because it may evaluate something.
func (f *reachFinder) asks(s *ir.Schema) bool { return f.extentOf(s, f.kind) != nothing }

// conjoin adds a schema that holds as well, here or as one that is asked by itself.
func (f *reachFinder) conjoin(s *ir.Schema, own bool) {
	if f.seen[s.ID] || !f.asks(s) {
		return
	}
	f.seen[s.ID] = true
	if f.extentOf(s, f.kind) == everything {
		f.all = true
		return
	}
	if own && f.users[s.ID] == 1 {
		f.schema(s, false, true)
		return
	}
	r := f.reachOf(s, f.kind)
	size := 1 + len(r.names) + len(r.patterns) + len(r.contains)
	if !r.settled() || size > f.room {
		f.conjoined = append(f.conjoined, s)
		return
	}
	f.room -= size
	f.name(r.names...)
	f.patterns = append(f.patterns, r.patterns...)
	f.prefix = max(f.prefix, r.prefix)
	f.contains = append(f.contains, r.contains...)
}

// rules adds what the schema's own rules evaluate.
func (r *reach) rules(s *ir.Schema, root bool) {
	if o := s.Object; o != nil && r.kind == wire.AnObject {
		r.all = r.all || o.Additional != nil || o.Unevaluated != nil && !root
		for _, p := range o.Properties {
			r.name(p.Name)
		}
		r.patterns = append(r.patterns, o.Patterns...)
	}
	if a := s.Array; a != nil && r.kind == wire.AnArray {
		r.all = r.all || a.Items != nil || a.Unevaluated != nil && !root
		r.prefix = max(r.prefix, len(a.Prefix))
		if a.Contains != nil && a.Contains.Evaluates {
			r.contains = append(r.contains, s)
		}
	}
}

// name adds names, each once.
func (r *reach) name(names ...string) {
	for _, name := range names {
		if !r.named[name] {
			if r.named == nil {
				r.named = map[string]bool{}
			}
			r.named[name] = true
			r.names = append(r.names, name)
		}
	}
}

// leftover returns the schema's rule for the parts of a kind that nothing else has evaluated, nil when there is
// none or everything is valid for it.
func leftover(s *ir.Schema, kind wire.Kinds) *ir.Schema {
	var rest *ir.Schema
	switch {
	case kind == wire.AnObject && s.Object != nil:
		rest = s.Object.Unevaluated
	case kind == wire.AnArray && s.Array != nil:
		rest = s.Array.Unevaluated
	}
	if rest == nil || rest.Trivial() {
		return nil
	}
	return rest
}

// partKinds are the kinds of values that have parts.
var partKinds = []wire.Kinds{wire.AnObject, wire.AnArray}

// countUsers counts, by ID, how many schemas ask each one what it evaluates.
func countUsers(p *ir.Program) []int {
	users := make([]int, len(p.Schemas))
	var queue []*ir.Schema
	for _, s := range p.Schemas {
		if leftover(s, wire.AnObject) != nil || leftover(s, wire.AnArray) != nil {
			users[s.ID]++
			queue = append(queue, s)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		for _, c := range inPlace(s) { // `not` too, under which nothing is evaluated: one more does no harm
			if c = c.Target(); users[c.ID] == 0 {
				queue = append(queue, c)
			}
			users[c.ID]++
		}
	}
	return users
}

// namesCode lists names as Go strings.
func namesCode(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	return strings.Join(quoted, ", ")
}
