package live

import (
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// constants judges const and enum.
func constants(set *wire.Constants) check {
	return func(r *run, n int) wire.Verdict {
		if set.Find(r.t, n, &r.text) < 0 {
			return wire.Invalid
		}
		return wire.Valid
	}
}

func newConstants(values []ir.Value) *wire.Constants {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v.Raw)
	}
	return wire.ConstantsOf(texts...)
}

// textOf returns what a constant that is a string says.
func textOf(v *ir.Value) string {
	if !strings.Contains(v.Canonical, `\`) {
		return v.Canonical[1 : len(v.Canonical)-1]
	}
	var t wire.Tape
	if err := t.Scan(v.Raw, wire.DefaultLimits()); err != nil {
		panic("live: a constant of the program is not JSON: " + err.Error())
	}
	return t.String(0)
}
