package ai

import (
	"strings"
	"unicode"

	"vcp.core/contract/wire"
)

// longestName is how much of a member name a label shows.
const longestName = 100

// name appends the name of a member as a label. A name that is no plain word stands in a code span, so that
// it is nothing but a name.
func (p *painter) name(at int) {
	c := p.charsOf(at)
	var shown []rune
	for len(shown) < longestName {
		r, ok := c.next()
		if !ok {
			break
		}
		shown = append(shown, r)
	}
	p.span(shown)
	if count := p.t.Count(at); count > len(shown) {
		p.put(" [first " + itoa(len(shown)) + " of " + itoa(count) + " characters of the name]")
		p.omitPart(at)
	}
}

// word reports whether a text is a word, or several, and reads like no mark of ours: letters first, then digits and
// a few signs too, and no space at its end.
func word(text []rune) bool {
	for i, r := range text {
		if unicode.IsLetter(r) || unicode.IsMark(r) || r == '_' {
			continue
		}
		if i == 0 || !(r >= '0' && r <= '9' || strings.ContainsRune("-. $", r)) {
			return false
		}
	}
	return len(text) > 0 && text[len(text)-1] != ' '
}

// span appends text: as it is when it is a plain word, else in a code span.
func (p *painter) span(text []rune) {
	if len(text) == 0 {
		p.put(`""`)
		return
	}
	if word(text) {
		for _, r := range text {
			p.visible(r)
		}
		return
	}
	p.codeSpan(text)
}

// codeSpan appends text, which is not empty, in a code span whose fence is longer than any run of backticks inside.
func (p *painter) codeSpan(text []rune) {
	ticks, run := 0, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		ticks = max(ticks, run)
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

// spanOf appends a string of ours or of a caller as a label.
func (p *painter) spanOf(s string) { p.span([]rune(s)) }

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
		jsonChar(p, r)
	}
	p.rune('"')
}
