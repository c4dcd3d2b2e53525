package wire

// Generated code states the version of this package that it was emitted for, and does not compile against
// a package that no longer serves it. With E for that version, it says
//
//	const _ = wire.MaxVersion - E // this package is new enough
//	const _ = E - wire.MinVersion // this package is still old enough
//
// The constants are unsigned, so a negative difference is a compile error. Versions start at 3, so that two
// earlier ones can be served without MinVersion falling below 1.
const (
	// Version is what the emitter writes today.
	Version uint = 3
	// MaxVersion is the newest version whose generated code builds on this package.
	MaxVersion = Version
	// MinVersion is the oldest one. Code emitted two versions ago still builds.
	MinVersion = Version - 2
)

// Document is a schema document that a generated package carries: name and address as the compiler knew
// them, and the text without whitespace between tokens.
type Document struct {
	Name    string // as [Rule.File] has it
	Pointer string // "", or where the text stands in the document Name: then it is a schema by itself
	URI     string // "" for a schema inside a document
	Text    string
}
