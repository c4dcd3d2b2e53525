package manifest

import (
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/load"
)

// value is a place in the manifest: a node, which is nil when there is nothing, and its pointer. Its
// readers give the zero value for what is absent or of another type, so that a manifest with errors can
// still be checked for others; the manifest schema has reported the type by then.
type value struct {
	node    *load.Node
	pointer string
}

func (v value) exists() bool { return v.node != nil }

func (v value) get(name string) value {
	if v.node == nil {
		return value{nil, load.Child(v.pointer, name)}
	}
	return value{v.node.Get(name), load.Child(v.pointer, name)}
}

func (v value) elems() []value {
	if !v.is(wire.KindArray) {
		return nil
	}
	out := make([]value, len(v.node.Elems))
	for i, e := range v.node.Elems {
		out[i] = value{e, load.Item(v.pointer, i)}
	}
	return out
}

func (v value) is(kind wire.Kind) bool { return v.node != nil && v.node.Kind == kind }

func (v value) str() string {
	if !v.is(wire.KindString) {
		return ""
	}
	return v.node.Str
}

func (v value) strs() []string {
	var out []string
	for _, e := range v.elems() {
		if e.is(wire.KindString) {
			out = append(out, e.node.Str)
		}
	}
	return out
}

// integer returns the number, or fallback when there is none or it does not fit.
func (v value) integer(fallback int64) int64 {
	if v.is(wire.KindNumber) {
		if d, ok := wire.ParseDecimal(v.node.Str); ok {
			if n, ok := d.Int64(); ok {
				return n
			}
		}
	}
	return fallback
}

// WorkersOf returns what a valid manifest says about kept workers, nil for a process per call. It is for manifests
// that need not be compiled, because a program was built with them.
func WorkersOf(file *load.File) *Workers {
	return workersOf(value{file.Root, ""}.get("communication"))
}

func workersOf(communication value) *Workers {
	w := communication.get("workers")
	if !w.is(wire.KindObject) {
		return nil
	}
	return &Workers{
		Min:      int(w.get("min").integer(0)),
		Max:      int(w.get("max").integer(1)),
		Idle:     w.get("idleMs").milliseconds(defaultIdle),
		MaxCalls: int(w.get("maxCalls").integer(0)),
		InFlight: int(w.get("inFlight").integer(1)),
	}
}

// milliseconds is integer as a duration. A number too large for one has broken the manifest schema.
func (v value) milliseconds(fallback time.Duration) time.Duration {
	return time.Duration(v.integer(fallback.Milliseconds())) * time.Millisecond
}

// The defaults of communication (DESIGN §4); the manifest schema states the same as annotations.
const (
	defaultTimeout = 60 * time.Second
	defaultGrace   = 2 * time.Second
	defaultIdle    = 60 * time.Second
)

// DefaultDiscriminator is the member of the arguments that selects the command unless a manifest names
// another (specification §9.3).
const DefaultDiscriminator = "command"

// parsed is a plugin in the making, with the places that checks report at.
type parsed struct {
	*Plugin
	root     value
	config   schemaAt
	commands []*parsedCommand
}

type parsedCommand struct {
	*Command
	at            value
	input, output schemaAt
}

func (c *checker) decode() *parsed {
	root := value{c.file.Root, ""}
	comm := root.get("communication")
	p := &parsed{
		root:   root,
		config: schemaAt{value: root.get("configSchema")},
		Plugin: &Plugin{
			Name:            root.get("name").str(),
			DisplayName:     root.get("displayName").str(),
			Version:         root.get("version").str(),
			Description:     root.get("description").str(),
			Kind:            call.Kind(root.get("pluginType").str()),
			Transport:       comm.get("protocol").str(),
			Argv:            root.get("entryPoint").get("argv").strs(),
			Timeout:         comm.get("timeoutMs").milliseconds(defaultTimeout),
			Grace:           comm.get("graceMs").milliseconds(defaultGrace),
			FormatAssertion: root.get("formatAssertion").is(wire.KindTrue),
			Discriminator:   root.get("discriminator").str(),
			RequiresAdmin:   root.get("requiresAdmin").is(wire.KindTrue),
			Disabled:        root.get("disabled").is(wire.KindTrue),
			File:            c.file,
		},
	}
	p.GoPackage = GoPackage(p.Name)
	if p.DisplayName == "" {
		p.DisplayName = p.Name
	}
	if p.Discriminator == "" {
		p.Discriminator = DefaultDiscriminator
	}
	p.Workers = workersOf(comm)
	if push := root.get("webSocketPush"); push.is(wire.KindObject) {
		p.Push = &Push{
			Enabled:          push.get("enabled").is(wire.KindTrue),
			MessageType:      push.get("messageType").str(),
			TargetClientType: push.get("targetClientType").str(),
		}
	}
	for _, at := range root.get("capabilities").get("invocationCommands").elems() {
		if at.is(wire.KindObject) {
			cmd := c.decodeCommand(p.Plugin, at)
			p.commands = append(p.commands, cmd)
			p.Commands = append(p.Commands, cmd.Command)
		}
	}
	return p
}

