package golang

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"vcp.core/contract/wire"
)

// schemas writes schemas_gen.go: the documents that the package was made from, one a line and without
// whitespace between tokens, for whoever makes violation lists (gen/live) or shows them. Everything else
// in them is as the author wrote it.
func (e *emitter) schemas() {
	f := e.file(schemasFile)
	f.Comment("Schemas are the documents that this package was generated from, sorted by name.")
	f.Var().Id("Schemas").Op("=").Index().Add(e.q("Document")).ValuesFunc(func(g *jen.Group) {
		for _, s := range e.pkg.Sources {
			name := inline(
				field{"Name", jen.Lit(s.Name), true},
				field{"Pointer", jen.Lit(s.Pointer), s.Pointer != ""},
				field{"URI", jen.Lit(s.URI), s.URI != ""},
			)
			g.Line().Values(append(name, jen.Line().Id("Text").Op(":").Add(text(string(wire.AppendCompact(nil, s.Bytes)))))...)
		}
		g.Line()
	})
	f.Line()
	f.Comment("FormatAssertion says whether format decides in these documents or is an annotation.")
	f.Const().Id("FormatAssertion").Op("=").Lit(e.pkg.FormatAssertion)
}

// text is a string literal that reads like what it says, where Go allows.
func text(s string) jen.Code {
	if strconv.CanBackquote(s) && strings.ContainsAny(s, `"\`) {
		return jen.Op("`" + s + "`")
	}
	return jen.Lit(s)
}
