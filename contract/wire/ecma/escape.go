package ecma

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// atomEscape reads an escape outside a class.
func (p *parser) atomEscape() *node {
	start := p.pos
	if p.pos+1 >= len(p.pattern) {
		p.fail(start, `\ at end of pattern`)
	}
	switch c := p.pattern[p.pos+1]; {
	case c == 'b':
		p.pos += 2
		return &node{op: opBoundary}
	case c == 'B':
		p.pos += 2
		return &node{op: opNotBoundary}
	case '1' <= c && c <= '9':
		p.pos++
		n, _ := p.count()
		ref := &node{op: opBackref, index: n}
		p.numbers = append(p.numbers, reference{node: ref, offset: start})
		return ref
	case c == 'k':
		p.pos += 2
		if !p.eat("<") {
			p.fail(start, `\k without a group name`)
		}
		ref := &node{op: opBackref}
		p.named = append(p.named, reference{node: ref, name: p.groupName(start), offset: start})
		return ref
	}
	if s := p.classEscape(); s != nil {
		return &node{op: opSet, set: s}
	}
	return &node{op: opSet, set: ofRune(p.characterEscape())}
}

// classEscape reads an escape that stands for a set: \d \D \s \S \w \W \p{…} \P{…}. It returns nil
// and consumes nothing when another escape follows. A character follows the backslash.
func (p *parser) classEscape() *set {
	var s *set
	switch p.pattern[p.pos+1] {
	case 'd':
		s = digits
	case 'D':
		s = notDigits
	case 's':
		s = spaces
	case 'S':
		s = notSpaces
	case 'w':
		s = wordChars
	case 'W':
		s = notWordChars
	case 'p', 'P':
		return p.property()
	default:
		return nil
	}
	p.pos += 2
	return s
}

// property reads \p{Name}, \p{Name=Value} and their complements.
func (p *parser) property() *set {
	start := p.pos
	negate := p.pattern[p.pos+1] == 'P'
	p.pos += 2
	if !p.eat("{") {
		p.fail(start, "property escape without {")
	}
	name, value, pair := p.propertyWord(), "", false
	if p.eat("=") {
		value, pair = p.propertyWord(), true
	}
	if !p.eat("}") {
		p.fail(start, "property escape without }")
	}
	s := lookupProperty(name, value, pair)
	if s == nil {
		p.fail(start, "unknown property "+p.pattern[start:p.pos])
	}
	if negate {
		s = s.not()
	}
	p.charge(s)
	return s
}

func (p *parser) propertyWord() string {
	start := p.pos
	for c := p.peek(); isWordByte(c); c = p.peek() {
		p.pos++
	}
	return p.pattern[start:p.pos]
}

func isWordByte(c byte) bool {
	return c == '_' || isAlphanumeric(c)
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// charge counts the ranges of a set against MaxClassSpans.
func (p *parser) charge(s *set) {
	p.spans += len(s.spans)
	if p.spans > MaxClassSpans {
		p.exceed("class spans", MaxClassSpans)
	}
}

// characterEscape reads an escape that stands for one code point. A character follows the backslash.
func (p *parser) characterEscape() rune {
	start := p.pos
	p.pos++
	switch r := p.take(); r {
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'v':
		return '\v'
	case 'f':
		return '\f'
	case 'r':
		return '\r'
	case 'c':
		if c := p.peek(); 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
			p.pos++
			return rune(c % 32)
		}
		p.fail(start, `\c must be followed by a letter`)
	case '0':
		if c := p.peek(); '0' <= c && c <= '9' {
			p.fail(start, "octal escape")
		}
		return 0
	case 'x':
		if v, ok := p.hex(2); ok {
			return v
		}
		p.fail(start, `\x must be followed by two hexadecimal digits`)
	case 'u':
		return p.unicodeEscape(start)
	default:
		// Syntax characters and `/` by the grammar, all but letters and digits by Annex B.
		if r < utf8.RuneSelf && isAlphanumeric(byte(r)) {
			p.fail(start, `unknown escape \`+string(r))
		}
		return r
	}
	return 0
}

// unicodeEscape reads what follows `\u`. Two escapes that make a surrogate pair are one code point.
func (p *parser) unicodeEscape(start int) rune {
	if p.eat("{") {
		v, n := rune(0), 0
		for {
			d, ok := hexDigit(p.peek())
			if !ok {
				break
			}
			if v = v<<4 | d; v > unicode.MaxRune {
				p.fail(start, "code point above 10FFFF")
			}
			n++
			p.pos++
		}
		if n == 0 || !p.eat("}") {
			p.fail(start, `\u{ must be followed by hexadecimal digits and }`)
		}
		return v
	}
	v, ok := p.hex(4)
	if !ok {
		p.fail(start, `\u must be followed by four hexadecimal digits`)
	}
	if !utf16.IsSurrogate(v) {
		return v
	}
	// A lone surrogate stays what it is: it matches nothing, as no UTF-8 string contains one.
	after := p.pos
	if p.eat(`\u`) {
		if low, ok := p.hex(4); ok {
			if pair := utf16.DecodeRune(v, low); pair != unicode.ReplacementChar {
				return pair
			}
		}
	}
	p.pos = after
	return v
}

// hex reads exactly n hexadecimal digits, or nothing.
func (p *parser) hex(n int) (rune, bool) {
	if len(p.pattern)-p.pos < n {
		return 0, false
	}
	v := rune(0)
	for i := range n {
		d, ok := hexDigit(p.pattern[p.pos+i])
		if !ok {
			return 0, false
		}
		v = v<<4 | d
	}
	p.pos += n
	return v, true
}

func hexDigit(c byte) (rune, bool) {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0'), true
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}

// groupName reads a RegExpIdentifierName and its closing `>`; start is where the group began.
func (p *parser) groupName(start int) string {
	var name []rune
	for !p.eat(">") {
		if !p.more() {
			p.fail(start, "group name without >")
		}
		at := p.pos
		var r rune
		if p.eat(`\u`) {
			r = p.unicodeEscape(at)
		} else {
			r = p.take()
		}
		if !isIdentifier(r, len(name) == 0) {
			p.fail(at, "invalid group name")
		}
		name = append(name, r)
	}
	if len(name) == 0 {
		p.fail(start, "empty group name")
	}
	return string(name)
}

// isIdentifier reports whether r may start, or stand inside, an identifier (ECMA-262 §12.7).
func isIdentifier(r rune, first bool) bool {
	if r == '$' || r == '_' || lookupProperty("ID_Start", "", false).has(r) {
		return true
	}
	return !first && (r == 0x200C || r == 0x200D || lookupProperty("ID_Continue", "", false).has(r))
}
