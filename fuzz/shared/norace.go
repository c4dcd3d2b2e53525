//go:build !race

package shared

// Race says that the race detector is on. It makes pools forget on purpose, so tests that count allocations
// of pooled things have nothing to say then.
const Race = false
