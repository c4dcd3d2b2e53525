package manifest

import (
	"fmt"
	"go/token"
	"hash/fnv"
	"strconv"
	"strings"
	"unicode"
)

// GoPackage returns the name of the Go package that the compiler writes for a plugin: the letters and
// digits of the name in lower case (DESIGN §9). Import paths are ASCII (cmd/go refuses others), so a
// letter beyond ASCII is written as u and its code point in hexadecimal. A name that would not do as
// package name or folder (it begins with a digit, is a keyword, or means something to cmd/go or to an
// operating system) gets a leading p, and one that is too long ends in a hash. The result is empty for a
// name without letters and digits, which no manifest may have.
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
	if len(s) > maxGoPackage {
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(s)) // never fails
		s = s[:maxGoPackage-16] + fmt.Sprintf("%016x", hash.Sum64())
	}
	if s == "" || s[0] > '9' && !token.IsKeyword(s) && !reserved[s] && !IsDevice(s) {
		return s
	}
	return "p" + s
}

// maxGoPackage is up to how many characters a package has as its name: the 64 letters of a plugin's name
// may be 384 in hexadecimal, and a folder's name has at most 255. What is longer ends in a hash.
const maxGoPackage = 128

// IsDevice reports whether a name is a device on Windows, in capitals or not: cmd/go takes no import path
// with an element of such a name, on any system.
func IsDevice(name string) bool {
	name = strings.ToLower(name)
	if rest, ok := strings.CutPrefix(name, "com"); ok || strings.HasPrefix(name, "lpt") {
		if !ok {
			rest = name[len("lpt"):]
		}
		return len(rest) == 1 && rest[0] >= '1' && rest[0] <= '9'
	}
	return name == "con" || name == "prn" || name == "aux" || name == "nul"
}

// reserved are names of packages or folders with a meaning to the language or to cmd/go.
var reserved = map[string]bool{"internal": true, "vendor": true, "testdata": true, "main": true, "init": true}
