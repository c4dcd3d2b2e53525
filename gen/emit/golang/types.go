package golang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"vcp.core/gen/ir"
)

// typing writes the Go types, and what reads and writes their values. Like judging, it writes what is asked
// for: a function comes into being when its name is used.
type typing struct {
	*emitter
	model *model

	readers map[*shape]string
	readQ   []*shape
	append_ map[*shape]bool
	appendQ []*shape
	decoded map[string]bool // names of types that have Decode functions
	markers map[*shape][]string
}

// types plans the package's shapes, names them, and writes what the roots need.
func (e *emitter) types() {
	m, list := plan(e.pkg.Roots, e.naming)
	e.diags = append(e.diags, list...)
	g := &typing{
		emitter: e, model: m, readers: map[*shape]string{}, append_: map[*shape]bool{}, decoded: map[string]bool{},
		markers: map[*shape][]string{},
	}
	g.findMarkers()
	e.shapes = m.named
	for _, s := range m.named {
		if e.isFull() {
			return
		}
		g.declare(s)
	}
	for i, r := range e.pkg.Roots {
		s := m.roots[i].to()
		if s.name != r.Name {
			g.write(typesFile, "// "+r.Name+" has the schema "+g.at(r.Schema)+".\ntype "+r.Name+" = "+s.name)
		}
		g.decoder(r.Name, s, e.judge(r.Schema), false)
	}
	for _, s := range m.named {
		if s.kind == structShape || s.kind == tupleShape || s.kind == unionShape || s.kind == openShape {
			g.decodes(s)
		}
	}
	g.finish()
}

// declare writes the type of a named shape.
func (g *typing) declare(s *shape) {
	var b strings.Builder
	b.WriteString(g.typeComment(s))
	switch s.kind {
	case wrapShape:
		inner := s.elem.to()
		switch inner.kind {
		case stringShape, boolShape, int64Shape, listShape:
			fmt.Fprintf(&b, "type %s %s\n", s.name, inner.goType(false))
		default:
			fmt.Fprintf(&b, "type %s struct{ %s }\n", s.name, inner.goType(false))
		}
	case enumShape, literalShape:
		fmt.Fprintf(&b, "type %s string\n\n// The values of %s.\nconst (\n", s.name, s.name)
		for _, v := range s.values {
			text := v.text
			if s.kind == literalShape {
				text = v.json
			}
			fmt.Fprintf(&b, "\t%s %s = %s\n", v.name, s.name, literal(text))
		}
		b.WriteString(")\n")
		if s.kind == literalShape {
			b.WriteString(literalMethods(s))
		}
	case tupleShape:
		fmt.Fprintf(&b, "type %s struct {\n", s.name)
		for i, t := range s.items {
			fmt.Fprintf(&b, "%s\tItem%d %s\n", memberComment(t.about, "", t.required, nilMeans(t.shape, t.required, t.pointer)), i+1, optional(t.shape, t.required, t.pointer))
		}
		if s.rest != nil {
			fmt.Fprintf(&b, "\t// Rest holds the elements after these.\n\tRest []%s\n", s.rest.goType(false))
		}
		b.WriteString("}\n")
	case structShape:
		fmt.Fprintf(&b, "type %s struct {\n", s.name)
		for _, m := range s.members {
			if m.fixed == nil {
				fmt.Fprintf(&b, "%s\t%s %s%s\n", memberComment(m.about, m.field, m.required, nilMeans(m.shape, m.required, m.pointer)), m.field, optional(m.shape, m.required, m.pointer), tag(m))
			}
		}
		if s.extra != nil {
			fmt.Fprintf(&b, "\t// Extra holds the members that the schema does not name, in their order.\n\t%s wire.Entries[%s] `json:\"-\"`\n", extraField, s.extra.goType(false))
		}
		b.WriteString("}\n")
	case unionShape:
		fmt.Fprintf(&b, "type %s interface {\n\twire.Appender\n", s.name)
		for _, m := range g.markers[s] {
			fmt.Fprintf(&b, "\t%s()\n", m)
		}
		if s.counts {
			b.WriteString("\tappendJSON(dst []byte, depth int) []byte\n")
		}
		b.WriteString("}\n")
	case openShape:
		fmt.Fprintf(&b, "type %s struct{ wire.Raw }\n", s.name)
		for i, a := range s.arms {
			arm := a.shape.to()
			if slices.ContainsFunc(s.arms[:i], func(b *alternative) bool { return b.shape.to() == arm }) {
				continue // two arms that look alike
			}
			word := strings.TrimPrefix(arm.name, s.name)
			fmt.Fprintf(&b, "\n// As%s returns the value as %s %s, if it is one.\n", word, article(arm.name), arm.name)
			fmt.Fprintf(&b, "func (x %s) As%s() (v %s, ok bool) {\n\tv, err := %s(x.Raw)\n\treturn v, err == nil\n}\n", s.name, word, arm.name, g.decodes(arm))
		}
	}
	if s.kind != unionShape {
		for _, m := range g.markers[s] {
			fmt.Fprintf(&b, "\nfunc (%s) %s() {}\n", s.name, m)
		}
	}
	g.write(typesFile, b.String())
}

