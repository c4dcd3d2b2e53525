package manifest

import (
	"path"
	"slices"
	"strings"
	"sync"

	"vcp.core/contract/call"
	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
	"vcp.core/gen/load"
)

// acrossPlugin checks what concerns the plugin as a whole and what its commands must agree on.
func (c *checker) acrossPlugin(p *parsed) {
	if p.Name != "" && p.GoPackage == "" {
		c.faultf(p.root.get("name"), CodeName, "", "a plugin's name needs a letter or a digit")
	}
	if p.root.is(wire.KindObject) && !p.root.get("description").exists() {
		c.warnf(p.root, CodeDescription, "", "the plugin has no description")
	}
	c.entryPoint(p)
	c.workers(p)
	if p.config.ok() {
		c.objectRoot(&p.config, "the configuration is", "")
		c.defaults(&p.config)
	}
	c.duplicates(p)
	c.discriminator(p)
}

func (c *checker) entryPoint(p *parsed) {
	entry := p.root.get("entryPoint")
	direct, argv := entry.get("direct"), entry.get("argv")
	switch {
	case p.Transport == Direct && argv.exists() && !direct.exists():
		c.faultf(argv, CodeEntryPoint, `write {"direct": true}, or another communication.protocol`, "a direct plugin is linked code and has no program to start")
	case (p.Transport == Stdio || p.Transport == MCP) && direct.exists() && !argv.exists():
		c.faultf(direct, CodeEntryPoint, `write {"argv": ["program"]}, or communication.protocol "direct"`, "a plugin that speaks %s needs a program to start", p.Transport)
	}
	if elems := argv.elems(); len(elems) > 0 && elems[0].is(wire.KindString) && elems[0].str() == "" {
		c.faultf(elems[0], CodeEntryPoint, "", "the program has no name")
	} else if len(elems) > 0 && p.Transport == Stdio {
		if name := path.Clean(elems[0].str()); name == ".." || strings.HasPrefix(name, "../") {
			c.faultf(elems[0], CodeEntryPoint, `put it there and write "./run", or name a program of the search path`, "the program lies outside of the plugin's folder")
		}
	}
}

func (c *checker) workers(p *parsed) {
	at := p.root.get("communication").get("workers")
	if p.Workers == nil {
		return
	}
	if p.Transport == Direct || p.Transport == MCP {
		c.faultf(at, CodeWorkers, "remove it", "workers are processes of the stdio protocol, the plugin's is %s", p.Transport)
	}
	if p.Workers.Min > p.Workers.Max {
		c.faultf(at.get("min"), CodeWorkers, "", "min is %d, more than max, which is %d", p.Workers.Min, p.Workers.Max)
	}
}

// duplicates finds names that commands of the plugin share.
func (c *checker) duplicates(p *parsed) {
	type agentName struct{ module, method string }
	commands, agents := map[string]value{}, map[agentName]value{}
	for _, cmd := range p.commands {
		at := cmd.at.get("commandIdentifier")
		if name := at.str(); name != "" {
			if before, taken := commands[name]; taken {
				c.faultf(at, CodeDuplicateCommand, "", "the command %s stands at line %d already", name, c.file.Position(before.node.Start).Line)
			} else {
				commands[name] = at
			}
		}
		if a := cmd.Agent; a != nil && a.Module != "" && a.Method != "" {
			at, name := cmd.at.get("agent").get("method"), agentName{a.Module, a.Method}
			if before, taken := agents[name]; taken {
				c.faultf(at, CodeAgent, "", "the method %s of the module %s stands at line %d already", a.Method, a.Module, c.file.Position(before.node.Start).Line)
			} else {
				agents[name] = at
			}
		}
	}
}

// discriminator checks the member that selects the command where it travels among the arguments. Either
// no command declares it, then doors take it away before the input schema sees it; or every command
// declares it as the constant that is its identifier (specification §9.3). A manifest that names one
// has chosen the second way.
func (c *checker) discriminator(p *parsed) {
	if p.Transport == MCP {
		return // the schemas are the server's, and its tools are called by name
	}
	stated := p.root.get("discriminator").exists()
	var absent []*parsedCommand
	constants := 0
	for _, cmd := range p.commands {
		if !cmd.input.ok() || cmd.Identifier == "" {
			continue
		}
		constant, declared := constantOf(cmd.input.root, p.Discriminator)
		switch {
		case !declared:
			absent = append(absent, cmd)
		case !constant.exists():
			c.faultf(c.here(property(cmd.input.root, p.Discriminator)[0].Node, cmd.input.value), CodeDiscriminatorFree,
				`make it {"const": "`+cmd.Identifier+`"}, or name another member in "discriminator"`,
				"%q selects the command, but the input schema of %s leaves its value open", p.Discriminator, cmd.Identifier)
		default:
			constants++
			if !constant.is(wire.KindString) || constant.str() != cmd.Identifier {
				c.faultf(c.here(constant.node, cmd.input.value), CodeDiscriminatorValue, `make it "`+cmd.Identifier+`"`,
					"%q must be the constant %q, the command's identifier", p.Discriminator, cmd.Identifier)
			}
		}
	}
	if !stated && constants == 0 {
		return
	}
	for _, cmd := range absent {
		c.faultf(cmd.input.value, CodeDiscriminatorMissing, `add "`+p.Discriminator+`": {"const": "`+cmd.Identifier+`"} to its properties`,
			"the input schema of %s does not declare %q, which selects the command", cmd.Identifier, p.Discriminator)
	}
}

