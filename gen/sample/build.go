package sample

import (
	"math/bits"
	"slices"

	"vcp.core/gen/load"
)

// build makes a value that fits all parts and is none of except.
func (b *builder) build(parts []part, depth int, except []*load.Node) (*load.Node, bool) {
	for _, p := range parts {
		if !p.not && b.height[p.node] == endless {
			return nil, false
		}
	}
	if depth > 60 {
		return nil, false
	}
	if len(parts) == 0 {
		parts = []part{{node: boolean(true)}}
	}
	for range 3 {
		s := newShape(except)
		for _, p := range parts {
			b.add(s, p)
		}
		s, ok := b.settle(s, depth)
		if !ok {
			return nil, false // settle has looked everywhere, or there is no work left
		}
		v, ok := b.value(s, depth)
		if ok && b.pay(compared*len(except)) && !contains(except, v) && b.allows(parts, v) {
			b.origins[v] = &origin{parts, s, depth}
			return v, true
		}
	}
	return nil, false
}

// value makes a value of a shape without open choices.
func (b *builder) value(s *shape, depth int) (*load.Node, bool) {
	b.count++
	if s.limited {
		return copied(pick(b.rng, s.only...)), true
	}
	if goal := b.goal; goal != nil && b.arrived(s) {
		b.goal = nil // what is in the value need not get there again
		defer func() { b.goal = goal }()
	}
	for set := s.kinds; set != 0; {
		k := b.kind(s, set, depth)
		if v, ok := b.valueOf(s, k, depth); ok {
			return v, true
		}
		set &^= k
	}
	return nil, false
}

// copied copies the top of a constant, so that each value of a document is a node of its own.
func copied(v *load.Node) *load.Node {
	c := *v
	return &c
}

// kind draws a type. One that the schema speaks about is likelier, containers are rarer in a document that
// has grown.
func (b *builder) kind(s *shape, set kinds, depth int) kinds {
	if spoken := set & s.spoken; spoken != 0 && b.rng.IntN(8) > 0 {
		set = spoken
	}
	if flat := set &^ (kArray | kObject); flat != 0 && (b.grown(depth) || depth > 3 && s.spoken == 0) {
		set = flat
	}
	return b.oneOf(set)
}

// oneOf draws a type of a set that has some.
func (b *builder) oneOf(set kinds) kinds {
	for range b.rng.IntN(bits.OnesCount8(uint8(set))) {
		set &= set - 1
	}
	return set & -set
}

func (b *builder) valueOf(s *shape, k kinds, depth int) (*load.Node, bool) {
	switch k {
	case kNull:
		return null(), true
	case kFalse, kTrue:
		return boolean(k == kTrue), true
	case kInteger, kFraction:
		return b.number(s, k)
	case kString:
		text, ok := b.string(s)
		return str(text), ok
	case kArray:
		return b.elementsOf(s, depth)
	}
	return b.membersOf(s, depth)
}

// largest is the number of elements, members or characters beyond which nothing is made.
const largest = 1 << 16

// elementsOf makes an array.
func (b *builder) elementsOf(s *shape, depth int) (*load.Node, bool) {
	low := s.few
	for i := range s.elements {
		low = max(low, i+1)
	}
	for _, c := range s.contains {
		low = max(low, c.low)
	}
	if low > s.many || low > largest {
		return nil, false
	}
	size := low
	if !b.grown(depth) {
		size = min(low+pick(b.rng, 0, 0, 1, 1, 2, 3), s.many)
		if s.many < 12 && b.odds(6) {
			size = s.many
		}
	}
	if size == 0 && s.many > 0 && b.onTheWay(s, s.elementParts(0)...) {
		size = 1
	}
	holds := b.placed(s, low, size)
	var made []*load.Node
	for i := range size {
		parts := append(s.elementParts(i), holds[i]...)
		var except []*load.Node
		if s.unique {
			except = made
		}
		if s.twice && i == 1 {
			made = append(made, made[0])
			continue
		}
		e, ok := b.build(parts, depth+1, except)
		if !ok && i < low {
			return nil, false
		}
		if !ok {
			break
		}
		made = append(made, e)
	}
	return list(made...), true
}

// placed draws which elements fit the schemas of `contains`, among the first low, since the others may be
// left out. Where not many may fit, it keeps the rest from it.
func (b *builder) placed(s *shape, low, size int) map[int][]part {
	holds := map[int][]part{}
	for _, c := range s.contains {
		free := 0
		if c.high > c.low {
			free = b.rng.IntN(c.high - c.low + 1)
		}
		places := b.rng.Perm(low)
		for at := low; at < size; at++ {
			places = append(places, at)
		}
		for k, at := range places {
			switch {
			case k < c.low:
				holds[at] = append(holds[at], c.part)
			case c.high >= 0 && k >= c.low+free:
				holds[at] = append(holds[at], part{node: c.node, scope: c.scope, not: true})
			}
		}
	}
	return holds
}

