package golang_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/emitted"
	"vcp.core/fuzz/random"
	"vcp.core/gen/diag"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/resolve"
)

var update = flag.Bool("update", false, "rewrite the expected files")

// section is one part of a case file, which is in the txtar format: text, then "-- name --" lines that
// each begin a section.
type section struct{ name, text string }

func sections(src string) (header string, list []section) {
	for _, line := range strings.SplitAfter(src, "\n") {
		name, ok := strings.CutPrefix(line, "-- ")
		if name, end, cut := strings.Cut(name, " --"); ok && cut && strings.TrimSpace(end) == "" {
			list = append(list, section{name: name})
			continue
		}
		if len(list) == 0 {
			header += line
		} else {
			list[len(list)-1].text += line
		}
	}
	return header, list
}

// A case holds schemas (*.json) and some of the files that are made of them (*_gen.go), or diagnostics.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			header, list := sections(string(src))
			set := golang.Set{Name: "example", ImportPath: "example.test/example"}
			for _, s := range list {
				if strings.HasSuffix(s.name, ".json") {
					set.Documents = append(set.Documents, resolve.Document{File: parse(t, s.name, []byte(s.text))})
				}
			}
			files, diags := golang.EmitSchemas(set)
			var out strings.Builder
			out.WriteString(header)
			for _, s := range list {
				if i := slices.IndexFunc(files, func(f golang.File) bool { return f.Name == s.name }); i >= 0 {
					s.text = string(files[i].Bytes)
				} else if strings.HasSuffix(s.name, ".go") {
					s.text = "there is no such file\n"
				}
				if s.name == "diagnostics" {
					var b bytes.Buffer
					if err := diag.Write(&b, diag.Text, diags); err != nil {
						t.Fatal(err)
					}
					s.text, diags = b.String(), nil
				}
				out.WriteString("-- " + s.name + " --\n" + s.text)
			}
			if diags.HasErrors() {
				t.Errorf("unexpected: %v", diags)
			}
			switch {
			case out.String() == string(src):
			case *update:
				if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("got\n%s\nwant\n%s", out.String(), src)
			}
		})
	}
}

