package ai

import (
	"unicode"

	"vcp.core/contract/wire"
)

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