func (c *checker) decodeCommand(p *Plugin, at value) *parsedCommand {
	cmd := &parsedCommand{
		at:     at,
		input:  schemaAt{value: at.get("inputSchema")},
		output: schemaAt{value: at.get("outputSchema")},
		Command: &Command{
			Identifier: at.get("commandIdentifier").str(),
			Effect:     call.Effect(at.get("effect").str()),
			Input:      at.get("inputSchema").node,
			Output:     at.get("outputSchema").node,
		},
	}
	if v := at.get("requiresApproval"); v.exists() {
		required := v.is(wire.KindTrue)
		cmd.RequiresApproval = &required
	}
	for _, e := range at.get("examples").elems() {
		cmd.Examples = append(cmd.Examples, c.file.Raw(e.node))
	}
	if a := at.get("agent"); a.is(wire.KindObject) {
		cmd.Agent = &Agent{
			Module:     a.get("module").str(),
			Method:     a.get("method").str(),
			UITemplate: a.get("uiTemplate").str(),
		}
	}
	cmd.Spec = &call.Spec{
		Tool:          p.Name,
		DisplayName:   p.DisplayName,
		Version:       p.Version,
		Command:       cmd.Identifier,
		Title:         at.get("displayName").str(),
		Description:   at.get("description").str(),
		Kind:          p.Kind,
		Protocol:      p.Transport,
		Effect:        cmd.Effect,
		Timeout:       p.Timeout,
		Grace:         p.Grace,
		Disabled:      p.Disabled,
		RequiresAdmin: p.RequiresAdmin,
		Scopes:        at.get("scopes").strs(),
		ErrorCodes:    at.get("errorCodes").strs(),
		Discriminator: p.Discriminator,
		Presentation:  c.compact(at.get("presentation")),
		Renderer: call.Renderer{
			View:  at.get("presentation").get("preferredView").str(),
			Title: at.get("presentation").get("title").str(),
		},
		Examples:        cmd.Examples,
		FormatAssertion: p.FormatAssertion,
		Advice:          c.advice(at.get("aiAdvice")),
	}
	if cmd.RequiresApproval != nil {
		cmd.Spec.Approval = call.Never
		if *cmd.RequiresApproval {
			cmd.Spec.Approval = call.Always
		}
	}
	for _, r := range at.get("resourceOutputs").elems() {
		cmd.Spec.ResourceOutputs = append(cmd.Spec.ResourceOutputs, call.ResourceOutput{
			Field: r.get("field").str(),
			Kind:  r.get("kind").str(),
			Role:  r.get("role").str(),
		})
	}
	return cmd
}

// compact returns an object without whitespace between its tokens, nil when there is none.
func (c *checker) compact(v value) []byte {
	if !v.is(wire.KindObject) {
		return nil
	}
	return wire.AppendCompact(nil, c.file.Raw(v.node))
}

// advice returns the default advice of a command in the complete form that a result needs
// (specification §5.9): a manifest may leave out the priority, and cannot name resources.
func (c *checker) advice(v value) []byte {
	raw := c.compact(v)
	if raw == nil {
		return nil
	}
	missing := []member{{"resourceIds", []byte("[]")}}
	if !v.get("priority").exists() {
		missing = append(missing, member{"priority", []byte(`"normal"`)})
	}
	return insert(raw, missing)
}

// member is a name with a raw value.
type member struct {
	name string
	raw  []byte
}

// insert adds members at the end of a raw JSON object, which must not have them yet. What was there
// keeps its offsets.
func insert(object []byte, members []member) []byte {
	if len(members) == 0 {
		return object
	}
	end := len(object) - 1 // at the closing bracket
	last := end - 1
	for isSpace(object[last]) {
		last--
	}
	out := append(make([]byte, 0, len(object)+64*len(members)), object[:end]...)
	comma := object[last] != '{'
	for _, m := range members {
		if comma {
			out = append(out, ',')
		}
		comma = true
		out = wire.AppendQuoted(out, m.name)
		out = append(out, ':')
		out = append(out, m.raw...)
	}
	return append(out, '}')
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }
