package golang_test

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vcp.core/fuzz/shared"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/ir"
)

// bare is source without what layout adds.
func bare(source string) []byte {
	var b strings.Builder
	for line := range strings.Lines(source) {
		if line = strings.TrimLeft(line, "\t"); line == "\n" {
			line = "\n\n \n"
		}
		b.WriteString(line)
	}
	return []byte(b.String())
}

// Layout restores what was taken away.
func TestLayout(t *testing.T) {
	tests := map[string]string{
		"imports":   "package p\n\nimport (\n\t\"a\"\n\t\"b\"\n)\n",
		"one line":  "package p\n\nfunc (p) f() {}\n\nfunc g() { return 1 }\n",
		"blocks":    "package p\n\nfunc f() {\n\tif a {\n\t\tb()\n\t} else {\n\t\tfor range x {\n\t\t\tc()\n\t\t}\n\t}\n\n\td()\n}\n",
		"cases":     "package p\n\nfunc f() {\n\tswitch a {\n\tcase 1, 2: // c\n\t\tb()\n\t\tswitch {\n\t\tcase x:\n\t\t\ty()\n\t\t}\n\tdefault:\n\t\tc()\n\t}\n}\n",
		"comments":  "package p\n\n// f is { ( [ && \"\nfunc f() {\n\tswitch a {\n\tcase 1:\n\t\t// { one\n\t\tb()\n\t// two\n\tcase 2:\n\t\t// three\n\t}\n}\n",
		"literals":  "package p\n\nfunc f() {\n\ta(\"{\\\"(\", '{', '\\'', `[\"`)\n\tb()\n}\n",
		"function":  "package p\n\nfunc f() {\n\ta(x, func() {\n\t\tb()\n\t})\n}\n",
		"and":       "package p\n\nfunc f() bool {\n\treturn a &&\n\t\tb &&\n\t\tc\n}\n",
		"in if":     "package p\n\nfunc f() {\n\tif a &&\n\t\tb {\n\t\tc()\n\t}\n}\n",
		"brackets":  "package p\n\nfunc f() bool {\n\tif !(a &&\n\t\tb) {\n\t\tc()\n\t}\n\treturn a && (b ||\n\t\tc) && d\n}\n",
		"nested":    "package p\n\nfunc f() bool {\n\treturn a &&\n\t\t(b ||\n\t\t\tc) &&\n\t\td\n}\n",
		"and in or": "package p\n\nfunc f() bool {\n\treturn a &&\n\t\tb ||\n\t\tc &&\n\t\t\td ||\n\t\te\n}\n",
		"arguments": "package p\n\nfunc f() {\n\ta(b ||\n\t\tc, d &&\n\t\te)\n\tg()\n}\n",
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			if formatted, err := format.Source([]byte(want)); err != nil || string(formatted) != want {
				t.Fatalf("the case is wrong: %v\n%s", err, formatted)
			}
			if got, ok := golang.Layout(bare(want)); !ok || string(got) != want {
				t.Errorf("%v\n%s\nwant\n%s", ok, got, want)
			}
		})
	}
}

// What gofmt changes inside of lines, or sees in another way, is left to it.
func TestLayoutRefuses(t *testing.T) {
	for name, source := range map[string]string{
		"an empty block":         "func f() {\nswitch a {}\n}\n",
		"an empty branch":        "func f() {\nif a {} else {\nb()\n}\n}\n",
		"a comment on a block":   "func f() {\nif a { // b\nc()\n}\n}\n",
		"a blank line alone":     "func f() {\n\n}\n",
		"quotation marks":        "// f is ``quoted''.\nfunc f() {}\n",
		"too many brackets":      "func f() {\n}\n}\n",
		"too few brackets":       "func f() {\n",
		"a literal without end":  "func f() {\na(\"b)\n}\n",
		"a literal on two lines": "func f() {\na(`b\n`)\n}\n",
	} {
		if got, ok := golang.Layout([]byte("package p\n\n" + source)); ok {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// The files of the repository need nothing else.
func TestLayoutOfGenerated(t *testing.T) {
	var files []string
	for _, name := range []string{"judge_gen.go", "read_gen.go", "append_gen.go"} {
		list, err := filepath.Glob(filepath.Join(shared.Root(t), "generated", "*", "*", name))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, list...)
	}
	if len(files) == 0 {
		t.Skip("there is no generated code here")
	}
	for _, name := range files {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := golang.Layout(bare(string(want))); !ok || !bytes.Equal(got, want) {
			t.Errorf("%s: %v", name, ok)
		}
	}
}

// gofmt breaks a function that is too long for a line, by one character more or less, and aligns others.
func TestFunctions(t *testing.T) {
	for length := range 60 {
		name := strings.Repeat("x", length+1)
		source := "package p\n\n" + golang.Functions(
			"func "+name+"() error", "return wire.JudgeBytes(src, wire.Limits{})",
			"func f日"+name+"(a int)", "",
			"func g"+name+"() error", "return nil",
			"func h()", "a()\nb()",
		)
		got, ok := golang.Layout([]byte(source))
		want, err := format.Source([]byte(source))
		if err != nil || !ok || !bytes.Equal(got, want) {
			t.Fatalf("%d: %v %v\n%s\nwant\n%s", length, ok, err, got, want)
		}
	}
}

// Schemas and names of all sorts, whose files are compared with what gofmt makes of them.
func TestFilesAreFormatted(t *testing.T) {
	for i, list := range [][]string{
		{`true`, `false`, `{}`, `{"type": "null"}`, `{"type": ["null", "object"], "properties": {"a": {"type": "null"}}}`},
		{`{"oneOf": [{"const": 1}, {"const": "''"}], "$comment": "a''"}`},
		{fmt.Sprintf(`{"title": %q, "type": "object", "properties": {%q: {"type": "string", "pattern": "a|b&&c"}}}`, strings.Repeat("日", 40), strings.Repeat("b", 90))},
		{"{\"$defs\": {\"``a''\": {\"type\": \"object\", \"properties\": {\"''\": {\"minLength\": 1}}}}, \"$ref\": \"#/$defs/``a''\"}"},
	} {
		files, diags := golang.EmitSchemas(textSet(t, "p", list))
		if diags.HasErrors() {
			t.Fatal(i, diags)
		}
		areFormatted(t, files)
	}
	// A package that carries no schemas, and has no types.
	files, diags := golang.Emit(golang.Package{Name: "p", Program: &ir.Program{}})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	areFormatted(t, files)
}

func areFormatted(t *testing.T, files []golang.File) {
	t.Helper()
	for _, f := range files {
		if formatted, err := format.Source(f.Bytes); err != nil || !bytes.Equal(formatted, f.Bytes) {
			t.Errorf("%s is not as gofmt writes it: %v\n%s", f.Name, err, f.Bytes)
		}
	}
}
