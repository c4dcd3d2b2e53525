package ir_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/ir"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

var update = flag.Bool("update", false, "rewrite the expected dumps")

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
			cases := txtar.Parse(src)
			var opts ir.Options
			var schema string
			for _, s := range cases.Files {
				switch s.Name {
				case "options":
					opts.FormatAssertion = strings.TrimSpace(string(s.Data)) == "format"
				case "schema.json":
					schema = string(s.Data)
				}
			}
			p, diags := lower(t, schema, opts)
			var out strings.Builder
			out.Write(cases.Comment)
			for _, s := range cases.Files {
				switch s.Name {
				case "dump":
					s.Data = []byte(p.Dump())
				case "diagnostics":
					var b bytes.Buffer
					if err := diag.Write(&b, diag.Text, diags); err != nil {
						t.Fatal(err)
					}
					s.Data = b.Bytes()
					diags = nil
				}
				out.WriteString("-- " + s.Name + " --\n" + string(s.Data))
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
	return ir.Lower([]*resolve.Schema{resolved(t, schema)}, opts)
}

// resolved is a schema as it is lowered.
func resolved(t testing.TB, schema string) *resolve.Schema {
	t.Helper()
	file, list := load.Parse("schema.json", []byte(schema), wire.Limits{})
	if len(list) > 0 {
		t.Fatal(list)
	}
	root, list := resolve.Resolve(file, nil, resolve.Options{})
	if list.HasErrors() {
		t.Fatal(list)
	}
	return root
}

// Lowering is a pure function: the same graph gives the same dump, whatever maps do.
func TestStable(t *testing.T) {
	src, err := os.ReadFile("testdata/shared.txtar")
	if err != nil {
		t.Fatal(err)
	}
	parts := txtar.Parse(src).Files
	first, _ := lower(t, string(parts[0].Data), ir.Options{})
	for range 20 {
		again, _ := lower(t, string(parts[0].Data), ir.Options{})
		if again.Dump() != first.Dump() {
			t.Fatalf("got\n%s\nthen\n%s", first.Dump(), again.Dump())
		}
	}
}
