package wire

import (
	"math"
	"strconv"
	"strings"
)

// Decimal is an exact decimal number of any size, as JSON spells it. Comparison works on digit
// strings: no float, no precision lost, and no cost that grows with the exponent's value.
//
// The zero Decimal is the number 0. A Decimal is immutable; it aliases the text it was parsed from.
type Decimal struct {
	text string

	// The value is 0.d1d2…dn × 10^exp, where d1…dn are the digits text[intFrom:intTo] followed by
	// text[fracFrom:fracTo], d1 and dn not zero. Zero has no digits, exp 0 and no sign.
	intFrom, intTo   uint32
	fracFrom, fracTo uint32
	exp              int64
	negative         bool
	// far is the sign of an exponent whose text has more than nearDigits digits. exp then holds only what
	// has to be added to that text, and exponent arithmetic is done on digit strings.
	far int8
}

// nearDigits is how many digits an exponent may have for exp to hold it: 10^18 plus the length of any
// document is below 2^63.
const nearDigits = 18

// ParseDecimal parses a JSON number (RFC 8259 §6). ok is false when text is anything else, or has 4 GiB
// or more. The cost is linear in len(text).
func ParseDecimal(text string) (d Decimal, ok bool) {
	if len(text) >= math.MaxUint32 {
		return Decimal{}, false
	}
	i := 0
	negative := i < len(text) && text[i] == '-'
	if negative {
		i++
	}
	intFrom, intTo := i, digitsEnd(text, i)
	i = intTo
	if intTo == intFrom || text[intFrom] == '0' && intTo > intFrom+1 {
		return Decimal{}, false
	}
	fracFrom, fracTo := i, i
	if i < len(text) && text[i] == '.' {
		fracFrom, fracTo = i+1, digitsEnd(text, i+1)
		i = fracTo
		if fracTo == fracFrom {
			return Decimal{}, false
		}
	}
	expText, expNegative := "", false
	if i < len(text) && text[i]|0x20 == 'e' {
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			expNegative = text[i] == '-'
			i++
		}
		end := digitsEnd(text, i)
		if end == i {
			return Decimal{}, false
		}
		expText = text[i:end]
		i = end
	}
	if i != len(text) {
		return Decimal{}, false
	}

	// Drop zeros at both ends and count where the point is.
	point := int64(intTo - intFrom)
	if text[intFrom] == '0' {
		point, intFrom = 0, intTo
		for fracFrom < fracTo && text[fracFrom] == '0' {
			fracFrom++
			point--
		}
	}
	for fracTo > fracFrom && text[fracTo-1] == '0' {
		fracTo--
	}
	if fracTo == fracFrom {
		for intTo > intFrom && text[intTo-1] == '0' {
			intTo--
		}
	}
	if intTo == intFrom && fracTo == fracFrom {
		return Decimal{text: text}, true
	}
	d = Decimal{
		text: text, negative: negative, exp: point,
		intFrom: uint32(intFrom), intTo: uint32(intTo), fracFrom: uint32(fracFrom), fracTo: uint32(fracTo),
	}
	expText = strings.TrimLeft(expText, "0")
	sign := int64(1)
	if expNegative {
		sign = -1
	}
	if len(expText) > nearDigits {
		d.far = int8(sign)
		return d, true
	}
	e := int64(0)
	for k := range len(expText) {
		e = e*10 + int64(expText[k]-'0')
	}
	d.exp += sign * e
	return d, true
}

func digitsEnd(text string, i int) int {
	for i < len(text) && text[i]-'0' <= 9 {
		i++
	}
	return i
}

// DecimalOf returns n as a Decimal.
func DecimalOf(n int64) Decimal {
	d, _ := ParseDecimal(strconv.FormatInt(n, 10))
	return d
}

// String returns the number as it was written.
func (d Decimal) String() string {
	if d.text == "" {
		return "0"
	}
	return d.text
}

