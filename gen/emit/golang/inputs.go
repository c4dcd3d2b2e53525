package golang

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"

	"vcp.core/contract/wire"
)

// inputs writes inputs_gen.go, the only file that changes with every change of an input: otherwise two
// branches that touch one manifest would conflict in every file.
func (e *emitter) inputs() {
	if e.pkg.plugin == nil && e.pkg.registry == nil {
		e.file(inputsFile).PackageComment("Package " + e.pkg.Name + " is what vcp gen made of " + oneLine(e.source()) + ".")
	}
	text := "// InputHash is the SHA-256 of everything that this package was generated from.\n" +
		"const InputHash = " + strconv.Quote(e.pkg.InputHash()) + "\n\n"
	if p := e.pkg.plugin; p != nil {
		text += "// ManifestHash is the SHA-256 of the manifest as it was read.\n" +
			"const ManifestHash = " + strconv.Quote(p.ManifestHash) + "\n\n"
	}
	e.write(inputsFile, text+fmt.Sprintf(`// emitted is the version of the support package that this package was generated for.
const emitted uint = %d

// These do not compile with a support package that is too old, or that no longer serves this package.
const _ = wire.MaxVersion - emitted
const _ = emitted - wire.MinVersion
`, wire.Version))
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
