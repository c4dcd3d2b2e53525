// Package keyword is a table of small cases for every keyword that the compiler implements: what it
// accepts, what it refuses, and what it leaves alone. Each back end is held against it.
//
// Data flow: table -> tests of gen/live and gen/emit/golang. The package judges nothing itself.
package keyword

import (
	"fmt"
	"strings"
)

// Case is a schema with documents whose verdicts are known, separated by bars.
type Case struct{ Schema, Accepts, Refuses string }

// Valid returns the documents that are valid.
func (c Case) Valid() []string { return split(c.Accepts) }

// Invalid returns the documents that are not.
func (c Case) Invalid() []string { return split(c.Refuses) }

func split(docs string) []string {
	if docs == "" {
		return nil
	}
	return strings.Split(docs, "|")
}

// list is what format makes of the numbers from first to the one before end.
func list(first, end int, format string) string {
	var parts []string
	for i := first; i < end; i++ {
		parts = append(parts, fmt.Sprintf(format, i))
	}
	return strings.Join(parts, ",")
}

// Formats are cases for an asserted format.
var Formats = []Case{
	{`{"format": "date"}`, `"2026-02-28"|"\u0032026-02-28"|` + noStrings, `"2026-02-30"|"\u00326-02-28"|""`},
	{`{"format": "ipv4", "minLength": 9}`, `"127.0.0.1"|1`, `"127.0.0"|"127.0.0.256"|"1.1.1.1"`},
	{`{"items": {"format": "uuid"}}`, `[]|["2eb8aa08-aa98-11ea-b4aa-73b441d16380"]|[1]`, `["2eb8aa08"]`},
}

