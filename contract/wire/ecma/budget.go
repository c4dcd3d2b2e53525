package ecma

// The budgets of a match, in steps. A step is one instruction looked at: about 5 ns in a simulation,
// 25 ns in a backtracker, which also writes down how to come back.
//
// The base decides on short subjects: both bases are spent within some 25 ms, and a pattern that needs
// more on a short subject is exponential, or keeps thousands of states alive. The share per byte keeps
// long subjects decidable for patterns that are linear and the total linear: 64 states alive at each
// byte, or every byte passed by a backtracker a few times. Time is never asked, so the same call has
// the same outcome on every machine.
const (
	simulationSteps          = 4_000_000
	simulationStepsPerByte   = 64
	backtrackingSteps        = 1_000_000
	backtrackingStepsPerByte = 16
)

func simulationBudget(n int) int { return simulationSteps + simulationStepsPerByte*n }

func backtrackingBudget(n int) int { return backtrackingSteps + backtrackingStepsPerByte*n }

// fitsRE2 reports whether RE2 keeps within the budget of a simulation on n bytes. Package regexp counts
// nothing, but takes at most one step for each instruction at each byte. So a program of up to 64
// instructions fits whatever the length, and larger ones do on short subjects; where they do not, the
// simulation, which counts what it really needs, takes over.
func fitsRE2(size, n int) bool {
	return size <= simulationStepsPerByte || n <= simulationSteps/(size-simulationStepsPerByte)
}
