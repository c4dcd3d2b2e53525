// Package diag is how the compiler speaks: positioned diagnostics, collected, sorted and printed in
// the formats that people, programs and code hosts read.
//
// A phase never prints and never stops at its first finding; it returns a [List]. Text is made at the
// edge by [Write]. The package knows nothing of JSON or schemas.
package diag

// Position is a place in a source file. Line and Col are 1-based; Col counts code points. A zero
// Line means that the finding concerns the file as a whole.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Col    int    `json:"col"`
	Offset int    `json:"offset"` // in bytes, 0-based
}

// Severity tells what a diagnostic does to the build.
type Severity string

// An error makes the tool unusable; a warning does not.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Code names a kind of diagnostic, "area/kind" ("schema/unsupported-keyword"). Codes are stable:
// tests and CI filters match on them, never on messages.
type Code string

// Diagnostic is one finding.
type Diagnostic struct {
	Position
	Pointer  string   `json:"pointer"` // JSON Pointer of the place, "" for the document
	Severity Severity `json:"severity"`
	Code     Code     `json:"code"`
	Message  string   `json:"message"`        // lower case, no period
	Hint     string   `json:"hint,omitempty"` // what to do about it, when known
}

// List is a set of diagnostics. Sort before showing it.
type List []Diagnostic
