package manifest_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
	"vcp.core/gen/manifest"
)

// synthetic writes a manifest of three commands, with what real ones have: nested objects, references,
// unions, formats, patterns, examples.
func synthetic(i int) []byte {
	var cmds []string
	for j := range 3 {
		name := fmt.Sprintf("Command%d", j)
		cmds = append(cmds, fmt.Sprintf(`{
      "commandIdentifier": %[1]q,
      "displayName": "Command %[2]d of %[3]d",
      "description": "Does what command %[2]d of tool %[3]d does, which takes a sentence to tell.",
      "effect": "write",
      "inputSchema": {
        "type": "object",
        "required": ["command", "title", "at"],
        "additionalProperties": false,
        "properties": {
          "command": { "const": %[1]q },
          "title": { "type": "string", "minLength": 1, "maxLength": 200 },
          "at": { "type": "string", "format": "date-time" },
          "tags": { "type": "array", "items": { "type": "string", "pattern": "^[a-z0-9-]+$" }, "uniqueItems": true, "maxItems": 20 },
          "repeat": { "oneOf": [ { "const": "never" }, { "$ref": "#/$defs/every" } ], "default": "never" },
          "place": { "$ref": "#/$defs/place" },
          "limit": { "type": "integer", "minimum": 1, "maximum": %[4]d, "default": 10 }
        },
        "$defs": {
          "every": { "type": "object", "required": ["days"], "properties": { "days": { "type": "integer", "minimum": 1 } }, "additionalProperties": false },
          "place": { "type": "object", "properties": { "name": { "type": "string" }, "inside": { "$ref": "#/$defs/place" } } }
        }
      },
      "outputSchema": {
        "type": "object",
        "required": ["items", "total"],
        "properties": {
          "items": { "type": "array", "items": {
            "type": "object",
            "required": ["id", "title"],
            "properties": {
              "id": { "type": "string", "pattern": "^[a-z]+_[0-9A-Z]{26}$" },
              "title": { "type": "string" },
              "picture": { "$ref": "https://vcp.core/schema/v1/resource-reference.schema.json" }
            }
          } },
          "total": { "type": "integer", "minimum": 0 }
        }
      },
      "presentation": { "preferredView": "table" },
      "aiAdvice": { "intent": "relay" },
      "resourceOutputs": [ { "field": "/items/0/picture", "kind": "image", "role": "output" } ],
      "errorCodes": [ "INVALID_ARGUMENT", "TOOL%[3]d.NOT_FOUND" ],
      "examples": [ { "title": "first", "at": "2026-10-01T09:00:00+08:00", "repeat": { "days": 7 } }, { "title": "second", "at": "2026-10-01T09:00:00Z" } ]
    }`, name, j, i, 100+i))
	}
	return []byte(fmt.Sprintf(`{
  "name": "Tool%[1]d",
  "displayName": "Tool number %[1]d",
  "version": "1.0.%[1]d",
  "description": "A tool that was made by a test.",
  "pluginType": "synchronous",
  "entryPoint": { "argv": [ "bin/tool%[1]d" ] },
  "communication": { "protocol": "stdio", "timeoutMs": 30000, "workers": { "max": 2 } },
  "toolResultProtocol": { "name": "vcp.tool-result", "version": "1.0" },
  "configSchema": { "type": "object", "properties": { "key": { "type": "string", "writeOnly": true }, "port": { "type": "integer", "default": 80 } } },
  "capabilities": { "invocationCommands": [ %[2]s ] }
}
`, i, strings.Join(cmds, ", ")))
}

// writeTools fills a folder with plugins' folders.
func writeTools(tb testing.TB, n int) string {
	tb.Helper()
	dir := tb.TempDir()
	for i := range n {
		write(tb, filepath.Join(dir, fmt.Sprintf("tool%04d", i), manifest.FileName), synthetic(i))
	}
	return dir
}

func write(tb testing.TB, path string, src []byte) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, src, 0o600); err != nil {
		tb.Fatal(err)
	}
}

