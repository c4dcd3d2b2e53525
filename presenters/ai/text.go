package ai

import (
	"bytes"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vcp.core/contract/wire"
)

// chars reads the characters of a string one by one, so that a long string costs what is looked at.
type chars struct{ raw []byte }

// charsOf reads string or name at.
func (p *painter) charsOf(at int) chars {
	raw := p.t.Raw(at)
	return chars{raw[1 : len(raw)-1]}
}

// next returns the next character. The tape has checked escapes and UTF-8.
func (c *chars) next() (r rune, ok bool) {
	if len(c.raw) == 0 {
		return 0, false
	}
	if b := c.raw[0]; b != '\\' {
		if b < utf8.RuneSelf {
			c.raw = c.raw[1:]
			return rune(b), true
		}
		r, size := utf8.DecodeRune(c.raw)
		c.raw = c.raw[size:]
		return r, true
	}
	b := c.raw[1]
	c.raw = c.raw[2:]
	switch b {
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	case 'u':
		r = c.hex()
		if r >= 0xd800 && r < 0xdc00 { // its partner follows
			c.raw = c.raw[2:]
			r = 0x10000 + (r-0xd800)<<10 + c.hex() - 0xdc00
		}
		return r, true
	}
	return rune(b), true // one of " \ /
}

func (c *chars) hex() (r rune) {
	for _, b := range c.raw[:4] {
		r <<= 4
		switch {
		case b <= '9':
			r |= rune(b - '0')
		default:
			r |= rune(b|0x20-'a') + 10
		}
	}
	c.raw = c.raw[4:]
	return r
}

// head returns up to n characters of string at, decoded; "" for what is no string.
func (p *painter) head(at, n int) string {
	if at < 0 || p.t.Kind(at) != wire.KindString {
		return ""
	}
	var buf []byte
	for c := p.charsOf(at); n > 0; n-- {
		r, ok := c.next()
		if !ok {
			break
		}
		buf = utf8.AppendRune(buf, r)
	}
	return string(buf)
}

// writer appends one character of a string, in the way of the place where the string stands.
type writer func(p *painter, r rune)

func plainChar(p *painter, r rune) {
	switch r {
	case '\n':
		p.put(`\n`)
	case '\r':
		p.put(`\r`)
	default:
		p.visible(r)
	}
}

// cellChar is for a cell of a table: nothing in it ends the cell or the row, and a backslash stays one.
func cellChar(p *painter, r rune) {
	switch r {
	case '|', '\\':
		p.rune('\\')
		p.rune(r)
	case '\t':
		p.put(`\t`)
	default:
		plainChar(p, r)
	}
}

// quoteChar is for a block quote: every line is marked, so that no line of a string passes for one of ours.
func quoteChar(indent int) writer {
	fresh, carriage := true, false
	return func(p *painter, r rune) {
		if r == '\n' && carriage {
			carriage = false
			return
		}
		carriage = r == '\r'
		if r == '\n' || r == '\r' {
			p.line(indent)
			p.rune('>')
			fresh = true
			return
		}
		if fresh {
			p.rune(' ')
			fresh = false
		}
		p.visible(r)
	}
}

// fenceChar is for a block of code.
func fenceChar(indent int) writer {
	carriage := false
	return func(p *painter, r rune) {
		if r == '\n' && carriage {
			carriage = false
			return
		}
		carriage = r == '\r'
		if r == '\n' || r == '\r' {
			p.line(indent)
			return
		}
		p.visible(r)
	}
}

// copy appends characters of string at as long as they fit before end, and returns how many were taken. It
// does not cut what belongs together (see clusters) when that is cheap.
func (p *painter) copy(at, end int, write writer) (taken int) {
	var (
		c      = p.charsOf(at)
		look   clusters
		safe   = p.mark()
		before = 0 // characters taken at safe
	)
	for {
		r, ok := c.next()
		if !ok {
			return taken
		}
		here := p.mark()
		if look.starts(r) || p.n-safe.n > longestCluster {
			safe, before = here, taken
		}
		write(p, r)
		if p.n > end {
			p.back(safe)
			return before
		}
		taken++
	}
}

// leastShown is what a cut string shows at least; below that it is left out.
const leastShown = 8

