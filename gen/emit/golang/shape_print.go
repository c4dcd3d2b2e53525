package golang

import (
	"fmt"
	"strconv"
	"strings"

	"vcp.core/gen/ir"
)

// String prints a model for tests: one paragraph for each named type, roots first.
func (m *model) String() string {
	var b strings.Builder
	for i, r := range m.roots {
		fmt.Fprintf(&b, "root %d %s\n", i+1, r.goType(false))
	}
	for _, s := range m.named {
		b.WriteString("\n" + s.name + " ")
		s.print(&b)
	}
	return b.String()
}

func (s *shape) print(b *strings.Builder) {
	switch s.kind {
	case wrapShape:
		fmt.Fprintf(b, "= %s\n", s.elem.goType(false))
	case enumShape, literalShape:
		b.WriteString(map[shapeKind]string{enumShape: "enum\n", literalShape: "literal\n"}[s.kind])
		for _, v := range s.values {
			fmt.Fprintf(b, "  %s %s\n", v.name, v.json)
		}
	case tupleShape:
		b.WriteString("tuple\n")
		for i, t := range s.items {
			fmt.Fprintf(b, "  %d %s\n", i, optional(t.shape, t.required, t.pointer))
		}
		if s.rest != nil {
			fmt.Fprintf(b, "  rest %s\n", s.rest.goType(false))
		}
	case structShape:
		b.WriteString("struct\n")
		for _, m := range s.members {
			if m.fixed != nil {
				fmt.Fprintf(b, "  %s = %s\n", strconv.Quote(m.json), m.fixed)
				continue
			}
			fmt.Fprintf(b, "  %s %s %s\n", strconv.Quote(m.json), m.field, optional(m.shape, m.required, m.pointer))
		}
		if s.extra != nil {
			fmt.Fprintf(b, "  extra %s\n", s.extra.goType(false))
		}
	case unionShape, openShape:
		b.WriteString(map[shapeKind]string{unionShape: "union", openShape: "open"}[s.kind])
		if s.choice != nil {
			b.WriteString(" by " + strconv.Quote(s.choice.member))
		}
		b.WriteString("\n")
		for _, a := range s.arms {
			b.WriteString("  " + a.shape.goType(false))
			if a.kinds != 0 {
				b.WriteString(" " + typeWords(a.kinds))
			}
			for _, i := range a.by {
				b.WriteString(" " + string(s.choice.values[i].Raw))
			}
			if a.other {
				b.WriteString(" other")
			}
			if a.absent {
				b.WriteString(" absent")
			}
			b.WriteString("\n")
		}
	}
}

// goType spells the Go type. pointer puts the innermost value behind a pointer, see [breakCycles].
func (s *shape) goType(pointer bool) string {
	s = s.to()
	star := ""
	if pointer {
		star = "*"
	}
	switch s.kind {
	case nullShape:
		return "wire.Null"
	case boolShape:
		return "bool"
	case stringShape:
		return "string"
	case int64Shape:
		return "int64"
	case intShape:
		return "wire.Int"
	case numberShape:
		return "wire.Number"
	case refShape:
		return "wire.Ref"
	case nullableShape:
		if pointer {
			return s.elem.goType(true)
		}
		return "wire.Nullable[" + s.elem.goType(false) + "]"
	case listShape:
		return "[]" + s.elem.goType(false)
	case entriesShape:
		return "wire.Entries[" + s.elem.goType(false) + "]"
	}
	if s.kind.named() {
		return star + s.name
	}
	return "wire.Raw"
}

// optional spells the Go type of a member or an item.
func optional(s *shape, required, pointer bool) string {
	nullable := s.to().kind == nullableShape
	if required || pointer && !nullable {
		return s.goType(pointer)
	}
	return "wire.Opt[" + s.goType(pointer) + "]"
}

// describe returns what the schemas say about a type or a member: their own description or title, else that
// of what they refer to. A title that says no more than the Go name is left out.
func describe(s *ir.Schema, name string) string {
	for ; s != nil; s = s.Ref {
		if s.Notes.Description != "" {
			return s.Notes.Description
		}
		if s.Notes.Title != "" {
			if exported(s.Notes.Title) == name {
				return ""
			}
			return s.Notes.Title
		}
	}
	return ""
}
