package ecma

import (
	"strconv"
	"unicode/utf8"
)

// parser reads a pattern by recursive descent, one method per production of ECMA-262 §22.2.1. It
// reports through panic and recover, inside parse only: every production can fail, and a pattern
// has no second error worth collecting.
type parser struct {
	pattern string
	pos     int
	depth   int
	spans   int // ranges of all classes so far, against MaxClassSpans

	tree    tree
	names   map[string]int // group names
	numbers []reference    // \1, checked when all groups are known
	named   []reference    // \k<n>, likewise
}

// reference is a back-reference that waits for the end of the pattern: groups may stand after it.
type reference struct {
	node   *node
	name   string
	offset int
}

// parse returns the tree of a pattern, or a *SyntaxError or *LimitError.
func parse(pattern string) (t *tree, err error) {
	p := &parser{pattern: pattern, names: map[string]int{}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *SyntaxError:
			t, err = nil, e
		case *LimitError:
			t, err = nil, e
		default:
			panic(e)
		}
	}()
	if len(pattern) > MaxPatternBytes {
		p.exceed("pattern bytes", MaxPatternBytes)
	}
	if !utf8.ValidString(pattern) {
		p.fail(0, "not valid UTF-8")
	}
	p.tree.root = p.disjunction()
	if p.more() {
		p.fail(p.pos, "unmatched )")
	}
	p.settle()
	return &p.tree, nil
}

func (p *parser) fail(offset int, message string) {
	panic(&SyntaxError{Pattern: p.pattern, Offset: offset, Message: message})
}

func (p *parser) exceed(limit string, most int) {
	panic(&LimitError{Pattern: p.pattern, Limit: limit, Max: most})
}

func (p *parser) more() bool { return p.pos < len(p.pattern) }

// peek returns the byte at the position, or 0 at the end. Only ASCII bytes steer the grammar.
func (p *parser) peek() byte {
	if !p.more() {
		return 0
	}
	return p.pattern[p.pos]
}

// eat consumes prefix if it is next.
func (p *parser) eat(prefix string) bool {
	if len(p.pattern)-p.pos < len(prefix) || p.pattern[p.pos:p.pos+len(prefix)] != prefix {
		return false
	}
	p.pos += len(prefix)
	return true
}

// take consumes one code point; the caller knows that there is one.
func (p *parser) take() rune {
	r, size := utf8.DecodeRuneInString(p.pattern[p.pos:])
	p.pos += size
	return r
}

func (p *parser) disjunction() *node {
	p.depth++
	if p.depth > MaxNesting {
		p.exceed("nesting", MaxNesting)
	}
	defer func() { p.depth-- }()
	alts := []*node{p.alternative()}
	for p.eat("|") {
		alts = append(alts, p.alternative())
	}
	if len(alts) == 1 {
		return alts[0]
	}
	return &node{op: opAlt, subs: alts}
}

func (p *parser) alternative() *node {
	var terms []*node
	for p.more() && p.peek() != '|' && p.peek() != ')' {
		terms = append(terms, p.term())
	}
	switch len(terms) {
	case 0:
		return &node{op: opEmpty}
	case 1:
		return terms[0]
	}
	return &node{op: opSeq, subs: terms}
}

// term reads an assertion, or an atom with its quantifier.
func (p *parser) term() *node {
	start, before := p.pos, p.tree.groups
	var n *node
	quantifiable := true
	switch c := p.peek(); c {
	case '^':
		p.pos++
		n, quantifiable = &node{op: opStart}, false
	case '$':
		p.pos++
		n, quantifiable = &node{op: opEnd}, false
	case '(':
		n = p.group()
		// Annex B: a look-ahead may have a quantifier, a look-behind may not.
		quantifiable = n.op != opLook || !n.behind
	case '[':
		n = p.class()
	case '.':
		p.pos++
		n = &node{op: opSet, set: dot}
	case '\\':
		n = p.atomEscape()
		quantifiable = n.op != opBoundary && n.op != opNotBoundary
	case '*', '+', '?':
		p.fail(start, "nothing to repeat")
	case '{':
		if _, _, ok := p.braces(); ok {
			p.fail(start, "nothing to repeat")
		}
		n = p.literal()
	default:
		n = p.literal()
	}
	return p.quantified(n, quantifiable, before)
}

