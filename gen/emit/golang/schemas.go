package golang

import (
	"strconv"
	"strings"

	"vcp.core/contract/wire"
)

// schemas writes schemas_gen.go: the documents that the package was made from, one a line and without
// whitespace between tokens, for whoever makes violation lists (gen/live) or shows them. Everything else
// in them is as the author wrote it.
func (e *emitter) schemas() {
	var b strings.Builder
	b.WriteString("// Schemas are the documents that this package was generated from, sorted by name.\nvar Schemas = []wire.Document{")
	if len(e.pkg.Sources) > 0 {
		b.WriteString("\n") // gofmt keeps an empty list on its line
	}
	for _, s := range e.pkg.Sources {
		b.WriteString("{" + inline(lit("Name", s.Name), lit("Pointer", s.Pointer), lit("URI", s.URI)) + ",\n")
		b.WriteString("Text: " + literal(string(wire.AppendCompact(nil, s.Bytes))) + "},\n")
	}
	b.WriteString("}\n\n// FormatAssertion says whether format decides in these documents or is an annotation.\n")
	b.WriteString("const FormatAssertion = " + strconv.FormatBool(e.pkg.FormatAssertion) + "\n")
	e.write(schemasFile, b.String())
}
