package gen_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path"
	"strings"
	"testing"

	"vcp.core/fuzz/emitted"
	"vcp.core/gen"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/manifest"
)

// packages sorts the files of a tree by folder.
func packages(tree *gen.Tree, root string) map[string][]golang.File {
	all := map[string][]golang.File{}
	for _, f := range tree.Files {
		folder := root + "/" + path.Dir(f.Path)
		all[folder] = append(all[folder], golang.File{Name: path.Base(f.Path), Bytes: f.Bytes})
	}
	return all
}

// plugin is a manifest in the making.
type plugin struct {
	name, description string
	commands          []string // identifiers
	more              string   // members of each command
}

func (p plugin) manifest(t *testing.T) gen.Manifest {
	t.Helper()
	quoted := func(s string) string {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var commands []string
	for _, c := range p.commands {
		commands = append(commands, fmt.Sprintf(`{"commandIdentifier":%s,"description":%s,"effect":"read",
			"inputSchema":{"type":"object","properties":{"a":{"type":"string"}}},"outputSchema":{"type":"array","items":{"type":"integer"}}%s}`, quoted(c), quoted(p.description), p.more))
	}
	src := fmt.Sprintf(`{"name":%s,"version":"1.0.0","description":%s,"pluginType":"synchronous","entryPoint":{"direct":true},
		"communication":{"protocol":"direct"},"toolResultProtocol":{"name":"vcp.tool-result","version":"1.0"},
		"capabilities":{"invocationCommands":[%s]}}`, quoted(p.name), quoted(p.description), strings.Join(commands, ","))
	return gen.Manifest{Name: "plugins/" + p.name + "/" + manifest.FileName, File: parse(t, p.name, []byte(src))}
}

// Names that are no identifiers, that fold into one, that are keywords, or that generated code uses itself;
// descriptions that would like to be more than comments. Everything builds, is vetted, and works under its
// own name.
func TestNastyNames(t *testing.T) {
	const injected = "//go:build ignore\n\n*/ import \"os\" /*\u0000\ufeff\r\u2028`" + `\x00" %s %!d` + "\n//go:linkname x y\npackage evil"
	plugins := []plugin{
		{name: "日程", description: "管理日程", commands: []string{"列表", "创建", "列-表", "列_表"}},
		{name: "func", description: injected, commands: []string{"type", "func", "range", "x"}},
		{name: "1st.of-all", description: "/* open", commands: []string{"1", "2nd", "_", "-", "__"}},
		{name: "call", description: "clashes with package call", commands: []string{"list-items", "list_items", "ListItems", "listItems", "LISTITEMS", "ListItems2"}},
		{name: "context", description: " ", commands: []string{"Bind", "Client", "Handler", "Executor", "Invocation", "Config", "Specs", "Schemas", "Contract", "Tool", "New"}},
		{name: "wire", description: "x", commands: []string{"XInput", "X", "XHandler", "InputHash", "a", "A", "Command"}, more: `,"errorCodes":["A.B_C","A_B.C","ABC.D","INTERNAL_ERROR"]`},
		{name: "registry", description: "y", commands: []string{"string", "error", "nil", "any", "Error", "String", "AppendJSON"}},
	}
	plugins[6].more = `,"scopes":["a:b","c"],"requiresApproval":true,"examples":[{},{"a":"` + "`" + `"}],"aiAdvice":{"intent":"none"}`
	var manifests []gen.Manifest
	want := 0
	for _, p := range plugins {
		manifests = append(manifests, p.manifest(t))
		want += len(p.commands)
	}
	tree, list := gen.Generate(manifests, gen.Target{ImportPath: emitted.ImportPath("tools")})
	if list.HasErrors() {
		t.Fatal(list)
	}
	program := emitted.Build(t, packages(tree, "tools"), `package main

import (
	"fmt"

	"generated.test/tools/registry"
	"vcp.core/contract/wire"
)

func main() {
	table := registry.New()
	for _, s := range table.Specs() {
		found, _ := table.Lookup(s.Tool, s.Command)
		var tape wire.Tape
		if err := tape.Scan([]byte("[1,2]"), wire.Limits{}); err != nil || found != s || s.Output.Verdict(&tape) != wire.Valid || s.Input.Verdict(&tape) != wire.Invalid {
			fmt.Println("WRONG")
		}
		fmt.Printf("%s|%s|%s|%s|%q\n", s.Tool, s.Command, s.Approval, s.ErrorCodes, s.Description)
	}
}
`)
	out, err := exec.Command(program).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		lines[strings.TrimSuffix(line, "\n")] = true
	}
	for _, p := range plugins {
		for _, c := range p.commands {
			approval, codes := "", "[]"
			if p.name == "registry" {
				approval = "always"
			}
			if p.name == "wire" {
				codes = "[A.B_C A_B.C ABC.D INTERNAL_ERROR]"
			}
			if line := fmt.Sprintf("%s|%s|%s|%s|%q", p.name, c, approval, codes, p.description); !lines[line] {
				t.Errorf("the registry lacks %s", line)
			}
		}
	}
	if len(lines) != want {
		t.Errorf("%d commands, want %d:\n%s", len(lines), want, out)
	}
}
