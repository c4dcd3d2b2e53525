package mutate

import (
	"slices"
	"strings"
	"testing"
)

func TestShrink(t *testing.T) {
	schema := `{"$defs": {"d": {"minimum": 5}}, "properties": {"a": {"type": "string", "pattern": "x"}, "b": true}, "not": {"required": ["c", "d"]}}`
	document := `{"z": [1, {"a": "long text", "y": null}], "b": 2}`
	calls := 0
	got := Shrink([]string{schema, document, "no JSON"}, 10_000, func(texts []string) bool {
		return strings.Contains(texts[0], `"pattern":`) && strings.Contains(texts[1], `"a":`)
	})
	if want := []string{`{"pattern":0}`, `{"a":0}`, "no JSON"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Shrink([]string{schema}, 3, func([]string) bool { return false }); got[0] != schema {
		t.Errorf("what never fails became %s", got)
	}
	Shrink([]string{schema}, 3, func([]string) bool { calls++; return false })
	if calls != 3 {
		t.Errorf("%d calls, want 3", calls)
	}
}
