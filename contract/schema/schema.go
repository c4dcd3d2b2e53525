// Package schema holds the protocol as JSON Schemas, draft 2020-12: one document for each shape that
// crosses a boundary (payload, canonical result, frames, envelopes, manifest, ledger), and one
// vocabulary that the others share. The documents are the protocol; Go types, other languages'
// bindings and documentation are made from them.
//
// A version of the protocol is a folder: v1/NAME.schema.json. Its `$id` is
// https://vcp.core/schema/v1/NAME.schema.json. The address is a name, nothing is ever fetched from it;
// documents refer to each other by relative references, so a copy of the folder works anywhere.
//
// # What the documents leave to code
//
// A schema sees one document and no context. These rules hold too and are checked elsewhere: references
// lead to a resource of the same result, ids are unique, statuses fit the kind of the command, times are
// ordered, the data is valid by the command's output schema.
//
// # Deviations from JSON Schema
//
// `format: date-time` is an assertion in these documents, not an annotation. They use no `unevaluated*`,
// no dynamic references and no vocabularies of their own.
//
// The package only hands the bytes out. It never parses and never validates; gen/live does both.
package schema

import (
	"embed"
	"path"
	"slices"
	"strings"
)

//go:embed v1/*.schema.json
var files embed.FS

// Version is the newest version of the protocol's documents, and the name of their folder.
const Version = "v1"

// Base is the address under which the documents of every version stand.
const Base = "https://vcp.core/schema/"

const suffix = ".schema.json"

// The documents of the protocol, by name.
const (
	Payload             = "payload"              // what a plugin returns (specification §5.2)
	PayloadError        = "payload-error"        // its error (§5.2)
	PayloadTask         = "payload-task"         // its task (§5.2)
	PayloadPresentation = "payload-presentation" // its presentation (§5.8)
	PayloadAIAdvice     = "payload-ai-advice"    // its advice (§5.9)
	ResourceDraft       = "resource-draft"       // its resources (§7.4)

	Result             = "result"              // the canonical tool result (§5.3)
	Error              = "error"               // its error (§6.1)
	Task               = "task"                // its task (§10.3)
	Presentation       = "presentation"        // its presentation (§5.8)
	AIAdvice           = "ai-advice"           // its advice (§5.9)
	ResourceDescriptor = "resource-descriptor" // its resources (§7.1)

	ResourceReference = "resource-reference" // what stands in data for a file (§5.6)
	Warning           = "warning"            // a warning of either (§5.7)
	Vocabulary        = "vocabulary"         // shared definitions; asserts nothing by itself

	Callback          = "callback"            // the end of a task (§10.3)
	FrameToolCall     = "frame-tool-call"     // stdio: core to plugin (§11, DESIGN §4)
	FrameToolResult   = "frame-tool-result"   // stdio: plugin to core (§11.2)
	FrameToolProgress = "frame-tool-progress" // stdio: plugin to core (§10.6)
	FrameToolCancel   = "frame-tool-cancel"   // stdio: core to plugin (§11.4)
	ProgressEvent     = "progress-event"      // runtime to listeners (§10.6)
	BridgeEnvelope    = "bridge-envelope"     // node to node (§12.3)
	CallRequest       = "call-request"        // program to door (§9.1)

	Manifest = "manifest" // plugin-manifest.json (§15)
	Ledger   = "ledger"   // the migration ledger (§16.3)
)

// Document is one schema file of the protocol.
type Document struct {
	Name    string // "payload"
	Version string // "v1"
	ID      string // its $id
	Path    string // "v1/payload.schema.json", relative to this package's folder
	Source  []byte // the file; the caller owns it
}

// All returns the documents of [Version], sorted by name.
func All() []Document {
	entries, err := files.ReadDir(Version)
	if err != nil {
		panic(err) // the folder is embedded: its absence is a build mistake
	}
	docs := make([]Document, 0, len(entries))
	for _, e := range entries {
		d, ok := Lookup(strings.TrimSuffix(e.Name(), suffix))
		if !ok {
			panic("schema: " + e.Name() + " is embedded but cannot be read")
		}
		docs = append(docs, d)
	}
	slices.SortFunc(docs, func(a, b Document) int { return strings.Compare(a.Name, b.Name) })
	return docs
}

// Lookup returns the document of a name in [Version], and whether there is one.
func Lookup(name string) (Document, bool) {
	return read(path.Join(Version, name+suffix))
}

// ByID returns the document whose `$id` is id (without a fragment), and whether there is one.
func ByID(id string) (Document, bool) {
	p, ok := strings.CutPrefix(id, Base)
	if !ok || !strings.HasSuffix(p, suffix) {
		return Document{}, false
	}
	return read(p)
}

func read(p string) (Document, bool) {
	src, err := files.ReadFile(p)
	if err != nil {
		return Document{}, false
	}
	return Document{
		Name:    strings.TrimSuffix(path.Base(p), suffix),
		Version: path.Dir(p),
		ID:      Base + p,
		Path:    p,
		Source:  src,
	}, true
}
