package live

import (
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// Rules that combine other schemas on the same value. Each is Kleene's truth table of its keyword; the
// tables are enumerated in the tests.

func (c *compiler) anyOf(s *ir.Schema) check {
	if s.AnyOf == nil {
		return nil
	}
	if s.AnyBy == nil {
		return anyOf(c.units(s.AnyOf))
	}
	d := newDispatcher(c, s.AnyBy, s.AnyOf)
	return func(r *run, n int) wire.Verdict {
		v := wire.Invalid
		for _, u := range d.pick(r, n) {
			if v = max(v, u.judge(r, n)); v == wire.Valid {
				return v
			}
		}
		return v
	}
}

func anyOf(arms []*unit) check {
	return func(r *run, n int) wire.Verdict {
		v := wire.Invalid
		for _, u := range arms {
			if v = max(v, u.judge(r, n)); v == wire.Valid {
				return v
			}
		}
		return v
	}
}

func (c *compiler) oneOf(s *ir.Schema) check {
	if s.OneOf == nil {
		return nil
	}
	arms := c.units(s.OneOf)
	if s.OneBy == nil {
		return func(r *run, n int) wire.Verdict { return exactlyOne(r, n, arms) }
	}
	d := newDispatcher(c, s.OneBy, s.OneOf)
	return func(r *run, n int) wire.Verdict { return exactlyOne(r, n, d.pick(r, n)) }
}

// exactlyOne: two valid arms are one too many whatever the undecided ones are; otherwise one undecided
// arm could turn the outcome either way.
func exactlyOne(r *run, n int, arms []*unit) wire.Verdict {
	valid, undecided := 0, 0
	for _, u := range arms {
		switch u.judge(r, n) {
		case wire.Valid:
			if valid++; valid > 1 {
				return wire.Invalid
			}
		case wire.Undecided:
			undecided++
		}
	}
	switch {
	case undecided > 0:
		return wire.Undecided
	case valid == 1:
		return wire.Valid
	}
	return wire.Invalid
}

func (c *compiler) not(s *ir.Schema) check {
	u := c.unit(s)
	return func(r *run, n int) wire.Verdict { return wire.Valid - u.judge(r, n) }
}

func (c *compiler) conditional(s *ir.Schema) check {
	if s.Then == nil && s.Else == nil {
		return nil
	}
	cond, then, none := c.unit(s.If), always, always
	if s.Then != nil {
		then = c.unit(s.Then)
	}
	if s.Else != nil {
		none = c.unit(s.Else)
	}
	return func(r *run, n int) wire.Verdict {
		switch cond.judge(r, n) {
		case wire.Valid:
			return then.judge(r, n)
		case wire.Invalid:
			return none.judge(r, n)
		}
		return either(then.judge(r, n), none.judge(r, n))
	}
}

// always is the schema true.
var always = &unit{kinds: 1<<16 - 1}

// either is the verdict of a choice that nobody could decide: what both sides agree on.
func either(a, b wire.Verdict) wire.Verdict {
	if a == b {
		return a
	}
	return wire.Undecided
}

// decision applies all rules of the case that one member selects.
func (c *compiler) decision(d *ir.Decision) check {
	by := newDispatcher(c, &d.Dispatch, d.Rules)
	return func(r *run, n int) wire.Verdict {
		v := wire.Valid
		for _, u := range by.pick(r, n) {
			if v = min(v, u.judge(r, n)); v == wire.Invalid {
				return v
			}
		}
		return v
	}
}

// dispatcher is a compiled ir.Dispatch.
type dispatcher struct {
	member                   string
	values                   *wire.Constants
	cases                    [][]*unit
	other, absent, notObject []*unit
}

func newDispatcher(c *compiler, d *ir.Dispatch, list []*ir.Schema) *dispatcher {
	units := func(indexes []int) []*unit {
		us := make([]*unit, len(indexes))
		for i, x := range indexes {
			us[i] = c.unit(list[x])
		}
		return us
	}
	p := &dispatcher{
		member: d.Member, values: newConstants(d.Values),
		other: units(d.Other), absent: units(d.Absent), notObject: units(d.NotObject),
	}
	for _, x := range d.Cases {
		p.cases = append(p.cases, units(x))
	}
	return p
}

// pick returns the units of the case that applies to n.
func (d *dispatcher) pick(r *run, n int) []*unit {
	if r.nodes[n].Kind != wire.KindObject {
		return d.notObject
	}
	value, ok := r.t.Find(n, d.member)
	if !ok {
		return d.absent
	}
	i := d.values.Find(r.t, value, &r.text)
	if i < 0 {
		return d.other
	}
	return d.cases[i]
}

// selected returns the alternatives in the case of d that applies; found says that the member's value is one of
// the constants, so that the choice was the author's and not a default.
func (r *run) selected(d *ir.Dispatch, compiled *dispatcher, n int) (list []int, found bool) {
	if r.nodes[n].Kind != wire.KindObject {
		return d.NotObject, false
	}
	value, ok := r.t.Find(n, d.Member)
	if !ok {
		return d.Absent, false
	}
	if i := compiled.values.Find(r.t, value, &r.text); i >= 0 {
		return d.Cases[i], true
	}
	return d.Other, false
}
