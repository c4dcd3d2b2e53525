package call

import "time"

// Kind is how a command answers (manifest pluginType).
type Kind string

// The three callable kinds.
const (
	Synchronous  Kind = "synchronous"
	Asynchronous Kind = "asynchronous"
	Hybrid       Kind = "hybridservice"
)

// Effect declares what running a command does to the world; retries, approval defaults and intent
// rows follow from it (DESIGN §4).
type Effect string

// The four effects, weakest first.
const (
	Read        Effect = "read"
	Idempotent  Effect = "idempotent"
	Write       Effect = "write"
	Destructive Effect = "destructive"
)

// Spec is a command's row in a registry: everything the runtime needs to run it and everything a
// consumer may ask about it. A Spec is immutable.
type Spec struct {
	Tool          string
	DisplayName   string
	Version       string // semver
	Command       string
	Title         string // the command's display name, "" when absent
	Description   string
	Kind          Kind
	Protocol      string // transport: "direct", "stdio", "mcp"
	Effect        Effect
	Timeout       time.Duration
	Grace         time.Duration
	Disabled      bool
	RequiresAdmin bool
	Scopes        []string
	ErrorCodes    []string

	// Discriminator is the member of the arguments that selects the command ("command" unless the
	// manifest names another). SuppliesDiscriminator says that the input schema declares it as the
	// constant Command, so the runtime supplies it when the caller left it out.
	Discriminator         string
	SuppliesDiscriminator bool

	Input  Judge // never nil
	Output Judge // never nil; binds data of success and partial
	// Defaults are the top-level `default` values of the input schema, in schema order.
	Defaults []Default

	// Presentation and Advice are the command's defaults as raw JSON objects, nil when absent; they
	// fill what a payload leaves out, key by key.
	Presentation []byte
	Advice       []byte
	// ResourceOutputs names the members of data that must carry a resource reference.
	ResourceOutputs []ResourceOutput

	// InputSchema and OutputSchema are the schemas behind Input and Output, as the author wrote them; space
	// between tokens may be missing. They stand at InputPointer and OutputPointer, JSON Pointers, of the
	// document SchemaFile. With FormatAssertion, format decides in them.
	InputSchema, OutputSchema   []byte
	SchemaFile                  string
	InputPointer, OutputPointer string
	FormatAssertion             bool
	// ConfigSchema is the schema of the plugin's configuration, nil when it takes none. What it marks as writeOnly
	// is secret (DESIGN §4, secrets).
	ConfigSchema []byte

	// Inputs and Outputs are what the schemas declare inside arguments and data: the ports of a workflow, the
	// fields of a form and of a view. The discriminator is not among them.
	Inputs, Outputs []Port
	// Renderer is how the manifest would like data to be shown; its fields are Outputs.
	Renderer Renderer
	// Examples are sets of arguments, raw JSON objects.
	Examples [][]byte
	// Approval says whether a human has to agree to each call.
	Approval Approval
}

// Approval is what a manifest says about asking a human.
type Approval string

// A manifest that is silent leaves it to the effect.
const (
	ByEffect Approval = ""
	Always   Approval = "always"
	Never    Approval = "never"
)

// Default is one top-level default of an input schema.
type Default struct {
	Name  string
	Value []byte // raw JSON
}

// ResourceOutput is one entry of a command's resourceOutputs (specification §15).
type ResourceOutput struct {
	Field string // JSON Pointer into data
	Kind  string
	Role  string
}

// Registry finds specs. Implementations are immutable; a changed set of tools is a new registry.
type Registry interface {
	// Lookup returns the spec of a command. tool reports whether the tool itself is known, so that the
	// caller can tell TOOL_NOT_FOUND from UNKNOWN_COMMAND.
	Lookup(tool, command string) (spec *Spec, known bool)
	// Specs lists every command, sorted by tool and then in manifest order.
	Specs() []*Spec
}
