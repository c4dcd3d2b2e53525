package golang

import (
	"slices"
	"time"

	"github.com/dave/jennifer/jen"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// field is a field of a composite literal that is written when set is true.
type field struct {
	name  string
	value jen.Code
	set   bool
}

// rows writes fields in groups, a group a line.
func rows(groups ...[]field) []jen.Code {
	var code []jen.Code
	for _, g := range groups {
		for i, c := range inline(g...) {
			if i == 0 {
				c = jen.Line().Add(c)
			}
			code = append(code, c)
		}
	}
	return code
}

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
	f := e.file(clientFile)
	f.Comment("Client calls the commands of the plugin through an executor. Its errors are *call.Failure and *call.MismatchError.")
	f.Type().Id("Client").Struct(jen.Id("executor").Add(e.c("Executor")))
	f.Line()
	f.Comment("NewClient returns a client that calls through x.")
	f.Func().Id("NewClient").Params(jen.Id("x").Add(e.c("Executor"))).Id("Client").Block(
		jen.Return(jen.Id("Client").Values(jen.Id("executor").Op(":").Id("x"))))
	f.Line()
	for _, c := range p.commands {
		f.Commentf("%s calls %s. edit may change the call before it is made.", c.name, c.Command)
		f.Func().Params(jen.Id("c").Id("Client")).Id(c.name).Params(
			jen.Id("ctx").Qual("context", "Context"), jen.Id("in").Id(c.input), jen.Id("edit").Op("...").Func().Params(jen.Op("*").Add(e.c("Call"))),
		).Params(e.c("Reply").Index(jen.Id(c.output)), jen.Error()).Block(
			jen.Return(e.c("Ask").Call(jen.Id("ctx"), jen.Id("c").Dot("executor"), jen.Id("Tool"), jen.Id(c.constant), jen.Id("in"), jen.Id("Decode"+c.output), jen.Id("edit").Op("..."))),
		)
		f.Line()
	}
}

// specs writes the rows of the registry.
func (e *emitter) specs(p *pluginPlan) {
	f := e.file(specsFile)
	f.Comment("Contract is the plugin for a registry.")
	f.Func().Id("Contract").Params().Add(e.c("Contract")).Block(
		jen.Return(e.c("Contract").Values(jen.Id("Tool").Op(":").Id("Tool"), jen.Id("ManifestHash").Op(":").Id("ManifestHash"), jen.Id("Specs").Op(":").Id("Specs").Call())),
	)
	f.Line()
	f.Comment("Specs returns the rows of the commands in the order of the manifest. The caller owns the slice, nobody the rows.")
	f.Func().Id("Specs").Params().Index().Op("*").Add(e.c("Spec")).Block(
		jen.Return(jen.Index().Op("*").Add(e.c("Spec")).ValuesFunc(func(g *jen.Group) {
			for _, c := range p.commands {
				g.Op("&").Id(c.row)
			}
		})),
	)
	for i := range p.commands {
		c := &p.commands[i]
		f.Line()
		f.Commentf("%s is the row of %s.", c.row, c.Command)
		f.Var().Id(c.row).Op("=").Add(e.c("Spec")).Values(append(e.row(c), jen.Line())...)
	}
}

