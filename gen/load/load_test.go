package load_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
)

func mustParse(t *testing.T, src string) *load.File {
	t.Helper()
	file, list := load.Parse("a.json", []byte(src), wire.Limits{})
	if len(list) > 0 {
		t.Fatalf("%s: %v", src, list)
	}
	return file
}

func TestTree(t *testing.T) {
	src := " {\"b\" : [1, 2.50e+1, \"x\\u0041\\n\"],\n \"\\u8d44源\": {\"t\": true, \"f\": false, \"n\": null}, \"a\": -0 }\n"
	file := mustParse(t, src)
	root := file.Root
	if root.Kind != wire.KindObject || root.Start != 1 || root.End != len(src)-1 || len(root.Members) != 3 {
		t.Fatalf("root %+v", root)
	}
	for i, want := range []string{"b", "资源", "a"} {
		if root.Members[i].Name != want {
			t.Errorf("member %d is %q, want %q", i, root.Members[i].Name, want)
		}
	}
	m := root.Member("资源")
	if got := src[m.NameStart:m.NameEnd]; got != `"\u8d44源"` {
		t.Errorf("name range holds %s", got)
	}
	for _, c := range []struct {
		pointer string
		kind    wire.Kind
		raw     string
		str     string
	}{
		{"/b", wire.KindArray, "[1, 2.50e+1, \"x\\u0041\\n\"]", ""},
		{"/b/0", wire.KindNumber, "1", "1"},
		{"/b/1", wire.KindNumber, "2.50e+1", "2.50e+1"},
		{"/b/2", wire.KindString, `"x\u0041\n"`, "xA\n"},
		{"/资源/t", wire.KindTrue, "true", ""},
		{"/资源/f", wire.KindFalse, "false", ""},
		{"/资源/n", wire.KindNull, "null", ""},
		{"/a", wire.KindNumber, "-0", "-0"},
	} {
		n := file.At(c.pointer)
		if n == nil {
			t.Errorf("%s: nothing", c.pointer)
			continue
		}
		if n.Kind != c.kind || n.Str != c.str || string(file.Raw(n)) != c.raw {
			t.Errorf("%s: %+v, raw %s", c.pointer, n, file.Raw(n))
		}
		if back, ok := file.PointerTo(n); !ok || back != c.pointer {
			t.Errorf("%s: pointer back is %q %v", c.pointer, back, ok)
		}
	}
}

func TestAt(t *testing.T) {
	file := mustParse(t, `{"":{"a/b":1,"m~n":2,"01":3,"~1":4},"list":[[],[5]],"10":6}`)
	for pointer, want := range map[string]string{
		"":                           string(file.Src),
		"//a~1b":                     "1",
		"//m~0n":                     "2",
		"//01":                       "3",
		"//~01":                      "4",
		"/list/1/0":                  "5",
		"/10":                        "6",
		"/list/01":                   "",
		"/list/-":                    "",
		"/list/2":                    "",
		"/list/1/0/0":                "",
		"/list/+1":                   "",
		"list":                       "",
		"/~2":                        "",
		"/~":                         "",
		"/list/99999999999999999999": "",
	} {
		n := file.At(pointer)
		switch {
		case want == "" && n != nil:
			t.Errorf("%q leads to %s", pointer, file.Raw(n))
		case want != "" && (n == nil || string(file.Raw(n)) != want):
			t.Errorf("%q leads to %v, want %s", pointer, n, want)
		}
	}
	other := mustParse(t, string(file.Src))
	if p, ok := file.PointerTo(other.At("/list/1/0")); ok {
		t.Errorf("a node of another file has pointer %q", p)
	}
}

func TestLargeObjectsAreIndexed(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	for i := range 5000 {
		fmt.Fprintf(&b, "%q:%d,", fmt.Sprint("k", i), i)
	}
	b.WriteString(`"last":true}`)
	root := mustParse(t, b.String()).Root
	for i := range 5000 {
		if n := root.Get(fmt.Sprint("k", i)); n == nil || n.Str != fmt.Sprint(i) {
			t.Fatalf("k%d: %v", i, n)
		}
	}
	if root.Get("k5000") != nil || root.Get("") != nil {
		t.Error("found a member that is not there")
	}
}

