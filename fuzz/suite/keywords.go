package suite

import (
	"encoding/json"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// The keywords that excuse a miss: the compiler refuses them with a diagnostic until its next stage.
// "$vocabulary" stands for a schema whose `$schema` names a meta-schema with a vocabulary of its own.
var excusing = []string{}

const vocabulary = "$vocabulary"

// The published meta-schemas. That of 2020-12 and its parts refer to each other by `$dynamicRef`, so a
// reference to one of them reaches that keyword; draft-07 knows none of the excusing keywords.
const (
	meta2020 = "https://json-schema.org/draft/2020-12/"
	meta07   = "http://json-schema.org/draft-07/schema"
)

// Keywords returns which of the excusing keywords a schema reaches, sorted: those in schema positions
// of the document and of every `$ref` target, transitively. It reads raw JSON with a walk of its own,
// so that a fault of the compiler cannot excuse itself. A reference that leads nowhere reaches nothing.
//
// A keyword counts only where the document uses it as one. The same word as the name of a property, in
// an enum, below an unknown keyword that nothing refers to, or in a draft-07 schema does not count.
func Keywords(d Dialect, schema []byte, remotes Remotes) []string {
	w := walk{resources: map[string]place{}, anchors: map[string]place{}, seen: map[string]bool{}, found: map[string]bool{}}
	for uri, raw := range remotes {
		if p, ok := newPlace(raw, uri, Draft2020); ok {
			w.index(p)
		}
	}
	root, ok := newPlace(schema, "urn:suite:group", d)
	if !ok {
		return nil
	}
	w.index(root)
	w.visit(root)
	var out []string
	for k := range w.found {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// place is a schema with the URI it is addressed from and the dialect it is read in.
type place struct {
	node    any
	base    *url.URL
	dialect Dialect
}

func newPlace(raw []byte, uri string, d Dialect) (place, bool) {
	var p place
	base, err := url.Parse(uri)
	if err != nil || json.Unmarshal(raw, &p.node) != nil {
		return p, false
	}
	p.base, p.dialect = base, d
	return p, true
}

// enter applies `$schema` and `$id` of the node itself. In draft-07 nothing beside a `$ref` counts.
func (p place) enter() place {
	node, ok := p.node.(map[string]any)
	if !ok {
		return p
	}
	if s, ok := node["$schema"].(string); ok {
		switch strings.TrimSuffix(s, "#") {
		case meta07:
			p.dialect = Draft07
		default:
			p.dialect = Draft2020
		}
	}
	if _, ref := node["$ref"]; ref && p.dialect == Draft07 {
		return p
	}
	if id, ok := node["$id"].(string); ok {
		if u, err := url.Parse(id); err == nil && (u.Path != "" || u.Host != "" || u.Opaque != "") { // no mere anchor
			p.base = p.base.ResolveReference(u)
			p.base.Fragment = ""
		}
	}
	return p
}

// shape says where a keyword keeps its subschemas.
type shape int

const (
	one  shape = 1 << iota // the value is a schema
	list                   // the value is an array of schemas
	dict                   // the value is an object of schemas
)

// applicators are the keywords with subschemas, by dialect. `dependencies` may hold arrays of names
// instead: those are no objects and are passed over.
var applicators = map[Dialect]map[string]shape{
	Draft2020: {
		"$defs": dict, "allOf": list, "anyOf": list, "oneOf": list, "not": one, "if": one, "then": one, "else": one,
		"dependentSchemas": dict, "prefixItems": list, "items": one, "contains": one, "properties": dict,
		"patternProperties": dict, "additionalProperties": one, "propertyNames": one, "unevaluatedItems": one,
		"unevaluatedProperties": one, "contentSchema": one,
	},
	Draft07: {
		"definitions": dict, "allOf": list, "anyOf": list, "oneOf": list, "not": one, "if": one, "then": one, "else": one,
		"dependencies": dict, "items": one | list, "additionalItems": one, "contains": one, "properties": dict,
		"patternProperties": dict, "additionalProperties": one, "propertyNames": one,
	},
}

// parts calls f for every direct subschema of a place that was entered.
func (p place) parts(f func(place)) {
	node, ok := p.node.(map[string]any)
	if !ok {
		return
	}
	if _, ref := node["$ref"]; ref && p.dialect == Draft07 {
		return
	}
	for keyword, sh := range applicators[p.dialect] {
		v, ok := node[keyword]
		if !ok {
			continue
		}
		switch v := v.(type) {
		case []any:
			if sh&list != 0 {
				for _, e := range v {
					f(place{e, p.base, p.dialect})
				}
			}
		case map[string]any:
			if sh&one != 0 {
				f(place{v, p.base, p.dialect})
			}
			if sh&dict != 0 {
				for _, e := range v {
					f(place{e, p.base, p.dialect})
				}
			}
		}
	}
}

// walk holds the index of everything addressable and what was found.
type walk struct {
	resources map[string]place // by absolute URI without fragment
	anchors   map[string]place // by absolute URI with fragment
	seen      map[string]bool  // references already followed
	found     map[string]bool
}

func (w *walk) index(p place) {
	w.resources[p.base.String()] = p
	w.indexParts(p)
}

func (w *walk) indexParts(p place) {
	node, ok := p.node.(map[string]any)
	if !ok {
		return
	}
	q := p.enter()
	if q.base != p.base {
		w.resources[q.base.String()] = p
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if name, ok := node[keyword].(string); ok {
			w.anchors[q.base.String()+"#"+name] = p
		}
	}
	if id, ok := node["$id"].(string); ok {
		if _, fragment, ok := strings.Cut(id, "#"); ok && fragment != "" { // draft-07's anchor
			w.anchors[q.base.String()+"#"+fragment] = p
		}
	}
	q.parts(w.indexParts)
}

func (w *walk) visit(p place) {
	node, ok := p.node.(map[string]any)
	if !ok {
		return
	}
	if s, ok := node["$schema"].(string); ok {
		if meta, ok := w.resources[strings.TrimSuffix(s, "#")]; ok {
			if doc, ok := meta.node.(map[string]any); ok && doc[vocabulary] != nil {
			}
		}
	}
	p = p.enter()
	if p.dialect != Draft07 {
		for k := range node {
			if k != vocabulary && slices.Contains(excusing, k) {
				w.found[k] = true
			}
		}
	}
	if ref, ok := node["$ref"].(string); ok {
		w.follow(p.base, ref)
	}
	p.parts(w.visit)
}

// follow visits the target of a reference, once.
func (w *walk) follow(base *url.URL, ref string) {
	u, err := url.Parse(ref)
	if err != nil {
		return
	}
	u = base.ResolveReference(u)
	if w.seen[u.String()] {
		return
	}
	w.seen[u.String()] = true
	fragment := u.Fragment
	u.Fragment, u.RawFragment = "", ""
	uri := u.String()
	if strings.HasPrefix(uri, meta2020) {
		return
	}
	target, ok := w.resources[uri]
	if ok && fragment != "" && !strings.HasPrefix(fragment, "/") {
		target, ok = w.anchors[uri+"#"+fragment]
	} else if ok {
		target, ok = target.at(fragment)
	}
	if ok {
		w.visit(target)
	}
}

// at follows a JSON Pointer through the raw document, keyword or not, with the `$id`s on its way.
func (p place) at(pointer string) (place, bool) {
	if pointer == "" {
		return p, true
	}
	for _, token := range strings.Split(pointer, "/")[1:] {
		p = p.enter()
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch node := p.node.(type) {
		case map[string]any:
			v, ok := node[token]
			if !ok {
				return p, false
			}
			p.node = v
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(node) {
				return p, false
			}
			p.node = node[i]
		default:
			return p, false
		}
	}
	return p, true
}
