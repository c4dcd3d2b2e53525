package ai

import (
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
	r, size := wire.NextPoint(c.raw)
	c.raw = c.raw[size:]
	return r, true
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
func cellChar(p *painter, r rune) { escapedChar(p, r, '|') }

// jsonChar is for a string of JSON.
func jsonChar(p *painter, r rune) { escapedChar(p, r, '"') }

// escapedChar puts a backslash before what would end the place, and before a backslash.
func escapedChar(p *painter, r, end rune) {
	switch r {
	case end, '\\':
		p.rune('\\')
		p.rune(r)
	case '\t':
		p.put(`\t`)
	default:
		plainChar(p, r)
	}
}

// lines calls end at each end of a line, of which a carriage return with a line feed is one, and char for every
// other character.
func lines(end func(p *painter), char writer) writer {
	carriage := false
	return func(p *painter, r rune) {
		if r == '\n' && carriage {
			carriage = false
			return
		}
		carriage = r == '\r'
		if r == '\n' || r == '\r' {
			end(p)
			return
		}
		char(p, r)
	}
}

// quoteChar is for a block quote: every line is marked, so that no line of a string passes for one of ours.
func quoteChar(indent int) writer {
	fresh := true
	return lines(func(p *painter) {
		p.line(indent)
		p.rune('>')
		fresh = true
	}, func(p *painter, r rune) {
		if fresh {
			p.rune(' ')
			fresh = false
		}
		p.visible(r)
	})
}

// fenceChar is for a block of code.
func fenceChar(indent int) writer {
	return lines(func(p *painter) { p.line(indent) }, (*painter).visible)
}

// copy appends characters of string at as long as they fit before end, and returns how many were taken. It
// does not cut what belongs together (see clusters) when that is cheap.
func (p *painter) copy(at, end int, write writer) (taken int) {
	var (
		c      = p.charsOf(at)
		look   clusters
		safe   = p.mark()
		before = 0     // characters taken at safe
		inside = false // a word that could be base64
	)
	for {
		if !inside {
			if n := c.embedded(); n > 0 {
				here := p.mark()
				p.put(mediaNote(n))
				if p.n > end {
					p.back(here)
					return taken
				}
				c.skip(n)
				taken += n
				safe, before = p.mark(), taken
				p.omit(at)
				continue
			}
		}
		r, ok := c.next()
		if !ok {
			return taken
		}
		inside = inBase64(r)
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
