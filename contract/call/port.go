package call

// Port is a place inside arguments or data that a schema declares: something that a workflow connects, a
// form asks for, a view shows.
type Port struct {
	// Pointer is the JSON Pointer of the place, in the value, or in the element when the port is of [Port.Items].
	Pointer string
	// Type is the JSON type: "null", "boolean", "integer", "number", "string", "array", "object"; "resource" for
	// a reference to a resource, "any" when there are several beside null.
	Type     string
	Title    string // for people; "" when the schema has none
	Format   string // the format keyword; "" when absent
	Optional bool   // the value may be absent or null

	// Unit is what a number counts ("ms", "CNY"), "" when the schema does not say. It is the annotation x-unit,
	// or the constant member unit of an object with the members value and unit (specification §5.6). Where that
	// member is not a constant, UnitAt is its pointer.
	Unit, UnitAt string

	// Items are the ports inside the elements of an array of objects; Element is the type of other elements,
	// "" when they have none in common.
	Items   []Port
	Element string
}

// Renderer is how data wants to be shown (specification §5.8).
type Renderer struct {
	View  string // preferredView, "" when the manifest names none
	Title string // "" when the manifest gives none
}
