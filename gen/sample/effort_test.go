package sample_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
	"vcp.core/gen/sample"
)

// Schemas of which a single document would take minutes: each is given up, and that is told.
func TestEffortHasAnEnd(t *testing.T) {
	list := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString("," + strings.ReplaceAll(format, "%", fmt.Sprint(i)))
		}
		return b.String()[1:]
	}
	for name, schema := range map[string]string{
		"one of many":       `{"oneOf":[` + list(5000, `{"properties":{"k%":{"type":"integer"}},"required":["k%"]}`) + `]}`,
		"many conditions":   `{"allOf":[` + list(5000, `{"if":{"properties":{"k":{"const":%}},"required":["k"]},"then":{"required":["q%"]}}`) + `]}`,
		"different numbers": `{"type":"array","uniqueItems":true,"minItems":50000,"items":{"type":"integer"}}`,
		"nested lists":      `{"type":"array","minItems":900,"items":{"type":"array","minItems":900,"items":{"type":"array","minItems":900}}}`,
		"required names":    `{"required":[` + list(50_000, `"p%"`) + `]}`,
	} {
		t.Run(name, func(t *testing.T) {
			file, findings := load.Parse("hostile.json", []byte(schema), wire.Limits{})
			if findings.HasErrors() {
				t.Fatal(findings)
			}
			source, err := sample.New(file.Root, sample.Options{})
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			empty := source.Empty()
			_, ok := source.Valid(1)
			source.Near(2)
			if empty {
				t.Error("called empty")
			}
			if !ok && source.Exhausted() == 0 {
				t.Error("given up, and nobody is told")
			}
			// It takes about a second for each of the three; without an end it was minutes and gigabytes.
			if took := time.Since(start); took > time.Minute {
				t.Errorf("took %v", took)
			}
		})
	}
}

// A small schema whose documents are found has used up nothing.
func TestEffortOfAnOrdinarySchema(t *testing.T) {
	file, _ := load.Parse("x.json", []byte(`{"type":"object","required":["a"],"properties":{"a":{"oneOf":[{"type":"string"},{"type":"integer"}]}}}`), wire.Limits{})
	source, err := sample.New(file.Root, sample.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(50) {
		if _, ok := source.Valid(seed); !ok {
			t.Errorf("seed %d: nothing was made", seed)
		}
		source.Near(seed)
	}
	if n := source.Exhausted(); n > 0 {
		t.Errorf("exhausted %d times", n)
	}
}
