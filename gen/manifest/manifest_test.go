package manifest_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/manifest"
)

var update = flag.Bool("update", false, "rewrite the expected parts of the cases")

// compile makes a catalog of the archive's manifests, and the diagnostics as people see them.
func compile(t *testing.T, ar *txtar.Archive) (*manifest.Catalog, diag.List, string) {
	t.Helper()
	var plugins []*manifest.Plugin
	var list diag.List
	for _, f := range ar.Files {
		if filepath.Base(f.Name) != manifest.FileName {
			continue
		}
		p, more := manifest.Parse(f.Name, f.Data)
		if (p == nil) != more.HasErrors() {
			t.Errorf("%s: plugin %v, errors %v", f.Name, p != nil, more.HasErrors())
		}
		plugins = append(plugins, p)
		list = append(list, more...)
	}
	c, more := manifest.NewCatalog(plugins...)
	list = append(list, more...)
	list.Sort()
	var out bytes.Buffer
	if err := diag.Write(&out, diag.Text, list); err != nil {
		t.Fatal(err)
	}
	return c, list, out.String()
}

// compare checks one section of the archive, or rewrites it under -update.
func compare(t *testing.T, ar *txtar.Archive, section, got string) {
	t.Helper()
	for i := range ar.Files {
		if ar.Files[i].Name != section {
			continue
		}
		if want := string(ar.Files[i].Data); want != got && !*update {
			t.Errorf("%s:\n--- got\n%s--- want\n%s", section, got, want)
		}
		ar.Files[i].Data = []byte(got)
		return
	}
	if !*update && got != "" {
		t.Errorf("no section %s for\n%s", section, got)
	}
	if got != "" {
		ar.Files = append(ar.Files, txtar.File{Name: section, Data: []byte(got)})
	}
}

