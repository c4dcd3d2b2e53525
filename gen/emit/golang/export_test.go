package golang

import "vcp.core/gen/diag"

// Model prints what planning makes of a package.
func Model(p Package) string {
	e := newEmitter(p)
	e.roots()
	m, _ := plan(p.Roots, e.naming)
	return m.String()
}

// Layout is what indents the files that hold functions only.
var Layout = layout

// EmitAtMost is Emit with another limit of bytes of code.
func EmitAtMost(p Package, most int) ([]File, diag.List) {
	e := newEmitter(p)
	e.most = most
	return e.finished()
}

// Functions are one-line functions with the headers and bodies given in turn.
func Functions(texts ...string) string {
	var list []function
	for i := 0; i < len(texts); i += 2 {
		list = append(list, function{texts[i], texts[i+1]})
	}
	return functions(list...)
}
