package schema_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vcp.core/contract/errcode"
	"vcp.core/contract/schema"
)

// node is a schema as a tree of plain JSON; numbers are not looked at here.
type node = map[string]any

func parse(t *testing.T, d schema.Document) node {
	t.Helper()
	var n node
	if err := json.Unmarshal(d.Source, &n); err != nil {
		t.Fatalf("%s: %v", d.Path, err)
	}
	return n
}

// subschemas are the keywords of draft 2020-12 whose values hold schemas, by the form of the value.
var subschemas = map[string]string{
	"items": "one", "contains": "one", "additionalProperties": "one", "propertyNames": "one", "not": "one",
	"if": "one", "then": "one", "else": "one",
	"allOf": "list", "anyOf": "list", "oneOf": "list", "prefixItems": "list",
	"properties": "map", "patternProperties": "map", "dependentSchemas": "map", "$defs": "map",
}

// otherKeywords are the rest of what the documents may use.
var otherKeywords = []string{
	"$schema", "$id", "$ref", "title", "description", "examples", "default",
	"type", "enum", "const", "required", "minProperties", "maxProperties", "dependentRequired",
	"minItems", "maxItems", "uniqueItems", "minContains", "maxContains",
	"minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
}

// visit calls f for every schema below s, s included, with its JSON Pointer.
func visit(s any, pointer string, f func(pointer string, s any)) {
	f(pointer, s)
	n, ok := s.(node)
	if !ok {
		return
	}
	keys := make([]string, 0, len(n))
	for k := range n {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		at := pointer + "/" + escape(k)
		switch subschemas[k] {
		case "one":
			visit(n[k], at, f)
		case "list":
			for i, e := range n[k].([]any) {
				visit(e, at+"/"+strconv.Itoa(i), f)
			}
		case "map":
			for name, e := range n[k].(node) {
				visit(e, at+"/"+escape(name), f)
			}
		}
	}
}

func escape(s string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(s) }

func lookup(root any, pointer string) (any, bool) {
	at := root
	for _, seg := range strings.Split(pointer, "/")[1:] {
		seg = strings.NewReplacer("~1", "/", "~0", "~").Replace(seg)
		switch v := at.(type) {
		case node:
			next, ok := v[seg]
			if !ok {
				return nil, false
			}
			at = next
		case []any:
			i, err := strconv.Atoi(seg)
			if err != nil || i >= len(v) {
				return nil, false
			}
			at = v[i]
		default:
			return nil, false
		}
	}
	return at, true
}

func TestNamesAndIDs(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "schema.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var constants []string
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && v.Names[0].IsExported() && v.Names[0].Name != "Version" && v.Names[0].Name != "Base" {
			s, _ := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			constants = append(constants, s)
		}
		return true
	})
	slices.Sort(constants)
	var names []string
	for _, d := range schema.All() {
		names = append(names, d.Name)
		root := parse(t, d)
		if want := "https://vcp.core/schema/v1/" + d.Name + ".schema.json"; root["$id"] != want || d.ID != want {
			t.Errorf("%s: $id %v, ID %s, want %s", d.Path, root["$id"], d.ID, want)
		}
		if root["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
			t.Errorf("%s: $schema %v", d.Path, root["$schema"])
		}
		byID, ok := schema.ByID(d.ID)
		if !ok || byID.Path != d.Path || !bytes.Equal(byID.Source, d.Source) {
			t.Errorf("ByID(%s) is another document", d.ID)
		}
		byName, ok := schema.Lookup(d.Name)
		if !ok || byName.ID != d.ID || byName.Version != "v1" || byName.Path != "v1/"+d.Name+".schema.json" {
			t.Errorf("Lookup(%s) = %+v", d.Name, byName)
		}
	}
	if !slices.Equal(names, constants) {
		t.Errorf("files and constants differ\nfiles     %v\nconstants %v", names, constants)
	}
	for _, id := range []string{"", "payload", schema.Base, schema.Base + "v1/nothing.schema.json", schema.Base + "v2/payload.schema.json",
		schema.Base + "v1/payload.schema.json#", schema.Base + "../schema.go", "http://vcp.core/schema/v1/payload.schema.json"} {
		if d, ok := schema.ByID(id); ok {
			t.Errorf("ByID(%q) = %s", id, d.Path)
		}
	}
	for _, name := range []string{"", "nothing", "../schema", "v1/payload", "payload.schema.json"} {
		if d, ok := schema.Lookup(name); ok {
			t.Errorf("Lookup(%q) = %s", name, d.Path)
		}
	}
}

func TestSourceIsACopy(t *testing.T) {
	a, _ := schema.Lookup(schema.Payload)
	a.Source[0] = 'x'
	if b, _ := schema.Lookup(schema.Payload); b.Source[0] != '{' {
		t.Fatal("a caller changed the embedded document")
	}
}

