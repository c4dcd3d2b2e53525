package wire

import "unicode/utf8"

// AppendQuoted appends s as a JSON string. Quote, backslash and control characters are escaped, each in
// its shortest form: \" \\ \b \f \n \r \t, else \u00xx in lower case. Everything else is literal,
// including < > & / DEL U+2028 and U+2029. Each byte of s that is not part of valid UTF-8 becomes U+FFFD,
// so that what is written is always accepted by [Tape.Scan].
func AppendQuoted(dst []byte, s string) []byte {
	b := readOnly(s)
	dst = append(dst, '"')
	from, i := 0, 0 // b[from:i] is to be copied
	for i < len(b) {
		i += plainRun(b, i)
		if i == len(b) {
			break
		}
		c := b[i]
		if c >= utf8.RuneSelf {
			if size, _ := nonASCIIRun(b, i); size > 0 {
				i += size
				continue
			}
		}
		dst = append(dst, b[from:i]...)
		dst = appendEscaped(dst, c)
		i++
		from = i
	}
	dst = append(dst, b[from:]...)
	return append(dst, '"')
}

// appendEscaped appends what stands for a byte that cannot be literal.
func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	if c >= utf8.RuneSelf {
		return utf8.AppendRune(dst, utf8.RuneError)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
