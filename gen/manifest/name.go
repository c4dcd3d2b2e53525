package manifest

import (
	"go/token"
	"strconv"
	"strings"
	"unicode"
)

// GoPackage returns the name of the Go package that the compiler writes for a plugin: the letters and
// digits of the name in lower case (DESIGN §9). Import paths are ASCII (cmd/go refuses others), so a
// letter beyond ASCII is written as u and its code point in hexadecimal. A name that would not do as
// package name or folder (it begins with a digit, is a keyword, or means something to cmd/go) gets a
// leading p. The result is empty for a name without letters and digits, which no manifest may have.
func GoPackage(name string) string {
	var b strings.Builder
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			continue
		}
		r = unicode.ToLower(r)
		if r <= unicode.MaxASCII {
			b.WriteRune(r)
		} else {
			b.WriteString("u" + strconv.FormatInt(int64(r), 16))
		}
	}
	s := b.String()
	if s == "" || s[0] > '9' && !token.IsKeyword(s) && !reserved[s] {
		return s
	}
	return "p" + s
}

// reserved are names of packages or folders with a meaning to the language or to cmd/go.
var reserved = map[string]bool{"internal": true, "vendor": true, "testdata": true, "main": true, "init": true}
