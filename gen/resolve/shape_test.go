package resolve_test

import (
	"strings"
	"testing"

	"vcp.core/contract/wire/ecma"
	"vcp.core/gen/diag"
	"vcp.core/gen/resolve"
)

const (
	in2020 = resolve.Draft2020
	in07   = resolve.Draft07
)

// Every shape that a keyword refuses, with the place that is blamed.
func TestRefusedValues(t *testing.T) {
	for _, c := range []struct {
		dialect resolve.Dialect
		schema  string
		pointer string
		message string // a part
		hint    string // a part; empty wants no hint
	}{
		{in2020, `{"type": 5}`, "/type", "type must be a type or a list of types, not the number 5", ""},
		{in2020, `{"type": []}`, "/type", "not an array", ""},
		{in2020, `{"type": "strin"}`, "/type", `the string "strin" is not a type`, `did you mean "string"?`},
		{in2020, `{"type": "int"}`, "/type", "is not a type", `write "integer"`},
		{in2020, `{"type": "any"}`, "/type", "is not a type", "leave type out"},
		{in2020, `{"type": "资源"}`, "/type", `the string "资源" is not a type`, "the types are"},
		{in2020, `{"type": ["string", "String"]}`, "/type/1", "is not a type", `did you mean "string"?`},
		{in2020, `{"type": ["string", null]}`, "/type/1", "null is not a type", "the types are"},
		{in2020, `{"type": ["null", "string", "null"]}`, "/type/2", `type lists "null" twice`, "remove one"},

		{in2020, `{"enum": "a"}`, "/enum", "enum must be an array", `write ["a"]`},
		{in2020, `{"enum": {"a": 1}}`, "/enum", "not an object", ""},
		{in2020, `{"examples": true}`, "/examples", "must be an array", ""},

		{in2020, `{"multipleOf": 0}`, "/multipleOf", "a number above zero", ""},
		{in2020, `{"multipleOf": -0.0e5}`, "/multipleOf", "a number above zero, not the number -0.0e5", ""},
		{in2020, `{"multipleOf": -1}`, "/multipleOf", "a number above zero", ""},
		{in2020, `{"multipleOf": "1"}`, "/multipleOf", "a number above zero", ""},
		{in2020, `{"maximum": "5"}`, "/maximum", `maximum must be a number, not the string "5"`, ""},
		{in2020, `{"minimum": null}`, "/minimum", "must be a number", ""},
		{in2020, `{"exclusiveMaximum": true}`, "/exclusiveMaximum", "must be a number", "since draft-06"},
		{in07, `{"exclusiveMinimum": false}`, "/exclusiveMinimum", "must be a number", "since draft-06"},

		{in2020, `{"maxLength": -1}`, "/maxLength", "maxLength must be an integer of zero or more, not the number -1", ""},
		{in2020, `{"minLength": 1.5}`, "/minLength", "integer of zero or more", ""},
		{in2020, `{"maxItems": 1e-1}`, "/maxItems", "integer of zero or more", ""},
		{in2020, `{"minItems": "2"}`, "/minItems", "integer of zero or more", ""},
		{in2020, `{"maxProperties": -1e99999999999}`, "/maxProperties", "integer of zero or more", ""},
		{in2020, `{"minProperties": true}`, "/minProperties", "integer of zero or more", ""},
		{in2020, `{"contains": {}, "minContains": -2.0}`, "/minContains", "integer of zero or more", ""},
		{in2020, `{"contains": {}, "maxContains": []}`, "/maxContains", "integer of zero or more", ""},
		{in2020, `{"uniqueItems": "true"}`, "/uniqueItems", "true or false", "remove the quotes"},
		{in2020, `{"uniqueItems": 1}`, "/uniqueItems", "true or false", ""},

		{in2020, `{"pattern": 1}`, "/pattern", "must be a regular expression", ""},
		{in2020, `{"pattern": "a("}`, "/pattern", `the pattern "a(" does not compile`, "ECMA-262"},
		{in2020, `{"patternProperties": {"^ok$": {}, "[z-a]": {}}}`, "/patternProperties/[z-a]", "does not compile", "ECMA-262"},
		{in2020, `{"patternProperties": {"a/b~": 1}}`, "/patternProperties/a~1b~0", "a schema is an object or a boolean, not the number 1", ""},
		{in2020, `{"patternProperties": []}`, "/patternProperties", "must be an object", ""},
		{in2020, `{"format": 1}`, "/format", "must be a string", ""},

		{in2020, `{"required": true}`, "/required", "must be an array of names, not true", "belongs to the object"},
		{in2020, `{"required": "a"}`, "/required", "must be an array of names", `write ["a"]`},
		{in2020, `{"required": ["a", 1]}`, "/required/1", "a name must be a string", ""},
		{in2020, `{"required": ["a", "b", "\u0061"]}`, "/required/2", `the name "a" is listed twice, first as element 0`, "remove one"},
		{in2020, `{"dependentRequired": ["a"]}`, "/dependentRequired", "must be an object", ""},
		{in2020, `{"dependentRequired": {"a": "b"}}`, "/dependentRequired/a", "an array of names is wanted", ""},
		{in2020, `{"dependentRequired": {"a": ["b", "b"]}}`, "/dependentRequired/a/1", "listed twice", "remove one"},
		{in07, `{"dependencies": {"a": ["b", "b"]}}`, "/dependencies/a/1", "listed twice", "remove one"},
		{in07, `{"dependencies": {"a": 5}}`, "/dependencies/a", "a schema is an object or a boolean", ""},
		{in07, `{"dependencies": true}`, "/dependencies", "must be an object", ""},

		{in2020, `{"properties": []}`, "/properties", "must be an object, not an array", ""},
		{in2020, `{"properties": {"a": "string"}}`, "/properties/a", "a schema is an object or a boolean", `write {"type": "string"}`},
		{in2020, `{"properties": {"a": null}}`, "/properties/a", "not null", ""},
		{in2020, `{"additionalProperties": "false"}`, "/additionalProperties", "a schema is an object or a boolean", ""},
		{in2020, `{"propertyNames": 1}`, "/propertyNames", "a schema is", ""},
		{in2020, `{"items": [{}]}`, "/items", "a schema is", "prefixItems"},
		{in2020, `{"prefixItems": {}}`, "/prefixItems", "an array of schemas", ""},
		{in2020, `{"prefixItems": []}`, "/prefixItems", "must not be empty", "leave the keyword out"},
		{in07, `{"items": []}`, "/items", "must not be empty", "leave the keyword out"},
		{in07, `{"items": [true, 1]}`, "/items/1", "a schema is", ""},
		{in07, `{"items": [true], "additionalItems": 0}`, "/additionalItems", "a schema is", ""},
		{in2020, `{"allOf": {}}`, "/allOf", "an array of schemas", "in an array"},
		{in2020, `{"anyOf": []}`, "/anyOf", "must not be empty", "leave"},
		{in2020, `{"oneOf": [true, []]}`, "/oneOf/1", "a schema is", ""},
		{in2020, `{"not": null}`, "/not", "a schema is", ""},
		{in2020, `{"if": 1, "then": {}}`, "/if", "a schema is", ""},
		{in2020, `{"dependentSchemas": {"a": ["b"]}}`, "/dependentSchemas/a", "a schema is", ""},
		{in2020, `{"$defs": {"a": 1}}`, "/$defs/a", "a schema is", ""},
		{in2020, `{"$defs": []}`, "/$defs", "must be an object", ""},
		{in2020, `{"definitions": {"a": 1}}`, "/definitions/a", "a schema is", ""},
		{in07, `{"definitions": {"a": 1}}`, "/definitions/a", "a schema is", ""},

		{in2020, `{"$ref": 5}`, "/$ref", "must be a string", ""},
		{in2020, `{"title": 5}`, "/title", "must be a string", ""},
		{in2020, `{"description": ["a"]}`, "/description", "must be a string", ""},
		{in2020, `{"$comment": {}}`, "/$comment", "must be a string", ""},
		{in2020, `{"deprecated": "yes"}`, "/deprecated", "true or false", ""},
		{in2020, `{"readOnly": 1}`, "/readOnly", "true or false", ""},
		{in2020, `{"writeOnly": "false"}`, "/writeOnly", "true or false", "remove the quotes"},
		{in2020, `{"contentEncoding": 64}`, "/contentEncoding", "must be a string", ""},
		{in2020, `{"contentMediaType": null}`, "/contentMediaType", "must be a string", ""},
		{in2020, `{"contentMediaType": "a/b", "contentSchema": "x"}`, "/contentSchema", "a schema is", ""},
		{in2020, `{"$vocabulary": []}`, "/$vocabulary", "must be an object", ""},
		{in2020, `{"$vocabulary": {"https://example.com/v": 1}}`, "/$vocabulary/https:~1~1example.com~1v", "required (true) or optional (false)", ""},
		{in2020, `{"unevaluatedItems": 5}`, "/unevaluatedItems", "a schema is", ""},
		{in2020, `{"$dynamicRef": 5}`, "/$dynamicRef", "must be a string", ""},
	} {
		root := parse(t, "s.json", []byte(c.schema))
		schema, list := resolve.Resolve(root, nil, resolve.Options{Dialect: c.dialect})
		if schema != nil || len(list) != 1 {
			t.Errorf("%s: schema %v, findings %v", c.schema, schema, list)
			continue
		}
		d := list[0]
		code := resolve.CodeValue
		if strings.Contains(d.Message, "does not compile") {
			code = resolve.CodePattern
		}
		if d.Code != code || d.Severity != diag.Error || d.Pointer != c.pointer || !strings.Contains(d.Message, c.message) {
			t.Errorf("%s: got %s (%s)", c.schema, d, d.Code)
		}
		if !strings.Contains(d.Hint, c.hint) || c.hint == "" && d.Hint != "" {
			t.Errorf("%s: hint %q", c.schema, d.Hint)
		}
		if at := root.At(c.pointer); at != nil && !strings.Contains(c.pointer, "patternProperties/[") && d.Offset != at.Start {
			t.Errorf("%s: blamed at %d, the value is at %d", c.schema, d.Offset, at.Start)
		}
	}
}

