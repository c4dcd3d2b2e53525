package random

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Draft is a dialect of JSON Schema, named as the folders of the official suite are.
type Draft string

// The drafts.
const (
	Draft2020 Draft = "draft2020-12"
	Draft2019 Draft = "draft2019-09"
	Draft07   Draft = "draft7"
)

var schemaURI = map[Draft]string{
	Draft2020: "https://json-schema.org/draft/2020-12/schema",
	Draft2019: "https://json-schema.org/draft/2019-09/schema",
	Draft07:   "http://json-schema.org/draft-07/schema#",
}

// Case is a schema with all documents that it reaches.
type Case struct {
	Draft     Draft
	URI       string            // of the document whose root is the schema
	Documents map[string]string // by absolute URI
}

// String lists the documents, the schema first.
func (c Case) String() string {
	var b strings.Builder
	b.WriteString(string(c.Draft) + ": " + c.Documents[c.URI])
	for _, uri := range c.uris()[1:] {
		fmt.Fprintf(&b, "\n\t%s: %s", uri, c.Documents[uri])
	}
	return b.String()
}

func (c Case) uris() []string {
	out := []string{c.URI}
	for uri := range c.Documents {
		if uri != c.URI {
			out = append(out, uri)
		}
	}
	slices.Sort(out[1:])
	return out
}

// Wide makes schemas of every keyword of the three drafts, over the vocabulary of [Maker]: embedded resources,
// anchors, dynamic and recursive references, meta-schemas with vocabularies, other documents in other drafts,
// annotations, numbers of any size.
//
// No schema reaches itself without a step into the value. Patterns mean the same in ECMA-262 and RE2, which
// differ over the dot and white space.
type Wide struct {
	docs *Maker
	rng  *rand.Rand

	draft Draft
	defs  []def
	// Of the schema that is being written:
	resource int  // the definition in whose resource it stands, -1 for the root's
	inside   bool // of some definition
	below    bool // a step into the value has been made
}

// def is what references need to know of a definition.
type def struct {
	own    bool // it has an $id: a resource of its own
	anchor bool // it has a plain anchor
	node   bool // it has the dynamic anchor, or in 2019-09 the recursive one
}

// NewWide returns a maker. Equal seeds give equal streams.
func NewWide(seed uint64) *Wide {
	return &Wide{docs: New(seed), rng: rand.New(rand.NewPCG(seed, 11))}
}

const (
	base  = "https://random.test/"
	root  = base + "root.json"
	other = base + "other.json"

	// Meta is the document with the meta-schema, where a case has one of its own.
	Meta = base + "meta.json"
)

func (w *Wide) one(n int) bool { return w.rng.IntN(n) == 0 }

func (w *Wide) pick(list ...string) string { return list[w.rng.IntN(len(list))] }

// Schema returns the next schema.
func (w *Wide) Schema() Case {
	w.draft = []Draft{Draft2020, Draft2020, Draft2019, Draft07}[w.rng.IntN(4)]
	c := Case{Draft: w.draft, URI: root, Documents: map[string]string{}}
	w.defs = make([]def, w.rng.IntN(4))
	rootNode := w.draft != Draft07 && w.one(2)
	plainNode := false // a definition in the root's resource has the dynamic anchor
	for i := range w.defs {
		d := def{own: w.one(3), anchor: w.one(3)}
		if d.own {
			d.node = w.draft != Draft07 && w.one(2)
		} else if w.draft == Draft2020 && !rootNode && !plainNode && w.one(3) {
			d.node, plainNode = true, true
		}
		// Before 2019-09 the anchor is written into $id, which can say one thing only.
		d.anchor = d.anchor && !(w.draft == Draft07 && d.own)
		w.defs[i] = d
	}
	var parts []string
	switch {
	case w.draft != Draft07 && w.one(8):
		parts = append(parts, fmt.Sprintf(`"$schema":%q`, Meta))
		c.Documents[Meta] = w.metaSchema()
	case w.one(2):
		parts = append(parts, fmt.Sprintf(`"$schema":%q`, schemaURI[w.draft]))
	}
	if w.one(3) {
		parts = append(parts, fmt.Sprintf(`"$id":%q`, w.pick(root, "root.json")))
	}
	if rootNode {
		parts = append(parts, w.nodeAnchor())
	}
	w.resource, w.inside, w.below = -1, false, false
	body := w.keywords(3, rootNode || plainNode)
	if w.draft == Draft07 && len(w.defs) > 0 {
		body = fmt.Sprintf(`"allOf":[{%s}]`, body) // a reference would take the definitions along
	}
	parts = append(parts, body)
	if len(w.defs) > 0 {
		var defs []string
		for i, d := range w.defs {
			defs = append(defs, fmt.Sprintf(`"d%d":%s`, i, w.definition(i, d, rootNode || plainNode)))
		}
		parts = append(parts, fmt.Sprintf(`%q:{%s}`, w.defsKeyword(), strings.Join(defs, ",")))
	}
	c.Documents[root] = "{" + strings.Join(parts, ",") + "}"
	if strings.Contains(c.Documents[root], other) {
		c.Documents[other] = w.otherDocument()
	}
	return c
}

