package openjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
)

// standard decodes with encoding/json, numbers as text.
func standard(t testing.TB, src []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("encoding/json refuses %q: %v", src, err)
	}
	return v
}

var documents = []string{
	`null`, `true`, `false`, `""`, `[]`, `{}`, ` [ 1 , 2 ] `,
	`0`, `-0`, `1.10`, `9007199254740993`, `123456789012345678901234567890.10`, `1e400`, `1E-400`, `10e-1`,
	`"plain"`, `"\"\\\/\b\f\n\r\t\u0000\u001f"`, `"é中😀 \u00e9\ud83d\ude00"`, "\"\u2028\u2029<>&\x7f\"",
	`{"b":1,"a":{"d":[1.0,"x",null],"c":{}},"":0,"é":true,"A":false}`,
	`{"\u0061":1,"\ud83d\ude00":[[],[[]],{"x":{"y":[{"z":-1.5e3}]}}]}`,
	`[{"id":1,"name":"a"},{"id":2,"name":"b"}]`,
	strings.Repeat("[", 1024) + strings.Repeat("]", 1024),
	strings.Repeat(`{"a":`, 1000) + `"x"` + strings.Repeat("}", 1000),
	`["` + strings.Repeat("long ", 5000) + `"]`,
}

func TestDecodeAgreesWithEncodingJSON(t *testing.T) {
	for _, src := range documents {
		got, err := Decode([]byte(src), wire.Limits{})
		if err != nil {
			t.Errorf("%.60q: %v", src, err)
			continue
		}
		if want := standard(t, []byte(src)); !reflect.DeepEqual(got, want) {
			t.Errorf("%.60q:\ngot  %#v\nwant %#v", src, got, want)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	for _, src := range documents {
		v, err := Decode([]byte(src), wire.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		out, err := Encode(v)
		if err != nil {
			t.Errorf("%.60q: %v", src, err)
			continue
		}
		if again := standard(t, out); !reflect.DeepEqual(again, v) {
			t.Errorf("%.60q comes back as %.60q", src, out)
		}
		var a, b wire.Tape
		if a.Scan([]byte(src), wire.Limits{}) != nil || b.Scan(out, wire.Limits{}) != nil || !wire.Equal(&a, 0, &b, 0) {
			t.Errorf("%.60q is not equal to %.60q", src, out)
		}
		second, err := Encode(standard(t, out))
		if err != nil || !bytes.Equal(out, second) {
			t.Errorf("%.60q: two encodings differ: %.60q", out, second)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct {
		src    string
		lim    wire.Limits
		reason errcode.Reason
		offset int
	}{
		{`{"a":1,"a":2}`, wire.Limits{}, errcode.DuplicateKey, 7},
		{`{"a":1,"\u0061":2}`, wire.Limits{}, errcode.DuplicateKey, 7},
		{"\"a\xffb\"", wire.Limits{}, errcode.NotUTF8, 2},
		{`"\ud800"`, wire.Limits{}, errcode.NotUTF8, 1},
		{`[1,]`, wire.Limits{}, errcode.NotJSON, 3},
		{`1 2`, wire.Limits{}, errcode.NotJSON, 2},
		{``, wire.Limits{}, errcode.NotJSON, 0},
		{"\"\n\"", wire.Limits{}, errcode.NotJSON, 1},
		{`[[[]]]`, wire.Limits{Depth: 2}, errcode.LimitDepth, 2},
		{`[[]]`, wire.Limits{Bytes: 3}, errcode.LimitBytes, 3},
		{`[1,2]`, wire.Limits{Nodes: 2}, errcode.LimitNodes, 3},
		{`{"a":1,"b":2}`, wire.Limits{Members: 1}, errcode.LimitMembers, 7},
		{strings.Repeat("[", 1025) + strings.Repeat("]", 1025), wire.Limits{}, errcode.LimitDepth, 1024},
		{strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1), wire.Limits{Depth: 1 << 20}, errcode.LimitDepth, maxDepth},
	} {
		for name, err := range map[string]error{
			"Decode":       func() error { _, err := Decode([]byte(c.src), c.lim); return err }(),
			"DecodeObject": func() error { _, err := DecodeObject([]byte(c.src), c.lim); return err }(),
		} {
			var e *wire.Error
			if !errors.As(err, &e) || e.Reason != c.reason || e.Offset != c.offset {
				t.Errorf("%s %.40q: %v, want %s at %d", name, c.src, err, c.reason, c.offset)
			}
		}
	}
}

// TestDepth reads as deep as the package says it can.
func TestDepth(t *testing.T) {
	for _, src := range []string{
		strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth),
		strings.Repeat(`{"a":`, maxDepth) + "1" + strings.Repeat("}", maxDepth),
		strings.Repeat(`[{"a":`, maxDepth/2) + "1" + strings.Repeat("}]", maxDepth/2),
	} {
		if _, err := Decode([]byte(src), wire.Limits{Depth: 1 << 20}); err != nil {
			t.Errorf("depth %d: %v", maxDepth, err)
		}
	}
}

func TestDecodeObject(t *testing.T) {
	got, err := DecodeObject([]byte(` {"a":1.10} `), wire.Limits{})
	if err != nil || !reflect.DeepEqual(got, map[string]any{"a": json.Number("1.10")}) {
		t.Errorf("got %v, %v", got, err)
	}
	for src, kind := range map[string]wire.Kind{`[]`: wire.KindArray, `null`: wire.KindNull, `"x"`: wire.KindString, `1`: wire.KindNumber, `true`: wire.KindTrue} {
		_, err := DecodeObject([]byte(src), wire.Limits{})
		var e *KindError
		if !errors.As(err, &e) || e.Kind != kind {
			t.Errorf("%s: %v, want kind %d", src, err, kind)
		}
	}
}

// TestDecodeCopies changes the source after decoding.
func TestDecodeCopies(t *testing.T) {
	src := []byte(`{"name":["value","es\u0063aped",1.10]}`)
	v, err := Decode(src, wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range src {
		src[i] = 'X'
	}
	if want := map[string]any{"name": []any{"value", "escaped", json.Number("1.10")}}; !reflect.DeepEqual(v, want) {
		t.Errorf("the value changed with its source: %v", v)
	}
}

func TestEncode(t *testing.T) {
	type view struct {
		B string `json:"b"`
		A any    `json:"a"`
		C *int   `json:"c,omitempty"`
	}
	number, _ := wire.ParseNumber("1.10")
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, `null`},
		{[]any{}, `[]`},
		{map[string]any{}, `{}`},
		{map[string]any{"b": 1, "a": 2, "é": 3, "A": 4, "": 5, "aa": 6, "中": 7}, `{"":5,"A":4,"a":2,"aa":6,"b":1,"é":3,"中":7}`},
		{"<script>&amp; é中😀\u2028\u2029\x7f/", "\"<script>&amp; é中😀\u2028\u2029\x7f/\""},
		{"\"\\\n\r\t\b\f\x00\x1f", `"\"\\\n\r\t\u0008\u000c\u0000\u001f"`},
		{"a\xffb", `"a\ufffdb"`},
		{[]any{json.Number("1.10"), json.Number("1e400"), json.Number("-0"), json.Number("9007199254740993")}, `[1.10,1e400,-0,9007199254740993]`},
		{[]any{1, int64(-1 << 63), uint64(1<<64 - 1), 0.1, 1e21, 1e-7, 100.0, true, nil}, `[1,-9223372036854775808,18446744073709551615,0.1,1e+21,1e-7,100,true,null]`},
		{json.RawMessage(` {"b": 1.10, "a":[ ] } `), `{"b":1.10,"a":[]}`},
		{view{B: "x", A: map[string]any{"z": 1, "y": 2}}, `{"b":"x","a":{"y":2,"z":1}}`},
		{map[string]any{"n": number, "raw": wire.Raw(`{"z":1,"a":2}`), "ref": wire.Ref{ID: "res_1"}}, `{"n":1.10,"raw":{"z":1,"a":2},"ref":{"$resource":"res_1"}}`},
	} {
		got, err := Encode(c.v)
		if err != nil || string(got) != c.want {
			t.Errorf("%#v:\ngot  %s, %v\nwant %s", c.v, got, err, c.want)
		}
		std, err := json.Marshal(c.v)
		if err != nil {
			t.Errorf("%#v: encoding/json: %v", c.v, err)
		}
		if !reflect.DeepEqual(standard(t, got), standard(t, std)) {
			t.Errorf("%#v: %s does not mean %s", c.v, got, std)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	self := map[string]any{}
	self["self"] = []any{self}
	for name, v := range map[string]any{
		"function":        func() {},
		"channel":         make(chan int),
		"NaN":             math.NaN(),
		"infinity":        []any{math.Inf(-1)},
		"no number":       json.Number("abc"),
		"leading zero":    json.Number("01"),
		"bad raw message": json.RawMessage(`{bad`),
		"itself":          self,
	} {
		_, err := Encode(v)
		var e *UnsupportedError
		if !errors.As(err, &e) || e.Err == nil || !errors.Is(err, e.Err) {
			t.Errorf("%s: %v, want an *UnsupportedError", name, err)
		}
	}
	for name, c := range map[string]struct {
		v      any
		reason errcode.Reason
	}{
		"names equal after repair": {map[string]any{"a\xff": 1, "a\xfe": 2}, errcode.DuplicateKey},
		"duplicate in raw bytes":   {json.RawMessage(`{"a":1,"a":2}`), errcode.DuplicateKey},
		"lone surrogate":           {json.RawMessage(`"\ud800"`), errcode.NotUTF8},
		"too deep":                 {json.RawMessage(strings.Repeat("[", 1025) + strings.Repeat("]", 1025)), errcode.LimitDepth},
	} {
		_, err := Encode(c.v)
		var e *wire.Error
		if !errors.As(err, &e) || e.Reason != c.reason {
			t.Errorf("%s: %v, want %s", name, err, c.reason)
		}
	}
}
