package runtime

import (
	"sync"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/protocol"
	"vcp.core/gen/resolve"
)

// explainers list the violations of documents that a spec's judges refused. A judge that explains is asked
// itself. A generated one only decides; for it the schema is compiled by gen/live, the first time that it is
// needed. Who calls tools correctly never pays for that.
type explainers struct {
	known sync.Map // explained -> func() call.Validator
}

// explained is a schema of a command.
type explained struct {
	spec *call.Spec
	what subschema
}

// subschema says which schema of a spec is meant.
type subschema int

const (
	inputSchema subschema = iota
	outputSchema
	configSchema
)

// source returns the schema's text.
func (e explained) source() []byte {
	switch e.what {
	case outputSchema:
		return e.spec.OutputSchema
	case configSchema:
		return e.spec.ConfigSchema
	default:
		return e.spec.InputSchema
	}
}

// pointer returns the schema's place in its document.
func (e explained) pointer() string {
	switch e.what {
	case outputSchema:
		return e.spec.OutputPointer
	case configSchema:
		return "/configSchema"
	default:
		return e.spec.InputPointer
	}
}

// input lists what is wrong with arguments.
func (e *explainers) input(spec *call.Spec, t *wire.Tape) []call.Violation {
	return e.violations(spec.Input, explained{spec, inputSchema}, t)
}

// output lists what is wrong with data.
func (e *explainers) output(spec *call.Spec, t *wire.Tape) []call.Violation {
	return e.violations(spec.Output, explained{spec, outputSchema}, t)
}

// config lists what is wrong with a configuration.
func (e *explainers) config(spec *call.Spec, t *wire.Tape) []call.Violation {
	return e.violations(nil, explained{spec, configSchema}, t)
}

func (e *explainers) violations(judge call.Judge, key explained, t *wire.Tape) []call.Violation {
	if v, ok := judge.(call.Validator); ok {
		return v.Violations(t)
	}
	made, _ := e.known.LoadOrStore(key, sync.OnceValue(func() call.Validator { return compileFor(key) }))
	v := made.(func() call.Validator)()
	if v == nil {
		return nil
	}
	list := v.Violations(t)
	pointer := key.pointer()
	for i := range list {
		if list[i].SchemaFile == key.spec.SchemaFile {
			list[i].SchemaPointer = pointer + list[i].SchemaPointer
		}
	}
	return list
}

// compileFor compiles a schema of a command for explanation. It is nil for a schema that does not compile,
// which a generated registry cannot hold.
func compileFor(key explained) call.Validator {
	file, _ := load.Parse(key.spec.SchemaFile, key.source(), wire.Limits{})
	if file == nil {
		return nil
	}
	root, _ := resolve.Resolve(file, nil, resolve.Options{Registry: protocol.Registry()})
	if root == nil {
		return nil
	}
	program, list := ir.Lower([]*resolve.Schema{root}, ir.Options{FormatAssertion: key.spec.FormatAssertion})
	if list.HasErrors() {
		return nil
	}
	return live.Compile(program).Root(0)
}