// Unevaluated are cases for the rules about what nothing else has evaluated.
var Unevaluated = []Case{
	{`{"unevaluatedProperties": false}`, noObjects + `|{}`, `{"a":1}`},
	{`{"properties": {"a": true}, "unevaluatedProperties": {"type": "string"}}`, `{}|{"a":1}|{"a":1,"b":"x"}`, `{"b":1}|{"a":"x","b":null}`},
	{`{"allOf": [{"properties": {"a": true}}], "patternProperties": {"^p": true}, "unevaluatedProperties": false}`, `{"a":1,"p1":2}`, `{"a":1,"b":2}`},
	{`{"anyOf": [{"properties": {"a": {"const": 1}}}, {"properties": {"b": true}}], "unevaluatedProperties": false}`, `{"a":1,"b":2}|{"b":1}`, `{"a":2}|{"c":1}`},
	{`{"unevaluatedItems": false}`, noArrays + `|[]`, `[1]`},
	{`{"prefixItems": [{"const": 1}], "unevaluatedItems": {"type": "string"}}`, `[]|[1]|[1,"x"]`, `[1,2]|[1,"x",null]`},
	{`{"contains": {"type": "string"}, "unevaluatedItems": false}`, `["x"]|["x","y"]`, `["x",1]`},
	{`{"if": {"prefixItems": [{"const": 1}]}, "unevaluatedItems": false}`, `[]|[1]`, `[2]|[1,2]`},

	// what evaluates, and what does not
	{`{"$ref": "#/$defs/a", "unevaluatedProperties": false, "$defs": {"a": {"properties": {"a": true}}}}`, `{"a":1}|{}`, `{"b":1}`},
	{`{"allOf": [{"additionalProperties": {"type": "null"}}], "unevaluatedProperties": false}`, `{"a":null}`, `{"a":1}`},
	{`{"allOf": [{"unevaluatedProperties": true}], "unevaluatedProperties": false}`, `{"a":1}`, ``},
	{`{"allOf": [{"properties": {"a": true}, "unevaluatedProperties": {"type": "null"}}], "unevaluatedProperties": false}`, `{"a":1,"b":null}`, `{"b":1}`},
	{`{"allOf": [{"properties": {"a": true}}, {"properties": {"b": true}, "unevaluatedProperties": false}]}`, `{"b":1}|{}`, `{"a":1}|{"a":1,"b":1}`},
	{`{"not": {"not": {"properties": {"a": true}}}, "unevaluatedProperties": false}`, `{}`, `{"a":1}`},
	{`{"required": ["a"], "dependentRequired": {"a": ["b"]}, "propertyNames": {"maxLength": 1}, "unevaluatedProperties": {"const": 1}}`, `{"a":1,"b":1}`, `{"a":1,"b":2}|{"a":2,"b":1}|{"a":1}`},
	{`{"dependentSchemas": {"a": {"properties": {"b": true}}}, "properties": {"a": true}, "unevaluatedProperties": false}`, `{"a":1,"b":1}|{"a":1}`, `{"b":1}|{"a":1,"c":1}`},
	{`{"if": {"properties": {"a": {"const": 1}}, "required": ["a"]}, "then": {"properties": {"b": true}}, "else": {"properties": {"c": true}}, "unevaluatedProperties": false}`,
		`{"a":1,"b":1}|{"c":1}|{}`, `{"a":1,"c":1}|{"b":1}|{"a":2}|{"a":2,"c":1}`},
	{`{"if": {"minProperties": 2}, "then": {"properties": {"a": true}}, "else": {"patternProperties": {"^b": true}}, "unevaluatedProperties": {"type": "null"}}`,
		`{"b1":1}|{"a":1,"b":null}|{}`, `{"a":1}|{"a":1,"b":1}`},
	{`{"else": {"properties": {"a": true}}, "if": false, "unevaluatedProperties": false}`, `{"a":1}`, `{"b":1}`},
	{`{"oneOf": [{"properties": {"k": {"const": "a"}, "x": true}, "required": ["k"]}, {"properties": {"k": {"const": "b"}, "y": true}, "required": ["k"]}, {"properties": {"z": true}, "maxProperties": 1}], "unevaluatedProperties": false}`,
		`{"k":"a","x":1}|{"k":"b","y":1}|{"z":1}|{}`, `{"k":"a","y":1}|{"k":"b","x":1}|{"k":"c"}|{"k":"a","z":1}|{"x":1}`},
	{`{"anyOf": [{"properties": {` + list(0, 20, `"n%d": true`) + `}, "required": ["n0"]}, {"additionalProperties": true, "required": ["all"]}, true], "unevaluatedProperties": false}`,
		`{"n0":1,"n19":1,"\u006e7":2}|{"all":1,"x":2}|{}`, `{"n1":1}|{"n0":1,"n20":1}|{"x":1}`},
	{`{"properties": {` + list(0, 12, `"n%d": {"type": "null"}`) + `}, "anyOf": [{"$ref": "#/$defs/d"}, {"$ref": "#/$defs/e"}], "unevaluatedProperties": false, "$defs": {
		"d": {"properties": {"a": true}, "required": ["a"], "anyOf": [{"$ref": "#/$defs/f"}, true]}, "e": {"properties": {"b": true}, "required": ["b"], "anyOf": [{"$ref": "#/$defs/f"}, true]},
		"f": {"properties": {"c": {"const": 1}}, "required": ["c"]}}}`, `{"a":1,"n3":null}|{"a":1,"b":2,"c":1}|{"b":1,"c":1}`, `{"n3":null}|{"a":1,"n3":1}|{"a":1,"c":2}|{"a":1,"d":1}`},
	{`{"allOf": [{"prefixItems": [true, true]}, {"prefixItems": [true]}], "unevaluatedItems": {"const": 1}}`, `[0,0,1]|[0]|[]`, `[0,0,2]`},
	{`{"allOf": [{"items": {"type": "integer"}}], "unevaluatedItems": false}`, `[1,2]`, `["x"]`},
	{`{"anyOf": [{"prefixItems": [{"const": 1}], "minItems": 1}, {"contains": {"const": 2}}], "unevaluatedItems": {"type": "string"}}`, `[1,"x"]|[2,"x",2]|[1,2]`, `[1,3]|[3,2]|["x"]|[]`},
	{`{"allOf": [{"unevaluatedItems": {"type": "integer"}}], "unevaluatedItems": false}`, `[1]`, `["x"]`},
	{`{"$schema": "https://json-schema.org/draft/2019-09/schema", "items": [true], "contains": {"const": 1}, "unevaluatedItems": {"type": "string"}}`, `[1,"x"]`, `["x",1]|[1,2]`},
	{`{"type": ["object", "array"], "properties": {"a": true}, "prefixItems": [true], "unevaluatedProperties": false, "unevaluatedItems": false}`, `{"a":1}|[1]|{}`, `{"b":1}|[1,2]|1`},
	{`{"patternProperties": {"^a": {"type": "null"}}, "unevaluatedProperties": {"patternProperties": {"^b": true}, "unevaluatedProperties": false}}`,
		`{"a":null,"x":{"b":1}}`, `{"a":1}|{"x":{"c":1}}`},
	{`{"properties": {"a": {"$ref": "#"}}, "anyOf": [{"required": ["b"], "properties": {"b": {"$ref": "#"}}}, {"type": "number"}, {"maxProperties": 1}], "unevaluatedProperties": false}`,
		`{"a":{"a":1}}|{"a":{},"b":{"b":{"a":2},"a":3}}`, `{"c":1}|{"a":{"c":1}}|{"b":1,"a":{"a":1,"c":1}}`},
}

