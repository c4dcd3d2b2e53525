package manifest

import (
	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/protocol"
	"vcp.core/gen/resolve"
)

// schemaAt is one schema of the manifest: where it stands, and what became of it. The fields below value
// are nil when the schema is absent or has an error.
type schemaAt struct {
	value
	root    *resolve.Schema
	program *ir.Program
	set     *live.Set
}

func (s *schemaAt) ok() bool { return s.set != nil }

func (s *schemaAt) validator() *live.Validator { return s.set.Root(0) }

// standAlone is the hint for references to other documents, of which gen/resolve would like to be given more.
const standAlone = "a manifest stands alone: put the schema under $defs of this one; only documents of the protocol can be referred to, by their $id"

// compileSchemas compiles every schema of the manifest on its own, so that a mistake in one does not
// hide what can be said about the others, and completes the specs.
func (c *checker) compileSchemas(p *parsed) {
	c.compileSchema(&p.config, p.FormatAssertion)
	if p.config.ok() {
		p.Config = &Config{Schema: c.file.Raw(p.config.node), Validator: p.config.validator(), Node: p.config.node}
	}
	for _, cmd := range p.commands {
		if p.Config != nil && cmd.Spec != nil {
			cmd.Spec.ConfigSchema = p.Config.Schema
		}
		c.compileSchema(&cmd.input, p.FormatAssertion)
		c.compileSchema(&cmd.output, p.FormatAssertion)
		if p.Transport == MCP && (!cmd.input.exists() || !cmd.output.exists()) {
			cmd.Spec = nil
			continue
		}
		if cmd.input.ok() {
			cmd.Spec.Input = cmd.input.validator()
			cmd.Spec.SchemaFile, cmd.Spec.InputPointer = c.file.Name, cmd.input.pointer
			cmd.Spec.InputSchema = c.file.Raw(cmd.input.node)
			cmd.Spec.Defaults = topDefaults(cmd.input.root)
			constant, _ := constantOf(cmd.input.root, p.Discriminator)
			cmd.Spec.SuppliesDiscriminator = constant.is(wire.KindString) && constant.str() == cmd.Identifier
			cmd.Spec.Inputs = inputs(cmd.input.program.Roots[0], cmd.Spec)
		}
		if cmd.output.ok() {
			cmd.Spec.Output = cmd.output.validator()
			cmd.Spec.SchemaFile, cmd.Spec.OutputPointer = c.file.Name, cmd.output.pointer
			cmd.Spec.Outputs = ports(cmd.output.program.Roots[0])
			cmd.Spec.OutputSchema = c.file.Raw(cmd.output.node)
		}
	}
}

func (c *checker) compileSchema(s *schemaAt, assertFormat bool) {
	if !s.is(wire.KindObject) && !s.is(wire.KindTrue) && !s.is(wire.KindFalse) {
		return
	}
	root, list := resolve.Resolve(c.file, s.node, resolve.Options{Registry: protocol.Registry()})
	for i := range list {
		switch list[i].Code {
		case resolve.CodeUnknownDocument, resolve.CodeNetwork:
			list[i].Hint = standAlone
		}
	}
	c.list = append(c.list, list...)
	c.byMetaSchema(s.value, list)
	if root == nil {
		return
	}
	program, list := ir.Lower([]*resolve.Schema{root}, ir.Options{FormatAssertion: assertFormat})
	c.list = append(c.list, list...)
	if list.HasErrors() {
		return
	}
	s.root, s.program, s.set = root, program, live.Compile(program)
}

// together calls f for s and for every schema that applies to the same value whatever it is: targets of
// $ref and members of allOf. It stops when f returns false.
func together(s *resolve.Schema, f func(*resolve.Schema) bool) {
	seen := map[*resolve.Schema]bool{}
	var walk func(*resolve.Schema) bool
	walk = func(s *resolve.Schema) bool {
		if seen[s] {
			return true
		}
		seen[s] = true
		if !f(s) {
			return false
		}
		for i := range s.Keywords {
			if k := &s.Keywords[i]; k.Name == "$ref" || k.Name == "allOf" {
				for _, sub := range k.Schemas {
					if !walk(sub) {
						return false
					}
				}
			}
		}
		return true
	}
	walk(s)
}

// property returns the schemas that are declared for a member of the value, in the order of the source.
func property(s *resolve.Schema, name string) []*resolve.Schema {
	var out []*resolve.Schema
	together(s, func(t *resolve.Schema) bool {
		if k := t.Find("properties"); k != nil {
			for i, n := range k.Names {
				if n == name {
					out = append(out, k.Schemas[i])
				}
			}
		}
		return true
	})
	return out
}

// constantOf returns the constant that a member of the value must have, or that it has none, and
// whether the member is declared at all. An enum of one value is a constant. The pointer of the constant
// is one in the file of the schema that states it.
func constantOf(s *resolve.Schema, name string) (constant value, declared bool) {
	for _, sub := range property(s, name) {
		declared = true
		together(sub, func(t *resolve.Schema) bool {
			if k := t.Find("const"); k != nil {
				constant = value{k.Value, k.Pointer}
			} else if k := t.Find("enum"); k != nil && len(k.Value.Elems) == 1 {
				constant = value{k.Value.Elems[0], load.Item(k.Pointer, 0)}
			}
			return !constant.exists()
		})
	}
	return constant, declared
}

// topDefaults returns the default values of the members that the schema declares for its own value, in
// the order of the source; the first one of a name counts.
func topDefaults(s *resolve.Schema) []call.Default {
	var out []call.Default
	seen := map[string]bool{}
	together(s, func(t *resolve.Schema) bool {
		k := t.Find("properties")
		if k == nil {
			return true
		}
		for i, name := range k.Names {
			if seen[name] {
				continue
			}
			together(k.Schemas[i], func(sub *resolve.Schema) bool {
				d := sub.Find("default")
				if d == nil {
					return true
				}
				seen[name] = true
				out = append(out, call.Default{Name: name, Value: wire.AppendCompact(nil, sub.File.Raw(d.Value))})
				return false
			})
		}
		return true
	})
	return out
}
