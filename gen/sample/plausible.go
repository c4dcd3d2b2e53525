package sample

import (
	"math/big"
	"slices"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
)

// plausible takes away the types whose rules contradict each other, and reports whether one is left. It
// looks at members that must be there, but settles no choice: what it refuses is impossible, what it lets
// pass need not be possible.
func (b *builder) plausible(s *shape, depth int) bool {
	if s.dead {
		return false
	}
	if s.noNumber(s.step) {
		s.kinds &^= kNumber
	} else if s.kinds&kInteger != 0 && s.noNumber(s.whole()) {
		s.kinds &^= kInteger
	}
	if s.step != nil && s.step.IsInt() {
		s.kinds &^= kFraction
	}
	if s.short > s.long {
		s.kinds &^= kString
	}
	if s.few > s.many || s.kinds&kArray != 0 && !b.arrayPlausible(s, depth) {
		s.kinds &^= kArray
	}
	if s.kinds&kObject != 0 && !b.objectPlausible(s, depth) {
		s.kinds &^= kObject
	}
	if s.limited && b.pay(len(s.only)*(1+len(s.except)+len(s.required))) {
		s.only = slices.DeleteFunc(slices.Clone(s.only), func(v *load.Node) bool {
			return s.kinds&kindOf(v) == 0 || contains(s.except, v) || !b.withinShape(s, v, depth)
		})
		s.dead = len(s.only) == 0
	}
	s.dead = s.dead || s.kinds == 0
	return !s.dead
}

// whole returns the step of integers.
func (s *shape) whole() *big.Rat {
	one := big.NewRat(1, 1)
	if s.step == nil {
		return one
	}
	return common(s.step, one)
}

// noNumber reports whether no multiple of step (no number, if nil) lies within the bounds.
func (s *shape) noNumber(step *big.Rat) bool {
	if s.low == nil || s.high == nil {
		return false
	}
	order := s.low.Cmp(s.high)
	if order > 0 || order == 0 && (s.lowOpen || s.highOpen) {
		return true
	}
	if step == nil {
		return false
	}
	first, last := s.multiples(step)
	return first.Cmp(last) > 0
}

// multiples returns the range of factors of step within the bounds, nil for no bound.
func (s *shape) multiples(step *big.Rat) (first, last *big.Int) {
	if s.low != nil {
		q := new(big.Rat).Quo(s.low, step)
		if first = up(q); s.lowOpen && q.IsInt() {
			first.Add(first, big.NewInt(1))
		}
	}
	if s.high != nil {
		q := new(big.Rat).Quo(s.high, step)
		if last = down(q); s.highOpen && q.IsInt() {
			last.Sub(last, big.NewInt(1))
		}
	}
	return first, last
}

// withinShape judges a constant by the bounds of the shape, as far as it is cheap.
func (b *builder) withinShape(s *shape, v *load.Node, depth int) bool {
	switch v.Kind {
	case wire.KindNumber:
		r, ok := rational(v.Str)
		b.unsure = b.unsure || !ok
		return ok && !(s.low != nil && (r.Cmp(s.low) < 0 || s.lowOpen && r.Cmp(s.low) == 0)) &&
			!(s.high != nil && (r.Cmp(s.high) > 0 || s.highOpen && r.Cmp(s.high) == 0)) &&
			!(s.step != nil && !new(big.Rat).Quo(r, s.step).IsInt())
	case wire.KindString:
		b.unsure = b.unsure || len(s.patterns)+len(s.notPatterns)+len(s.formats) > 0 // some are read on the safe side
		return s.fits(v.Str)
	case wire.KindObject:
		for _, name := range s.required {
			if v.Get(name) == nil {
				return false
			}
		}
	}
	return true
}

// arrayPlausible looks at the first elements that must be there.
func (b *builder) arrayPlausible(s *shape, depth int) bool {
	for i := range min(s.few, 4) {
		if parts := s.elementParts(i); len(parts) > 0 && !b.together(parts, depth+1) {
			return false
		}
	}
	return true
}

func (b *builder) objectPlausible(s *shape, depth int) bool {
	if len(s.required) > s.most || s.least > s.most {
		return false
	}
	for _, name := range s.required {
		if s.forbidden[name] || !b.pay(1) {
			return false
		}
		parts, ok := b.memberParts(s, name)
		b.unsure = b.unsure || !ok
		if !ok || !b.together(parts, depth+1) || len(s.names) > 0 && !b.allows(s.names, str(name)) {
			return false
		}
	}
	return true
}

// together reports whether parts may fit one value. The answer for a single schema is remembered: most members
// have but one, and every choice asks about all of them again.
func (b *builder) together(parts []part, depth int) bool {
	if depth > 3 {
		return true
	}
	single := len(parts) == 1 && !parts[0].not
	if single {
		if known, ok := b.alone[parts[0].node]; ok {
			return known
		}
	}
	s := newShape(nil)
	for _, p := range parts {
		b.add(s, p)
	}
	ok := b.plausible(s, depth)
	if single && b.left > 0 {
		b.alone[parts[0].node] = ok
	}
	return ok
}
