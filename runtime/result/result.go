// Package result holds the Canonical Tool Result as a value that cannot change: a [Sealed] is built once
// from its [Parts], encoded once, and afterwards only read.
//
// Data flow: the runtime fills Parts, [Seal] writes them in the declared order of specification §5.3 and
// §5.4, presenters and doors read the bytes. What a plugin wrote (data above all) is spliced in byte for
// byte; only whitespace between its tokens is dropped. Every member is always present, null when there is
// nothing to say.
//
// The package never validates, decides or fills in: what stands in Parts stands in the result. It never
// hands out its bytes for writing: they are held as a string.
package result

import (
	"io"
	"unsafe"

	"vcp.core/contract/call"
)

// Sealed is a canonical result. It implements [call.Result] and is safe for concurrent use.
type Sealed struct {
	id     string
	status call.Status
	code   string
	text   string
	spans  [memberCount]span
	seen   seen
	whole  whole
}

// span is the byte range of a member's value in the text. Like the tape of the text it takes texts of less than 4 GiB.
type span struct{ start, end uint32 }

var _ call.Result = (*Sealed)(nil)

// ID returns the result's id, "tr_…".
func (s *Sealed) ID() string { return s.id }

// Status returns one of the six statuses.
func (s *Sealed) Status() call.Status { return s.status }

// Code returns error.code, "" when there is no error.
func (s *Sealed) Code() string { return s.code }

// Len returns the length of the canonical bytes.
func (s *Sealed) Len() int { return len(s.text) }

// String returns the canonical bytes: one compact JSON object without a trailing newline.
func (s *Sealed) String() string { return s.text }

// WriteTo writes what String returns.
func (s *Sealed) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, s.text)
	return int64(n), err
}

// Member returns the compact JSON of one top-level member, "" when m is none of the constants.
func (s *Sealed) Member(m Member) string {
	if m <= 0 || m >= memberCount {
		return ""
	}
	return s.text[s.spans[m].start:s.spans[m].end]
}

// Member names a top-level member of a result.
type Member int

// The members in their order (specification §5.4).
const (
	_ Member = iota
	Protocol
	ID
	Status
	Tool
	Execution
	Actor
	Origin
	Data
	Resources
	Warnings
	Error
	Task
	Presentation
	AIAdvice
	Policy
	Extensions
	memberCount
)

// names of the members as they stand in the text, with the punctuation around them.
var names = [memberCount]string{
	Protocol:     `{"protocol":`,
	ID:           `,"id":`,
	Status:       `,"status":`,
	Tool:         `,"tool":`,
	Execution:    `,"execution":`,
	Actor:        `,"actor":`,
	Origin:       `,"origin":`,
	Data:         `,"data":`,
	Resources:    `,"resources":`,
	Warnings:     `,"warnings":`,
	Error:        `,"error":`,
	Task:         `,"task":`,
	Presentation: `,"presentation":`,
	AIAdvice:     `,"aiAdvice":`,
	Policy:       `,"policy":`,
	Extensions:   `,"extensions":`,
}

// freeze turns a buffer that nobody else holds into a string without copying it.
func freeze(buf []byte) string { return unsafe.String(unsafe.SliceData(buf), len(buf)) }

// thaw returns the bytes of a text without copying them, for a tape that is only read.
func thaw(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// String returns the member's name, "" when m is none of the constants.
func (m Member) String() string {
	if m <= 0 || m >= memberCount {
		return ""
	}
	name := names[m]
	return name[2 : len(name)-2]
}