func cases(t *testing.T, folder string, run func(t *testing.T, ar *txtar.Archive)) {
	paths, _ := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if len(paths) == 0 {
		t.Fatal("no cases")
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(ar.Comment) == 0 {
				t.Error("the case does not say what it shows")
			}
			run(t, ar)
			if *update {
				if err := os.WriteFile(path, txtar.Format(ar), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestGood(t *testing.T) {
	cases(t, "good", func(t *testing.T, ar *txtar.Archive) {
		c, list, text := compile(t, ar)
		if list.HasErrors() {
			t.Errorf("errors:\n%s", text)
		}
		compare(t, ar, "diagnostics", text)
		compare(t, ar, "catalog", describe(c))
		for _, p := range c.Plugins() {
			if own := manifest.WorkersOf(p.File); !reflect.DeepEqual(own, p.Workers) {
				t.Errorf("WorkersOf gives %+v, the plugin has %+v", own, p.Workers)
			}
		}
	})
}

func TestBad(t *testing.T) {
	cases(t, "bad", func(t *testing.T, ar *txtar.Archive) {
		c, list, text := compile(t, ar)
		if len(list) == 0 {
			t.Error("no diagnostics")
		}
		for _, d := range list {
			if d.Line == 0 || d.Code == "" || d.Message == "" {
				t.Errorf("incomplete: %+v", d)
			}
		}
		compare(t, ar, "diagnostics", text)
		compare(t, ar, "catalog", describe(c))
	})
}

// describe prints everything that a catalog knows.
func describe(c *manifest.Catalog) string {
	var b strings.Builder
	for _, p := range c.Plugins() {
		fmt.Fprintf(&b, "plugin %s %s (%s) package %s\n", p.Name, p.Version, p.DisplayName, p.GoPackage)
		fmt.Fprintf(&b, "  %s over %s", p.Kind, p.Transport)
		if p.Argv != nil {
			fmt.Fprintf(&b, " %q", p.Argv)
		}
		fmt.Fprintf(&b, ", timeout %v, grace %v", p.Timeout, p.Grace)
		if w := p.Workers; w != nil {
			fmt.Fprintf(&b, ", workers %d to %d idle %v calls %d at once %d", w.Min, w.Max, w.Idle, w.MaxCalls, w.InFlight)
		}
		b.WriteByte('\n')
		flags := []struct {
			name string
			set  bool
		}{{"admin", p.RequiresAdmin}, {"disabled", p.Disabled}, {"formats", p.FormatAssertion}, {"config", p.Config != nil}}
		for _, f := range flags {
			if f.set {
				fmt.Fprintf(&b, "  %s\n", f.name)
			}
		}
		if p.Push != nil {
			fmt.Fprintf(&b, "  push %+v\n", *p.Push)
		}
		for _, cmd := range p.Commands {
			fmt.Fprintf(&b, "  command %s, %s\n", cmd.Identifier, cmd.Effect)
			if cmd.RequiresApproval != nil {
				fmt.Fprintf(&b, "    approval %v\n", *cmd.RequiresApproval)
			}
			if cmd.Agent != nil {
				fmt.Fprintf(&b, "    agent %+v\n", *cmd.Agent)
			}
			for _, e := range cmd.Examples {
				fmt.Fprintf(&b, "    example %s\n", wire.AppendCompact(nil, e))
			}
			if cmd.Spec == nil {
				b.WriteString("    no spec\n")
				continue
			}
			describeSpec(&b, cmd.Spec)
		}
	}
	return b.String()
}

func describeSpec(b *strings.Builder, s *call.Spec) {
	line := func(name, format string, args ...any) {
		if text := fmt.Sprintf(format, args...); text != "" && text != "[]" {
			fmt.Fprintf(b, "    %s %s\n", name, text)
		}
	}
	line("title", "%s", s.Title)
	line("description", "%s", s.Description)
	line("scopes", "%v", s.Scopes)
	line("codes", "%v", s.ErrorCodes)
	line("presentation", "%s", s.Presentation)
	line("advice", "%s", s.Advice)
	line("resources", "%v", s.ResourceOutputs)
	if s.Discriminator != manifest.DefaultDiscriminator || s.SuppliesDiscriminator {
		line("discriminator", "%s supplied %v", s.Discriminator, s.SuppliesDiscriminator)
	}
	for _, d := range s.Defaults {
		line("default", "%s = %s", d.Name, d.Value)
	}
	if s.Renderer != (call.Renderer{}) {
		line("renderer", "%+v", s.Renderer)
	}
	line("approval", "%s", s.Approval)
	describePorts(line, "takes", s.Inputs)
	describePorts(line, "gives", s.Outputs)
	line("input", "%s", wire.AppendCompact(nil, s.InputSchema))
	line("output", "%s", wire.AppendCompact(nil, s.OutputSchema))
}

func describePorts(line func(name, format string, args ...any), name string, list []call.Port) {
	for _, p := range list {
		text := fmt.Sprintf("%q %s", p.Pointer, p.Type)
		for _, more := range []string{p.Element, p.Format, p.Unit, p.UnitAt} {
			if more != "" {
				text += " " + more
			}
		}
		if p.Title != "" {
			text += fmt.Sprintf(" %q", p.Title)
		}
		if p.Optional {
			text += " optional"
		}
		line(name, "%s", text)
		describePorts(line, name+" each", p.Items)
	}
}

// TestEveryCodeIsShown demands a case for every diagnostic that the package can make.
func TestEveryCodeIsShown(t *testing.T) {
	shown := map[diag.Code]bool{}
	for _, folder := range []string{"good", "bad"} {
		cases(t, folder, func(t *testing.T, ar *txtar.Archive) {
			_, list, _ := compile(t, ar)
			for _, d := range list {
				shown[d.Code] = true
			}
		})
	}
	shown[manifest.CodeNoManifest] = true // about paths, see TestFind
	file, err := parser.ParseFile(token.NewFileSet(), "report.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := 0
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(v.Names[0].Name, "Code") {
			return true
		}
		codes++
		text, _ := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
		if !shown[diag.Code(text)] {
			t.Errorf("no case shows %s", text)
		}
		return true
	})
	if codes < 25 {
		t.Errorf("only %d codes were found", codes)
	}
}
