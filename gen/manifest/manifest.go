// Package manifest reads plugin manifests into plugins: it judges a file by the manifest schema,
// compiles the schemas of its commands, checks what no schema can say, and gives a typed [Plugin] with
// one [call.Spec] for each command.
//
// Data flow: file -> gen/load -> manifest schema (gen/protocol) -> gen/resolve, the meta-schema of its draft (by
// gen/live, and no other engine), gen/ir and gen/live for each schema inside -> checks across fields -> [Plugin] -> [Catalog], which is a [call.Registry]. A
// phase that finds something wrong does not stop the next one: all findings of all files come at once,
// each with the line and column of what it is about.
//
// A plugin with an error does not exist: there is no half of a plugin, and the others are not touched.
// The package never starts, calls or configures a plugin, and never reads a file but through gen/load.
//
// # Where the design left a choice
//
//   - Members beyond the manifest's are refused, on the manifest and on a command, unless their name
//     begins with "x-"; those are the author's and are not looked at.
//   - `discriminator` and `formatAssertion` are members of the manifest.
//   - An example is a set of arguments. It is judged as a call would be: constants of the discriminator
//     and top-level defaults are filled in first.
//   - An input schema that says nothing about the type of its root is taken with a warning: arguments
//     are an object in any case. One that refuses objects is an error.
//   - A resource output that the output schema forbids is an error; one that it merely does not mention
//     is a warning.
//   - Plugins that clash (same name, same Go package) are all left out of a catalog: no order of files
//     decides who wins.
package manifest

import (
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
)

// FileName is the name of a manifest inside a plugin's folder.
const FileName = "plugin-manifest.json"

// Transports that a manifest may name (specification §4.2, DESIGN §4).
const (
	Stdio  = "stdio"
	Direct = "direct"
	MCP    = "mcp"
)

// Plugin is a manifest that passed every check, with its schemas compiled. It is immutable.
type Plugin struct {
	Name        string
	DisplayName string // the name when the manifest gives none
	Version     string // semver
	Description string
	GoPackage   string // name of its generated package, see [GoPackage]

	Kind      call.Kind
	Transport string   // Stdio, Direct or MCP
	Argv      []string // program and arguments; nil for Direct
	Timeout   time.Duration
	Grace     time.Duration
	Workers   *Workers // nil: a process per call

	Config          *Config // nil: the plugin takes no configuration
	FormatAssertion bool
	Discriminator   string // "command" unless the manifest names another
	RequiresAdmin   bool
	Disabled        bool
	Push            *Push // nil: nothing is pushed

	Commands []*Command // in manifest order
	File     *load.File // the manifest as it was read
}

// Specs returns the specs of the plugin's commands in manifest order. A mounted MCP server's commands
// have none while its schemas are unknown.
func (p *Plugin) Specs() []*call.Spec {
	specs := make([]*call.Spec, 0, len(p.Commands))
	for _, c := range p.Commands {
		if c.Spec != nil {
			specs = append(specs, c.Spec)
		}
	}
	return specs
}

// Command is one command of a plugin: its spec, and what the manifest says beyond it.
type Command struct {
	Identifier string
	Effect     call.Effect
	// Spec is nil only for a command of a mounted MCP server that gives no schemas.
	Spec *call.Spec
	// RequiresApproval is nil when the manifest leaves it to the effect.
	RequiresApproval *bool
	// Examples are sets of arguments as the author wrote them, raw JSON objects.
	Examples [][]byte
	Agent    *Agent // nil: not offered to the agent tool protocol

	// Input and Output are the schemas inside [Plugin.File], nil when absent.
	Input, Output *load.Node
}

// Workers says how many processes are kept between calls (DESIGN §4).
type Workers struct {
	Min, Max int
	Idle     time.Duration // after which a process beyond Min is ended
	MaxCalls int           // after which a process is replaced; 0: never
	InFlight int           // calls that one process has at the same time
}

// Config is the schema of a plugin's configuration.
type Config struct {
	Schema    []byte // raw, as the author wrote it
	Validator call.Validator
	Node      *load.Node // the schema inside Plugin.File
}

// Push says how the end of a task is pushed to clients.
type Push struct {
	Enabled          bool
	MessageType      string // "" when absent
	TargetClientType string // "" for all
}

// Agent is the name of a command in the agent tool protocol.
type Agent struct {
	Module, Method string
	UITemplate     string // "" when absent
}

// Parse reads a manifest from bytes. name is what diagnostics call the file. src must not change any
// more. All findings are returned, sorted. The plugin is nil exactly when one of them is an error.
func Parse(name string, src []byte) (*Plugin, diag.List) {
	file, list := load.Parse(name, src, wire.Limits{})
	if file == nil {
		return nil, list
	}
	return Compile(file)
}

// Compile makes a plugin of a loaded manifest. All findings are returned, sorted. The plugin is nil
// exactly when one of them is an error. It is a pure function.
func Compile(file *load.File) (*Plugin, diag.List) {
	c := &checker{file: file}
	c.bySchema()
	p := c.decode()
	c.compileSchemas(p)
	c.acrossPlugin(p)
	for _, cmd := range p.commands {
		c.acrossCommand(cmd)
	}
	c.list.Sort()
	if c.list.HasErrors() {
		return nil, c.list
	}
	return p.Plugin, c.list
}
