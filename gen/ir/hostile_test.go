package ir_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vcp.core/fuzz/shared"
	"vcp.core/gen/ir"
	"vcp.core/gen/resolve"
)

// list joins what f makes of 0 to n-1.
func list(n int, f func(i int) string) string {
	parts := make([]string, n)
	for i := range n {
		parts[i] = f(i)
	}
	return strings.Join(parts, ",")
}

// Schemas made to be dear to lower. The bound, in time of the processor, is far above what they take and far below what they would
// take with a step that is quadratic in the number of arms, constants, members or pairs.
func TestHostileSchemas(t *testing.T) {
	nested := `{"properties":{"k":{"const":1}}}`
	for i := range 300 {
		nested = fmt.Sprintf(`{"anyOf":[%s,{"properties":{"k":{"const":%d}}},{"properties":{"k":{"const":"x%d"}}}]}`, nested, i, i)
	}
	integer := func(i int) string { return fmt.Sprint(i) }
	for name, schema := range map[string]string{
		"30,000 arms with a discriminator": `{"anyOf":[` + list(30_000, func(i int) string { return fmt.Sprintf(`{"properties":{"k":{"const":%d}},"required":["k"]}`, i) }) + `]}`,
		"1,000 arms with 40 candidates": `{"anyOf":[` + list(1000, func(i int) string {
			return `{"properties":{` + list(40, func(j int) string { return fmt.Sprintf(`"k%d":{"const":%d}`, j, i%(j+1)) }) + `},"required":["k"]}`
		}) + `]}`,
		"arms with a member each": `{"anyOf":[` + list(10_000, func(i int) string {
			return fmt.Sprintf(`{"properties":{"k%d":{"const":%d}},"required":["k%d"]}`, i, i, i)
		}) + `]}`,
		"20,000 conditions on one member": `{"allOf":[` + list(20_000, func(i int) string {
			return fmt.Sprintf(`{"if":{"properties":{"k":{"const":%d}}},"then":{"items":{"$ref":"#"}},"else":{"required":["x"]}}`, i%300)
		}) + `]}`,
		"conditions with long enums": `{"allOf":[` + list(200, func(i int) string {
			return `{"if":{"properties":{"k":{"enum":[` + list(300, func(j int) string { return fmt.Sprint(i*300 + j) }) + `]}}},"then":{"items":{"$ref":"#"}}}`
		}) + `]}`,
		"two enums of 100,000":   `{"anyOf":[{"properties":{"k":{"enum":[` + list(100_000, integer) + `]}}},{"properties":{"k":{"enum":[` + list(100_000, integer) + `]}}}]}`,
		"100,000 properties":     `{"properties":{` + list(100_000, func(i int) string { return fmt.Sprintf(`"p%d":{"items":{"$ref":"#"}}`, i) }) + `}}`,
		"arms that all recurse":  `{"anyOf":[` + list(3000, func(i int) string { return fmt.Sprintf(`{"items":{"$ref":"#"},"minItems":%d}`, i) }) + `]}`,
		"patterns that all meet": `{"patternProperties":{` + list(5000, func(i int) string { return fmt.Sprintf(`"^p%d":{"items":{"$ref":"#"}}`, i) }) + `}}`,
		"unions in unions":       nested,
		"pairs of everything": `{"$ref":"#/$defs/a0","$defs":{` + list(600, func(i int) string {
			return fmt.Sprintf(`"a%d":{"anyOf":[{"items":{"$ref":"#/$defs/a%d"}},{"items":{"$ref":"#/$defs/a%d"}},{"items":{"$ref":"#/$defs/a%d"}}]}`, i, (i+1)%600, (i*7+3)%600, (i*13+5)%600)
		}) + `}}`,
	} {
		root := resolved(t, schema)
		before := shared.Worked()
		_, diags := ir.Lower([]*resolve.Schema{root}, ir.Options{})
		if len(diags) > 0 {
			t.Errorf("%s: %v", name, diags[0])
		}
		if took := shared.Worked() - before; took > 15*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}
