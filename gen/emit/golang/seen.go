//go:build !knockout

package golang

import "vcp.core/gen/ir"

// seen is the program as this package sees it: all of it. Builds for fuzz/knockout put another in its place.
func seen(p *ir.Program) *ir.Program { return p }
