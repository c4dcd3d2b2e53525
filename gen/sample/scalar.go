package sample

import (
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"vcp.core/gen/load"
)

// number makes an integer, or a number with a fraction.
func (b *builder) number(s *shape, k kinds) (*load.Node, bool) {
	for range 20 {
		if !b.pay(1 + compared*len(s.except)) {
			return nil, false
		}
		var spelling string
		var ok bool
		switch {
		case k == kInteger:
			spelling, ok = b.multiple(s, s.whole())
		case s.step != nil:
			spelling, ok = b.multiple(s, s.step)
		default:
			spelling, ok = b.fraction(s)
		}
		if !ok {
			return nil, false
		}
		r, _ := rational(spelling)
		if isInteger(spelling) == (k == kInteger) && !slices.ContainsFunc(s.notSteps, func(step *big.Rat) bool { return new(big.Rat).Quo(r, step).IsInt() }) &&
			!contains(s.except, num(spelling)) {
			return num(spelling), true
		}
	}
	return nil, false
}

// wide are integers at which programs change their ways: of 8, 16, 32, 53 and 64 bits, and beyond.
var wide = []string{
	"0", "-1", "127", "-129", "65536", "2147483648", "-2147483649", "9007199254740993", "9223372036854775807", "-9223372036854775808",
	"9223372036854775808", "18446744073709551616", "123456789012345678901234567890", "-1000000000000000000000000000000000000000",
}

// multiple makes a multiple of step: on a bound, beside it, or anywhere between.
func (b *builder) multiple(s *shape, step *big.Rat) (string, bool) {
	first, last := s.multiples(step)
	var n *big.Int
	switch {
	case s.aim > 0 && last != nil && (first == nil || first.Cmp(last) <= 0):
		n = last
	case s.aim < 0 && first != nil && (last == nil || first.Cmp(last) <= 0):
		n = first
	case first != nil && last != nil:
		if first.Cmp(last) > 0 {
			return "", false
		}
		size := new(big.Int).Sub(last, first)
		n = new(big.Int)
		switch b.rng.IntN(6) {
		case 0:
		case 1:
			n.Set(size)
		case 2:
			n.SetInt64(1)
		default:
			n.SetUint64(b.rng.Uint64())
			n.Mul(n, size).Rsh(n, 64)
			if size.IsInt64() && size.Int64() < 1<<20 {
				n.SetInt64(b.rng.Int64N(size.Int64() + 1))
			}
		}
		if n.Cmp(size) > 0 {
			n.Set(size)
		}
		n.Add(n, first)
	case first != nil:
		n = new(big.Int).Add(first, b.distance())
	case last != nil:
		n = new(big.Int).Sub(last, b.distance())
	default:
		n = b.distance()
		if b.odds(3) {
			n.Neg(n)
		}
	}
	return b.spelled(new(big.Rat).Mul(new(big.Rat).SetInt(n), step)), true
}

// distance draws how far from a bound, 0 included: near mostly, beyond all machine words sometimes.
func (b *builder) distance() *big.Int {
	if b.odds(6) {
		n, _ := new(big.Int).SetString(pick(b.rng, wide...), 10)
		return n.Abs(n)
	}
	return big.NewInt(b.rng.Int64N(pick[int64](b.rng, 1, 3, 100, 1_000_000)))
}

// spelled writes a number. Large powers of ten are written as such.
func (b *builder) spelled(r *big.Rat) string {
	s := decimal(r)
	if r.IsInt() && len(s) > 25 {
		if short := strings.TrimRight(s, "0"); len(s)-len(short) > 9 {
			return short + "e" + big.NewInt(int64(len(s)-len(short))).String()
		}
	}
	return s
}

// fraction makes a number that is no integer.
func (b *builder) fraction(s *shape) (string, bool) {
	small := unit(pick(b.rng, 1, 1, 2, 3, 9, 20))
	offset := new(big.Rat).Mul(small, big.NewRat(1+b.rng.Int64N(9), 1))
	switch {
	case s.aim > 0 && s.high != nil:
		return decimal(new(big.Rat).Sub(s.high, unit(places(s.high)+pick(b.rng, 1, 9, 20)))), true
	case s.aim < 0 && s.low != nil:
		return decimal(new(big.Rat).Add(s.low, unit(places(s.low)+pick(b.rng, 1, 9, 20)))), true
	case s.low != nil && !s.lowOpen && b.odds(6):
		return decimal(s.low), true
	case s.high != nil && !s.highOpen && b.odds(6):
		return decimal(s.high), true
	case s.low != nil && s.high != nil:
		// A point between the bounds, at as many places as it takes to have some there.
		room := new(big.Rat).Sub(s.high, s.low)
		if room.Sign() == 0 {
			return decimal(s.low), !s.lowOpen && !s.highOpen
		}
		n := max(places(s.low), places(s.high))
		for unit(n).Cmp(room) >= 0 {
			n++
		}
		u := unit(n + 1 + b.rng.IntN(3))
		steps := new(big.Rat).Quo(room, u)
		k := new(big.Int).SetUint64(b.rng.Uint64())
		k.Mul(k, down(steps)).Rsh(k, 64)
		if b.odds(3) || k.Sign() == 0 {
			k.SetInt64(1)
		}
		return decimal(new(big.Rat).Add(s.low, new(big.Rat).Mul(u, new(big.Rat).SetInt(k)))), true
	case s.low != nil:
		return decimal(offset.Add(offset, s.low).Add(offset, new(big.Rat).SetInt(b.distance()))), true
	case s.high != nil:
		return decimal(offset.Sub(s.high, offset).Sub(offset, new(big.Rat).SetInt(b.distance()))), true
	}
	if b.odds(3) {
		return pick(b.rng, "0.1", "-0.5", "1e-7", "2.5E+1", "3.141592653589793238462643383279", "1.5e-300", "-12345678901234567890.5", "6.02214076e-23"), true
	}
	return decimal(offset.Add(offset, new(big.Rat).SetInt(b.distance()))), true
}

