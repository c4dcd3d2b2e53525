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
// Not offered, so that [Lookup] does not know it and it stays an annotation: idn-email. RFC 6531 §3.3
// wants U-labels in the domain, which RFC 5890 wants in Normalization Form C, but the official suite
// wants a domain that is not.
//
// uri-template also accepts the operators that RFC 6570 §2.2 reserves, which its grammar has, and the
// apostrophe of erratum 6937. hostname and idn-hostname follow IDNA2008 without the mapping of RFC 5895:
// upper case beyond ASCII is refused. Their code points are those of the Unicode version of package
// unicode; letters that join are those of Unicode 15.0.
package format

import "vcp.core/contract/wire/ecma"

// Lookup returns the check of a format by its name in JSON Schema, and whether there is one. Unknown
// formats are annotations and have none.
func Lookup(name string) (func(s []byte) bool, bool) {
	check, ok := checks[name]
	return check, ok
}

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
