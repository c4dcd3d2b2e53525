package ai

import (
	"bytes"
	"strings"
	"time"
	"unicode"
)

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
	p.first(start, s, taken, count, "characters")
	p.omit(at)
	return cut
}

// first puts a note before what was drawn from start on: it is the beginning of something longer.
func (p *painter) first(start mark, s slot, taken, count int, what string) {
	note := "[first " + itoa(taken) + " of " + itoa(count) + " " + what + "]"
	if s.labelled {
		p.insert(start, " "+note)
	} else {
		p.insert(start, note+" ")
	}
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
	return ok && (r > unicode.MaxASCII || unicode.IsLetter(r)) && inked(r)
}

// inked reports whether a character is seen by itself. Marks are drawn on what stands before them, and some
// letters on nothing: behind one of them a forged mark would look as if it stood at the front of the line.
func inked(r rune) bool {
	const braille = 0x2800 // without a dot
	return unicode.IsPrint(r) && r != braille && !unicode.IsMark(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// longestMarker is the most digits that the number of a list item can have in Markdown.
const longestMarker = 9
