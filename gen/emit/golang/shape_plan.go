package golang

import (
	"fmt"
	"slices"
	"strconv"

	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/ir"
)

// The codes of planning's diagnostics. All are warnings: the code that is written is right, but somebody
// may have meant something else.
const (
	// CodeRaw is a value that has no better Go type than a wire.Raw with accessors.
	CodeRaw diag.Code = "emit/raw-union"
	// CodeConstants is a value that is one of several objects or lists, for which Go has no constants.
	CodeConstants diag.Code = "emit/raw-constants"
	// CodeClash is a Go name that two things of the schema would have; one of them has another.
	CodeClash diag.Code = "emit/clash"
)

// planner makes shapes.
type planner struct {
	diags  diag.List
	known  map[string]*shape // by view
	shapes map[string]*shape // named ones, by what shapes them
	merged int               // views of several parts
	// various holds structs that have more than one value, or may have.
	various map[*shape]bool
}

// maxMerged bounds the views that conjoin several schemas. There may be more of them than schemas: a
// recursion through allOf may conjoin any subset.
const maxMerged = 1 << 14

// plan makes the model of a program. The roots of the model are in the order of roots. Names are taken from n.
func plan(roots []Root, n *naming) (*model, diag.List) {
	p := &planner{known: map[string]*shape{}, shapes: map[string]*shape{}, various: map[*shape]bool{}}
	m := &model{}
	for _, r := range roots {
		m.roots = append(m.roots, p.place(r.Schema))
	}
	p.finish(m)
	p.name(m, n, roots)
	return m, p.diags
}

// place returns the shape of a value that schemas apply to.
func (p *planner) place(applied ...*ir.Schema) *shape {
	return p.of(newView(applied, allTypes, nil))
}

// of returns the shape of a view.
func (p *planner) of(v *view) *shape {
	key := v.key()
	if s, ok := p.known[key]; ok {
		return s
	}
	said := v.shaping(v.saysMore)
	s := &shape{admits: v.admits, about: first(said), judged: judgesFor(said), parts: ids(said)}
	p.known[key] = s // a view may lead back to itself
	if len(v.parts) > 1 {
		p.merged++
	}
	if v.broad || p.merged > maxMerged {
		s.kind = rawShape
		return s
	}
	p.decide(s, v)
	return s
}

// decide settles what s is.
func (p *planner) decide(s *shape, v *view) {
	if v.admits == 0 {
		s.kind = rawShape // never read
		return
	}
	s.whole = v.wholes()
	if values, known := v.constants(); known {
		p.listed(s, v, values)
		return
	}
	groups := v.groups()
	switch {
	case len(groups) == len(kindGroups):
		p.anything(s, v)
	case len(groups) == 0:
		s.kind, s.raw = nullShape, []byte("null")
	case v.admits&ir.TypeNull != 0:
		s.kind = nullableShape
		s.elem = p.of(newView(v.parts, v.admits&^ir.TypeNull, v.solved))
	case len(groups) > 1:
		p.byKind(s, v, groups)
	default:
		switch groups[0].types {
		case ir.TypeString:
			s.kind = stringShape
		case ir.TypeBoolean:
			s.kind = boolShape
		case ir.TypeInteger:
			s.kind = intShape
			if v.bounded() {
				s.kind = int64Shape
			}
		case ir.TypeArray:
			p.array(s, v)
		case ir.TypeObject:
			p.object(s, v)
		default:
			s.kind = numberShape
		}
	}
}

// named makes s a shape of a named kind, or a forward to the one that the same schemas have shaped before.
// It reports whether s is new.
func (p *planner) named(s *shape, v *view, kind shapeKind, parts []*ir.Schema) bool {
	choices := parts
	if slices.ContainsFunc(v.parts, hasLeftover) && slices.ContainsFunc(v.solved, func(d solved) bool { return d.alone }) {
		// What is left for such a rule depends on which arms are out of question, and so the type is for values of this arm.
		parts = v.shaping(func(q *ir.Schema) bool { return v.saysMore(q) || slices.Contains(parts, q) })
		choices = v.parts
	}
	key := fmt.Sprint(kind, ids(parts), v.solvedOf(choices))
	if kind != structShape && kind != tupleShape {
		key += fmt.Sprint(v.admits)
	}
	if known, ok := p.shapes[key]; ok {
		s.kind, s.elem = forwardShape, known
		return false
	}
	p.shapes[key] = s
	s.kind, s.parts, s.judged = kind, ids(parts), judgesFor(parts)
	s.about = parts[0]
	return true
}

// listed shapes a value whose constants are known.
func (p *planner) listed(s *shape, v *view, values []ir.Value) {
	if len(values) == 0 {
		s.kind = rawShape
		return
	}
	if len(values) == 1 {
		s.raw = values[0].Raw
	}
	var types ir.TypeSet
	integers := true
	for i := range values {
		types |= typesOf(&values[i])
		if values[i].Kind == wire.KindNumber {
			d, _ := wire.ParseDecimal(values[i].Canonical)
			_, small := d.Int64()
			integers = integers && small
		}
	}
	switch {
	case types == ir.TypeNull:
		s.kind = nullShape
	case types&ir.TypeNull != 0:
		s.kind = nullableShape
		s.elem = p.of(newView(v.parts, v.admits&types&^ir.TypeNull, v.solved))
	case types == ir.TypeBoolean:
		s.kind = boolShape
	case types == ir.TypeInteger && integers:
		s.kind = int64Shape
	case types == ir.TypeInteger:
		s.kind = intShape
	case types&^(ir.TypeInteger|ir.TypeNumber) == 0:
		s.kind = numberShape
	case types&(ir.TypeArray|ir.TypeObject) != 0:
		s.kind = rawShape // a single constant
	default:
		kind := literalShape
		if types == ir.TypeString {
			kind = enumShape
		}
		if p.named(s, v, kind, v.shaping(func(q *ir.Schema) bool { return q.Values() != nil })) {
			for _, c := range values {
				s.values = append(s.values, value{json: string(c.Raw), text: decodedText(c)})
			}
		}
	}
}

