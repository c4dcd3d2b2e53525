package grammar

import (
	"fmt"
	"strconv"
	"strings"
)

// core holds the rules of RFC 5234 appendix B.1 that the grammars use.
const core = `
ALPHA  = %x41-5A / %x61-7A
BIT    = "0" / "1"
DIGIT  = %x30-39
DQUOTE = %x22
HEXDIG = DIGIT / "A" / "B" / "C" / "D" / "E" / "F"
SP     = %x20
VCHAR  = %x21-7E
`

// SyntaxError says where a grammar is no ABNF.
type SyntaxError struct {
	Line    int
	Message string
}

// Error says it in a sentence.
func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// Parse reads rules as RFC 5234 and RFC 7405 write them: a rule on each line that is not indented, =/ for more
// alternatives, comments after a semicolon. Beyond that, !a is a lookahead, and a prose-val is looked up in prose.
// The core rules are there. A rule may not begin with itself.
func Parse(source string, prose map[string]Prose) (*Grammar, error) {
	g := &Grammar{rules: map[string]*rule{}, prose: prose}
	for _, part := range []string{core, source} {
		p := &parser{g: g, defined: map[string]bool{}}
		for i, line := range strings.Split(part, "\n") {
			p.line = i + 1
			if err := p.logical(line); err != nil {
				return nil, err
			}
		}
		if err := p.flush(); err != nil {
			return nil, err
		}
	}
	for _, r := range g.rules {
		if r.body == nil {
			return nil, &SyntaxError{0, "there is no rule " + r.name}
		}
		if g.beginsWith(r.body, r, map[*rule]bool{}) {
			return nil, &SyntaxError{0, "the rule " + r.name + " begins with itself"}
		}
	}
	return g, nil
}

// parser reads one source. A rule may go on in lines that are indented.
type parser struct {
	g       *Grammar
	defined map[string]bool
	line    int
	first   int    // line of the rule at hand
	pending string // the rule at hand, continued lines joined
	rest    string // of the rule while it is read
}

func (p *parser) logical(line string) error {
	line = strings.TrimRight(uncomment(line), " \t\r")
	if line == "" {
		return nil
	}
	if line[0] == ' ' || line[0] == '\t' {
		p.pending += line
		return nil
	}
	if err := p.flush(); err != nil {
		return err
	}
	p.pending, p.first = line, p.line
	return nil
}

// uncomment cuts a comment off, unless its semicolon stands in a string or a prose-val.
func uncomment(line string) string {
	var end byte
	for i := range len(line) {
		switch c := line[i]; {
		case end != 0:
			if c == end {
				end = 0
			}
		case c == '"':
			end = '"'
		case c == '<':
			end = '>'
		case c == ';':
			return line[:i]
		}
	}
	return line
}

func (p *parser) flush() error {
	if p.pending == "" {
		return nil
	}
	name, body, found := strings.Cut(p.pending, "=")
	p.pending = ""
	name = strings.TrimSpace(name)
	more := strings.HasPrefix(body, "/")
	p.rest = strings.TrimPrefix(body, "/")
	if !found || name == "" || strings.ContainsAny(name, " \t") {
		return p.fault("no rule")
	}
	r := p.rule(name)
	if p.defined[fold(name)] && !more {
		return p.fault("a second definition of " + name)
	}
	p.defined[fold(name)] = true
	n, err := p.alternation()
	if err != nil {
		return err
	}
	if p.rest = strings.TrimSpace(p.rest); p.rest != "" {
		return p.fault("unexpected " + p.rest)
	}
	if more && r.body != nil {
		n = &alternation{[]node{r.body, n}}
	}
	r.body = n
	return nil
}

func (p *parser) fault(message string) error { return &SyntaxError{p.first, message} }

func (p *parser) rule(name string) *rule {
	r := p.g.rules[fold(name)]
	if r == nil {
		r = &rule{name: name}
		p.g.rules[fold(name)] = r
	}
	return r
}

// peek returns the first byte of what is left, 0 at the end.
func (p *parser) peek() byte {
	p.rest = strings.TrimLeft(p.rest, " \t")
	if p.rest == "" {
		return 0
	}
	return p.rest[0]
}

func (p *parser) alternation() (node, error) {
	var of []node
	for {
		n, err := p.sequence()
		if err != nil {
			return nil, err
		}
		of = append(of, n)
		if p.peek() != '/' {
			break
		}
		p.rest = p.rest[1:]
	}
	if len(of) == 1 {
		return of[0], nil
	}
	return &alternation{of}, nil
}

func (p *parser) sequence() (node, error) {
	var of []node
	for {
		switch p.peek() {
		case 0, '/', ')', ']':
			if len(of) == 0 {
				return nil, p.fault("nothing where an element should be")
			}
			if len(of) == 1 {
				return of[0], nil
			}
			return &sequence{of}, nil
		}
		n, err := p.repetition()
		if err != nil {
			return nil, err
		}
		of = append(of, n)
	}
}

func (p *parser) repetition() (node, error) {
	before, times := p.digits(), false
	after := before
	if p.rest != "" && p.rest[0] == '*' {
		times = true
		p.rest = p.rest[1:]
		after = p.digits()
	}
	n, err := p.element()
	if err != nil || before == "" && !times {
		return n, err
	}
	r := &repetition{of: n, max: -1}
	if before != "" {
		r.min, _ = strconv.Atoi(before)
	}
	if after != "" {
		r.max, _ = strconv.Atoi(after)
	}
	return r, nil
}

