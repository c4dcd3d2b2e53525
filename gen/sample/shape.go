package sample

import (
	"maps"
	"math/big"
	"slices"

	"vcp.core/gen/load"
)

// part is a schema that a value must fit, or must not.
type part struct {
	node  *load.Node
	scope *scope
	not   bool
}

// shape is what all parts of a value say together, type by type. Rules about strings do not forbid numbers:
// whoever breaks the rules of one type only loses that type.
type shape struct {
	kinds   kinds        // that are still possible
	allowed kinds        // by the schemas, whatever became impossible
	spoken  kinds        // that some rule speaks about
	limited bool         // by const or enum
	only    []*load.Node // the values that are left, if limited
	except  []*load.Node

	low, high         *big.Rat // nil for no bound
	lowOpen, highOpen bool     // the bound itself is excluded
	step              *big.Rat // of multipleOf, nil for none
	aim               int      // 1 for the number nearest to high, -1 for the one nearest to low, 0 for any
	notSteps          []*big.Rat

	short, long int // length in characters
	patterns    []*pattern
	notPatterns []*pattern
	formats     []string
	notFormats  []string

	few, many  int // elements
	unique     bool
	twice      bool // the first element again: not unique
	lists      []listRule
	contains   []containsRule
	each       []part         // of every element
	elements   map[int][]part // of some
	looseItems []part         // of elements that no rule covers

	least, most  int      // members
	required     []string // in the order of the source
	forbidden    map[string]bool
	objects      []objectRule
	members      map[string][]part // beside what the rules say
	names        []part
	looseMembers []part // of members that no rule covers

	open   []choice
	merged map[part]bool // with no scope
	dead   bool
}

type listRule struct {
	prefix []*load.Node
	rest   *load.Node
	scope  *scope
}

type containsRule struct {
	part
	low, high int // high is -1 for no bound
}

type objectRule struct {
	node  *load.Node
	scope *scope
}

func newShape(except []*load.Node) *shape {
	return &shape{kinds: kAny, allowed: kAny, except: except, long: boundless, many: boundless, most: boundless, merged: map[part]bool{}}
}

// clone copies a shape so that rules can be added to either.
func (s *shape) clone() *shape {
	c := *s
	c.only, c.except = slices.Clip(s.only), slices.Clip(s.except)
	c.notSteps, c.patterns, c.notPatterns = slices.Clip(s.notSteps), slices.Clip(s.patterns), slices.Clip(s.notPatterns)
	c.formats, c.notFormats = slices.Clip(s.formats), slices.Clip(s.notFormats)
	c.lists, c.contains, c.each, c.looseItems = slices.Clip(s.lists), slices.Clip(s.contains), slices.Clip(s.each), slices.Clip(s.looseItems)
	c.required, c.objects, c.names, c.looseMembers = slices.Clip(s.required), slices.Clip(s.objects), slices.Clip(s.names), slices.Clip(s.looseMembers)
	c.open = slices.Clip(s.open)
	c.elements, c.forbidden, c.members, c.merged = maps.Clone(s.elements), maps.Clone(s.forbidden), maps.Clone(s.members), maps.Clone(s.merged)
	return &c
}

// size is how many steps it takes to copy the shape. An entry of a map takes several.
func (s *shape) size() int {
	return 1 + len(s.open) + 8*(len(s.merged)+len(s.members)+len(s.elements)+len(s.forbidden))
}

// restrict leaves only some types.
func (s *shape) restrict(k kinds) {
	s.kinds &= k
	s.allowed &= k
	s.dead = s.dead || s.kinds == 0
}

// add lays a part over the shape.
func (b *builder) add(s *shape, p part) {
	key := part{node: p.node, not: p.not}
	if s.dead || s.merged[key] {
		return
	}
	s.merged[key] = true
	if !b.spend() || !b.pay(1+len(p.node.Members)) {
		s.dead = true
		return
	}
	if p.not {
		b.deny(s, p)
		return
	}
	if always, is := truth(p.node); is {
		s.dead = s.dead || !always
		return
	}
	n, sc := p.node, b.docs.enter(p.scope, p.node)
	if b.broken != nil && b.broken.node == n {
		b.choose(s, choice{ways: b.broken.ways(b, sc)})
		n = b.broken.lifted
	}
	for _, m := range n.Members {
		b.merge(s, n, sc, m.Name, m.Value)
	}
}

func (b *builder) refer(s *shape, n *load.Node, keyword string, sc *scope) {
	if to, at := b.docs.target(n, keyword, sc); to != nil {
		b.add(s, part{node: to, scope: at})
	}
}

// memberParts lists what the shape says about a member. ok is false when that is beyond this package.
func (b *builder) memberParts(s *shape, name string) (parts []part, ok bool) {
	covered := false
	for _, r := range s.objects {
		if !b.pay(looks(r.node)) {
			return nil, false
		}
		rules, decided := memberRules(b.docs, r.node, name)
		if !decided {
			return nil, false
		}
		for _, k := range rules {
			parts, covered = append(parts, part{node: k, scope: r.scope}), true
		}
	}
	if !covered {
		parts = append(parts, s.looseMembers...)
	}
	return append(parts, s.members[name]...), true
}

// elementParts lists what the shape says about an element.
func (s *shape) elementParts(i int) []part {
	var parts []part
	covered := false
	for _, r := range s.lists {
		k := r.rest
		if i < len(r.prefix) {
			k = r.prefix[i]
		}
		if k != nil {
			parts, covered = append(parts, part{node: k, scope: r.scope}), true
		}
	}
	if !covered {
		parts = append(parts, s.looseItems...)
	}
	return append(append(parts, s.each...), s.elements[i]...)
}