// acrossCommand checks one command against its own schemas.
func (c *checker) acrossCommand(cmd *parsedCommand) {
	if !cmd.at.get("description").exists() {
		c.warnf(cmd.at, CodeDescription, "", "%s has no description", strings.TrimSpace("the command "+cmd.Identifier))
	}
	if cmd.input.ok() {
		c.objectRoot(&cmd.input, "arguments are", `add "type": "object"`)
		c.defaults(&cmd.input)
		if cmd.Spec != nil && cmd.Identifier != "" { // without a name the constant cannot be filled in
			c.examples(cmd)
		}
	}
	if cmd.output.ok() {
		c.defaults(&cmd.output)
		c.resourceOutputs(cmd)
	}
	c.view(cmd.at.get("presentation").get("preferredView"))
}

// objectRoot checks that a schema whose values are objects admits them, and says so.
func (c *checker) objectRoot(s *schemaAt, what, hint string) {
	admits := s.program.Roots[0].Admits
	switch {
	case admits&ir.TypeObject == 0:
		c.faultf(s.value, CodeNotAnObject, hint, "%s an object, but the schema refuses objects", what)
	case admits != ir.TypeObject && hint != "":
		c.warnf(s.value, CodeNotAnObject, hint, "%s an object, but the schema does not say so", what)
	}
}

// defaults judges every default value in a schema by the schema that it stands in.
func (c *checker) defaults(s *schemaAt) {
	var tape wire.Tape
	for _, sub := range s.program.Schemas {
		if sub.Notes.Default == nil || sub.Origin.Pos.File != c.file.Name {
			continue
		}
		if tape.Scan(sub.Notes.Default, load.Limits()) != nil {
			continue // part of a document that was scanned under these limits
		}
		at := c.nearest(load.Child(sub.Origin.Pointer, "default"))
		for _, v := range s.set.Validator(sub).Violations(&tape) {
			c.faultf(c.nearest(at.pointer+v.Pointer), CodeDefault, v.Hint, "the default breaks its own schema: %s", v.Message)
		}
	}
}

// examples judges every example as a call would be judged: the discriminator's constant and the
// top-level defaults come in where they are absent.
func (c *checker) examples(cmd *parsedCommand) {
	var tape wire.Tape
	for _, at := range cmd.at.get("examples").elems() {
		if !at.is(wire.KindObject) {
			continue
		}
		if tape.Scan(complete(c.file.Raw(at.node), at.node, cmd.Spec), load.Limits()) != nil {
			continue // the defaults took it over a limit
		}
		for _, v := range cmd.input.validator().Violations(&tape) {
			c.faultf(c.nearest(at.pointer+v.Pointer), CodeExample, v.Hint, "the example breaks the input schema of %s: %s", cmd.Identifier, v.Message)
		}
	}
}

func complete(raw []byte, node *load.Node, spec *call.Spec) []byte {
	var missing []member
	if spec.SuppliesDiscriminator && node.Get(spec.Discriminator) == nil {
		missing = append(missing, member{spec.Discriminator, wire.AppendQuoted(nil, spec.Command)})
	}
	for _, d := range spec.Defaults {
		if node.Get(d.Name) == nil && (d.Name != spec.Discriminator || !spec.SuppliesDiscriminator) {
			missing = append(missing, member{d.Name, d.Value})
		}
	}
	return insert(raw, missing)
}

func (c *checker) resourceOutputs(cmd *parsedCommand) {
	seen := map[string]value{}
	for _, at := range cmd.at.get("resourceOutputs").elems() {
		field := at.get("field")
		tokens, ok := load.SplitPointer(field.str())
		if !ok || len(tokens) == 0 {
			continue // told by the manifest schema
		}
		if before, taken := seen[field.str()]; taken {
			c.faultf(field, CodeResourceOutput, "", "%s is declared at line %d already", field.str(), c.file.Position(before.node.Start).Line)
			continue
		}
		seen[field.str()] = field
		switch reach(cmd.output.root, tokens) {
		case closed:
			c.faultf(field, CodeResourceOutput, "", "the output schema of %s allows nothing at %s", cmd.Identifier, field.str())
		case open:
			c.warnf(field, CodeResourceOutput, `describe it by {"$ref": "`+schema.Base+schema.Version+`/`+schema.ResourceReference+`.schema.json"}`,
				"the output schema of %s does not mention %s", cmd.Identifier, field.str())
		}
	}
}

// view warns about a view that nobody here renders: it is legal, and more often a slip. What is no view's
// name at all has been told by the manifest schema.
func (c *checker) view(at value) {
	name := at.str()
	if slices.Contains(views(), name) || !isWord(name) {
		return
	}
	c.warnf(at, CodeView, first(meant(name, views()), "the views are "+strings.Join(views(), ", ")),
		"no renderer here knows the view %q; it falls back to a generic one", name)
}

// isWord is the vocabulary's grammar of lower-kebab words.
func isWord(s string) bool {
	for part := range strings.SplitSeq(s, "-") {
		if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return false
		}
	}
	return true
}

// views are the names that the presentation schema lists.
var views = sync.OnceValue(func() []string {
	d, _ := schema.Lookup(schema.Presentation)
	file, list := load.Parse(d.Path, d.Source, wire.Limits{})
	if len(list) > 0 {
		panic("manifest: " + d.Path + ": " + list[0].Message)
	}
	return value{file.At("/$defs/view/examples"), ""}.strs()
})