// TestEveryPartIsDescribed demands a description that ends with its section from every document,
// definition, property and element schema; bare combinators and conditions need none.
func TestEveryPartIsDescribed(t *testing.T) {
	section := regexp.MustCompile(`[^.] \((DESIGN )?§[0-9]+(\.[0-9]+)?\)\.$`)
	named := regexp.MustCompile(`/(properties|patternProperties|\$defs)/[^/]+$|/(items|propertyNames)$`)
	condition := regexp.MustCompile(`/if(/|$)`)
	seen := 0
	for _, d := range schema.All() {
		visit(parse(t, d), "", func(pointer string, s any) {
			if pointer != "" && (!named.MatchString(pointer) || condition.MatchString(pointer)) {
				return
			}
			seen++
			n, _ := s.(node)
			text, _ := n["description"].(string)
			if !section.MatchString(text) {
				t.Errorf("%s#%s: description must end with its section, like `(§5.4).`: %q", d.Path, pointer, text)
			}
		})
	}
	if seen < 300 {
		t.Errorf("only %d parts were looked at", seen)
	}
}

func TestKeywordsAndReferences(t *testing.T) {
	roots := map[string]node{}
	for _, d := range schema.All() {
		roots[d.Name] = parse(t, d)
	}
	refs := 0
	for _, d := range schema.All() {
		visit(roots[d.Name], "", func(pointer string, s any) {
			n, _ := s.(node)
			for k := range n {
				if subschemas[k] == "" && !slices.Contains(otherKeywords, k) {
					t.Errorf("%s#%s: keyword %q is not one that the documents may use", d.Path, pointer, k)
				}
			}
			if p, ok := n["pattern"].(string); ok {
				// the documents are read by engines of many languages: stay in what all of them share
				if _, err := regexp.Compile(p); err != nil {
					t.Errorf("%s#%s: pattern is outside RE2: %v", d.Path, pointer, err)
				}
			}
			ref, ok := n["$ref"].(string)
			if !ok {
				return
			}
			refs++
			file, fragment, _ := strings.Cut(ref, "#")
			target := d.Name
			if file != "" {
				target = strings.TrimSuffix(file, ".schema.json")
			}
			root, ok := roots[target]
			if !ok {
				t.Errorf("%s#%s: $ref %q names no document of the folder", d.Path, pointer, ref)
				return
			}
			if _, ok := lookup(root, fragment); fragment != "" && !ok {
				t.Errorf("%s#%s: $ref %q leads nowhere", d.Path, pointer, ref)
			}
		})
	}
	if refs < 100 {
		t.Errorf("only %d references were looked at", refs)
	}
}

func TestEveryDefinitionIsUsed(t *testing.T) {
	used := map[string]bool{}
	for _, d := range schema.All() {
		visit(parse(t, d), "", func(_ string, s any) {
			n, _ := s.(node)
			if ref, ok := n["$ref"].(string); ok {
				file, fragment, _ := strings.Cut(ref, "#")
				name := d.Name
				if file != "" {
					name = strings.TrimSuffix(file, ".schema.json")
				}
				used[name+"#"+fragment] = true
			}
		})
	}
	for _, d := range schema.All() {
		defs, _ := parse(t, d)["$defs"].(node)
		for name := range defs {
			if !used[d.Name+"#/$defs/"+name] {
				t.Errorf("%s: definition %s is used nowhere", d.Path, name)
			}
		}
	}
}

// TestVocabularyEqualsTheTable ties the enums of the documents to package errcode, order included.
func TestVocabularyEqualsTheTable(t *testing.T) {
	d, _ := schema.Lookup(schema.Vocabulary)
	root := parse(t, d)
	var codes, categories, reasons, warnings []any
	for _, e := range errcode.Entries() {
		codes = append(codes, string(e.Code))
	}
	for _, e := range errcode.Categories() {
		categories = append(categories, string(e.Category))
	}
	for _, e := range errcode.Reasons() {
		reasons = append(reasons, string(e.Reason))
	}
	for _, e := range errcode.Warnings() {
		warnings = append(warnings, string(e.Warning))
	}
	for pointer, want := range map[string][]any{
		"/$defs/code/anyOf/0/enum":        codes,
		"/$defs/category/enum":            categories,
		"/$defs/reason/enum":              reasons,
		"/$defs/warningCode/anyOf/0/enum": warnings,
	} {
		got, _ := lookup(root, pointer)
		if list, _ := got.([]any); !slices.Equal(list, want) {
			t.Errorf("%s: schema and table differ\nschema %v\ntable  %v", pointer, got, want)
		}
	}
	if got, _ := lookup(root, "/$defs/namespacedCode/pattern"); got != errcode.NamespacedPattern {
		t.Errorf("grammar of namespaced codes: schema %v, table %s", got, errcode.NamespacedPattern)
	}
	if got, _ := lookup(root, "/$defs/namespacedCode/maxLength"); got != float64(errcode.MaxCode) {
		t.Errorf("length of namespaced codes: schema %v, table %d", got, errcode.MaxCode)
	}
}
