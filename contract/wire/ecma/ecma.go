// Package ecma matches strings against ECMA-262 regular expressions (the dialect of JSON Schema's
// `pattern`), always in bounded time.
//
// A pattern takes the first of three ways that is exact for it: a translation to RE2; a conjunction
// of RE2 programs, when all look-arounds stand at the pattern's ends; a backtracking matcher with a
// budget of steps. The third can run out of steps: the match is then undecided, which is neither a
// match nor a mismatch. Time never decides.
//
// Patterns have the `u` flag (ECMA-262 §22.2): code points, not UTF-16 units; they are unanchored.
//
// The package imports the standard library only and knows nothing of JSON.
package ecma

// Regexp is a compiled pattern. It is immutable and safe for concurrent use.
type Regexp struct {
	source string
}

// Source returns the pattern as it was written.
func (r *Regexp) Source() string { return r.source }
