package golang

import (
	"fmt"
	"strconv"
	"strings"

	"vcp.core/gen/ir"
)

// Readers fill a value from a tape that was judged valid. All have the form func(x *X, t *wire.Tape, n int).

// decodes returns the name of the function that decodes a named shape, and sees to it that it is written.
func (g *typing) decodes(s *shape) string {
	if !g.decoded[s.name] {
		g.decoder(s.name, s, g.judgeOf(s), true)
	}
	return "Decode" + s.name
}

// decoder writes Decode and, unless judging did, Validate for a type.
func (g *typing) decoder(name string, s *shape, judge string, validate bool) {
	if g.decoded[name] {
		return
	}
	g.decoded[name] = true
	text := fmt.Sprintf("// Decode%s reads src, which it owns from now on: strings of the value alias it.\n", name) +
		fmt.Sprintf("func Decode%s(src []byte) (x %s, err error) {\n", name, name) +
		fmt.Sprintf("\terr = wire.Decode(src, %s, &rules, %s)\n", judge, function{"func(t *wire.Tape)", g.readInto("&x", s, "t", "0")}.literal()) +
		"\treturn x, err\n}\n"
	if validate {
		text += fmt.Sprintf("\n// Validate%s scans src and judges it: nil, a *wire.Error or a *wire.Rejection.\n", name) +
			functions(function{"func Validate" + name + "(src []byte) error", "return wire.JudgeBytes(src, wire.Limits{}, " + judge + ", &rules)"})
	}
	g.write(readFile, text)
	g.appends(s)
}

// judgeOf returns the name of the judge of a named shape: that of its schema, or one that also asks for the
// other schemas and for the kind.
func (g *typing) judgeOf(s *shape) string {
	kinds := kindsOf(s.admits)
	admitted := kindsOf(admitted(s.judged))
	if len(s.judged) == 1 && admitted&^kinds == 0 {
		return g.judge(s.judged[0])
	}
	var terms []string
	if admitted&^kinds != 0 {
		rule := 0
		if s.about != nil {
			rule = g.judging.anyRule(s.about)
		}
		terms = append(terms, fmt.Sprintf("j.Is(n, %s, %d)", kindCode(kinds), rule))
	}
	for _, p := range s.judged {
		if !p.Trivial() {
			terms = append(terms, g.judge(p)+"(j, n)")
		}
	}
	if len(terms) == 0 {
		terms = []string{"true"}
	}
	name := g.taken.take("accept" + s.name)
	g.write(judgeFile, fmt.Sprintf("// %s judges what is a %s: all of its schemas, and its kind.\n", name, s.name)+
		fmt.Sprintf("func %s(j *wire.Judge, n int) bool {\n\treturn %s\n}\n", name, strings.Join(terms, " &&\n\t\t")))
	return name
}

// readInto is a statement that reads node n into the value at an address.
func (g *typing) readInto(address string, s *shape, tape, n string) string {
	s = s.to()
	switch s.kind {
	case nullShape:
		return ""
	case nullableShape:
		return fmt.Sprintf("if %s.Kind(%s) != wire.KindNull {\n%s\n}", tape, n, g.readInto(fill(address), s.elem, tape, n))
	case listShape, entriesShape:
		name := map[shapeKind]string{listShape: "List", entriesShape: "Entries"}[s.kind]
		return fmt.Sprintf("wire.Read%s(%s, %s, %s, %s)", name, address, tape, n, g.reader(s.elem))
	case literalShape:
		return fmt.Sprintf("wire.ReadConstant(%s, %s, %s, %s)", address, tape, n, g.constantsOf(s))
	}
	return fmt.Sprintf("%s(%s, %s, %s)", g.reader(s), address, tape, n)
}

// fill is the address of the value inside an optional or nullable one, which becomes present.
func fill(address string) string {
	return strings.TrimPrefix(address, "&") + ".Fill()"
}

// constantsOf returns the address of the list of a literal's constants.
func (g *typing) constantsOf(s *shape) string {
	list := make([]ir.Value, len(s.values))
	for i, v := range s.values {
		list[i].Raw = []byte(v.json)
	}
	return g.judging.constants(list, s.name)
}

