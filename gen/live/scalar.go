package live

import (
	"math"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

func numberCheck(rules *ir.NumberRules) check {
	if rules == nil {
		return nil
	}
	if p, ok := newIntegers(rules); ok {
		return func(r *run, n int) wire.Verdict {
			if v, ok := wire.SmallInteger(r.t, n); ok {
				return p.judge(v)
			}
			if r.nodes[n].Kind != wire.KindNumber {
				return wire.Valid
			}
			return numberVerdict(rules, r.t.Decimal(n))
		}
	}
	return func(r *run, n int) wire.Verdict {
		if r.nodes[n].Kind != wire.KindNumber {
			return wire.Valid
		}
		return numberVerdict(rules, r.t.Decimal(n))
	}
}

// numberVerdict compares on digit strings.
func numberVerdict(rules *ir.NumberRules, d wire.Decimal) wire.Verdict {
	if rules.Minimum != nil && d.Cmp(*rules.Minimum) < 0 ||
		rules.Maximum != nil && d.Cmp(*rules.Maximum) > 0 ||
		rules.ExclusiveMinimum != nil && d.Cmp(*rules.ExclusiveMinimum) <= 0 ||
		rules.ExclusiveMaximum != nil && d.Cmp(*rules.ExclusiveMaximum) >= 0 {
		return wire.Invalid
	}
	if rules.MultipleOf != nil {
		return d.Multiple(*rules.MultipleOf)
	}
	return wire.Valid
}

// integers are number rules whose bounds are integers of 64 bits: the usual ones. Documents are full of
// small integers, and for those the comparison is a machine instruction.
type integers struct {
	low, high, of int64 // inclusive; of 0 means no divisor
}

func newIntegers(rules *ir.NumberRules) (p integers, ok bool) {
	p = integers{low: math.MinInt64, high: math.MaxInt64}
	ok = true
	read := func(d *wire.Decimal, use func(v int64)) {
		if d == nil {
			return
		}
		v, is := d.Int64()
		// The outermost values are left out, so that an exclusive bound can move by one.
		if ok = ok && is && v > math.MinInt64 && v < math.MaxInt64; ok {
			use(v)
		}
	}
	read(rules.Minimum, func(v int64) { p.low = max(p.low, v) })
	read(rules.ExclusiveMinimum, func(v int64) { p.low = max(p.low, v+1) })
	read(rules.Maximum, func(v int64) { p.high = min(p.high, v) })
	read(rules.ExclusiveMaximum, func(v int64) { p.high = min(p.high, v-1) })
	read(rules.MultipleOf, func(v int64) { p.of = v })
	return p, ok
}

func (p *integers) judge(v int64) wire.Verdict {
	if v < p.low || v > p.high || p.of != 0 && v%p.of != 0 {
		return wire.Invalid
	}
	return wire.Valid
}

func stringCheck(rules *ir.StringRules) check {
	if rules == nil {
		return nil
	}
	var checks []check
	if low, high := rules.MinLength, rules.MaxLength; low > 0 || high >= 0 {
		if high < 0 {
			high = math.MaxInt
		}
		checks = append(checks, func(r *run, n int) wire.Verdict {
			if node := &r.nodes[n]; node.Kind == wire.KindString && (int(node.Count) < low || int(node.Count) > high) {
				return wire.Invalid
			}
			return wire.Valid
		})
	}
	if rules.Format != nil && rules.Format.Check != nil {
		valid := rules.Format.Check
		checks = append(checks, func(r *run, n int) wire.Verdict {
			if r.nodes[n].Kind == wire.KindString && !valid(r.string(n)) {
				return wire.Invalid
			}
			return wire.Valid
		})
	}
	if rules.Pattern != nil {
		match := rules.Pattern.MatchSteps
		checks = append(checks, func(r *run, n int) wire.Verdict {
			if r.nodes[n].Kind != wire.KindString {
				return wire.Valid
			}
			return r.match(match, r.string(n))
		})
	}
	return both(checks)
}
