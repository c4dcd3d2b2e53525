package wire

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"vcp.core/contract/errcode"
)

const hexDigits = "0123456789abcdef"

// anyString goes on where plainString stopped: start is the opening quote, i the first byte that is
// not plain ASCII. points counts code points, an escaped surrogate pair as one.
func anyString(src []byte, start, i int) (end, points int, flags Flags, err *Error) {
	points = i - start - 1
	for i < len(src) {
		c := src[i]
		switch {
		case c == '"':
			return i + 1, points, flags, nil
		case c == '\\':
			r, size, err := escape(src, i)
			if err != nil {
				return 0, 0, 0, err
			}
			flags |= Escaped
			if r >= utf8.RuneSelf {
				flags |= NonASCII
			}
			i += size
			points++
		case c < ' ':
			return 0, 0, 0, notJSON(i, "a string contains the control character U+00"+string([]byte{"01"[c>>4], "0123456789ABCDEF"[c&15]})+" unescaped")
		case c < utf8.RuneSelf:
			plain := plainRun(src, i)
			points += plain
			i += plain
		default:
			size, count := nonASCIIRun(src, i)
			if size == 0 {
				return 0, 0, 0, notUTF8(src, i)
			}
			flags |= NonASCII
			points += count
			i += size
		}
	}
	return 0, 0, 0, notJSON(len(src), "expected the end of a string, found the end of the document")
}

// plainRun returns how many bytes at i are plain ASCII. The byte at i is.
func plainRun(src []byte, i int) int {
	j := i
	for j+8 <= len(src) {
		if m := special(binary.LittleEndian.Uint64(src[j:])); m != 0 {
			return j + bits.TrailingZeros64(m)>>3 - i
		}
		j += 8
	}
	for j < len(src) && src[j] != '"' && src[j] != '\\' && src[j] >= ' ' && src[j] < utf8.RuneSelf {
		j++
	}
	return j - i
}

// nonASCIIRun returns the bytes and code points of the sequence of non-ASCII characters at i, size 0
// when the first is not valid. Text in most scripts that are not ASCII has two or three bytes a
// character, and three in Chinese, Japanese and Korean, so those are tested first, four bytes a load.
func nonASCIIRun(src []byte, i int) (size, points int) {
	j := i
scripts:
	for j+4 <= len(src) {
		switch w := binary.LittleEndian.Uint32(src[j:]); {
		case isThreeBytes(w):
			j += 3
		case w&0xc0e0 == 0x80c0 && w&0x1e != 0: // 110xxxxx 10xxxxxx, not overlong
			j += 2
		default:
			break scripts
		}
		points++
	}
	for j < len(src) && src[j] >= utf8.RuneSelf {
		_, n := utf8.DecodeRune(src[j:])
		if n == 1 {
			break // not valid: an error at the first character, else the caller comes back for it
		}
		j += n
		points++
	}
	return j - i, points
}

// isThreeBytes reports whether the lower three bytes of w are 1110xxxx 10xxxxxx 10xxxxxx and a code point.
// After E0 the second byte is at least A0 (else the form is overlong), after ED it is less (else it is a
// surrogate).
func isThreeBytes(w uint32) bool {
	if w&0xc0c0f0 != 0x8080e0 {
		return false
	}
	lead, high := w&0xff, w&0x2000 != 0
	return !(lead == 0xe0 && !high || lead == 0xed && high)
}

// escape reads the escape sequence at i (RFC 8259 §7) and returns its code point and length: 2, 6, or
// 12 for a surrogate pair.
func escape(src []byte, i int) (rune, int, *Error) {
	if i+1 >= len(src) {
		return 0, 0, unexpected(src, i+1, "an escape sequence")
	}
	if c := src[i+1]; c != 'u' {
		if r := shortEscape[c]; r != 0 {
			return rune(r), 2, nil
		}
		err := unexpected(src, i+1, "one of \"\\/bfnrtu after a backslash")
		if err.Reason == errcode.NotJSON {
			err.Offset = i
		}
		return 0, 0, err
	}
	r, err := hex4(src, i)
	if err != nil {
		return 0, 0, err
	}
	if r < 0xd800 || r > 0xdfff {
		return r, 6, nil
	}
	lone := &Error{Offset: i, Reason: errcode.NotUTF8, Detail: "the escape " + string(src[i:i+6]) + " is half of a surrogate pair"}
	if r >= 0xdc00 || i+7 >= len(src) || src[i+6] != '\\' || src[i+7] != 'u' {
		return 0, 0, lone
	}
	low, err := hex4(src, i+6)
	if err != nil {
		return 0, 0, err
	}
	if low < 0xdc00 || low > 0xdfff {
		return 0, 0, lone
	}
	return 0x10000 + (r-0xd800)<<10 + (low - 0xdc00), 12, nil
}

