// Package resolve is the compiler's second phase: it gives a loaded schema document its meaning
// without yet deciding how to check anything. It settles the dialect, follows `$id`, `$anchor` and
// `$ref` (never over the network), checks that every keyword has a legal value, and writes every
// dialect in one form: the keyword names and shapes of draft 2020-12.
//
//	draft-07 items array        -> prefixItems, additionalItems -> items
//	draft-07 dependencies       -> dependentRequired + dependentSchemas
//	draft-07 definitions        -> $defs (kept reachable by its old pointer)
//	draft-07 siblings of $ref   -> dropped, as the draft says
//
// What it refuses, with a position: illegal keyword values, references that lead nowhere or to the
// network, reference cycles that never consume input, composition beyond its limits (a composition
// bomb is refused before it is expanded), keywords that the compiler does not implement yet. A
// keyword that nobody defined is an annotation and passes.
//
// Raw and resolved are different types: a [Schema] exists only for a document that resolved.
package resolve

import (
	"vcp.core/gen/load"
)

// Dialect is the draft a schema resource is written in.
type Dialect string

// The dialects. Without `$schema` a schema is 2020-12. Draft 2019-09 is recognised and refused with
// a diagnostic until the compiler implements it; so are older drafts, with a hint.
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
	Dialect Dialect

	// Always is set for the boolean schemas true and false, which have no keywords.
	Always *bool
	// Keywords in source order, in 2020-12 form. Unknown keywords and plain annotations that no later
	// phase reads are not here.
	Keywords []Keyword
}

// Keyword is one keyword occurrence in 2020-12 form.
type Keyword struct {
	Name   string     // in 2020-12 spelling
	Source string     // as the document spells it, for diagnostics and schema pointers
	Value  *load.Node // as written
	// Pointer of the keyword in the file, e.g. "/properties/a/minimum".
	Pointer string

	// Names and Schemas carry subschemas: one schema for not, if, items…; a list for allOf, prefixItems…;
	// pairs for properties, patternProperties, dependentSchemas. `$ref` has its target in Schemas[0].
	Names   []string
	Schemas []*Schema
	// Lists carries dependentRequired: Lists[i] belongs to Names[i].
	Lists [][]string
}
