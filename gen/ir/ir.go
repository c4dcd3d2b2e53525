// Package ir is the compiler's own model of what a document must be: ordered, typed, free of dialects
// and of JSON trees. It is the one thing that both back ends read: gen/live turns it into closures,
// gen/emit into source. Whatever is decided here (which tests are fused, which schemas are worth a
// memo) is decided once for both.
//
// Data flow: resolve.Schema graph -> [Lower] -> [Program]. Lowering parses constants and bounds,
// translates patterns, splits keywords by the type they constrain, and computes facts about schemas
// ([Schema.Guard], [Dispatch], [Decision], [Schema.Shared]). One resolve.Schema becomes one Schema:
// nothing is inlined or merged, so every rule keeps the place it came from.
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

	// Ref is the target of $ref, applied beside the other rules (draft-07 siblings are gone by now), or of
	// $dynamicRef: where that leads is settled, because a schema that is entered in several dynamic scopes is
	// several Schemas.
	Ref   *Schema
	AllOf []*Schema
	AnyOf []*Schema
	OneOf []*Schema
	Not   *Schema
	If    *Schema
	Then  *Schema // nil when absent; never set without If
	Else  *Schema

	// Admits is the types that a valid value may have, as far as Types, constants and in-place
	// subschemas tell; a value of another type is invalid. Here the types are apart: TypeInteger means
	// integers and TypeNumber the numbers that are none. 0 admits nothing.
	Admits TypeSet
	// Guard is a necessary condition on one member of an object, nil when none is known; it is
	// computed for conditions and for arms of unions. A back end may refuse without looking further
	// when the guard fails, and accept without looking further when it holds and is exact.
	Guard *Guard
	// AnyBy and OneBy sort the arms of AnyOf and OneOf by the value of one member, nil when no member
	// tells arms apart. An arm outside the selected case is invalid and need not be judged.
	AnyBy, OneBy *Dispatch
	// Decisions replace conditions that one member decides: the rules of the selected case apply, and
	// the conditions that the decision names need not be judged.
	Decisions []*Decision
	// Shared says that more than one path through the graph may judge the same value against this
	// schema, and that the schema has subschemas: back ends remember the verdict by (ID, node). The
	// paths counted are those of a back end that uses AnyBy, OneBy and Decisions and tests Admits first, and
	// that for Unevaluated asks again which arms hold.
	Shared bool

	// Keywords are the keywords behind the rules above, in source order.
	Keywords []Keyword

	Notes Notes
}

// Origin is where a schema stands in its source.
type Origin struct {
	Pos     diag.Position
	Pointer string // JSON Pointer of the schema in Pos.File
	URI     string // base URI of its resource, plus a JSON Pointer in it as fragment, not encoded
}

// Keyword names one keyword of a schema: what it is called in draft 2020-12, by which the fields of
// [Schema] are named, and how the document spells it, by which a report points at it.
type Keyword struct {
	Name   string
	Source string
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
	Unevaluated        *Schema // unevaluatedItems: elements that no other rule of the schema has evaluated
}

// Contains is contains with minContains and maxContains. Evaluates says that elements that match count as
// evaluated, which they did not before draft 2020-12.
type Contains struct {
	Schema    *Schema
	Min, Max  int
	Evaluates bool
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
	Unevaluated       *Schema // unevaluatedProperties: members that no other rule of the schema has evaluated
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

// Dispatch sorts alternatives by the value of one member of an object. The indexes in a case are
// ascending; what they index is told where the Dispatch stands. Exactly one case applies:
//
//	instance is no object      -> NotObject
//	member absent              -> Absent
//	member equals Values[i]    -> Cases[i]
//	member has another value   -> Other
type Dispatch struct {
	Member    string
	Values    []Value // scalars, all different
	Cases     [][]int // as long as Values
	Other     []int
	Absent    []int
	NotObject []int
	// Disjoint says that no object is left with more than one alternative: Member is a discriminator.
	Disjoint bool
}

// Decision is a set of conditional rules whose conditions test one member against constants. The
// cases of its Dispatch index Rules, and all rules of the selected case apply.
type Decision struct {
	Dispatch
	Rules []*Schema // then and else branches
	Own   bool      // the decision replaces If, Then and Else of the schema it stands in
	Arms  []int     // and these elements of its AllOf, each of which says nothing but if/then/else
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
	Unit               string // x-unit, an annotation of ours: what a number counts
}
