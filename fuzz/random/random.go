// Package random makes small random schemas over a tiny vocabulary, and documents over the same
// vocabulary, so that rules are met often: the stuff of tests that hold two back ends, or a back end and
// itself, against each other.
//
// It judges nothing and knows no compiler. Documents that are near the border of a given schema are made
// by package mutate.
package random

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Maker makes small schemas and documents over a tiny vocabulary, so that random documents over the same
// vocabulary meet their rules often.
type Maker struct {
	// Unevaluated lets schemas have unevaluatedProperties and unevaluatedItems.
	Unevaluated bool

	rng  *rand.Rand
	defs int
}

// New returns a maker. Equal seeds give equal streams.
func New(seed uint64) *Maker { return &Maker{rng: rand.New(rand.NewPCG(seed, 7))} }

// Undecidable is a divisor of more digits than multipleOf will divide by: the rule is undecided for every
// number but 0.
var Undecidable = "1" + strings.Repeat("0123456789", 101) + "7"

func pick[T any](m *Maker, list ...T) T { return list[m.rng.IntN(len(list))] }

func (m *Maker) name() string { return pick(m, "a", "b", "k", "kind", "\\u0061b", "😀") }

func (m *Maker) scalar() string {
	return pick(m, "null", "true", "false", "0", "1", "1.0", "2", "-0.0", "1e400", "0.5", `"a"`, `"b"`, `"\u0061"`, `""`, `"😀"`)
}

// Document returns a document of at most that depth.
func (m *Maker) Document(depth int) string {
	if depth <= 0 || m.rng.IntN(3) == 0 {
		return m.scalar()
	}
	var parts []string
	if m.rng.IntN(3) == 0 {
		for range m.rng.IntN(4) {
			parts = append(parts, m.Document(depth-1))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	seen := map[string]bool{}
	for range m.rng.IntN(5) {
		if name := m.name(); !seen[name] {
			seen[name] = true
			parts = append(parts, fmt.Sprintf(`"%s":%s`, name, m.Document(depth-1)))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (m *Maker) schemas(depth int) string {
	var list []string
	for range 1 + m.rng.IntN(3) {
		list = append(list, m.schema(depth))
	}
	return "[" + strings.Join(list, ",") + "]"
}

func (m *Maker) properties(depth int) string {
	var list []string
	seen := map[string]bool{}
	for range 1 + m.rng.IntN(3) {
		if name := m.name(); !seen[name] {
			seen[name] = true
			list = append(list, fmt.Sprintf(`"%s":%s`, name, m.schema(depth)))
		}
	}
	return "{" + strings.Join(list, ",") + "}"
}

// tagged is a schema that asks for a constant member: the stuff of guards.
func (m *Maker) tagged(depth int) string {
	value := `{"const":` + m.scalar() + `}`
	if m.rng.IntN(3) == 0 {
		value = `{"enum":[` + m.scalar() + "," + m.scalar() + `]}`
	}
	s := `"properties":{"kind":` + value
	if m.rng.IntN(2) == 0 {
		s += `,"a":` + m.schema(depth-1)
	}
	s += `}`
	if m.rng.IntN(4) > 0 {
		s += `,"required":["kind"]`
	}
	if m.rng.IntN(2) == 0 {
		s += `,"type":"object"`
	}
	return "{" + s + "}"
}

func (m *Maker) schema(depth int) string {
	switch n := m.rng.IntN(12); {
	case n == 0:
		return pick(m, "true", "false", "{}")
	case n <= 2 && m.defs > 0:
		return fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, m.rng.IntN(m.defs))
	case n == 3:
		return m.tagged(depth)
	case depth <= 0:
		return "{" + m.leaf() + "}"
	}
	var parts []string
	seen := map[string]bool{}
	for range 1 + m.rng.IntN(3) {
		keyword, value := m.keyword(depth - 1)
		if !seen[keyword] {
			seen[keyword] = true
			parts = append(parts, fmt.Sprintf("%q:%s", keyword, value))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (m *Maker) leaf() string {
	return pick(m, `"type":"object"`, `"type":["string","integer"]`, `"type":"array"`, `"minimum":1`, `"multipleOf":0.5`, `"maxLength":1`,
		`"pattern":"^a"`, `"required":["a"]`, `"minItems":1`, `"uniqueItems":true`, `"maxProperties":2`, `"const":`+m.Document(1), `"enum":[`+m.scalar()+`,`+m.Document(1)+`]`,
		`"multipleOf":`+Undecidable)
}

func (m *Maker) keyword(depth int) (name, value string) {
	kinds := 18
	if m.Unevaluated {
		kinds += 4
	}
	switch m.rng.IntN(kinds) {
	case 0:
		return "properties", m.properties(depth)
	case 1:
		return "patternProperties", fmt.Sprintf(`{"^a":%s,"b|k":%s}`, m.schema(depth), m.schema(depth))
	case 2:
		return "additionalProperties", m.schema(depth)
	case 3:
		return "propertyNames", m.schema(depth)
	case 4:
		return "items", m.schema(depth)
	case 5:
		return "prefixItems", m.schemas(depth)
	case 6:
		return "contains", m.schema(depth)
	case 7:
		return "maxContains", pick(m, "0", "1")
	case 8:
		return "allOf", m.schemas(depth)
	case 9:
		return "anyOf", m.schemas(depth)
	case 10:
		return "oneOf", m.schemas(depth)
	case 11:
		return pick(m, "anyOf", "oneOf"), "[" + m.tagged(depth) + "," + m.tagged(depth) + "," + m.tagged(depth) + "]"
	case 12:
		return "allOf", fmt.Sprintf(`[{"if":%s,"then":%s},{"if":%s,"then":%s,"else":%s}]`, m.tagged(depth), m.schema(depth), m.tagged(depth), m.schema(depth), m.schema(depth))
	case 13:
		return "not", m.schema(depth)
	case 14:
		return pick(m, "if", "then", "else"), m.schema(depth)
	case 15:
		return "dependentSchemas", m.properties(depth)
	case 16:
		return "dependentRequired", `{"a":["b","k"],"b":["a"]}`
	case 18, 19:
		return "unevaluatedProperties", pick(m, "false", m.schema(depth))
	case 20:
		return "unevaluatedItems", pick(m, "false", m.schema(depth))
	case 21: // where it has most to gather
		return "anyOf", "[" + m.tagged(depth) + `,{"properties":` + m.properties(depth) + `},{"unevaluatedProperties":` + m.schema(depth) + "}]"
	}
	name, value, _ = strings.Cut(m.leaf(), ":")
	return strings.Trim(name, `"`), value
}

// Schema returns a schema of draft 2020-12 with definitions that refer to each other.
func (m *Maker) Schema() string {
	m.defs = m.rng.IntN(4)
	var defs []string
	for i := range m.defs {
		// A definition reaches another one only through a value, so that no cycle stays in place.
		defs = append(defs, fmt.Sprintf(`"d%d":{%s,%q:%s}`, i, m.leaf(), pick(m, "items", "additionalProperties", "contains"), m.schema(2)))
	}
	root := m.schema(3)
	if m.defs > 0 {
		return fmt.Sprintf(`{"allOf":[%s],"$defs":{%s}}`, root, strings.Join(defs, ","))
	}
	return root
}
