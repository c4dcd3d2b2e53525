package ecma

// Way is how a pattern is matched. All ways are exact; they differ in what they cost.
type Way uint8

// The ways.
const (
	// RE2 is a translation to package regexp.
	RE2 Way = iota
	// Backtracking is an own matcher with a budget of steps.
	Backtracking
)

// String returns the name of the way, in lower case.
func (w Way) String() string {
	switch w {
	case RE2:
		return "re2"
	case Backtracking:
		return "backtracking"
	}
	return "unknown"
}
