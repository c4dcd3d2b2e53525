package wire

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

func decimal(t testing.TB, text string) Decimal {
	t.Helper()
	d, ok := ParseDecimal(text)
	if !ok {
		t.Fatalf("%q is no decimal", text)
	}
	return d
}

// zeros returns n digits 0.
func zeros(n int) string { return strings.Repeat("0", n) }

func TestParseDecimal(t *testing.T) {
	for _, c := range []struct {
		text, canonical string
		integer         bool
	}{
		{"0", "0", true}, {"-0", "0", true}, {"0.000", "0", true}, {"-0e5", "0", true}, {"0e-99999999999999999999", "0", true},
		{"1", "1", true}, {"1.0", "1", true}, {"10e-1", "1", true}, {"1e0", "1", true}, {"0.1e1", "1", true}, {"1E+0", "1", true}, {"100e-00002", "1", true},
		{"-1", "-1", true}, {"-1.50", "-15e-1", false}, {"100", "1e2", true}, {"1e2", "1e2", true}, {"1.10", "11e-1", false},
		{"0.001", "1e-3", false}, {"0.00120", "12e-4", false}, {"120.0340", "120034e-3", false}, {"101", "101", true},
		{"9007199254740993", "9007199254740993", true}, {"1e400", "1e400", true}, {"1e-400", "1e-400", false},
		{"1.5e1", "15", true}, {"1.55e1", "155e-1", false}, {"12345678901234567890.5e1", "123456789012345678905", true},
		{"1e999999999999", "1e999999999999", true}, {"1e-999999999999", "1e-999999999999", false},
		// Exponents at the edge of int64 and beyond, each also in another spelling.
		{"1e999999999999999999", "1e999999999999999999", true},
		{"0.1e1000000000000000000", "1e999999999999999999", true},
		{"1e1000000000000000000", "1e1000000000000000000", true},
		{"10e999999999999999999", "1e1000000000000000000", true},
		{"1e9223372036854775808", "1e9223372036854775808", true},
		{"0.001e99999999999999999999", "1e99999999999999999996", true},
		{"1000e99999999999999999999", "1e100000000000000000002", true},
		{"1.5e-100000000000000000000", "15e-100000000000000000001", false},
		{"15000e-100000000000000000000", "15e-99999999999999999997", false},
		{"-1e0000000000000000000000000000002", "-1e2", true},
		{"1e-99999999999999999999", "1e-99999999999999999999", false},
	} {
		d := decimal(t, c.text)
		if got := d.Canonical(); got != c.canonical {
			t.Errorf("%s: canonical %s, want %s", c.text, got, c.canonical)
		}
		if got := d.IsInteger(); got != c.integer {
			t.Errorf("%s: integer %v, want %v", c.text, got, c.integer)
		}
		if d.String() != c.text {
			t.Errorf("%s: String %s", c.text, d.String())
		}
		again := decimal(t, c.canonical)
		if again.Canonical() != c.canonical || !again.Equal(d) {
			t.Errorf("%s: its canonical form %s is not stable", c.text, c.canonical)
		}
	}
	for _, text := range []string{"", "-", "+1", "01", "-01", "1.", ".5", "1.e1", "1e", "1e+", "1e1.5", "0x1", "1_0", " 1", "1 ", "NaN", "Infinity", "--1", "1e1e1", "１", "1,0"} {
		if d, ok := ParseDecimal(text); ok {
			t.Errorf("%q parses as %s", text, d.Canonical())
		}
	}
	var zero Decimal
	if zero.String() != "0" || zero.Sign() != 0 || !zero.Equal(decimal(t, "-0.0")) || !zero.IsInteger() || zero.Canonical() != "0" {
		t.Error("the zero Decimal is not 0")
	}
}

func TestDecimalCmp(t *testing.T) {
	// Each list ascends strictly; every pair is compared in both directions.
	for _, list := range [][]string{
		{"-1e999999999999999999999", "-1e400", "-10", "-9.99", "-1", "-1e-400", "0", "1e-999999999999999999999", "1e-400", "0.1", "0.10000000000000000000000000001", "0.11", "1", "1.0000001", "2", "9.99", "10", "99", "100", "1e399", "1e400", "11e399", "1e999999999999", "1e999999999999999999999"},
		{"9007199254740992", "9007199254740993", "9007199254740993.0000000000000000000000001", "9007199254740994"},
		{"0.9e1000000000000000000", "1e1000000000000000000", "1.1e1000000000000000000", "1e1000000000000000001"},
		{"1e-1000000000000000001", "0.9e-1000000000000000000", "1e-1000000000000000000", "1e-999999999999999999"},
		{"1.23", "12.3", "123", "1230", "1230.1"},
		{"120", "120.3", "120.34", "121"},
	} {
		for i, a := range list {
			for j, b := range list {
				if got, want := decimal(t, a).Cmp(decimal(t, b)), cmpInt(int64(i), int64(j)); got != want {
					t.Errorf("%s cmp %s: got %d, want %d", a, b, got, want)
				}
			}
		}
	}
	for _, same := range [][]string{
		{"1", "1.0", "10e-1", "0.1e1", "1" + zeros(50) + "e-50"},
		{"0", "-0", "0.0", "0e999999999999999999999", "-0.0e-1"},
		{"1e1000000000000000000", "10e999999999999999999", "0.01e1000000000000000002"},
		{"123.45", "1.2345e2", "12345e-2", "123.4500"},
	} {
		for _, a := range same {
			for _, b := range same {
				if decimal(t, a).Cmp(decimal(t, b)) != 0 {
					t.Errorf("%s and %s are not equal", a, b)
				}
			}
		}
	}
}

