// Package diag is how the compiler speaks: positioned diagnostics, collected, sorted and printed in
// the formats that people, programs and code hosts read.
//
// A phase never prints and never stops at its first finding; it returns a [List]. Text is made at the
// edge by [Write]. The package knows nothing of JSON or schemas.
package diag

import (
	"cmp"
	"slices"
)

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

// Sort orders the list by file, offset, pointer and code, and drops exact duplicates. The sort is
// stable: findings that agree in all four keep the order in which they were made.
func (l *List) Sort() {
	slices.SortStableFunc(*l, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Offset, b.Offset),
			cmp.Compare(a.Pointer, b.Pointer),
			cmp.Compare(a.Code, b.Code),
		)
	})
	// Equal findings need not be neighbours: two messages about one place may alternate. They do stand
	// in one run of equal keys, so the search for an earlier copy ends where the run begins.
	kept := (*l)[:0]
	run := 0
	for _, d := range *l {
		if len(kept) > run && !sameKey(kept[run], d) {
			run = len(kept)
		}
		if !slices.Contains(kept[run:], d) {
			kept = append(kept, d)
		}
	}
	clear((*l)[len(kept):])
	*l = kept
}

func sameKey(a, b Diagnostic) bool {
	return a.File == b.File && a.Offset == b.Offset && a.Pointer == b.Pointer && a.Code == b.Code
}

// HasErrors reports whether the list holds a finding of severity [Error].
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Count returns the number of errors and of warnings.
func (l List) Count() (errors, warnings int) {
	for _, d := range l {
		if d.Severity == Error {
			errors++
		} else {
			warnings++
		}
	}
	return errors, warnings
}
