package random

import (
	"fmt"
	"strings"
)

// BlowUp is a schema under which engines without a memo take exponential time, with documents of growing
// depth.
type BlowUp struct {
	Name, Schema string
	Arms         int // how many schemas may apply to one value
	Document     func(depth int) string
	Valid        bool // the verdict on every document deeper than 1
}

// BlowUps are such schemas, one for each way to multiply.
var BlowUps = []BlowUp{
	{
		"anyOf, overlapping arms, valid late", `{"anyOf": [{"items": {"$ref": "#"}, "minItems": 9}, {"items": {"$ref": "#"}, "maxItems": 9}]}`, 3,
		func(n int) string { return nest("[", "]", "1", n) }, true,
	},
	{
		"anyOf, overlapping arms, invalid at the bottom", `{"anyOf": [{"type": "array", "items": {"$ref": "#"}}, {"type": "array", "items": {"$ref": "#"}}, {"const": 2}]}`, 4,
		func(n int) string { return nest("[", "]", "1", n) }, false,
	},
	{
		"oneOf, overlapping arms", `{"oneOf": [{"items": {"$ref": "#"}, "type": "array"}, {"items": {"$ref": "#"}, "type": ["array", "number"]}]}`, 3,
		func(n int) string { return nest("[", "]", "1", n) }, false,
	},
	{
		"allOf of the same tree", `{"allOf": [{"additionalProperties": {"$ref": "#"}}, {"additionalProperties": {"$ref": "#"}}, {"properties": {"a": {"$ref": "#"}}}, {"type": "object"}]}`, 5,
		func(n int) string { return nest(`{"a":`, "}", "{}", n) }, true,
	},
	{
		"not of not", `{"not": {"not": {"properties": {"not": {"$ref": "#"}}}}, "properties": {"not": {"$ref": "#"}}, "type": "object"}`, 4,
		func(n int) string { return nest(`{"not":`, "}", "{}", n) }, true,
	},
	{
		"if and else", `{"if": {"items": {"$ref": "#"}, "minItems": 2}, "then": false, "else": {"items": {"$ref": "#"}}}`, 4,
		func(n int) string { return nest("[", "]", "", n) }, true,
	},
	{
		"items and contains", `{"items": {"$ref": "#"}, "contains": {"$ref": "#"}, "minContains": 0}`, 2,
		func(n int) string { return nest("[", "]", "1", n) }, true,
	},
	{
		"patterns that overlap", `{"patternProperties": {"^a": {"$ref": "#"}, "a$": {"$ref": "#"}, "": {"$ref": "#"}}, "properties": {"a": {"$ref": "#"}}}`, 5,
		func(n int) string { return nest(`{"a":`, "}", "1", n) }, true,
	},
	{
		"dependentSchemas", `{"dependentSchemas": {"a": {"properties": {"a": {"$ref": "#"}}}, "b": {"properties": {"a": {"$ref": "#"}}}}, "properties": {"a": {"$ref": "#"}}}`, 3,
		func(n int) string { return nest(`{"b":0,"a":`, "}", "1", n) }, true,
	},
	{
		"decision rules", `{"allOf": [
			{"if": {"properties": {"k": {"const": 1}}}, "then": {"properties": {"a": {"$ref": "#"}}}},
			{"if": {"properties": {"k": {"const": 2}}, "required": ["k"], "type": "object"}, "then": false, "else": {"properties": {"a": {"$ref": "#"}}}}]}`, 4,
		func(n int) string { return nest(`{"k":1,"a":`, "}", "1", n) }, true,
	},
	{
		"arms that are asked what they evaluate", `{"anyOf": [{"properties": {"a": {"$ref": "#"}}}, {"properties": {"a": {"$ref": "#"}, "b": true}}], "unevaluatedProperties": false}`, 5,
		func(n int) string { return nest(`{"b":0,"a":`, "}", "1", n) }, true,
	},
	{
		"one arm asked under a rule with parts", `{"anyOf": [{"properties": {"a": {"$ref": "#"}}}], "unevaluatedProperties": {"items": {"maxLength": 1}}}`, 4,
		func(n int) string { return nest(`{"b":0,"a":`, "}", "1", n) }, true,
	},
	{
		"what is left, after arms that do not hold", `{"anyOf": [{"prefixItems": [{"$ref": "#"}], "minItems": 9}, {"items": {"$ref": "#"}, "minItems": 8}, true], "unevaluatedItems": {"$ref": "#"}}`, 5,
		func(n int) string { return nest("[", "]", "1", n) }, true,
	},
	{
		"what contains does not match", `{"contains": {"contains": {"$ref": "#"}, "maxContains": 0}, "minContains": 0, "unevaluatedItems": {"$ref": "#"}}`, 5,
		func(n int) string { return nest("[", "]", "1", n) }, true,
	},
	{
		"an arm that a member selects", `{"oneOf": [
			{"type": "object", "properties": {"k": {"const": 1}, "a": {"$ref": "#"}}, "required": ["k"]},
			{"type": "object", "properties": {"k": {"const": 2}, "a": {"$ref": "#"}, "b": {"$ref": "#"}}, "required": ["k"]},
			{"type": "number"}], "unevaluatedProperties": false}`, 6,
		func(n int) string { return nest(`{"k":2,"a":`, "}", "1", n) }, true,
	},
	{
		"a lattice of arms", latticeOfArms(12), 60,
		func(n int) string { return nest(`{"a":`, "}", "1", n) }, true,
	},
	{
		"a lattice of references", lattice(12), 40,
		func(n int) string { return nest("[", "]", "1", n) }, true,
	},
}

// LateUnion is a union whose discriminator is the last member of every object, behind a long text. Its documents
// have 20 KB a level.
var LateUnion = BlowUp{
	"union, discriminator last", `{"oneOf": [
		{"properties": {"kind": {"const": "a"}, "child": {"$ref": "#"}, "text": {"type": "string"}}, "required": ["kind"], "type": "object"},
		{"properties": {"kind": {"const": "b"}, "child": {"$ref": "#"}, "text": {"maxLength": 100000}}, "required": ["kind"], "type": "object"},
		{"type": "null"}]}`, 1,
	func(n int) string {
		text := strings.Repeat("long text ", 2000)
		return nest(`{"child":`, `,"text":"`+text+`","kind":"a"}`, "null", n)
	}, true,
}

func nest(open, end, core string, depth int) string {
	return strings.Repeat(open, depth) + core + strings.Repeat(end, depth)
}

// lattice has n steps, each of which applies the next one twice, and the last starts over one level
// deeper.
func lattice(n int) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"d%d": {"allOf": [{"$ref": "#/$defs/d%d"}, {"$ref": "#/$defs/d%d"}]}`, i, i+1, i+1))
	}
	defs = append(defs, fmt.Sprintf(`"d%d": {"items": {"$ref": "#/$defs/d0"}}`, n))
	return `{"$ref": "#/$defs/d0", "$defs": {` + strings.Join(defs, ",") + `}}`
}

// latticeOfArms has n steps, each of which has the next one for both of its arms, and what the last evaluates is asked
// for at the top, one level deeper again.
func latticeOfArms(n int) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"d%d": {"anyOf": [{"$ref": "#/$defs/d%d"}, {"$ref": "#/$defs/d%d", "maxProperties": 9}]}`, i, i+1, i+1))
	}
	defs = append(defs, fmt.Sprintf(`"d%d": {"if": {"type": "object"}, "then": {"properties": {"a": {"$ref": "#"}}}}`, n))
	return `{"$ref": "#/$defs/d0", "unevaluatedProperties": false, "$defs": {` + strings.Join(defs, ",") + `}}`
}
