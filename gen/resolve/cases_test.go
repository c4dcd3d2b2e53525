package resolve_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

var update = flag.Bool("update", false, "write the golden parts of testdata cases anew")

// A case is a txtar file. schema.json is resolved (or the value that the file "at" points to); every
// other *.json is a document of the registry, known by its file name, and by the URI in "NAME uri" where
// there is one. A case in good/ ends with the resolved graph and with warnings if there are any, one in
// bad/ with diagnostics.
func TestCases(t *testing.T) {
	for _, kind := range []string{"good", "bad"} {
		files, err := filepath.Glob(filepath.Join("testdata", kind, "*.txtar"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no cases in %s: %v", kind, err)
		}
		for _, file := range files {
			t.Run(kind+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { runCase(t, file, kind == "good") })
		}
	}
}

func runCase(t *testing.T, name string, good bool) {
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	c := parsed(src)
	opts, registryFindings := c.options(t)
	root := parse(t, "schema.json", c.get("schema.json"))
	schema, list := resolve.Resolve(root, root.At(strings.TrimSpace(string(c.get("at")))), opts)
	if list.HasErrors() == good {
		t.Errorf("errors: %v", list.HasErrors())
		show(t, list)
	}
	if (schema == nil) != list.HasErrors() {
		t.Errorf("schema %v beside errors %v", schema, list.HasErrors())
	}
	c.golden("registry", text(t, registryFindings))
	if good {
		c.golden("resolved", dump(schema))
		c.golden("warnings", text(t, list))
	} else {
		c.golden("diagnostics", text(t, list))
	}
	if out := txtar.Format(c.Archive); !bytes.Equal(out, src) {
		if *update {
			if err := os.WriteFile(name, out, 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		t.Errorf("golden parts differ; got\n%s", out)
	}
}

// options makes a registry of the other documents of a case.
func (c *archive) options(t *testing.T) (resolve.Options, diag.List) {
	var docs []resolve.Document
	for _, f := range c.Files {
		if f.Name == "schema.json" || filepath.Ext(f.Name) != ".json" {
			continue
		}
		docs = append(docs, resolve.Document{File: parse(t, f.Name, f.Data), URI: strings.TrimSpace(string(c.get(f.Name + " uri")))})
	}
	registry, list := resolve.NewRegistry(docs...)
	return resolve.Options{Registry: registry}, list
}

func parse(t testing.TB, name string, src []byte) *load.File {
	t.Helper()
	file, list := load.Parse(name, src, wire.Limits{})
	if len(list) > 0 {
		t.Fatal(list)
	}
	return file
}

func text(t *testing.T, list diag.List) string {
	var out strings.Builder
	for _, d := range list {
		fmt.Fprintf(&out, "%s (%s)\n", d, d.Code)
		if d.Hint != "" {
			fmt.Fprintf(&out, "    hint: %s\n", d.Hint)
		}
	}
	return out.String()
}

// dump prints the graph breadth first, a line for every schema and every keyword.
func dump(root *resolve.Schema) string {
	if root == nil {
		return ""
	}
	ids := map[*resolve.Schema]int{root: 0}
	queue := []*resolve.Schema{root}
	id := func(s *resolve.Schema) string {
		n, seen := ids[s]
		if !seen {
			n = len(queue)
			ids[s] = n
			queue = append(queue, s)
		}
		return fmt.Sprint("#", n)
	}
	var out strings.Builder
	for i := 0; i < len(queue); i++ {
		s := queue[i]
		fmt.Fprintf(&out, "%s %s#%s <%s> %s", id(s), s.File.Name, s.Pointer, s.Base, s.Dialect)
		if s.Always != nil {
			fmt.Fprintf(&out, " always %v", *s.Always)
		}
		out.WriteByte('\n')
		for _, k := range s.Keywords {
			fmt.Fprintf(&out, "  %s", k.Name)
			if k.Source != k.Name {
				fmt.Fprintf(&out, " (%s)", k.Source)
			}
			switch {
			case k.Name == "$ref":
				fmt.Fprintf(&out, " %s -> %s", k.Value.Str, id(k.Schemas[0]))
			case len(k.Lists) > 0:
				for j, name := range k.Names {
					fmt.Fprintf(&out, " %s=%v", name, k.Lists[j])
				}
			case len(k.Names) > 0:
				for j, name := range k.Names {
					fmt.Fprintf(&out, " %s=%s", name, id(k.Schemas[j]))
				}
			case len(k.Schemas) > 0:
				for _, sub := range k.Schemas {
					out.WriteString(" " + id(sub))
				}
			default:
				fmt.Fprintf(&out, " %s", s.File.Raw(k.Value))
			}
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// archive is a case file.
type archive struct{ *txtar.Archive }

func parsed(src []byte) *archive { return &archive{txtar.Parse(src)} }

func (c *archive) get(name string) []byte {
	for _, f := range c.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// golden sets the content of a part; an empty one is left out.
func (c *archive) golden(name, content string) {
	for i, f := range c.Files {
		if f.Name == name {
			if content == "" {
				c.Files = append(c.Files[:i], c.Files[i+1:]...)
			} else {
				c.Files[i].Data = []byte(content)
			}
			return
		}
	}
	if content != "" {
		c.Files = append(c.Files, txtar.File{Name: name, Data: []byte(content)})
	}
}
