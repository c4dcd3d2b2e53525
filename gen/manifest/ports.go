package manifest

import (
	"slices"
	"strconv"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// Ports are read off a schema without a document: what it declares, under every rule that concerns the same
// value (targets of $ref, members of allOf, the arm of a union that is not null). Members that only some
// arms of a union declare are optional. A schema may be recursive, and a small one may unfold into a large
// tree; so a schema inside itself is a port without ports of its own, and the tree is cut at the greatest
// depth at which it has no more than maxPorts. Of more members than that at the top, the first are listed.
const (
	maxPorts = 512
	maxDepth = 8
)

// ports lists what a schema declares, in its order. A value that is no object is one port, its pointer "".
func ports(root *ir.Schema) []call.Port {
	for depth := maxDepth; ; depth-- {
		b := &portBuilder{depth: depth, room: maxPorts, open: map[int]bool{}}
		list := b.root(root)
		if b.room >= 0 || depth == 1 {
			return list
		}
	}
}

// inputs are the ports of a command's arguments. The discriminator is no port, and what has a default may
// be left out.
func inputs(root *ir.Schema, spec *call.Spec) []call.Port {
	list := ports(root)
	if spec.SuppliesDiscriminator {
		at := string(wire.AppendPointer(nil, spec.Discriminator))
		list = slices.DeleteFunc(list, func(p call.Port) bool { return p.Pointer == at })
	}
	for _, d := range spec.Defaults {
		at := string(wire.AppendPointer(nil, d.Name))
		for i := range list {
			list[i].Optional = list[i].Optional || list[i].Pointer == at
		}
	}
	return list
}

type portBuilder struct {
	depth int          // how many levels may still be opened
	room  int          // how many ports may still come; negative: too many
	open  map[int]bool // schemas around the current one
}

func (b *portBuilder) root(s *ir.Schema) []call.Port {
	rules := gather(s)
	if rules.types() == "object" {
		b.depth++ // the root is no level
		b.enter(rules)
		return b.inside(rules, "")
	}
	return b.port(nil, s, "", false)
}

// port adds the port of a value and those inside it.
func (b *portBuilder) port(list []call.Port, s *ir.Schema, pointer string, optional bool) []call.Port {
	if b.room < 0 {
		return list
	}
	rules := gather(s)
	if rules.admits == 0 {
		return list // nothing may stand there
	}
	if b.room--; b.room < 0 {
		return list
	}
	p := call.Port{
		Pointer: pointer, Type: rules.types(), Optional: optional || rules.admits&ir.TypeNull != 0,
		Title: rules.title, Format: rules.format, Unit: rules.unit,
	}
	if p.Type == "resource" {
		p.Title = s.Notes.Title // of this place; what it refers to is called the same everywhere
	}
	inner := b.enter(rules)
	defer b.leave(rules, inner)
	switch p.Type {
	case "object":
		rules.quantity(&p)
		list = append(list, p)
		if inner {
			list = append(list, b.inside(rules, pointer)...)
		}
		return list
	case "array":
		if element := rules.element(); element != nil {
			below := gather(element)
			if p.Element = below.types(); p.Element == "object" {
				p.Element = ""
				if inner && b.enter(below) {
					p.Items = b.inside(below, "")
					b.leave(below, true)
				}
			}
		}
		list = append(list, p)
		if inner {
			for i, s := range rules.prefix() {
				list = b.port(list, s, pointer+"/"+strconv.Itoa(i), i >= rules.minItems())
			}
		}
		return list
	}
	return append(list, p)
}

// enter goes one level down, into a value. It reports whether what is inside may be listed: there are levels
// left, and none of the value's schemas is around it already.
func (b *portBuilder) enter(rules *valueRules) bool {
	if b.depth <= 1 || slices.ContainsFunc(rules.ids, func(id int) bool { return b.open[id] }) {
		return false
	}
	b.depth--
	for _, id := range rules.ids {
		b.open[id] = true
	}
	return true
}

func (b *portBuilder) leave(rules *valueRules, entered bool) {
	if entered {
		b.depth++
		for _, id := range rules.ids {
			delete(b.open, id)
		}
	}
}

// inside lists the ports of an object's members.
func (b *portBuilder) inside(rules *valueRules, pointer string) []call.Port {
	var list []call.Port
	for _, m := range rules.members {
		list = b.port(list, m.schema, string(wire.AppendPointer([]byte(pointer), m.name)), !m.required)
	}
	return list
}

// valueRules are the rules about one value, whatever it is.
type valueRules struct {
	ids                 []int // of the schemas that concern the value in any case
	admits              ir.TypeSet
	title, format, unit string
	members             []memberRule
	arrays              []*ir.ArrayRules
	constant            *ir.Value
}

type memberRule struct {
	name     string
	schema   *ir.Schema
	required bool
}

// gather collects the rules about the value that s judges.
func gather(s *ir.Schema) *valueRules {
	r := &valueRules{admits: s.Admits}
	g := gatherer{r, map[int]bool{}, map[string]bool{}, map[string]bool{}}
	g.add(s, true)
	for i := range r.members {
		r.members[i].required = g.required[r.members[i].name]
	}
	return r
}

// gatherer fills valueRules.
type gatherer struct {
	*valueRules
	seen            map[int]bool // schemas
	named, required map[string]bool
}

// add takes what s says, and what is said beside it. sure is false inside an arm that need not apply.
func (r *gatherer) add(s *ir.Schema, sure bool) {
	if r.seen[s.ID] {
		return
	}
	r.seen[s.ID] = true
	first := func(to *string, text string) {
		if *to == "" {
			*to = text
		}
	}
	first(&r.title, s.Notes.Title)
	first(&r.unit, s.Notes.Unit)
	if sure {
		r.ids = append(r.ids, s.ID)
		if s.String != nil && s.String.Format != nil {
			first(&r.format, s.String.Format.Name)
		}
		if s.Const != nil {
			r.constant = s.Const
		}
		if s.Array != nil {
			r.arrays = append(r.arrays, s.Array)
		}
	}
	if o := s.Object; o != nil {
		for _, p := range o.Properties {
			if !r.named[p.Name] {
				r.named[p.Name] = true
				r.members = append(r.members, memberRule{name: p.Name, schema: p.Schema})
			}
		}
		for _, name := range o.Required {
			r.required[name] = r.required[name] || sure
		}
	}
	if s.Ref != nil {
		r.add(s.Ref, sure)
	}
	for _, a := range s.AllOf {
		r.add(a, sure)
	}
	for _, arms := range [][]*ir.Schema{s.AnyOf, s.OneOf} {
		arms = slices.DeleteFunc(slices.Clone(arms), func(a *ir.Schema) bool { return a.Admits&^ir.TypeNull == 0 })
		for _, a := range arms {
			r.add(a, sure && len(arms) == 1)
		}
	}
}

// types names the type of the value beside null.
func (r *valueRules) types() string {
	set := r.admits &^ ir.TypeNull
	switch {
	case set == ir.TypeObject:
		if len(r.members) == 1 && r.members[0].name == wire.ResourceMember && r.members[0].required {
			return "resource"
		}
		return "object"
	case set == 0 && r.admits != 0:
		return "null"
	case set == ir.TypeInteger|ir.TypeNumber:
		return "number" // in Admits the two are apart
	}
	if word, ok := typeWords[set]; ok {
		return word
	}
	return "any"
}

var typeWords = map[ir.TypeSet]string{
	ir.TypeBoolean: "boolean", ir.TypeInteger: "integer", ir.TypeNumber: "number", ir.TypeString: "string", ir.TypeArray: "array",
}

// quantity finds the unit of an object that is a number with its unit (specification §5.6).
func (r *valueRules) quantity(p *call.Port) {
	var value, unit *ir.Schema
	for _, m := range r.members {
		switch m.name {
		case "value":
			value = m.schema
		case "unit":
			unit = m.schema
		}
	}
	if value == nil || unit == nil || p.Unit != "" {
		return
	}
	if k := gather(value).types(); k != "number" && k != "integer" {
		return
	}
	if c := gather(unit).constant; c != nil && c.Kind == wire.KindString {
		var t wire.Tape
		if t.Scan(c.Raw, wire.Limits{}) == nil {
			p.Unit = t.String(t.Root())
		}
		return
	}
	p.UnitAt = p.Pointer + "/unit"
}

// element is the schema of the elements after a prefix, nil when nothing is said about them.
func (r *valueRules) element() *ir.Schema {
	for _, a := range r.arrays {
		if a.Items != nil && !a.Items.Never {
			return a.Items
		}
	}
	return nil
}

func (r *valueRules) prefix() []*ir.Schema {
	for _, a := range r.arrays {
		if a.Prefix != nil {
			return a.Prefix
		}
	}
	return nil
}

func (r *valueRules) minItems() int {
	n := 0
	for _, a := range r.arrays {
		n = max(n, a.MinItems)
	}
	return n
}
