// Package openjson reads and writes JSON whose shape no schema fixes at build time: `any`, dynamic maps,
// the bodies of views. It is the only importer of sonic.
//
// Data flow: bytes -> wire's strict scan -> sonic -> open value, and open value -> sonic -> strict scan ->
// bytes. There is one frozen configuration and there are no options, so that two callers can never disagree
// about what a document means or how a value is spelled. It refuses whatever package wire refuses, in both
// directions: what Encode returns, Decode accepts.
//
// Values with a known shape do not come here: generated code reads and writes them faster. Nothing that
// came from the wire is passed on by decoding and encoding it again; its bytes are spliced. Programs that run
// for one call (plugins, vcp-gen) never link this package: sonic costs some 18 ms on first use and pays off
// after some 2,000 documents.
//
// # Deviations
//
// Encode spells \b, \f and U+FFFD as \u0008, \u000c and \ufffd, where [wire.AppendQuoted] writes \b, \f and
// the character itself. Both are the same text.
package openjson

import (
	"fmt"
	"sync"

	"github.com/bytedance/sonic"

	"vcp.core/contract/wire"
)

// frozen is the one configuration.
var frozen = sonic.Config{
	UseNumber:        true, // numbers stay text
	CopyString:       true, // an open value outlives the buffer that it came from
	ValidateString:   true, // invalid UTF-8 never leaves
	UseUnicodeErrors: true,
	SortMapKeys:      true, // equal values have equal bytes
	CompactMarshaler: true,
	EscapeHTML:       false,
}.Froze()

// maxDepth is below the 4,095 levels that sonic reads before it gives up, and above the default limit.
const maxDepth = 4000

// KindError is returned when a document is not an object where one was asked for.
type KindError struct {
	Kind wire.Kind // what it is
}

// Error says it in a sentence.
func (e *KindError) Error() string { return "the document is not an object" }

// UnsupportedError is returned when a Go value has no JSON form: a function, a channel, NaN, a number that
// is no JSON number, a value that contains itself or is nested too deep.
type UnsupportedError struct {
	Err error // the encoder's own
}

// Error says it in a sentence.
func (e *UnsupportedError) Error() string { return "no JSON form: " + e.Err.Error() }

// Unwrap returns the encoder's own error.
func (e *UnsupportedError) Unwrap() error { return e.Err }

// tapes holds warm tapes. They are reset before they go back, so the pool keeps no document alive.
var tapes = sync.Pool{New: func() any { return new(wire.Tape) }}

// check scans src and returns the kind of its root.
func check(src []byte, lim wire.Limits) (wire.Kind, error) {
	tape := tapes.Get().(*wire.Tape)
	defer func() {
		tape.Reset()
		tapes.Put(tape)
	}()
	if err := tape.Scan(src, lim); err != nil {
		return wire.KindNone, err
	}
	return tape.Kind(tape.Root()), nil
}

// Decode reads one document. The value is nil, a bool, a string, a json.Number that keeps its spelling, an
// []any or a map[string]any. It shares no memory with src. The error is a [*wire.Error] for everything
// that the ingest rules refuse; a depth limit above 4,000 counts as 4,000.
func Decode(src []byte, lim wire.Limits) (any, error) {
	lim.Depth = min(lim.Depth, maxDepth)
	if _, err := check(src, lim); err != nil {
		return nil, err
	}
	var v any
	if err := frozen.Unmarshal(src, &v); err != nil {
		return nil, fmt.Errorf("decode an accepted document: %w", err)
	}
	return v, nil
}

// DecodeObject is Decode for a document that must be an object; otherwise the error is a [*KindError].
func DecodeObject(src []byte, lim wire.Limits) (map[string]any, error) {
	lim.Depth = min(lim.Depth, maxDepth)
	kind, err := check(src, lim)
	if err != nil {
		return nil, err
	}
	if kind != wire.KindObject {
		return nil, &KindError{Kind: kind}
	}
	var v map[string]any
	if err := frozen.Unmarshal(src, &v); err != nil {
		return nil, fmt.Errorf("decode an accepted document: %w", err)
	}
	return v, nil
}

// Encode writes v as compact JSON without a newline: members of maps sorted by their bytes, members of
// structs in declared order, <>& literal, numbers of type json.Number as they are spelled. Bytes of strings
// that are not UTF-8 become U+FFFD. Equal values give equal bytes.
//
// The error is an [*UnsupportedError], or a [*wire.Error] when the result breaks an ingest rule under the
// default limits (for one: two names that become equal once their invalid bytes are replaced).
func Encode(v any) ([]byte, error) {
	out, err := frozen.Marshal(v)
	if err != nil {
		return nil, &UnsupportedError{Err: err}
	}
	if _, err := check(out, wire.Limits{}); err != nil {
		return nil, err
	}
	return out, nil
}
