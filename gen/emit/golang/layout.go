package golang

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Layout. go/format takes half of the time that generating takes, because it finds out again what the
// emitter knows. So the large files, which hold functions and nothing else (judges, readers, encoders), are
// written line by line as gofmt has them, and [layout] adds the rest: indentation and blank lines. Tests
// hold what it makes against gofmt.
//
// It knows what these files are made of, and no more of Go than that:
//
//   - A literal or a comment ends on its line.
//   - A bracket that ends a line indents what it encloses; other brackets do not. A case stands where its
//     switch stands.
//   - A line that ends with && or || goes on. What follows is indented once for each of the two that is
//     broken between the same brackets: the one binds tighter than the other.
//   - There is no blank line at the edge of a block, and never more than one.
//
// It does not align columns (fields of structs, comments beside code), does not break or join lines, and
// does not change what is inside a line. Where gofmt would, it says so, and the file goes through go/format.

// layout indents source. ok is false when gofmt may see it in another way.
func layout(source []byte) (out []byte, ok bool) {
	l := layouter{out: make([]byte, 0, len(source)+len(source)/4), open: make([]bracket, 1, 16)}
	for len(source) > 0 {
		var line []byte
		line, source, _ = bytes.Cut(source, []byte("\n"))
		if line = bytes.Trim(line, " \t"); len(line) == 0 {
			l.blank = true
		} else if !l.line(line, source) {
			return nil, false
		}
	}
	return l.out, len(l.open) == 1
}

// layouter is a source that is laid out up to some line.
type layouter struct {
	out   []byte
	open  []bracket // around the next line; the first stands for the file
	blank bool      // blank lines are waiting
}

// bracket is an open bracket, or the file.
type bracket struct {
	indents bool // it ended its line
	and, or bool // the expression inside is broken after such an operator
	list    bool // it did not end its line, and the list inside is broken
}

func (l *layouter) top() *bracket { return &l.open[len(l.open)-1] }

// line adds a line; rest is the source after it.
func (l *layouter) line(line, rest []byte) bool {
	closes, opened := line[0] == '}' || line[0] == ')', bytes.HasSuffix(l.out, []byte("{\n")) || bytes.HasSuffix(l.out, []byte("(\n"))
	if l.blank && closes && opened {
		return false // gofmt leaves a blank line that is alone in its block
	}
	if l.blank && !closes && !opened && len(l.out) > 0 {
		l.out = append(l.out, '\n')
	}
	l.blank = false
	depth := l.depth()
	if closes && l.top().indents || isLabel(line) || isComment(line) && isLabel(bytes.TrimLeft(rest, " \t\n")) {
		depth--
	}
	for range depth {
		l.out = append(l.out, '\t')
	}
	l.out = append(append(l.out, line...), '\n')
	if isComment(line) {
		return !bytes.Contains(line, []byte("``")) && !bytes.Contains(line, []byte("''")) // quotation marks, to gofmt
	}
	return l.code(line)
}

// depth is how far the next line is indented.
func (l *layouter) depth() int {
	depth := 0
	for _, b := range l.open {
		for _, deeper := range []bool{b.indents, b.and, b.or, b.list} {
			if deeper {
				depth++
			}
		}
	}
	return depth
}

func isComment(line []byte) bool { return bytes.HasPrefix(line, []byte("//")) }

func isLabel(line []byte) bool {
	return bytes.HasPrefix(line, []byte("case ")) || bytes.HasPrefix(line, []byte("default:"))
}

// code follows the brackets and the operators of a line.
func (l *layouter) code(line []byte) bool {
	for i := 0; i < len(line); i++ {
		last := i == len(line)-1
		switch c := line[i]; c {
		case '"', '\'', '`':
			if i = literalEnd(line, i); i < 0 {
				return false
			}
		case '/':
			if isComment(line[i:]) {
				if line = bytes.TrimRight(line[:i], " "); bytes.HasSuffix(line, []byte("{")) {
					return false
				}
			}
		case '(', '[', '{':
			if last {
				l.settle()
			}
			l.open = append(l.open, bracket{indents: last})
		case ')', ']', '}':
			if l.open = l.open[:len(l.open)-1]; len(l.open) == 0 {
				return false
			}
			if c == '}' && line[i-min(i, 1)] == '{' && line[i-min(i, 2)] == ' ' && !bytes.HasPrefix(line, []byte("func ")) {
				return false // a statement with an empty block, which gofmt breaks
			}
		case ',':
			l.settle()
			l.top().list = l.top().list || last && !l.top().indents
		case '&', '|':
			if last || line[i+1] != c {
				continue
			}
			i++
			last = i == len(line)-1
			if b := l.top(); c == '&' {
				b.and = b.and || last
			} else {
				b.and, b.or = false, b.or || last
			}
			if last {
				return true
			}
		}
	}
	l.settle()
	return true
}

// settle ends the expression between the innermost brackets.
func (l *layouter) settle() { l.top().and, l.top().or = false, false }

// literalEnd is where the literal ends that begins at i, -1 when it does not.
func literalEnd(line []byte, i int) int {
	for k := i + 1; k < len(line); k++ {
		switch {
		case line[k] == line[i]:
			return k
		case line[k] == '\\' && line[i] != '`':
			k++
		}
	}
	return -1
}

// function is a function with a body of at most one statement.
type function struct{ header, body string }

// maxOneLine is how many characters gofmt leaves on one line of a function's header and body, brackets and
// spaces around the body aside.
const maxOneLine = 100

// functions are declarations on lines that follow each other. gofmt counts one character more for them, and
// aligns what stays on one line.
func functions(list ...function) string {
	short := func(f function) bool {
		return !strings.Contains(f.body, "\n") && len(f.header)+1+len(f.body) <= maxOneLine
	}
	var b strings.Builder
	for i := 0; i < len(list); {
		if !short(list[i]) {
			b.WriteString(list[i].header + " {\n" + list[i].body + "\n}\n")
			i++
			continue
		}
		end, width := i, 0
		for ; end < len(list) && short(list[end]); end++ {
			width = max(width, utf8.RuneCountInString(list[end].header))
		}
		for _, f := range list[i:end] {
			b.WriteString(f.header + strings.Repeat(" ", width-utf8.RuneCountInString(f.header)) + " " + f.block() + "\n")
		}
		i = end
	}
	return b.String()
}

// literal is the function as a part of an expression.
func (f function) literal() string {
	if strings.Contains(f.body, "\n") || len(f.header)+len(f.body) > maxOneLine {
		return f.header + " {\n" + f.body + "\n}"
	}
	return f.header + " " + f.block()
}

// block is the body on one line.
func (f function) block() string {
	if f.body == "" {
		return "{}"
	}
	return "{ " + f.body + " }"
}