func TestDecimalInt64(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		ok   bool
	}{
		{"0", 0, true}, {"-0.0", 0, true}, {"42", 42, true}, {"1e2", 100, true}, {"10e-1", 1, true}, {"-1.50e1", -15, true},
		{"9223372036854775807", 1<<63 - 1, true}, {"9223372036854775808", 0, false},
		{"-9223372036854775808", -1 << 63, true}, {"-9223372036854775809", 0, false},
		{"9.223372036854775807e18", 1<<63 - 1, true}, {"9999999999999999999", 0, false}, {"1e19", 0, false},
		{"1.5", 0, false}, {"1e-1", 0, false}, {"1e400", 0, false}, {"1e99999999999999999999", 0, false}, {"1e-99999999999999999999", 0, false},
	} {
		if got, ok := decimal(t, c.text).Int64(); got != c.want || ok != c.ok {
			t.Errorf("%s: got %d, %v, want %d, %v", c.text, got, ok, c.want, c.ok)
		}
	}
	if d := DecimalOf(-1 << 63); d.String() != "-9223372036854775808" {
		t.Errorf("DecimalOf: %s", d)
	}
}

func TestMultiple(t *testing.T) {
	big27 := "1" + zeros(26) + "7"
	for _, c := range []struct {
		d, of string
		want  Verdict
	}{
		{"0", "3", Valid}, {"-0.0", "0.01", Valid}, {"0e99999999999999999999", "7", Valid},
		{"4.5", "1.5", Valid}, {"-4.5", "1.5", Valid}, {"4.5", "1.4", Invalid}, {"1", "2", Invalid}, {"2", "1", Valid},
		{"0.0075", "0.0001", Valid}, {"0.00751", "0.0001", Invalid}, {"19.99", "0.01", Valid}, {"0.3", "0.1", Valid},
		{"1e308", "0.123456789", Invalid}, {"12391239123", "1e-8", Valid}, {"1e308", "0.5", Valid}, {"3", "1.5e0", Valid},
		{"10", "4", Invalid}, {"100", "4", Valid}, {"1e2", "8", Invalid}, {"1e3", "8", Valid}, {"1e3", "16", Invalid}, {"5e3", "625", Valid}, {"2e3", "625", Invalid}, {"2e4", "625", Valid},
		// Exponents of any size cost nothing and stay exact.
		{"1e400", "3", Invalid}, {"3e400", "3", Valid}, {"1e400", "1e399", Valid}, {"1e400", "1e401", Invalid}, {"1e-400", "1", Invalid}, {"1e-400", "1e-401", Valid},
		{"1e999999999999", "7", Invalid}, {"7e999999999999", "7", Valid}, {"1e999999999999", "1024", Valid}, {"7", "1e-999999999999", Valid},
		{"1e99999999999999999999", "1e99999999999999999998", Valid}, {"1e99999999999999999998", "1e99999999999999999999", Invalid},
		{"3e-99999999999999999999", "1.5e-99999999999999999999", Valid}, {"3e-99999999999999999999", "2e-99999999999999999999", Invalid},
		{"1e99999999999999999999", "1e-99999999999999999999", Valid}, {"1e-99999999999999999999", "1e99999999999999999999", Invalid},
		{"1e1000000000000000000", "1e999999999999999999", Valid}, {"1e999999999999999999", "1e1000000000000000000", Invalid},
		// Long digits, short divisor; then a divisor beyond 64 bits.
		{"123456789012345678901234567890", "10", Valid}, {"123456789012345678901234567890", "7", Valid}, {"123456789012345678901234567890", "11", Invalid}, {"123456789012345678901234567890", "3", Valid},
		{"0.123456789012345678901234567890", "1e-29", Valid}, {"0.123456789012345678901234567891", "1e-29", Invalid},
		{big27, big27, Valid}, {"2" + zeros(26) + "14", big27, Invalid}, {"3" + zeros(25) + "21", big27, Valid}, {big27 + "0", big27, Valid}, {big27 + "1", big27, Invalid},
		{big27 + "e400", big27, Valid}, {"1e400", big27, Invalid}, {"1e400", "1" + zeros(30) + "e-60", Valid},
		{"1e40", "1267650600228229401496703205376", Invalid}, // 2^100
		{"1e100", "1267650600228229401496703205376", Valid},
		{"1e99", "1267650600228229401496703205376", Invalid},
		{"2e99", "1267650600228229401496703205376", Valid},
		{"1e60", "867361737988403547205962240695953369140625", Valid}, // 5^60
		{"1e59", "867361737988403547205962240695953369140625", Invalid},
		{"5e59", "867361737988403547205962240695953369140625", Valid},
		{"1", "0", Invalid}, {"0", "0", Valid},
		{"36893488147419103235", "7378697629483820647", Valid}, // a sum carries over 64 bits on the way
		{"36893488147419103236", "7378697629483820647", Invalid},
		// Beyond the bounds of the work.
		{"1", strings.Repeat("7", maxDivisorDigits+1), Undecided},
		{"1e" + strings.Repeat("9", maxExponentDigits+1), "3", Undecided},
		{"1", "1e-" + strings.Repeat("9", maxExponentDigits+1), Undecided},
		{"1e" + strings.Repeat("9", maxExponentDigits-1), "3", Invalid},
		{strings.Repeat("7", maxDigitProduct/28+1), big27, Undecided},
		{strings.Repeat("7", 7*100_000), "7777777", Valid},
	} {
		if got := decimal(t, c.d).Multiple(decimal(t, c.of)); got != c.want {
			t.Errorf("%.60s multiple of %.60s: got %d, want %d", c.d, c.of, got, c.want)
		}
	}
}

