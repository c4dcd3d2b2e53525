package golang

import (
	"slices"
	"strconv"
	"unicode"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// object shapes a value that is an object.
func (p *planner) object(s *shape, v *view) {
	var choosing []left
	for _, u := range v.unions {
		if v.widens(u) {
			choosing = append(choosing, u)
		}
	}
	switch len(choosing) {
	case 0:
		p.members(s, v)
	case 1:
		p.choose(s, v, choosing[0])
	default:
		// One constant tells the arms of one choice apart, not those of two.
		p.alternatives(s, v, choosing[0])
	}
}

// widens reports whether the arms of a union bring members, or parts of members, that the view does not
// have without them. Arms that only restrict what there is (this or that is required) do not.
func (v *view) widens(u left) bool {
	known := map[string]bool{}
	for _, name := range v.memberNames() {
		known[name] = true
	}
	shaped := func(s *ir.Schema) bool { return shapesObject(s) || shapesArray(s) }
	return u.mayHave(func(a *ir.Schema) bool {
		o := a.Object
		if o == nil {
			return false
		}
		if o.Patterns != nil || restricts(o.Additional) || restricts(o.Unevaluated) {
			return true
		}
		return slices.ContainsFunc(o.Properties, func(m ir.Property) bool {
			return !known[m.Name] && !never(m.Schema) || deep(m.Schema, shaped)
		})
	})
}

// restricts reports whether a rule for members without a name says something about them and not just no.
func restricts(rest *ir.Schema) bool { return rest != nil && !trivial(rest) && !never(rest) }

// members shapes an object by its members.
func (p *planner) members(s *shape, v *view) {
	names, required := v.memberNames(), v.required()
	extras := v.extras()
	if len(names) == 0 && len(extras) > 0 {
		s.kind = entriesShape
		s.elem = p.either(extras)
		return
	}
	if v.isReference(names, extras) {
		s.kind = refShape
		return
	}
	if !p.named(s, v, structShape, v.shaping(shapesObject)) {
		return
	}
	for _, name := range names {
		all := v.member(name)
		if slices.ContainsFunc(all, never) {
			continue
		}
		s.members = append(s.members, &member{json: name, shape: p.place(all...), required: required[name], about: first(all)})
	}
	if len(extras) > 0 {
		s.extra = p.either(extras)
	}
}

// isReference reports whether the object is {"$resource": ID} and nothing else.
func (v *view) isReference(names []string, extras [][]*ir.Schema) bool {
	if len(names) != 1 || names[0] != wire.ResourceMember || len(extras) > 0 || !v.required()[names[0]] {
		return false
	}
	id := newView(v.member(names[0]), allTypes, nil)
	_, listed := id.constants()
	return id.admits == ir.TypeString && !listed
}

// either shapes a member to which one of several conjunctions applies.
func (p *planner) either(conjunctions [][]*ir.Schema) *shape {
	if len(conjunctions) == 1 {
		return p.place(conjunctions[0]...)
	}
	s := &shape{kind: alternativesShape, orAny: true, admits: allTypes}
	for _, all := range conjunctions {
		s.arms = append(s.arms, &alternative{shape: p.place(all...)})
	}
	return s
}

// choose shapes an object by one of its unions: a sealed interface when the value of a member selects the
// arm, and every arm is an object with a type of its own.
func (p *planner) choose(s *shape, v *view, u left) {
	if u.by == nil || !v.selects(u) {
		p.alternatives(s, v, u)
		return
	}
	if !p.named(s, v, unionShape, v.shaping(func(q *ir.Schema) bool { return shapesObject(q) || q == u.holder })) {
		return
	}
	s.choice = &choice{member: u.by.Member, values: u.by.Values}
	s.via = u.holder
	for k, a := range u.arms {
		alt := &alternative{shape: p.of(v.with(u, a, true)), kinds: ir.TypeObject}
		at := u.index[k]
		for i, c := range u.by.Cases {
			if slices.Contains(c, at) {
				alt.by = append(alt.by, i)
			}
		}
		alt.other, alt.absent = slices.Contains(u.by.Other, at), !v.required()[u.by.Member] && slices.Contains(u.by.Absent, at)
		alt.word = "Choice" + strconv.Itoa(at+1)
		if len(alt.by) == 1 {
			alt.word = constantWord(string(u.by.Values[alt.by[0]].Raw))
			if unicode.IsDigit(rune(alt.word[0])) {
				alt.word = exported(u.by.Member) + alt.word
			}
		}
		s.arms = append(s.arms, alt)
	}
}

// selects reports whether no object is left with two arms. One that must have the member is not without it.
func (v *view) selects(u left) bool {
	d := u.by
	cases := append(slices.Clone(d.Cases), d.Other)
	if !v.required()[d.Member] {
		cases = append(cases, d.Absent)
	}
	for _, c := range cases {
		count := 0
		for _, i := range c {
			if slices.Contains(u.index, i) {
				count++
			}
		}
		if count > 1 {
			return false
		}
	}
	return true
}
