package sample

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// pattern is an ECMA-262 regular expression as a tree. It is read with the u flag, as JSON Schema
// recommends, but lets pass what schemas in the field get away with (`\-`, `[\w-.]`, a lone `{`).
type pattern struct {
	root   *term
	beyond bool // it has a construct that this package does not read: nothing is made and nothing matched
}

type termKind uint8

const (
	tSet    termKind = iota // one character of set
	tSeq                    // all of subs
	tAlt                    // one of subs
	tRepeat                 // subs[0], low to high times; high -1 is no bound
	tGroup                  // subs[0], captured as number group
	tStart
	tEnd
	tWord
	tNotWord
	tAhead
	tNotAhead
	tBehind
	tNotBehind
	tBack // what group captured
)

type term struct {
	kind      termKind
	set       charset
	draw      *alphabet // of set
	subs      []*term
	low, high int
	group     int
	name      string // of a back-reference that is settled at the end
	least     int    // the length of the shortest string, look-arounds aside
	most      int    // of the longest, at most boundless
}

const boundless = 1 << 20

func parsePattern(source string) *pattern {
	p := parser{src: []rune(source), names: map[string]int{}}
	root := p.alternatives()
	if p.failed || p.at < len(p.src) {
		return &pattern{beyond: true}
	}
	for _, t := range p.backs {
		if t.name != "" {
			t.group = p.names[t.name]
		}
		if t.group == 0 || t.group > p.groups {
			return &pattern{beyond: true}
		}
	}
	measure(root)
	return &pattern{root: root}
}

// measure prepares t and all below for writing: lengths and alphabets.
func measure(t *term) {
	for _, s := range t.subs {
		measure(s)
	}
	switch t.kind {
	case tSet:
		t.least, t.most, t.draw = 1, 1, newAlphabet(t.set)
	case tSeq:
		for _, s := range t.subs {
			t.least, t.most = t.least+s.least, min(t.most+s.most, boundless)
		}
	case tAlt:
		t.least = boundless
		for _, s := range t.subs {
			t.least, t.most = min(t.least, s.least), max(t.most, s.most)
		}
	case tRepeat:
		s := t.subs[0]
		t.least = min(t.low*s.least, boundless)
		if t.most = min(t.high*s.most, boundless); t.high < 0 && s.most > 0 {
			t.most = boundless
		}
	case tGroup:
		t.least, t.most = t.subs[0].least, t.subs[0].most
	case tBack:
		t.most = boundless
	}
}

type parser struct {
	src    []rune
	at     int
	groups int
	names  map[string]int
	backs  []*term
	depth  int
	failed bool
}

func (p *parser) fail() *term {
	p.failed = true
	p.at = len(p.src)
	return &term{kind: tSeq}
}

func (p *parser) more() bool { return p.at < len(p.src) }

func (p *parser) take(s string) bool {
	r := []rune(s)
	if p.at+len(r) > len(p.src) || !slices.Equal(p.src[p.at:p.at+len(r)], r) {
		return false
	}
	p.at += len(r)
	return true
}

func (p *parser) alternatives() *term {
	if p.depth++; p.depth > 200 {
		return p.fail()
	}
	defer func() { p.depth-- }()
	alt := &term{kind: tAlt}
	for {
		seq := &term{kind: tSeq}
		for p.more() && p.src[p.at] != '|' && p.src[p.at] != ')' {
			seq.subs = append(seq.subs, p.quantified())
		}
		alt.subs = append(alt.subs, seq)
		if !p.take("|") {
			break
		}
	}
	if len(alt.subs) == 1 {
		return alt.subs[0]
	}
	return alt
}

func (p *parser) quantified() *term {
	t := p.atom()
	low, high, ok := p.quantifier()
	if !ok {
		return t
	}
	p.take("?")
	return &term{kind: tRepeat, subs: []*term{t}, low: low, high: high}
}