// decodedText is the text of a constant that is a string.
func decodedText(c ir.Value) string {
	var t wire.Tape
	if c.Kind != wire.KindString || t.Scan(c.Raw, wire.Limits{}) != nil {
		return ""
	}
	return t.String(0)
}

// anything shapes a value that may have any type: JSON as it is, with accessors for the types that have
// rules about their parts.
func (p *planner) anything(s *shape, v *view) {
	var arms []*alternative
	for _, g := range v.groups() {
		shapes := shapesObject
		switch g.types {
		case ir.TypeObject:
		case ir.TypeArray:
			shapes = shapesArray
		default:
			continue
		}
		if slices.ContainsFunc(v.parts, shapes) || v.mayHave(shapes) {
			arms = append(arms, &alternative{shape: p.of(newView(v.parts, g.types, v.solved)), word: g.word, kinds: g.types})
		}
	}
	if len(arms) == 0 {
		s.kind = rawShape
		return
	}
	if p.named(s, v, openShape, v.shaping(v.saysMore)) {
		s.arms = arms
		s.why = "no type is stated, so the value may be any JSON"
	}
}

// byKind shapes a value that may have several types.
func (p *planner) byKind(s *shape, v *view, groups []kindGroup) {
	if !p.named(s, v, unionShape, v.shaping(v.saysMore)) {
		return
	}
	for _, g := range groups {
		s.arms = append(s.arms, &alternative{shape: p.of(newView(v.parts, g.types, v.solved)), word: g.word, kinds: g.types})
	}
}

// maxItems bounds the elements of a tuple.
const maxItems = 256

func (p *planner) array(s *shape, v *view) {
	for _, u := range v.unions {
		if u.mayHave(shapesArray) {
			p.alternatives(s, v, u)
			return
		}
	}
	count, least := v.prefix()
	if count == 0 || count > maxItems {
		s.kind = listShape
		if count == 0 {
			s.elem = p.place(v.elements(0)...)
		} else {
			s.elem = p.place()
		}
		return
	}
	if !p.named(s, v, tupleShape, v.shaping(shapesArray)) {
		return
	}
	for i := range count {
		all := v.elements(i)
		if slices.ContainsFunc(all, never) {
			return // and nothing after it
		}
		s.items = append(s.items, &item{shape: p.place(all...), required: i < least, about: first(all)})
	}
	if rest := v.elements(count); !slices.ContainsFunc(rest, never) {
		s.rest = p.place(rest...)
	}
}

func first(list []*ir.Schema) *ir.Schema {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// mayHave reports whether an arm of a union has a property.
func (u left) mayHave(has func(*ir.Schema) bool) bool {
	return slices.ContainsFunc(u.arms, func(a *ir.Schema) bool { return deep(a, has) })
}

func (v *view) mayHave(has func(*ir.Schema) bool) bool {
	return slices.ContainsFunc(v.unions, func(u left) bool { return u.mayHave(has) })
}

// deep reports whether a schema, or what applies to the same value with it, has a property.
func deep(s *ir.Schema, has func(*ir.Schema) bool) bool {
	budget := maxParts
	var look func(*ir.Schema) bool
	look = func(s *ir.Schema) bool {
		s = s.Target()
		if budget--; budget < 0 || has(s) {
			return true
		}
		if s.Ref != nil && look(s.Ref) {
			return true
		}
		return slices.ContainsFunc(s.AllOf, look) || slices.ContainsFunc(s.AnyOf, look) || slices.ContainsFunc(s.OneOf, look)
	}
	return look(s)
}

// alternatives shapes a value for which one of several arms holds that nothing tells apart: what they have
// in common, if they all look alike, and else JSON with an accessor for each.
func (p *planner) alternatives(s *shape, v *view, u left) {
	if !p.named(s, v, alternativesShape, v.shaping(v.saysMore)) {
		return
	}
	s.why = "no member with a constant tells the arms of " + strconv.Quote(u.keyword) + " apart"
	s.via = u.holder
	for i, a := range u.arms {
		s.arms = append(s.arms, &alternative{shape: p.of(v.with(u, a, false)), word: "Choice" + strconv.Itoa(u.index[i]+1)})
	}
}

// report adds a warning about a schema.
func (p *planner) report(code diag.Code, about *ir.Schema, message, hint string) {
	d := diag.Diagnostic{Severity: diag.Warning, Code: code, Message: message, Hint: hint}
	if about != nil {
		d.Position, d.Pointer = about.Origin.Pos, about.Origin.Pointer
	}
	p.diags = append(p.diags, d)
}
