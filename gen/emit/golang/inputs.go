package golang

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strconv"

	"vcp.core/contract/wire"
)

// inputs writes inputs_gen.go, the only file that changes with every change of an input: otherwise two
// branches that touch one manifest would conflict in every file.
func (e *emitter) inputs() {
	f := e.file(inputsFile)
	if e.pkg.plugin == nil && e.pkg.registry == nil {
		f.PackageComment("Package " + e.pkg.Name + " is what vcp gen made of " + oneLine(e.source()) + ".")
	}
	f.Comment("InputHash is the SHA-256 of everything that this package was generated from.")
	f.Const().Id("InputHash").Op("=").Lit(e.pkg.InputHash())
	f.Line()
	if p := e.pkg.plugin; p != nil {
		f.Comment("ManifestHash is the SHA-256 of the manifest as it was read.")
		f.Const().Id("ManifestHash").Op("=").Lit(p.ManifestHash)
		f.Line()
	}
	f.Comment("emitted is the version of the support package that this package was generated for.")
	f.Const().Id("emitted").Uint().Op("=").Lit(int(wire.Version))
	f.Line()
	f.Comment("These do not compile with a support package that is too old, or that no longer serves this package.")
	f.Const().Id("_").Op("=").Add(e.q("MaxVersion")).Op("-").Id("emitted")
	f.Const().Id("_").Op("=").Id("emitted").Op("-").Add(e.q("MinVersion"))
}

// InputHash is the SHA-256, in hexadecimal, of the package's inputs: names of the package, its roots and
// its documents, the documents byte for byte, the support package's path and version. Equal hashes mean
// equal output of equal compilers.
func (p *Package) InputHash() string {
	h := sha256.New()
	put := func(text string) {
		_, _ = io.WriteString(h, strconv.Itoa(len(text))+":"+text+"\n")
	}
	put(strconv.FormatUint(uint64(wire.Version), 10))
	for _, s := range []string{p.Name, p.ImportPath, p.support(), p.Source, strconv.FormatBool(p.FormatAssertion)} {
		put(s)
	}
	for _, r := range p.Roots {
		put(r.Name)
		put(r.Schema.Origin.Pos.File)
		put(r.Schema.Origin.Pointer)
	}
	for _, s := range slices.Concat(p.Sources, p.References) {
		put(s.Name)
		put(s.Pointer)
		put(s.URI)
		put(string(s.Bytes))
	}
	if p.plugin != nil {
		put(p.plugin.ManifestHash)
	}
	if p.registry != nil {
		for _, r := range p.registry.Plugins {
			put(r.ImportPath)
			put(r.ManifestHash)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
