// Package wire is the ground that JSON stands on in this project: the strict scanner, the tape it
// leaves behind, exact numbers, the appender, and the small value types that generated code is made
// of. Everything that reads bytes from a plugin, a client or a file reads them through this package.
//
// # Ingest rules
//
// A document is accepted only if it is one RFC 8259 value with nothing but whitespace around it, is
// valid UTF-8 (RFC 3629), has no lone surrogate escapes, no two members of one object whose decoded
// names are equal, and stays within [Limits]. Each refusal is an [*Error] with a byte offset and a
// reason from the closed table of package errcode. There is no lenient mode.
//
// Accepted bytes are never re-spelled: numbers, escapes, member order and unknown members stay as
// they were received. Only whitespace between tokens may be dropped ([AppendCompact]).
//
// # Place
//
// wire lies at the bottom: it imports errcode, its own ecma and the standard library, never sonic, and never
// encoding/json outside tests. It decides syntax; meaning (schemas, protocol rules) lives above it.
//
// # Ownership
//
// A [Tape] aliases the source it scanned, and strings taken from it without a copy alias it too. The
// source must not change while the tape is in use; [Tape.Scan] on the same tape ends that use.
package wire

import "math"

// Kind is the JSON type of a value. The zero Kind is no type at all.
type Kind uint8

// The kinds. True and False are kinds of their own, so that a node needs no value field.
const (
	KindNone Kind = iota
	KindNull
	KindFalse
	KindTrue
	KindNumber
	KindString
	KindArray
	KindObject
)

// Verdict is the outcome of judging a document against a schema. The order makes Kleene logic plain
// arithmetic: a conjunction is the minimum of its parts, a disjunction the maximum, and a negation
// is Valid minus the part. Undecided means that a bounded resource (the step budget of a pattern, the
// digits that multipleOf computes with) ran out: it is never reported as valid or as invalid.
type Verdict uint8

// The three verdicts.
const (
	Invalid Verdict = iota
	Undecided
	Valid
)

// Limits bounds what a scan accepts. A field that is not positive means the default of [DefaultLimits].
type Limits struct {
	Bytes   int // length of the document in bytes
	Depth   int // nested arrays and objects; a scalar has depth 0
	Nodes   int // values; member names are not counted
	Members int // members of one object, or elements of one array under uniqueItems
}

// DefaultLimits are the limits of DESIGN §9: 16 MiB, depth 1,024, 10^6 nodes, 65,536 members.
func DefaultLimits() Limits {
	return Limits{Bytes: 16 << 20, Depth: 1024, Nodes: 1_000_000, Members: 65_536}
}

// filled returns lim with defaults in place of fields that are not positive. Offsets are 32 bits wide, so
// no limit makes a document longer than that acceptable.
func (lim Limits) filled() Limits {
	d := DefaultLimits()
	if lim.Bytes <= 0 {
		lim.Bytes = d.Bytes
	}
	if lim.Depth <= 0 {
		lim.Depth = d.Depth
	}
	if lim.Nodes <= 0 {
		lim.Nodes = d.Nodes
	}
	if lim.Members <= 0 {
		lim.Members = d.Members
	}
	lim.Bytes = min(lim.Bytes, math.MaxUint32-1)
	return lim
}
