package live

import (
	"math"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// array is the compiled rules of arrays, judged in one pass over the elements.
type array struct {
	low, high   int
	unique      bool
	prefix      []*unit
	rest        *unit // nil: anything
	contains    *unit // nil: no rule
	least, most int   // of contains; most may be MaxInt
}

func (c *compiler) array(rules *ir.ArrayRules) check {
	if rules == nil {
		return nil
	}
	a := &array{
		low: rules.MinItems, high: bound(rules.MaxItems), unique: rules.Unique,
		prefix: c.units(rules.Prefix),
	}
	if rules.Items != nil && !rules.Items.Trivial() {
		a.rest = c.unit(rules.Items)
	}
	if rules.Contains != nil {
		a.contains = c.unit(rules.Contains.Schema)
		a.least, a.most = rules.Contains.Min, bound(rules.Contains.Max)
	}
	return a.judge
}

// bound turns "no bound" into one that nothing exceeds.
func bound(high int) int {
	if high < 0 {
		return math.MaxInt
	}
	return high
}

func (a *array) judge(r *run, n int) wire.Verdict {
	node := &r.nodes[n]
	if node.Kind != wire.KindArray {
		return wire.Valid
	}
	if count := int(node.Count); count < a.low || count > a.high {
		return wire.Invalid
	}
	v := wire.Valid
	if a.unique {
		if v = unique(r, n); v == wire.Invalid {
			return v
		}
	}
	v = min(v, a.elements(r, n))
	if v != wire.Invalid && a.contains != nil {
		v = min(v, a.counted(r, n))
	}
	return v
}

func (a *array) elements(r *run, n int) wire.Verdict {
	if a.rest == nil && len(a.prefix) == 0 {
		return wire.Valid
	}
	v := wire.Valid
	i := 0
	for e, end := r.t.FirstChild(n), r.t.Next(n); e < end; e = r.t.Next(e) {
		u := a.rest
		if i < len(a.prefix) {
			u = a.prefix[i]
		} else if u == nil {
			break
		}
		if v = min(v, u.judge(r, e)); v == wire.Invalid {
			return v
		}
		i++
	}
	return v
}

// counted judges contains. The number of matching elements lies between the valid ones and the valid
// and undecided ones together. The rule is decided when all of that range is allowed, or none of it.
func (a *array) counted(r *run, n int) wire.Verdict {
	surely, perhaps := 0, 0
	for e, end := r.t.FirstChild(n), r.t.Next(n); e < end; e = r.t.Next(e) {
		switch a.contains.judge(r, e) {
		case wire.Valid:
			surely++
			perhaps++
		case wire.Undecided:
			perhaps++
		}
		if surely > a.most {
			return wire.Invalid
		}
		if surely >= a.least && a.most == math.MaxInt {
			return wire.Valid
		}
	}
	switch {
	case max(surely, a.least) > min(perhaps, a.most):
		return wire.Invalid
	case surely >= a.least && perhaps <= a.most:
		return wire.Valid
	}
	return wire.Undecided
}