func TestLoadAndLookup(t *testing.T) {
	dir := writeTools(t, 12)
	write(t, filepath.Join(dir, "ill", manifest.FileName), []byte(`{"name": "Ill"}`))
	c, list := manifest.Load(dir)
	if len(list) == 0 {
		t.Error("the ill plugin was not told")
	}
	for _, d := range list {
		if filepath.Base(filepath.Dir(d.File)) != "ill" {
			t.Errorf("%s:%d:%d: %s", d.File, d.Line, d.Col, d.Message)
		}
	}
	if got := len(c.Plugins()); got != 12 {
		t.Errorf("%d plugins, want 12", got)
	}

	spec, known := c.Lookup("Tool7", "Command1")
	if !known || spec == nil || spec.Tool != "Tool7" || spec.Command != "Command1" || spec.Input == nil || spec.Output == nil {
		t.Fatalf("Lookup: %+v, %v", spec, known)
	}
	if spec, known := c.Lookup("Tool7", "Command9"); !known || spec != nil {
		t.Errorf("unknown command: %v, %v", spec, known)
	}
	if spec, known := c.Lookup("Ill", "Command1"); known || spec != nil {
		t.Errorf("unknown tool: %v, %v", spec, known)
	}
	if c.Plugin("Tool7") == nil || c.Plugin("Ill") != nil {
		t.Error("Plugin does not agree with Lookup")
	}

	var names []string
	for _, s := range c.Specs() {
		names = append(names, s.Tool+"."+s.Command)
	}
	if len(names) != 36 || !slices.IsSorted(names) {
		t.Errorf("specs: %v", names)
	}
	c.Specs()[0] = nil
	c.Plugins()[0] = nil
	if c.Specs()[0] == nil || c.Plugins()[0] == nil {
		t.Error("a caller changed the catalog")
	}

	var tape wire.Tape
	for doc, want := range map[string]wire.Verdict{
		`{"command":"Command1","title":"x","at":"2026-10-01T09:00:00Z"}`:                     wire.Valid,
		`{"command":"Command1","title":"x","at":"soon"}`:                                     wire.Valid, // format is an annotation here
		`{"command":"Command2","title":"x","at":"2026-10-01T09:00:00Z"}`:                     wire.Invalid,
		`{"command":"Command1","title":"x","at":"2026-10-01T09:00:00Z","repeat":{"days":0}}`: wire.Invalid,
	} {
		if err := tape.Scan([]byte(doc), wire.Limits{}); err != nil {
			t.Fatal(err)
		}
		if got := spec.Input.Verdict(&tape); got != want {
			t.Errorf("%s: %d, want %d", doc, got, want)
		}
	}
}

var _ call.Registry = (*manifest.Catalog)(nil)

func TestFind(t *testing.T) {
	dir := writeTools(t, 2)
	one := filepath.Join(dir, "tool0001", manifest.FileName)
	write(t, filepath.Join(dir, "tool0000", "nested", manifest.FileName), synthetic(9))
	write(t, filepath.Join(dir, "empty", "readme.txt"), []byte("nothing"))
	write(t, filepath.Join(dir, "odd.json"), synthetic(3))
	both := []string{filepath.Join(dir, "tool0000", manifest.FileName), one}
	for _, c := range []struct {
		name  string
		paths []string
		want  []string
		code  diag.Code
	}{
		{"folder of folders", []string{dir}, both, ""},
		{"folder of a plugin", []string{filepath.Join(dir, "tool0001")}, []string{one}, ""},
		{"file", []string{one}, []string{one}, ""},
		{"file of another name", []string{filepath.Join(dir, "odd.json")}, []string{filepath.Join(dir, "odd.json")}, ""},
		{"twice", []string{dir, one, dir + "/./tool0001"}, both, ""},
		{"nothing there", []string{filepath.Join(dir, "absent")}, nil, manifest.CodeNoManifest},
		{"no manifest in it", []string{filepath.Join(dir, "empty")}, nil, manifest.CodeNoManifest},
		{"the others are found", []string{filepath.Join(dir, "empty"), one}, []string{one}, manifest.CodeNoManifest},
		{"no paths", nil, nil, ""},
	} {
		files, list := manifest.Find(c.paths...)
		if !slices.Equal(files, c.want) {
			t.Errorf("%s: files %v, want %v", c.name, files, c.want)
		}
		var codes []diag.Code
		for _, d := range list {
			codes = append(codes, d.Code)
		}
		if c.code == "" && len(codes) > 0 || c.code != "" && !slices.Equal(codes, []diag.Code{c.code}) {
			t.Errorf("%s: findings %v, want %q", c.name, codes, c.code)
		}
	}
}