// randomNumber spells a number whose exponent is small enough for big.Rat.
func randomNumber(r *rand.Rand) string {
	var b strings.Builder
	if r.IntN(3) == 0 {
		b.WriteByte('-')
	}
	digits := func(n int) {
		for range n {
			b.WriteByte("0000123456789"[r.IntN(13)])
		}
	}
	if r.IntN(3) == 0 {
		b.WriteByte('0')
	} else {
		b.WriteByte('1' + byte(r.IntN(9)))
		digits(r.IntN(24))
	}
	if r.IntN(2) == 0 {
		b.WriteByte('.')
		digits(1 + r.IntN(24))
	}
	if r.IntN(2) == 0 {
		b.WriteString([]string{"e", "E-", "e+"}[r.IntN(3)])
		digits(1 + r.IntN(2))
	}
	return b.String()
}

// TestDecimalAgainstRat compares every operation with big.Rat on random numbers.
func TestDecimalAgainstRat(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rat := func(text string) *big.Rat {
		v, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("big.Rat refuses %s", text)
		}
		return v
	}
	multiples := 0
	for range 20_000 {
		a, b := randomNumber(r), randomNumber(r)
		if r.IntN(4) == 0 {
			b = new(big.Rat).Mul(rat(a), big.NewRat(int64(r.IntN(3)+1), 1)).FloatString(60)
		}
		x, y := decimal(t, a), decimal(t, b)
		ra, rb := rat(a), rat(b)
		if got, want := x.Cmp(y), ra.Cmp(rb); got != want {
			t.Fatalf("%s cmp %s: got %d, want %d", a, b, got, want)
		}
		if rat(x.Canonical()).Cmp(ra) != 0 {
			t.Fatalf("%s has canonical form %s", a, x.Canonical())
		}
		if (x.Canonical() == y.Canonical()) != (ra.Cmp(rb) == 0) {
			t.Fatalf("%s and %s: canonical forms %s and %s", a, b, x.Canonical(), y.Canonical())
		}
		if x.IsInteger() != ra.IsInt() {
			t.Fatalf("%s integer: %v", a, x.IsInteger())
		}
		v, ok := x.Int64()
		if want := ra.IsInt() && ra.Num().IsInt64(); ok != want || ok && v != ra.Num().Int64() {
			t.Fatalf("%s int64: %d, %v", a, v, ok)
		}
		if x.Sign() != 0 {
			want := verdictOf(new(big.Rat).Quo(rb, ra).IsInt())
			if got := y.Multiple(x); got != want {
				t.Fatalf("%s multiple of %s: got %d, want %d", b, a, got, want)
			}
			if want == Valid {
				multiples++
			}
		}
	}
	if multiples < 1000 {
		t.Errorf("only %d multiples among the random pairs: the test is weak", multiples)
	}
}

// TestDecimalAllocatesNothing holds for numbers whose exponents fit in 64 bits.
func TestDecimalAllocatesNothing(t *testing.T) {
	a, b := "123456.789e-3", "1e400"
	if n := testing.AllocsPerRun(100, func() {
		x, _ := ParseDecimal(a)
		y, _ := ParseDecimal(b)
		cmp, verdict, integer := x.Cmp(y), x.Multiple(y), x.IsInteger()
		if v, ok := x.Int64(); cmp != -1 || verdict != Invalid || integer || v != 0 || ok {
			t.Fatal("wrong results")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