// What looks odd and is legal.
func TestAcceptedValues(t *testing.T) {
	for _, c := range []struct {
		dialect resolve.Dialect
		schema  string
	}{
		{in2020, `{}`},
		{in2020, `true`},
		{in2020, `{"type": ["integer", "number"]}`},
		{in2020, `{"enum": []}`},
		{in2020, `{"enum": [1, 1.0, 1]}`},
		{in2020, `{"maxLength": 0, "minLength": -0, "maxItems": 1.0e1, "minItems": 20e-1, "maxProperties": 1e999999999999999999999}`},
		{in2020, `{"multipleOf": 1e-400}`},
		{in2020, `{"required": [], "properties": {}, "patternProperties": {}, "dependentRequired": {}, "dependentSchemas": {}, "$defs": {}}`},
		{in2020, `{"required": ["", "a", "A"]}`},
		{in2020, `{"const": null, "default": {"type": 5}, "examples": []}`},
		{in2020, `{"properties": {"type": {"type": "string"}, "$ref": {"const": 1}, "properties": true}}`},
		{in2020, `{"pattern": "", "format": "no-such-format"}`},
		{in2020, `{"$vocabulary": {"https://example.com/v": true}, "$dynamicAnchor": "x", "$anchor": "x"}`},
		{in2020, `{"$recursiveAnchor": true}`},
		{in07, `{"deprecated": "soon", "$anchor": 5, "$defs": 5, "$vocabulary": 1, "contentSchema": 1}`},
		{in07, `{"required": []}`},
		{in07, `{"items": {}, "contains": false}`},
		{in07, `{"$ref": "#/definitions/a", "type": 5, "definitions": {"a": {}}}`},
	} {
		schema, list := resolve.Resolve(parse(t, "s.json", []byte(c.schema)), nil, resolve.Options{Dialect: c.dialect})
		if schema == nil || list.HasErrors() {
			t.Errorf("%s: %v", c.schema, list)
		}
	}
}

