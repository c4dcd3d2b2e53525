package format

import (
	"bytes"
	"unicode/utf8"
)

// isURI: URI of RFC 3986 appendix A: with a scheme, ASCII only.
func isURI(s []byte) bool { return reference(s, ascii, true) }

// isURIReference: URI-reference of RFC 3986 appendix A: a URI or a relative-ref.
func isURIReference(s []byte) bool { return reference(s, ascii, false) }

// isIRI: IRI of RFC 3987 §2.2: a URI that may have code points beyond ASCII.
func isIRI(s []byte) bool { return reference(s, international, true) }

// isIRIReference: IRI-reference of RFC 3987 §2.2.
func isIRIReference(s []byte) bool { return reference(s, international, false) }

// alphabet says whether code points beyond ASCII may stand unescaped.
type alphabet bool

const (
	ascii         alphabet = false
	international alphabet = true
)

// The character classes of RFC 3986 appendix A, as bits.
const (
	unreserved = 1 << iota // ALPHA / DIGIT / "-" / "." / "_" / "~"
	subDelim               // "!" / "$" / "&" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "="
	colon
	at
	slash
	question

	regName  = unreserved | subDelim
	userName = regName | colon
	pchar    = userName | at
	path     = pchar | slash
	query    = path | question
)

var classes = func() (table [128]uint8) {
	for c := range table {
		if isLetter(byte(c)) || isDigit(byte(c)) {
			table[c] = unreserved
		}
	}
	for class, chars := range map[uint8]string{
		unreserved: "-._~", subDelim: "!$&'()*+,;=", colon: ":", at: "@", slash: "/", question: "?",
	} {
		for _, c := range []byte(chars) {
			table[c] |= class
		}
	}
	return table
}()

// reference checks a URI reference, or with absolute a URI. The parts are cut at the delimiters that
// end them wherever they stand (RFC 3986 appendix B), then each is checked by its own rule.
func reference(s []byte, a alphabet, absolute bool) bool {
	if n := schemeLength(s); n > 0 {
		s = s[n+1:]
	} else if absolute || colonInFirstSegment(s) {
		return false
	}
	s, fragment, _ := bytes.Cut(s, []byte("#"))
	s, queryPart, _ := bytes.Cut(s, []byte("?"))
	if !only(fragment, query, a, false) || !only(queryPart, query, a, true) {
		return false
	}
	if bytes.HasPrefix(s, []byte("//")) {
		s = s[2:]
		end := bytes.IndexByte(s, '/')
		if end < 0 {
			end = len(s)
		}
		if !isAuthority(s[:end], a) {
			return false
		}
		s = s[end:]
	}
	return only(s, path, a, false)
}

// schemeLength returns the length of the scheme that s starts with, without its colon, or 0.
func schemeLength(s []byte) int {
	for i, c := range s {
		switch {
		case isLetter(c):
		case i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return i
		default:
			return 0
		}
	}
	return 0
}

// colonInFirstSegment reports what keeps s from being a relative-ref: its first segment would be
// taken for a scheme (path-noscheme).
func colonInFirstSegment(s []byte) bool {
	i := bytes.IndexAny(s, ":/?#")
	return i >= 0 && s[i] == ':'
}

// isAuthority: [ userinfo "@" ] host [ ":" port ] (RFC 3986 §3.2).
func isAuthority(s []byte, a alphabet) bool {
	// Neither host nor port may contain an "@", and userinfo may not either.
	if i := bytes.IndexByte(s, '@'); i >= 0 {
		if !only(s[:i], userName, a, false) {
			return false
		}
		s = s[i+1:]
	}
	host, port := s, []byte(nil)
	if len(s) > 0 && s[0] == '[' {
		end := bytes.IndexByte(s, ']')
		if end < 0 || !isIPLiteral(s[1:end]) {
			return false
		}
		host, port = nil, s[end+1:]
		if len(port) > 0 && port[0] != ':' {
			return false
		}
	} else if i := bytes.LastIndexByte(s, ':'); i >= 0 {
		host, port = s[:i], s[i:]
	}
	for _, c := range port[min(1, len(port)):] {
		if !isDigit(c) {
			return false
		}
	}
	return only(host, regName, a, false)
}

// isIPLiteral: what stands between the brackets: IPv6address or IPvFuture (RFC 3986 §3.2.2).
func isIPLiteral(s []byte) bool {
	if len(s) == 0 || s[0]|0x20 != 'v' {
		return isIPv6(s)
	}
	version, address, found := bytes.Cut(s[1:], []byte("."))
	if !found || len(version) == 0 || len(address) == 0 {
		return false
	}
	for _, c := range version {
		if !isHex(c) {
			return false
		}
	}
	for _, c := range address {
		if c >= utf8.RuneSelf || classes[c]&userName == 0 {
			return false
		}
	}
	return true
}

// only reports whether s consists of the allowed classes and pct-encoded octets (RFC 3986 §2.1). An
// IRI also has ucschar everywhere, and iprivate where private says so.
func only(s []byte, allowed uint8, a alphabet, private bool) bool {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '%':
			if !isTriplet(s[i:]) {
				return false
			}
			i += 3
		case c < utf8.RuneSelf:
			if classes[c]&allowed == 0 {
				return false
			}
			i++
		default:
			r, size := utf8.DecodeRune(s[i:])
			if allowed := isUCS(r) || private && isPrivate(r); a == ascii || !allowed {
				return false
			}
			i += size
		}
	}
	return true
}

// isTriplet reports whether s starts with a pct-encoded octet.
func isTriplet(s []byte) bool {
	return len(s) >= 3 && s[0] == '%' && isHex(s[1]) && isHex(s[2])
}

// isUCS: ucschar of RFC 3987 §2.2. Above the BMP it leaves out the last two code points of each
// plane, and in plane 14 the tags.
func isUCS(r rune) bool {
	switch {
	case r == utf8.RuneError:
		return false // U+FFFD is no ucschar, nor is a byte that is no UTF-8
	case r <= 0xFFFF:
		return 0xA0 <= r && r <= 0xD7FF || 0xF900 <= r && r <= 0xFDCF || 0xFDF0 <= r && r <= 0xFFEF
	case r < 0xE1000:
		return r&0xFFFF <= 0xFFFD && r < 0xE0000
	}
	return r <= 0xEFFFD
}

// isPrivate: iprivate of RFC 3987 §2.2.
func isPrivate(r rune) bool {
	return 0xE000 <= r && r <= 0xF8FF || 0xF0000 <= r && r <= 0xFFFFD || 0x100000 <= r && r <= 0x10FFFD
}
