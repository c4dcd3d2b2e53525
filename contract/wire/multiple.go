package wire

import (
	"math"
	"math/big"
	"math/bits"
)

// The work that Multiple does is bounded by these. They are far beyond what any schema asks for.
const (
	maxDivisorDigits  = 1_000   // significant digits of the divisor
	maxExponentDigits = 1_000   // digits of either exponent
	maxDigitProduct   = 1 << 26 // digits of the number times digits of a divisor beyond 64 bits
)

// Multiple reports whether d is an integer times of (JSON Schema's multipleOf), exactly. of must be
// positive. 0 is a multiple of everything. The verdict is Undecided (LIMIT_NUMBER) only when of has more
// than 1,000 significant digits, an exponent is written with more than 1,000 digits, or of does not fit
// in 64 bits and d has very many digits.
//
// # Why the exponent costs nothing
//
// Write d = X·10^a and of = M·10^b with integers X and M that do not end in 0, and let e = a-b. Then d is
// a multiple of of exactly when M divides X·10^e.
//
// If e < 0 that would make X a multiple of 10, which it is not: the answer is no. Otherwise 10^e can only
// help with the factors 2 and 5 of M, at most e of each. Take those out of M, leaving M'; then M divides
// X·10^e exactly when M' divides X. No power of ten is ever computed, so 1e400 or 1e999999999 cost what
// their few digits cost.
func (d Decimal) Multiple(of Decimal) Verdict {
	switch {
	case d.Sign() == 0:
		return Valid
	case of.Sign() == 0:
		return Invalid
	}
	e, ok := exponentGap(d, of)
	switch {
	case !ok || of.digits() > maxDivisorDigits:
		return Undecided
	case e < 0:
		return Invalid
	case d.digits() <= 18 && of.digits() <= 18: // the usual case
		return verdictOf(d.significand()%withoutTens(of.significand(), e) == 0)
	}
	if of.digits() <= 18 {
		m := withoutTens(of.significand(), e)
		return verdictOf(d.mod64(m) == 0)
	}
	m, _ := new(big.Int).SetString(of.intDigits()+of.fracDigits(), 10)
	m = bigWithoutTens(m, e)
	if m.IsUint64() {
		return verdictOf(d.mod64(m.Uint64()) == 0)
	}
	if d.digits() > maxDigitProduct/of.digits() {
		return Undecided
	}
	return verdictOf(d.modBig(m).Sign() == 0)
}

func verdictOf(ok bool) Verdict {
	if ok {
		return Valid
	}
	return Invalid
}

// exponentGap returns a-b of [Decimal.Multiple], held within int64. ok is false when an exponent is too
// long to compute with.
func exponentGap(d, of Decimal) (gap int64, ok bool) {
	if d.far == 0 && of.far == 0 {
		return d.exp - int64(d.digits()) - (of.exp - int64(of.digits())), true
	}
	dSign, dText := d.exponent(-int64(d.digits()))
	ofSign, ofText := of.exponent(-int64(of.digits()))
	if len(dText) > maxExponentDigits || len(ofText) > maxExponentDigits {
		return 0, false
	}
	a, _ := new(big.Int).SetString(dText, 10)
	b, _ := new(big.Int).SetString(ofText, 10)
	if dSign < 0 {
		a.Neg(a)
	}
	if ofSign < 0 {
		b.Neg(b)
	}
	a.Sub(a, b)
	switch {
	case a.IsInt64():
		return a.Int64(), true
	case a.Sign() < 0:
		return math.MinInt64, true
	}
	return math.MaxInt64, true
}

// significand returns the significant digits as an integer; there are at most 18.
func (d Decimal) significand() uint64 {
	var u uint64
	for k := range d.digits() {
		u = u*10 + uint64(d.digit(k))
	}
	return u
}

// withoutTens takes at most e factors 2 and at most e factors 5 out of m, which is not 0.
func withoutTens(m uint64, e int64) uint64 {
	m >>= min(int64(bits.TrailingZeros64(m)), e)
	for ; e > 0 && m%5 == 0; e-- {
		m /= 5
	}
	return m
}

func bigWithoutTens(m *big.Int, e int64) *big.Int {
	m.Rsh(m, uint(min(int64(m.TrailingZeroBits()), e)))
	five, quotient, rest := big.NewInt(5), new(big.Int), new(big.Int)
	for ; e > 0; e-- {
		if quotient.QuoRem(m, five, rest); rest.Sign() != 0 {
			break
		}
		m, quotient = quotient, m
	}
	return m
}

// mod64 returns the significant digits, read as an integer, modulo m.
func (d Decimal) mod64(m uint64) uint64 {
	var rest uint64
	for _, digits := range [...]string{d.intDigits(), d.fracDigits()} {
		for k := range len(digits) {
			hi, lo := bits.Mul64(rest, 10)
			lo, carry := bits.Add64(lo, uint64(digits[k]-'0'), 0)
			rest = bits.Rem64(hi+carry, lo, m)
		}
	}
	return rest
}

// modBig is mod64 for a divisor of any size.
func (d Decimal) modBig(m *big.Int) *big.Int {
	const chunk = 18
	rest, part := new(big.Int), new(big.Int)
	for _, digits := range [...]string{d.intDigits(), d.fracDigits()} {
		for len(digits) > 0 {
			n := min(chunk, len(digits))
			value, scale := uint64(0), uint64(1)
			for k := range n {
				value, scale = value*10+uint64(digits[k]-'0'), scale*10
			}
			rest.Mul(rest, part.SetUint64(scale))
			rest.Add(rest, part.SetUint64(value))
			rest.Rem(rest, m)
			digits = digits[n:]
		}
	}
	return rest
}
