package golang

import (
	"fmt"
	"strings"

	"vcp.core/contract/wire"
)

// Encoders. A struct is written in the order of its schema, constants included, then the members of Extra.
// Text that does not depend on the value is written in one piece.

// appends sees to it that a named shape gets its encoder.
func (g *typing) appends(s *shape) {
	if !g.append_[s] {
		g.append_[s] = true
		g.appendQ = append(g.appendQ, s)
	}
}

// appender writes AppendJSON, and the methods that encoding/json looks for.
func (g *typing) appender(s *shape) {
	body := ""
	switch s.kind {
	case unionShape:
		return
	case openShape: // wire.Raw has it
	case wrapShape:
		body = g.appendWrapped(s)
	case enumShape:
		body = "return wire.AppendQuoted(dst, string(x))\n"
	case literalShape:
		body = "return wire.Raw(x).AppendJSON(dst)\n"
	case tupleShape:
		body = g.appendTuple(s)
	case structShape:
		body = g.appendStruct(s)
	}
	decoded := g.decoded[s.name] && s.kind != enumShape && s.kind != literalShape
	var methods []function
	text, comment := "", "// AppendJSON appends x as JSON. The methods below are for encoding/json.\n"
	switch {
	case s.cyclic && body != "":
		comment = "// AppendJSON appends x as JSON. It panics with a *wire.DepthError if x contains itself. The methods below are for encoding/json.\n"
		text = functions(function{"func (x " + s.name + ") AppendJSON(dst []byte) []byte", "return x.appendJSON(dst, 0)"}) +
			fmt.Sprintf("func (x %s) appendJSON(dst []byte, depth int) []byte {\ndepth = wire.Deeper(depth)\n%s}\n", s.name, body)
	case body != "":
		text = fmt.Sprintf("func (x %s) AppendJSON(dst []byte) []byte {\n%s}\n", s.name, body)
	}
	if decoded {
		methods = append(methods, function{"func (x *" + s.name + ") UnmarshalJSON(src []byte) error", "return wire.Unmarshal(x, src, Decode" + s.name + ")"})
	}
	switch {
	case body == "":
		comment = "// UnmarshalJSON is for encoding/json.\n"
		if s.counts {
			comment = "// The methods below are for encoding/json, and for encoders of what x is a part of.\n"
		}
	case s.kind == enumShape:
		comment = "// AppendJSON appends x as JSON.\n"
	default:
		marshal := "return x.AppendJSON(nil), nil"
		if s.cyclic {
			marshal = "return wire.Encode(nil, x)"
		}
		methods = append(methods, function{"func (x " + s.name + ") MarshalJSON() ([]byte, error)", marshal})
	}
	if s.counts && (!s.cyclic || body == "") {
		methods = append(methods, function{"func (x " + s.name + ") appendJSON(dst []byte, _ int) []byte", "return x.AppendJSON(dst)"})
	}
	text += functions(methods...)
	if text != "" {
		g.write(appendFile, comment+text)
	}
}

// appendWrapped is the encoder of a type around an unnamed one, "" when the embedded type has one.
func (g *typing) appendWrapped(s *shape) string {
	w := g.writer(s)
	switch inner := s.elem.to(); inner.kind {
	case rawShape, nullShape, intShape, numberShape, refShape:
		return ""
	case stringShape, boolShape, int64Shape:
		w.value(inner.goType(false)+"(x)", inner)
	case listShape:
		w.value("x", inner)
	default:
		w.value("x."+embedded(inner), inner)
	}
	return w.end()
}

// writer makes the statements of one encoder.
type writer struct {
	*typing
	strings.Builder
	lead   string // the expression that text is appended to
	text   string // not written yet
	comma  commas
	counts bool // the variable depth is there
}

func (g *typing) writer(s *shape) *writer { return &writer{typing: g, lead: "dst", counts: s.cyclic} }

// commas tells whether the next member needs a comma.
type commas uint8

const (
	none    commas = iota // it is the first
	always                // something stands before it
	depends               // only optional members do
)

// static adds text.
func (w *writer) static(text string) { w.text += text }

// dst is the expression that has all so far, to append a value to.
func (w *writer) dst() string {
	lead, text := w.lead, w.text
	w.lead, w.text = "dst", ""
	switch {
	case text == "":
		return lead
	case len(text) == 1:
		return "append(" + lead + ", '" + text + "')"
	}
	return "append(" + lead + ", " + literal(text) + "...)"
}

func (w *writer) flush() {
	if w.text != "" || w.lead != "dst" {
		w.WriteString("dst = " + w.dst() + "\n")
	}
}

// either writes a condition with two branches that both begin with what is not written yet.
func (w *writer) either(condition string, then, otherwise func()) {
	lead, text := w.lead, w.text
	w.WriteString("if " + condition + " {\n")
	then()
	w.flush()
	w.WriteString("} else {\n")
	w.lead, w.text = lead, text
	otherwise()
	w.flush()
	w.WriteString("}\n")
}

// call writes a call that appends.
func (w *writer) call(function, x string) {
	w.WriteString("dst = " + function + "(" + w.dst() + ", " + x + ")\n")
}

