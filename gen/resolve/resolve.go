// Package resolve is the compiler's second phase: it gives a loaded schema document its meaning
// without yet deciding how to check anything. It settles the dialect, follows `$id`, `$anchor` and
// `$ref` (never over the network), checks that every keyword has a legal value, and writes every
// dialect in one form: the keyword names and shapes of draft 2020-12.
//
//	items array (07, 2019-09)   -> prefixItems, additionalItems -> items
//	draft-07 dependencies       -> dependentRequired + dependentSchemas
//	draft-07 definitions        -> $defs (kept reachable by its old pointer)
//	draft-07 siblings of $ref   -> dropped, as the draft says
//	2019-09 $recursiveRef       -> $dynamicRef
//	dynamic references          -> their targets: schemas are specialised by dynamic scope (scope.go)
//	$vocabulary                 -> keywords of vocabularies that are off are not there
//
// What it refuses, with a position: illegal keyword values, references that lead nowhere or to the
// network, reference cycles that never consume input, composition beyond its limits (a composition
// bomb is refused before it is expanded), vocabularies that are required and unknown. A keyword that
// nobody defined is an annotation and passes.
//
// Raw and resolved are different types: a [Schema] exists only for a document that resolved.
//
// # Three steps
//
// index.go walks a document once and finds its places (where a schema may stand), resources (`$id`)
// and anchors; a [Registry] holds such indexes of the documents that references may reach. build.go
// goes from the root along subschemas and references and makes a Schema of each place it meets, and of
// every other place of the root document, so that mistakes in unused definitions are found too.
// graph.go then looks at the whole: cycles, depth, number of arms.
//
// # Deviations
//
//   - `definitions` in 2020-12 and `$defs` in draft-07 hold schemas here, although each belongs to the
//     other draft: that is how both are used.
//   - A reference may lead to a place that no keyword makes a schema (below an unknown keyword, into
//     examples). It is read as one. `$id` and `$anchor` there have no effect, as the drafts say.
//   - `dependencies` is checked in 2020-12 and 2019-09, as their meta-schemas do, and decides there if
//     [Options.Dependencies] says so.
//   - `$recursiveRef`, which 2020-12 does not know, is refused there and not ignored: it changed
//     verdicts in the draft before.
package resolve

import (
	"slices"

	"vcp.core/contract/wire/ecma"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
)

// Dialect is the draft a schema resource is written in.
type Dialect string

// The dialects. Without `$schema` a schema is 2020-12. Older drafts are refused, with a hint.
const (
	Draft2020 Dialect = "2020-12"
	Draft2019 Dialect = "2019-09"
	Draft07   Dialect = "draft-07"
)

// Schema is one resolved (sub)schema. Schemas form a graph: `$ref` edges may lead anywhere, cycles
// that consume input included. A Schema is immutable.
type Schema struct {
	File    *load.File
	Node    *load.Node
	Pointer string // JSON Pointer of Node in File
	Base    string // absolute URI of the schema resource it stands in
	Root    string // JSON Pointer of that resource in File
	Dialect Dialect
	// Scope is the dynamic scope in which the schema is entered, nil for the empty one. One place of a document
	// may be several Schemas, one for each.
	Scope *Scope

	// Always is set for the boolean schemas true and false, which have no keywords.
	Always *bool
	// Keywords in source order, in 2020-12 form. Unknown keywords and plain annotations that no later
	// phase reads are not here, nor are keywords without effect (then without if, minContains without
	// contains).
	Keywords []Keyword

	id int // index in the order of discovery
}

// Keyword is one keyword occurrence in 2020-12 form.
type Keyword struct {
	Name   string     // in 2020-12 spelling
	Source string     // as the document spells it, for diagnostics and schema pointers
	Value  *load.Node // as written
	// Pointer of the keyword in the file, e.g. "/properties/a/minimum".
	Pointer string

	// Asserted says that the meta-schema wants format to be an assertion.
	Asserted bool

	// Names and Schemas carry subschemas: one schema for not, if, items…; a list for allOf, prefixItems…;
	// pairs for properties, patternProperties, dependentSchemas, $defs. `$ref` and `$dynamicRef` have their
	// target in Schemas[0].
	Names   []string
	Schemas []*Schema
	// Lists carries dependentRequired: Lists[i] belongs to Names[i].
	Lists [][]string
	// Patterns carries the compiled pattern, or those of patternProperties: Patterns[i] belongs to
	// Names[i]. They are compiled here to be checked, and no phase needs to do it again.
	Patterns []*ecma.Regexp
}

// Find returns the keyword of that name in 2020-12 spelling, or nil.
func (s *Schema) Find(name string) *Keyword {
	for i := range s.Keywords {
		if s.Keywords[i].Name == name {
			return &s.Keywords[i]
		}
	}
	return nil
}

