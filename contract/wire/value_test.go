package wire

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"testing"
)

func TestOpt(t *testing.T) {
	var absent Opt[string]
	if v, ok := absent.Get(); v != "" || ok || absent.Present() || absent.Or("x") != "x" {
		t.Error("the zero Opt is not absent")
	}
	empty := Some("")
	if v, ok := empty.Get(); v != "" || !ok || !empty.Present() || empty.Or("x") != "" {
		t.Error("a present empty string is not present")
	}
	if absent == empty || empty != Some("") {
		t.Error("absent and empty compare equal")
	}
	both := Some(Nullable[int]{})
	if n, ok := both.Get(); !ok || !n.IsNull() {
		t.Error("present and null")
	}
}

func TestNullable(t *testing.T) {
	var null Nullable[int64]
	if v, ok := null.Get(); v != 0 || ok || !null.IsNull() || null.Or(7) != 7 {
		t.Error("the zero Nullable is not null")
	}
	zero := NotNull(int64(0))
	if v, ok := zero.Get(); v != 0 || !ok || zero.IsNull() || zero.Or(7) != 0 {
		t.Error("0 is null")
	}
	if null == zero || zero != NotNull(int64(0)) {
		t.Error("null and 0 compare equal")
	}
}

func TestNumber(t *testing.T) {
	for _, text := range []string{"1.10", "9007199254740993", "1e400", "-0", "1E+2"} {
		n, ok := ParseNumber(text)
		if !ok || n.String() != text || string(n.AppendJSON([]byte("x"))) != "x"+text || n.Decimal().String() != text {
			t.Errorf("%s: %v, %v", text, n, ok)
		}
	}
	for _, text := range []string{"", "x", "1.", "+1", "NaN"} {
		if _, ok := ParseNumber(text); ok {
			t.Errorf("%q is a Number", text)
		}
	}
	var zero Number
	if zero.String() != "0" || string(zero.AppendJSON(nil)) != "0" {
		t.Error("the zero Number is not 0")
	}
	n, _ := ParseNumber("1e2")
	if v, ok := n.Int64(); v != 100 || !ok {
		t.Errorf("1e2: %d, %v", v, ok)
	}
	if v, ok := NumberOf(math.MinInt64).Int64(); v != math.MinInt64 || !ok {
		t.Errorf("least int64: %d, %v", v, ok)
	}
	for _, c := range []struct {
		f    float64
		want string
	}{{0.1, "0.1"}, {1e21, "1e+21"}, {math.Copysign(0, -1), "-0"}, {5e-324, "5e-324"}, {-2, "-2"}} {
		n, ok := NumberOfFloat(c.f)
		if !ok || n.String() != c.want {
			t.Errorf("%v: %s, %v", c.f, n, ok)
		}
		if f, ok := n.Float64(); f != c.f || !ok {
			t.Errorf("%v comes back as %v", c.f, f)
		}
		if _, ok := ParseNumber(n.String()); !ok {
			t.Errorf("%s is no JSON number", n)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if n, ok := NumberOfFloat(f); ok {
			t.Errorf("%v is the Number %s", f, n)
		}
	}
	huge, _ := ParseNumber("1e400")
	if _, ok := huge.Float64(); ok {
		t.Error("1e400 is a float64")
	}
}

func TestInt(t *testing.T) {
	for _, c := range []struct {
		text, big string
		small     bool
	}{
		{"0", "0", true}, {"-0.0", "0", true}, {"1.0", "1", true}, {"-12e2", "-1200", true}, {"10e-1", "1", true},
		{"9223372036854775808", "9223372036854775808", false},
		{"-123456789012345678901234567890.0", "-123456789012345678901234567890", false},
		{"1.5e30", "1500000000000000000000000000000", false},
	} {
		n, ok := ParseInt(c.text)
		if !ok || n.String() != c.text || string(n.AppendJSON(nil)) != c.text {
			t.Errorf("%s: %v, %v", c.text, n, ok)
		}
		if b, ok := n.Big(); !ok || b.String() != c.big {
			t.Errorf("%s: big %v, %v", c.text, b, ok)
		}
		v, ok := n.Int64()
		if ok != c.small || ok && fmt.Sprint(v) != c.big {
			t.Errorf("%s: int64 %d, %v", c.text, v, ok)
		}
	}
	for _, text := range []string{"1.5", "1e-400", "15e-1", "", "x", "1e-99999999999999999999"} {
		if _, ok := ParseInt(text); ok {
			t.Errorf("%q is an Int", text)
		}
	}
	if n, _ := ParseInt("1e9999"); func() bool { _, ok := n.Big(); return !ok }() {
		t.Error("an Int of 10,000 digits is no big.Int")
	}
	for _, text := range []string{"1e10000", "1e999999999999", "1e99999999999999999999"} {
		n, ok := ParseInt(text)
		if _, big := n.Big(); !ok || big {
			t.Errorf("%s: an Int %v, a big.Int %v; want true, false", text, ok, big)
		}
	}
	var zero Int
	if v, ok := zero.Int64(); v != 0 || !ok || zero.String() != "0" || IntOf(-5).String() != "-5" {
		t.Error("the zero Int is not 0")
	}
}

func TestRaw(t *testing.T) {
	for _, c := range []struct {
		raw  Raw
		kind Kind
		want string
	}{
		{nil, KindNull, "null"}, {Raw("null"), KindNull, "null"}, {Raw(`{"b":1,"a":1.10}`), KindObject, `{"b":1,"a":1.10}`},
		{Raw("[]"), KindArray, "[]"}, {Raw(`"x"`), KindString, `"x"`}, {Raw("-1"), KindNumber, "-1"}, {Raw("7"), KindNumber, "7"},
		{Raw("true"), KindTrue, "true"}, {Raw("false"), KindFalse, "false"}, {Raw("?"), KindNone, "?"},
	} {
		if c.raw.Kind() != c.kind || string(c.raw.AppendJSON([]byte("x"))) != "x"+c.want || c.raw.String() != c.want {
			t.Errorf("%q: kind %d, %s", string(c.raw), c.raw.Kind(), c.raw)
		}
	}
}

func TestRef(t *testing.T) {
	tape := scanned(t, `[{"$resource":"res_1"},{"\u0024resource":"a\tb"},{"$resource":1},{"$resource":"x","y":1},{},[],{"resource":"x"},"$resource"]`)
	var got []string
	for e := tape.FirstChild(0); e < tape.Next(0); e = tape.Next(e) {
		ref, ok := RefAt(tape, e)
		got = append(got, fmt.Sprintf("%q %v", ref.ID, ok))
	}
	want := []string{`"res_1" true`, `"a\tb" true`, `"" false`, `"" false`, `"" false`, `"" false`, `"" false`, `"" false`}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if s := string(Ref{ID: "a\"b"}.AppendJSON(nil)); s != `{"$resource":"a\"b"}` {
		t.Errorf("AppendJSON: %s", s)
	}
}

// TestMarshalJSON sees to it that an encoder that knows nothing of this package loses nothing.
func TestMarshalJSON(t *testing.T) {
	number, _ := ParseNumber("1.10")
	integer, _ := ParseInt("9007199254740993")
	got, err := json.Marshal([]any{number, integer, Raw(`{"b":1,"a":2}`), Raw(nil), Ref{ID: "x"}})
	if want := `[1.10,9007199254740993,{"b":1,"a":2},null,{"$resource":"x"}]`; err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestVersionGuards type-checks the guards of generated code for each version around the served range.
func TestVersionGuards(t *testing.T) {
	for emitted := uint(0); emitted <= Version+2; emitted++ {
		fset := token.NewFileSet()
		constants, err := parser.ParseFile(fset, "version.go", nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		guard, err := parser.ParseFile(fset, "guard.go", fmt.Sprintf("package wire\nconst _ = MaxVersion - %d\nconst _ = %[1]d - MinVersion", emitted), 0)
		if err != nil {
			t.Fatal(err)
		}
		var conf types.Config
		_, err = conf.Check("wire", fset, []*ast.File{constants, guard}, nil)
		if served := emitted >= MinVersion && emitted <= MaxVersion; (err == nil) != served {
			t.Errorf("code of version %d: %v, want served %v", emitted, err, served)
		}
	}
	if Version < 3 || MinVersion+2 != Version || MaxVersion != Version {
		t.Errorf("versions %d to %d, current %d", MinVersion, MaxVersion, Version)
	}
}
