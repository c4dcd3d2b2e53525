package golang_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/emitted"
	"vcp.core/gen/diag"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/resolve"
)

// shapeCase is one case: schemas in, types and diagnostics out; documents in, re-encoded documents out.
type shapeCase struct {
	path, pkg string
	header    []byte
	sections  []txtar.File
	files     []golang.File
	roots     []string
	documents []string // "Root document"
}

// Cases hold schemas (*.json), documents, and what is made of them: the planned model, generated files,
// diagnostics, and each document encoded again, or why it was refused. The code of all cases is built into
// one program. Cases in good have no diagnostics.
func TestShapes(t *testing.T) {
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(paths) < 10 {
		t.Fatal(len(paths), "cases", err)
	}
	var cases []*shapeCase
	packages := map[string][]golang.File{}
	for _, path := range paths {
		c := readShapeCase(t, path)
		cases = append(cases, c)
		packages[c.pkg] = c.files
	}
	many := manyProperties(t)
	cases, packages[many.pkg] = append(cases, many), many.files
	answers := encodeAll(t, packages, cases)
	for _, c := range cases {
		t.Run(c.pkg, func(t *testing.T) { c.compare(t, answers[c.pkg]) })
	}
}

func readShapeCase(t *testing.T, path string) *shapeCase {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := &shapeCase{path: path}
	c.pkg = filepath.Base(filepath.Dir(path)) + strings.TrimSuffix(filepath.Base(path), ".txtar")
	cases := txtar.Parse(src)
	c.header, c.sections = cases.Comment, cases.Files
	set := golang.Set{Name: c.pkg, ImportPath: emitted.ImportPath(c.pkg)}
	for _, s := range c.sections {
		if strings.HasSuffix(s.Name, ".json") {
			set.Documents = append(set.Documents, resolve.Document{File: parse(t, s.Name, s.Data)})
		}
	}
	p, list := set.Compile()
	if list.HasErrors() {
		t.Fatalf("%s: %v", path, list)
	}
	for _, r := range p.Roots {
		c.roots = append(c.roots, r.Name)
	}
	var findings diag.List
	c.files, findings = golang.Emit(p)
	for i := range c.sections {
		s := &c.sections[i]
		switch s.Name {
		case "documents":
			for line := range strings.Lines(string(s.Data)) {
				line = strings.TrimSuffix(line, "\n")
				if first := line[0]; first < 'A' || first > 'Z' {
					line = c.roots[0] + " " + line
				}
				c.documents = append(c.documents, line)
			}
		case "model":
			s.Data = []byte(golang.Model(p))
		case "diagnostics":
			var b bytes.Buffer
			if err := diag.Write(&b, diag.Text, findings); err != nil {
				t.Fatal(err)
			}
			s.Data, findings = b.Bytes(), nil
		}
		for _, f := range c.files {
			if f.Name == s.Name {
				s.Data = f.Bytes
			}
		}
	}
	if len(findings) > 0 {
		t.Errorf("%s: unexpected: %v", path, findings)
	}
	if good := strings.HasPrefix(c.pkg, "good"); good != (len(c.sections[len(c.sections)-1].Data) == 0) {
		t.Errorf("%s: the diagnostics are %q", path, c.sections[len(c.sections)-1].Data)
	}
	return c
}

// compare holds the case against its file, and encoded documents against the documents.
func (c *shapeCase) compare(t *testing.T, answers []string) {
	for i, a := range answers {
		_, document, _ := strings.Cut(c.documents[i], " ")
		if !strings.HasPrefix(a, "refused: ") && !bytes.Equal(canonical(t, a), canonical(t, document)) {
			t.Errorf("%s comes back as %s", document, a)
		}
	}
	if c.path == "" {
		return
	}
	var out strings.Builder
	out.Write(c.header)
	for _, s := range c.sections {
		if s.Name == "encoded" {
			s.Data = []byte(strings.Join(answers, "\n") + "\n")
		}
		out.WriteString("-- " + s.Name + " --\n" + string(s.Data))
	}
	src, err := os.ReadFile(c.path)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case out.String() == string(src):
	case *update:
		if err := os.WriteFile(c.path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("got\n%s\nwant\n%s", out.String(), src)
	}
}

