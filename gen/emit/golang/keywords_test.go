package golang_test

import (
	"fmt"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/keyword"
)

// The table of keywords, through generated code.
func TestKeywords(t *testing.T) {
	a := newAgreement()
	for _, group := range []struct {
		name    string
		cases   []keyword.Case
		formats bool
	}{
		{"keywords", keyword.Cases, false},
		{"unevaluated", keyword.Unevaluated, false},
		{"formats", keyword.Formats, true},
	} {
		var schemas []string
		for _, c := range group.cases {
			schemas = append(schemas, c.Schema)
		}
		set := textSet(t, group.name, schemas)
		set.FormatAssertion = group.formats
		p, list := set.Compile()
		if list.HasErrors() {
			t.Fatal(list)
		}
		a.add(t, p)
		for i, c := range group.cases {
			judge := fmt.Sprintf("%s.S%d", group.name, i+1)
			for _, doc := range c.Valid() {
				a.ask(judge, []byte(doc), group.name, verdicts[wire.Valid])
			}
			for _, doc := range c.Invalid() {
				a.ask(judge, []byte(doc), group.name, verdicts[wire.Invalid])
			}
		}
	}
	a.check(t)
}