func (p *parser) digits() string { return p.while(func(c byte) bool { return '0' <= c && c <= '9' }) }

func (p *parser) while(is func(byte) bool) string {
	n := 0
	for n < len(p.rest) && is(p.rest[n]) {
		n++
	}
	s := p.rest[:n]
	p.rest = p.rest[n:]
	return s
}

// element reads a group, an option, a lookahead, a string, a number, a prose-val or a rule name.
func (p *parser) element() (node, error) {
	switch c := p.peek(); c {
	case '!':
		p.rest = p.rest[1:]
		n, err := p.element()
		return &lookahead{n}, err
	case '(', '[':
		p.rest = p.rest[1:]
		n, err := p.alternation()
		if err != nil {
			return nil, err
		}
		if closing := p.peek(); closing != map[byte]byte{'(': ')', '[': ']'}[c] {
			return nil, p.fault("an open " + string(c))
		}
		p.rest = p.rest[1:]
		if c == '[' {
			n = &repetition{n, 0, 1}
		}
		return n, nil
	case '"':
		return p.quoted(false)
	case '%':
		return p.number()
	case '<':
		name, rest, found := strings.Cut(p.rest[1:], ">")
		w, known := p.g.prose[name]
		if !found || !known {
			return nil, p.fault("nothing known of <" + name + ">")
		}
		p.rest = rest
		return &words{name, w}, nil
	}
	name := p.while(func(c byte) bool {
		return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-'
	})
	if name == "" {
		return nil, p.fault("unexpected " + p.rest)
	}
	return &reference{p.rule(name)}, nil
}

func (p *parser) quoted(exact bool) (node, error) {
	s, rest, found := strings.Cut(p.rest[1:], `"`)
	if !found {
		return nil, p.fault("an open string")
	}
	p.rest = rest
	return &text{[]rune(s), exact}, nil
}

// number reads %x41, %x41-5A, %x41.42, %d65 and %s"text".
func (p *parser) number() (node, error) {
	if len(p.rest) < 2 {
		return nil, p.fault("an open number")
	}
	base := map[byte]int{'x': 16, 'd': 10}[p.rest[1]|0x20]
	if p.rest[1]|0x20 == 's' {
		p.rest = p.rest[2:]
		if p.peek() != '"' {
			return nil, p.fault("no string after %s")
		}
		return p.quoted(true)
	}
	p.rest = p.rest[2:]
	value := func() (rune, bool) {
		v, err := strconv.ParseInt(p.while(func(c byte) bool {
			return '0' <= c && c <= '9' || base == 16 && 'a' <= c|0x20 && c|0x20 <= 'f'
		}), base, 32)
		return rune(v), err == nil
	}
	low, ok := value()
	if base == 0 || !ok {
		return nil, p.fault("no number after %")
	}
	if strings.HasPrefix(p.rest, "-") {
		p.rest = p.rest[1:]
		high, ok := value()
		if !ok || high < low {
			return nil, p.fault("no range")
		}
		return &span{low, high}, nil
	}
	of := []rune{low}
	for strings.HasPrefix(p.rest, ".") {
		p.rest = p.rest[1:]
		next, ok := value()
		if !ok {
			return nil, p.fault("no number after a dot")
		}
		of = append(of, next)
	}
	if len(of) == 1 {
		return &span{low, low}, nil
	}
	return &text{of, true}, nil
}

// fold makes names of rules equal that differ in case (RFC 5234 §2.1).
func fold(name string) string { return strings.ToLower(name) }

// beginsWith reports whether a string of n may begin with the rule to, nothing read before.
func (g *Grammar) beginsWith(n node, to *rule, seen map[*rule]bool) bool {
	switch n := n.(type) {
	case *alternation:
		for _, one := range n.of {
			if g.beginsWith(one, to, seen) {
				return true
			}
		}
	case *sequence:
		for _, one := range n.of {
			if g.beginsWith(one, to, seen) {
				return true
			}
			if !nullable(one, map[*rule]bool{}) {
				return false
			}
		}
	case *repetition:
		return g.beginsWith(n.of, to, seen)
	case *lookahead:
		return g.beginsWith(n.not, to, seen)
	case *reference:
		if n.to == to {
			return true
		}
		if !seen[n.to] && n.to.body != nil {
			seen[n.to] = true
			return g.beginsWith(n.to.body, to, seen)
		}
	}
	return false
}

// nullable reports whether the empty string is of n. A prose-val is taken for one that is not empty.
func nullable(n node, seen map[*rule]bool) bool {
	switch n := n.(type) {
	case *alternation:
		for _, one := range n.of {
			if nullable(one, seen) {
				return true
			}
		}
	case *sequence:
		for _, one := range n.of {
			if !nullable(one, seen) {
				return false
			}
		}
		return true
	case *repetition:
		return n.min == 0 || nullable(n.of, seen)
	case *text:
		return len(n.of) == 0
	case *lookahead:
		return true
	case *reference:
		if seen[n.to] || n.to.body == nil {
			return false
		}
		seen[n.to] = true
		defer delete(seen, n.to)
		return nullable(n.to.body, seen)
	}
	return false
}
