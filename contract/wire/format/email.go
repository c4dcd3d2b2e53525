package format

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// isEmail: Mailbox of RFC 5321 §4.1.2. The grammar only: the lengths of §4.5.3.1 are what every
// implementation must support, not what an address may not exceed.
func isEmail(s []byte) bool { return isMailbox(s, ascii, isDomain) }

// isIDNEmail: Mailbox as RFC 6531 §3.3 extends it: code points beyond ASCII in the local part, U-labels in
// the domain.
func isIDNEmail(s []byte) bool { return isMailbox(s, international, isIDNDomain) && utf8.Valid(s) }

func isMailbox(s []byte, a alphabet, isDomain func([]byte) bool) bool {
	n := localLength(s, a)
	if n == 0 || n >= len(s) || s[n] != '@' {
		return false
	}
	domain := s[n+1:]
	if len(domain) > 1 && domain[0] == '[' && domain[len(domain)-1] == ']' {
		return isAddressLiteral(domain[1 : len(domain)-1])
	}
	return isDomain(domain)
}

// localLength returns the length of the Local-part that s starts with, or 0.
func localLength(s []byte, a alphabet) int {
	if len(s) > 0 && s[0] == '"' {
		return quotedLength(s, a)
	}
	// Dot-string: atoms with single dots between them.
	i, dot := 0, true
	for ; i < len(s); i++ {
		if s[i] == '.' && !dot {
			dot = true
			continue
		}
		if !isAtext(s[i]) && !a.beyondASCII(s[i]) {
			break
		}
		dot = false
	}
	if dot {
		return 0
	}
	return i
}

// quotedLength returns the length of the Quoted-string that s starts with, or 0. What a backslash quotes
// is ASCII in both alphabets: RFC 6531 leaves quoted-pairSMTP alone.
func quotedLength(s []byte, a alphabet) int {
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			i++
			if i == len(s) || s[i] < ' ' || s[i] > '~' {
				return 0
			}
		case a.beyondASCII(c):
		case c < ' ' || c > '~':
			return 0
		}
	}
	return 0
}

// beyondASCII reports whether c is part of a code point beyond ASCII, where those may stand.
func (a alphabet) beyondASCII(c byte) bool { return a == international && c >= utf8.RuneSelf }

// isAtext: atext of RFC 5322 §3.2.3.
func isAtext(c byte) bool {
	return isLetter(c) || isDigit(c) || strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) >= 0
}

// isDomain: sub-domains with dots between them; each of letters, digits and hyphens, with no hyphen
// at an end.
func isDomain(s []byte) bool {
	for {
		label, rest, more := bytes.Cut(s, []byte("."))
		if !isLabel(label) {
			return false
		}
		if !more {
			return true
		}
		s = rest
	}
}

// isIDNDomain: sub-domains as above or U-labels (RFC 6531 §3.3), at least one of the latter; Normalization
// Form C is not asked for, see Deviations. An A-label is a sub-domain like any other. Like a host name, a
// domain with right-to-left labels obeys the Bidi rule as a whole.
func isIDNDomain(s []byte) bool {
	if isASCII(s) {
		return isDomain(s)
	}
	var labels [][]rune
	for more := true; more; {
		var l []byte
		l, s, more = bytes.Cut(s, []byte("."))
		if isASCII(l) {
			if !isLabel(l) {
				return false
			}
			labels = append(labels, []rune(string(l)))
			continue
		}
		if utf8.RuneCount(l) > maxLabel {
			return false
		}
		label := []rune(string(l))
		if !isULabel(label) || len("xn--")+len(encodePunycode(label)) > maxLabel {
			return false
		}
		labels = append(labels, label)
	}
	return satisfyBidi(labels)
}

func isLabel(s []byte) bool {
	if len(s) == 0 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	return isLDH(s)
}

func isLDH(s []byte) bool {
	for _, c := range s {
		if !isLetter(c) && !isDigit(c) && c != '-' {
			return false
		}
	}
	return true
}

// isAddressLiteral: what stands between the brackets of an address-literal (RFC 5321 §4.1.3): an
// IPv4 address, "IPv6:" and an IPv6 address whose `::` is for two groups or more, or another tag and its
// content. Tags that IANA does not list are accepted: the list is open at its end.
func isAddressLiteral(s []byte) bool {
	tag, content, tagged := bytes.Cut(s, []byte(":"))
	switch {
	case !tagged:
		return isIPv4(s)
	case bytes.EqualFold(tag, []byte("IPv6")):
		groups, ok := groupsOfIPv6(content)
		return ok && groups != 7
	case len(tag) == 0 || tag[len(tag)-1] == '-' || !isLDH(tag) || len(content) == 0:
		return false
	}
	for _, c := range content {
		if c < '!' || c > '~' || '[' <= c && c <= ']' {
			return false
		}
	}
	return true
}