// Equal inputs give equal bytes, in whatever order they come, and nothing of the machine gets in.
func TestDeterminism(t *testing.T) {
	set := protocolSet(t)
	first, list := golang.EmitSchemas(set)
	if len(list) > 0 {
		t.Fatal(list)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		rng.Shuffle(len(set.Documents), func(i, k int) { set.Documents[i], set.Documents[k] = set.Documents[k], set.Documents[i] })
		again, _ := golang.EmitSchemas(set)
		if !slices.EqualFunc(first, again, func(a, b golang.File) bool { return a.Name == b.Name && bytes.Equal(a.Bytes, b.Bytes) }) {
			t.Fatal("shuffled inputs give other bytes")
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range first {
		if bytes.Contains(f.Bytes, []byte(here)) || bytes.Contains(f.Bytes, []byte(filepath.Dir(here))) {
			t.Errorf("%s knows where it was made", f.Name)
		}
	}
}

// The hash of the inputs covers every part of them.
func TestInputHash(t *testing.T) {
	p, list := protocolSet(t).Compile()
	if len(list) > 0 {
		t.Fatal(list)
	}
	first := p.InputHash()
	for name, change := range map[string]func(p *golang.Package){
		"name":    func(p *golang.Package) { p.Name = "other" },
		"path":    func(p *golang.Package) { p.ImportPath += "x" },
		"support": func(p *golang.Package) { p.Support = "example.test" },
		"source":  func(p *golang.Package) { p.Source += "x" },
		"format":  func(p *golang.Package) { p.FormatAssertion = false },
		"root":    func(p *golang.Package) { p.Roots[0].Name += "x" },
		"bytes": func(p *golang.Package) {
			p.Sources[0].Bytes = append(slices.Clip(p.Sources[0].Bytes), ' ')
		},
		"uri":  func(p *golang.Package) { p.Sources[0].URI += "x" },
		"file": func(p *golang.Package) { p.Sources[0].Name += "x" },
	} {
		changed := p
		changed.Roots, changed.Sources = slices.Clone(p.Roots), slices.Clone(p.Sources)
		change(&changed)
		if changed.InputHash() == first {
			t.Errorf("another %s, the same hash", name)
		}
	}
	if p.InputHash() != first {
		t.Error("the same inputs, another hash")
	}
}

// Only one file changes when nothing but bytes of an input do, so that branches do not conflict.
func TestOnlyOneFileHasTheHash(t *testing.T) {
	p, list := protocolSet(t).Compile()
	if len(list) > 0 {
		t.Fatal(list)
	}
	files, _ := golang.Emit(p)
	for _, f := range files {
		has := bytes.Contains(f.Bytes, []byte(p.InputHash()))
		if has != (f.Name == "inputs_gen.go") {
			t.Errorf("%s has the hash: %v", f.Name, has)
		}
		head := "// Code generated by vcp gen. DO NOT EDIT.\n// Source: contract/schema/v1\n\n"
		if !bytes.HasPrefix(f.Bytes, []byte(head)) {
			t.Errorf("%s begins with %q", f.Name, f.Bytes[:len(head)])
		}
	}
}

// Roots that cannot be named, and roots that do not exist.
func TestRefusals(t *testing.T) {
	doc := func(name, text string) resolve.Document { return resolve.Document{File: parse(t, name, []byte(text))} }
	for _, c := range []struct {
		name string
		set  golang.Set
		want diag.Code
	}{
		{"a small letter", golang.Set{Documents: []resolve.Document{doc("a.json", `{}`)}, Roots: []golang.SetRoot{{Name: "a", File: "a.json"}}}, golang.CodeName},
		{"no identifier", golang.Set{Documents: []resolve.Document{doc("a.json", `{}`)}, Roots: []golang.SetRoot{{Name: "A-B", File: "a.json"}}}, golang.CodeName},
		{"a name twice", golang.Set{Documents: []resolve.Document{doc("a.json", `{}`), doc("b.json", `{}`)},
			Roots: []golang.SetRoot{{Name: "A", File: "a.json"}, {Name: "A", File: "b.json"}}}, golang.CodeName},
		{"a name that a function has", golang.Set{Documents: []resolve.Document{doc("a.json", `{}`), doc("b.json", `{}`)},
			Roots: []golang.SetRoot{{Name: "A", File: "a.json"}, {Name: "JudgeA", File: "b.json"}}}, golang.CodeName},
		{"a name that every package has", golang.Set{Documents: []resolve.Document{doc("a.json", `{}`)}, Roots: []golang.SetRoot{{Name: "Schemas", File: "a.json"}}}, golang.CodeName},
		{"no such file", golang.Set{Documents: []resolve.Document{doc("a.json", `{}`)}, Roots: []golang.SetRoot{{File: "b.json"}}}, golang.CodeRoot},
		{"no such place", golang.Set{Documents: []resolve.Document{doc("a.json", `{}`)}, Roots: []golang.SetRoot{{File: "a.json", Pointer: "/$defs/x"}}}, golang.CodeRoot},
		{"a schema that does not resolve", golang.Set{Documents: []resolve.Document{doc("a.json", `{"$ref":"b.json"}`)}}, resolve.CodeUnknownDocument},
	} {
		c.set.Name, c.set.ImportPath = "example", "example.test/example"
		files, list := golang.EmitSchemas(c.set)
		if files != nil || !slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.Code == c.want }) {
			t.Errorf("%s: %d files, %v", c.name, len(files), list)
		}
	}
}

