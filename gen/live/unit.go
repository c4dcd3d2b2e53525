package live

import (
	"slices"

	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// check is one compiled rule, or several: the closure judges node n of r's tape.
type check func(r *run, n int) wire.Verdict

// unit is one compiled schema.
type unit struct {
	// kinds has the bit of every wire.Kind that the schema admits.
	kinds uint16
	parts bool // has subschemas: recursion, steps and memo are its business
	keep  keep
	id    uint32 // number among the remembered units
	fn    check  // nil when kinds decides
}

// keep says for which walks a unit's verdicts are remembered.
type keep uint8

const (
	keepShared keep = 1 << iota // ir.Schema.Shared: every walk
	keepParts                   // has subschemas: walks that explain come back to the same pairs
)

// judge returns the verdict of node n.
func (u *unit) judge(r *run, n int) wire.Verdict {
	r.visits++
	if u.kinds>>r.nodes[n].Kind&1 == 0 {
		return wire.Invalid
	}
	if u.fn == nil {
		return wire.Valid
	}
	if !u.parts {
		return u.fn(r, n)
	}
	if u.keep&r.remember == 0 && r.visits <= r.steps && r.depth < maxOpen {
		r.depth++
		v := u.fn(r, n)
		r.depth--
		return v
	}
	return u.judgeParts(r, n)
}

// judgeParts judges with memo and budgets. A verdict that a budget cut short is not remembered: the
// memo holds facts.
func (u *unit) judgeParts(r *run, n int) wire.Verdict {
	if r.visits > r.steps {
		r.limit = errcode.LimitNodes
		return wire.Undecided
	}
	if r.depth == maxOpen {
		r.limit = errcode.LimitDepth
		return wire.Undecided
	}
	key := wire.MemoKey(u.id, n)
	if v, _, ok := r.memo.Get(key); ok {
		return v
	}
	r.depth++
	v := u.fn(r, n)
	r.depth--
	if r.limit == "" {
		r.memo.Put(key, v, 0)
	}
	return v
}

// both is the conjunction of several checks.
func both(checks []check) check {
	switch len(checks) {
	case 0:
		return nil
	case 1:
		return checks[0]
	case 2:
		a, b := checks[0], checks[1]
		return func(r *run, n int) wire.Verdict {
			v := a(r, n)
			if v == wire.Invalid {
				return v
			}
			return min(v, b(r, n))
		}
	}
	return func(r *run, n int) wire.Verdict {
		v := wire.Valid
		for _, c := range checks {
			if v = min(v, c(r, n)); v == wire.Invalid {
				return v
			}
		}
		return v
	}
}

// compiler fills a set's units.
type compiler struct {
	set  *Set
	kept uint32 // units that are remembered by some walk
}

func newCompiler(s *Set) *compiler { return &compiler{set: s} }

// compile makes a unit for every schema first and fills them second, because schemas refer to each
// other in circles.
func (c *compiler) compile() {
	schemas := c.set.prog.Schemas
	c.set.units = make([]*unit, len(schemas))
	for i, s := range schemas {
		if s.Target() == s {
			c.set.units[i] = &unit{}
		}
	}
	// Numbers are few (see wire.Memo); shared schemas get theirs first.
	for _, shared := range []bool{true, false} {
		for i, s := range schemas {
			if u := c.set.units[i]; u != nil && s.Shared == shared && s.HasParts() && c.kept < wire.MemoUnits {
				u.id, u.keep = c.kept, keepParts
				if shared {
					u.keep |= keepShared
				}
				c.kept++
			}
		}
	}
	for i, s := range schemas {
		if u := c.set.units[i]; u != nil {
			c.fill(u, s)
		} else {
			c.set.units[i] = c.set.units[s.Target().ID]
		}
	}
}

// unit returns the unit that judges for a schema, also while units are being filled.
func (c *compiler) unit(s *ir.Schema) *unit { return c.set.units[s.Target().ID] }

func (c *compiler) units(list []*ir.Schema) []*unit {
	us := make([]*unit, len(list))
	for i, s := range list {
		us[i] = c.unit(s)
	}
	return us
}

// fill compiles one schema. Cheap rules come first, so that expensive ones are often not reached.
func (c *compiler) fill(u *unit, s *ir.Schema) {
	u.kinds = kindsOf(s.Admits)
	u.parts = s.HasParts()
	c.own(s)
	var checks []check
	add := func(k check) {
		if k != nil {
			checks = append(checks, k)
		}
	}
	all := conjuncts(s)
	if u.kinds>>wire.KindNumber&1 != 0 && slices.ContainsFunc(all.schemas, func(s *ir.Schema) bool {
		return s.Types&(ir.TypeInteger|ir.TypeNumber) == ir.TypeInteger
	}) {
		add(integer)
	}
	for _, s := range all.schemas {
		if s.Const != nil {
			add(constants(newConstants([]ir.Value{*s.Const})))
		}
		if s.Enum != nil {
			add(constants(newConstants(s.Enum)))
		}
		add(numberCheck(s.Number))
		add(stringCheck(s.String))
	}
	for _, rules := range all.objects() {
		if len(rules) == 1 && rules[0] == s.Object {
			add(c.set.parts[s.ID].object.judge)
		} else {
			add(c.plan(rules).judge)
		}
	}
	for _, s := range all.schemas {
		add(c.array(s.Array))
		for _, d := range s.Decisions {
			add(c.decision(d))
		}
	}
	for _, s := range all.apart {
		add(c.unit(s).judge)
	}
	for _, s := range all.schemas {
		add(c.anyOf(s))
		add(c.oneOf(s))
		if s.Not != nil {
			add(c.not(s.Not))
		}
		if _, decided := s.Decided(); s.If != nil && !decided {
			add(c.conditional(s))
		}
	}
	for _, s := range all.schemas {
		if s.Array != nil {
			add(c.unevaluated(s, s.Array.Unevaluated, wire.KindArray))
		}
		if s.Object != nil {
			add(c.unevaluated(s, s.Object.Unevaluated, wire.KindObject))
		}
	}
	u.fn = both(checks)
}

// own compiles what a walk that explains needs of a schema alone.
func (c *compiler) own(s *ir.Schema) {
	p := &c.set.parts[s.ID]
	if s.Const != nil {
		p.constant = newConstants([]ir.Value{*s.Const})
	}
	if s.Enum != nil {
		p.enum = newConstants(s.Enum)
	}
	if s.Object != nil {
		p.object = c.plan([]*ir.ObjectRules{s.Object})
	}
	if s.AnyBy != nil {
		p.anyBy = newDispatcher(c, s.AnyBy, s.AnyOf)
	}
	if s.OneBy != nil {
		p.oneBy = newDispatcher(c, s.OneBy, s.OneOf)
	}
}

// kindsOf translates a set of types as ir.Schema.Admits has it.
func kindsOf(t ir.TypeSet) uint16 {
	var kinds uint16
	for _, e := range []struct {
		types ir.TypeSet
		kinds uint16
	}{
		{ir.TypeNull, 1 << wire.KindNull},
		{ir.TypeBoolean, 1<<wire.KindFalse | 1<<wire.KindTrue},
		{ir.TypeInteger | ir.TypeNumber, 1 << wire.KindNumber},
		{ir.TypeString, 1 << wire.KindString},
		{ir.TypeArray, 1 << wire.KindArray},
		{ir.TypeObject, 1 << wire.KindObject},
	} {
		if t&e.types != 0 {
			kinds |= e.kinds
		}
	}
	return kinds
}

// integer refuses numbers with a fractional part; 1.0 is an integer.
func integer(r *run, n int) wire.Verdict {
	node := &r.nodes[n]
	if node.Kind != wire.KindNumber || node.Flags&wire.Fraction == 0 || r.t.Decimal(n).IsInteger() {
		return wire.Valid
	}
	return wire.Invalid
}
