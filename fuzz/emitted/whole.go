//go:build !knockout

package emitted

// judgesOnly leaves types, readers and encoders out of generated programs, and go vet.
const judgesOnly = false
