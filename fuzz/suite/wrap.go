package suite

import "fmt"

// Wrapping puts the schema of a group into another place, where it means the same.
type Wrapping struct {
	Name   string
	schema string // %[1]q is the URI of the group's schema
	member bool   // the document is the value of a member
}

// Wrappings are behind a reference, in allOf, under a condition that holds, and as the schema of a property.
var Wrappings = []Wrapping{
	{Name: "$ref", schema: `{"$ref": %[1]q}`},
	{Name: "allOf", schema: `{"allOf": [{"$ref": %[1]q}, {"$ref": %[1]q}]}`},
	{Name: "if", schema: `{"if": true, "then": {"$ref": %[1]q}, "else": false}`},
	{Name: "properties", schema: `{"properties": {"p": {"$ref": %[1]q}}, "required": ["p"]}`, member: true},
}

// Schema returns the schema around that with the URI.
func (w Wrapping) Schema(uri string) []byte { return fmt.Appendf(nil, w.schema, uri) }

// Document returns the document around one for the schema inside.
func (w Wrapping) Document(document []byte) []byte {
	if !w.member {
		return document
	}
	return fmt.Appendf(nil, `{"p": %s}`, document)
}
