package golang

// Model prints what planning makes of a package.
func Model(p Package) string {
	e := newEmitter(p)
	e.roots()
	m, _ := plan(p.Roots, e.naming)
	return m.String()
}
