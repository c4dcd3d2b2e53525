package ecma

import (
	"fmt"
	"unicode/utf8"
)

// SyntaxError says that a pattern is no ECMA-262 pattern.
type SyntaxError struct {
	Pattern string
	Offset  int    // in bytes, where the offending part of Pattern starts
	Message string // lower case, without the position
}

// Error says it in a sentence.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("pattern %q: offset %d: %s", clip(e.Pattern), e.Offset, e.Message)
}

// LimitError says that a pattern is larger than [Compile] accepts. It may be a correct pattern.
type LimitError struct {
	Pattern string
	Limit   string // the name of the bound: "pattern bytes", "nesting", "class spans"
	Max     int    // its value
}

// Error says it in a sentence.
func (e *LimitError) Error() string {
	return fmt.Sprintf("pattern %q: more than %d %s", clip(e.Pattern), e.Max, e.Limit)
}

// clip shortens a pattern for a message.
func clip(pattern string) string {
	const most = 80
	if len(pattern) <= most {
		return pattern
	}
	cut := most
	for !utf8.RuneStart(pattern[cut]) {
		cut--
	}
	return pattern[:cut] + "…"
}