func (w *Wide) defsKeyword() string {
	if w.draft == Draft07 {
		return "definitions"
	}
	return "$defs"
}

// nodeAnchor is the anchor that references find by the way they came.
func (w *Wide) nodeAnchor() string {
	if w.draft == Draft2019 {
		return `"$recursiveAnchor":true`
	}
	return `"$dynamicAnchor":"node"`
}

func (w *Wide) definition(i int, d def, rootNode bool) string {
	var parts []string
	if d.own {
		parts = append(parts, fmt.Sprintf(`"$id":%q`, w.pick(fmt.Sprintf("r%d", i), fmt.Sprintf("%sr%d", base, i))))
	}
	if d.anchor && w.draft == Draft07 {
		parts = append(parts, fmt.Sprintf(`"$id":"#a%d"`, i))
	} else if d.anchor {
		parts = append(parts, fmt.Sprintf(`"$anchor":"a%d"`, i))
	}
	if d.node {
		parts = append(parts, w.nodeAnchor())
	}
	w.resource, w.inside, w.below = -1, true, false
	node := rootNode
	if d.own {
		w.resource, node = i, d.node
	}
	// A definition reaches others through a value only, so that no cycle stays in place.
	parts = append(parts, w.keywords(2, node))
	if w.one(2) {
		return "{" + strings.Join(parts, ",") + "}"
	}
	w.below = true
	value := w.schema(1, node)
	w.below = false
	into := w.pick("items", "additionalProperties", "contains", "propertyNames")
	if strings.Contains(parts[len(parts)-1], `"$ref"`) && w.draft == Draft07 || strings.Contains(parts[len(parts)-1], fmt.Sprintf("%q:", into)) {
		return "{" + strings.Join(parts, ",") + "}"
	}
	return "{" + strings.Join(parts, ",") + fmt.Sprintf(",%q:%s}", into, value)
}

// otherDocument is a schema that refers to nothing.
func (w *Wide) otherDocument() string {
	kept := *w
	w.defs, w.resource, w.inside, w.below = nil, -1, true, false
	head := ""
	if w.one(2) {
		w.draft = []Draft{Draft2020, Draft2019, Draft07}[w.rng.IntN(3)]
		head = fmt.Sprintf(`"$schema":%q,`, schemaURI[w.draft])
	}
	body := w.keywords(2, false)
	w.defs, w.draft = kept.defs, kept.draft
	return "{" + head + body + "}"
}

// vocabularies of a draft that a meta-schema may leave out.
var vocabularies = []string{"applicator", "validation", "meta-data", "content"}

func (w *Wide) metaSchema() string {
	year := map[Draft]string{Draft2020: "2020-12", Draft2019: "2019-09"}[w.draft]
	uses := []string{fmt.Sprintf(`"https://json-schema.org/draft/%s/vocab/core":true`, year)}
	names := vocabularies
	if w.draft == Draft2020 {
		names = append(slices.Clone(names), "unevaluated")
	}
	for _, name := range names {
		if !w.one(4) {
			uses = append(uses, fmt.Sprintf(`"https://json-schema.org/draft/%s/vocab/%s":%s`, year, name, w.pick("true", "true", "true", "true", "true", "false")))
		}
	}
	return fmt.Sprintf(`{"$schema":%q,"$id":%q,"$vocabulary":{%s}}`, schemaURI[w.draft], Meta, strings.Join(uses, ","))
}

