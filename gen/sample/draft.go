package sample

import (
	"net/url"
	"slices"
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
)

// Every schema is copied into the form that draft 2020-12 would write it in, before anything else looks at it:
// a keyword that its draft does not know, or whose vocabulary its meta-schema leaves out, is not in the copy.
// So the rest of the package knows of one draft. What the copy cannot say stands in the resource: in which
// draft it was written.
//
//	items: [A], additionalItems: B (2019-09, draft-07)   prefixItems: [A], items: B
//	dependencies (draft-07)                              dependentSchemas, dependentRequired
//	$recursiveRef, $recursiveAnchor (2019-09)            $dynamicRef, and an anchor of no name
//	$ref and others beside it (draft-07)                 $ref

// Draft is a draft of JSON Schema.
type Draft string

// The drafts that are read. They are spelled as gen/resolve spells them.
const (
	Draft2020 Draft = "2020-12"
	Draft2019 Draft = "2019-09"
	Draft07   Draft = "draft-07"
)

// reading is how the schemas of a resource are read.
type reading struct {
	draft Draft
	off   vocabularies
}

// vocabularies is a set of those that can be left out.
type vocabularies uint8

const (
	applicators vocabularies = 1 << iota
	unevaluated
	validation
	formatting
)

// keywordOf tells what the keywords that say something belong to. Those of no vocabulary are always there.
var keywordOf = map[string]vocabularies{
	"$ref": 0, "$dynamicRef": 0, "$recursiveRef": 0, "$defs": 0, "definitions": 0,
	"allOf": applicators, "anyOf": applicators, "oneOf": applicators, "not": applicators, "if": applicators, "then": applicators, "else": applicators,
	"properties": applicators, "patternProperties": applicators, "additionalProperties": applicators, "propertyNames": applicators,
	"dependentSchemas": applicators, "dependencies": applicators,
	"items": applicators, "prefixItems": applicators, "additionalItems": applicators, "contains": applicators,
	"unevaluatedItems": unevaluated, "unevaluatedProperties": unevaluated,
	"type": validation, "enum": validation, "const": validation, "multipleOf": validation, "minimum": validation, "maximum": validation,
	"exclusiveMinimum": validation, "exclusiveMaximum": validation, "minLength": validation, "maxLength": validation, "pattern": validation,
	"minItems": validation, "maxItems": validation, "uniqueItems": validation, "minContains": validation, "maxContains": validation,
	"minProperties": validation, "maxProperties": validation, "required": validation, "dependentRequired": validation,
	"format": formatting,
}

// missing are the keywords that a draft does not have.
var missing = map[Draft][]string{
	Draft2020: {"$recursiveRef", "additionalItems", "dependencies"},
	Draft2019: {"$dynamicRef", "prefixItems", "dependencies"},
	Draft07: {"$dynamicRef", "$recursiveRef", "prefixItems", "minContains", "maxContains", "dependentRequired", "dependentSchemas",
		"unevaluatedItems", "unevaluatedProperties"},
}

// knows reports whether a keyword says something.
func (r reading) knows(keyword string) bool {
	v, known := keywordOf[keyword]
	return known && v&r.off == 0 && !slices.Contains(missing[r.draft], keyword)
}

// published are the vocabularies by the end of their names.
var published = map[string]vocabularies{
	"2020-12/vocab/applicator": applicators, "2020-12/vocab/unevaluated": unevaluated, "2020-12/vocab/validation": validation,
	"2020-12/vocab/format-annotation": formatting, "2020-12/vocab/format-assertion": formatting,
	"2019-09/vocab/applicator": applicators | unevaluated, "2019-09/vocab/validation": validation, "2019-09/vocab/format": formatting,
}

// readingOf follows `$schema`, over meta-schemas of the caller's own. Where it leads nowhere, otherwise counts.
func (d *documents) readingOf(n *load.Node, otherwise reading) reading {
	var chosen *load.Node
	for step := range 8 {
		name := text(n.Get("$schema"))
		for _, draft := range []Draft{Draft2020, Draft2019, Draft07} {
			if s := strings.TrimSuffix(name, "#"); strings.HasSuffix(s, "//json-schema.org/draft/"+string(draft)+"/schema") || strings.HasSuffix(s, "//json-schema.org/"+string(draft)+"/schema") {
				return reading{draft, left(chosen)}
			}
		}
		if n = d.originals[strings.TrimSuffix(name, "#")]; n == nil {
			break
		}
		if step == 0 {
			chosen = n.Get("$vocabulary")
		}
		if n.Get("$schema") == nil {
			return reading{Draft2020, left(chosen)}
		}
	}
	return otherwise
}

// left is what a list of vocabularies does not have.
func left(chosen *load.Node) vocabularies {
	if chosen == nil || chosen.Kind != wire.KindObject {
		return 0
	}
	out := applicators | unevaluated | validation | formatting
	for _, m := range chosen.Members {
		if _, end, ok := strings.Cut(m.Name, "//json-schema.org/draft/"); ok {
			out &^= published[end]
		}
	}
	return out
}

