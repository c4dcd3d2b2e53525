package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Documents whose canonical forms are equal stand in one list.
var canonicalCases = []struct {
	canonical string
	sources   []string
}{
	{`null`, []string{`null`, ` null `}},
	{`true`, []string{`true`}},
	{`1`, []string{`1`, `1.0`, `10e-1`, `1e0`}},
	{`0`, []string{`0`, `-0`, `-0.0e7`}},
	{`"1"`, []string{`"1"`, `"\u0031"`}},
	{`"/é😀"`, []string{`"/é😀"`, `"\/\u00e9\ud83d\ude00"`}},
	{`"\n\u0001\"\\"`, []string{`"\n\u0001\"\\"`, `"\u000a\u0001\u0022\u005c"`}},
	{`[]`, []string{`[]`, `[ ]`}},
	{`{}`, []string{`{}`, "{\n}"}},
	{`[1,2]`, []string{`[1,2]`, `[1.0, 20e-1]`}},
	{`[2,1]`, []string{`[2,1]`}},
	{`[[1],2]`, []string{`[[1],2]`}},
	{`[[1,2]]`, []string{`[[1,2]]`}},
	{`{"a":1,"b":2}`, []string{`{"a":1,"b":2}`, `{"b":2,"a":1}`, `{"\u0062":2.0,"a":1e0}`}},
	{`{"a":2,"b":1}`, []string{`{"a":2,"b":1}`}},
	{`{"":0,"A":1,"a":2,"aa":3,"é":4,"中":5,"😀":6}`, []string{
		`{"":0,"A":1,"a":2,"aa":3,"é":4,"中":5,"😀":6}`,
		`{"\ud83d\ude00":6,"\u4e2d":5,"\u00e9":4,"aa":3,"a":2,"A":1,"":0}`,
	}},
	{`{"x":[{"y":{"p":1,"q":[1,{"r":null,"s":false}]}}]}`, []string{
		`{"x":[{"y":{"q":[1,{"s":false,"r":null}],"p":1}}]}`,
		`{"x":[{"y":{"p":1.0,"q":[1,{"r":null,"s":false}]}}]}`,
	}},
	{`{"a":{"b":1},"c":{"b":2}}`, []string{`{"c":{"b":2},"a":{"b":1}}`}},
	{`{"a":{"b":2},"c":{"b":1}}`, []string{`{"c":{"b":1},"a":{"b":2}}`}},
	{`[[],{}]`, []string{`[[],{}]`}},
	{`[{},[]]`, []string{`[{},[]]`}},
	{`{"a":[]}`, []string{`{"a":[]}`}},
	{`{"a":{}}`, []string{`{"a":{}}`}},
	{`["a","b"]`, []string{`["a","b"]`}},
	{`{"a":"b"}`, []string{`{"a":"b"}`}},
	{`"true"`, []string{`"true"`}},
}

// TestCanonical checks canonical forms, and that Equal and Hash say the same about every pair.
func TestCanonical(t *testing.T) {
	type doc struct {
		tape      *Tape
		src, form string
	}
	var docs []doc
	for _, c := range canonicalCases {
		for _, src := range c.sources {
			tape := scanned(t, src)
			if got := string(AppendCanonical(nil, tape, 0)); got != c.canonical {
				t.Errorf("%s: canonical %s, want %s", src, got, c.canonical)
			}
			docs = append(docs, doc{tape, src, c.canonical})
		}
	}
	for _, a := range docs {
		for _, b := range docs {
			want := a.form == b.form
			if Equal(a.tape, 0, b.tape, 0) != want {
				t.Errorf("%s equal to %s: want %v", a.src, b.src, want)
			}
			if (Hash(a.tape, 0) == Hash(b.tape, 0)) != want {
				t.Errorf("%s and %s: hashes equal: want %v", a.src, b.src, want)
			}
		}
	}
}

// TestEqualInside compares parts of documents, which stand at other indices than in a document of their own.
func TestEqualInside(t *testing.T) {
	a := scanned(t, `{"pad":[1,2,3],"v":{"x":[1,{"y":2,"z":3}]}}`)
	b := scanned(t, `[{"x":[1.0,{"z":3,"y":2}]},{"x":[1.0,{"z":3,"y":4}]}]`)
	v, _ := a.Lookup("/v")
	same, _ := b.Lookup("/0")
	other, _ := b.Lookup("/1")
	if !Equal(a, v, b, same) || Equal(a, v, b, other) {
		t.Error("Equal is wrong about parts")
	}
	if Hash(a, v) != Hash(b, same) || Hash(a, v) == Hash(b, other) {
		t.Error("Hash is wrong about parts")
	}
}

