package golang

import (
	"vcp.core/gen/ir"
)

// Shapes. A shape is what a place of the schemas looks like in Go. Planning ([plan]) makes a model of shapes
// from the program and writes nothing; types.go, read.go and append.go print the model. It is a pure
// function of the program and the roots, and the model has a printable form (shape_print.go) for tests.
//
// # What a shape may rely on
//
// A reader is given values that were judged valid, and nothing else. So a shape may use every condition
// that is necessary for validity, and need not know the sufficient ones: that a member is always there,
// that a value is never null, that a string is one of three. What planning does not understand (not, if,
// dependentSchemas, contains …) it leaves to the judge, and the shape is merely wider than it could be.
//
// # How schemas become shapes
//
// A place is judged by several schemas at once: its own rules, what $ref and allOf name, and whatever else
// applies to the same member or element. All that conjoin are gathered in a [view]; members of two
// schemas merge. Then, in this order:
//
//	no value is valid, or any is       wire.Raw
//	the values are listed              bool, int64, a named string type with constants; for mixed types
//	                                   a named string type that holds JSON text
//	null or something else             wire.Nullable
//	several JSON types                 a sealed interface with one named type for each of them
//	string, boolean, number            string, bool, wire.Number
//	integer                            int64 where the bounds lie within it, else wire.Int
//	array                              a slice; with prefixItems a struct (tuple)
//	object                             a struct in the order of the schema; wire.Entries when no member is
//	                                   named; wire.Ref for {"$resource": …}
//	object, choice by a constant       a sealed interface with one named type for each alternative
//	any other choice                   a named wire.Raw with accessors that judge first (emit/raw-union)
//
// A choice (anyOf, oneOf) of which one arm is left for the types at hand is no choice, and one whose
// arms only restrict members that the object has anyhow (two of three are required) shapes nothing.
//
// # Members
//
// A required member with one possible value is no field: the encoder writes it ([member.fixed]). A
// discriminator in an arm of a union is one, and so are an input's command and a protocol's version. A member
// that no value is valid for is left out. An open object keeps members that it does not name in the field
// Extra, in their order. Encoders write members in the order of the schema, then Extra.
//
// An optional member is a wire.Opt, and a struct that would contain itself, or that is big, goes through a
// pointer: *T in the place of wire.Opt[T] (nil is absent), of wire.Nullable[T] (nil is null), and of a required T.
type shape struct {
	kind shapeKind

	// Of named kinds.
	name   string       // Go type; settled by naming
	isRoot bool         // the name is a root's, and so is the judge
	judged []*ir.Schema // schemas that accept a value of the type, together with admits
	about  *ir.Schema   // describes the type and is where diagnostics point
	admits ir.TypeSet

	elem    *shape // of list, entries, nullable and wrapper; the target of forward
	members []*member
	extra   *shape         // of struct: members without a name; nil when there can be none
	items   []*item        // of tuple
	rest    *shape         // of tuple: further elements; nil when there can be none
	values  []value        // of enum and literal
	arms    []*alternative // of union, open and alternatives
	choice  *choice        // of union: by the value of a member, for objects
	raw     []byte         // the only possible value, nil when there are several
	parts   []int          // IDs of the schemas that made a named shape, see view.shaping
	orAny   bool           // of alternatives that differ: any JSON instead of open
	why     string         // of open: what the diagnostic says
	whole   *ir.Schema     // lists constants that are objects or lists, nil when none does
	via     *ir.Schema
	settled settling
	cyclic  bool // of named: a value may contain itself
	counts  bool // of named: it has appendJSON, which knows how deep it is; cyclic ones have, and arms of cyclic unions
}

// shapeKind is the sort of a shape.
type shapeKind uint8

const (
	forwardShape      shapeKind = iota // elem is meant
	rawShape                           // wire.Raw
	nullShape                          // wire.Null
	boolShape                          // bool
	stringShape                        // string
	int64Shape                         // int64
	intShape                           // wire.Int
	numberShape                        // wire.Number
	refShape                           // wire.Ref
	nullableShape                      // wire.Nullable of elem
	listShape                          // slice of elem
	entriesShape                       // wire.Entries of elem
	alternativesShape                  // one of arms; planning replaces it by what they have in common, or by open

	// Named kinds.
	wrapShape    // a type of its own around elem, which has no name
	enumShape    // string type with constants
	literalShape // string type that holds the JSON text of one of several constants
	tupleShape
	structShape
	unionShape // sealed interface
	openShape  // wire.Raw with accessors
)

func (k shapeKind) named() bool { return k >= wrapShape }

// settling is the state of a lazy decision about a shape.
type settling uint8

const (
	unsettled settling = iota
	settlingNow
	settledShape
)

// member is a member of a struct in the order of the schema.
type member struct {
	json     string
	field    string // Go name
	shape    *shape
	required bool
	pointer  bool       // the value goes through a pointer, see breakCycles and boundSizes
	fixed    []byte     // JSON text of a constant that is no field
	about    *ir.Schema // describes the member
}

// item is an element of a tuple. One that is not required is absent when the array is shorter.
type item struct {
	shape    *shape
	required bool
	pointer  bool
	about    *ir.Schema
}

// value is a constant of an enum.
type value struct {
	name string // Go constant, settled by naming
	json string // JSON text
	text string // decoded, of strings
}

// alternative is one arm of a union, or one accessor of an open type.
type alternative struct {
	shape *shape
	word  string // names the alternative after its owner: Circle, Object
	kinds ir.TypeSet
	// by is set for alternatives that the choice selects: indices into choice.values, and what happens to
	// other values and to objects without the member.
	by     []int
	other  bool
	absent bool
}

// choice selects the arm of an object by the value of one member.
type choice struct {
	member string
	values []ir.Value
}

// model is what planning returns.
type model struct {
	roots []*shape // as Package.Roots; named, or to be wrapped by naming
	named []*shape // reachable from the roots, by name
}

// to follows forwards.
func (s *shape) to() *shape {
	for s.kind == forwardShape && s.elem != nil {
		s = s.elem
	}
	return s
}

// children returns the shapes that s is made of, in a fixed order.
func (s *shape) children() []*shape {
	var list []*shape
	add := func(c *shape) {
		if c != nil {
			list = append(list, c)
		}
	}
	add(s.elem)
	for _, m := range s.members {
		if m.fixed == nil {
			add(m.shape)
		}
	}
	add(s.extra)
	for _, i := range s.items {
		add(i.shape)
	}
	add(s.rest)
	for _, a := range s.arms {
		add(a.shape)
	}
	return list
}