// Names that are no Go, and places that look alike: everything builds, and the verdicts are live's.
func TestNastyNames(t *testing.T) {
	names := []string{"", " ", "type", "func", "nil", "j", "n", "ok", "m", "seen", "v", "wire", "日程", "日 程", "a-b", "a_b", "aB", "A b", "1", "😀",
		"$ref", "\\u0000", "\\n", "`", "\\\"", "%s", "//", "*/", "x\\u2028y", "É", "e\\u0301", "\\ufeff", "Id", "ID", "id", "Text", "Fail", "error", "any", "true"}
	var props, required, kinds []string
	for i, name := range names {
		props = append(props, fmt.Sprintf(`"%s": {"type": "object", "properties": {"x": {"const": "%s"}, "y": {"items": {"enum": ["%s", %d]}}}}`, name, name, name, i))
		required = append(required, `"`+name+`"`)
		kinds = append(kinds, fmt.Sprintf(`{"properties": {"%s": {"const": "%s"}}, "required": ["%s"]}`, name, name, name))
	}
	all := strings.Join(props, ",")
	schemas := []string{
		`{"properties": {` + all + `}, "required": [` + strings.Join(required, ",") + `], "additionalProperties": false}`,
		`{"$defs": {` + all + `}, "properties": {` + strings.ReplaceAll(all, `"object"`, `["object", "null"], "title": "*/ x"`) + `}}`,
		`{"anyOf": [` + strings.Join(kinds, ",") + `]}`,
		`{"patternProperties": {` + strings.NewReplacer(`"": `, `"^$": `, `"$ref": `, `"\\$ref": `, `"*/": `, `"\\*/": `).Replace(all) + `}}`,
		`{"if": ` + kinds[2] + `, "then": {"required": ["` + names[3] + `", "` + names[13] + `"]}, "else": {"properties": {"ok": {"type": "null"}}}}`,
		`{"$ref": "#/$defs/func", "$defs": {"func": {"properties": {"go": {"$ref": "#/$defs/Func"}}}, "Func": {"properties": {"go": {"$ref": "#/$defs/func"}}, "maxProperties": 1}}}`,
	}
	p, list := textSet(t, "nasty", schemas).Compile()
	if list.HasErrors() {
		t.Fatal(list)
	}
	a := newAgreement()
	a.add(t, p)
	for i := range schemas {
		judge := fmt.Sprintf("nasty.S%d", i+1)
		for k, name := range names {
			for _, value := range []string{`1`, `{}`, `{"x":"` + name + `"}`, `{"x":1}`, `{"y":["` + name + `"]}`, `{"y":["!"]}`, `"` + name + `"`} {
				a.ask(judge, []byte(`{"`+name+`":`+value+`}`), judge, "")
				other := names[(k+7)%len(names)]
				a.ask(judge, []byte(`{"`+other+`":`+value+`,"`+name+`":`+value+`}`), judge, "")
			}
		}
	}
	a.check(t)
}

// Schemas that take exponential time without a memo, on deep documents: if generated code had no memo
// where one is needed, its budget would run out and the verdict would be undecided.
func TestBlowUps(t *testing.T) {
	var schemas []string
	for _, b := range random.BlowUps {
		schemas = append(schemas, b.Schema)
	}
	p, list := textSet(t, "blowups", schemas).Compile()
	if list.HasErrors() {
		t.Fatal(list)
	}
	a := newAgreement()
	a.add(t, p)
	for i, b := range random.BlowUps {
		for _, depth := range []int{2, 3, 22, 100, 1000, 1023} {
			a.ask(fmt.Sprintf("blowups.S%d", i+1), []byte(b.Document(depth)), b.Name, verdicts[map[bool]wire.Verdict{true: wire.Valid}[b.Valid]])
		}
	}
	a.check(t)
}

// Code that is generated into a foreign module against support packages under another path names that
// path and no other.
func TestSupportPrefix(t *testing.T) {
	set := protocolSet(t)
	set.Support = "example.test/support"
	files, list := golang.EmitSchemas(set)
	if len(list) > 0 {
		t.Fatal(list)
	}
	for _, f := range files {
		text := strings.ReplaceAll(string(f.Bytes), schema.Base, "") // the documents' own addresses
		if strings.Contains(text, `"vcp.core/`) || f.Name == "judge_gen.go" && !strings.Contains(text, `"example.test/support/contract/wire"`) {
			t.Errorf("%s imports the wrong support package", f.Name)
		}
	}
}

// Files whose names fold into one another, or into what a package declares anyway, get names that build;
// two roots may be one schema.
func TestNamesOfRoots(t *testing.T) {
	set := golang.Set{Name: "roots", ImportPath: emitted.ImportPath("roots")}
	for _, name := range []string{"a.json", "A.json", "judge-a.json", "schemas.json", "input-hash.json", "rules.json", "日.json", "1.json", "-.json"} {
		set.Documents = append(set.Documents, resolve.Document{File: parse(t, name, []byte(`{"type":"null"}`))})
	}
	set.Documents = append(set.Documents, resolve.Document{File: parse(t, "same.json", []byte(`{"$ref":"a.json"}`))})
	p, list := set.Compile()
	if list.HasErrors() {
		t.Fatal(list)
	}
	var names []string
	for _, r := range p.Roots {
		names = append(names, r.Name)
	}
	want := []string{"X", "X1", "A", "A2", "InputHash2", "JudgeA3", "Rules", "Same", "Schemas2", "X日"}
	if !slices.Equal(names, want) {
		t.Errorf("roots are named %v, want %v", names, want)
	}
	a := newAgreement()
	a.add(t, p)
	for _, name := range names {
		a.ask("roots."+name, []byte("null"), "roots", "valid")
		a.ask("roots."+name, []byte("1"), "roots", "invalid")
	}
	a.check(t)
}
