package golang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// c refers to a name of package call.
func (e *emitter) c(name string) *jen.Statement {
	return jen.Qual(e.pkg.support()+"/contract/call", name)
}

// plugin writes what a plugin has beside the types of its schemas.
func (e *emitter) plugin(p *pluginPlan) {
	for name := range p.names {
		e.taken[name] = e.taken[name] || !p.isRoot(name)
	}
	e.pluginNames(p)
	e.handlers(p)
	e.bind(p)
	e.client(p)
	e.specs(p)
}

// isRoot reports whether a name belongs to the type of a root, which takes it by itself.
func (p *pluginPlan) isRoot(name string) bool {
	for _, prefix := range []string{"", "Decode", "Validate", "Judge"} {
		if prefix+"Config" == name {
			return true
		}
		for i := range p.commands {
			if name == prefix+p.commands[i].input || name == prefix+p.commands[i].output {
				return true
			}
		}
	}
	return false
}

func (e *emitter) pluginNames(p *pluginPlan) {
	first := p.Specs[0]
	f := e.file(pluginFile)
	f.PackageComment("Package " + p.Name + " is the contract of the plugin " + first.Tool + ", version " + first.Version + "." + about(p.Description))
	f.PackageComment("")
	f.PackageComment("The plugin implements [Handler] and is linked by [Bind]; callers use [Client]; [Specs] are its rows in a registry.")
	f.Comment("What the manifest says about the plugin as a whole.")
	f.Const().Defs(
		jen.Id("Tool").Op("=").Lit(first.Tool),
		jen.Id("DisplayName").Op("=").Lit(first.DisplayName),
		jen.Id("Version").Op("=").Lit(first.Version),
	)
	f.Line()
	f.Comment("The commands.")
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, c := range p.commands {
			g.Id(c.constant).Op("=").Lit(c.Command)
		}
	})
	f.Line()
	if len(p.codes) == 0 {
		return
	}
	f.Comment("The error codes that the commands declare.")
	f.Const().DefsFunc(func(g *jen.Group) {
		errcodes := e.pkg.support() + "/contract/errcode"
		for _, c := range p.codes {
			if name := standardName(c.code); name != "" {
				g.Id(c.name).Op("=").Qual(errcodes, name)
			} else {
				g.Id(c.name).Qual(errcodes, "Code").Op("=").Lit(string(c.code))
			}
		}
	})
	f.Line()
}

// handlers writes the interfaces that the plugin's author implements.
func (e *emitter) handlers(p *pluginPlan) {
	f := e.file(pluginFile)
	f.Comment("Handler runs the commands of the plugin. Methods are called from several goroutines at once. An expected failure is a")
	f.Comment("*call.Failure; every other error is the plugin's fault and becomes INTERNAL_ERROR.")
	f.Type().Id("Handler").InterfaceFunc(func(g *jen.Group) {
		for _, c := range p.commands {
			g.Id(c.handler)
		}
	})
	f.Line()
	for _, c := range p.commands {
		f.Commentf("%s runs %s.%s", c.handler, c.Command, about(c.Description))
		f.Type().Id(c.handler).Interface(
			jen.Id(c.name).Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("at").Op("*").Id("Invocation"), jen.Id("in").Id(c.input)).
				Params(e.c("Answer").Index(jen.Id(c.output)), jen.Error()),
		)
		f.Line()
	}
	f.Comment("Invocation is what a handler sees of a call beside its input.")
	f.Type().Id("Invocation").StructFunc(func(g *jen.Group) {
		g.Add(e.c("Invocation"))
		if p.Config != nil {
			g.Id("Config").Id("Config")
		}
	})
	f.Line()
}

