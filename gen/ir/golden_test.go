package ir_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/ir"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

var update = flag.Bool("update", false, "rewrite the expected dumps")

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
			var opts ir.Options
			var schema string
			for _, s := range list {
				switch s.name {
				case "options":
					opts.FormatAssertion = strings.TrimSpace(s.text) == "format"
				case "schema.json":
					schema = s.text
				}
			}
			p, diags := lower(t, schema, opts)
			var out strings.Builder
			out.WriteString(header)
			for _, s := range list {
				switch s.name {
				case "dump":
					s.text = p.Dump()
				case "diagnostics":
					var b bytes.Buffer
					if err := diag.Write(&b, diag.Text, diags); err != nil {
						t.Fatal(err)
					}
					s.text = b.String()
					diags = nil
				}
				out.WriteString("-- " + s.name + " --\n" + s.text)
			}
			if len(diags) > 0 {
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

func lower(t testing.TB, schema string, opts ir.Options) (*ir.Program, diag.List) {
	t.Helper()
	file, list := load.Parse("schema.json", []byte(schema), wire.Limits{})
	if len(list) > 0 {
		t.Fatal(list)
	}
	root, list := resolve.Resolve(file, nil, resolve.Options{})
	if list.HasErrors() {
		t.Fatal(list)
	}
	return ir.Lower([]*resolve.Schema{root}, opts)
}

// Lowering is a pure function: the same graph gives the same dump, whatever maps do.
func TestStable(t *testing.T) {
	src, err := os.ReadFile("testdata/shared.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, parts := sections(string(src))
	first, _ := lower(t, parts[0].text, ir.Options{})
	for range 20 {
		again, _ := lower(t, parts[0].text, ir.Options{})
		if again.Dump() != first.Dump() {
			t.Fatalf("got\n%s\nthen\n%s", first.Dump(), again.Dump())
		}
	}
}