func TestCount(t *testing.T) {
	const maxInt = int(^uint(0) >> 1)
	for text, want := range map[string]int{
		"0": 0, "-0": 0, "-0.0": 0, "0e5": 0, "7": 7, "2.0": 2, "1e2": 100, "1.50e1": 15, "20e-1": 2, "9007199254740993": 9007199254740993,
		"1e400": maxInt, "99999999999999999999": maxInt, "-1": -1, "1.5": -1, "1e-1": -1, `"1"`: -1, "null": -1, "1e-99999999999999999999": -1,
	} {
		got, ok := resolve.Count(parse(t, "n.json", []byte(text)).Root)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%s: %d %v, want %d", text, got, ok, want)
		}
	}
}

// Patterns come compiled, in the order of their names.
func TestPatternsAreCompiled(t *testing.T) {
	root := parse(t, "s.json", []byte(`{"pattern": "^a+$", "patternProperties": {"^x": {}, "^a+$": true}}`))
	schema, list := resolve.Resolve(root, nil, resolve.Options{})
	if len(list) > 0 {
		t.Fatal(list)
	}
	sources := func(res []*ecma.Regexp) (out string) {
		for _, re := range res {
			out += re.Source() + " "
		}
		return out
	}
	if got := sources(schema.Find("pattern").Patterns); got != "^a+$ " {
		t.Error(got)
	}
	pairs := schema.Find("patternProperties")
	if got := sources(pairs.Patterns); got != "^x ^a+$ " || pairs.Names[0] != "^x" {
		t.Error(got)
	}
	if pairs.Patterns[1] != schema.Find("pattern").Patterns[0] {
		t.Error("the same pattern is compiled twice")
	}
	if schema.Find("minimum") != nil {
		t.Error("found a keyword that is not there")
	}
}