// A plugin is not missing without a word because something else stands in its manifest's place, and nothing
// that is no file is read.
func TestFindWhatIsNoFile(t *testing.T) {
	dir := writeTools(t, 1)
	for _, name := range []string{"device", "nowhere", "folder", "self"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		filepath.Join(dir, "device", manifest.FileName):  os.DevNull,
		filepath.Join(dir, "nowhere", manifest.FileName): "absent.json",
		filepath.Join(dir, "self", manifest.FileName):    manifest.FileName,
		filepath.Join(dir, "loop"):                       "loop",
		filepath.Join(dir, "here"):                       ".",
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder", manifest.FileName), 0o777); err != nil {
		t.Fatal(err)
	}
	files, list := manifest.Find(dir)
	if want := []string{filepath.Join(dir, "tool0000", manifest.FileName)}; !slices.Equal(files, want) {
		t.Errorf("files %v, want %v", files, want)
	}
	var found []string
	for _, d := range list {
		found = append(found, path.Base(path.Dir(d.File))+" "+string(d.Code)+" "+d.Message)
	}
	if len(found) != 3 || !strings.HasPrefix(found[0], "device catalog/no-manifest is not a regular file") ||
		!strings.HasPrefix(found[1], "nowhere catalog/no-manifest ") || !strings.HasPrefix(found[2], "self catalog/no-manifest ") {
		t.Errorf("findings %q", found)
	}
}

// TestOrderOfPluginsDoesNotMatter: a catalog and its findings are a function of the set.
func TestOrderOfPluginsDoesNotMatter(t *testing.T) {
	names := []string{"A", "B", "a", "C", "B", "c"}
	parse := func(order []int) (string, diag.List) {
		var plugins []*manifest.Plugin
		for _, i := range order {
			src := strings.Replace(string(synthetic(0)), `"Tool0"`, `"`+names[i]+`"`, 1)
			p, list := manifest.Parse(fmt.Sprintf("%d.json", i), []byte(src))
			if p == nil {
				t.Fatal(list)
			}
			plugins = append(plugins, p)
		}
		c, list := manifest.NewCatalog(plugins...)
		return describe(c), list
	}
	catalog, findings := parse([]int{0, 1, 2, 3, 4, 5})
	if len(findings) != 6 || catalog != "" {
		t.Errorf("all six clash with another one: %v\n%s", findings, catalog)
	}
	for _, order := range [][]int{{5, 4, 3, 2, 1, 0}, {2, 0, 4, 1, 5, 3}} {
		if c, f := parse(order); c != catalog || !slices.Equal(f, findings) {
			t.Errorf("order %v gives other findings", order)
		}
	}
}

// TestNoValueSurprises puts every JSON type in every place of a full manifest: the plugin is nil exactly
// when there is an error, every finding has a place, and nothing panics.
func TestNoValueSurprises(t *testing.T) {
	ar, err := txtar.ParseFile(filepath.Join("testdata", "good", "full.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	src := ar.Files[0].Data
	file, list := load.Parse("full.json", src, wire.Limits{})
	if file == nil {
		t.Fatal(list)
	}
	refused, tried := 0, 0
	var visit func(n *load.Node)
	visit = func(n *load.Node) {
		for _, v := range []string{`null`, `true`, `-1.5`, `""`, `"x"`, `[]`, `[null]`, `{}`, `{"$ref":"#"}`} {
			changed := string(src[:n.Start]) + v + string(src[n.End:])
			p, list := manifest.Parse("changed.json", []byte(changed))
			tried++
			if p == nil {
				refused++
			}
			if (p == nil) != list.HasErrors() {
				t.Errorf("%s at %d: plugin %v, findings %v", v, n.Start, p != nil, list)
			}
			for _, d := range list {
				if d.Line == 0 || d.Offset > len(changed) {
					t.Errorf("%s at %d: no place: %+v", v, n.Start, d)
				}
			}
		}
		for _, m := range n.Members {
			visit(m.Value)
		}
		for _, e := range n.Elems {
			visit(e)
		}
	}
	visit(file.Root)
	if tried < 900 || refused < tried/2 {
		t.Errorf("%d of %d changes were refused", refused, tried)
	}
}

// TestThousandManifests is a bar: a thousand manifests are found, read and checked in under 5 s. The time
// is measured by BenchmarkCheck; here only the outcome counts.
func TestThousandManifests(t *testing.T) {
	c, list := manifest.Load(writeTools(t, 1000))
	if len(list) > 0 || len(c.Plugins()) != 1000 || len(c.Specs()) != 3000 {
		t.Errorf("%d plugins, %d specs, findings %v", len(c.Plugins()), len(c.Specs()), list[:min(3, len(list))])
	}
}

// BenchmarkCheck is `vcp check` on a folder of 1,000 plugins with three commands each.
func BenchmarkCheck(b *testing.B) {
	dir := writeTools(b, 1000)
	b.ReportAllocs()
	for b.Loop() {
		if c, _ := manifest.Load(dir); len(c.Specs()) != 3000 {
			b.Fatal("specs are missing")
		}
	}
}
