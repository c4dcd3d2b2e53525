package ecma

// Way is how a pattern is matched. All ways are exact; they differ in what they cost.
type Way uint8

// The ways, in the order in which they are considered.
const (
	// Scan is one pass without choices, for patterns such as `^[a-z]+$`. It always decides.
	Scan Way = iota
	// RE2 is a translation to package regexp, with an automaton in front of it for ASCII subjects where that
	// is small. It always decides.
	RE2
	// Conjunction is a list of RE2 programs that must match, or must not: for patterns whose
	// look-arounds all stand next to a `^` at their start or a `$` at their end.
	Conjunction
	// Simulation keeps the set of all states that a match could be in, with look-arounds settled
	// beforehand: for every other pattern without back-references, and instead of RE2 where that
	// could cost too much. Its cost is linear in the subject; the budget ends it only for patterns
	// that would keep hundreds of states alive on a long subject.
	Simulation
	// Backtracking tries one way after the other: for patterns with back-references, and for counted
	// repetition too large to unroll. The budget ends it where it turns exponential.
	Backtracking
)

// String returns the name of the way, in lower case.
func (w Way) String() string {
	switch w {
	case Scan:
		return "scan"
	case RE2:
		return "re2"
	case Conjunction:
		return "conjunction"
	case Simulation:
		return "simulation"
	case Backtracking:
		return "backtracking"
	}
	return "unknown"
}