// membersOf makes an object: members that must be there, some that may, some that nobody has heard of.
func (b *builder) membersOf(s *shape, depth int) (*load.Node, bool) {
	if s.least > largest {
		return nil, false
	}
	o := &objectBuilder{builder: b, s: s, depth: depth, node: object()}
	for _, name := range s.required {
		if !o.put(name) {
			return nil, false
		}
	}
	known := o.known()
	share := pick(b.rng, 0, 1, 2, 4, 7, 8)
	for _, name := range known {
		if !b.grown(depth) && b.rng.IntN(8) < share || len(o.node.Members) < s.least || o.wanted(name) {
			o.put(name)
		}
	}
	if !b.grown(depth) {
		for range o.strays() {
			o.stray()
		}
	}
	for range 4 * s.least {
		if len(o.node.Members) >= s.least {
			break
		}
		o.stray()
	}
	if len(o.node.Members) < s.least {
		return nil, false
	}
	o.arrange(known)
	return o.node, true
}

// wanted reports whether a member leads to the goal.
func (o *objectBuilder) wanted(name string) bool {
	if o.goal == nil {
		return false
	}
	parts, ok := o.memberParts(o.s, name)
	return ok && o.onTheWay(o.s, parts...)
}

type objectBuilder struct {
	*builder
	s     *shape
	depth int
	node  *load.Node
}

// put adds a member and reports whether it is there. It does nothing where the member cannot be.
func (o *objectBuilder) put(name string) bool {
	if !o.pay(len(o.node.Members) + 1) {
		return false
	}
	if o.node.Get(name) != nil {
		return true
	}
	if o.s.forbidden[name] || len(o.node.Members) >= o.s.most || !o.allows(o.s.names, str(name)) {
		return false
	}
	parts, ok := o.memberParts(o.s, name)
	if !ok {
		return false
	}
	v, ok := o.build(parts, o.depth+1, nil)
	if ok {
		o.node.Members = append(o.node.Members, load.Member{Name: name, Value: v})
	}
	return ok
}

// known lists the names that the schemas mention.
func (o *objectBuilder) known() []string {
	var names []string
	seen := map[string]bool{}
	for _, r := range o.s.objects {
		k := r.node.Get("properties")
		if k == nil {
			continue
		}
		for _, m := range k.Members {
			if !seen[m.Name] {
				seen[m.Name] = true
				names = append(names, m.Name)
			}
		}
	}
	return names
}

// strays draws how many members to add that no schema mentions by name.
func (o *objectBuilder) strays() int {
	mapped := false
	for _, r := range o.s.objects {
		others := []part{{node: boolean(true)}}
		if k := r.node.Get("additionalProperties"); k != nil {
			others = append(others, part{node: k})
		}
		if k := r.node.Get("patternProperties"); k != nil {
			for _, m := range k.Members {
				others = append(others, part{node: m.Value})
			}
		}
		if o.onTheWay(o.s, others...) {
			return 3
		}
		mapped = mapped || r.node.Get("patternProperties") != nil || r.node.Get("additionalProperties") != nil && r.node.Get("properties") == nil
	}
	if mapped || len(o.s.names) > 0 {
		return o.rng.IntN(4)
	}
	return max(0, o.rng.IntN(5)-3)
}

// strayNames are names for members that nobody has heard of.
var strayNames = []string{
	"x", "extra", "unknownMember", "x-note", "", "a b", "名", "__proto__", "A/b~c", "\"quoted\"", "😀", "\u0000", "n1", "n2", "n3", "n4", "com.example.key", "$ref", "type", "toString",
}

// stray adds a member of a name that is not one of the schema's.
func (o *objectBuilder) stray() {
	for range 4 {
		name, ok := o.strayName()
		if ok && o.node.Get(name) == nil && o.put(name) {
			return
		}
	}
}

func (o *objectBuilder) strayName() (string, bool) {
	if len(o.s.names) > 0 && !o.odds(8) {
		s := newShape(nil)
		s.restrict(kString)
		for _, p := range o.s.names {
			o.add(s, p)
		}
		if s, ok := o.settle(s, o.depth); ok {
			v, ok := o.value(s, o.depth)
			return text(v), ok
		}
		return "", false
	}
	var patterns []string
	for _, r := range o.s.objects {
		if k := r.node.Get("patternProperties"); k != nil {
			for _, m := range k.Members {
				patterns = append(patterns, m.Name)
			}
		}
	}
	if len(patterns) > 0 && o.rng.IntN(4) > 0 {
		return o.docs.patterns[pick(o.rng, patterns...)].make(o.rng, 0, 64)
	}
	name := pick(o.rng, strayNames...)
	if o.odds(2) {
		name += letters(o.rng, 2)
	}
	return name, true
}

// arrange puts the members in the order of the schema mostly, and in any order sometimes.
func (o *objectBuilder) arrange(known []string) {
	m := o.node.Members
	if o.odds(4) {
		o.rng.Shuffle(len(m), func(i, j int) { m[i], m[j] = m[j], m[i] })
		return
	}
	rank := map[string]int{}
	for i, name := range known {
		rank[name] = i - len(known)
	}
	slices.SortStableFunc(m, func(x, y load.Member) int { return rank[x.Name] - rank[y.Name] })
}
