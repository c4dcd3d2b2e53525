package live

import "vcp.core/gen/ir"

// conjunction is what a unit demands of a value all at once: the rules of its schema and of those that
// $ref and allOf add. Schemas are often written in such layers ("base" and an extension, one definition for
// each group of members), and judging them together costs one pass over an object instead of one for each
// layer. A shared schema stays apart, because its verdict is remembered.
type conjunction struct {
	schemas []*ir.Schema // whose own rules the unit takes over
	apart   []*ir.Schema // which are judged by their own units
}

// maxConjuncts bounds how many schemas one unit takes over: each of a chain of n schemas takes over those
// behind it.
const maxConjuncts = 64

func conjuncts(s *ir.Schema) *conjunction {
	c := &conjunction{}
	c.take(s)
	return c
}

func (c *conjunction) take(s *ir.Schema) {
	c.schemas = append(c.schemas, s)
	if s.Ref != nil {
		c.edge(s.Ref)
	}
	decided, _ := s.Decided()
	for i, a := range s.AllOf {
		if !decided[i] {
			c.edge(a)
		}
	}
}

func (c *conjunction) edge(s *ir.Schema) {
	switch s = s.Target(); {
	case s.Trivial():
	case s.Shared || len(c.schemas) == maxConjuncts:
		c.apart = append(c.apart, s)
	default:
		c.take(s)
	}
}

// objects returns the object rules of the conjunction, those that can share a pass in one list. Rules about
// members that nothing declares, patterns and names look at each member for themselves and stay alone.
func (c *conjunction) objects() (lists [][]*ir.ObjectRules) {
	var open []*ir.ObjectRules
	for _, s := range c.schemas {
		switch o := s.Object; {
		case o == nil:
		case o.Patterns == nil && o.Additional == nil && o.Names == nil:
			open = append(open, o)
		default:
			lists = append(lists, []*ir.ObjectRules{o})
		}
	}
	if open != nil {
		lists = append(lists, open)
	}
	return lists
}

// planner makes an object of one or several sets of rules.
type planner struct {
	*compiler
	object
	index map[string]int
	list  []string
	bits  int
}

func (c *compiler) plan(rules []*ir.ObjectRules) *object {
	p := &planner{compiler: c, index: make(map[string]int)}
	p.high = bound(-1)
	for _, r := range rules {
		p.declare(r)
	}
	// Bits are given out before the first set is made, so that all sets have the same length.
	for _, r := range rules {
		p.askAll(r)
	}
	p.words = (p.bits + 63) / 64
	p.small = p.words <= 1
	var required []string
	for _, r := range rules {
		required = append(required, r.Required...)
		p.depend(r)
	}
	p.required = p.set(required)
	p.plain = p.patterns == nil && p.named == nil
	p.names = newNames(p.list)
	return &p.object
}

func (p *planner) mention(name string) *member {
	i, ok := p.index[name]
	if !ok {
		i = len(p.list)
		p.index[name] = i
		p.list = append(p.list, name)
		p.members = append(p.members, member{bit: -1})
	}
	return &p.members[i]
}

func (p *planner) ask(name string) int {
	m := p.mention(name)
	if m.bit < 0 {
		m.bit = p.bits
		p.bits++
	}
	return m.bit
}

func (p *planner) set(names []string) []uint64 {
	if len(names) == 0 {
		return nil
	}
	words := make([]uint64, p.words)
	for _, name := range names {
		bit := p.ask(name)
		words[bit/64] |= 1 << (bit % 64)
	}
	return words
}

func (p *planner) declare(r *ir.ObjectRules) {
	p.low, p.high = max(p.low, r.MinMembers), min(p.high, bound(r.MaxMembers))
	for i, property := range r.Properties {
		m := p.mention(property.Name)
		m.declared, m.property = true, i
		switch u := p.unit(property.Schema); {
		case property.Schema.Trivial():
		case m.unit == nil:
			m.unit = u
		default:
			m.more = append(m.more, u)
		}
	}
	for _, x := range r.Patterns {
		p.patterns = append(p.patterns, pattern{x.Pattern.MatchSteps, p.unit(x.Schema)})
	}
	if r.Additional != nil && !r.Additional.Trivial() {
		p.additional = p.unit(r.Additional)
	}
	if r.Names != nil && !r.Names.Trivial() {
		p.named = p.unit(r.Names)
	}
}

func (p *planner) askAll(r *ir.ObjectRules) {
	for _, name := range r.Required {
		p.ask(name)
	}
	for _, d := range r.DependentRequired {
		p.ask(d.Name)
		for _, name := range d.Required {
			p.ask(name)
		}
	}
	for _, d := range r.DependentSchemas {
		p.ask(d.Name)
	}
}

// dependent keeps what a member requires as a set, or bit by bit when that takes less room: a schema with n
// such members has sets of n bits, and n of them.
func (p *planner) dependent(name string, required []string) dependent {
	d := dependent{bit: p.ask(name)}
	if len(required) >= p.words {
		d.required = p.set(required)
		return d
	}
	for _, r := range required {
		d.few = append(d.few, p.ask(r))
	}
	return d
}

func (p *planner) depend(r *ir.ObjectRules) {
	for _, d := range r.DependentRequired {
		if len(d.Required) > 0 {
			p.dependents = append(p.dependents, p.dependent(d.Name, d.Required))
		}
	}
	for _, d := range r.DependentSchemas {
		p.dependents = append(p.dependents, dependent{bit: p.ask(d.Name), schema: p.unit(d.Schema)})
	}
}