func (p *parser) quantifier() (low, high int, ok bool) {
	switch {
	case p.take("*"):
		return 0, -1, true
	case p.take("+"):
		return 1, -1, true
	case p.take("?"):
		return 0, 1, true
	case !p.more() || p.src[p.at] != '{':
		return 0, 0, false
	}
	end := slices.Index(p.src[p.at:], '}')
	if end < 0 {
		return 0, 0, false
	}
	first, second, ranged := strings.Cut(string(p.src[p.at+1:p.at+end]), ",")
	low, err := strconv.Atoi(first)
	if err != nil || low < 0 || first[0] == '+' {
		return 0, 0, false // a brace that is itself
	}
	switch high = low; {
	case ranged && second == "":
		high = -1
	case ranged:
		if high, err = strconv.Atoi(second); err != nil {
			return 0, 0, false
		}
		if high < low {
			p.fail()
		}
	}
	p.at += end + 1
	return low, high, true
}

func (p *parser) atom() *term {
	switch {
	case p.take("("):
		return p.group()
	case p.take("^"):
		return &term{kind: tStart}
	case p.take("$"):
		return &term{kind: tEnd}
	case p.take("."):
		return &term{set: lineEnds.not()}
	case p.take("["):
		return p.class()
	case p.take(`\`):
		return p.escaped()
	}
	r := p.src[p.at]
	if r == '*' || r == '+' || r == '?' {
		return p.fail()
	}
	p.at++
	return &term{set: one(r)}
}

func (p *parser) group() *term {
	t := &term{}
	switch {
	case p.take("?:"):
		t.kind = tSeq
	case p.take("?="):
		t.kind = tAhead
	case p.take("?!"):
		t.kind = tNotAhead
	case p.take("?<="):
		t.kind = tBehind
	case p.take("?<!"):
		t.kind = tNotBehind
	case p.take("?<"):
		end := slices.Index(p.src[p.at:], '>')
		if end <= 0 {
			return p.fail()
		}
		p.groups++
		t.kind, t.group = tGroup, p.groups
		p.names[string(p.src[p.at:p.at+end])] = t.group
		p.at += end + 1
	case p.take("?"):
		return p.fail() // inline modifiers
	default:
		p.groups++
		t.kind, t.group = tGroup, p.groups
	}
	t.subs = []*term{p.alternatives()}
	if !p.take(")") {
		return p.fail()
	}
	return t
}

// escaped reads what follows a backslash outside a class.
func (p *parser) escaped() *term {
	if !p.more() {
		return p.fail()
	}
	switch r := p.src[p.at]; {
	case r == 'b':
		p.at++
		return &term{kind: tWord}
	case r == 'B':
		p.at++
		return &term{kind: tNotWord}
	case '1' <= r && r <= '9':
		n := 0
		for p.more() && '0' <= p.src[p.at] && p.src[p.at] <= '9' && n < 1000 {
			n = n*10 + int(p.src[p.at]-'0')
			p.at++
		}
		return p.back(&term{kind: tBack, group: n})
	case r == 'k' && p.at+1 < len(p.src) && p.src[p.at+1] == '<':
		end := slices.Index(p.src[p.at:], '>')
		if end < 0 {
			return p.fail()
		}
		name := string(p.src[p.at+2 : p.at+end])
		p.at += end + 1
		return p.back(&term{kind: tBack, name: name})
	}
	set, ok := p.escape()
	if !ok {
		return p.fail()
	}
	return &term{set: set}
}

func (p *parser) back(t *term) *term {
	p.backs = append(p.backs, t)
	return t
}

// escape reads an escape that stands for characters, in or outside a class.
func (p *parser) escape() (charset, bool) {
	r := p.src[p.at]
	p.at++
	switch r {
	case 'd':
		return digits, true
	case 'D':
		return digits.not(), true
	case 'w':
		return words, true
	case 'W':
		return words.not(), true
	case 's':
		return spaces, true
	case 'S':
		return spaces.not(), true
	case 't':
		return one('\t'), true
	case 'n':
		return one('\n'), true
	case 'v':
		return one('\v'), true
	case 'f':
		return one('\f'), true
	case 'r':
		return one('\r'), true
	case '0':
		return one(0), true
	case 'c':
		if p.more() && p.src[p.at] < unicode.MaxASCII && unicode.IsLetter(p.src[p.at]) {
			p.at++
			return one(p.src[p.at-1] & 31), true
		}
		return nil, false
	case 'x':
		return p.hex(2)
	case 'u':
		return p.unicode()
	case 'p', 'P':
		set, ok := p.property()
		if r == 'P' {
			set = set.not()
		}
		return set, ok
	}
	if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
		return nil, false
	}
	return one(r), true
}

func (p *parser) hex(n int) (charset, bool) {
	if p.at+n > len(p.src) {
		return nil, false
	}
	v, err := strconv.ParseUint(string(p.src[p.at:p.at+n]), 16, 32)
	p.at += n
	return one(rune(v)), err == nil
}

func (p *parser) unicode() (charset, bool) {
	if p.take("{") {
		end := slices.Index(p.src[p.at:], '}')
		if end < 0 {
			return nil, false
		}
		v, err := strconv.ParseUint(string(p.src[p.at:p.at+end]), 16, 32)
		p.at += end + 1
		return one(rune(v)), err == nil && v <= unicode.MaxRune
	}
	high, ok := p.hex(4)
	if ok && high[0].lo >= 0xd800 && high[0].lo < 0xdc00 && p.take(`\u`) {
		low, ok := p.hex(4)
		if !ok || low[0].lo < 0xdc00 || low[0].lo > 0xdfff {
			return nil, false
		}
		return one((high[0].lo-0xd800)<<10 + low[0].lo - 0xdc00 + 0x10000), true
	}
	return high, ok
}

// property reads the braces after \p.
func (p *parser) property() (charset, bool) {
	end := slices.Index(p.src[p.at:], '}')
	if end < 0 || !p.take("{") {
		return nil, false
	}
	name := string(p.src[p.at : p.at+end-1])
	p.at += end
	if key, value, ok := strings.Cut(name, "="); ok {
		if key == "Script" || key == "sc" {
			return table(unicode.Scripts[value])
		}
		name = value
		if key != "General_Category" && key != "gc" {
			return nil, false
		}
	}
	switch name {
	case "Any":
		return charset(nil).not(), true
	case "ASCII":
		return charset{{0, 0x7f}}, true
	case "Alphabetic", "Alpha":
		return union(must(unicode.L), must(unicode.Nl), must(unicode.Other_Alphabetic)), true
	case "Uppercase", "Upper":
		return union(must(unicode.Lu), must(unicode.Other_Uppercase)), true
	case "Lowercase", "Lower":
		return union(must(unicode.Ll), must(unicode.Other_Lowercase)), true
	}
	if long, ok := unicode.CategoryAliases[name]; ok {
		name = long
	}
	if t := unicode.Categories[name]; t != nil {
		return table(t)
	}
	return table(unicode.Properties[name])
}

func (p *parser) class() *term {
	negated := p.take("^")
	var set charset
	for {
		if !p.more() {
			return p.fail()
		}
		if p.take("]") {
			break
		}
		first, ok := p.member()
		if !ok {
			return p.fail()
		}
		if p.at+1 < len(p.src) && p.src[p.at] == '-' && p.src[p.at+1] != ']' {
			p.at++
			last, ok := p.member()
			switch {
			case !ok:
				return p.fail()
			case first.single() && last.single():
				if first[0].lo > last[0].lo {
					return p.fail()
				}
				first = charset{{first[0].lo, last[0].lo}}
			default: // a class at one end makes the hyphen a member
				first = union(first, one('-'), last)
			}
		}
		set = union(set, first)
	}
	if negated {
		set = set.not()
	}
	return &term{set: set.not().not()}
}

func (p *parser) member() (charset, bool) {
	if !p.more() {
		return nil, false
	}
	if p.take(`\`) {
		switch {
		case !p.more():
			return nil, false
		case p.take("b"):
			return one('\b'), true
		}
		return p.escape()
	}
	p.at++
	return one(p.src[p.at-1]), true
}