// bind writes the way from the untyped handler to the typed one.
func (e *emitter) bind(p *pluginPlan) {
	f := e.file(pluginFile)
	f.Comment("Bind makes a handler of the runtime out of the plugin's: it decodes the arguments, calls the command's method and")
	f.Comment("encodes what it returns.")
	f.Func().Id("Bind").Params(jen.Id("h").Id("Handler")).Add(e.c("Handler")).Block(
		jen.Return(e.c("HandlerFunc").Call(jen.Func().Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("in").Add(e.c("Invocation"))).
			Params(jen.Index().Byte(), jen.Error()).BlockFunc(func(g *jen.Group) {
			g.Id("at").Op(":=").Op("&").Id("Invocation").Values(jen.Id("Invocation").Op(":").Id("in"))
			if p.Config != nil {
				g.Var().Err().Error()
				g.If(jen.List(jen.Id("at").Dot("Config"), jen.Err()).Op("=").Id("DecodeConfig").Call(jen.Id("in").Dot("Config")),
					jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Op("&").Add(e.c("ConfigError")).Values(jen.Id("Err").Op(":").Err())))
			}
			g.Switch(jen.Id("in").Dot("Command")).BlockFunc(func(g *jen.Group) {
				for _, c := range p.commands {
					g.Case(jen.Id(c.constant)).Block(jen.Return(e.c("Serve").Call(
						jen.Id("ctx"), jen.Id("at"), jen.Id("in").Dot("Arguments"), jen.Id("Decode"+c.input), jen.Id("h").Dot(c.name))))
				}
				g.Default().Block(jen.Return(e.c("UnknownCommand").Call(jen.Id("in")), jen.Nil()))
			})
		}))),
	)
}

// client writes the typed client.
func (e *emitter) client(p *pluginPlan) {
	e.write(clientFile, `// Client calls the commands of the plugin through an executor. Its errors are *call.Failure and *call.MismatchError.
type Client struct {
	executor call.Executor
}

// NewClient returns a client that calls through x.
func NewClient(x call.Executor) Client {
	return Client{executor: x}
}
`)
	for _, c := range p.commands {
		e.write(clientFile, fmt.Sprintf(`// %[1]s calls %[2]s. edit may change the call before it is made.
func (c Client) %[1]s(ctx context.Context, in %[3]s, edit ...func(*call.Call)) (call.Reply[%[4]s], error) {
	return call.Ask(ctx, c.executor, Tool, %[5]s, in, Decode%[4]s, edit...)
}
`, c.name, c.Command, c.input, c.output, c.constant))
	}
}

// specs writes the rows of the registry.
func (e *emitter) specs(p *pluginPlan) {
	rows := make([]string, len(p.commands))
	for i, c := range p.commands {
		rows[i] = "&" + c.row
	}
	e.write(specsFile, `// Contract is the plugin for a registry.
func Contract() call.Contract {
	return call.Contract{Tool: Tool, ManifestHash: ManifestHash, Specs: Specs()}
}

// Specs returns the rows of the commands in the order of the manifest. The caller owns the slice, nobody the rows.
func Specs() []*call.Spec {
	return []*call.Spec{`+strings.Join(rows, ", ")+`}
}
`)
	for i := range p.commands {
		c := &p.commands[i]
		e.write(specsFile, fmt.Sprintf("// %s is the row of %s.\nvar %[1]s = call.Spec{\n%[3]s}\n", c.row, c.Command, e.row(c)))
	}
}

