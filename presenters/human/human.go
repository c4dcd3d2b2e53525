// Package human presents a result to people's programs: the canonical result, whole and unchanged
// (specification §9.1).
//
// A visible goes in, its own bytes come out: numbers as they were received, members in their order, aiAdvice
// kept but not followed (specification §5.9). The package loses nothing, adds nothing and formats nothing.
package human

import (
	"io"

	"vcp.core/runtime/result"
)

// Present returns the canonical JSON as far as its reader may see it, without a newline at the end.
func Present(v *result.Visible) string { return v.String() }

// Write writes what Present returns. It is for results that are too large to hold twice.
func Write(w io.Writer, v *result.Visible) (int64, error) { return v.WriteTo(w) }