// readerNames are the readers of package wire.
var readerNames = map[shapeKind]string{
	rawShape: "wire.ReadRaw", nullShape: "wire.ReadNull", boolShape: "wire.ReadBool", stringShape: "wire.ReadString",
	int64Shape: "wire.ReadInt64", intShape: "wire.ReadInt", numberShape: "wire.ReadNumber", refShape: "wire.ReadRef",
	enumShape: "wire.ReadText",
}

// reader returns an expression for the function that reads a shape.
func (g *typing) reader(s *shape) string {
	s = s.to()
	if name, ok := readerNames[s.kind]; ok {
		return name
	}
	if !s.kind.named() || s.kind == literalShape {
		return fmt.Sprintf("func(v *%s, t *wire.Tape, n int) {\n%s\n}", s.goType(false), g.readInto("v", s, "t", "n"))
	}
	name, ok := g.readers[s]
	if !ok {
		name = g.taken.take("read" + s.name)
		g.readers[s] = name
		g.readQ = append(g.readQ, s)
	}
	return name
}

// finish writes the functions that were asked for.
func (g *typing) finish() {
	for len(g.readQ) > 0 || len(g.appendQ) > 0 {
		if g.isFull() {
			return
		}
		if len(g.readQ) > 0 {
			s := g.readQ[0]
			g.readQ = g.readQ[1:]
			g.write(readFile, fmt.Sprintf("func %s(x *%s, t *wire.Tape, n int) {\n%s}\n", g.readers[s], s.name, g.readBody(s)))
			g.appends(s)
			continue
		}
		s := g.appendQ[0]
		g.appendQ = g.appendQ[1:]
		g.appender(s)
	}
}

// readBody is the inside of a reader of a named shape.
func (g *typing) readBody(s *shape) string {
	switch s.kind {
	case wrapShape:
		return g.readWrapped(s)
	case tupleShape:
		return g.readTuple(s)
	case structShape:
		return g.readStruct(s)
	case unionShape:
		return g.readUnion(s)
	}
	return "\twire.ReadRaw(&x.Raw, t, n)\n" // open
}

// readWrapped reads what a named type wraps.
func (g *typing) readWrapped(s *shape) string {
	inner := s.elem.to()
	switch inner.kind {
	case stringShape:
		return "\twire.ReadText(x, t, n)\n"
	case boolShape, int64Shape, listShape:
		return "\t" + g.readInto("(*"+inner.goType(false)+")(x)", inner, "t", "n") + "\n"
	}
	return "\t" + g.readInto("&x."+embedded(inner), inner, "t", "n") + "\n"
}

// embedded is the name of the field that an embedded type has.
func embedded(s *shape) string {
	name := strings.TrimPrefix(s.goType(false), "wire.")
	if i := strings.IndexByte(name, '['); i >= 0 {
		name = name[:i]
	}
	return name
}

// readMember reads a member or an item, whose field is at an address.
func (g *typing) readMember(field string, s *shape, required, pointer bool, tape, n string) string {
	nullable := s.to().kind == nullableShape
	if !pointer {
		if required {
			return g.readInto("&"+field, s, tape, n)
		}
		if s.to().kind == nullShape {
			return field + ".Fill()"
		}
		if nullable {
			return fmt.Sprintf("v := %s.Fill()\n%s", field, g.readInto("v", s, tape, n))
		}
		return g.readInto(field+".Fill()", s, tape, n)
	}
	inner := s.to()
	if nullable {
		inner = inner.elem.to()
	}
	fresh := fmt.Sprintf("wire.New[%s](%s, %s)", inner.name, tape, n)
	read := fmt.Sprintf("%s = %s\n%s", field, fresh, g.readInto(field, inner, tape, n))
	if nullable && !required {
		read = fmt.Sprintf("v := %s.Fill()\n", field) + fmt.Sprintf("if %s.Kind(%s) != wire.KindNull {\n*v = %s\n%s\n}", tape, n, fresh, g.readInto("*v", inner, tape, n))
	} else if nullable {
		read = fmt.Sprintf("if %s.Kind(%s) != wire.KindNull {\n%s\n}", tape, n, read)
	}
	return read
}

