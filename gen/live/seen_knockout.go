//go:build knockout

package live

import "vcp.core/gen/ir"

// seen leaves out the rule that VCP_KNOCKOUT names for this package.
func seen(p *ir.Program) *ir.Program { return ir.Knockout(p, "live") }
