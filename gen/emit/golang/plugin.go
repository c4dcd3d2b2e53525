package golang

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/gen/diag"
	"vcp.core/gen/ir"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// Plugin is what the package of a plugin is made of.
type Plugin struct {
	Name       string // Go package name
	ImportPath string // its own import path
	Support    string // see Package

	// Manifest is the file; its name goes into headers, comments and rule tables.
	Manifest        *load.File
	ManifestHash    string // what identifies the manifest, see [call.Contract]
	Description     string // of the plugin; "" when absent
	FormatAssertion bool
	// Config is the schema of the configuration inside Manifest, nil when there is none.
	Config *load.Node
	// Specs are the commands' rows in the order of the manifest, complete but for the judges, which are not
	// looked at.
	Specs []*call.Spec

	// Registry holds the documents that schemas of the manifest may refer to, References their bytes. Those
	// that are reached count as inputs of the package.
	Registry   *resolve.Registry
	References []Source
}

// The files of a plugin's package beside those of every package.
const (
	pluginFile = "plugin_gen.go"
	clientFile = "client_gen.go"
	specsFile  = "specs_gen.go"
)

// EmitPlugin writes the package of a plugin: the types of its commands' inputs and outputs and of its
// configuration, the interfaces that its author implements, a client, and the rows of the registry.
func EmitPlugin(p Plugin) ([]File, diag.List) {
	plan := planPlugin(&p)
	pkg, findings := plan.compile()
	if findings.HasErrors() {
		return nil, findings
	}
	files, list := Emit(pkg)
	findings = append(findings, list...)
	findings.Sort()
	return files, findings
}

// pluginPlan is a plugin with the names of all that is generated for it.
type pluginPlan struct {
	*Plugin
	names    scope
	commands []plannedCommand
	codes    []plannedCode
	// configSource is the place of the configuration's schema among the sources, when there is one.
	configSource int
}

type plannedCommand struct {
	*call.Spec
	name          string // exported: of methods, and the stem of all other names
	constant      string // of its identifier
	handler       string // of its interface
	input, output string // of types
	row           string // of its spec
	// Positions in Package.Sources.
	inputSource, outputSource int
}

type plannedCode struct {
	name string
	code errcode.Code
}

// The names that every plugin's package has, whatever its commands are.
var pluginNames = []string{
	"Tool", "DisplayName", "Version", "Handler", "Invocation", "Bind", "Client", "NewClient", "Specs", "Contract",
	"Schemas", "FormatAssertion", "InputHash", "ManifestHash", "Config", "DecodeConfig", "ValidateConfig", "JudgeConfig",
}

// planPlugin settles the names. Commands come first and in order, so that a new one at the end renames
// nothing; a name that is taken gets a number.
func planPlugin(p *Plugin) *pluginPlan {
	plan := &pluginPlan{Plugin: p, names: scope{}}
	for _, n := range pluginNames {
		plan.names[n] = true
	}
	methods := scope{}
	for _, s := range p.Specs {
		plan.commands = append(plan.commands, plan.command(s, methods))
	}
	var codes []string
	for _, s := range p.Specs {
		codes = append(codes, s.ErrorCodes...)
	}
	slices.Sort(codes)
	for _, c := range slices.Compact(codes) {
		plan.codes = append(plan.codes, plannedCode{plan.names.take("Code" + exported(strings.ToLower(c))), errcode.Code(c)})
	}
	return plan
}

func (p *pluginPlan) command(s *call.Spec, methods scope) plannedCommand {
	want := exported(s.Command)
	for i := 1; ; i++ {
		name := want
		if i > 1 {
			name += strconv.Itoa(i)
		}
		c := plannedCommand{
			Spec: s, name: name, constant: "Command" + name, handler: name + "Handler", input: name + "Input", output: name + "Output",
			row: "spec" + name,
		}
		all := []string{c.constant, c.handler, c.row}
		for _, t := range []string{c.input, c.output} {
			all = append(all, t, "Decode"+t, "Validate"+t, "Judge"+t)
		}
		if methods[name] || slices.ContainsFunc(all, func(n string) bool { return p.names[n] }) {
			continue
		}
		methods[name] = true
		for _, n := range all {
			p.names[n] = true
		}
		return c
	}
}

// compile resolves and lowers the schemas of the plugin.
func (p *pluginPlan) compile() (Package, diag.List) {
	pkg := Package{
		Name: p.Name, ImportPath: p.ImportPath, Support: p.Support, Source: p.Manifest.Name,
		plugin: p, FormatAssertion: p.FormatAssertion,
	}
	var findings diag.List
	var schemas []*resolve.Schema
	add := func(name, pointer string, node *load.Node) int {
		schema, list := resolve.Resolve(p.Manifest, node, resolve.Options{Registry: p.Registry})
		findings = append(findings, list...)
		if schema != nil {
			schemas = append(schemas, schema)
			pkg.Roots = append(pkg.Roots, Root{Name: name})
		}
		pkg.Sources = append(pkg.Sources, Source{Name: p.Manifest.Name, Pointer: pointer, Bytes: p.Manifest.Raw(node)})
		return len(pkg.Sources) - 1
	}
	for i := range p.commands {
		c := &p.commands[i]
		c.inputSource = add(c.input, c.InputPointer, p.Manifest.At(c.InputPointer))
		c.outputSource = add(c.output, c.OutputPointer, p.Manifest.At(c.OutputPointer))
	}
	if p.Config != nil {
		pointer, _ := p.Manifest.PointerTo(p.Config)
		p.configSource = add("Config", pointer, p.Config)
	}
	if !findings.HasErrors() {
		unify(schemas)
		var list diag.List
		pkg.Program, list = ir.Lower(schemas, ir.Options{FormatAssertion: pkg.FormatAssertion})
		findings = append(findings, list...)
	}
	findings.Sort()
	if findings.HasErrors() {
		return Package{}, findings
	}
	pkg.References = reached(pkg.Program, p.References)
	for i := range pkg.Roots {
		pkg.Roots[i].Schema = pkg.Program.Roots[i]
	}
	return pkg, findings
}

// about is a description as a sentence that follows another one in a comment, with the space between them.
// What cannot stand in Go source (control characters, a byte order mark) only separates words.
func about(description string) string {
	words := strings.FieldsFunc(description, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	if len(words) == 0 {
		return ""
	}
	text := " " + strings.Join(words, " ")
	if last, _ := utf8.DecodeLastRuneInString(text); !unicode.IsPunct(last) {
		text += "."
	}
	return text
}

// standardName is the identifier of a standard code in package errcode, "" for a plugin's own code.
func standardName(code errcode.Code) string {
	if !code.Standard() {
		return ""
	}
	return exported(strings.ToLower(string(code)))
}