func TestPosition(t *testing.T) {
	src := "{\r\n  \"资源\": 1,\n\r \"😀\": \"é\" }\n"
	file := mustParse(t, src)
	for _, c := range []struct {
		at        string
		line, col int
	}{
		{"{", 1, 1},
		{"\r\n", 1, 2},
		{`"资`, 2, 3},
		{"源", 2, 5},
		{"1", 2, 9},
		{"\n\r", 2, 11},
		{`"😀`, 3, 3},
		{"😀", 3, 4},
		{`: "é`, 3, 6},
		{"é", 3, 9},
		{" }", 3, 11},
	} {
		offset := strings.Index(src, c.at)
		p := file.Position(offset)
		if p.Line != c.line || p.Col != c.col || p.Offset != offset || p.File != "a.json" {
			t.Errorf("%q: got %+v, want %d:%d", c.at, p, c.line, c.col)
		}
	}
	emoji := strings.Index(src, "😀")
	if p := file.Position(emoji + 2); p.Col != 4 || p.Offset != emoji {
		t.Errorf("inside a code point: %+v", p)
	}
	if p := file.Position(len(src)); p.Line != 4 || p.Col != 1 {
		t.Errorf("end: %+v", p)
	}
	if p := file.Position(-5); p.Line != 1 || p.Col != 1 {
		t.Errorf("before the start: %+v", p)
	}
	if p := file.Position(1 << 40); p.Offset != len(src) {
		t.Errorf("after the end: %+v", p)
	}
}

// A naive count from the start of the text is the law that the kept counts must obey.
func TestPositionAgreesWithCounting(t *testing.T) {
	var b strings.Builder
	b.WriteString("[")
	for i := range 3000 {
		b.WriteString([]string{`"é"`, `"资源 "`, "1", `"😀😀"`}[i%4])
		b.WriteString([]string{",", ",\n", ", ", ",\r\n", ","}[i%5])
	}
	b.WriteString("0]")
	src := b.String()
	file := mustParse(t, src)
	line, col := 1, 1
	for offset, r := range src {
		if p := file.Position(offset); p.Line != line || p.Col != col {
			t.Fatalf("offset %d: got %d:%d, want %d:%d", offset, p.Line, p.Col, line, col)
		}
		col++
		if r == '\n' {
			line, col = line+1, 1
		}
	}
}

func TestRefusals(t *testing.T) {
	deep := strings.Repeat("[", 1025) + strings.Repeat("]", 1025)
	for _, c := range []struct {
		name, src string
		code      diag.Code
		line, col int
		pointer   string
		message   string // a part
		hint      string // a part
	}{
		{"empty", "", load.CodeSyntax, 1, 1, "", "end of the document", "the document is empty"},
		{"blank", " \n", load.CodeSyntax, 2, 1, "", "end of the document", "the document is empty"},
		{"two commas", `{"a": 1,, "b": 2}`, load.CodeSyntax, 1, 9, "", "", "one of the commas"},
		{"bare name", `{a: 1}`, load.CodeSyntax, 1, 2, "", "", "double quotes"},
		{"bare name like null", `{"x": 1, nil: 1}`, load.CodeSyntax, 1, 10, "", "", "double quotes"},
		{"bare text", `{"a": tomorrow}`, load.CodeSyntax, 1, 8, "/a", "", "double quotes"},
		{"bare document", `nope`, load.CodeSyntax, 1, 2, "", "", "double quotes"},
		{"True", `{"a": True}`, load.CodeSyntax, 1, 7, "/a", "", "write true"},
		{"None", `[None]`, load.CodeSyntax, 1, 2, "/0", "", "write null"},
		{"NaN", `[1, NaN]`, load.CodeSyntax, 1, 5, "/1", "", "no such number"},
		{"letter in a number", `[0x10]`, load.CodeSyntax, 1, 3, "/0", "", ""},
		{"letter after a value", `{"a": "b" c}`, load.CodeSyntax, 1, 11, "/a", "", ""},
		{"letter in an escape", `["a,\u12zz"]`, load.CodeSyntax, 1, 9, "/0", "", ""},
		{"cut", `{"a": [1, {"b": `, load.CodeSyntax, 1, 17, "/a/1/b", "end of the document", "not closed"},
		{"two", "{} {}", load.CodeSyntax, 1, 4, "", "", ""},
		{"trailing comma", "{\"a\": [\n  1,\n]}", load.CodeSyntax, 3, 1, "/a/1", "", "remove the comma"},
		{"missing comma", "{\"a\": 1\n \"b\": 2}", load.CodeSyntax, 2, 2, "/a", "", "a comma is missing"},
		{"comment", "{\n // no\n}", load.CodeSyntax, 2, 2, "", "", "no comments"},
		{"single quotes", "{'a': 1}", load.CodeSyntax, 1, 2, "", "", "double quotes"},
		{"mark", "\ufeff{}", load.CodeSyntax, 1, 1, "", "byte order mark", "byte order mark"},
		{"not utf-8", "[\"ok\", \"a\xff\"]", load.CodeSyntax, 1, 10, "/1", "UTF-8", "UTF-8"},
		{"lone surrogate", `{"a":"\ud800"}`, load.CodeSyntax, 1, 7, "/a", "", "UTF-8"},
		{"duplicate", "{\"x\": {\n  \"a\": 1,\n  \"b\": {\"a\": 2},\n  \"\\u0061\": 3}}", load.CodeDuplicateName, 4, 3, "/x/a", `"a"`, "line 2, column 3"},
		{"duplicate in list", `[0, {"a~/": 1, "a~/": 2}]`, load.CodeDuplicateName, 1, 16, "/1/a~0~1", "", "line 1, column 6"},
		{"deep", deep, load.CodeLimit, 1, 1025, strings.Repeat("/0", 1024), "1024", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, list := load.Parse("bad.json", []byte(c.src), wire.Limits{})
			if file != nil || len(list) != 1 {
				t.Fatalf("file %v, list %v", file, list)
			}
			d := list[0]
			if d.File != "bad.json" || d.Severity != diag.Error || d.Code != c.code || d.Line != c.line || d.Col != c.col || d.Pointer != c.pointer {
				t.Errorf("got %s:%d:%d %s %s: %s, want %d:%d %s %s", d.File, d.Line, d.Col, d.Code, d.Pointer, d.Message, c.line, c.col, c.code, c.pointer)
			}
			if !strings.Contains(d.Message, c.message) || !strings.Contains(d.Hint, c.hint) || c.hint == "" && d.Hint != "" {
				t.Errorf("message %q, hint %q", d.Message, d.Hint)
			}
		})
	}
}

