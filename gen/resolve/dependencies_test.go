package resolve_test

import (
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// dependencies in the drafts that have it no more: the shape is checked as their meta-schemas do, and the option makes
// it two keywords of today.
func TestDependenciesOfLaterDrafts(t *testing.T) {
	const schema = `{"dependencies": {"a": ["b"], "c": {"$id": "x", "type": "object"}}, "$ref": "x"}`
	for _, c := range []struct {
		name, src    string
		on           bool
		keywords     string // of the root
		warning, bad bool
	}{
		{name: "an annotation", src: schema, keywords: "$ref", warning: true},
		{name: "the option", src: schema, on: true, keywords: "dependentRequired dependentSchemas $ref"},
		{name: "not an object", src: `{"dependencies": []}`, bad: true},
		{name: "not a schema", src: `{"dependencies": {"a": 1}}`, bad: true},
		{name: "a bad schema inside", src: `{"dependencies": {"a": {"type": "x"}}}`, bad: true, warning: true},
		{
			name: "vocabularies without it", on: true, warning: true,
			src: `{"$schema": "urn:meta", "dependencies": {"a": ["b"]}, "minimum": 1}`, keywords: "minimum",
		},
	} {
		for _, d := range []resolve.Dialect{resolve.Draft2020, resolve.Draft2019} {
			meta := `{"$schema": "https://json-schema.org/draft/` + string(d) + `/schema", "$vocabulary": {"https://json-schema.org/draft/` + string(d) + `/vocab/validation": true}}`
			file, list := load.Parse("meta.json", []byte(meta), wire.Limits{})
			if len(list) > 0 {
				t.Fatal(list)
			}
			registry, list := resolve.NewRegistry(resolve.Document{URI: "urn:meta", File: file})
			if len(list) > 0 {
				t.Fatal(list)
			}
			file, list = load.Parse("schema.json", []byte(c.src), wire.Limits{})
			if len(list) > 0 {
				t.Fatal(list)
			}
			root, list := resolve.Resolve(file, nil, resolve.Options{Dialect: d, Registry: registry, Dependencies: c.on})
			warned := false
			for _, f := range list {
				warned = warned || f.Code == resolve.CodeIgnored && f.Pointer == "/dependencies" && strings.Contains(f.Hint, "dependentRequired")
			}
			if list.HasErrors() != c.bad || warned != c.warning {
				t.Errorf("%s in %s: %v", c.name, d, list)
			}
			if root == nil {
				continue
			}
			var names []string
			for _, k := range root.Keywords {
				names = append(names, k.Name)
			}
			if got := strings.Join(names, " "); got != c.keywords {
				t.Errorf("%s in %s: keywords %q, want %q", c.name, d, got, c.keywords)
			}
		}
	}
}