func (p *parser) literal() *node {
	return &node{op: opSet, set: ofRune(p.take())}
}

// quantified reads the quantifier after n, if there is one. before is the number of groups that
// were open before n.
func (p *parser) quantified(n *node, quantifiable bool, before int) *node {
	start := p.pos
	least, most := 0, -1
	switch p.peek() {
	case '*':
		p.pos++
	case '+':
		p.pos++
		least = 1
	case '?':
		p.pos++
		most = 1
	case '{':
		var ok bool
		if least, most, ok = p.braces(); !ok {
			return n
		}
	default:
		return n
	}
	if !quantifiable {
		p.fail(start, "nothing to repeat")
	}
	if most >= 0 && least > most {
		p.fail(start, "numbers out of order in quantifier")
	}
	lazy := p.eat("?")
	return &node{
		op: opRepeat, subs: []*node{n}, min: least, max: most, lazy: lazy,
		from: before, to: p.tree.groups,
	}
}

// unbounded stands for every count above it. No subject is that long, so as an upper bound it is
// none, and as a lower bound it is out of reach.
const unbounded = 1 << 31

// braces reads `{n}`, `{n,}` or `{n,m}`. When what follows is nothing of these, it consumes nothing.
func (p *parser) braces() (least, most int, ok bool) {
	start := p.pos
	p.pos++
	if least, ok = p.count(); ok {
		most = least
		if p.eat(",") {
			if p.peek() == '}' {
				most = -1
			} else {
				most, ok = p.count()
			}
		}
	}
	if !ok || !p.eat("}") {
		p.pos = start
		return 0, 0, false
	}
	return least, most, true
}

// count reads decimal digits; larger numbers than unbounded become it.
func (p *parser) count() (int, bool) {
	start, n := p.pos, 0
	for p.more() && '0' <= p.peek() && p.peek() <= '9' {
		n = min(n*10+int(p.peek()-'0'), unbounded)
		p.pos++
	}
	return n, p.pos > start
}

// group reads what an opening parenthesis starts.
func (p *parser) group() *node {
	start := p.pos
	p.pos++
	n := &node{}
	switch {
	case p.eat("?:"):
		// A group without meaning of its own: its content stands for it.
		n = nil
	case p.eat("?="):
		n.op = opLook
	case p.eat("?!"):
		n.op, n.negate = opLook, true
	case p.eat("?<="):
		n.op, n.behind = opLook, true
	case p.eat("?<!"):
		n.op, n.behind, n.negate = opLook, true, true
	case p.eat("?<"):
		name := p.groupName(start)
		if p.names[name] != 0 {
			p.fail(start, "duplicate group name "+strconv.Quote(name))
		}
		p.tree.groups++
		n.op, n.index = opCapture, p.tree.groups
		p.names[name] = n.index
	case p.eat("?"):
		p.fail(start, "invalid group")
	default:
		p.tree.groups++
		n.op, n.index = opCapture, p.tree.groups
	}
	body := p.disjunction()
	if !p.eat(")") {
		p.fail(start, "missing )")
	}
	if n == nil {
		return group(body)
	}
	if n.op == opLook {
		p.tree.looks++
	}
	n.subs = []*node{body}
	return n
}

// group keeps a body that is an assertion quantifiable: `(?:^)*` is correct, `^*` is not.
func group(body *node) *node {
	switch body.op {
	case opStart, opEnd, opBoundary, opNotBoundary, opLook:
		return &node{op: opSeq, subs: []*node{body}}
	}
	return body
}

// settle points the back-references at their groups.
func (p *parser) settle() {
	p.tree.backrefs = len(p.numbers)+len(p.named) > 0
	for _, r := range p.numbers {
		if r.node.index > p.tree.groups {
			p.fail(r.offset, "reference to a group that does not exist")
		}
	}
	for _, r := range p.named {
		if r.node.index = p.names[r.name]; r.node.index == 0 {
			p.fail(r.offset, "reference to a group that does not exist: "+strconv.Quote(r.name))
		}
	}
}
