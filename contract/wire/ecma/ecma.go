// Package ecma matches strings against ECMA-262 regular expressions (the dialect of JSON Schema's
// `pattern`), always in bounded time.
//
// [Compile] parses a pattern and settles once how it will be matched: the first [Way] that is exact
// for it. Only the last ways can run out of their budget of steps: the match is then undecided,
// which is neither a match nor a mismatch. Steps are counted, time never decides.
//
// Patterns have the `u` flag (ECMA-262 §22.2), as JSON Schema 2020-12 §6.4 recommends: code points,
// not UTF-16 units; no other flag; they are unanchored. The subject is UTF-8; a byte that is no
// UTF-8 counts as one U+FFFD.
//
// The package imports the standard library only and knows nothing of JSON.
//
// # Deviations
//
// The grammar is that of ECMA-262, 15th edition (2024), with the u flag. Schemas in the field were
// mostly written for engines without that flag, so the following is accepted beyond it, with the
// meaning that ECMA-262 Annex B.1.2 gives to it:
//
//   - an escaped character that needs no escape (`\-`, `\_`, `\"`, `\@`, `\é`) is that character. A
//     letter or digit is not: `\a`, `\A`, `\Z`, `\h` mean something in other dialects, and reading
//     them as letters would hide the mistake;
//   - `{`, `}` and `]` that open or close nothing are themselves: `a{`, `{x}`, `a{,5}`, `]`;
//   - a class escape at the end of a range makes the hyphen a member: `[\w-.]`;
//   - a look-ahead may have a quantifier: `(?=a)?`.
//
// Refused, where Annex B would accept: octal escapes, `\c` before anything but a letter, references
// to groups that do not exist. Not part of that edition, hence refused too: inline modifiers
// (`(?i:a)`) and equal group names in two alternatives.
//
// Unicode data is that of package unicode, whatever its version; properties that it lacks come from
// generated tables over the same repertoire. A lone surrogate in a pattern matches nothing, as no UTF-8
// contains one.
package ecma

import (
	"regexp"
	"sync"
)

// The bounds of [Compile]. A pattern beyond one of them is refused with a [*LimitError].
const (
	MaxPatternBytes = 32 << 10 // length of the pattern in bytes
	MaxNesting      = 250      // groups and look-arounds inside each other
	MaxClassSpans   = 200_000  // ranges of code points in all classes together, `\p{…}` expanded
)

// Regexp is a compiled pattern. It is immutable and safe for concurrent use.
type Regexp struct {
	source  string
	way     Way
	size    int // of all RE2 programs together
	scan    *scan
	re2     *regexp.Regexp
	ascii   func() *automaton // made when first needed; nil result: none
	clauses []clause
	sim     func() *simulation // made when first needed; nil result: too large
	back    func() *backtracker
}

// Source returns the pattern as it was written.
func (r *Regexp) Source() string { return r.source }

// Way returns how the pattern is matched, for diagnostics and dumps. On very long subjects the
// simulation may stand in for RE2.
func (r *Regexp) Way() Way { return r.way }

// Compile parses a pattern. The error is a [*SyntaxError] or a [*LimitError]. Its cost is bounded by
// the limits above, whatever the pattern.
func Compile(pattern string) (*Regexp, error) {
	tree, err := parse(pattern)
	if err != nil {
		return nil, err
	}
	r := &Regexp{source: pattern, size: size(tree.root)}
	r.sim = sync.OnceValue(func() *simulation { return newSimulation(tree.root) })
	r.back = sync.OnceValue(func() *backtracker { return newBacktracker(tree) })
	switch {
	case tree.backrefs:
		r.way = Backtracking
	case r.compileScan(tree.root), r.compileRE2(tree.root):
	case r.size <= maxSimulationSize:
		r.way = Simulation
	default:
		r.way = Backtracking
	}
	return r, nil
}

func (r *Regexp) compileScan(root *node) bool {
	r.scan = newScan(root)
	r.way = Scan
	return r.scan != nil
}

func (r *Regexp) compileRE2(root *node) bool {
	if r.re2 = translate(root); r.re2 != nil {
		r.way = RE2
		r.ascii = sync.OnceValue(func() *automaton { return newAutomaton(root) })
		return true
	}
	if r.clauses = conjunction(root); r.clauses != nil {
		r.way = Conjunction
		return true
	}
	return false
}

// Match reports whether some part of s matches the pattern. When decided is false, the budget of
// steps ran out and matched means nothing.
func (r *Regexp) Match(s []byte) (matched, decided bool) {
	matched, decided, _ = r.MatchSteps(s)
	return matched, decided
}

// MatchSteps is [Regexp.Match] that also tells what it cost, in steps of the budget: for callers that
// match many strings and bound the whole. The ways that always decide count nothing; they are charged
// what they take at most, in steps of the same length.
func (r *Regexp) MatchSteps(s []byte) (matched, decided bool, steps int) {
	switch r.wayFor(len(s)) {
	case Scan:
		return match(r.scan, s), true, 1 + len(s)/4
	case RE2:
		if a := r.ascii(); a != nil {
			if yes, ok := run(a, s); ok {
				return yes, true, 1 + len(s)/4
			}
		}
		return r.re2.Match(s), true, r.re2Steps(len(s))
	case Conjunction:
		for _, c := range r.clauses {
			steps += r.re2Steps(len(s))
			if c.re2.Match(s) != c.want {
				return false, true, steps
			}
		}
		return true, true, steps
	case Simulation:
		return r.sim().match(s)
	}
	return r.back().match(s)
}

// re2Steps is the charge for one RE2 program: to begin costs something, and each byte a share of the
// program's size.
func (r *Regexp) re2Steps(n int) int { return 16 + n*(1+r.size/4) }

// MatchString is [Regexp.Match] for a string. The later ways copy it.
func (r *Regexp) MatchString(s string) (matched, decided bool) {
	switch r.wayFor(len(s)) {
	case Scan:
		return match(r.scan, s), true
	case RE2:
		if a := r.ascii(); a != nil {
			if yes, ok := run(a, s); ok {
				return yes, true
			}
		}
		return r.re2.MatchString(s), true
	}
	return r.Match([]byte(s))
}

// wayFor returns the way for a subject of n bytes.
func (r *Regexp) wayFor(n int) Way {
	if (r.way == RE2 || r.way == Conjunction) && !fitsRE2(r.size, n) {
		return Simulation
	}
	return r.way
}
