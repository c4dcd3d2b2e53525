package sample

import (
	"maps"
	"math/big"
	"slices"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
)

// merge lays one keyword over the shape.
func (b *builder) merge(s *shape, n *load.Node, sc *scope, name string, k *load.Node) {
	sub := func(n *load.Node) part { return part{node: n, scope: sc} }
	switch name {
	case "$ref", "$dynamicRef":
		b.refer(s, n, name, sc)
	case "allOf":
		for _, e := range k.Elems {
			b.add(s, sub(e))
		}
	case "anyOf", "oneOf":
		b.choose(s, b.union(k.Elems, sc, name == "oneOf"))
	case "not":
		b.add(s, part{node: k, scope: sc, not: true})
	case "if":
		if n.Get("then") != nil || n.Get("else") != nil {
			b.choose(s, b.condition(n, sc))
		}
	case "dependentSchemas", "dependentRequired":
		for _, m := range k.Members {
			if b.pay(1) {
				b.choose(s, b.dependent(m.Name, m.Value, sc))
			}
		}
	case "type":
		s.restrict(typeSet(k))
	case "const":
		b.pay(len(s.only))
		s.limit([]*load.Node{k})
	case "enum":
		if b.pay(len(k.Elems) * (1 + len(s.only))) {
			s.limit(k.Elems)
		}
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		b.numeric(s, name, k)
	case "minLength", "maxLength", "pattern", "format":
		b.text(s, name, k)
	case "items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "unevaluatedItems":
		s.spoken |= kArray
		b.array(s, n, sc, name, k)
	case "properties", "patternProperties", "additionalProperties", "required", "minProperties", "maxProperties", "propertyNames", "unevaluatedProperties":
		s.spoken |= kObject
		b.object(s, n, sc, name, k)
	}
}

// limit leaves only some values.
func (s *shape) limit(values []*load.Node) {
	if s.limited {
		values = slices.DeleteFunc(slices.Clone(values), func(v *load.Node) bool { return !contains(s.only, v) })
	}
	s.limited, s.only = true, slices.Clip(values)
	s.dead = s.dead || len(values) == 0
}

func (b *builder) numeric(s *shape, name string, k *load.Node) {
	s.spoken |= kNumber
	r, ok := rational(k.Str)
	if !ok {
		s.restrict(kAny &^ kNumber) // there may be numbers, beyond this package
		b.unsure = true
		return
	}
	switch name {
	case "minimum":
		s.above(r, false)
	case "exclusiveMinimum":
		s.above(r, true)
	case "maximum":
		s.below(r, false)
	case "exclusiveMaximum":
		s.below(r, true)
	case "multipleOf":
		if s.step != nil {
			r = common(s.step, r)
		}
		s.step = r
	}
}

func (s *shape) above(r *big.Rat, open bool) {
	switch {
	case s.low == nil || r.Cmp(s.low) > 0:
		s.low, s.lowOpen = r, open
	case r.Cmp(s.low) == 0:
		s.lowOpen = s.lowOpen || open
	}
}

func (s *shape) below(r *big.Rat, open bool) {
	switch {
	case s.high == nil || r.Cmp(s.high) < 0:
		s.high, s.highOpen = r, open
	case r.Cmp(s.high) == 0:
		s.highOpen = s.highOpen || open
	}
}

func (b *builder) text(s *shape, name string, k *load.Node) {
	s.spoken |= kString
	v, ok := count(k)
	switch name {
	case "minLength":
		if !ok {
			v = boundless
		}
		s.short = max(s.short, v)
	case "maxLength":
		if ok {
			s.long = min(s.long, v)
		}
	case "pattern":
		if p := b.docs.patterns[k.Str]; !slices.Contains(s.patterns, p) {
			s.patterns = append(s.patterns, p)
		}
	case "format":
		if _, known := formats[k.Str]; known && !slices.Contains(s.formats, k.Str) {
			s.formats = append(s.formats, k.Str)
		}
	}
}

func (b *builder) array(s *shape, n *load.Node, sc *scope, name string, k *load.Node) {
	v, ok := count(k)
	switch name {
	case "minItems":
		if !ok {
			v = boundless
		}
		s.few = max(s.few, v)
	case "maxItems":
		if ok {
			s.many = min(s.many, v)
		}
	case "uniqueItems":
		s.unique = s.unique || k.Kind == wire.KindTrue
	case "items", "prefixItems":
		if tellsItems(n, name) {
			prefix, rest := itemRules(n)
			s.lists = append(s.lists, listRule{prefix, rest, sc})
		}
	case "contains":
		low, high := containsRange(n)
		if low > 0 || high >= 0 {
			s.contains = append(s.contains, containsRule{part{node: k, scope: sc}, low, high})
		}
	case "unevaluatedItems":
		s.looseItems = append(s.looseItems, part{node: k, scope: sc})
	}
}

// tellsItems reports whether a keyword is the one at which the rule of items is read: both make one rule.
func tellsItems(n *load.Node, keyword string) bool {
	return keyword == "prefixItems" || n.Get("prefixItems") == nil
}

func (b *builder) object(s *shape, n *load.Node, sc *scope, name string, k *load.Node) {
	v, ok := count(k)
	switch name {
	case "minProperties":
		if !ok {
			v = boundless
		}
		s.least = max(s.least, v)
	case "maxProperties":
		if ok {
			s.most = min(s.most, v)
		}
	case "required":
		for _, e := range k.Elems {
			if !b.pay(1 + len(s.required)) {
				s.dead = true
				break
			}
			s.require(e.Str)
		}
	case "propertyNames":
		s.names = append(s.names, part{node: k, scope: sc})
	case "unevaluatedProperties":
		s.looseMembers = append(s.looseMembers, part{node: k, scope: sc})
	default: // properties, patternProperties, additionalProperties: one rule for all three
		if r := (objectRule{n, sc}); !slices.Contains(s.objects, r) {
			s.objects = append(s.objects, r)
		}
	}
}

func (s *shape) require(name string) {
	if !slices.Contains(s.required, name) {
		s.required = append(s.required, name)
	}
}

func (s *shape) forbid(name string) {
	m := map[string]bool{name: true}
	maps.Copy(m, s.forbidden)
	s.forbidden = m
}

// member adds parts to a member.
func (s *shape) member(name string, p part) {
	m := maps.Clone(s.members)
	if m == nil {
		m = map[string][]part{}
	}
	m[name] = append(slices.Clip(m[name]), p)
	s.members = m
}

// element adds a part to an element.
func (s *shape) element(i int, p part) {
	m := maps.Clone(s.elements)
	if m == nil {
		m = map[int][]part{}
	}
	m[i] = append(slices.Clip(m[i]), p)
	s.elements = m
}