// text appends a string: on the line of its label, or as a block quote below when it has several lines or
// could be taken for something of ours where it stands. A string that does not fit is cut, and a note says so
// before it begins, where nothing in the string can pretend to be that note.
func (p *painter) text(at int, s slot, end int) fit {
	start := p.mark()
	if s.inline(p); p.special(at, end) {
		return p.within(start, end)
	}
	if p.blank(at) {
		p.jsonText(at)
		return p.within(start, end)
	}
	p.back(start)
	draw := func(end int) int {
		s.inline(p)
		return p.copy(at, end, plainChar)
	}
	if p.manyLines(at, end-p.n) || !s.labelled && !p.safeStart(at) {
		draw = func(end int) int {
			s.block(p)
			p.line(s.indent)
			p.rune('>')
			return p.copy(at, end, quoteChar(s.indent))
		}
	}
	return p.noted(at, s, end, draw)
}

// code appends a string as a block of code, with a fence that nothing inside can close.
func (p *painter) code(at int, s slot, end int) fit {
	longest, run := 2, 0
	c := p.charsOf(at)
	for range end - p.n {
		r, ok := c.next()
		if !ok {
			break
		}
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return p.noted(at, s, end, func(end int) (taken int) {
		s.block(p)
		p.line(s.indent)
		p.put(fence)
		p.line(s.indent)
		taken = p.copy(at, end-1-s.indent-len(fence), fenceChar(s.indent))
		p.line(s.indent)
		p.put(fence)
		return taken
	})
}

// noted calls draw; when that could not take the whole string, it calls draw again with less room and puts a
// note about the cut before it.
func (p *painter) noted(at int, s slot, end int, draw func(end int) (taken int)) fit {
	start, count := p.mark(), p.t.Count(at)
	if taken := draw(end); taken == count && p.n <= end {
		return whole
	}
	p.back(start)
	if !p.tight {
		return p.overflow()
	}
	const frame = len(" [first  of  characters]")
	if !s.labelled {
		p.hang = false // the note takes the place behind the number
	}
	taken := draw(end - frame - 2*digits(count))
	if taken < min(leastShown, count) || p.n > end {
		p.back(start)
		return none
	}
	note := "[first " + itoa(taken) + " of " + itoa(count) + " characters]"
	if s.labelled {
		p.insert(start, " "+note)
	} else {
		p.insert(start, note+" ")
	}
	p.omit(at)
	return cut
}

// blank reports whether a short string would not be seen: it is empty, or there are only spaces in it.
func (p *painter) blank(at int) bool {
	const short = 40
	if p.t.Count(at) > short {
		return false
	}
	for _, r := range p.head(at, short) {
		if r == '\n' || r == '\r' || !unicode.IsSpace(r) {
			return false
		}
	}
	return true
}

// manyLines reports whether a line ends within the first n characters.
func (p *painter) manyLines(at, n int) bool {
	for c := p.charsOf(at); n > 0; n-- {
		r, ok := c.next()
		if !ok {
			return false
		}
		if r == '\n' || r == '\r' {
			return true
		}
	}
	return false
}

// special appends strings that are more than text: addresses as links, times with the reader's own clock,
// embedded media as a note. It reports whether the string is one of them.
func (p *painter) special(at, end int) bool {
	count := p.t.Count(at)
	raw := p.charsOf(at).raw
	switch {
	case count > longestDataURI && bytes.HasPrefix(raw, []byte("data:")):
		p.put("[data URI of " + itoa(count) + " characters]")
		if p.n <= end {
			p.omit(at)
		}
		return true
	case linkable(raw) && count <= longestURL:
		url := p.t.String(at)
		if !plainURL(url) {
			return false
		}
		p.put("<" + url + ">")
		return true
	case p.location != nil && count >= 20 && count <= 40 && raw[0] <= '9':
		text := p.t.String(at)
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return false
		}
		p.put(text + " (" + when.In(p.location).Format("2006-01-02 15:04:05 MST") + ")")
		return true
	}
	return false
}

// longestDataURI is the longest data: URI that is repeated. What is longer is a file that nobody can read
// in a text (specification §7.5).
const longestDataURI = 200

// longestURL is the longest address that becomes a link.
const longestURL = 2000

// linkable reports whether a string begins as an address of the web does.
func linkable(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte("https://")) || bytes.HasPrefix(raw, []byte("http://"))
}

// plainURL reports whether a string can stand between < and > and nothing else happens.
func plainURL(s string) bool {
	for _, r := range s {
		if r <= ' ' || r == '<' || r == '>' || r == '\\' || r == '|' || r == '`' || unseen(r) || unicode.IsSpace(r) {
			return false
		}
	}
	return true
}

