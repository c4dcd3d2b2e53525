package mutate

import (
	"fmt"
	"slices"
	"strings"
)

// Occurrence is one keyword in a schema position of a document.
type Occurrence struct {
	Pointer string // JSON Pointer of the keyword, "/properties/a/minLength"
	Keyword string
}

// annotations are the keywords whose deletion is not expected to change a verdict:
//
//   - what is for readers only: title, description, $comment, examples, default, deprecated, readOnly,
//     writeOnly and the content keywords, which assert nothing in 2020-12 and draft-07;
//   - what names things: $schema, $id, $anchor, $dynamicAnchor, $vocabulary. To delete a name breaks
//     references, which is a schema error and no looser schema;
//   - $defs and definitions, which are places. The keywords inside them do count, each one.
//
// `format` counts where the format is asserted and is an annotation elsewhere. A keyword that nobody
// defined is an annotation by the specification.
var annotations = []string{
	"title", "description", "$comment", "examples", "default", "deprecated", "readOnly", "writeOnly",
	"contentEncoding", "contentMediaType", "contentSchema",
	"$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary", "$defs", "definitions",
}

// assertions are the keywords that can change a verdict and hold no schema.
var assertions = []string{
	"type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength",
	"pattern", "maxItems", "minItems", "uniqueItems", "maxContains", "minContains", "maxProperties", "minProperties", "required",
	"dependentRequired", "$ref", "$dynamicRef",
}

// The keywords that hold schemas: one, several in an array, several in an object. `items` and
// `dependencies` have two forms each.
var (
	holdOne  = []string{"not", "if", "then", "else", "items", "additionalItems", "contains", "additionalProperties", "propertyNames", "unevaluatedItems", "unevaluatedProperties"}
	holdList = []string{"allOf", "anyOf", "oneOf", "prefixItems", "items"}
	holdDict = []string{"properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"}
)

// Occurrences lists the keywords of a schema document that can change a verdict, in document order.
// formats are those that are asserted. A document that is not JSON is an error (*SyntaxError).
func Occurrences(document []byte, formats []string) ([]Occurrence, error) {
	root, err := parse(document)
	if err != nil {
		return nil, err
	}
	var out []Occurrence
	var visit func(n *node, pointer string)
	visit = func(n *node, pointer string) {
		if n.kind != object {
			return
		}
		for i, keyword := range n.names {
			v, at := n.elems[i], pointer+"/"+pointerToken(keyword)
			applies := slices.Contains(holdOne, keyword) || slices.Contains(holdList, keyword) || slices.Contains(holdDict, keyword)
			asserts := slices.Contains(assertions, keyword) || keyword == "format" && slices.Contains(formats, v.str())
			if (applies || asserts) && !slices.Contains(annotations, keyword) {
				out = append(out, Occurrence{at, keyword})
			}
			if slices.Contains(holdOne, keyword) {
				visit(v, at)
			}
			for j, e := range v.elems {
				if v.kind == list && slices.Contains(holdList, keyword) {
					visit(e, fmt.Sprintf("%s/%d", at, j))
				}
				if v.kind == object && slices.Contains(holdDict, keyword) {
					visit(e, at+"/"+pointerToken(v.names[j]))
				}
			}
		}
	}
	visit(root, "")
	return out, nil
}

// Without returns the document without the keyword. It is an error when there is no such member.
func (o Occurrence) Without(document []byte) ([]byte, error) {
	root, err := parse(document)
	if err != nil {
		return nil, err
	}
	cut := strings.LastIndexByte(o.Pointer, '/')
	p, ok := at(place{node: root}, o.Pointer[:cut])
	i := -1
	if ok && p.node.kind == object {
		i = slices.Index(p.node.names, o.Keyword)
	}
	if i < 0 {
		return nil, fmt.Errorf("no keyword at %s", o.Pointer)
	}
	p.node.remove(i)
	return root.append(nil), nil
}

var escapeToken = strings.NewReplacer("~", "~0", "/", "~1")

func pointerToken(name string) string { return escapeToken.Replace(name) }