// Values of every type, for rules that must not touch other types.
const (
	noNumbers = `null|true|false|"x"|[]|[1]|{}|{"a":1}`
	noStrings = `null|true|false|0|1.5|[]|["x"]|{}|{"a":"x"}`
	noArrays  = `null|true|false|0|1.5|""|"x"|{}|{"0":1}`
	noObjects = `null|true|false|0|1.5|""|"x"|[]|[{}]`
)

// Cases are in the order of the specification.
var Cases = []Case{
	// boolean schemas, no rules
	{`true`, `null|true|0|""|[]|{}`, ``},
	{`{}`, `null|true|0|""|[]|{}`, ``},
	{`false`, ``, `null|true|0|""|[]|{}`},
	{`{"title": "t", "unknown": 1, "contentEncoding": "base64"}`, `null|"?"|{}`, ``},

	// type
	{`{"type": "null"}`, `null`, `false|0|""|[]|{}`},
	{`{"type": "boolean"}`, `true|false`, `null|0|1|"true"|[]|{}`},
	{`{"type": "integer"}`, `0|-1|1.0|-0.0|1e3|1.5e1|10e-1|9007199254740993|123456789012345678901234567890|1e400`, `1.5|1e-1|1.00000000000000000000000001|"1"|null|[1]|1e-400`},
	{`{"type": "number"}`, `0|1.5|-1e400|1e-400`, `"0"|null|true|[]|{}`},
	{`{"type": "string"}`, `""|"\u0000"|"资"`, `null|0|[]|{}`},
	{`{"type": "array"}`, `[]|[[]]`, `{}|null|""`},
	{`{"type": "object"}`, `{}|{"":{}}`, `[]|null|""`},
	{`{"type": ["integer", "null"]}`, `1|1.0|null`, `1.5|""|true`},
	{`{"type": ["integer", "number"]}`, `1|1.5`, `"1"`},
	{`{"type": ["array", "object", "string"]}`, `[]|{}|""`, `1|null|true`},

	// const, enum
	{`{"const": null}`, `null`, `false|0|""|[]|{}`},
	{`{"const": false}`, `false`, `true|null|0|[false]`},
	{`{"const": true}`, `true`, `false|1|"true"`},
	{`{"const": 1}`, `1|1.0|1e0|10e-1|0.1e1`, `true|"1"|[1]|1.0000000000000000001|-1`},
	{`{"const": 0}`, `0|-0|0.0|0e10|-0.0e-5`, `false|null|""|1e-400`},
	{`{"const": 9007199254740993}`, `9007199254740993|9007199254740993.0|9.007199254740993e15`, `9007199254740992|9007199254740994`},
	{`{"const": 1e400}`, `1e400|10e399|0.1e401`, `1e401|1e399|1`},
	{`{"const": "a\u0000b"}`, `"a\u0000b"|"\u0061\u0000b"`, `"a"|"ab"|"a\u0000"|"a\u0000bb"`},
	{`{"const": ""}`, `""`, `" "|null`},
	{`{"const": "\ud83d\ude00"}`, `"😀"|"\ud83d\ude00"`, `"😁"`},
	{`{"const": [1, {"a": 2}]}`, `[1,{"a":2}]|[1.0,{"\u0061":2e0}]`, `[1]|[1,{"a":3}]|[{"a":2},1]|[1,{"a":2},null]|[1,{"b":2}]|{"0":1}`},
	{`{"const": {"a": 1, "b": [true]}}`, `{"b":[true],"a":1}|{"a":1.0,"b":[true]}`, `{"a":1}|{"a":1,"b":[false]}|{"a":1,"b":[true],"c":0}|{"a":1,"b":true}|{}`},
	{`{"const": []}`, `[]`, `[null]|{}|""`},
	{`{"const": {}}`, `{}`, `{"a":1}|[]`},
	{`{"enum": []}`, ``, `null|0|""|[]|{}`},
	{`{"enum": ["a", 1, null, true, [1], {"x": 1}]}`, `"a"|1|1.0|null|true|[1]|[1.0]|{"x":1}`, `"b"|2|false|[]|[2]|{"x":2}|{}|""`},
	{`{"enum": [1, 1.0, "1"]}`, `1|"1"|1e0`, `true|"1.0"`},
	{`{"enum": ["a","b","c","d","e","f","g","h","i","j","k"]}`, `"a"|"k"|"\u0061"`, `"l"|"aa"|""|1`},
	{`{"enum": [0.5, 1.5, 1e30]}`, `0.5|5e-1|1.50|1000000000000000000000000000000`, `0|1|2|0.50000000000000000001`},
	{`{"enum": ["a"], "type": "integer"}`, ``, `"a"|1`},
	{`{"const": 1, "enum": [1, 2]}`, `1`, `2`},

	// numbers
	{`{"minimum": 1}`, `1|1.0|2|1e400|1.0000000000000000000001|` + noNumbers, `0|0.9999999999999999999999|-1e400|-1`},
	{`{"maximum": 1.5}`, `1.5|1|1.50|-1e400|` + noNumbers, `1.6|2|1.50000000000000000001|1e400`},
	{`{"exclusiveMinimum": 0}`, `1e-400|1|` + noNumbers, `0|-0|-0.0|0e9|-1`},
	{`{"exclusiveMaximum": 3.0}`, `2.9999999999999999999|2|-9|` + noNumbers, `3|3.0|30e-1|4`},
	{`{"minimum": 9007199254740993}`, `9007199254740993|9007199254740994`, `9007199254740992|9007199254740992.9`},
	{`{"exclusiveMinimum": 9223372036854775807}`, `9223372036854775808|1e400`, `9223372036854775807|9223372036854775806|0`},
	{`{"exclusiveMinimum": 0.5}`, `0.50000000000000000001|1|1e400`, `0.5|5e-1|0.49|0|-1e400`},
	{`{"exclusiveMaximum": 1e400}`, `9.9e399|0|-1e401`, `1e400|10e399|1e401`},
	{`{"maximum": -9223372036854775808}`, `-9223372036854775808|-9223372036854775809`, `-9223372036854775807|0`},
	{`{"minimum": 1e400}`, `1e400|1e401`, `1e399|0`},
	{`{"minimum": 0, "maximum": 0}`, `0|-0|0.0`, `1|-1|1e-9`},
	{`{"multipleOf": 2}`, `0|2|-4|4.0|1e1|1e400|-0.0|` + noNumbers, `1|3|2.5|-1|5e-1`},
	{`{"multipleOf": 0.01}`, `0.01|1|1.1|4.35|0.07|19.99|1e400|1e-2|` + noNumbers, `0.001|0.015|1e-3|1e-400`},
	{`{"multipleOf": 1e-8}`, `12391239123|1e-8|0.00000001`, `1e-9|0.000000015`},
	{`{"multipleOf": 0.5}`, `0|0.5|1|1.5|100`, `0.25|0.3|1.75`},
	{`{"multipleOf": 3}`, `9007199254740993|999999999999999999999`, `9007199254740992|1e400`},
	{`{"type": "integer", "multipleOf": 0.123456789}`, `0`, `1e308|1`},

	// strings
	{`{"minLength": 2}`, `"ab"|"abc"|"😀😀"|"\ud83d\ude00\u0000"|` + noStrings, `""|"a"|"😀"|"\ud83d\ude00"`},
	{`{"maxLength": 2}`, `""|"a"|"😀😀"|"\ud83d\ude00\ud83d\ude00"|"资源"|` + noStrings, `"abc"|"😀😀😀"|"\u0000\u0000\u0000"`},
	{`{"maxLength": 0}`, `""|` + noStrings, `"a"|" "|"\u0000"`},
	{`{"minLength": 2.0, "maxLength": 2e0}`, `"ab"`, `"a"|"abc"`},
	{`{"minLength": 1e400}`, `1`, `""|"abc"`},
	{`{"pattern": "^a+$"}`, `"a"|"\u0061a"|` + noStrings, `""|"ab"|"ba"|"A"`},
	{`{"pattern": "b"}`, `"abc"|"b"`, `""|"ac"`},
	{`{"pattern": "^.$"}`, `"😀"|"资"`, `""|"ab"|"\n"`},
	{`{"pattern": "^\\u0000$"}`, `"\u0000"`, `""|"0"`},
	{`{"pattern": "^(?!foo)"}`, `"bar"|""|"fo"`, `"foo"|"foobar"`},
	{`{"format": "date-time"}`, `"never"|1`, ``},

	// arrays
	{`{"minItems": 1}`, `[1]|[[],[]]|` + noArrays, `[]`},
	{`{"maxItems": 1}`, `[]|[1]|` + noArrays, `[1,2]|[[],[]]`},
	{`{"maxItems": 0}`, `[]|{}`, `[null]`},
	{`{"items": {"type": "integer"}}`, `[]|[1,2,1.0]|` + noArrays, `[1,"2"]|[null]|[[1]]`},
	{`{"items": false}`, `[]|{}`, `[null]`},
	{`{"items": true}`, `[]|[null]`, ``},
	{`{"prefixItems": [{"type": "string"}, {"type": "null"}]}`, `[]|["a"]|["a",null]|["a",null,3]|` + noArrays, `[1]|["a",1]`},
	{`{"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}`, `[]|["a"]|["a",1,2]`, `["a","b"]|["a",1,null]|[1]`},
	{`{"prefixItems": [true], "items": false}`, `[]|[null]|{}`, `[1,2]`},
	{`{"contains": {"const": 1}}`, `[1]|[2,1.0]|` + noArrays, `[]|[2]|["1"]|[[1]]`},
	{`{"contains": {"const": 1}, "minContains": 2}`, `[1,1]|[1,2,1,1]`, `[]|[1]|[1,2]`},
	{`{"contains": {"const": 1}, "maxContains": 1}`, `[1]|[1,2]`, `[]|[1,1]|[2]`},
	{`{"contains": {"const": 1}, "minContains": 0}`, `[]|[2]|[1]`, ``},
	{`{"contains": {"const": 1}, "minContains": 0, "maxContains": 1}`, `[]|[2]|[1]|[1,2]`, `[1,1]`},
	{`{"contains": {"const": 1}, "minContains": 2, "maxContains": 1}`, `{}`, `[]|[1]|[1,1]|[1,1,1]`},
	{`{"minContains": 2, "maxContains": 0}`, `[]|[1]|[1,1]`, ``},
	{`{"contains": true}`, `[1]`, `[]`},
	{`{"contains": false}`, `{}`, `[]|[1]`},
	{`{"uniqueItems": true}`, `[]|[1]|[1,2]|[1,"1",true,null,[1],{"a":1}]|[0,false,"",null,[],{}]|[[1,2],[2,1]]|[{"a":1},{"a":2},{"b":1}]|[1,1.0000000000000000001]|` + noArrays,
		`[1,1]|[1,1.0]|[100,1e2]|["a","\u0061"]|[null,1,null]|[{"a":1,"b":2},{"b":2.0,"a":1}]|[[1,[2]],[1,[2.0]]]|[0,-0.0]|[true,true]|[{},{}]|[[],[]]`},
	{`{"uniqueItems": false}`, `[1,1]`, ``},
	{`{"uniqueItems": true, "prefixItems": [true], "items": {"type": "integer"}}`, `["a",1]`, `[1,1]|["a","b"]`},

	// objects
	{`{"properties": {"a": {"type": "integer"}, "b": false}}`, `{}|{"a":1}|{"c":null}|{"\u0061":1}|` + noObjects, `{"a":"1"}|{"\u0061":"1"}|{"b":1}|{"a":1,"b":null}`},
	{`{"properties": {"": {"type": "null"}}}`, `{"":null}|{}`, `{"":1}`},
	{`{"properties": {"a\u0000": {"type": "null"}, "a": {"type": "integer"}}}`, `{"a\u0000":null,"a":1}`, `{"a\u0000":1}|{"a":null}`},
	{`{"properties": {"资源": {"type": "null"}}}`, `{"资源":null}|{"\u8d44\u6e90":null}`, `{"资源":1}|{"\u8d44\u6e90":1}`},
	{`{"properties": {"a/b~c": {"type": "null"}}}`, `{"a/b~c":null}`, `{"a/b~c":1}`},
	{`{"properties": {"__proto__": {"type": "integer"}, "toString": {"type": "integer"}}}`, `{}|{"__proto__":1}`, `{"toString":"x"}`},
	{`{"patternProperties": {"^x": {"type": "integer"}, "y$": {"minimum": 5}}}`, `{}|{"x":1}|{"xy":5}|{"y":"s"}|{"z":null}|` + noObjects, `{"x":null}|{"xy":4}|{"y":4}|{"\u0078":null}`},
	{`{"additionalProperties": false}`, `{}|` + noObjects, `{"a":1}`},
	{`{"additionalProperties": {"type": "integer"}}`, `{}|{"a":1}`, `{"a":"1"}`},
	{`{"properties": {"a": true}, "additionalProperties": false}`, `{}|{"a":1}|{"\u0061":1}`, `{"b":1}|{"a":1,"b":1}|{"A":1}`},
	{`{"properties": {"a": {}}, "patternProperties": {"^b": {"type": "integer"}}, "additionalProperties": {"type": "null"}}`, `{"a":"x","b1":1,"c":null}`, `{"b1":null}|{"c":1}`},
	{`{"required": ["a"], "additionalProperties": false}`, `[]`, `{}|{"a":1}`},
	{`{"propertyNames": {"maxLength": 2}}`, `{}|{"ab":1}|{"😀😀":1}|` + noObjects, `{"abc":1}|{"a":1,"xyz":2}`},
	{`{"propertyNames": {"const": "a"}}`, `{}|{"a":1}|{"\u0061":1}`, `{"b":1}|{"a":1,"b":1}`},
	{`{"propertyNames": {"type": "integer"}}`, `{}`, `{"1":1}`},
	{`{"propertyNames": false}`, `{}|[]`, `{"a":1}`},
	{`{"propertyNames": {"enum": ["a", "b"]}, "properties": {"a": {"type": "null"}}}`, `{"a":null,"b":1}`, `{"a":1}|{"c":1}`},
	{`{"required": ["a", "b"]}`, `{"a":null,"b":null}|{"b":1,"c":2,"a":3}|{"\u0061":1,"\u0062":1}|` + noObjects, `{}|{"a":1}|{"b":1}`},
	{`{"required": []}`, `{}`, ``},
	{`{"required": ["a\u0000"]}`, `{"a\u0000":1}`, `{"a":1}`},
	{`{"required": [` + list(0, 70, `"n%d"`) + `]}`, `{` + list(0, 70, `"n%d":1`) + `}|[]`,
		`{}|{` + list(0, 69, `"n%d":1`) + `}|{` + list(1, 70, `"n%d":1`) + `}`},
	{`{"minProperties": 1}`, `{"a":1}|` + noObjects, `{}`},
	{`{"maxProperties": 1}`, `{}|{"a":1}|` + noObjects, `{"a":1,"b":2}`},
	{`{"maxProperties": 0}`, `{}`, `{"a":1}`},
	{`{"dependentRequired": {"a": ["b", "c"], "x": []}}`, `{}|{"b":1}|{"a":1,"b":1,"c":1}|{"x":1}|` + noObjects, `{"a":1}|{"a":1,"b":1}|{"\u0061":1,"c":1}`},
	{`{"dependentRequired": {"x": [` + list(0, 70, `"n%d"`) + `], "n69": ["n0", "y"]}}`, `{}|{"n0":1}|{"x":1,"y":1,` + list(0, 70, `"n%d":1`) + `}`,
		`{"x":1}|{"x":1,` + list(0, 69, `"n%d":1`) + `}|{"x":1,"y":1,` + list(1, 70, `"n%d":1`) + `}|{"n69":1,"n0":1}`},
	{`{"dependentSchemas": {"a": {"required": ["b"]}, "x": false, "y": true}}`, `{}|{"b":1}|{"a":1,"b":1}|{"y":1}|` + noObjects, `{"a":1}|{"x":1}`},

	// logic
	{`{"allOf": [{"minimum": 1}, {"maximum": 2}]}`, `1|2|"x"`, `0|3`},
	{`{"allOf": [true, false]}`, ``, `1`},
	{`{"anyOf": [{"type": "string"}, {"minimum": 1}]}`, `"x"|1|null`, `0`},
	{`{"anyOf": [false, false]}`, ``, `1|null`},
	{`{"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]}`, `2|3|4|9`, `0|6|12|1|5|"x"`},
	{`{"oneOf": [{"type": "string", "minLength": 2}, {"type": ["integer", "null"], "minimum": 1}]}`, `"ab"|1|1.0|null`, `"a"|0|1.5|true|[]|{}`},
	{`{"oneOf": [true]}`, `1`, ``},
	{`{"oneOf": [true, true]}`, ``, `1`},
	{`{"oneOf": [false, true, false]}`, `1`, ``},
	{`{"not": {"type": "integer"}}`, `"x"|1.5`, `1|1.0`},
	{`{"not": true}`, ``, `1`},
	{`{"not": false}`, `1`, ``},
	{`{"not": {"not": {"type": "null"}}}`, `null`, `1`},
	{`{"if": {"minimum": 0}, "then": {"multipleOf": 2}, "else": {"multipleOf": 3}}`, `2|-3|"x"`, `1|-2`},
	{`{"if": {"minimum": 0}, "then": {"multipleOf": 2}}`, `2|-1`, `1`},
	{`{"if": {"minimum": 0}, "else": {"multipleOf": 2}}`, `1|-2`, `-1`},
	{`{"if": false, "then": false}`, `1`, ``},
	{`{"then": false, "else": false}`, `1`, ``},

	// conditions and unions on constants
	{`{"if": {"properties": {"k": {"const": "a"}}, "required": ["k"]}, "then": {"required": ["x"]}, "else": {"required": ["y"]}}`,
		`{"k":"a","x":1}|{"k":"b","y":1}|{"y":1}|1|"s"`, `{"k":"a","y":1}|{"k":"b","x":1}|{}|{"k":["a"],"x":1}`},
	{`{"if": {"properties": {"k": {"enum": [1, null, true]}}}, "then": {"required": ["x"]}}`,
		`{"k":2}|{"k":1.0,"x":1}|{"k":null,"x":0}|{"x":1}|{"k":false}`, `{"k":1.0}|{"k":null}|{"k":true}|{}`},
	{`{"if": {"type": "object", "properties": {"k": {"const": "a"}}, "required": ["k"]}, "else": false}`, `{"k":"a"}|{"\u006b":"\u0061"}`, `{}|{"k":"b"}|1|null`},
	{`{"oneOf": [{"type": "object", "properties": {"k": {"const": "a"}, "v": {"type": "integer"}}, "required": ["k"]}, {"type": "object", "properties": {"k": {"const": "b"}, "v": {"type": "string"}}, "required": ["k"]}]}`,
		`{"k":"a","v":1}|{"k":"b","v":"x"}|{"v":1,"k":"a"}|{"k":"a"}`, `{"k":"a","v":"x"}|{"k":"c"}|{}|{"v":1}|1|null|{"k":null}`},
	{`{"oneOf": [{"properties": {"k": {"const": "a"}}}, {"properties": {"k": {"const": "b"}}}]}`, `{"k":"a"}|{"k":"b"}`, `{}|1|{"k":"c"}`},
	{`{"anyOf": [{"properties": {"k": {"enum": ["a", "b"]}}, "required": ["k", "x"]}, {"properties": {"k": {"enum": ["b", "c"]}}, "required": ["k"]}, {"type": "array"}]}`,
		`{"k":"b"}|{"k":"c"}|{"k":"a","x":1}|[]|1`, `{"k":"a"}|{"k":"d"}|{}`},

	// references and recursion
	{`{"$ref": "#/$defs/a", "maximum": 5, "$defs": {"a": {"minimum": 1}}}`, `1|5`, `0|6`},
	{`{"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": false}`, `{}|{"next":{"next":{}}}`, `{"next":1}|{"next":{"x":1}}`},
	{`{"$defs": {"tree": {"type": ["integer", "array"], "items": {"$ref": "#/$defs/tree"}}}, "$ref": "#/$defs/tree"}`, `1|[1,[2,[]]]`, `"x"|[1,[null]]`},
	{`{"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}], "additionalItems": false, "dependencies": {"a": ["b"], "c": {"required": ["d"]}}}`,
		`["x"]|[]|{"a":1,"b":1}|{"c":1,"d":1}`, `[1]|["x",1]|{"a":1}|{"c":1}`},
	{`{"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/a", "maximum": 1, "definitions": {"a": {"minimum": 1}}}`, `1|7`, `0`},
}
