package fuzz

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"vcp.core/contract/openjson"
	"vcp.core/contract/wire"
)

// rat reads a number exactly. ok is false for exponents that big.Rat would write out in full.
func rat(text string) (r *big.Rat, ok bool) {
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		e, err := strconv.Atoi(text[at+1:])
		if err != nil || e < -2000 || e > 2000 {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

// FuzzDecimal: parsing agrees with the scanner, and arithmetic with big.Rat where that can follow.
func FuzzDecimal(f *testing.F) {
	numbers := []string{"0", "-0", "1", "1.0", "10e-1", "0.1", "1e400", "1e-400", "-1.50e3", "9007199254740993", "1e99999999999999999999", "-1E-99999999999999999999", "123456789012345678901234567890.5", "0.01", "1.5", "00", "1.", "-", "1e"}
	for i, a := range numbers {
		f.Add(a, numbers[(i*5+3)%len(numbers)])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, ok := wire.ParseDecimal(a)
		var tape wire.Tape
		scanned := tape.Scan([]byte(a), wire.Limits{}) == nil && tape.Kind(0) == wire.KindNumber && len(tape.Raw(0)) == len(a)
		if ok != scanned {
			t.Fatalf("%q: ParseDecimal %v, scan %v", a, ok, scanned)
		}
		y, ok2 := wire.ParseDecimal(b)
		if !ok || !ok2 {
			return
		}
		// Laws that hold for exponents of any size.
		c := x.Cmp(y)
		if self, _ := wire.ParseDecimal(a); c != -y.Cmp(x) || x.Cmp(self) != 0 {
			t.Fatalf("%s cmp %s is no order", a, b)
		}
		if (x.Canonical() == y.Canonical()) != (c == 0) {
			t.Fatalf("%s cmp %s is %d, canonical %s and %s", a, b, c, x.Canonical(), y.Canonical())
		}
		if again, ok := wire.ParseDecimal(x.Canonical()); !ok || again.Cmp(x) != 0 || again.Canonical() != x.Canonical() {
			t.Fatalf("%s: canonical %s is not stable", a, x.Canonical())
		}
		if one := wire.DecimalOf(1); (x.Multiple(one) == wire.Valid) != x.IsInteger() && x.Multiple(one) != wire.Undecided {
			t.Fatalf("%s: integer %v, multiple of 1 %d", a, x.IsInteger(), x.Multiple(one))
		}
		ra, ok := rat(a)
		rb, ok2 := rat(b)
		if !ok || !ok2 {
			return
		}
		if got := ra.Cmp(rb); got != c {
			t.Fatalf("%s cmp %s: %d, big.Rat %d", a, b, c, got)
		}
		if ra.IsInt() != x.IsInteger() {
			t.Fatalf("%s: integer %v, big.Rat %v", a, x.IsInteger(), ra.IsInt())
		}
		if v, ok := x.Int64(); ok != (ra.IsInt() && ra.Num().IsInt64()) || ok && v != ra.Num().Int64() {
			t.Fatalf("%s: int64 %d, %v", a, v, ok)
		}
		if rb.Sign() != 0 {
			want := wire.Invalid
			if new(big.Rat).Quo(ra, rb).IsInt() {
				want = wire.Valid
			}
			if got := x.Multiple(y); got != want && got != wire.Undecided {
				t.Fatalf("%s multiple of %s: %d, big.Rat %d", a, b, got, want)
			}
		}
	})
}

// same is equality in JSON Schema's sense on values of encoding/json. known is false when a number's
// exponent is too large to tell.
func same(a, b any) (equal, known bool) {
	switch a := a.(type) {
	case json.Number:
		b, isNumber := b.(json.Number)
		if !isNumber {
			return false, true
		}
		ra, ok := rat(a.String())
		rb, ok2 := rat(b.String())
		if !ok || !ok2 {
			return false, false
		}
		return ra.Cmp(rb) == 0, true
	case []any:
		b, isArray := b.([]any)
		if !isArray || len(a) != len(b) {
			return false, true
		}
		for i := range a {
			if equal, known := same(a[i], b[i]); !equal || !known {
				return false, known
			}
		}
		return true, true
	case map[string]any:
		b, isObject := b.(map[string]any)
		if !isObject || len(a) != len(b) {
			return false, true
		}
		allKnown := true
		for name, v := range a {
			w, has := b[name]
			if !has {
				return false, true
			}
			equal, known := same(v, w)
			if known && !equal {
				return false, true
			}
			allKnown = allKnown && known
		}
		return allKnown, allKnown
	}
	return a == b, true
}

func decode(src []byte) any {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// FuzzCanonical: canonical forms, Equal, Hash and an equality of decoded values all say the same.
func FuzzCanonical(f *testing.F) {
	documents := []string{
		`1`, `1.0`, `10e-1`, `0`, `-0.0`, `"a"`, `"\u0061"`, `null`, `[]`, `{}`, `[1,2]`, `[2,1]`, `{"a":1,"b":2}`, `{"b":2.0,"a":1}`, `{"a":2,"b":1}`,
		`{"x":[{"y":{"q":[1,{"s":false,"r":null}],"p":1}}]}`, `{"x":[{"y":{"p":1,"q":[1,{"r":null,"s":false}]}}]}`, `[[1],2]`, `[[1,2]]`, `{"a":{"b":1},"c":{"b":2}}`, `{"a":{"b":2},"c":{"b":1}}`,
		`{"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0,"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":[]}`,
		`{"i":[],"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0,"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":-0}`,
	}
	for i, a := range documents {
		f.Add([]byte(a), []byte(documents[(i+1)%len(documents)]))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var x, y wire.Tape
		if x.Scan(a, wire.Limits{}) != nil {
			return
		}
		formA := wire.AppendCanonical(nil, &x, 0)
		agree := func(b []byte, y *wire.Tape, equal bool) {
			formB := wire.AppendCanonical(nil, y, 0)
			if wire.Equal(&x, 0, y, 0) != equal || wire.Equal(y, 0, &x, 0) != equal || bytes.Equal(formA, formB) != equal || (wire.Hash(&x, 0) == wire.Hash(y, 0)) != equal {
				t.Fatalf("%q and %q, equal %v: Equal %v, canonical %q and %q, hashes %x and %x", a, b, equal, wire.Equal(&x, 0, y, 0), formA, formB, wire.Hash(&x, 0), wire.Hash(y, 0))
			}
		}
		// The same value in other clothes: canonical, and as encoding/json writes it.
		std, err := json.Marshal(decode(a))
		if err != nil {
			t.Fatalf("encoding/json: %v", err)
		}
		for _, other := range [][]byte{formA, std} {
			if err := y.Scan(other, wire.Limits{}); err != nil {
				t.Fatalf("%q becomes %q: %v", a, other, err)
			}
			agree(other, &y, true)
		}
		if y.Scan(b, wire.Limits{}) != nil {
			return
		}
		if equal, known := same(decode(a), decode(b)); known {
			agree(b, &y, equal)
		}
	})
}

// FuzzQuoted: any Go string becomes a JSON string that reads back as the same text, invalid bytes as U+FFFD.
func FuzzQuoted(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "<>&\u2028\u2029", "é日😀", "a\xffb", "\xe4\xb8", "\xed\xa0\x80", "long enough for a word\xf0 and then some"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		quoted := wire.AppendQuoted(nil, s)
		want := string([]rune(s)) // each invalid byte becomes one U+FFFD
		var tape wire.Tape
		if err := tape.Scan(quoted, wire.Limits{}); err != nil || tape.String(0) != want {
			t.Fatalf("%q becomes %q: %v", s, quoted, err)
		}
		var std string
		if err := json.Unmarshal(quoted, &std); err != nil || std != want {
			t.Fatalf("%q becomes %q: encoding/json reads %q, %v", s, quoted, std, err)
		}
		if again := wire.AppendQuoted(nil, want); !bytes.Equal(again, quoted) {
			t.Fatalf("%q becomes %q, its text %q", s, quoted, again)
		}
	})
}

// FuzzOpen: openjson accepts what the scanner accepts, reads what encoding/json reads, and writes it back.
func FuzzOpen(f *testing.F) {
	for _, src := range hostile {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		v, err := openjson.Decode(src, wire.Limits{})
		var tape wire.Tape
		if scanErr := tape.Scan(src, wire.Limits{}); (err == nil) != (scanErr == nil) {
			t.Fatalf("%q: scan says %v, Decode says %v", src, scanErr, err)
		}
		if err != nil {
			return
		}
		if want := decode(src); !reflect.DeepEqual(v, want) {
			t.Fatalf("%q: got %#v, encoding/json %#v", src, v, want)
		}
		out, err := openjson.Encode(v)
		if err != nil {
			t.Fatalf("%q: encode: %v", src, err)
		}
		if again := decode(out); !reflect.DeepEqual(again, v) {
			t.Fatalf("%q comes back as %q", src, out)
		}
	})
}