// Options say what a resolution may reach and how large it may get. The zero Options are usable.
type Options struct {
	// URI is the base of a root schema without `$id`, absolute and without fragment. The default is
	// [FileURI] of the file's name; for a schema inside a bigger document the query "at=POINTER" is
	// added, since such a schema is a resource of its own.
	URI string
	// Dialect of a root schema without `$schema`; the default is 2020-12.
	Dialect Dialect
	// Registry holds the documents that references may reach beside the root's own. Nil means only the
	// meta-schemas of the supported drafts.
	Registry *Registry
	// Dependencies makes `dependencies` decide in 2019-09 and 2020-12 as it does in draft-07, in all documents that
	// the root reaches. Those drafts have dependentRequired and dependentSchemas in its place; without the option it
	// is checked, warned of and has no effect.
	Dependencies bool
	Limits       Limits
}

// Limits bounds a resolution. A zero field means the default of [DefaultLimits].
type Limits struct {
	// Arms is the number of schemas that one value may have to be judged against, counted with
	// multiplicity: subschemas of allOf, anyOf, oneOf, not, if, then, else and dependentSchemas, and what
	// they lead to without going into the value. It is counted, never expanded.
	Arms int
	// Depth is the length of a chain of such subschemas, references included.
	Depth int
	// Schemas is the number of schemas in the graph.
	Schemas int
	// Scopes is the number of dynamic scopes, the empty one aside, Copies how many of the schemas differ from
	// another one in the scope alone.
	Scopes, Copies int
	// PointerBytes is the size of all JSON Pointers of schemas and keywords together. It bounds what a
	// document can cost that nests a hundred thousand schemas below one long name.
	PointerBytes int
	// Patterns is the number of different regular expressions, PatternCost what compiling them may cost
	// together: one for every byte, 800 for every Unicode property, the count of every counted repetition.
	Patterns, PatternCost int
	// URIBytes is the length of one URI without its fragment: of a `$ref` as it is written, of an `$id`
	// after it has been resolved.
	URIBytes int
	// Findings is the number of errors, and of warnings, that are listed.
	Findings int
}

// DefaultLimits returns the defaults: 100,000 arms, depth 1,024 (DESIGN §9), 500,000 schemas,
// 1,000 dynamic scopes that make 100,000 copies, 64 MiB of
// pointers, 10,000 patterns that cost 1,000,000 together, URIs of 2 KiB, 1,000 findings of each severity.
func DefaultLimits() Limits {
	return Limits{
		Arms: 100_000, Depth: 1024, Schemas: 500_000, Scopes: 1000, Copies: 100_000, PointerBytes: 64 << 20,
		Patterns: 10_000, PatternCost: 1_000_000, URIBytes: 2 << 10, Findings: 1000,
	}
}

func (l Limits) filled() Limits {
	def := DefaultLimits()
	fill := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	fill(&l.Arms, def.Arms)
	fill(&l.Depth, def.Depth)
	fill(&l.Schemas, def.Schemas)
	fill(&l.Scopes, def.Scopes)
	fill(&l.Copies, def.Copies)
	fill(&l.PointerBytes, def.PointerBytes)
	fill(&l.Patterns, def.Patterns)
	fill(&l.PatternCost, def.PatternCost)
	fill(&l.URIBytes, def.URIBytes)
	fill(&l.Findings, def.Findings)
	return l
}

// The codes of this package's diagnostics.
const (
	CodeValue              diag.Code = "schema/value"               // a keyword has a value that its draft does not allow
	CodePattern            diag.Code = "schema/pattern"             // a regular expression that does not compile
	CodeDialect            diag.Code = "schema/dialect"             // `$schema` names no draft that is supported, or stands in the wrong place
	CodeID                 diag.Code = "schema/id"                  // `$id` or an anchor is malformed or used twice
	CodeReference          diag.Code = "schema/reference"           // a reference leads nowhere, or to something that is no schema
	CodeUnknownDocument    diag.Code = "schema/unknown-document"    // a reference to a document that was not given
	CodeNetwork            diag.Code = "schema/network"             // the same, where only the network could have it
	CodeCycle              diag.Code = "schema/cycle"               // a cycle that never consumes input
	CodeLimit              diag.Code = "schema/limit"               // a limit of Limits is exceeded
	CodeUnsupportedKeyword diag.Code = "schema/unsupported-keyword" // legal, and beyond this compiler
	CodeNearMiss           diag.Code = "schema/near-miss"           // warning: an unknown keyword that looks like a known one
	CodeNoKeyword          diag.Code = "schema/no-keyword"          // warning: a root schema with members and not one keyword
	CodeIgnored            diag.Code = "schema/ignored"             // warning: a keyword that has no effect where it stands
	CodeMore               diag.Code = "schema/more"                // there are more findings than are listed
)

// Resolve resolves the schema at node, which is a value in file; a nil node means the whole document.
// The schema is a resource of its own wherever it stands: `#` in it is node, not the document.
//
// All findings are returned, sorted. The Schema is nil exactly when one of them is an error.
func Resolve(file *load.File, node *load.Node, opts Options) (*Schema, diag.List) {
	s := newSession(file, node, opts)
	root := s.run()
	s.report.list.Sort()
	// A place that is entered in several dynamic scopes is blamed in each.
	s.report.list = slices.Compact(s.report.list)
	if s.report.list.HasErrors() {
		return nil, s.report.list
	}
	return root, s.report.list
}
