package live_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
)

var forms = []live.Form{live.Flag, live.Basic, live.Detailed}

// outputSchema describes the forms as 2020-12 core §12.3 and §12.4 do, stricter where our output is: it has no
// annotations, a valid unit has no errors, and what is not valid says why.
const outputSchema = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"$defs": {
		"flag": {"type": "object", "properties": {"valid": {"type": "boolean"}}, "required": ["valid"], "additionalProperties": false},
		"basic": {"$ref": "#/$defs/unit", "properties": {"errors": {"items": {"properties": {"errors": false}, "required": ["error"]}}}},
		"detailed": {"$ref": "#/$defs/unit"},
		"unit": {
			"type": "object",
			"properties": {
				"valid": {"type": "boolean"},
				"keywordLocation": {"type": "string", "format": "json-pointer"},
				"absoluteKeywordLocation": {"type": "string", "format": "uri", "pattern": "^[^#]+#(/.*)?$"},
				"instanceLocation": {"type": "string", "format": "json-pointer"},
				"error": {"type": "string", "minLength": 1},
				"errors": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/unit", "properties": {"valid": {"const": false}}}}
			},
			"required": ["valid", "keywordLocation", "absoluteKeywordLocation", "instanceLocation"],
			"additionalProperties": false,
			"if": {"properties": {"valid": {"const": true}}},
			"then": {"not": {"anyOf": [{"required": ["error"]}, {"required": ["errors"]}]}},
			"else": {"anyOf": [{"required": ["error"]}, {"required": ["errors"]}]}
		}
	}
}`

var outputValidators = map[live.Form]*live.Validator{}

func outputValidator(t testing.TB, form live.Form) *live.Validator {
	t.Helper()
	v := outputValidators[form]
	if v == nil {
		text := strings.Replace(outputSchema, `"$defs"`, `"$ref": "#/$defs/`+string(form)+`", "$defs"`, 1)
		v = live.Compile(program(t, text, ir.Options{FormatAssertion: true})).Root(0)
		outputValidators[form] = v
	}
	return v
}

// checkOutput holds every form against its schema, the verdict and the document.
func checkOutput(t testing.TB, v *live.Validator, doc string) (basic, detailed string) {
	t.Helper()
	tape := scan(t, doc)
	for _, form := range forms {
		u := v.Output(tape, form)
		text := string(u.AppendJSON(nil, form))
		if u.Valid != (v.Verdict(tape) == wire.Valid) {
			t.Errorf("%s: %s", doc, text)
		}
		if _, violations, err := outputValidator(t, form).Check([]byte(text), wire.Limits{}); len(violations) > 0 || err != nil {
			t.Errorf("%s: the form %s of %s: %+v, %v", doc, form, text, violations, err)
		}
		var visit func(u live.Unit, within string) int
		visit = func(u live.Unit, within string) int {
			if _, there := tape.Lookup(u.InstanceLocation); !there {
				t.Errorf("%s: the document has nothing at %q", doc, u.InstanceLocation)
			}
			if !strings.HasPrefix(u.KeywordLocation, within) {
				t.Errorf("%s: %s lies in %s: %s", doc, u.KeywordLocation, within, text)
			}
			errors := 0
			if u.Error != "" {
				errors++
			}
			if form == live.Detailed {
				within = u.KeywordLocation
			}
			for _, in := range u.Errors {
				errors += visit(in, within)
			}
			return errors
		}
		switch errors := visit(u, ""); form {
		case live.Basic:
			basic = text
			if errors != len(u.Errors) || errors < len(v.Violations(tape)) {
				t.Errorf("%s: %d errors, but %d violations", doc, errors, len(v.Violations(tape)))
			}
		case live.Detailed:
			detailed = text
			if want := len(v.Output(tape, live.Basic).Errors); errors != want {
				t.Errorf("%s: %d errors in the tree, %d in the list", doc, errors, want)
			}
		}
	}
	return basic, detailed
}

// The list ends at the limit, and nothing is listed that has no place.
func TestOutputIsLimited(t *testing.T) {
	v := live.CompileWith(program(t, `{"items": {"anyOf": [{"type": "null"}, {"type": "object"}, {"type": "array"}]}}`, ir.Options{}), live.Options{Violations: 10}).Root(0)
	basic, _ := checkOutput(t, v, "["+strings.Repeat("1,", 50)+"1]")
	if got := strings.Count(basic, `"error":`); got != 11 || !strings.Contains(basic, "there are more violations than the 10 listed") {
		t.Errorf("%d errors: %s", got, basic)
	}
	// What a limit left open is not valid, and the error names the limit's rule.
	v = live.CompileWith(program(t, `{"items": {"uniqueItems": true}}`, ir.Options{}), live.Options{Members: 2}).Root(0)
	if basic, _ := checkOutput(t, v, "[[1,2,3]]"); !strings.Contains(basic, `"keywordLocation":"/items/uniqueItems"`) || !strings.Contains(basic, "compares at most 2 elements") {
		t.Errorf("undecided: %s", basic)
	}
	v = live.CompileWith(program(t, `{"items": {"anyOf": [{"$ref": "#"}, {"$ref": "#", "minItems": 1}]}}`, ir.Options{}), live.Options{Steps: 3}).Root(0)
	if basic, _ := checkOutput(t, v, "[[[[[[[[]]]],[[[]]]]]]]"); !strings.Contains(basic, "takes more work than the limit allows") {
		t.Errorf("out of steps: %s", basic)
	}
	var empty wire.Tape
	for _, form := range forms {
		if u := v.Output(&empty, form); u.Valid || form != live.Flag && len(u.Errors) != 1 {
			t.Errorf("no document: %+v", u)
		}
	}
}

// A case file is like those of TestExplain; its last section is "-- output --": every document with its two forms.
func TestOutput(t *testing.T) {
	paths, err := filepath.Glob("testdata/output/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			head, want, ok := strings.Cut(string(src), "-- output --\n")
			_, rest, ok2 := strings.Cut(head, "-- schema.json --\n")
			schema, docs, ok3 := strings.Cut(rest, "-- documents --\n")
			if !ok || !ok2 || !ok3 {
				t.Fatal("the case lacks a section")
			}
			v := compile(t, schema)
			var out strings.Builder
			for doc := range strings.SplitSeq(strings.TrimSpace(docs), "\n") {
				out.WriteString(doc + "\n")
				basic, detailed := checkOutput(t, v, doc)
				for _, text := range []string{basic, detailed} {
					var spread bytes.Buffer
					if err := json.Indent(&spread, []byte(text), "", "  "); err != nil {
						t.Fatal(err)
					}
					out.WriteString(spread.String() + "\n")
				}
			}
			switch got := out.String(); {
			case got == want:
			case *update:
				if err := os.WriteFile(path, []byte(head+"-- output --\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// Names as long as a document may be do not multiply: not with the keywords that are looked at, nor with the depth.
func TestOutputOfLongNames(t *testing.T) {
	v := compile(t, `{"additionalProperties": {"$ref": "#"}, "maxProperties": 1, "minProperties": 0, "propertyNames": {"maxLength": 3000000},
		"type": ["object", "null"], "required": []}`)
	const depth = 200
	doc := `{"` + strings.Repeat("n", 1<<20) + `":` + strings.Repeat(`{"a":`, depth) + `"wrong"` + strings.Repeat("}", depth) + "}"
	tape := scan(t, doc)
	var u live.Unit
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	u = v.Output(tape, live.Detailed)
	runtime.ReadMemStats(&after)
	if len(u.Errors) != 1 || u.Valid {
		t.Errorf("%d errors", len(u.Errors))
	}
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 64 {
		t.Errorf("%d MiB for a name of one", used)
	}
}
