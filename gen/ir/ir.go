// Package ir is the compiler's own model of what a document must be: ordered, typed, free of dialects
// and of JSON trees. It is the one thing that both back ends read: gen/live turns it into closures,
// gen/emit into source. Whatever is decided here (which tests are fused, which schemas are worth a
// memo) is decided once for both.
//
// Data flow: resolve.Schema graph -> [Lower] -> [Program]. Lowering parses constants and bounds,
// translates patterns, splits keywords by the type they constrain, and computes facts about schemas
// ([Schema.Guard], [Schema.Shared]). One resolve.Schema becomes one Schema: nothing is inlined or
// merged, so every rule keeps the place it came from.
//
// The package never judges a document and never reads one. [Program.Dump] prints a program for tests.
package ir

import (
	"vcp.core/contract/wire"
	"vcp.core/contract/wire/ecma"
	"vcp.core/gen/diag"
)

// Program is a set of schemas closed under reference. It is immutable after lowering.
type Program struct {
	Schemas []*Schema // in discovery order from the roots; Schemas[i].ID == i
	Roots   []*Schema
}

// Schema is one node of the graph. Rules that concern one JSON type apply only to values of that
// type, as JSON Schema has it; a nil rule set means no rule.
type Schema struct {
	ID     int
	Origin Origin

	Never bool    // the false schema; Always is a schema without any rule
	Types TypeSet // 0 allows every type

	Const  *Value  // nil when absent
	Enum   []Value // nil when absent; empty and not nil refuses everything
	Number *NumberRules
	String *StringRules
	Array  *ArrayRules
	Object *ObjectRules

	Ref   *Schema // $ref, applied beside the other rules (draft-07 siblings are gone by now)
	AllOf []*Schema
	AnyOf []*Schema
	OneOf []*Schema
	Not   *Schema
	If    *Schema
	Then  *Schema // nil when absent; never set without If
	Else  *Schema

	// Guard is a necessary condition on one member of an object, nil when none is known. A back end
	// may refuse without looking further when the guard fails, and accept without looking further when
	// it holds and is exact.
	Guard *Guard
	// Shared says that more than one path through the graph may judge the same value against this
	// schema, and that judging is not constant time: back ends remember the verdict by (ID, node).
	Shared bool

	// Places kept for the compiler's next stage. Lowering does not set them yet: resolve refuses the
	// keywords.
	DynamicRef *DynamicRef

	Notes Notes
}

// Origin is where a schema stands in its source.
type Origin struct {
	Pos     diag.Position
	Pointer string // JSON Pointer of the schema in Pos.File
	URI     string // base URI of its resource, plus fragment
}

// TypeSet is a set of JSON Schema types.
type TypeSet uint8

// The seven types. Integer is a subset of Number: a set with TypeNumber needs no TypeInteger.
const (
	TypeNull TypeSet = 1 << iota
	TypeBoolean
	TypeInteger
	TypeNumber
	TypeString
	TypeArray
	TypeObject
)

// Value is a constant of a schema with its canonical form: two values are equal in JSON Schema's
// sense (1 equals 1.0, member order does not matter) exactly when their Canonical bytes are.
type Value struct {
	Raw       []byte // as written, compact
	Canonical string
	Kind      wire.Kind
}

// NumberRules constrain numbers. Bounds and divisors keep their spelling; comparison is exact.
type NumberRules struct {
	Minimum, Maximum                   *wire.Decimal // inclusive
	ExclusiveMinimum, ExclusiveMaximum *wire.Decimal
	MultipleOf                         *wire.Decimal
}

// StringRules constrain strings. Lengths count code points; -1 means no bound.
type StringRules struct {
	MinLength, MaxLength int
	Pattern              *ecma.Regexp
	Format               *Format
}

// Format is a format keyword. Check is nil when the format is an annotation only.
type Format struct {
	Name  string
	Check func(decoded []byte) bool
}

// ArrayRules constrain arrays. MaxItems and Contains.Max are -1 without bound.
type ArrayRules struct {
	Prefix             []*Schema
	Items              *Schema // elements after Prefix
	MinItems, MaxItems int
	Unique             bool
	Contains           *Contains
	Unevaluated        *Schema // unevaluatedItems, not lowered yet
}

// Contains is contains with minContains and maxContains.
type Contains struct {
	Schema   *Schema
	Min, Max int
}

// ObjectRules constrain objects.
type ObjectRules struct {
	Properties        []Property // in schema order; names unique
	Patterns          []PatternProperty
	Additional        *Schema // members matched by neither
	Names             *Schema // propertyNames
	Required          []string
	MinMembers        int
	MaxMembers        int // -1 without bound
	DependentRequired []DependentRequired
	DependentSchemas  []Property
	Unevaluated       *Schema // unevaluatedProperties, not lowered yet
}

// Property pairs a member name with the schema of its value.
type Property struct {
	Name   string
	Schema *Schema
}

// PatternProperty pairs a name pattern with the schema of the values.
type PatternProperty struct {
	Pattern *ecma.Regexp
	Schema  *Schema
}

// DependentRequired demands members when another is present.
type DependentRequired struct {
	Name     string
	Required []string
}

// Guard tests one member of an object against constants.
//
//	instance is no object   -> NotObject
//	member absent           -> Absent
//	member equals a Value   -> true
//	otherwise               -> false
type Guard struct {
	Member    string
	Values    []Value
	Absent    bool
	NotObject bool
	Exact     bool // the schema holds exactly when the guard does
}

// DynamicRef is `$dynamicRef`/`$recursiveRef`; see Schema.DynamicRef.
type DynamicRef struct {
	Anchor  string
	Initial *Schema
}

// Notes are annotations that emitters read; they never change a verdict.
type Notes struct {
	Title, Description string
	Default            []byte // raw JSON, nil when absent
	Examples           [][]byte
	Deprecated         bool
	ReadOnly           bool
	WriteOnly          bool
	Comment            string
}
