package format

import "unicode/utf8"

// isTemplate: URI-Template of RFC 6570 §2, any level: literals and expressions.
func isTemplate(s []byte) bool {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '{':
			n := expressionLength(s[i:])
			if n == 0 {
				return false
			}
			i += n
		case c == '%':
			if !isTriplet(s[i:]) {
				return false
			}
			i += 3
		case c < utf8.RuneSelf:
			if !isTemplateLiteral(c) {
				return false
			}
			i++
		default:
			r, size := utf8.DecodeRune(s[i:])
			if !isUCS(r) && !isPrivate(r) {
				return false
			}
			i += size
		}
	}
	return true
}

// isTemplateLiteral: the ASCII part of literals (RFC 6570 §2.1). The apostrophe is one: erratum 6937
// adds it, as every URI may contain it.
func isTemplateLiteral(c byte) bool {
	switch c {
	case '"', '%', '<', '>', '\\', '^', '`', '{', '|', '}':
		return false
	}
	return ' ' < c && c < 0x7F
}

// expressionLength returns the length of the expression that s starts with, or 0: an optional
// operator (those reserved for extensions included, RFC 6570 §2.2), then variables with commas
// between them.
func expressionLength(s []byte) int {
	i := 1
	if i < len(s) && isOperator(s[i]) {
		i++
	}
	for {
		n := variableLength(s[i:])
		if n == 0 {
			return 0
		}
		i += n
		if i == len(s) {
			return 0
		}
		switch s[i] {
		case '}':
			return i + 1
		case ',':
			i++
		default:
			return 0
		}
	}
}

func isOperator(c byte) bool {
	switch c {
	case '+', '#', '.', '/', ';', '?', '&', '=', ',', '!', '@', '|':
		return true
	}
	return false
}

// variableLength returns the length of the varspec that s starts with, or 0 (RFC 6570 §2.3, §2.4):
// a name with an optional prefix length (1 to 9999) or explode modifier.
func variableLength(s []byte) int {
	i := 0
	for dot := true; ; {
		switch {
		case i < len(s) && s[i] == '.' && !dot:
			dot = true
			i++
			continue
		case isTriplet(s[i:]):
			i += 3
			dot = false
			continue
		case i < len(s) && (s[i] == '_' || isLetter(s[i]) || isDigit(s[i])):
			i++
			dot = false
			continue
		}
		if dot {
			return 0 // no name, or a dot at its end
		}
		break
	}
	switch {
	case i < len(s) && s[i] == '*':
		return i + 1
	case i < len(s) && s[i] == ':':
		n := number(s[i+1:])
		if n == 0 || n > 4 || s[i+1] == '0' {
			return 0
		}
		return i + 1 + n
	}
	return i
}
