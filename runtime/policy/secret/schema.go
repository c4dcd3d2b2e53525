package secret

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"vcp.core/contract/wire"
)

// Schema knows which places of a document a JSON Schema marks as writeOnly. It is immutable and safe for
// concurrent use. A nil Schema marks nothing.
//
// It reads the schema generously: an arm of a union or of a condition marks a place whether or not it applies,
// because a secret too many costs less than one too few. References inside of the schema are followed, others
// are not.
type Schema struct{ tape wire.Tape }

// NewSchema reads a schema, nil when it marks nothing or is no JSON.
func NewSchema(src []byte) *Schema {
	if !bytes.Contains(src, []byte("writeOnly")) {
		return nil
	}
	s := &Schema{}
	if s.tape.Scan(bytes.Clone(src), wire.Limits{}) != nil {
		return nil
	}
	return s
}

// Values returns the texts of a scanned document that stand where the schema says writeOnly: strings, and
// numbers as they are written, also those inside of a marked object or array.
func (s *Schema) Values(document *wire.Tape) []string {
	if s == nil || document.Len() == 0 {
		return nil
	}
	c := collector{schema: &s.tape, document: document, seen: map[[2]int]bool{}}
	c.visit(s.tape.Root(), document.Root())
	var values []string
	for _, i := range c.places {
		switch document.Kind(i) {
		case wire.KindString:
			values = append(values, document.String(i))
		case wire.KindNumber:
			values = append(values, string(document.Raw(i)))
		}
	}
	return values
}

// Hide returns a document with [Mask] where the schema says writeOnly, whatever stands there: a value that is too short or
// of the wrong kind to be searched for elsewhere is a secret here all the same. Containers and null stay. The document is
// what the tape was scanned of; without such a place it is returned as it is.
func (s *Schema) Hide(document *wire.Tape, src []byte) []byte {
	if s == nil || document.Len() == 0 {
		return src
	}
	c := collector{schema: &s.tape, document: document, seen: map[[2]int]bool{}}
	c.visit(s.tape.Root(), document.Root())
	if len(c.places) == 0 {
		return src
	}
	slices.Sort(c.places)
	out, from := make([]byte, 0, len(src)), 0
	for _, i := range slices.Compact(c.places) {
		n := document.Node(i)
		out = wire.AppendQuoted(append(out, src[from:n.Start]...), Mask)
		from = int(n.End)
	}
	return append(out, src[from:]...)
}

// Secrets is [Schema.Values] of a document that nobody has scanned, such as a configuration: a source for
// runtime.Secrets. What is no JSON has none.
func (s *Schema) Secrets(document []byte) [][]byte {
	var t wire.Tape
	if s == nil || t.Scan(document, wire.Limits{}) != nil {
		return nil
	}
	var list [][]byte
	for _, v := range s.Values(&t) {
		list = append(list, []byte(v))
	}
	return list
}

type collector struct {
	schema, document *wire.Tape
	seen             map[[2]int]bool
	places           []int // strings, numbers and booleans
}

// visit looks at a place of the document with a schema that applies to it.
func (c *collector) visit(schema, at int) {
	t := c.schema
	if t.Kind(schema) != wire.KindObject || c.seen[[2]int{schema, at}] {
		return
	}
	c.seen[[2]int{schema, at}] = true
	if mark, ok := t.Find(schema, "writeOnly"); ok && t.Kind(mark) == wire.KindTrue {
		c.take(at)
		return
	}
	for m := t.Members(schema); m.Next(); {
		switch t.String(m.Name) {
		case "$ref", "$dynamicRef":
			if target, ok := strings.CutPrefix(t.String(m.Value), "#"); ok && t.Kind(m.Value) == wire.KindString {
				if to, ok := t.Lookup(target); ok {
					c.visit(to, at)
				}
			}
		case "allOf", "anyOf", "oneOf":
			if t.Kind(m.Value) == wire.KindArray {
				for arm := t.FirstChild(m.Value); arm < t.Next(m.Value); arm = t.Next(arm) {
					c.visit(arm, at)
				}
			}
		case "if", "then", "else":
			c.visit(m.Value, at)
		case "properties":
			c.members(m.Value, at, func(key, name string) bool { return key == name })
		case "patternProperties":
			c.members(m.Value, at, func(key, name string) bool {
				hit, err := regexp.MatchString(key, name)
				return hit || err != nil
			})
		case "additionalProperties", "unevaluatedProperties":
			c.children(m.Value, at, wire.KindObject)
		case "items", "additionalItems", "unevaluatedItems", "contains":
			c.children(m.Value, at, wire.KindArray)
		case "prefixItems":
			if t.Kind(m.Value) == wire.KindArray {
				for item := t.FirstChild(m.Value); item < t.Next(m.Value); item = t.Next(item) {
					c.children(item, at, wire.KindArray)
				}
			}
		}
	}
}

// members visits the members of the document's object with the schemas whose key fits their names.
func (c *collector) members(schemas, at int, fits func(key, name string) bool) {
	if c.schema.Kind(schemas) != wire.KindObject || c.document.Kind(at) != wire.KindObject {
		return
	}
	for s := c.schema.Members(schemas); s.Next(); {
		key := c.schema.String(s.Name)
		for m := c.document.Members(at); m.Next(); {
			if fits(key, c.document.String(m.Name)) {
				c.visit(s.Value, m.Value)
			}
		}
	}
}

// children visits all members or elements with one schema.
func (c *collector) children(schema, at int, kind wire.Kind) {
	d := c.document
	if d.Kind(at) != kind {
		return
	}
	for i := d.FirstChild(at); i < d.Next(at); i = d.Next(i) {
		if kind == wire.KindObject {
			i++
		}
		c.visit(schema, i)
	}
}

// take takes everything below a marked place.
func (c *collector) take(at int) {
	d := c.document
	for i := at; i < d.Next(at); i++ {
		switch n := d.Node(i); {
		case n.Flags&wire.Name != 0:
		case n.Kind == wire.KindString, n.Kind == wire.KindNumber, n.Kind == wire.KindTrue, n.Kind == wire.KindFalse:
			c.places = append(c.places, i)
		}
	}
}