// Sign returns -1, 0 or 1. Minus zero has sign 0.
func (d Decimal) Sign() int {
	switch {
	case d.digits() == 0:
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// digits returns the number of significant digits, 0 for zero.
func (d Decimal) digits() int { return int(d.intTo-d.intFrom) + int(d.fracTo-d.fracFrom) }

func (d Decimal) intDigits() string  { return d.text[d.intFrom:d.intTo] }
func (d Decimal) fracDigits() string { return d.text[d.fracFrom:d.fracTo] }

// Cmp returns -1, 0 or 1 as d is less than, equal to or greater than e. It is exact for exponents of any
// size, and its cost is linear in the length of the two texts.
func (d Decimal) Cmp(e Decimal) int {
	sign := d.Sign()
	if s := e.Sign(); sign != s || sign == 0 {
		return cmpInt(int64(sign), int64(s))
	}
	if c := cmpExponents(d, e); c != 0 {
		return sign * c
	}
	return sign * cmpDigits(d, e)
}

// Equal reports whether d and e are the same number: 1, 1.0 and 10e-1 are.
func (d Decimal) Equal(e Decimal) bool { return d.Cmp(e) == 0 }

func cmpInt(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// cmpExponents compares the exponents of two numbers that are not zero.
func cmpExponents(d, e Decimal) int {
	if d.far == 0 && e.far == 0 {
		return cmpInt(d.exp, e.exp)
	}
	dSign, dText := d.exponent(0)
	eSign, eText := e.exponent(0)
	if dSign != eSign {
		return cmpInt(int64(dSign), int64(eSign))
	}
	if len(dText) != len(eText) {
		return dSign * cmpInt(int64(len(dText)), int64(len(eText)))
	}
	return dSign * strings.Compare(dText, eText)
}

// exponent returns the sign and the digits of the exponent plus delta.
func (d Decimal) exponent(delta int64) (sign int, text string) {
	if d.far == 0 {
		e := d.exp + delta
		if e < 0 {
			return -1, strconv.FormatInt(-e, 10)
		}
		return 1, strconv.FormatInt(e, 10)
	}
	text = d.text[strings.LastIndexAny(d.text, "eE")+1:]
	text = strings.TrimLeft(text, "+-0")
	sign = int(d.far)
	return sign, addToDigits(text, int64(sign)*(d.exp+delta))
}

// addToDigits returns digits plus delta. digits is more than |delta|.
func addToDigits(digits string, delta int64) string {
	sum := []byte(digits)
	for i := len(sum) - 1; i >= 0 && delta != 0; i-- {
		v := int64(sum[i]-'0') + delta
		digit := (v%10 + 10) % 10
		sum[i] = '0' + byte(digit)
		delta = (v - digit) / 10
	}
	if delta > 0 {
		return strconv.FormatInt(delta, 10) + string(sum)
	}
	return strings.TrimLeft(string(sum), "0")
}

// cmpDigits compares 0.d1d2… of two numbers that are not zero. Both lists of digits come in two pieces,
// cut at the decimal point wherever that was.
func cmpDigits(d, e Decimal) int {
	a, aRest := d.intDigits(), d.fracDigits()
	b, bRest := e.intDigits(), e.fracDigits()
	for {
		if a == "" {
			a, aRest = aRest, ""
		}
		if b == "" {
			b, bRest = bRest, ""
		}
		// The last digit is not zero, so of two equal beginnings the longer list is greater.
		n := min(len(a), len(b))
		if n == 0 {
			return cmpInt(int64(len(a)), int64(len(b)))
		}
		if c := strings.Compare(a[:n], b[:n]); c != 0 {
			return c
		}
		a, b = a[n:], b[n:]
	}
}

// IsInteger reports whether the number has no fractional part: 1.0, 1e2 and 10e-1 are integers.
func (d Decimal) IsInteger() bool {
	if d.far != 0 {
		return d.far > 0
	}
	return d.exp >= int64(d.digits())
}

// Int64 returns the number as an int64. ok is false when it is no integer or out of range.
func (d Decimal) Int64() (n int64, ok bool) {
	if !d.IsInteger() || d.far != 0 || d.exp > 19 {
		return 0, false
	}
	var u uint64
	for k := range int(d.exp) {
		u = u*10 + uint64(d.digit(k)) // 19 digits fit
	}
	switch {
	case d.negative && u <= 1<<63:
		return -int64(u), true
	case !d.negative && u < 1<<63:
		return int64(u), true
	}
	return 0, false
}

// digit returns significant digit k, 0 after the last one.
func (d Decimal) digit(k int) byte {
	if n := int(d.intTo - d.intFrom); k < n {
		return d.text[int(d.intFrom)+k] - '0'
	} else if k -= n; k < int(d.fracTo-d.fracFrom) {
		return d.text[int(d.fracFrom)+k] - '0'
	}
	return 0
}

// Canonical returns the one spelling that all texts of the same number share: the significant digits, and
// an exponent unless it is 0. So 1, 1.0, 10e-1 and 1e0 become 1; 100 becomes 1e2; 1.50 becomes 15e-1; -0
// becomes 0. It is a JSON number.
func (d Decimal) Canonical() string { return string(d.AppendCanonical(nil)) }

// AppendCanonical appends the [Decimal.Canonical] spelling.
func (d Decimal) AppendCanonical(dst []byte) []byte {
	n := d.digits()
	if n == 0 {
		return append(dst, '0')
	}
	if d.negative {
		dst = append(dst, '-')
	}
	dst = append(dst, d.intDigits()...)
	dst = append(dst, d.fracDigits()...)
	if d.far == 0 {
		if e := d.exp - int64(n); e != 0 {
			dst = append(dst, 'e')
			dst = strconv.AppendInt(dst, e, 10)
		}
		return dst
	}
	sign, text := d.exponent(-int64(n))
	dst = append(dst, 'e')
	if sign < 0 {
		dst = append(dst, '-')
	}
	return append(dst, text...)
}
