// Package contract holds the source text of the support packages, those that generated code imports. So a program that
// generates Go code can also build it where neither this module nor a network is: with the very support packages that
// it was made with.
//
// It has no other content, and none of the packages below it imports it. Test files are not part of the text.
package contract

import (
	"embed"
	"io/fs"
)

// A name does not end in "_test.go" when one of the last letters before ".go" is another one than in "test": embed
// has no other way to leave those files out.
//
//go:embed wire/*[^t].go wire/*[^s]t.go wire/*/*[^t].go wire/*/*[^s]t.go errcode/*[^t].go
var support embed.FS

// Support returns the Go files of the packages wire, errcode and those below wire, by their paths from here. They need
// the standard library only.
func Support() fs.FS { return support }