// literalMethods are the accessors of constants of several types.
func literalMethods(s *shape) string {
	var b strings.Builder
	has := func(first string) bool {
		return slices.ContainsFunc(s.values, func(v value) bool { return strings.ContainsAny(v.json[:1], first) })
	}
	if has(`"`) {
		fmt.Fprintf(&b, "\n// AsString returns the value of a string.\nfunc (x %s) AsString() (v string, ok bool) { return wire.Raw(x).Text() }\n", s.name)
	}
	if has("-0123456789") {
		fmt.Fprintf(&b, "\n// AsNumber returns the value of a number.\nfunc (x %s) AsNumber() (v wire.Number, ok bool) { return wire.ParseNumber(string(x)) }\n", s.name)
	}
	if has("tf") {
		fmt.Fprintf(&b, "\n// AsBool returns the value of a boolean.\nfunc (x %s) AsBool() (v, ok bool) { return x == \"true\", x == \"true\" || x == \"false\" }\n", s.name)
	}
	return b.String()
}

// findMarkers collects the methods by which alternatives belong to unions. A union that is an alternative
// of another one demands the other's as well.
func (g *typing) findMarkers() {
	var mark func(s *shape, method string)
	mark = func(s *shape, method string) {
		if s = s.to(); slices.Contains(g.markers[s], method) {
			return
		}
		g.markers[s] = append(g.markers[s], method)
		if s.kind == unionShape {
			for _, a := range s.arms {
				mark(a.shape, method)
			}
		}
	}
	for _, s := range g.model.named {
		if s.kind == unionShape {
			mark(s, "is"+s.name)
			for _, a := range s.arms {
				g.appends(a.shape.to())
			}
		}
	}
}

// literal spells a string constant.
func literal(s string) string {
	if strconv.CanBackquote(s) && strings.ContainsAny(s, `"\`) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// tag names the member of a field, for people and for what reads tags.
func tag(m *member) string {
	plain := func(r rune) bool { return isWordRune(r) || strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) }
	if m.json == "" || m.json == "-" || strings.ContainsFunc(m.json, func(r rune) bool { return !plain(r) }) {
		return " // " + oneLine(strconv.Quote(m.json))
	}
	if !m.required {
		return " `json:\"" + m.json + ",omitzero\"`"
	}
	return " `json:\"" + m.json + "\"`"
}

// at tells where a schema stands; the file is left out when the header has it.
func (e *emitter) at(s *ir.Schema) string {
	if s.Origin.Pos.File == e.source() && s.Origin.Pointer != "" {
		return oneLine("#" + s.Origin.Pointer)
	}
	return where(s)
}

// typeComment describes a type.
func (g *typing) typeComment(s *shape) string {
	what := " has the schema " + g.at(s.about) + "."
	if len(s.judged) > 1 && s.about != nil && !s.isRoot {
		var list []string
		for _, p := range s.judged {
			list = append(list, g.at(p))
		}
		what = " has the schemas " + strings.Join(list, " and ") + "."
	}
	switch s.kind {
	case unionShape:
		var names []string
		for _, a := range s.arms {
			names = append(names, a.shape.to().name)
		}
		what += " It is one of " + strings.Join(names, ", ") + "."
	case literalShape:
		what += " It holds the JSON text of one of these constants."
	case openShape:
		what += " It is any JSON; its methods find out what it is."
	case tupleShape:
		what += " It is written as an array, up to the last item that is there; absent ones before it are null."
	case structShape:
		var fixed []string
		for _, m := range s.members {
			if m.fixed != nil {
				fixed = append(fixed, oneLine(strconv.Quote(m.json)+": "+string(m.fixed)))
			}
		}
		if fixed != nil {
			what += " Constant, without a field: " + strings.Join(fixed, ", ") + "."
		}
	}
	text := comment("", s.name+what)
	if d := describe(s.about, s.name); d != "" {
		text += "//\n" + comment("", d)
	}
	if s.about != nil && s.about.Notes.Deprecated {
		text += "//\n// Deprecated: the schema says so.\n"
	}
	return text
}

// nilMeans says what a nil pointer stands for.
func nilMeans(s *shape, required, pointer bool) string {
	switch nullable := s.to().kind == nullableShape; {
	case !pointer:
		return ""
	case nullable:
		return "Nil is null."
	case required:
		return "Never nil."
	}
	return "Nil is absent."
}

// memberComment describes a field.
func memberComment(about *ir.Schema, name string, required bool, more string) string {
	text := describe(about, name)
	add := func(sentence string) {
		if text != "" && !strings.ContainsAny(text[len(text)-1:], ".!?:") {
			text += "."
		}
		text = strings.TrimSpace(text + " " + sentence)
	}
	if more != "" {
		add(more)
	}
	if about != nil && about.Notes.Default != nil && !required {
		add("Default: " + string(about.Notes.Default) + ".")
	}
	if about != nil && about.Notes.Deprecated {
		text = strings.TrimSpace(text + "\n\nDeprecated: the schema says so.")
	}
	if text == "" {
		return ""
	}
	return comment("\t", text)
}

// Comments are wrapped at this many characters, and cut after this many.
const (
	commentWidth = 110
	commentLimit = 2000
)

// comment makes text a comment. Characters that are no text are left out.
func comment(indent, text string) string {
	if runes := []rune(text); len(runes) > commentLimit {
		text = string(runes[:commentLimit-1]) + "…"
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		fields := strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || !unicode.IsPrint(r) })
		column := 0
		b.WriteString(indent + "//")
		for _, word := range fields {
			if size := len([]rune(word)) + 1; column > 0 && column+size > commentWidth {
				b.WriteString("\n" + indent + "//")
				column = 0
			}
			b.WriteString(" " + word)
			column += len([]rune(word)) + 1
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// article returns "a" or "an".
func article(name string) string {
	if strings.ContainsRune("AEIOU", rune(name[0])) {
		return "an"
	}
	return "a"
}
