package diag_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vcp.core/gen/diag"
)

func at(file string, line, col, offset int) diag.Position {
	return diag.Position{File: file, Line: line, Col: col, Offset: offset}
}

func TestSort(t *testing.T) {
	a1 := diag.Diagnostic{Position: at("a.json", 1, 2, 1), Pointer: "/x", Severity: diag.Error, Code: "schema/type", Message: "first"}
	a1again := a1
	a1again.Message = "second" // same key, other text: kept, in the order made
	a1warn := a1
	a1warn.Code = "schema/zeta"
	a1deep := a1
	a1deep.Pointer = "/x/y"
	a9 := a1
	a9.Offset = 9
	b0 := a1
	b0.File, b0.Offset = "b.json", 0

	list := diag.List{b0, a9, a1, a1deep, a1again, a1warn, a1, a1again, a9}
	list.Sort()
	want := diag.List{a1, a1again, a1warn, a1deep, a9, b0}
	if !slices.Equal(list, want) {
		t.Fatalf("got  %v\nwant %v", list, want)
	}
}

// The order in which phases report must not show, wherever the key tells findings apart.
func TestSortForgetsOrder(t *testing.T) {
	var want diag.List
	for _, file := range []string{"a.json", "b.json"} {
		for offset := range 5 {
			for _, pointer := range []string{"", "/a"} {
				want = append(want, diag.Diagnostic{Position: at(file, 1, offset+1, offset), Pointer: pointer, Severity: diag.Error, Code: "x/y", Message: pointer})
			}
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		list := slices.Concat(want, want[:3])
		rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		list.Sort()
		if !slices.Equal(list, want) {
			t.Fatalf("got %v", list)
		}
	}
}

func TestHasErrorsAndCount(t *testing.T) {
	warning := diag.Diagnostic{Severity: diag.Warning}
	fault := diag.Diagnostic{Severity: diag.Error}
	for _, c := range []struct {
		list             diag.List
		has              bool
		errors, warnings int
	}{
		{nil, false, 0, 0},
		{diag.List{warning}, false, 0, 1},
		{diag.List{warning, fault, fault}, true, 2, 1},
	} {
		errs, warns := c.list.Count()
		if c.list.HasErrors() != c.has || errs != c.errors || warns != c.warnings {
			t.Errorf("%v: has %v, count %d %d", c.list, c.list.HasErrors(), errs, warns)
		}
	}
}

var samples = diag.List{
	{
		Position: at("p/plugin.json", 12, 7, 301), Pointer: "/capabilities/0/inputSchema/properties/a~1b/type",
		Severity: diag.Error, Code: "schema/type", Message: `"strin" is no type`, Hint: `did you mean "string"?`,
	},
	{
		Position: at("odd,name:100%.json", 1, 1, 0), Severity: diag.Warning, Code: "schema/near-miss",
		Message: "100% <odd> & \"资源\"",
	},
	{Position: diag.Position{File: "big.json"}, Severity: diag.Error, Code: "load/limit", Message: "document is larger than 4 MiB"},
	{
		Position: at("evil.json", 2, 3, 9), Pointer: "/a\nb\x1b[31m", Severity: diag.Error, Code: "schema/type",
		Message: "line one\r\nline two \u202egnp\xff", Hint: "a\tb",
	},
}

func TestWrite(t *testing.T) {
	for _, c := range []struct {
		format diag.Format
		want   string
	}{
		{diag.Text, `p/plugin.json:12:7: /capabilities/0/inputSchema/properties/a~1b/type: "strin" is no type
    hint: did you mean "string"?
odd,name:100%.json:1:1: warning: 100% <odd> & "资源"
big.json: document is larger than 4 MiB
evil.json:2:3: /a\nb\x1b[31m: line one\r\nline two \u202egnp\xff
    hint: a\tb
`},
		{diag.GitHub, `::error file=p/plugin.json,line=12,col=7,title=schema/type::/capabilities/0/inputSchema/properties/a~1b/type: "strin" is no type%0Ahint: did you mean "string"?
::warning file=odd%2Cname%3A100%25.json,line=1,col=1,title=schema/near-miss::100%25 <odd> & "资源"
::error file=big.json,title=load/limit::document is larger than 4 MiB
` + "::error file=evil.json,line=2,col=3,title=schema/type::/a%0Ab\x1b[31m: line one%0D%0Aline two \u202egnp\xff%0Ahint: a\tb\n"},
		{diag.JSON, `[
{"file":"p/plugin.json","line":12,"col":7,"offset":301,"pointer":"/capabilities/0/inputSchema/properties/a~1b/type","severity":"error","code":"schema/type","message":"\"strin\" is no type","hint":"did you mean \"string\"?"},
{"file":"odd,name:100%.json","line":1,"col":1,"offset":0,"pointer":"","severity":"warning","code":"schema/near-miss","message":"100% <odd> & \"资源\""},
{"file":"big.json","line":0,"col":0,"offset":0,"pointer":"","severity":"error","code":"load/limit","message":"document is larger than 4 MiB"},
` + `{"file":"evil.json","line":2,"col":3,"offset":9,"pointer":"/a\nb\u001b[31m","severity":"error","code":"schema/type","message":"line one\r\nline two ` + "\u202e" + `gnp\ufffd","hint":"a\tb"}
]
`},
	} {
		var out bytes.Buffer
		if err := diag.Write(&out, c.format, samples); err != nil {
			t.Fatal(err)
		}
		if out.String() != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.format, out.String(), c.want)
		}
	}
}

func TestWriteNothing(t *testing.T) {
	for format, want := range map[diag.Format]string{diag.Text: "", diag.GitHub: "", diag.JSON: "[]\n"} {
		var out bytes.Buffer
		if err := diag.Write(&out, format, nil); err != nil || out.String() != want {
			t.Errorf("%s: %q, %v", format, out.String(), err)
		}
	}
}

// What JSON says must be what the list says: the array decodes to the same findings.
func TestWriteJSONRoundTrip(t *testing.T) {
	var out bytes.Buffer
	list := samples[:3]
	if err := diag.Write(&out, diag.JSON, list); err != nil {
		t.Fatal(err)
	}
	var back diag.List
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(back, list) {
		t.Fatalf("got %v", back)
	}
}

type brokenWriter struct{ err error }

func (b brokenWriter) Write([]byte) (int, error) { return 0, b.err }

func TestWriteReportsErrors(t *testing.T) {
	full := errors.New("disk full")
	for _, f := range diag.Formats() {
		if err := diag.Write(brokenWriter{full}, f, samples); !errors.Is(err, full) {
			t.Errorf("%s: %v", f, err)
		}
	}
	var unknown *diag.FormatError
	if err := diag.Write(&bytes.Buffer{}, "xml", samples); !errors.As(err, &unknown) || unknown.Name != "xml" {
		t.Errorf("unknown format: %v", err)
	}
}

func TestParseFormat(t *testing.T) {
	for _, f := range diag.Formats() {
		var got diag.Format
		if err := got.UnmarshalText([]byte(f)); err != nil || got != f {
			t.Errorf("%q: %q %v", f, got, err)
		}
	}
	for _, bad := range []string{"", "Text", "yaml"} {
		_, err := diag.ParseFormat(bad)
		var unknown *diag.FormatError
		if !errors.As(err, &unknown) || unknown.Name != bad {
			t.Errorf("%q: %v", bad, err)
		}
		if !strings.Contains(err.Error(), "text, json or github") {
			t.Errorf("%q does not name the choices", err)
		}
	}
}
