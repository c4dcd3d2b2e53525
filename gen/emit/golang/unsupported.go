package golang

import (
	"vcp.core/gen/diag"
	"vcp.core/gen/ir"
	"vcp.core/gen/load"
)

// CodeUnsupported is a keyword that a contract may use and that this package cannot generate code for yet.
const CodeUnsupported diag.Code = "emit/unsupported"

// Unsupported lists what a program has and generated code would pass over in silence. [Emit] refuses such a
// program.
func Unsupported(p *ir.Program) (list diag.List) {
	for _, s := range p.Schemas {
		for _, k := range s.Keywords {
			if k.Name != "unevaluatedProperties" && k.Name != "unevaluatedItems" {
				continue
			}
			list = append(list, diag.Diagnostic{
				Position: s.Origin.Pos,
				Pointer:  load.Child(s.Origin.Pointer, k.Source),
				Severity: diag.Error,
				Code:     CodeUnsupported,
				Message:  "no Go code can be generated for " + k.Source + " yet",
				Hint:     "live judges it: leave the tool out of the generated ones, its manifest is read at run time",
			})
		}
	}
	return list
}