// document takes in a document.
func (d *documents) document(uri string, root *load.Node, draft Draft) {
	base, err := url.Parse(uri)
	if err != nil {
		base = &url.URL{}
	}
	res := &resource{original: root, base: base, reading: d.readingOf(root, reading{draft: draft})}
	d.byURI[uri] = res
	res.root = d.schema(root, res)
}

// schema copies a schema of a resource, and those in it. Wherever one may stand it looks for `$id` and anchors.
func (d *documents) schema(n *load.Node, res *resource) *load.Node {
	if done := d.copies[n]; done != nil {
		return done
	}
	out := &load.Node{Kind: n.Kind, Str: n.Str}
	d.copies[n] = out
	if n.Kind == wire.KindObject {
		res = d.identify(n, out, res)
		for _, m := range n.Members {
			d.keyword(n, m, out, res)
		}
	}
	d.in[out] = res
	return out
}

// keyword copies a keyword of n into out, in the form of 2020-12.
func (d *documents) keyword(n *load.Node, m load.Member, out *load.Node, res *resource) {
	alone := res.draft == Draft07 && n.Get("$ref") != nil
	if !res.knows(m.Name) || alone && !slices.Contains([]string{"$ref", "$defs", "definitions"}, m.Name) {
		return
	}
	name, v := m.Name, m.Value
	put := func(name string, v *load.Node) { out.Members = append(out.Members, load.Member{Name: name, Value: v}) }
	listed := n.Get("items") != nil && n.Get("items").Kind == wire.KindArray && res.draft != Draft2020
	switch name {
	case "$recursiveRef":
		put("$dynamicRef", v)
	case "items":
		if !listed {
			put(name, d.schema(v, res))
		} else if v.Elems != nil {
			put("prefixItems", d.schemas(v, res))
		}
	case "additionalItems":
		if listed {
			put("items", d.schema(v, res))
		}
	case "dependencies":
		schemas, names := object(), object()
		for _, m := range v.Members {
			if m.Value.Kind == wire.KindArray {
				names.Members = append(names.Members, m)
			} else {
				schemas.Members = append(schemas.Members, m)
			}
		}
		if names.Members != nil {
			put("dependentRequired", names)
		}
		if schemas.Members != nil {
			put("dependentSchemas", d.schemas(schemas, res))
		}
	case "not", "if", "then", "else", "contains", "additionalProperties", "propertyNames", "unevaluatedProperties", "unevaluatedItems":
		put(name, d.schema(v, res))
	case "allOf", "anyOf", "oneOf", "prefixItems", "properties", "patternProperties", "dependentSchemas", "$defs", "definitions":
		put(name, d.schemas(v, res))
	default:
		put(name, v)
	}
}

// schemas copies a list or a map of schemas.
func (d *documents) schemas(n *load.Node, res *resource) *load.Node {
	out := &load.Node{Kind: n.Kind}
	for _, m := range n.Members {
		out.Members = append(out.Members, load.Member{Name: m.Name, Value: d.schema(m.Value, res)})
	}
	for _, e := range n.Elems {
		out.Elems = append(out.Elems, d.schema(e, res))
	}
	return out
}

// identify applies what a schema says about its own address. n is as it was written, out its copy.
func (d *documents) identify(n, out *load.Node, res *resource) *resource {
	if res.draft == Draft07 && n.Get("$ref") != nil {
		return res // siblings of $ref say nothing there
	}
	address, fragment, _ := strings.Cut(text(n.Get("$id")), "#")
	if address != "" {
		if u, err := res.base.Parse(address); err == nil {
			if res.original != n {
				res = &resource{original: n, root: out, reading: d.readingOf(n, res.reading)}
			}
			res.base = u
			d.byURI[u.String()] = res
		}
	} else if fragment != "" && res.draft == Draft07 {
		res.name(fragment, out, false)
	}
	if res.draft == Draft07 {
		return res
	}
	if name := text(n.Get("$anchor")); name != "" {
		res.name(name, out, false)
	}
	if name := text(n.Get("$dynamicAnchor")); name != "" && res.draft == Draft2020 {
		res.name(name, out, true)
	}
	if a := n.Get("$recursiveAnchor"); a != nil && a.Kind == wire.KindTrue && res.draft == Draft2019 && res.original == n {
		res.name("", out, true)
	}
	return res
}

func (r *resource) name(anchor string, n *load.Node, dynamic bool) {
	if r.anchors == nil {
		r.anchors, r.dynamic = map[string]*load.Node{}, map[string]*load.Node{}
	}
	r.anchors[anchor] = n
	if dynamic {
		r.dynamic[anchor] = n
	}
}

// at returns the schema at a JSON Pointer of a resource. It may stand where no schema is expected.
func (d *documents) at(res *resource, pointer string) *load.Node {
	tokens, ok := load.SplitPointer(pointer)
	n := res.original
	for _, token := range tokens {
		if n = n.Step(token); n == nil {
			break
		}
		if c := d.copies[n]; c != nil {
			res = d.in[c]
		}
	}
	if !ok || n == nil {
		return nil
	}
	return d.schema(n, res)
}
