package ai

import (
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// page is text under construction. It counts characters, which are code points, and it can go back.
type page struct {
	buf  []byte
	n    int  // characters in buf
	hang bool // the next line goes on where the last one was left: behind a number or a bullet
}

// mark is a place to go back to.
type mark struct {
	bytes, n int
	hang     bool
}

func (p *page) mark() mark  { return mark{len(p.buf), p.n, p.hang} }
func (p *page) back(m mark) { p.buf, p.n, p.hang = p.buf[:m.bytes], m.n, m.hang }

func (p *page) put(s string) {
	p.buf = append(p.buf, s...)
	p.n += utf8.RuneCountInString(s)
}

// insert puts s where m was taken.
func (p *page) insert(m mark, s string) {
	p.buf = slices.Insert(p.buf, m.bytes, []byte(s)...)
	p.n += utf8.RuneCountInString(s)
}

func (p *page) rune(r rune) {
	p.buf = utf8.AppendRune(p.buf, r)
	p.n++
}

// line begins a line.
func (p *page) line(indent int) {
	if p.hang {
		p.hang = false
		return
	}
	if len(p.buf) > 0 {
		p.rune('\n')
	}
	p.spaces(indent)
}

func (p *page) spaces(n int) {
	for range n {
		p.rune(' ')
	}
}

// visible appends a character of somebody else's text. What would change how the text around it looks or
// reads, and is not seen itself, is spelled out as \u202e or \u{e0041}: control characters, overrides of
// the direction of writing, line separators beyond \n, and characters of Unicode's tag block, which carry
// words that people cannot see.
func (p *page) visible(r rune) {
	if !unseen(r) {
		p.rune(r)
		return
	}
	const digits = "0123456789abcdef"
	p.put(`\u`)
	if r <= 0xffff {
		for shift := 12; shift >= 0; shift -= 4 {
			p.rune(rune(digits[r>>shift&15]))
		}
		return
	}
	p.put("{" + strconv.FormatInt(int64(r), 16) + "}")
}

func unseen(r rune) bool {
	switch {
	case r < ' ':
		return r != '\t'
	case r < 0x7f:
		return false
	case r < 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	case r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}

// clusters tells where a text may be cut: not between a character and what is drawn on top of it or joined
// to it. It knows marks, joiners, variation selectors, skin tones and flags, which is what people notice.
type clusters struct {
	prev  rune
	flags int // regional indicators in a row
}

// starts reports whether r begins something new.
func (c *clusters) starts(r rune) bool {
	begins := c.prev != '\u200d'
	switch {
	case r < 0x300:
	case r == '\u200d', r >= 0xfe00 && r <= 0xfe0f, r >= 0x1f3fb && r <= 0x1f3ff, unicode.Is(unicode.M, r):
		begins = false
	case r >= 0x1f1e6 && r <= 0x1f1ff:
		begins = begins && c.flags%2 == 0
	}
	c.prev = r
	if r >= 0x1f1e6 && r <= 0x1f1ff {
		c.flags++
	} else {
		c.flags = 0
	}
	return begins
}

// longestCluster is how far a cut goes back for the sake of looks.
const longestCluster = 32

// digits returns how many digits n has.
func digits(n int) int { return len(strconv.Itoa(n)) }
