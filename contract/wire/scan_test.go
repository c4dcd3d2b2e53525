package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"vcp.core/contract/errcode"
)

// dump prints a tape as one line a node, so that a test can state a whole tape.
func dump(t *Tape) string {
	var b strings.Builder
	kinds := [...]string{"none", "null", "false", "true", "number", "string", "array", "object"}
	for i := range t.Len() {
		n := t.Node(i)
		flags := ""
		for bit, name := range []string{"escaped", "nonascii", "name", "fraction"} {
			if n.Flags&(1<<bit) != 0 {
				flags += " " + name
			}
		}
		fmt.Fprintf(&b, "%d %s %d:%d next %d count %d%s\n", i, kinds[n.Kind], n.Start, n.End, n.Next, n.Count, flags)
	}
	return b.String()
}

func scanned(t *testing.T, src string) *Tape {
	t.Helper()
	tape := new(Tape)
	if err := tape.Scan([]byte(src), Limits{}); err != nil {
		t.Fatalf("scan %q: %v", src, err)
	}
	return tape
}

func TestScanTape(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"scalar", ` -1.5e3 `, `
0 number 1:7 next 1 count 0 fraction
`},
		{"empty containers", `[{},[]]`, `
0 array 0:7 next 3 count 2
1 object 1:3 next 2 count 0
2 array 4:6 next 3 count 0
`},
		{"nested", `{"a":[1,{"b":null}],"中":"x\u0041\ud83d\ude00中"}`, `
0 object 0:51 next 9 count 2
1 string 1:4 next 2 count 1 name
2 array 5:19 next 7 count 2
3 number 6:7 next 4 count 0
4 object 8:18 next 7 count 1
5 string 9:12 next 6 count 1 name
6 null 13:17 next 7 count 0
7 string 20:25 next 8 count 1 nonascii name
8 string 26:50 next 9 count 4 escaped nonascii
`},
		{"space everywhere", " [ true\n,\tfalse\r] ", `
0 array 1:17 next 3 count 2
1 true 3:7 next 2 count 0
2 false 10:15 next 3 count 0
`},
		{"plain string longer than a word", `"0123456789 abc"`, `
0 string 0:16 next 1 count 14
`},
		{"escape above 0x7f is not ASCII", `"\u00e9"`, `
0 string 0:8 next 1 count 1 escaped nonascii
`},
		{"two, three and four bytes", "\"é日😀é\"", `
0 string 0:13 next 1 count 4 nonascii
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := dump(scanned(t, c.src)); got != c.want[1:] {
				t.Errorf("%s\ngot:\n%s\nwant:\n%s", c.src, got, c.want[1:])
			}
		})
	}
}

func TestScanAccepts(t *testing.T) {
	for _, src := range []string{
		`0`, `-0`, `-0.0`, `0e0`, `0E+1`, `1e-400`, `9007199254740993`, `1.10`, `1e400`, `123e99999999999999999999`,
		`""`, `"\"\\\/\b\f\n\r\t"`, `"\u0000"`, "\"\x7f\"", `"\ud83d\ude00"`, `"\uD83D\uDE00"`, `"\ud7ff\ue000"`, `"\\ud800"`,
		"\"\u2028\u2029\"", "\"\ufffd\"", "\"\ufffe\uffff\"", "\"\U0010ffff\"", "\"\u0080\u07ff\u0800\ud7ff\ue000\U00010000\"",
		`{}`, `[]`, `{"":0}`, `{"a":1,"A":2}`, `{"a":{"a":{"a":1}}}`, `[{"a":1},{"a":1}]`, `{"a":1,"a\u0000":2,"":3}`,
		"\t\r\n []\t\r\n ", `[[[[[[[[[[]]]]]]]]]]`, `{"a":[{"b":[]}],"c":{}}`, `"</script>&"`,
	} {
		var tape Tape
		if err := tape.Scan([]byte(src), Limits{}); err != nil {
			t.Errorf("%q: %v", src, err)
		}
		if !json.Valid([]byte(src)) {
			t.Errorf("%q: encoding/json refuses it", src)
		}
	}
}

func TestScanRefuses(t *testing.T) {
	const (
		notJSON = errcode.NotJSON
		notUTF8 = errcode.NotUTF8
		dup     = errcode.DuplicateKey
	)
	for _, c := range []struct {
		src    string
		offset int
		reason errcode.Reason
		detail string
	}{
		// Documents that end too early, or too late.
		{``, 0, notJSON, `expected a value, found the end of the document`},
		{" \n", 2, notJSON, `expected a value, found the end of the document`},
		{`[`, 1, notJSON, `expected a value, found the end of the document`},
		{`[1`, 2, notJSON, `expected ',' or ']' after an element, found the end of the document`},
		{`[1,`, 3, notJSON, `expected a value, found the end of the document`},
		{`{`, 1, notJSON, `expected a member name or '}', found the end of the document`},
		{`{"a"`, 4, notJSON, `expected ':' after a member name, found the end of the document`},
		{`{"a":`, 5, notJSON, `expected a value, found the end of the document`},
		{`{"a":1`, 6, notJSON, `expected ',' or '}' after a member, found the end of the document`},
		{`{"a":1,`, 7, notJSON, `expected a member name, found the end of the document`},
		{`"abc`, 4, notJSON, `expected the end of a string, found the end of the document`},
		{`"abcdefghijklmnopq`, 18, notJSON, `expected the end of a string, found the end of the document`},
		{`"中`, 4, notJSON, `expected the end of a string, found the end of the document`},
		{`"\`, 2, notJSON, `expected an escape sequence, found the end of the document`},
		{`"\u00`, 5, notJSON, `expected four hexadecimal digits after \u, found the end of the document`},
		{`{"a":1}}`, 7, notJSON, `expected the end of the document, found '}'`},
		{`1 2`, 2, notJSON, `expected the end of the document, found '2'`},
		{"{}\x00", 2, notJSON, `expected the end of the document, found '\x00'`},
		{"[]\n[]", 3, notJSON, `expected the end of the document, found '['`},
		// Structure.
		{`[,1]`, 1, notJSON, `expected a value, found ','`},
		{`[1,]`, 3, notJSON, `expected a value, found ']'`},
		{`[1,,2]`, 3, notJSON, `expected a value, found ','`},
		{`[1 2]`, 3, notJSON, `expected ',' or ']' after an element, found '2'`},
		{`[1}`, 2, notJSON, `expected ',' or ']' after an element, found '}'`},
		{`[1:2]`, 2, notJSON, `expected ',' or ']' after an element, found ':'`},
		{`{"a":1]`, 6, notJSON, `expected ',' or '}' after a member, found ']'`},
		{`{"a":1,}`, 7, notJSON, `expected a member name, found '}'`},
		{`{,}`, 1, notJSON, `expected a member name or '}', found ','`},
		{`{a:1}`, 1, notJSON, `expected a member name or '}', found 'a'`},
		{`{'a':1}`, 1, notJSON, `expected a member name or '}', found '\''`},
		{`{1:1}`, 1, notJSON, `expected a member name or '}', found '1'`},
		{`{"a",1}`, 4, notJSON, `expected ':' after a member name, found ','`},
		{`{"a"::1}`, 5, notJSON, `expected a value, found ':'`},
		{`{"a":1 "b":2}`, 7, notJSON, `expected ',' or '}' after a member, found '"'`},
		{`]`, 0, notJSON, `expected a value, found ']'`},
		{`// x`, 0, notJSON, `expected a value, found '/'`},
		{`[1/* */]`, 2, notJSON, `expected ',' or ']' after an element, found '/'`},
		{"\ufeff{}", 0, notJSON, `the document starts with a byte order mark`},
		{"\v1", 0, notJSON, `expected a value, found '\v'`},
		{"\u00a01", 0, notJSON, `expected a value, found '\u00a0'`},
		{"[1\f]", 2, notJSON, `expected ',' or ']' after an element, found '\f'`},
		// Literals.
		{`nul`, 3, notJSON, `expected null, found the end of the document`},
		{`nulL`, 3, notJSON, `expected null, found 'L'`},
		{`[tru]`, 4, notJSON, `expected true, found ']'`},
		{`True`, 0, notJSON, `expected a value, found 'T'`},
		{`fals`, 4, notJSON, `expected false, found the end of the document`},
		{`nulls`, 4, notJSON, `expected the end of the document, found 's'`},
		{`NaN`, 0, notJSON, `expected a value, found 'N'`},
		{`Infinity`, 0, notJSON, `expected a value, found 'I'`},
		{`undefined`, 0, notJSON, `expected a value, found 'u'`},
		{`nan`, 1, notJSON, `expected null, found 'a'`},
		// Numbers.
		{`-`, 1, notJSON, `expected a digit after '-', found the end of the document`},
		{`-a`, 1, notJSON, `expected a digit after '-', found 'a'`},
		{`-Infinity`, 1, notJSON, `expected a digit after '-', found 'I'`},
		{`+1`, 0, notJSON, `expected a value, found '+'`},
		{`01`, 0, notJSON, `a number has a leading zero`},
		{`[-01]`, 2, notJSON, `a number has a leading zero`},
		{`00`, 0, notJSON, `a number has a leading zero`},
		{`.5`, 0, notJSON, `expected a value, found '.'`},
		{`1.`, 2, notJSON, `expected a digit after '.', found the end of the document`},
		{`1.e1`, 2, notJSON, `expected a digit after '.', found 'e'`},
		{`1e`, 2, notJSON, `expected a digit of an exponent, found the end of the document`},
		{`1e+`, 3, notJSON, `expected a digit of an exponent, found the end of the document`},
		{`1e1.5`, 3, notJSON, `expected the end of the document, found '.'`},
		{`1.2.3`, 3, notJSON, `expected the end of the document, found '.'`},
		{`0x10`, 1, notJSON, `expected the end of the document, found 'x'`},
		{`1_000`, 1, notJSON, `expected the end of the document, found '_'`},
		{`--1`, 1, notJSON, `expected a digit after '-', found '-'`},
		{"１", 0, notJSON, `expected a value, found '１'`},
		// Strings.
		{"\"a\nb\"", 2, notJSON, `a string contains the control character U+000A unescaped`},
		{"\"\x1f\"", 1, notJSON, `a string contains the control character U+001F unescaped`},
		{"\"01234567\x00\"", 9, notJSON, `a string contains the control character U+0000 unescaped`},
		{"{\"a\tb\":1}", 3, notJSON, `a string contains the control character U+0009 unescaped`},
		{`"\x41"`, 1, notJSON, `expected one of "\/bfnrtu after a backslash, found 'x'`},
		{`"\'"`, 1, notJSON, `expected one of "\/bfnrtu after a backslash, found '\''`},
		{`"\U0041"`, 1, notJSON, `expected one of "\/bfnrtu after a backslash, found 'U'`},
		{`"\u00G0"`, 5, notJSON, `expected four hexadecimal digits after \u, found 'G'`},
		{`"\u 041"`, 3, notJSON, `expected four hexadecimal digits after \u, found ' '`},
		{`"\u004`, 6, notJSON, `expected four hexadecimal digits after \u, found the end of the document`},
		// UTF-8 and surrogates.
		{"\"\x80\"", 1, notUTF8, `byte 0x80 is not valid UTF-8 here`},
		{"\"\xff\"", 1, notUTF8, `byte 0xff is not valid UTF-8 here`},
		{"\"\xc0\xaf\"", 1, notUTF8, `byte 0xc0 is not valid UTF-8 here`},
		{"\"\xc1\xbf    \"", 1, notUTF8, `byte 0xc1 is not valid UTF-8 here`},
		{"\"\xe0\x80\xaf    \"", 1, notUTF8, `byte 0xe0 is not valid UTF-8 here`},
		{"\"\xe0\x9f\xbf    \"", 1, notUTF8, `byte 0xe0 is not valid UTF-8 here`},
		{"\"\xed\xa0\x80    \"", 1, notUTF8, `byte 0xed is not valid UTF-8 here`},
		{"\"\xed\xbf\xbf\"", 1, notUTF8, `byte 0xed is not valid UTF-8 here`},
		{"\"\xf0\x8f\xbf\xbf\"", 1, notUTF8, `byte 0xf0 is not valid UTF-8 here`},
		{"\"\xf4\x90\x80\x80\"", 1, notUTF8, `byte 0xf4 is not valid UTF-8 here`},
		{"\"\xf8\x88\x80\x80\x80\"", 1, notUTF8, `byte 0xf8 is not valid UTF-8 here`},
		{"\"中\xe4\xb8\"", 4, notUTF8, `byte 0xe4 is not valid UTF-8 here`},
		{"\"中\xe4", 4, notUTF8, `byte 0xe4 is not valid UTF-8 here`},
		{"{\"\xff\":1}", 2, notUTF8, `byte 0xff is not valid UTF-8 here`},
		{"\xff\xfe[\x00]\x00", 0, notUTF8, `byte 0xff is not valid UTF-8 here`},
		{"[1]\x80", 3, notUTF8, `byte 0x80 is not valid UTF-8 here`},
		{"\"\\\xff\"", 2, notUTF8, `byte 0xff is not valid UTF-8 here`},
		{`"\ud800"`, 1, notUTF8, `the escape \ud800 is half of a surrogate pair`},
		{`"\uDFFF"`, 1, notUTF8, `the escape \uDFFF is half of a surrogate pair`},
		{`"ab\ud83d\ud83d\ude00"`, 3, notUTF8, `the escape \ud83d is half of a surrogate pair`},
		{`"\ud83d\n"`, 1, notUTF8, `the escape \ud83d is half of a surrogate pair`},
		{`"\ud83dxude00"`, 1, notUTF8, `the escape \ud83d is half of a surrogate pair`},
		{`"\ude00\ud83d"`, 1, notUTF8, `the escape \ude00 is half of a surrogate pair`},
		{`"\udc00\udc00"`, 1, notUTF8, `the escape \udc00 is half of a surrogate pair`},
		{`{"\udc00":1}`, 2, notUTF8, `the escape \udc00 is half of a surrogate pair`},
		{`"\ud83d`, 1, notUTF8, `the escape \ud83d is half of a surrogate pair`},
		// Duplicate names.
		{`{"a":1,"a":2}`, 7, dup, `the object has a second member "a"`},
		{`{"a":1,"\u0061":2}`, 7, dup, `the object has a second member "a"`},
		{`{"\u0061":1,"a":2}`, 12, dup, `the object has a second member "a"`},
		{`{"\u0061":1,"\u0061":2}`, 12, dup, `the object has a second member "a"`},
		{`{"":1,"":2}`, 6, dup, `the object has a second member ""`},
		{`{"a/b":1,"a\/b":2}`, 9, dup, `the object has a second member "a/b"`},
		{`{"😀":1,"\ud83d\uDE00":2}`, 10, dup, `the object has a second member "😀"`},
		{`{"b":1,"a":{"x":[{"a":1}]},"a":2}`, 27, dup, `the object has a second member "a"`},
		{`[{"a":1},{"a":1,"b":2,"a":3}]`, 22, dup, `the object has a second member "a"`},
		{`{"long name of a member":1,"long name of b member":2,"long name of a member":3}`, 53, dup, `the object has a second member "long name of a member"`},
		{`{"a":1,"a":2`, 7, dup, `the object has a second member "a"`},
	} {
		var tape Tape
		err := tape.Scan([]byte(c.src), Limits{})
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q: got %v, want an *Error", c.src, err)
			continue
		}
		if e.Offset != c.offset || e.Reason != c.reason || e.Detail != c.detail || e.Limit != 0 {
			t.Errorf("%q:\ngot  %d %s %s (limit %d)\nwant %d %s %s", c.src, e.Offset, e.Reason, e.Detail, e.Limit, c.offset, c.reason, c.detail)
		}
		if tape.Len() != 0 || tape.Source() != nil {
			t.Errorf("%q: the tape is not empty after an error", c.src)
		}
		if c.reason == notJSON && json.Valid([]byte(c.src)) {
			t.Errorf("%q: encoding/json accepts it", c.src)
		}
	}
}

// TestEveryByteInAString puts each byte at each place of a word, and past its end.
func TestEveryByteInAString(t *testing.T) {
	var tape Tape
	for b := range 256 {
		for at := range 20 {
			text := []byte("abcdefghijklmnopqrst")
			text[at] = byte(b)
			src := append(append([]byte(`["`), text...), `"]`...)
			want := b >= ' ' && b < 0x80 && b != '"' && b != '\\'
			if b == '\\' && at+1 < len(text) {
				want = strings.IndexByte("bfnrt", text[at+1]) >= 0
			}
			if err := tape.Scan(src, Limits{}); (err == nil) != want {
				t.Errorf("byte %#x at %d: %v", b, at, err)
			} else if err == nil && b != '\\' && (tape.String(1) != string(text) || tape.Count(1) != len(text)) {
				t.Errorf("byte %#x at %d: %q", b, at, tape.String(1))
			}
		}
	}
}

// TestEverySequence compares with package utf8 on all sequences of two bytes, and all of three that start
// like three bytes do, in the middle of a text and at its end.
func TestEverySequence(t *testing.T) {
	var tape Tape
	check := func(seq []byte) {
		for _, b := range seq {
			if b < ' ' || b == '"' || b == '\\' {
				return
			}
		}
		for _, tail := range []string{`"`, `    "`} {
			src := append(append([]byte{'"'}, seq...), tail...)
			if err := tape.Scan(src, Limits{}); (err == nil) != utf8.Valid(seq) {
				t.Fatalf("% x before %q: %v, package utf8 says valid %v", seq, tail, err, utf8.Valid(seq))
			} else if err == nil && tape.Count(0) != utf8.RuneCount(seq)+len(tail)-1 {
				t.Fatalf("% x before %q: %d code points", seq, tail, tape.Count(0))
			}
		}
	}
	for a := range 256 {
		for b := range 256 {
			check([]byte{byte(a), byte(b)})
			if a >= 0xe0 && a < 0xf0 && b >= 0x70 && b < 0xd0 {
				for c := 0x70; c < 256; c++ {
					check([]byte{byte(a), byte(b), byte(c)})
				}
			}
		}
	}
}