func canonical(t *testing.T, document string) []byte {
	t.Helper()
	var tape wire.Tape
	if err := tape.Scan([]byte(document), wire.Limits{}); err != nil {
		t.Fatalf("%s: %v", document, err)
	}
	return wire.AppendCanonical(nil, &tape, 0)
}

// manyProperties is an object of 300 members, half of them required: no golden, because nobody would read it.
func manyProperties(t *testing.T) *shapeCase {
	t.Helper()
	const count = 300
	var properties, required []string
	var all, least []string
	for i := range count {
		name := fmt.Sprintf("p%d", i)
		properties = append(properties, fmt.Sprintf(`%q: {"type": %q}`, name, []string{"string", "integer", "boolean"}[i%3]))
		value := fmt.Sprintf("%q: %s", name, []string{`"x"`, `7`, `true`}[i%3])
		all = append(all, value)
		if i%2 == 0 {
			required = append(required, fmt.Sprintf("%q", name))
			least = append(least, value)
		}
	}
	text := `{"type": "object", "properties": {` + strings.Join(properties, ",") + `}, "required": [` + strings.Join(required, ",") + `], "additionalProperties": false}`
	c := &shapeCase{pkg: "manyproperties", roots: []string{"Many"}}
	var list diag.List
	c.files, list = golang.EmitSchemas(golang.Set{
		Name: c.pkg, ImportPath: emitted.ImportPath(c.pkg), Documents: []resolve.Document{{File: parse(t, "many.json", []byte(text))}},
	})
	if len(list) > 0 {
		t.Fatal(list)
	}
	slices.Reverse(all)
	for _, members := range [][]string{all, least, least[1:]} {
		c.documents = append(c.documents, "Many {"+strings.Join(members, ",")+"}")
	}
	return c
}