// reference is a keyword that applies another schema, "" where none is allowed. node says that the resource at
// hand has a place that dynamic references find.
func (w *Wide) reference(node bool) string {
	if w.inside && !w.below {
		return ""
	}
	if w.below {
		switch w.rng.IntN(6) {
		case 0:
			if w.resource < 0 {
				return fmt.Sprintf(`"$ref":%q`, w.pick("#", root, "root.json#"))
			}
			return fmt.Sprintf(`"$ref":%q`, w.pick("#", root))
		case 1, 2:
			if w.draft == Draft2019 {
				return `"$recursiveRef":"#"`
			}
			if w.draft == Draft2020 && node {
				return fmt.Sprintf(`%q:"#node"`, w.pick("$dynamicRef", "$dynamicRef", "$dynamicRef", "$ref"))
			}
			if w.draft == Draft2020 {
				for i, d := range w.defs {
					if d.own && d.node {
						return fmt.Sprintf(`"$dynamicRef":"%sr%d#node"`, base, i)
					}
				}
			}
		case 3:
			return fmt.Sprintf(`"$ref":%q`, other)
		}
	} else if w.one(6) {
		return fmt.Sprintf(`"$ref":%q`, other)
	}
	if len(w.defs) == 0 {
		return ""
	}
	i := w.rng.IntN(len(w.defs))
	d := w.defs[i]
	at := []string{fmt.Sprintf("%s#/%s/d%d", root, w.defsKeyword(), i)}
	if w.resource < 0 {
		at = append(at, fmt.Sprintf("#/%s/d%d", w.defsKeyword(), i), fmt.Sprintf("#/%s/%%64%d", w.defsKeyword(), i))
	}
	switch {
	case d.own && d.anchor:
		at = append(at, fmt.Sprintf("%sr%d#a%d", base, i, i), fmt.Sprintf("r%d#a%d", i, i))
	case d.own:
		at = append(at, fmt.Sprintf("%sr%d", base, i), fmt.Sprintf("r%d", i), fmt.Sprintf("%sr%d#", base, i))
	case d.anchor && w.resource < 0:
		at = append(at, fmt.Sprintf("#a%d", i), fmt.Sprintf("%s#a%d", root, i))
	case d.anchor:
		at = append(at, fmt.Sprintf("%s#a%d", root, i))
	}
	return fmt.Sprintf(`"$ref":%q`, w.pick(at...))
}

// schema is a whole subschema.
func (w *Wide) schema(depth int, node bool) string {
	switch w.rng.IntN(14) {
	case 0:
		return w.pick("true", "false", "{}", "true")
	case 1, 2, 3:
		if ref := w.reference(node); ref != "" {
			if w.one(2) {
				return "{" + ref + "}"
			}
			return "{" + join([]string{ref, w.keyword(min(depth, 0), node)}) + "}"
		}
	}
	return "{" + w.keywords(depth, node) + "}"
}

// value is a subschema for a part of the value.
func (w *Wide) value(depth int, node bool) string {
	kept := w.below
	w.below = true
	s := w.schema(depth, node)
	w.below = kept
	return s
}

// keywords are one to four members of a schema object, with different names.
func (w *Wide) keywords(depth int, node bool) string {
	var parts []string
	for range 1 + w.rng.IntN(3) {
		parts = append(parts, w.keyword(depth-1, node))
	}
	return join(parts)
}

// join writes the members of one object; of two with one name the first stays.
func join(parts []string) string {
	var out []string
	seen := map[string]bool{}
	for _, part := range parts {
		for _, k := range splitMembers(part) {
			name, _, _ := strings.Cut(k, ":")
			if !seen[name] {
				seen[name] = true
				out = append(out, k)
			}
		}
	}
	return strings.Join(out, ",")
}