// TestEqualLargeObjects reorders objects that go through the table of names.
func TestEqualLargeObjects(t *testing.T) {
	const n = 1000
	object := func(step, changed int) string {
		parts := make([]string, n)
		for k := range n {
			name := k * step % n
			value := name
			if name == changed {
				value = -1
			}
			parts[k] = fmt.Sprintf(`"n%d":{"b":%d,"a":[]}`, name, value)
			if step != 1 {
				parts[k] = fmt.Sprintf(`"\u006e%d":{"a":[],"b":%d.0}`, name, value)
			}
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	a, b, c := scanned(t, object(1, -1)), scanned(t, object(7, -1)), scanned(t, object(7, 500))
	d := scanned(t, strings.Replace(object(7, -1), `\u006e500"`, `x"`, 1))
	if !Equal(a, 0, b, 0) || Hash(a, 0) != Hash(b, 0) {
		t.Error("a reordered object is not equal")
	}
	for _, other := range []*Tape{c, d} {
		if Equal(a, 0, other, 0) || Equal(other, 0, a, 0) || Hash(a, 0) == Hash(other, 0) {
			t.Error("a changed object is equal")
		}
	}
	if string(AppendCanonical(nil, a, 0)) != string(AppendCanonical(nil, b, 0)) {
		t.Error("canonical forms differ")
	}
}

func TestCompact(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{` 1.10 `, `1.10`},
		{"\t{ \"a b\" :\n[ 1 ,\r2 , { } ] , \"\\u0063\\t\" : \" x \" }\n", `{"a b":[1,2,{}],"\u0063\t":" x "}`},
		{`[ ]`, `[]`},
		{`{"b":1e400,"a":-0.0}`, `{"b":1e400,"a":-0.0}`},
		{`[ [ [ ] , { } ] , "\\" , "\"" ]`, `[[[],{}],"\\","\""]`},
		{`"  "`, `"  "`},
		{`[true , false , null]`, `[true,false,null]`},
	} {
		tape := scanned(t, c.src)
		if got := string(tape.AppendCompact([]byte("> "), 0)); got != "> "+c.want {
			t.Errorf("tape, %q: %q", c.src, got)
		}
		if got := string(AppendCompact([]byte("> "), []byte(c.src))); got != "> "+c.want {
			t.Errorf("bytes, %q: %q", c.src, got)
		}
	}
	tape := scanned(t, `{"a": [1, 2], "b": [3 , 4]}`)
	b, _ := tape.Lookup("/b")
	if got := string(tape.AppendCompact(nil, b)); got != `[3,4]` {
		t.Errorf("a part: %q", got)
	}
	// Not checked, but never a panic.
	for _, src := range []string{`"`, `"\`, `"\"`, ` " `, ``, ` `, `}`} {
		AppendCompact(nil, []byte(src))
	}
}

func TestAppendQuoted(t *testing.T) {
	for _, c := range []struct{ s, want string }{
		{"", `""`},
		{"plain text, longer than eight bytes", `"plain text, longer than eight bytes"`},
		{`a"b\c/d`, `"a\"b\\c/d"`},
		{"\b\f\n\r\t", `"\b\f\n\r\t"`},
		{"\x00\x01\x0b\x1f", `"\u0000\u0001\u000b\u001f"`},
		{"<script>&amp;\x7f", "\"<script>&amp;\x7f\""},
		{"\u2028\u2029é日本😀", "\"\u2028\u2029é日本😀\""},
		{"a\xffb", "\"a\ufffdb\""},
		{"\xe4\xb8", "\"\ufffd\ufffd\""},
		{"\xed\xa0\x80", "\"\ufffd\ufffd\ufffd\""},
		{"ok\xc0\xafok", "\"ok\ufffd\ufffdok\""},
		{"中\n文\xf0", "\"中\\n文\ufffd\""},
	} {
		got := string(AppendQuoted([]byte(">"), c.s))
		if got != ">"+c.want {
			t.Errorf("%q: %s, want %s", c.s, got[1:], c.want)
		}
		tape := scanned(t, got[1:])
		if want := strings.ToValidUTF8(c.s, "\ufffd"); strings.Count(got, "\ufffd") < 2 && tape.String(0) != want {
			t.Errorf("%q comes back as %q", c.s, tape.String(0))
		}
		var std string
		if err := json.Unmarshal([]byte(got[1:]), &std); err != nil || std != tape.String(0) {
			t.Errorf("%q: encoding/json reads %q, %v", c.s, std, err)
		}
	}
	for c := range 256 {
		s := string([]byte{'x', byte(c), 'y'})
		if got := scanned(t, string(AppendQuoted(nil, s))).String(0); got != strings.ToValidUTF8(s, "\ufffd") {
			t.Errorf("byte %#x comes back as %q", c, got)
		}
	}
}

func TestPointer(t *testing.T) {
	tape := scanned(t, `{"a":[1,{"b/c":{"":[null]}},[]],"m~n":{"~1":true},"中\n":"x","0":[0]}`)
	pointers := []string{
		"", "/a", "/a/0", "/a/1", "/a/1/b~1c", "/a/1/b~1c/", "/a/1/b~1c//0", "/a/2", "/m~0n", "/m~0n/~01", "/中\n", "/0", "/0/0",
	}
	k := 0
	for i := range tape.Len() {
		if tape.Node(i).Flags&Name != 0 {
			if got, want := tape.Pointer(i), tape.Pointer(i+1); got != want {
				t.Errorf("name %d: %q, its value %q", i, got, want)
			}
			continue
		}
		if got := tape.Pointer(i); got != pointers[k] {
			t.Errorf("node %d: %q, want %q", i, got, pointers[k])
		}
		if j, ok := tape.Lookup(pointers[k]); !ok || j != i {
			t.Errorf("%q: node %d, %v, want %d", pointers[k], j, ok, i)
		}
		k++
	}
	if k != len(pointers) {
		t.Errorf("%d values, want %d", k, len(pointers))
	}
	for _, p := range []string{"a", "/b", "/a/3", "/a/-", "/a/00", "/a/01", "/a/+1", "/a/ 1", "/a/", "/a/0/x", "/m~n", "/m~0n/~1", "/m~0n/~", "/m~2n", "/m~0n/~01/", "/a/99999999999999999999", "/a/18446744073709551616", "/a/4294967296", "#/a", "/A"} {
		if i, ok := tape.Lookup(p); ok {
			t.Errorf("%q names node %d", p, i)
		}
	}
	if got := string(AppendPointer([]byte("/x"), "a/b~c~1")); got != "/x/a~1b~0c~01" {
		t.Errorf("AppendPointer: %s", got)
	}
	if _, ok := new(Tape).Lookup(""); ok {
		t.Error("an empty tape has a root")
	}
}

func TestReaders(t *testing.T) {
	src := `{"a\u0062":"x\ty","c":[10,2.50,"z"],"d":{}}`
	tape := scanned(t, src)
	if tape.Root() != 0 || tape.Len() != 10 || string(tape.Source()) != src || tape.Kind(0) != KindObject || tape.Count(0) != 3 {
		t.Errorf("root: %d nodes", tape.Len())
	}
	var names []string
	for m := tape.Members(0); m.Next(); {
		names = append(names, tape.String(m.Name)+"="+string(tape.Raw(m.Value)))
	}
	if got := strings.Join(names, " "); got != `ab="x\ty" c=[10,2.50,"z"] d={}` {
		t.Errorf("members: %s", got)
	}
	ab, ok := tape.Find(0, "ab")
	if !ok || tape.String(ab) != "x\ty" || string(tape.AppendString([]byte("> "), ab)) != "> x\ty" || string(tape.Text(ab, nil)) != "x\ty" {
		t.Errorf("find ab: %d, %v", ab, ok)
	}
	if !tape.NameEqual(ab-1, "ab") || tape.NameEqual(ab-1, `a\u0062`) || tape.NameEqual(ab-1, "a") || tape.NameEqual(ab-1, "abc") {
		t.Error("NameEqual")
	}
	for _, absent := range []string{"", "a", `a\u0062`, "b", "D"} {
		if v, ok := tape.Find(0, absent); ok {
			t.Errorf("find %q: %d", absent, v)
		}
	}
	c, _ := tape.Find(0, "c")
	var elements []string
	for e := tape.FirstChild(c); e < tape.Next(c); e = tape.Next(e) {
		elements = append(elements, tape.Decimal(e).String())
	}
	if got := strings.Join(elements, " "); got != "10 2.50 0" {
		t.Errorf("elements as numbers: %s", got)
	}
	d, _ := tape.Find(0, "d")
	if tape.FirstChild(d) != tape.Next(d) || func() bool { m := tape.Members(d); return m.Next() }() {
		t.Error("an empty object has children")
	}
}

func TestTextDoesNotWrite(t *testing.T) {
	src := []byte(`["ab","\u0063d"]`)
	tape := new(Tape)
	if err := tape.Scan(src, Limits{}); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 0, 8)
	text := tape.Text(1, buf)
	_ = append(text, "overwrite"...)
	_ = append(tape.Raw(1), "overwrite"...)
	if string(src) != `["ab","\u0063d"]` {
		t.Errorf("appending to an aliased text changed the source: %s", src)
	}
	if got := string(tape.Text(2, buf)); got != "cd" || string(buf[:2]) != "cd" {
		t.Errorf("an escaped text is %q and not in the buffer", got)
	}
}

// A name is a string like any other, and what follows it does not count.
func TestEqualNames(t *testing.T) {
	var x, y Tape
	if err := errors.Join(x.Scan([]byte(`{"a":1,"b":{"a":2}}`), Limits{}), y.Scan([]byte(`{"b":3,"a":1}`), Limits{})); err != nil {
		t.Fatal(err)
	}
	names := map[int]string{1: "a", 3: "b"}
	for i, a := range names {
		for j, b := range map[int]string{1: "b", 3: "a"} {
			if got := Equal(&x, i, &y, j); got != (a == b) {
				t.Errorf("%s and %s: %t", a, b, got)
			}
		}
	}
}