// A duplicate among many members is found late by the scan; it must be placed all the same.
func TestDuplicateAmongMany(t *testing.T) {
	var b strings.Builder
	b.WriteString("{\n")
	for i := range 40 {
		fmt.Fprintf(&b, "\"k%d\": [{\"k3\": \"}\"}],\n", i)
	}
	b.WriteString("\"k3\": 0, \"z\": 0}")
	_, list := load.Parse("a.json", []byte(b.String()), wire.Limits{})
	if len(list) != 1 || list[0].Code != load.CodeDuplicateName || list[0].Line != 42 || list[0].Pointer != "/k3" ||
		!strings.Contains(list[0].Hint, "line 5, column 1") {
		t.Fatalf("%+v", list)
	}
}

func TestLimits(t *testing.T) {
	lim := wire.Limits{Bytes: 100, Depth: 3, Nodes: 10, Members: 4}
	for _, c := range []struct{ name, fits, over, limit string }{
		{"bytes", `"` + strings.Repeat("x", 98) + `"`, `"` + strings.Repeat("x", 99) + `"`, "LIMIT_BYTES: more than 100"},
		{"depth", "[[[0]]]", "[[[[]]]]", "LIMIT_DEPTH: more than 3"},
		{"nodes", "[1,2,3,4,5,6,7,8,9]", "[1,2,3,4,5,6,7,8,9,0]", "LIMIT_NODES: more than 10"},
		{"members", `{"a":0,"b":0,"c":0,"d":0}`, `{"a":0,"b":0,"c":0,"d":0,"e":0}`, "LIMIT_MEMBERS: more than 4"},
	} {
		if _, list := load.Parse("a.json", []byte(c.fits), lim); len(list) > 0 {
			t.Errorf("%s: at the limit: %v", c.name, list)
		}
		_, list := load.Parse("a.json", []byte(c.over), lim)
		if len(list) != 1 || list[0].Code != load.CodeLimit || !strings.Contains(list[0].Message, c.limit) {
			t.Errorf("%s: over the limit: %v", c.name, list)
		}
	}
}

func TestDepthToTheLimit(t *testing.T) {
	file := mustParse(t, strings.Repeat(`{"a":`, 1023)+"[]"+strings.Repeat("}", 1023))
	n := file.At(strings.Repeat("/a", 1023))
	if n == nil || n.Kind != wire.KindArray {
		t.Fatalf("%v", n)
	}
	if p, ok := file.PointerTo(n); !ok || p != strings.Repeat("/a", 1023) {
		t.Errorf("pointer %q", p)
	}
}

// deadline is a backstop against quadratic behaviour, far above what a loaded machine needs.
const deadline = time.Minute