// row writes the fields of a spec.
func (e *emitter) row(c *plannedCommand) string {
	s := c.Spec
	raw := func(name string, value []byte) field { return field{name, bytesOf(value), value != nil} }
	word := func(name, value string, names map[string]string) field {
		if id, ok := names[value]; ok {
			return field{name, "call." + id, value != ""}
		}
		return lit(name, value)
	}
	duration := func(name string, d time.Duration) field { return field{name, durationOf(d), d != 0} }
	source := func(i int, part string) string { return fmt.Sprintf("Schemas[%d].%s", i, part) }
	judge := func(root string) string { return "call.Generated(" + e.judge(e.rootNamed(root)) + ")" }
	codes := make([]string, len(s.ErrorCodes))
	for i, code := range s.ErrorCodes {
		at := slices.IndexFunc(e.pkg.plugin.codes, func(p plannedCode) bool { return string(p.code) == code })
		codes[i] = "string(" + e.pkg.plugin.codes[at].name + ")"
	}
	return rows(
		[]field{{"Tool", "Tool", true}, {"DisplayName", "DisplayName", true}, {"Version", "Version", true}, {"Command", c.constant, true}},
		[]field{lit("Title", s.Title), lit("Description", s.Description)},
		[]field{word("Kind", string(s.Kind), kindNames), lit("Protocol", s.Protocol), word("Effect", string(s.Effect), effectNames), word("Approval", string(s.Approval), approvalNames)},
		[]field{duration("Timeout", s.Timeout), duration("Grace", s.Grace), {"Disabled", "true", s.Disabled}, {"RequiresAdmin", "true", s.RequiresAdmin}},
		[]field{{"Scopes", "[]string{" + joinQuoted(s.Scopes) + "}", len(s.Scopes) > 0}},
		[]field{{"ErrorCodes", "[]string{" + strings.Join(codes, ", ") + "}", len(codes) > 0}},
		[]field{lit("Discriminator", s.Discriminator), {"SuppliesDiscriminator", "true", s.SuppliesDiscriminator}},
		[]field{{"Input", judge(c.input), true}, {"Output", judge(c.output), true}},
		[]field{{"InputSchema", "[]byte(" + source(c.inputSource, "Text") + ")", true}, {"OutputSchema", "[]byte(" + source(c.outputSource, "Text") + ")", true}},
		[]field{{"SchemaFile", source(c.inputSource, "Name"), true}, {"InputPointer", source(c.inputSource, "Pointer"), true}, {"OutputPointer", source(c.outputSource, "Pointer"), true}, {"FormatAssertion", "FormatAssertion", true}},
		[]field{{"ConfigSchema", "[]byte(" + source(e.pkg.plugin.configSource, "Text") + ")", e.pkg.plugin.Config != nil}},
		[]field{list("Defaults", "[]call.Default", s.Defaults, func(d call.Default) string {
			return "{Name: " + strconv.Quote(d.Name) + ", Value: " + bytesOf(d.Value) + "}"
		})},
		[]field{{"Renderer", "call.Renderer{" + inline(lit("View", s.Renderer.View), lit("Title", s.Renderer.Title)) + "}", s.Renderer != (call.Renderer{})}, raw("Presentation", s.Presentation)},
		[]field{raw("Advice", s.Advice)},
		[]field{list("ResourceOutputs", "[]call.ResourceOutput", s.ResourceOutputs, func(r call.ResourceOutput) string {
			return "{" + inline(lit("Field", r.Field), lit("Kind", r.Kind), lit("Role", r.Role)) + "}"
		})},
		[]field{ports("Inputs", s.Inputs)},
		[]field{ports("Outputs", s.Outputs)},
		[]field{list("Examples", "[][]byte", s.Examples, bytesOf)},
	)
}

// rootNamed returns the schema of a root.
func (e *emitter) rootNamed(name string) *ir.Schema {
	i := slices.IndexFunc(e.pkg.Roots, func(r Root) bool { return r.Name == name })
	return e.pkg.Roots[i].Schema
}

// ports is a field with a list of ports, one a line.
func ports(name string, all []call.Port) field {
	return list(name, "[]call.Port", all, func(p call.Port) string {
		return "{" + inline(
			lit("Pointer", p.Pointer), lit("Type", p.Type), lit("Title", p.Title), lit("Format", p.Format),
			field{"Optional", "true", p.Optional}, lit("Unit", p.Unit), lit("UnitAt", p.UnitAt), lit("Element", p.Element),
			ports("Items", p.Items),
		) + "}"
	})
}

// bytesOf is raw JSON as a conversion of a literal.
func bytesOf(raw []byte) string {
	return "[]byte(" + literal(string(wire.AppendCompact(nil, raw))) + ")"
}

func joinQuoted(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = strconv.Quote(s)
	}
	return strings.Join(quoted, ", ")
}

// durationOf spells a duration as people do.
func durationOf(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Minute, "time.Minute"}, {time.Second, "time.Second"}, {time.Millisecond, "time.Millisecond"}} {
		if d == unit.of {
			return unit.name
		}
		if d%unit.of == 0 {
			return fmt.Sprintf("%d * %s", d/unit.of, unit.name)
		}
	}
	return strconv.FormatInt(int64(d), 10)
}

// The constants of package call by what they say.
var (
	kindNames = map[string]string{
		string(call.Synchronous): "Synchronous", string(call.Asynchronous): "Asynchronous", string(call.Hybrid): "Hybrid",
	}
	effectNames = map[string]string{
		string(call.Read): "Read", string(call.Idempotent): "Idempotent", string(call.Write): "Write", string(call.Destructive): "Destructive",
	}
	approvalNames = map[string]string{string(call.Always): "Always", string(call.Never): "Never"}
)
