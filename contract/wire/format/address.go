package format

import "bytes"

// isIPv4: dotted-quad of RFC 2673 §3.2, as JSON Schema 2020-12 §7.3.4 asks: four decimal numbers up
// to 255. Leading zeros are refused: RFC 3986 §3.2.2 (dec-octet) has none, and inet_aton would read
// them as octal.
func isIPv4(s []byte) bool {
	for i := range 4 {
		n, v := 0, 0
		for n < len(s) && n < 3 && isDigit(s[n]) {
			v = v*10 + int(s[n]-'0')
			n++
		}
		if n == 0 || v > 255 || n > 1 && s[0] == '0' {
			return false
		}
		s = s[n:]
		if i == 3 {
			break
		}
		if len(s) == 0 || s[0] != '.' {
			return false
		}
		s = s[1:]
	}
	return len(s) == 0
}

// isIPv6: the text forms of RFC 4291 §2.2: eight groups of one to four hexadecimal digits; `::` once
// for one or more groups of zeros; the last two groups may be an IPv4 address. Zones (RFC 4007) are
// not part of an address.
func isIPv6(s []byte) bool {
	_, ok := groupsOfIPv6(s)
	return ok
}

// groupsOfIPv6 returns how many groups an IPv6 address spells out, 8 for all of them: what is missing stands in `::`.
func groupsOfIPv6(s []byte) (groups int, ok bool) {
	gap := false
	if bytes.HasPrefix(s, []byte("::")) {
		gap, s = true, s[2:]
	} else if len(s) == 0 {
		return 0, false
	}
	for len(s) > 0 {
		n := 0
		for n < len(s) && n < 5 && isHex(s[n]) {
			n++
		}
		if n < len(s) && s[n] == '.' {
			groups += 2
			if !isIPv4(s) {
				return 0, false
			}
			break
		}
		if n == 0 || n > 4 {
			return 0, false
		}
		groups++
		s = s[n:]
		if len(s) == 0 {
			break
		}
		if s[0] != ':' || len(s) == 1 {
			return 0, false
		}
		s = s[1:]
		if s[0] == ':' {
			if gap {
				return 0, false
			}
			gap, s = true, s[1:]
		}
	}
	if gap {
		return groups, groups <= 7
	}
	return groups, groups == 8
}

// isUUID: UUID of RFC 4122 §3: 8-4-4-4-12 hexadecimal digits of either case. Version and variant are
// not looked at: the grammar leaves them open.
func isUUID(s []byte) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range s {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !isHex(c) {
				return false
			}
		}
	}
	return true
}

// isPointer: json-pointer of RFC 6901 §3: empty, or tokens that each start with `/` and escape `~`
// as ~0 and `/` as ~1.
func isPointer(s []byte) bool {
	if len(s) > 0 && s[0] != '/' {
		return false
	}
	for i, c := range s {
		if c == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return false
		}
	}
	return true
}

// isRelativePointer: draft-bhutton-relative-json-pointer-00 §3: a whole number without leading
// zeros, then `#`, or an optional index change (a sign and such a number) and a JSON Pointer.
func isRelativePointer(s []byte) bool {
	n := number(s)
	if n == 0 {
		return false
	}
	s = s[n:]
	if len(s) == 1 && s[0] == '#' {
		return true
	}
	if len(s) > 0 && (s[0] == '+' || s[0] == '-') {
		if n = number(s[1:]); n == 0 {
			return false
		}
		s = s[1+n:]
	}
	return isPointer(s)
}

// number returns the length of the whole number without leading zeros that s starts with, or 0.
func number(s []byte) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if n > 1 && s[0] == '0' {
		return 0
	}
	return n
}
