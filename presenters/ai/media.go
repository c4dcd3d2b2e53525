package ai

import "strings"

// The bytes of a file, written in base64 into a text, are for nobody who reads text (specification §7.5). A file
// that is a string of its own has become a resource by now. Here it is about those that a tool puts into its
// words, such as a picture in Markdown: a data URI says that it is one, anything else is only taken for a file
// when it begins with the signature of a format. What merely looks like base64 is text.

// leastMedia is the length, in characters, from which on base64 is left out. Below it is as long as a sentence.
const leastMedia = 256

// longestMedia is the longest beginning of a data URI before its data.
const longestMedia = 200

// signatures are how formats begin in base64.
var signatures = []string{
	"iVBORw0KGgo", "/9j/", "R0lGODdh", "R0lGODlh", "UklGR", "SUkqA", "TU0AK", "JVBERi0", "UEsDB", "H4sIA", "N3q8ry", "UmFyIR", "SUQz", "T2dnUw", "ZkxhQ",
	"AAAAFGZ0eX", "AAAAGGZ0eX", "AAAAHGZ0eX", "AAAAIGZ0eX", "GkXfo", "f0VMRg", "AGFzbQ", "d09GMg", "d09GRg",
}

func mediaNote(n int) string { return "[base64 of " + itoa(n) + " characters]" }

// embedded returns how many of the next characters are a file, 0 for none.
func (c chars) embedded() int {
	if len(c.raw) < leastMedia || !strings.ContainsRune(`dD\iRUSTJHNZAGf/`, rune(c.raw[0])) {
		return 0
	}
	var buf [16]byte
	head := buf[:0]
	for ahead := c; len(head) < cap(head); {
		r, ok := ahead.next()
		if !ok || r >= 0x80 {
			break
		}
		head = append(head, byte(r))
	}
	if text := string(head); len(text) > 5 && strings.EqualFold(text[:5], "data:") {
		return c.dataURI()
	}
	for _, s := range signatures {
		if strings.HasPrefix(string(head), s) {
			if n := c.run(); n >= leastMedia {
				return n
			}
		}
	}
	return 0
}

// dataURI returns the length of a data URI whose data is base64.
func (c chars) dataURI() int {
	var head strings.Builder
	for head.Len() < longestMedia {
		r, ok := c.next()
		switch {
		case !ok, r <= ' ', r == '"', r == '\'', r == '<', r == '>', r == '(', r == ')', r >= 0x7f:
			return 0
		case r == ',':
			if strings.HasSuffix(strings.ToLower(head.String()), ";base64") {
				if n := c.run(); head.Len()+1+n >= leastMedia {
					return head.Len() + 1 + n
				}
			}
			return 0
		}
		head.WriteByte(byte(r))
	}
	return 0
}

// run returns the length of the base64 that comes next. Its lines may be broken.
func (c chars) run() (n int) {
	for taken := 0; ; {
		r, ok := c.next()
		if !ok {
			return n
		}
		taken++
		switch {
		case inBase64(r), r == '=':
			n = taken
		case r == '\n', r == '\r':
		default:
			return n
		}
	}
}

func inBase64(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '+' || r == '/' || r == '-' || r == '_'
}

// skip passes n characters.
func (c *chars) skip(n int) {
	for range n {
		c.next()
	}
}
