package live

import (
	"fmt"
	"slices"
	"strconv"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// array explains the keywords of arrays.
func (e *explainer) array(s *ir.Schema, k ir.Keyword, n int) {
	a := s.Array
	if a == nil {
		return
	}
	count := e.r.t.Count(n)
	switch k.Name {
	case "minItems":
		if count < a.MinItems {
			e.sized(s, k, n, "at least", a.MinItems, count, "element")
		}
	case "maxItems":
		if count > a.MaxItems {
			e.sized(s, k, n, "at most", a.MaxItems, count, "element")
		}
	case "uniqueItems":
		if a.Unique {
			e.unique(s, k, n)
		}
	case "prefixItems", "items":
		i := 0
		for c := e.r.t.FirstChild(n); c < e.r.t.Next(n) && !e.full(); c = e.r.t.Next(c) {
			if (i < len(a.Prefix)) == (k.Name == "prefixItems") {
				sub, via := a.Items, through(k.Source)
				if i < len(a.Prefix) {
					sub, via = a.Prefix[i], into(k.Source, i)
				}
				if e.verdict(sub, c) != wire.Valid {
					e.element(i, func() { e.explain(sub, c, via) })
				}
			}
			i++
		}
	case "contains":
		e.contains(s, k, n)
	case "unevaluatedItems":
		e.unevaluated(s, k, n, a.Unevaluated)
	}
}

func (e *explainer) unique(s *ir.Schema, k ir.Keyword, n int) {
	verdict := unique(e.r, n)
	if verdict == wire.Valid {
		return
	}
	v := e.report(s, k, n)
	if v == nil {
		return
	}
	v.Expected = "elements that all differ"
	if verdict == wire.Undecided {
		v.Got = "array of " + quantity(e.r.t.Count(n), "element")
		undecided(v, errcode.LimitMembers, fmt.Sprintf("uniqueItems compares at most %s", quantity(e.r.opts.Members, "element")))
		return
	}
	a, b := wire.FindDuplicate(e.r.t, n, &e.r.table)
	first, second := e.position(n, a), e.position(n, b)
	v.Got = fmt.Sprintf("elements %d and %d are equal", first, second)
	v.Message = fmt.Sprintf("the elements must all differ, but %d and %d are equal", first, second)
}

// position returns which element of array n stands at node c.
func (e *explainer) position(n, c int) int {
	i := 0
	for x := e.r.t.FirstChild(n); x < c; x = e.r.t.Next(x) {
		i++
	}
	return i
}

// contains explains contains together with its bounds, under the keyword that is broken.
func (e *explainer) contains(s *ir.Schema, k ir.Keyword, n int) {
	c := s.Array.Contains
	surely, perhaps, open, openAt := 0, 0, -1, 0
	i := 0
	for x := e.r.t.FirstChild(n); x < e.r.t.Next(n); x = e.r.t.Next(x) {
		switch e.verdict(c.Schema, x) {
		case wire.Valid:
			surely++
			perhaps++
		case wire.Undecided:
			perhaps++
			if open < 0 {
				open, openAt = x, i
			}
		}
		i++
	}
	broken := func(name, word string, limit int) {
		if i := slices.IndexFunc(s.Keywords, func(o ir.Keyword) bool { return o.Name == name }); i >= 0 {
			k = s.Keywords[i]
		}
		if v := e.report(s, k, n); v != nil {
			v.Expected = word + " " + quantity(limit, "element") + " that match"
			if limit == 1 {
				v.Expected += "es"
			}
			v.Got = quantity(surely, "matching element") + " of " + strconv.Itoa(e.r.t.Count(n))
			v.Message = fmt.Sprintf("the array must contain %s, it has %d", v.Expected, surely)
		}
	}
	most := bound(c.Max)
	switch {
	case surely > most:
		broken("maxContains", "at most", c.Max)
	case max(surely, c.Min) > min(perhaps, most):
		broken("minContains", "at least", c.Min)
	case surely < c.Min || perhaps > most:
		e.element(openAt, func() { e.explain(c.Schema, open, through(k.Source)) })
	}
}

// object explains the keywords of objects.
func (e *explainer) object(s *ir.Schema, k ir.Keyword, n int) {
	o := s.Object
	if o == nil {
		return
	}
	count := e.r.t.Count(n)
	switch k.Name {
	case "minProperties":
		if count < o.MinMembers {
			e.sized(s, k, n, "at least", o.MinMembers, count, "member")
		}
	case "maxProperties":
		if o.MaxMembers >= 0 && count > o.MaxMembers {
			e.sized(s, k, n, "at most", o.MaxMembers, count, "member")
		}
	case "required":
		e.required(s, k, n, o.Required, "", e.present(n, len(o.Required)))
	case "dependentRequired":
		there := e.present(n, len(o.DependentRequired))
		for i := 0; i < len(o.DependentRequired) && !e.full(); i++ {
			if d := o.DependentRequired[i]; there(d.Name) {
				e.required(s, k, n, d.Required, d.Name, there)
			}
		}
	case "dependentSchemas":
		there := e.present(n, len(o.DependentSchemas))
		for i := 0; i < len(o.DependentSchemas) && !e.full(); i++ {
			if p := o.DependentSchemas[i]; there(p.Name) {
				e.applied(p.Schema, n, under(k.Source, p.Name))
			}
		}
	case "properties", "patternProperties", "additionalProperties", "propertyNames":
		e.members(s, k, n)
	case "unevaluatedProperties":
		e.unevaluated(s, k, n, o.Unevaluated)
	}
}

// members explains one of the four keywords that judge members one by one.
func (e *explainer) members(s *ir.Schema, k ir.Keyword, n int) {
	compiled := e.set.parts[s.ID].object
	for m := e.r.t.Members(n); !e.full() && m.Next(); {
		name, value := m.Name, m.Value
		i := compiled.names.find(e.r, name, 0)
		declared := i >= 0 && compiled.members[i].declared
		switch k.Name {
		case "propertyNames":
			if s.Object.Names != nil && e.verdict(s.Object.Names, name) != wire.Valid {
				e.member(name, func() {
					e.name = true
					e.explain(s.Object.Names, name, through(k.Source))
					e.name = false
				})
			}
		case "properties":
			if declared {
				p := s.Object.Properties[compiled.members[i].property]
				if e.verdict(p.Schema, value) != wire.Valid {
					e.inMember(name, p.Schema, under(k.Source, p.Name))
				}
			}
		case "patternProperties":
			e.patterns(s, k, compiled, name, declared)
		case "additionalProperties":
			e.additional(s, k, compiled, name, declared)
		}
	}
}

// patterns explains one member under patternProperties. If a pattern could not be decided the member's
// verdict covers all possibilities: Undecided is the pattern's fault, Invalid is everybody's.
func (e *explainer) patterns(s *ir.Schema, k ir.Keyword, o *object, name int, declared bool) {
	value := name + 1
	open := false
	for i, p := range s.Object.Patterns {
		if e.full() {
			return
		}
		switch e.r.match(o.patterns[i].match, e.r.string(name)) {
		case wire.Undecided:
			open = true
		case wire.Valid:
			if e.verdict(p.Schema, value) != wire.Valid {
				e.inMember(name, p.Schema, under(k.Source, p.Pattern.Source()))
			}
		}
	}
	if !open {
		return
	}
	switch e.memberVerdict(s, o, name, declared) {
	case wire.Undecided:
		e.member(name, func() {
			if v := e.report(s, k, value); v != nil {
				v.Expected = "a member name that the patterns can be matched with"
				v.Got = e.show(name)
				undecided(v, errcode.LimitPattern, "matching a pattern with the member name takes more steps than the limit allows")
			}
		})
	case wire.Invalid:
		for i, p := range s.Object.Patterns {
			if e.r.match(o.patterns[i].match, e.r.string(name)) == wire.Undecided && e.verdict(p.Schema, value) != wire.Valid {
				e.inMember(name, p.Schema, under(k.Source, p.Pattern.Source()))
			}
		}
	}
}

// inMember explains the member at node name under its schema. If that is false the member itself is the
// violation, and the report returned names it.
func (e *explainer) inMember(name int, s *ir.Schema, via step) *call.Violation {
	before := len(e.list)
	e.member(name, func() { e.explain(s, name+1, via) })
	if !s.Never || len(e.list) == before {
		return nil
	}
	v := &e.list[before]
	v.Message = fmt.Sprintf("member %s is not allowed", shorten(string(e.r.t.Raw(name))))
	return v
}

// additional explains a member that nothing else claims. One that an undecided pattern may claim is
// explained here only if it is invalid either way.
func (e *explainer) additional(s *ir.Schema, k ir.Keyword, o *object, name int, declared bool) {
	value := name + 1
	if declared || e.verdict(s.Object.Additional, value) == wire.Valid {
		return
	}
	open := false
	for _, p := range o.patterns {
		switch e.r.match(p.match, e.r.string(name)) {
		case wire.Valid:
			return
		case wire.Undecided:
			open = true
		}
	}
	if open && e.memberVerdict(s, o, name, declared) != wire.Invalid {
		return
	}
	if v := e.inMember(name, s.Object.Additional, through(k.Source)); v != nil {
		v.Hint = e.strangerHint(s, e.r.t.String(name))
	}
}

// strangerHint is for a member that additionalProperties refuses.
func (e *explainer) strangerHint(s *ir.Schema, name string) string {
	if near := e.didYouMean(name, declaredNames(s.Object)); near != "" {
		return near
	}
	if len(s.Keywords) > 1 && (s.Ref != nil || s.AllOf != nil || s.AnyOf != nil || s.OneOf != nil) && e.compared < maxCompared {
		known := e.namesIn(s)
		e.compared += len(known)
		if slices.Contains(known, name) {
			return "another rule for the object knows the member; additionalProperties counts only the properties beside it"
		}
	}
	if p := s.Object.Patterns; len(s.Object.Properties) == 0 && len(p) == 1 {
		return "allowed are names that match " + shorten(p[0].Pattern.Source())
	}
	return ""
}

// memberVerdict is the verdict of one member under all keywords but propertyNames.
func (e *explainer) memberVerdict(s *ir.Schema, o *object, name int, declared bool) wire.Verdict {
	without := *o
	without.named = nil
	u := o.additional
	if declared {
		u = o.members[o.names.find(e.r, name, 0)].unit
	}
	return without.matched(e.r, name, u, declared)
}

// declaredNames returns the names of properties, not more than a search for a close one looks at.
func declaredNames(o *ir.ObjectRules) []string {
	names := make([]string, min(len(o.Properties), maxCandidates))
	for i := range names {
		names[i] = o.Properties[i].Name
	}
	return names
}

// required reports every missing member. because names the member whose presence demands them; there is
// that of [explainer.present].
func (e *explainer) required(s *ir.Schema, k ir.Keyword, n int, names []string, because string, there func(string) bool) {
	var strangers []string // members that the schema does not declare
	for _, missing := range names {
		if e.full() {
			return
		}
		if there(missing) {
			continue
		}
		v := e.report(s, k, n)
		if v == nil {
			continue
		}
		if strangers == nil {
			strangers = e.strangers(s, n)
		}
		quoted := shorten(strconv.Quote(missing))
		v.Missing = missing
		v.Expected = "member " + quoted
		v.Got = "object without it"
		v.Message = "member " + quoted + " is missing"
		if because != "" {
			v.Message += ", which " + shorten(strconv.Quote(because)) + " demands"
		}
		if near := e.closest(missing, strangers); near != "" {
			v.Hint = "the object has " + shorten(strconv.Quote(near)) + "; is that the one?"
		}
	}
}

// present returns a function that tells whether object n has a member, for somebody who asks about that
// many names. Many are looked up in a map: looking for each in the document would cost the product of the
// two.
func (e *explainer) present(n, names int) func(string) bool {
	t := e.r.t
	if names <= 8 {
		return func(name string) bool {
			_, ok := t.Find(n, name)
			return ok
		}
	}
	members := make(map[string]bool, t.Count(n))
	for m := t.Members(n); m.Next(); {
		members[t.String(m.Name)] = true
	}
	return func(name string) bool { return members[name] }
}

// strangers returns the members of object n that s does not declare: one of them may be a missing one,
// misspelt.
func (e *explainer) strangers(s *ir.Schema, n int) []string {
	o := e.set.parts[s.ID].object
	var names []string
	for m := e.r.t.Members(n); m.Next() && len(names) < maxCandidates; {
		if i := o.names.find(e.r, m.Name, 0); i < 0 || !o.members[i].declared {
			names = append(names, e.r.t.String(m.Name))
		}
	}
	return names
}
