package main

import "strings"

// rules are what can be knocked out, as gen/ir/knockout.go knows them: keywords, and after a slash forms of
// a keyword for which back ends have code of their own.
var rules = []string{
	"false",
	"type", "type/integer", "const", "const/literal", "const/string", "const/number", "const/composite", "enum", "enum/literal",
	"minimum", "minimum/wide", "maximum", "maximum/wide", "exclusiveMinimum", "exclusiveMinimum/wide",
	"exclusiveMaximum", "exclusiveMaximum/wide", "multipleOf", "multipleOf/wide",
	"minLength", "maxLength", "pattern", "format",
	"prefixItems", "items", "items/rest", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains",
	"properties", "properties/flat", "patternProperties", "additionalProperties", "additionalProperties/unmatched", "propertyNames",
	"required", "required/flat", "required/many", "minProperties", "maxProperties",
	"dependentRequired", "dependentRequired/many", "dependentSchemas",
	"$ref", "$ref/beside", "allOf", "anyOf", "anyOf/tried", "anyOf/dispatched", "anyOf/kinds", "oneOf", "oneOf/tried", "oneOf/dispatched", "oneOf/kinds",
	"not", "if", "if/judged", "if/decided", "then", "else",
	"unevaluatedItems", "unevaluatedItems/plain", "unevaluatedItems/asked",
	"unevaluatedProperties", "unevaluatedProperties/plain", "unevaluatedProperties/asked", "contains/evaluates",
}

// ci is what CI knocks out: each back end, and rules of different kinds.
var ci = []string{"live:uniqueItems", "explain:required", "go:minLength", "go:additionalProperties/unmatched", "go:if/decided"}

// backEnds are in the order of the table's columns.
var backEnds = []*backEnd{
	{
		name: "live", pkg: "gen/live",
		tests: []string{"TestKeywords|TestFormatAssertion|TestManyNames|TestTruthTables.*|TestOfficialSuite"},
		has:   func(string) bool { return true },
	},
	{
		// What gen/live lists when a document is invalid, while the verdict stays right.
		name: "explain", pkg: "gen/live",
		tests: []string{"TestKeywords|TestExplain|TestFormatAssertion|TestManyNames|TestTruthTables.*|TestOfficialSuite"},
		// A violation of then or else is listed by if; the schema false has no keyword.
		has: func(rule string) bool {
			return !strings.Contains(rule, "/") && rule != "false" && rule != "then" && rule != "else"
		},
	},
	{
		name: "go", pkg: "gen/emit/golang",
		// Each builds a program, so the next is only tried when the one before saw nothing.
		tests: []string{"TestKeywords", "TestOfficialSuite", "TestTruthTables|TestRandomAgreement"},
		has:   func(string) bool { return true },
		says:  []string{"live says", "the suite says", "is not among"},
	},
}

// backEnd is one column of the table.
type backEnd struct {
	name  string
	pkg   string
	tests []string               // patterns of the tests that should notice, the quickest first
	has   func(rule string) bool // whether the back end has code for the rule
	says  []string               // a test that notices says one of these; nil: it may say anything
	bin   string                 // the package's test program
}
