package sample

import (
	"math/big"
	"strings"
)

// maxExponent bounds the numbers that are computed with.
const maxExponent = 9999

// rational reads a JSON number exactly. ok is false for exponents beyond maxExponent.
func rational(s string) (*big.Rat, bool) {
	mantissa, exponent, has := strings.Cut(strings.ToLower(s), "e")
	if has {
		digits := strings.TrimLeft(strings.TrimLeft(exponent, "+-"), "0")
		if len(digits) > 4 {
			return nil, false
		}
		s = mantissa + "e" + exponent
	}
	return new(big.Rat).SetString(s)
}

// normal is a number as sign, digits without zeros at either end, and a power of ten.
type normal struct {
	negative bool
	digits   string
	exponent string // of big.Int, as text, so that values compare with ==
}

func normalize(s string) normal {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	exp, ok := new(big.Int).SetString("0"+strings.TrimLeft(exponent, "+-"), 10)
	if !ok {
		exp = new(big.Int)
	}
	if strings.HasPrefix(exponent, "-") {
		exp.Neg(exp)
	}
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exp.Sub(exp, big.NewInt(int64(len(fraction))))
	digits := strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(digits, "0")
	if short == "" {
		return normal{}
	}
	exp.Add(exp, big.NewInt(int64(len(digits)-len(short))))
	return normal{negative, short, exp.String()}
}

func sameNumber(a, b string) bool { return a == b || normalize(a) == normalize(b) }

// isInteger reports whether a number has no fraction: 1.0 and 1e3 have none (2020-12 validation §6.1.1).
func isInteger(s string) bool {
	n := normalize(s)
	return n.exponent == "" || !strings.HasPrefix(n.exponent, "-")
}

// decimal spells a rational number that has a finite decimal expansion.
func decimal(r *big.Rat) string {
	places, ten := 0, big.NewRat(10, 1)
	for x := new(big.Rat).Set(r); !x.IsInt() && places < 2*maxExponent; places++ {
		x.Mul(x, ten)
	}
	return r.FloatString(places)
}

// places is the number of decimal places of a number.
func places(r *big.Rat) int {
	s := decimal(r)
	if i := strings.IndexByte(s, '.'); i >= 0 {
		return len(s) - i - 1
	}
	return 0
}

// unit returns 10^-n.
func unit(n int) *big.Rat {
	return new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil))
}

// common returns the least common multiple of two positive numbers.
func common(a, b *big.Rat) *big.Rat {
	// lcm(p/q, r/s) = lcm(p·s, r·q) / (q·s)
	x := new(big.Int).Mul(a.Num(), b.Denom())
	y := new(big.Int).Mul(b.Num(), a.Denom())
	gcd := new(big.Int).GCD(nil, nil, x, y)
	x.Div(x, gcd).Mul(x, y)
	return new(big.Rat).SetFrac(x, new(big.Int).Mul(a.Denom(), b.Denom()))
}

// down and up return the nearest whole number below and above, or r itself when it is whole.
func down(r *big.Rat) *big.Int {
	return new(big.Int).Div(r.Num(), r.Denom()) // Euclidean, and the denominator is positive
}

func up(r *big.Rat) *big.Int {
	if r.IsInt() {
		return new(big.Int).Set(r.Num())
	}
	return new(big.Int).Add(down(r), big.NewInt(1))
}
