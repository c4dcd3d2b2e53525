package metacheck_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/shared"
	"vcp.core/fuzz/suite"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
	"vcp.core/gen/metacheck"
	"vcp.core/gen/resolve"
)

func parse(t *testing.T, name string, src []byte) *load.File {
	t.Helper()
	file, list := load.Parse(name, src, wire.Limits{})
	if len(list) > 0 {
		t.Fatal(list)
	}
	return file
}

func TestCheck(t *testing.T) {
	const draft07 = `"$schema":"http://json-schema.org/draft-07/schema#",`
	for _, c := range []struct {
		schema string
		want   []string // "code pointer"
	}{
		{`{}`, nil},
		{`true`, nil},
		{`{"type":"string","maxLength":2.0,"pattern":"^(?=a)"}`, nil},
		{`{` + draft07 + `"pattern":"^(?=a)","patternProperties":{"(?!b)":{}},"items":{"pattern":"(?=a)"}}`, nil},
		{`{"maxLength":-1,"properties":{"a/b%":{"type":"strin"}}}`, []string{"metacheck/invalid /maxLength", "metacheck/invalid /properties/a~1b%/type"}},
		{`{` + draft07 + `"items":[]}`, []string{"metacheck/invalid /items"}},
		{`{` + draft07 + `"items":[{"type":5}]}`, []string{"metacheck/invalid /items", "metacheck/invalid /items/0/type"}},
		{`{"items":[{}]}`, []string{"metacheck/invalid /items"}},
		{`[]`, []string{"metacheck/invalid "}},
		{`{"$schema":"https://example.com/own"}`, []string{"metacheck/no-draft /$schema"}},
		{`{"$schema":5}`, []string{"metacheck/no-draft /$schema"}},
		{`{"maximum":1e1001}`, []string{"metacheck/unchecked /maximum"}},
		{`{"enum":[{"a":1E-99999999999999999999}]}`, []string{"metacheck/unchecked /enum/0/a"}},
		{`{"maxLength":1e400}`, nil},
		{`{"$ref":"https://example.com/nowhere"}`, nil},
		{`{` + draft07 + `"enum":[],"items":[{"enum":[1,1]}]}`, nil},
	} {
		list := metacheck.Check(parse(t, "s.json", []byte(c.schema)), nil)
		got := map[string]bool{}
		for _, d := range list {
			got[string(d.Code)+" "+d.Pointer] = true
		}
		want := map[string]bool{}
		for _, w := range c.want {
			want[w] = true
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %v", c.schema, list)
		}
	}
}

func TestCheckInsideADocument(t *testing.T) {
	src := `{"tools":[{"inputSchema":{"properties":{"a":{"minLength":"1"}}}}]}`
	file := parse(t, "m.json", []byte(src))
	list := metacheck.Check(file, file.At("/tools/0/inputSchema"))
	if len(list) != 1 || list[0].Pointer != "/tools/0/inputSchema/properties/a/minLength" || list[0].Offset != strings.Index(src, `"1"`) || list[0].File != "m.json" {
		t.Errorf("%+v", list)
	}
}

// The engine agrees with every schema of the protocol.
func TestProtocolSchemas(t *testing.T) {
	for _, d := range schema.All() {
		if list := metacheck.Check(parse(t, d.Path, d.Source), nil); len(list) > 0 {
			t.Errorf("%s: %v", d.Name, list)
		}
	}
}

// Both opinions on the official suite and on real schemas: what resolve accepts, the meta-schema accepts.
func TestAgreesWithResolve(t *testing.T) {
	checked := 0
	agree := func(file *load.File, dialect resolve.Dialect) {
		checked++
		list := metacheck.Check(file, nil)
		_, ours := resolve.Resolve(file, nil, resolve.Options{Dialect: dialect})
		for _, d := range ours {
			if d.Code == resolve.CodeValue && d.Severity == diag.Error && len(list) == 0 {
				t.Errorf("the meta-schema accepts what resolve refuses: %s", d)
			}
		}
		for _, d := range list {
			if d.Code == metacheck.CodeMeta && !refusedHere(ours) {
				t.Errorf("resolve accepts what the meta-schema refuses: %s", d)
			}
		}
	}
	for draft, dialect := range map[suite.Dialect]resolve.Dialect{suite.Draft2020: resolve.Draft2020, suite.Draft07: resolve.Draft07} {
		files, err := suite.Read(shared.Path(t, "data", "json-schema-test-suite", "tests", string(draft)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			for _, g := range f.Groups {
				src := g.Schema
				if rest, object := bytes.CutPrefix(bytes.TrimSpace(src), []byte("{")); object && draft == suite.Draft07 && !bytes.Contains(src, []byte(`"$schema"`)) {
					src = slices.Concat([]byte(`{"$schema":"http://json-schema.org/draft-07/schema#"`), comma(rest), rest)
				}
				agree(parse(t, string(draft)+"/"+f.Name+": "+g.Description, src), dialect)
			}
		}
	}
	dir := shared.Path(t, "data", "schemas")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		file, list := load.ReadFile(filepath.Join(dir, e.Name(), "schema.json"), wire.Limits{})
		if len(list) > 0 {
			t.Fatal(list)
		}
		agree(file, "")
	}
	t.Logf("%d schemas", checked)
	if checked < 600 {
		t.Errorf("only %d schemas were compared", checked)
	}
}

// comma returns what has to stand between a first member and the rest of an object.
func comma(rest []byte) []byte {
	if bytes.HasPrefix(bytes.TrimSpace(rest), []byte("}")) {
		return nil
	}
	return []byte(",")
}

// refusedHere reports whether resolve has found an error other than references to documents that this
// test does not give it.
func refusedHere(list diag.List) bool {
	for _, d := range list {
		if d.Severity == diag.Error && !strings.HasPrefix(string(d.Code), "schema/unknown") && d.Code != resolve.CodeNetwork {
			return true
		}
	}
	return false
}
