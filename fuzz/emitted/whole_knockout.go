//go:build knockout

package emitted

// judgesOnly: readers trust verdicts, and here verdicts are wrong on purpose. A program without them is also
// built in a fraction of the time, and many are built.
const judgesOnly = true
