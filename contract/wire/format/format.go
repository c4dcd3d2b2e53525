// Package format holds the checks behind JSON Schema's `format` keyword (2020-12 §7.3), where a
// schema asserts it. Each check is written from the grammar of its RFC, which its comment cites, and
// looks at the whole string: nothing is trimmed, nothing is searched for.
//
// A check gets the decoded bytes of a JSON string, valid UTF-8. It allocates nothing where its RFC
// permits and never keeps the slice. Whether a format is asserted at all is decided above this
// package; it knows nothing of schemas and never touches a network: a name that is well formed need
// not exist.
//
// # Deviations
//
// The formats are those of draft 2020-12, with its definitions, in every draft: draft-07 has no duration and
// no uuid of its own and permits more formats (§7.1), and for email it and 2019-09 name RFC 5322, whose comments,
// folding and obsolete forms nobody sends in JSON.
//
// idn-email does not ask for Normalization Form C in the domain. RFC 6531 §3.3 wants U-labels there, which
// RFC 5890 §2.3.2.1 has in that form, but the official suite has a domain that is not. All else that makes a
// U-label is asked for.
//
// uri-template also accepts the operators that RFC 6570 §2.2 reserves, which its grammar has, and the
// apostrophe of erratum 6937. hostname and idn-hostname follow IDNA2008 without the mapping of RFC 5895:
// upper case beyond ASCII is refused. Their code points are those of the Unicode version of package
// unicode; letters that join are those of Unicode 15.0.
package format

import (
	"maps"
	"slices"

	"vcp.core/contract/wire/ecma"
)

// Lookup returns the check of a format by its name in JSON Schema, and whether there is one. Unknown
// formats are annotations and have none.
func Lookup(name string) (func(s []byte) bool, bool) {
	check, ok := checks[name]
	return check, ok
}

// Names returns the names of all formats that have a check, sorted.
func Names() []string { return slices.Sorted(maps.Keys(checks)) }

var checks = map[string]func(s []byte) bool{
	"date-time":             isDateTime,
	"date":                  isDate,
	"time":                  isTime,
	"duration":              isDuration,
	"hostname":              isHostname,
	"idn-hostname":          isIDNHostname,
	"ipv4":                  isIPv4,
	"ipv6":                  isIPv6,
	"email":                 isEmail,
	"idn-email":             isIDNEmail,
	"uri":                   isURI,
	"uri-reference":         isURIReference,
	"iri":                   isIRI,
	"iri-reference":         isIRIReference,
	"uri-template":          isTemplate,
	"uuid":                  isUUID,
	"json-pointer":          isPointer,
	"relative-json-pointer": isRelativePointer,
	"regex":                 isRegex,
}

// isRegex: an ECMA-262 pattern (JSON Schema 2020-12 §7.3.8), as package ecma reads it.
func isRegex(s []byte) bool {
	_, err := ecma.Compile(string(s))
	return err == nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