// encodeAll builds the cases and has their documents decoded and encoded again. Answers are by package.
func encodeAll(t *testing.T, packages map[string][]golang.File, cases []*shapeCase) map[string][]string {
	t.Helper()
	var imports, table, questions strings.Builder
	for _, c := range cases {
		fmt.Fprintf(&imports, "\t%q\n", emitted.ImportPath(c.pkg))
		for _, r := range c.roots {
			fmt.Fprintf(&table, "\t\"%s %s\": encode(%[1]s.Decode%[2]s),\n", c.pkg, r)
		}
		for _, d := range c.documents {
			fmt.Fprintf(&questions, "%s %s\n", c.pkg, d)
		}
	}
	main := `package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"vcp.core/contract/wire"
` + imports.String() + `)

var encoders = map[string]func([]byte) string{
` + table.String() + `}

func encode[T wire.Appender](decode func([]byte) (T, error)) func([]byte) string {
	return func(src []byte) string {
		x, err := decode(src)
		if err != nil {
			return "refused: " + err.Error()
		}
		return string(x.AppendJSON(nil))
	}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f := strings.SplitN(lines.Text(), " ", 3)
		fmt.Println(encoders[f[0]+" "+f[1]]([]byte(f[2])))
	}
}
`
	cmd := exec.Command(emitted.Build(t, packages, main))
	cmd.Stdin = strings.NewReader(questions.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	answers := map[string][]string{}
	for _, c := range cases {
		if len(lines) < len(c.documents) {
			t.Fatalf("%d answers are missing", len(c.documents)-len(lines))
		}
		answers[c.pkg], lines = lines[:len(c.documents)], lines[len(c.documents):]
	}
	return answers
}

// Types and values stay in proportion: definitions that hold each other ten times on each of twelve levels
// make no type of a terabyte, and a document of many small values that are big in Go is refused.
func TestProportions(t *testing.T) {
	var wide, levels []string
	for i := range 100 {
		wide = append(wide, fmt.Sprintf(`"p%d": {"type": ["string", "null"]}`, i))
	}
	for level := range 12 {
		var members []string
		for i := range 10 {
			members = append(members, fmt.Sprintf(`"m%d": {"$ref": "#/$defs/d%d"}`, i, level+1))
		}
		levels = append(levels, fmt.Sprintf(`"d%d": {"type": "object", "properties": {%s}}`, level, strings.Join(members, ",")))
	}
	object := `{"type": "object", "properties": {` + strings.Join(wide, ",") + `}}`
	many := strings.TrimSuffix(strings.Repeat("{},", 40_000), ",")
	var named []string
	for i := range 40_000 {
		named = append(named, fmt.Sprintf(`"q%d":{}`, i))
	}
	cases := []struct{ name, schema, document string }{
		{"Levels", `{"$ref": "#/$defs/d0", "$defs": {` + strings.Join(levels, ",") + `, "d12": {"type": "object", "properties": {"s": {"type": "string"}}}}}`, ``},
		{"List", `{"type": "array", "items": ` + object + `}`, `[` + many + `]`},
		{"Nullable", `{"type": "array", "items": {"anyOf": [` + object + `, {"type": "null"}]}}`, `[` + strings.ReplaceAll(many, "{}", "null") + `]`},
		{"Rest", `{"type": "array", "prefixItems": [{"type": "string"}], "items": ` + object + `}`, `["a",` + many + `]`},
		{"Entries", `{"type": "object", "additionalProperties": ` + object + `}`, `{` + strings.Join(named, ",") + `}`},
		{"Extra", `{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": ` + object + `}`, `{` + strings.Join(named, ",") + `}`},
		{"Pointer", `{"type": "array", "items": {"type": "object", "properties": {"q": ` + object + `}}}`, `[` + strings.ReplaceAll(many, "{}", `{"q":{}}`) + `]`},
		{"Union", `{"type": "array", "items": {"oneOf": [{"type": "object", "required": ["k"], "properties": {"k": {"const": 1},` + strings.Join(wide, ",") +
			`}}, {"type": "object", "required": ["k"], "properties": {"k": {"const": 2}}}]}}`,
			`[` + strings.ReplaceAll(many, "{}", `{"k":1}`) + `]`},
	}
	var documents []string
	set := golang.Set{Name: "proportions", ImportPath: emitted.ImportPath("proportions")}
	var calls strings.Builder
	for _, c := range cases {
		set.Documents = append(set.Documents, resolve.Document{File: parse(t, c.name+".json", []byte(c.schema))})
		documents = append(documents, c.document)
		fmt.Fprintf(&calls, "\ttry(%q, proportions.Decode%[1]s)\n", c.name)
	}
	files, list := golang.EmitSchemas(set)
	if len(list) > 0 {
		t.Fatal(list)
	}
	cmd := exec.Command(emitted.Build(t, map[string][]golang.File{"proportions": files}, `package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"unsafe"

	"generated.test/proportions"
	"vcp.core/contract/wire"
)

var lines = bufio.NewReader(os.Stdin)

func try[T any](name string, decode func([]byte) (T, error)) {
	src, _ := lines.ReadBytes('\n')
	if len(src) < 2 {
		src = []byte("{}")
	}
	x, err := decode(src)
	e, _ := errors.AsType[*wire.Error](err)
	fmt.Println(name, unsafe.Sizeof(x) < 1<<16, e != nil && e.Reason == "LIMIT_BYTES", err != nil)
}

func main() {
`+calls.String()+"}\n"))
	cmd.Stdin = strings.NewReader(strings.Join(documents, "\n") + "\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := "Levels true false false\n"
	for _, c := range cases[1:] {
		want += c.name + " true true true\n"
	}
	if string(out) != want {
		t.Errorf("got\n%swant\n%s", out, want)
	}
}