// row writes the fields of a spec.
func (e *emitter) row(c *plannedCommand) []jen.Code {
	s := c.Spec
	lit := func(name, value string) field { return field{name, jen.Lit(value), value != ""} }
	raw := func(name string, value []byte) field { return field{name, bytesOf(value), value != nil} }
	word := func(name, value string, names map[string]string) field {
		if id, ok := names[value]; ok {
			return field{name, e.c(id), value != ""}
		}
		return lit(name, value)
	}
	duration := func(name string, d time.Duration) field { return field{name, durationOf(d), d != 0} }
	source := func(i int, part string) *jen.Statement {
		code := jen.Id("Schemas").Index(jen.Lit(i)).Dot(part)
		if part == "Text" {
			return jen.Index().Byte().Call(code)
		}
		return code
	}
	codes := make([]jen.Code, len(s.ErrorCodes))
	for i, code := range s.ErrorCodes {
		at := slices.IndexFunc(e.pkg.plugin.codes, func(p plannedCode) bool { return string(p.code) == code })
		codes[i] = jen.String().Call(jen.Id(e.pkg.plugin.codes[at].name))
	}
	return rows(
		[]field{{"Tool", jen.Id("Tool"), true}, {"DisplayName", jen.Id("DisplayName"), true}, {"Version", jen.Id("Version"), true}, {"Command", jen.Id(c.constant), true}},
		[]field{lit("Title", s.Title), lit("Description", s.Description)},
		[]field{word("Kind", string(s.Kind), kindNames), lit("Protocol", s.Protocol), word("Effect", string(s.Effect), effectNames), word("Approval", string(s.Approval), approvalNames)},
		[]field{duration("Timeout", s.Timeout), duration("Grace", s.Grace), {"Disabled", jen.True(), s.Disabled}, {"RequiresAdmin", jen.True(), s.RequiresAdmin}},
		[]field{texts("Scopes", s.Scopes)},
		[]field{{"ErrorCodes", jen.Index().String().Values(codes...), len(codes) > 0}},
		[]field{lit("Discriminator", s.Discriminator), {"SuppliesDiscriminator", jen.True(), s.SuppliesDiscriminator}},
		[]field{{"Input", e.c("Generated").Call(jen.Id(e.judge(e.rootNamed(c.input)))), true}, {"Output", e.c("Generated").Call(jen.Id(e.judge(e.rootNamed(c.output)))), true}},
		[]field{{"InputSchema", source(c.inputSource, "Text"), true}, {"OutputSchema", source(c.outputSource, "Text"), true}},
		[]field{{"SchemaFile", source(c.inputSource, "Name"), true}, {"InputPointer", source(c.inputSource, "Pointer"), true}, {"OutputPointer", source(c.outputSource, "Pointer"), true}, {"FormatAssertion", jen.Id("FormatAssertion"), true}},
		[]field{{"Defaults", jen.Index().Add(e.c("Default")).Values(each(s.Defaults, func(d call.Default) jen.Code {
			return jen.Values(jen.Id("Name").Op(":").Lit(d.Name), jen.Id("Value").Op(":").Add(bytesOf(d.Value)))
		})...), len(s.Defaults) > 0}},
		[]field{{"Renderer", e.c("Renderer").Values(inline(lit("View", s.Renderer.View), lit("Title", s.Renderer.Title))...), s.Renderer != (call.Renderer{})}, raw("Presentation", s.Presentation)},
		[]field{raw("Advice", s.Advice)},
		[]field{{"ResourceOutputs", jen.Index().Add(e.c("ResourceOutput")).Values(each(s.ResourceOutputs, func(r call.ResourceOutput) jen.Code {
			return jen.Values(inline(lit("Field", r.Field), lit("Kind", r.Kind), lit("Role", r.Role))...)
		})...), len(s.ResourceOutputs) > 0}},
		[]field{{"Inputs", e.ports(s.Inputs), len(s.Inputs) > 0}},
		[]field{{"Outputs", e.ports(s.Outputs), len(s.Outputs) > 0}},
		[]field{{"Examples", jen.Index().Index().Byte().Values(each(s.Examples, func(x []byte) jen.Code {
			return bytesOf(x)
		})...), len(s.Examples) > 0}},
	)
}

// rootNamed returns the schema of a root.
func (e *emitter) rootNamed(name string) *ir.Schema {
	i := slices.IndexFunc(e.pkg.Roots, func(r Root) bool { return r.Name == name })
	return e.pkg.Roots[i].Schema
}

// ports writes a list of ports, one a line.
func (e *emitter) ports(list []call.Port) *jen.Statement {
	return jen.Index().Add(e.c("Port")).Values(each(list, func(p call.Port) jen.Code {
		lit := func(name, value string) field { return field{name, jen.Lit(value), value != ""} }
		return jen.Values(inline(
			lit("Pointer", p.Pointer), lit("Type", p.Type), lit("Title", p.Title), lit("Format", p.Format),
			field{"Optional", jen.True(), p.Optional}, lit("Unit", p.Unit), lit("UnitAt", p.UnitAt), lit("Element", p.Element),
			field{"Items", e.ports(p.Items), len(p.Items) > 0},
		)...)
	})...)
}

// each writes elements of a literal, one a line.
func each[T any](list []T, write func(T) jen.Code) []jen.Code {
	var code []jen.Code
	for _, v := range list {
		code = append(code, jen.Line().Add(write(v)))
	}
	return append(code, jen.Line())
}

// inline writes fields on one line.
func inline(list ...field) []jen.Code {
	var code []jen.Code
	for _, f := range list {
		if f.set {
			code = append(code, jen.Id(f.name).Op(":").Add(f.value))
		}
	}
	return code
}

func texts(name string, list []string) field {
	values := make([]jen.Code, len(list))
	for i, s := range list {
		values[i] = jen.Lit(s)
	}
	return field{name, jen.Index().String().Values(values...), len(list) > 0}
}

// bytesOf is raw JSON as a conversion of a literal.
func bytesOf(raw []byte) *jen.Statement {
	return jen.Index().Byte().Call(text(string(wire.AppendCompact(nil, raw))))
}

// durationOf spells a duration as people do.
func durationOf(d time.Duration) *jen.Statement {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"}} {
		if d == unit.of {
			return jen.Qual("time", unit.name)
		}
		if d%unit.of == 0 {
			return jen.Lit(int(d/unit.of)).Op("*").Qual("time", unit.name)
		}
	}
	return jen.Lit(int(d))
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