// Documents at the size limit, in the shapes that hurt: all of them load, or are refused, at once.
func TestLargestDocuments(t *testing.T) {
	fill := func(head, unit, tail string, numbered bool) string {
		var b strings.Builder
		b.WriteString(head)
		for i := 0; b.Len() < 4<<20-len(unit)-len(tail)-40; i++ {
			if i > 0 {
				b.WriteByte(',')
			}
			if numbered {
				fmt.Fprintf(&b, unit, i)
			} else {
				b.WriteString(unit)
			}
		}
		b.WriteString(tail)
		return b.String()
	}
	started := time.Now()
	for _, c := range []struct {
		name, src string
		refused   string
	}{
		{"a schema of properties", fill(`{"properties":{`, `"property%d":{"type":"string","minLength":1}`, `}}`, true), ""},
		{"strings", fill(`[`, `"é资"`, `]`, false), ""},
		{"names", fill(`{`, `"n%d":1`, `}`, true), ""},
		{"numbers", fill(`[`, `1`, `]`, false), "LIMIT_NODES"},
		{"brackets", strings.Repeat("[", 4<<20), "LIMIT_DEPTH"},
		{"one string", `"` + strings.Repeat("x", 4<<20), "LIMIT_BYTES"},
		{"late duplicate", fill(`{`, `"n%d":[]`, `,"n7":0}`, true), "second member"},
		{"line ends", strings.Repeat("\n", 4<<20-2) + "{}", ""},
	} {
		file, list := load.Parse("big.json", []byte(c.src), wire.Limits{})
		if c.refused == "" {
			if file == nil {
				t.Errorf("%s: %v", c.name, list)
			} else if p := file.Position(len(c.src)); p.Offset != len(c.src) {
				t.Errorf("%s: %+v", c.name, p)
			}
			continue
		}
		if len(list) != 1 || !strings.Contains(list[0].Message, c.refused) {
			t.Errorf("%s: %v", c.name, list)
		}
	}
	if took := time.Since(started); took > deadline {
		t.Errorf("took %v", took)
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll("sub", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("sub", "a.json"), []byte(`{"a":1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	file, list := load.ReadFile(filepath.Join("sub", "a.json"), wire.Limits{})
	if len(list) > 0 || file.Name != "sub/a.json" || file.At("/a").Str != "1" {
		t.Fatalf("%v %v", file, list)
	}
	for _, c := range []struct{ path, message, hint string }{
		{"sub/none.json", "no such file", "spelling"},
		{"sub", "is a folder", ""},
	} {
		file, list := load.ReadFile(c.path, wire.Limits{})
		if file != nil || len(list) != 1 || list[0].Code != load.CodeRead || list[0].File != c.path || list[0].Line != 0 ||
			!strings.Contains(list[0].Message, c.message) || !strings.Contains(list[0].Hint, c.hint) {
			t.Errorf("%s: %+v", c.path, list)
		}
	}
	if err := os.WriteFile("big.json", make([]byte, 5<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, list := load.ReadFile("big.json", wire.Limits{}); len(list) != 1 || list[0].Code != load.CodeLimit || !strings.Contains(list[0].Message, "4194304") {
		t.Errorf("big: %v", list)
	}
}

func TestSplitPointer(t *testing.T) {
	for _, tokens := range [][]string{nil, {""}, {"a", "", "~/", "~1", "资"}, {"~0", "/~"}} {
		pointer := ""
		for _, token := range tokens {
			pointer = load.Child(pointer, token)
		}
		back, ok := load.SplitPointer(pointer)
		if !ok || fmt.Sprintf("%q", back) != fmt.Sprintf("%q", tokens) {
			t.Errorf("%q: %q became %q", pointer, tokens, back)
		}
	}
	if load.Item("/a", 12) != "/a/12" {
		t.Error("Item")
	}
}

func BenchmarkParse(b *testing.B) {
	var s strings.Builder
	s.WriteString(`{"properties":{`)
	for i := 0; s.Len() < 1<<20; i++ {
		if i > 0 {
			s.WriteByte(',')
		}
		fmt.Fprintf(&s, `"property%d":{"type":"string","minLength":1,"title":"标题"}`, i)
	}
	s.WriteString("}}")
	src := []byte(s.String())
	if !utf8.Valid(src) {
		b.Fatal("not UTF-8")
	}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, list := load.Parse("a.json", src, wire.Limits{}); len(list) > 0 {
			b.Fatal(list)
		}
	}
}