// readStruct is a loop over the members, in the order of the document.
func (g *typing) readStruct(s *shape) string {
	var fields []*member
	for _, m := range s.members {
		if m.fixed == nil {
			fields = append(fields, m)
		}
	}
	if len(fields) == 1 && s.extra == nil && fields[0].required {
		m := fields[0]
		return fmt.Sprintf("v, _ := t.Find(n, %s)\n%s\n", strconv.Quote(m.json), g.readMember("x."+m.field, m.shape, m.required, m.pointer, "t", "v"))
	}
	var cases strings.Builder
	for _, m := range fields {
		fmt.Fprintf(&cases, "case %s:\n%s\n", strconv.Quote(m.json), g.readMember("x."+m.field, m.shape, m.required, m.pointer, "t", "m.Value"))
	}
	if s.extra != nil {
		var fixed []string
		for _, m := range s.members {
			if m.fixed != nil {
				fixed = append(fixed, strconv.Quote(m.json))
			}
		}
		if fixed != nil {
			fmt.Fprintf(&cases, "case %s: // constant\n", strings.Join(fixed, ", "))
		}
		fmt.Fprintf(&cases, "default:\nwire.ReadEntry(&x.%s, t, m.Name, %s)\n", extraField, g.reader(s.extra))
	}
	if cases.Len() == 0 {
		return ""
	}
	return "for m := t.Members(n); m.Next(); {\nswitch t.Label(m.Name) {\n" + cases.String() + "}\n}\n"
}

// readTuple reads elements by position.
func (g *typing) readTuple(s *shape) string {
	var cases strings.Builder
	for i, t := range s.items {
		fmt.Fprintf(&cases, "case %d:\n%s\n", i, g.readMember("x.Item"+strconv.Itoa(i+1), t.shape, t.required, t.pointer, "t", "e"))
	}
	loop := ""
	if cases.Len() > 0 {
		loop = "i := 0\nfor e := t.FirstChild(n); e < t.Next(n); e = t.Next(e) {\nswitch i {\n" + cases.String() + "}\ni++\n}\n"
	}
	if s.rest != nil {
		loop += fmt.Sprintf("wire.ReadRest(&x.Rest, t, n, %d, %s)\n", len(s.items), g.reader(s.rest))
	}
	return loop
}

// readUnion selects the alternative by the kind of the value, or by a member of the object.
func (g *typing) readUnion(s *shape) string {
	read := func(a *alternative) string {
		t := a.shape.to()
		if t.kind == structShape || t.kind == tupleShape {
			return fmt.Sprintf("v := wire.New[%s](t, n)\n%s\n*x = *v\n", t.name, g.readInto("v", t, "t", "n"))
		}
		return fmt.Sprintf("var v %s\n%s\n*x = v\n", t.name, g.readInto("&v", t, "t", "n"))
	}
	var b strings.Builder
	if s.choice == nil {
		b.WriteString("switch t.Kind(n) {\n")
		for _, a := range s.arms {
			var kinds []string
			for _, g := range kindGroups {
				if g.types&a.kinds != 0 {
					for _, k := range g.kinds {
						kinds = append(kinds, "wire."+k)
					}
				}
			}
			fmt.Fprintf(&b, "case %s:\n%s", strings.Join(kinds, ", "), read(a))
		}
		b.WriteString("}\n")
		return b.String()
	}
	list := g.judging.constants(s.choice.values, g.nameOf(s.via)+"By"+exported(s.choice.member))
	fmt.Fprintf(&b, "switch wire.CaseOf(t, n, %s, %s) {\n", strconv.Quote(s.choice.member), list)
	for _, a := range s.arms {
		var labels, texts []string
		for _, i := range a.by {
			labels = append(labels, strconv.Itoa(i))
			texts = append(texts, string(s.choice.values[i].Raw))
		}
		if a.absent {
			labels, texts = append(labels, "wire.Absent"), append(texts, "absent")
		}
		if a.other {
			labels, texts = append(labels, "wire.Other"), append(texts, "another value")
		}
		if labels != nil {
			fmt.Fprintf(&b, "case %s: // %s\n%s", strings.Join(labels, ", "), oneLine(strings.Join(texts, ", ")), read(a))
		}
	}
	b.WriteString("}\n")
	return b.String()
}
