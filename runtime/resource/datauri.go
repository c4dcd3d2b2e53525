package resource

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
)

// dataURI is what a data URI holds (RFC 2397).
type dataURI struct {
	mediaType string // as declared, "" when it is not
	base64    bool
	data      string // encoded
}

// splitDataURI takes a data URI apart. ok is false for text that is none.
func splitDataURI(text string) (u dataURI, ok bool) {
	const scheme = "data:"
	if len(text) < len(scheme) || !strings.EqualFold(text[:len(scheme)], scheme) {
		return u, false
	}
	header, data, ok := strings.Cut(text[len(scheme):], ",")
	if !ok || len(header) > 512 {
		return u, false
	}
	const suffix = ";base64"
	if n := len(header) - len(suffix); n >= 0 && strings.EqualFold(header[n:], suffix) {
		header, u.base64 = header[:n], true
	}
	u.mediaType, u.data = header, data
	return u, true
}

// size is an upper bound of the number of bytes that decode gives.
func (u dataURI) size() int64 {
	if u.base64 {
		return int64(len(u.data))/4*3 + 3
	}
	return int64(len(u.data))
}

// decode returns the bytes.
func (u dataURI) decode() (b []byte, ok bool) {
	data := u.data
	if strings.IndexByte(data, '%') >= 0 {
		plain, err := url.PathUnescape(data)
		if err != nil {
			return nil, false
		}
		data = plain
	}
	if !u.base64 {
		return []byte(data), true
	}
	return decodeBase64(data)
}

// decodeBase64 takes both alphabets, with and without padding, in lines or in one (RFC 4648 §4 and §5).
func decodeBase64(text string) (b []byte, ok bool) {
	src := []byte(text)
	if bytes.ContainsAny(src, "-_") {
		for i, c := range src {
			switch c {
			case '-':
				src[i] = '+'
			case '_':
				src[i] = '/'
			}
		}
	}
	src = bytes.TrimRight(src, "=\r\n")
	n, err := base64.RawStdEncoding.Decode(src, src)
	return src[:n], err == nil
}

// Text shorter than this is no file that anybody would miss: a scan does not look at it.
const (
	shortestURI    = 32
	shortestBase64 = 256
)

// signatures are how base64 begins when what it encodes begins with the signature of a format. They are
// compared with the text, so nothing is decoded to find out. What they suggest is proved afterwards.
var signatures = []string{
	"iVBORw0KGgo", "/9j/", "_9j_", "R0lGODdh", "R0lGODlh", // PNG, JPEG in both alphabets, GIF
	"UklGR", "GkXfo", "AAAA", // RIFF (WebP, WAV, AVI), Matroska, the first box of an MP4
	"SUQz", "T2dnU", "ZkxhQ", // MP3 with a tag, Ogg, FLAC
	"JVBERi0", "UEsDB", "H4sI", "N3q8ryc", // PDF, ZIP, gzip, 7z
}

// firsts are the bytes with which a data URI, one of the signatures, or an escape begins.
const firsts = `\dDi/_RUGASTZJHN`

// embedded returns the file that a string of data holds: a whole data URI, or base64 whose bytes begin with a
// known signature and prove to be of a format that has one (specification §7.5). Nothing is guessed from
// the name of a member, and text in which a data URI merely occurs is left alone.
func embedded(text string) (b []byte, declared string, ok bool) {
	if u, is := splitDataURI(text); is {
		if u.mediaType == "" && !u.base64 || u.mediaType != "" && !strings.Contains(u.mediaType, "/") || strings.ContainsAny(u.mediaType, " \n") {
			return nil, "", false // prose that begins with "data:"
		}
		b, ok = u.decode()
		return b, u.mediaType, ok
	}
	if len(text) < shortestBase64 || !signed(text) {
		return nil, "", false
	}
	if b, ok = decodeBase64(text); !ok {
		return nil, "", false
	}
	found, _ := mediaType(b, claims{})
	return b, "", found != octetStream && !textual(found)
}

// signed reports whether base64 begins like that of a file.
func signed(text string) bool {
	return slices.ContainsFunc(signatures, func(s string) bool { return strings.HasPrefix(text, s) })
}

// suspicious decides by the first bytes of a string as it stands in the document whether it is worth a closer
// look. It is asked for every long string of every payload.
func suspicious(raw []byte) bool {
	if strings.IndexByte(firsts, raw[0]) < 0 {
		return false
	}
	var buf [16]byte
	head := peek(buf[:0], raw)
	if len(head) >= 5 && head[4] == ':' && strings.EqualFold(string(head[:4]), "data") {
		return true
	}
	return len(raw) >= shortestBase64 && signed(string(head))
}

// peek appends the first bytes of a string's text to dst, as many as fit, up to an escape that no data URI
// and no base64 has there.
func peek(dst, raw []byte) []byte {
	for i := 0; i < len(raw) && len(dst) < cap(dst); i++ {
		c := raw[i]
		if c != '\\' {
			dst = append(dst, c)
			continue
		}
		switch rest := raw[i+1:]; {
		case len(rest) > 0 && rest[0] == '/':
			dst = append(dst, '/')
			i++
		case len(rest) > 4 && rest[0] == 'u' && rest[1] == '0' && rest[2] == '0':
			c, ok := hexPair(rest[3], rest[4])
			if !ok || c >= 0x80 {
				return dst
			}
			dst = append(dst, c)
			i += 5
		default:
			return dst
		}
	}
	return dst
}

func hexPair(a, b byte) (byte, bool) {
	x, y := strings.IndexByte(hexDigits, a|0x20), strings.IndexByte(hexDigits, b|0x20)
	return byte(x<<4 | y), x >= 0 && y >= 0
}

const hexDigits = "0123456789abcdef"