// value writes a value.
func (w *writer) value(x string, s *shape) {
	switch s = s.to(); s.kind {
	case boolShape:
		w.call("wire.AppendBool", x)
	case int64Shape:
		w.call("wire.AppendInt", x)
	case stringShape:
		w.call("wire.AppendQuoted", x)
	case enumShape:
		w.call("wire.AppendQuoted", "string("+x+")")
	case unionShape:
		if s.cyclic && w.counts {
			w.either(x+" != nil", func() { w.counted(x) }, func() { w.static("null") })
			return
		}
		w.call("wire.AppendValue", x)
	case nullShape:
		w.static("null")
	case nullableShape:
		w.either("v, ok := "+x+".Get(); ok", func() { w.value("v", s.elem) }, func() { w.static("null") })
	case listShape:
		w.static("[")
		w.flush()
		w.list(x, s.elem)
		w.static("]")
	case entriesShape:
		w.static("{")
		w.flush()
		w.entries(x, s.elem)
		w.static("}")
	default:
		if s.kind.named() {
			w.appends(s)
		}
		if s.cyclic && w.counts {
			w.counted(x)
			return
		}
		w.WriteString("dst = " + x + ".AppendJSON(" + w.dst() + ")\n")
	}
}

// counted writes a value that may contain the one at hand.
func (w *writer) counted(x string) {
	w.WriteString("dst = " + x + ".appendJSON(" + w.dst() + ", depth)\n")
}

// list writes elements.
func (w *writer) list(x string, elem *shape) {
	loop := "for _, v := range "
	if elem.to().kind == nullShape {
		loop = "for range "
	}
	w.WriteString(loop + x + " {\n")
	w.lead = "wire.Comma(dst)"
	w.value("v", elem)
	w.flush()
	w.WriteString("}\n")
}

// entries writes members under their own names.
func (w *writer) entries(x string, elem *shape) {
	w.WriteString("for _, m := range " + x + " {\n")
	w.lead = "wire.AppendName(dst, m.Name)"
	w.value("m.Value", elem)
	w.flush()
	w.WriteString("}\n")
}

// name writes the name of a member, with the comma before it.
func (w *writer) name(json string) {
	name := string(wire.AppendQuoted(nil, json)) + ":"
	switch w.comma {
	case always:
		name = "," + name
	case depends:
		w.flush()
		w.lead = "wire.Comma(dst)"
	}
	w.static(name)
}

// appendStruct is the encoder of a struct.
func (g *typing) appendStruct(s *shape) string {
	w := g.writer(s)
	w.static("{")
	for _, m := range s.members {
		switch field := "x." + m.field; {
		case m.fixed != nil:
			w.name(m.json)
			w.static(string(m.fixed))
			w.comma = always
		case m.required:
			w.name(m.json)
			w.present(field, m.shape, m.pointer)
			w.comma = always
		default:
			w.flush()
			w.optional(field, m.shape, m.pointer, func() { w.name(m.json) })
			w.flush()
			w.WriteString("}\n")
			if w.comma == none {
				w.comma = depends
			}
		}
	}
	if s.extra != nil {
		w.flush()
		w.entries("x."+extraField, s.extra)
	}
	w.static("}")
	return w.end()
}

// end returns the statements, the last one a return.
func (w *writer) end() string {
	body, last := w.String(), w.dst()
	if last == "dst" {
		line := strings.LastIndexByte(strings.TrimSuffix(body, "\n"), '\n') + 1
		if expression, ok := strings.CutPrefix(body[line:], "dst = "); ok {
			return body[:line] + "return " + expression
		}
	}
	return body + "return " + last + "\n"
}

// present writes a value that is there. Behind a pointer it may be null, or missing by mistake.
func (w *writer) present(x string, s *shape, pointer bool) {
	if !pointer {
		w.value(x, s)
		return
	}
	if s = s.to(); s.kind == nullableShape {
		s = s.elem
	}
	w.either(x+" != nil", func() { w.value(x, s) }, func() { w.static("null") })
}

// optional begins a condition with a value in it that may be absent, after what before writes.
func (w *writer) optional(x string, s *shape, pointer bool, before func()) {
	s = s.to()
	switch {
	case pointer && s.kind != nullableShape:
		w.WriteString("if " + x + " != nil {\n")
		before()
		w.value(x, s)
	case s.kind == nullShape:
		w.WriteString("if " + x + ".Present() {\n")
		before()
		w.value("", s)
	default:
		w.WriteString("if v, ok := " + x + ".Get(); ok {\n")
		before()
		w.present("v", s, pointer)
	}
}

// appendTuple is the encoder of a tuple. An absent item before one that is there is null: items have no names, and
// leaving it out would move the others.
func (g *typing) appendTuple(s *shape) string {
	w := g.writer(s)
	w.static("[")
	for i, t := range s.items {
		comma := func() {
			if i > 0 {
				w.static(",")
			}
		}
		field := itemField(i)
		if t.required {
			comma()
			w.present(field, t.shape, t.pointer)
			continue
		}
		w.flush()
		w.optional(field, t.shape, t.pointer, comma)
		w.flush()
		if later := s.after(i); later != "" {
			w.WriteString("} else if " + later + " {\n")
			comma()
			w.static("null")
			w.flush()
		}
		w.WriteString("}\n")
	}
	if s.rest != nil {
		w.flush()
		w.list("x.Rest", s.rest)
	}
	w.static("]")
	return w.end()
}

func itemField(i int) string { return fmt.Sprintf("x.Item%d", i+1) }

// after is the condition that something follows item at of a tuple, "" when nothing can.
func (s *shape) after(at int) string {
	var parts []string
	for i := at + 1; i < len(s.items); i++ {
		if t := s.items[i]; t.pointer && t.shape.to().kind != nullableShape {
			parts = append(parts, itemField(i)+" != nil")
		} else {
			parts = append(parts, itemField(i)+".Present()")
		}
	}
	if s.rest != nil {
		parts = append(parts, "len(x.Rest) > 0")
	}
	return strings.Join(parts, " || ")
}
