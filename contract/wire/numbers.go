package wire

import (
	"math"
	"math/big"
	"strconv"
)

// Number is a JSON number of any size that keeps its spelling: 1.10 stays 1.10, 9007199254740993 stays
// exact. The zero Number is 0. == compares spellings; Decimal().Cmp compares values.
type Number struct {
	text string // "" for the zero Number, else a JSON number
}

// ParseNumber returns text as a Number. ok is false when it is no JSON number (RFC 8259 §6).
func ParseNumber(text string) (n Number, ok bool) {
	if _, ok := ParseDecimal(text); !ok {
		return Number{}, false
	}
	return Number{text: text}, true
}

// NumberOf returns n as a Number.
func NumberOf(n int64) Number { return Number{text: strconv.FormatInt(n, 10)} }

// NumberOfFloat returns the shortest decimal that rounds to f. ok is false for NaN and infinities, which
// JSON does not have.
func NumberOfFloat(f float64) (n Number, ok bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Number{}, false
	}
	return Number{text: strconv.FormatFloat(f, 'g', -1, 64)}, true
}

// String returns the number as it is spelled.
func (n Number) String() string {
	if n.text == "" {
		return "0"
	}
	return n.text
}

// Decimal returns the number for exact comparison.
func (n Number) Decimal() Decimal {
	d, _ := ParseDecimal(n.String())
	return d
}

// Int64 returns the number as an int64. ok is false when it has a fraction or is out of range; 1.0 and 1e2
// are integers.
func (n Number) Int64() (v int64, ok bool) { return n.Decimal().Int64() }

// Float64 returns the nearest float64. ok is false when the number is beyond the range of float64; a
// nonzero number may still become 0, and precision may be lost.
func (n Number) Float64() (f float64, ok bool) {
	f, err := strconv.ParseFloat(n.String(), 64)
	return f, err == nil
}

// AppendJSON appends the number as it is spelled.
func (n Number) AppendJSON(dst []byte) []byte { return append(dst, n.String()...) }

// MarshalJSON is AppendJSON for encoders that look for this method. The error is nil.
func (n Number) MarshalJSON() ([]byte, error) { return n.AppendJSON(nil), nil }

// Int is a JSON integer of any size that keeps its spelling; JSON Schema counts 1.0 and 1e2 as integers too.
// The zero Int is 0. == compares spellings; Decimal().Cmp compares values.
type Int struct {
	text string // "" for the zero Int, else a JSON number without fraction
}

// ParseInt returns text as an Int. ok is false when it is no JSON number, or has a fraction.
func ParseInt(text string) (n Int, ok bool) {
	if d, ok := ParseDecimal(text); !ok || !d.IsInteger() {
		return Int{}, false
	}
	return Int{text: text}, true
}

// IntOf returns n as an Int.
func IntOf(n int64) Int { return Int{text: strconv.FormatInt(n, 10)} }

// String returns the integer as it is spelled.
func (n Int) String() string {
	if n.text == "" {
		return "0"
	}
	return n.text
}

// Decimal returns the integer for exact comparison.
func (n Int) Decimal() Decimal {
	d, _ := ParseDecimal(n.String())
	return d
}

// Int64 returns the integer as an int64. ok is false when it is out of range.
func (n Int) Int64() (v int64, ok bool) { return n.Decimal().Int64() }

// maxBigDigits bounds what Big writes out: 1e999999999 is one short text and a gigabyte of digits.
const maxBigDigits = 10_000

// Big returns the integer as a big.Int of the caller's own. ok is false when it has more than 10,000 digits.
func (n Int) Big() (v *big.Int, ok bool) {
	d := n.Decimal()
	switch {
	case d.far > 0 || d.exp > maxBigDigits:
		return nil, false
	case d.Sign() == 0:
		return new(big.Int), true
	}
	digits := make([]byte, 0, d.exp)
	for k := range int(d.exp) {
		digits = append(digits, '0'+d.digit(k))
	}
	v, ok = new(big.Int).SetString(string(digits), 10)
	if d.negative {
		v.Neg(v)
	}
	return v, ok
}

// AppendJSON appends the integer as it is spelled.
func (n Int) AppendJSON(dst []byte) []byte { return append(dst, n.String()...) }

// MarshalJSON is AppendJSON for encoders that look for this method. The error is nil.
func (n Int) MarshalJSON() ([]byte, error) { return n.AppendJSON(nil), nil }