// fits reports whether a text is as the shape says.
func (s *shape) fits(text string) bool {
	n := utf8.RuneCountInString(text)
	if n < s.short || n > s.long {
		return false
	}
	for _, p := range s.patterns {
		if matched, decided := p.match(text); !matched || !decided {
			return false
		}
	}
	for _, p := range s.notPatterns {
		if matched, decided := p.match(text); matched || !decided {
			return false
		}
	}
	for _, name := range s.formats {
		if !formats[name].check(text) {
			return false
		}
	}
	for _, name := range s.notFormats {
		if !slices.Contains(formats[name].wrong, text) {
			return false
		}
	}
	return true
}

// string makes a text: by a format, by a pattern, or freely.
func (b *builder) string(s *shape) (string, bool) {
	if s.short > s.long || s.short > largest {
		return "", false
	}
	for try := range 40 {
		text, ok := b.draft(s, try)
		if ok && s.fits(text) && !contains(s.except, str(text)) {
			return text, true
		}
	}
	return "", false
}

func (b *builder) draft(s *shape, try int) (string, bool) {
	if len(s.notFormats) > 0 {
		return pick(b.rng, formats[pick(b.rng, s.notFormats...)].wrong...), true
	}
	if len(s.notPatterns) > 0 && try%3 < 2 {
		return b.spoilt(s)
	}
	ways := len(s.formats) + len(s.patterns)
	if ways == 0 {
		return b.free(s), true
	}
	// All of them in turn: the first ones are the likeliest to imply the others.
	if i := try % ways; i < len(s.formats) {
		low := s.short
		if s.long < 100 && b.odds(8) {
			low = s.long
		}
		return formats[s.formats[i]].make(b.rng, low), true
	} else if p := s.patterns[i-len(s.formats)]; !p.beyond && b.pay(max(p.root.least, min(s.short, largest))) {
		return p.make(b.rng, s.short, s.long)
	}
	return "", false
}

// spoilt makes a text that a pattern does not match, though nearly: one that it matches with one character more,
// less or another, or nothing but blanks.
func (b *builder) spoilt(s *shape) (string, bool) {
	if b.odds(4) {
		return strings.Repeat(" ", min(max(s.short, b.rng.IntN(3)), s.long)), true
	}
	p := pick(b.rng, s.notPatterns...)
	made, ok := p.make(b.rng, max(s.short-1, 0), min(s.long+1, boundless))
	r := []rune(made)
	if !ok {
		return "", false
	}
	other := pick(b.rng, []rune("!~ aZ0é\n😀-_")...)
	if len(r) == 0 || b.odds(3) {
		return string(slices.Insert(r, b.rng.IntN(len(r)+1), other)), true
	}
	if i := b.rng.IntN(len(r)); b.odds(2) {
		r[i] = other
	} else {
		r = slices.Delete(r, i, i+1)
	}
	return string(r), true
}

// phrases are texts that programs trip over.
var phrases = []string{
	"", " ", "a", "null", "true", "0", "1.0", "{}", "日程", "naïve", "😀👍🏽", "\u2028", "\u0000", "<&>", "\\u0041", "\"", "a\tb\n", "\ufeff", "e\u0301", "../..", "$resource",
}

var everything, plain = newAlphabet(charset(nil).not()), newAlphabet(charset{{' ', '~'}})

// free makes a text that only has a length.
func (b *builder) free(s *shape) string {
	if b.odds(3) {
		if p := pick(b.rng, phrases...); s.fits(p) {
			return p
		}
	}
	size := s.short + b.rng.IntN(12)
	switch {
	case b.odds(4):
		size = s.short
	case s.long < 4096 && b.odds(6):
		size = s.long
	}
	size = min(size, s.long)
	draw := pick(b.rng, everything, plain)
	out := make([]rune, size)
	for i := range out {
		out[i], _ = draw.choose(b.rng)
	}
	return string(out)
}
