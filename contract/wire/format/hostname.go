package format

import (
	"bytes"
	"unicode/utf8"
)

// maxHostname is the length of a host name in characters: 255 octets in a message (RFC 1035 §2.3.4),
// less the length octet of the first label and the root label.
const maxHostname = 253

// isHostname: a host name of RFC 1123 §2.1: labels of letters, digits and hyphens, 1 to 63 octets, no
// hyphen at an end, and never the dotted-decimal form of an address. A label that starts with "xn--" must be an A-label (RFC 5890 §2.3.2.1): it stands
// for a U-label, and encoding that gives it back.
func isHostname(s []byte) bool {
	return len(s) <= maxHostname && isName(s, false) && !isDottedDecimal(s, false)
}

// isIDNHostname: a host name as above, or one with U-labels (RFC 5890 §2.3.2.3). Dots are the four of
// RFC 3490 §3.1. Lengths are those of the encoded form. Beside U-labels, what has hyphens in the third and
// fourth place is an A-label or refused (§2.3.1).
func isIDNHostname(s []byte) bool {
	return len(s) <= maxHostname*utf8.UTFMax && isName(s, true) && !isDottedDecimal(s, true)
}

// isDottedDecimal reports whether a name is four numbers: RFC 1123 §2.1 tells those from host names.
func isDottedDecimal(s []byte, international bool) bool {
	labels := 0
	for more := true; more; labels++ {
		var l []byte
		l, s, more = cutLabel(s, international)
		for _, c := range l {
			if !isDigit(c) {
				return false
			}
		}
	}
	return labels == 4
}

func isName(s []byte, international bool) bool {
	if isPlainName(s) {
		return len(s) <= maxHostname
	}
	var labels [][]rune
	length := -1
	unicodeLabel, reserved := false, false
	for more := true; more; {
		var l []byte
		l, s, more = cutLabel(s, international)
		label, size, ok := readLabel(l, international)
		if !ok {
			return false
		}
		unicodeLabel = unicodeLabel || !isASCII(l)
		reserved = reserved || len(l) >= 4 && l[2] == '-' && l[3] == '-' && !hasACEPrefix(l)
		labels = append(labels, label)
		length += size + 1
	}
	return length <= maxHostname && !(unicodeLabel && reserved) && satisfyBidi(labels)
}

// isPlainName reports whether s consists of ASCII labels without a prefix, the case that needs no
// memory.
func isPlainName(s []byte) bool {
	for more := true; more; {
		var l []byte
		l, s, more = bytes.Cut(s, []byte("."))
		if !isLDHLabel(l) || hasACEPrefix(l) {
			return false
		}
	}
	return true
}

// isLDHLabel: a label of RFC 1123 §2.1.
func isLDHLabel(l []byte) bool { return len(l) <= maxLabel && isLabel(l) }

// hasACEPrefix reports whether l claims to be an A-label.
func hasACEPrefix(l []byte) bool {
	return len(l) >= 4 && l[0]|0x20 == 'x' && l[1]|0x20 == 'n' && l[2] == '-' && l[3] == '-'
}

// cutLabel returns the first label of a name, what follows it, and whether there was a dot between.
func cutLabel(s []byte, international bool) (label, rest []byte, more bool) {
	if !international {
		return bytes.Cut(s, []byte("."))
	}
	i := bytes.IndexAny(s, ".\u3002\uFF0E\uFF61")
	if i < 0 {
		return s, nil, false
	}
	_, width := utf8.DecodeRune(s[i:])
	return s[:i], s[i+width:], true
}

// readLabel checks one label and returns the code points it stands for and its encoded length.
func readLabel(l []byte, international bool) (label []rune, size int, ok bool) {
	if !isASCII(l) {
		label = []rune(string(l))
		if !international || len(label) > maxLabel || !isULabel(label) || !normal().isNFC(label) {
			return nil, 0, false
		}
		size = len("xn--") + len(encodePunycode(label))
		return label, size, size <= maxLabel
	}
	if !isLDHLabel(l) {
		return nil, 0, false
	}
	lower := bytes.ToLower(l)
	if !hasACEPrefix(l) {
		return []rune(string(lower)), len(l), true
	}
	label, ok = decodePunycode(lower[4:])
	ok = ok && isULabel(label) && normal().isNFC(label) && bytes.Equal(encodePunycode(label), lower[4:])
	return label, len(l), ok
}

func isASCII(s []byte) bool {
	for _, c := range s {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
