package live

import (
	"vcp.core/contract/wire"
)

// object is the compiled rules of objects. One pass over the members serves properties,
// patternProperties, additionalProperties and propertyNames, and notes which of the names that other
// rules ask for (required, dependentRequired, dependentSchemas) are there.
type object struct {
	names      *names
	members    []member // by index in names
	patterns   []pattern
	additional *unit // nil: anything
	named      *unit // propertyNames; nil: anything
	low, high  int

	// Sets of bits. When there are more than 64 of them the sets live in words, and small is false.
	small      bool
	words      int
	required   []uint64
	dependents []dependent
	plain      bool // members are decided by name alone: no patterns, no propertyNames
}

// member is a name that the rules mention.
type member struct {
	unit     *unit   // nil: no rule for the value
	more     []*unit // further rules, of other schemas that the plan stands for
	declared bool    // properties lists it: additionalProperties does not concern it
	property int     // index in the rules' Properties, when declared
	bit      int     // in the sets, -1 when nothing asks
}

type pattern struct {
	match matcher
	unit  *unit
}

// dependent is what the presence of one member demands.
type dependent struct {
	bit      int
	required []uint64 // nil: none, or few
	few      []int    // the bits of required, where a set would be larger than that
	schema   *unit    // nil: none
}

// lacks reports whether seen has the member and not all that it requires.
func (d *dependent) lacks(seen []uint64) bool {
	if d.schema != nil || !has(seen, d.bit) {
		return false
	}
	for _, bit := range d.few {
		if !has(seen, bit) {
			return true
		}
	}
	return !covers(seen, d.required)
}

func (o *object) judge(r *run, n int) wire.Verdict {
	node := &r.nodes[n]
	if node.Kind != wire.KindObject {
		return wire.Valid
	}
	if count := int(node.Count); count < o.low || count > o.high {
		return wire.Invalid
	}
	if o.small {
		var seen [1]uint64
		v := o.pass(r, n, seen[:])
		if v != wire.Invalid {
			v = min(v, o.demands(r, n, seen[:]))
		}
		return v
	}
	base := len(r.bits)
	for range o.words {
		r.bits = append(r.bits, 0)
	}
	// The stack may move while members are judged, so the set is looked up again by its base.
	v := o.pass(r, n, nil)
	if v != wire.Invalid {
		v = min(v, o.demands(r, n, r.bits[base:base+o.words]))
	}
	r.bits = r.bits[:base]
	return v
}

// allOf is the conjunction of units.
func allOf(r *run, n int, units []*unit) wire.Verdict {
	v := wire.Valid
	for _, u := range units {
		if v = min(v, u.judge(r, n)); v == wire.Invalid {
			return v
		}
	}
	return v
}

// pass judges every member. seen is the set for small objects; for others it is the top of r.bits.
func (o *object) pass(r *run, n int, seen []uint64) wire.Verdict {
	base := len(r.bits) - o.words
	v := wire.Valid
	next := 0
	r.visits += int(r.nodes[n].Count)
	for name, end := n+1, int(r.nodes[n].Next); name < end; {
		value := name + 1
		i := o.names.find(r, name, next)
		u := o.additional
		if i >= 0 {
			next = i + 1
			m := &o.members[i]
			if m.bit >= 0 {
				if o.small {
					seen[0] |= 1 << m.bit
				} else {
					r.bits[base+m.bit/64] |= 1 << (m.bit % 64)
				}
			}
			if m.declared {
				u = m.unit
			}
		}
		if o.plain {
			if u != nil {
				v = min(v, u.judge(r, value))
			}
			if i >= 0 && o.members[i].more != nil {
				v = min(v, allOf(r, value, o.members[i].more))
			}
		} else {
			v = min(v, o.matched(r, name, u, i >= 0 && o.members[i].declared))
		}
		if v == wire.Invalid {
			return v
		}
		name = int(r.nodes[value].Next)
	}
	return v
}

// matched judges a member when there are patterns or a rule for names. u is the schema of the declared
// property, or additionalProperties, nil for none.
//
// A pattern that could not be decided leaves open which schemas apply. The verdict then is what all
// possibilities agree on: with every subset of the undecided patterns matching, and additional applying
// when the subset is empty and nothing else claimed the member.
func (o *object) matched(r *run, name int, u *unit, declared bool) wire.Verdict {
	// Here alone two lengths multiply, members and patterns, without a unit in between that would look at
	// the budget.
	if r.exhausted() {
		return wire.Undecided
	}
	value := name + 1
	v := wire.Valid
	if o.named != nil {
		if v = o.named.judge(r, name); v == wire.Invalid {
			return v
		}
	}
	claimed := declared
	rules := wire.Valid
	if declared && u != nil {
		rules = u.judge(r, value)
	}
	// lowest and highest verdict of the undecided patterns' schemas
	open, lowest, highest := false, wire.Valid, wire.Invalid
	for i := range o.patterns {
		p := &o.patterns[i]
		if rules == wire.Invalid {
			return wire.Invalid
		}
		switch r.match(p.match, r.string(name)) {
		case wire.Valid:
			claimed = true
			rules = min(rules, p.unit.judge(r, value))
		case wire.Undecided:
			open = true
			w := p.unit.judge(r, value)
			lowest, highest = min(lowest, w), max(highest, w)
		}
	}
	if !claimed {
		other := wire.Valid
		if u != nil {
			other = u.judge(r, value)
		}
		if !open {
			rules = other
		} else {
			lowest, highest = min(lowest, other), max(highest, other)
			rules = either(lowest, highest)
		}
	} else if open {
		rules = either(rules, min(rules, lowest))
	}
	return min(v, rules)
}

// demands judges what the set of names that were seen demands.
func (o *object) demands(r *run, n int, seen []uint64) wire.Verdict {
	if !covers(seen, o.required) {
		return wire.Invalid
	}
	if o.dependents == nil {
		return wire.Valid
	}
	// Judging may move r.bits, so what is asked of seen is asked first.
	for i := range o.dependents {
		if o.dependents[i].lacks(seen) {
			return wire.Invalid
		}
	}
	v := wire.Valid
	for i := range o.dependents {
		d := &o.dependents[i]
		if d.schema != nil && has(seen, d.bit) {
			if v = min(v, d.schema.judge(r, n)); v == wire.Invalid {
				return v
			}
		}
	}
	return v
}

func has(set []uint64, bit int) bool { return set[bit/64]>>(bit%64)&1 != 0 }

// covers reports whether set contains all of subset.
func covers(set, subset []uint64) bool {
	for i, word := range subset {
		if set[i]&word != word {
			return false
		}
	}
	return true
}