// safeStart reports whether a string can begin a line: nothing at its front would be taken for the mark of
// a heading, a list, a quote, a table, a fence, or one of our notes.
func (p *painter) safeStart(at int) bool {
	c := p.charsOf(at)
	r, ok := c.next()
	for digits := 0; ok && r >= '0' && r <= '9'; digits++ {
		if digits == longestMarker {
			return true
		}
		if r, ok = c.next(); !ok || r == ' ' || r == '-' || r == ':' || r == '/' {
			return true
		}
		if r == '.' || r == ')' {
			return false
		}
		if unicode.IsLetter(r) {
			return true
		}
	}
	return ok && (unicode.IsLetter(r) || r > unicode.MaxASCII && !unicode.IsSpace(r) && !unseen(r))
}

// longestMarker is the most digits that the number of a list item can have in Markdown.
const longestMarker = 9

// longestName is how much of a member name a label shows.
const longestName = 100

// name appends the name of a member as a label. A name that is no plain word stands in a code span, so that
// it is nothing but a name.
func (p *painter) name(at int) {
	c := p.charsOf(at)
	plain, run, ticks := p.t.Count(at) > 0, 0, 0
	var shown []rune
	for len(shown) < longestName {
		r, ok := c.next()
		if !ok {
			break
		}
		shown = append(shown, r)
		if r == '`' {
			run++
			ticks = max(ticks, run)
		} else {
			run = 0
		}
		word := unicode.IsLetter(r) || unicode.IsMark(r) || r == '_'
		inside := word || r >= '0' && r <= '9' || r == '-' || r == '.' || r == ' ' || r == '$'
		plain = plain && (word || inside && len(shown) > 1)
	}
	if count := len(shown); count > 0 && shown[count-1] == ' ' {
		plain = false
	}
	p.span(shown, ticks, plain)
	if count := p.t.Count(at); count > len(shown) {
		p.put(" [first " + itoa(len(shown)) + " of " + itoa(count) + " characters of the name]")
		p.omitPart(at)
	}
}

// span appends text, in a code span whose fence is longer than any run of backticks inside unless it is plain.
func (p *painter) span(text []rune, ticks int, plain bool) {
	if len(text) == 0 {
		p.put(`""`)
		return
	}
	if plain {
		for _, r := range text {
			p.visible(r)
		}
		return
	}
	for range ticks + 1 {
		p.rune('`')
	}
	pad := text[0] == '`' || text[len(text)-1] == '`' || text[0] == ' '
	if pad {
		p.rune(' ')
	}
	for _, r := range text {
		plainChar(p, r)
	}
	if pad {
		p.rune(' ')
	}
	for range ticks + 1 {
		p.rune('`')
	}
}

// spanOf appends a string of ours or of a caller as a label: as a plain word when it is one.
func (p *painter) spanOf(s string) {
	plain, ticks, run := s != "", 0, 0
	for i, r := range s {
		if r == '`' {
			run++
			ticks = max(ticks, run)
		} else {
			run = 0
		}
		word := unicode.IsLetter(r) || unicode.IsMark(r) || r == '_'
		plain = plain && (word || i > 0 && (r >= '0' && r <= '9' || r == '-' || r == '.' || r == ' '))
	}
	p.span([]rune(s), ticks, plain)
}

// json appends a small value as compact JSON: strings decoded and written again, so that < > & are literal.
func (p *painter) json(at int) {
	t := p.t
	switch t.Kind(at) {
	case wire.KindString:
		p.jsonText(at)
	case wire.KindArray:
		p.rune('[')
		for c := t.FirstChild(at); c < t.Next(at); c = t.Next(c) {
			if c > t.FirstChild(at) {
				p.rune(',')
			}
			p.json(c)
		}
		p.rune(']')
	case wire.KindObject:
		p.rune('{')
		for m := t.Members(at); m.Next(); {
			if m.Name > t.FirstChild(at) {
				p.rune(',')
			}
			p.jsonText(m.Name)
			p.rune(':')
			p.json(m.Value)
		}
		p.rune('}')
	default:
		p.put(string(t.Raw(at)))
	}
}

func (p *painter) jsonText(at int) {
	p.rune('"')
	for c := p.charsOf(at); ; {
		r, ok := c.next()
		if !ok {
			break
		}
		switch r {
		case '"', '\\':
			p.rune('\\')
			p.rune(r)
		case '\t':
			p.put(`\t`)
		default:
			plainChar(p, r)
		}
	}
	p.rune('"')
}
