package secret

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// form is one way in which a value is written.
type form struct {
	text string
	// left and right say that the character before or after a match holds bits of the value as well.
	left, right bool
}

// formsOf returns the forms of a value that are searched for. What views undo is not among them.
func formsOf(value string) []form {
	forms := []form{{text: value}}
	if plus := strings.ReplaceAll(value, " ", "+"); plus != value {
		forms = append(forms, form{text: plus})
	}
	digits := hex.EncodeToString([]byte(value))
	forms = append(forms, form{text: digits}, form{text: strings.ToUpper(digits)})
	// In base64 a value reads differently after 0, 1 and 2 other bytes. Characters that hold bits of its
	// neighbours too are left out of the form.
	for skip := range 3 {
		padded := append(make([]byte, skip), value...)
		bits := 8 * len(padded)
		from, to := (8*skip+5)/6, bits/6
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			f := form{text: alphabet.EncodeToString(padded)[from:to], left: skip > 0, right: bits%6 > 0}
			if n := len(forms); forms[n-1].text != f.text {
				forms = append(forms, f)
			}
		}
	}
	return forms
}

// The search goes through a text with a window of eight bytes. A table tells from the last three of them how
// far the window can move on without missing the start of a form (Wu and Manber's idea); where it cannot move,
// all eight bytes look up the forms that begin with them. So most bytes are never looked at, and no text costs
// more than a lookup for each byte and a comparison of at most compared bytes for each form there.
const (
	window   = MinLength
	block    = 3
	farthest = window - block + 1
	compared = 256
	slots    = 1 << 14
)

type matcher struct {
	shift   [slots]uint8 // farthest less the distance that the window may move, so that zero is the default
	heads   map[uint64][]form
	starts  map[[fragment]byte][]string // forms by their first bytes
	ends    map[[fragment]byte][]string // and by their last
	longest int
}

func slot(a, b, c byte) uint32 {
	return (uint32(a) | uint32(b)<<8 | uint32(c)<<16) * 0x9e3779b1 >> 18
}

func (m *matcher) add(f form) {
	if m.heads == nil {
		m.heads, m.starts, m.ends = map[uint64][]form{}, map[[fragment]byte][]string{}, map[[fragment]byte][]string{}
	}
	head := binary.LittleEndian.Uint64([]byte(f.text[:window]))
	for _, known := range m.heads[head] {
		if known.text == f.text {
			return
		}
	}
	m.heads[head] = append(m.heads[head], f)
	first, last := [fragment]byte([]byte(f.text[:fragment])), [fragment]byte([]byte(f.text[len(f.text)-fragment:]))
	m.starts[first], m.ends[last] = append(m.starts[first], f.text), append(m.ends[last], f.text)
	m.longest = max(m.longest, len(f.text))
	for j := range farthest {
		at := slot(f.text[j], f.text[j+1], f.text[j+2])
		m.shift[at] = max(m.shift[at], uint8(j+1)) // the window may move farthest-1-j
	}
}

// scan calls hit for every form in text, also for those that overlap.
func (m *matcher) scan(text []byte, hit func(start, end int)) {
	var reached map[string]int // where the last match of a long form ended
	for i := 0; i+window <= len(text); {
		w := text[i : i+window : i+window]
		if move := farthest - int(m.shift[slot(w[window-3], w[window-2], w[window-1])]); move > 0 {
			i += move
			continue
		}
		for _, f := range m.heads[binary.LittleEndian.Uint64(w)] {
			end := f.match(text, i)
			if end == 0 {
				continue
			}
			// A text that repeats itself matches a long form that does so at every period. Each match was followed to
			// its end once; those inside of it need not be, or the cost would be quadratic.
			if len(f.text) > compared && i >= reached[f.text] {
				for end-i < len(f.text) && end < len(text) && text[end] == f.text[end-i] {
					end++
				}
				if reached == nil {
					reached = map[string]int{}
				}
				reached[f.text] = end
			}
			hit(f.widen(text, i, end))
		}
		i++
	}
}

// match returns where the form, or as much of it as is compared, ends in text when it begins at i, 0 when it
// does not.
func (f *form) match(text []byte, i int) int {
	n := min(len(f.text), compared)
	if len(text)-i < n || string(text[i:i+n]) != f.text[:n] {
		return 0
	}
	return i + n
}

// widen adds the characters around a match that hold bits of the value.
func (f *form) widen(text []byte, start, end int) (int, int) {
	if f.left && start > 0 && isBase64(text[start-1]) {
		start--
	}
	if !f.right {
		return start, end
	}
	if end < len(text) && isBase64(text[end]) {
		end++
	}
	for range 2 {
		if end < len(text) && text[end] == '=' {
			end++
		}
	}
	return start, end
}

func isBase64(c byte) bool {
	return c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '+' || c == '/' || c == '-' || c == '_'
}