// hex4 reads the four hexadecimal digits of the \u escape at i.
func hex4(src []byte, i int) (rune, *Error) {
	r := rune(0)
	for j := i + 2; j < i+6; j++ {
		if j >= len(src) {
			return 0, unexpected(src, j, "four hexadecimal digits after \\u")
		}
		d := hexValue(src[j])
		if d < 0 {
			return 0, unexpected(src, j, "four hexadecimal digits after \\u")
		}
		r = r<<4 | d
	}
	return r, nil
}

func hexValue(c byte) rune {
	switch {
	case c-'0' <= 9:
		return rune(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10
	}
	return -1
}

// shortEscape maps the byte after a backslash to what it stands for.
var shortEscape = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// nextDecoded returns the code point of the escape at the start of raw and its length. raw is the
// inside of a string that a scan accepted, so nothing can be wrong with it.
func nextDecoded(raw []byte) (rune, int) {
	r, size, err := escape(raw, 0)
	if err != nil {
		return utf8.RuneError, 1
	}
	return r, size
}

// appendDecoded appends the inside of an accepted string, escapes resolved.
func appendDecoded(dst, raw []byte) []byte {
	for len(raw) > 0 {
		if raw[0] == '\\' {
			r, size := nextDecoded(raw)
			dst = utf8.AppendRune(dst, r)
			raw = raw[size:]
			continue
		}
		n := 1
		for n < len(raw) && raw[n] != '\\' {
			n++
		}
		dst = append(dst, raw[:n]...)
		raw = raw[n:]
	}
	return dst
}

// equalDecoded reports whether the inside of an accepted string, escapes resolved, is text. It needs no
// buffer.
func equalDecoded[S string | []byte](raw []byte, text S) bool {
	for len(raw) > 0 {
		if raw[0] != '\\' {
			if len(text) == 0 || raw[0] != text[0] {
				return false
			}
			raw, text = raw[1:], text[1:]
			continue
		}
		r, size := nextDecoded(raw)
		var buf [utf8.UTFMax]byte
		n := utf8.EncodeRune(buf[:], r)
		if len(text) < n || string(buf[:n]) != string(text[:n]) {
			return false
		}
		raw, text = raw[size:], text[n:]
	}
	return len(text) == 0
}

// compareRaw compares the insides of two accepted strings, escapes resolved, by code points. That is also
// the order of their UTF-8 bytes.
func compareRaw(a, b []byte) int {
	for len(a) > 0 && len(b) > 0 {
		if a[0] == b[0] && a[0] != '\\' {
			a, b = a[1:], b[1:]
			continue
		}
		if a[0] != '\\' && b[0] != '\\' {
			// UTF-8 sorts like code points, so the first byte that differs decides.
			return cmpInt(int64(a[0]), int64(b[0]))
		}
		// One side is an escape: both stand at the start of a character.
		r, n := NextPoint(a)
		s, m := NextPoint(b)
		if r != s {
			return cmpInt(int64(r), int64(s))
		}
		a, b = a[n:], b[m:]
	}
	return cmpInt(int64(len(a)), int64(len(b)))
}

// NextPoint returns the code point at the start of raw, an escape resolved, and the bytes it takes there. raw is
// the inside of a string of a tape ([Tape.Raw] without its quotes), or the rest of one, and not empty. So a long
// string can be read as far as somebody wants to know.
func NextPoint(raw []byte) (rune, int) {
	if raw[0] == '\\' {
		return nextDecoded(raw)
	}
	return utf8.DecodeRune(raw)
}
