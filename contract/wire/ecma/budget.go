package ecma

// The budget of a match, in steps. A step is one instruction looked at, some 3 to 15 ns.
//
// The base decides on short subjects: 2,000,000 steps end within about 20 ms, and a pattern that
// needs more of them on a short string is exponential. The share per byte keeps long subjects
// decidable for every pattern that is linear, with room for 64 looks at each byte, and keeps the
// total linear. Time is never asked, so the same call has the same outcome on every machine.
const (
	baseSteps    = 2_000_000
	stepsPerByte = 64
)

// budget returns the steps that a match on a subject of n bytes may take.
func budget(n int) int { return baseSteps + stepsPerByte*n }
