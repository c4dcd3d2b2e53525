package sample

import (
	"math/big"
	"slices"
	"unicode/utf8"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
)

// checker judges values by the letter of the specification: each keyword on its own, every subschema again
// wherever it is met. It is the reading that everything made here must pass.
type checker struct {
	*documents
	broken *atom    // the rule that must not be met wherever it applies, nil for none
	left   int      // schemas that may still be judged
	payer  *builder // of the steps, nil where nobody counts
	lost   bool     // something could not be decided: no verdict counts
}

// seen is what a schema has evaluated of a value: the annotations that unevaluated* reads (2020-12 core §11).
type seen struct {
	names  map[string]bool
	items  map[int]bool
	others bool // all items
}

func (s *seen) name(n string) {
	if s.names == nil {
		s.names = map[string]bool{}
	}
	s.names[n] = true
}

func (s *seen) item(i int) {
	if s.items == nil {
		s.items = map[int]bool{}
	}
	s.items[i] = true
}

func (s *seen) add(o seen) {
	for n := range o.names {
		s.name(n)
	}
	for i := range o.items {
		s.item(i)
	}
	s.others = s.others || o.others
}

// pay takes steps from the effort of the document.
func (c *checker) pay(steps int) bool {
	ok := c.payer == nil || c.payer.pay(steps)
	c.lost = c.lost || !ok
	return ok
}

// allows reports whether a value is as all parts say. It is false when that cannot be decided.
func (b *builder) allows(parts []part, v *load.Node) bool {
	for _, p := range parts {
		c := checker{documents: b.docs, broken: b.broken, left: 100_000, payer: b}
		if c.broken != nil {
			c.left = 20_000 // there is another way to go
		}
		if ok, _ := c.judge(p.node, p.scope, v); ok == p.not || c.lost {
			b.unsure = b.unsure || c.lost
			return false
		}
	}
	return true
}

func (c *checker) judge(n *load.Node, sc *scope, v *load.Node) (bool, seen) {
	if a := c.broken; a != nil && !a.valid && a.node == n {
		if met, _ := c.plainly(n, c.enter(sc, n), v); met || c.lost {
			return false, seen{}
		}
		return c.plainly(a.lifted, c.enter(sc, n), v)
	}
	return c.plainly(n, sc, v)
}

// plainly judges by the schema as it is; sc is the scope that it was reached from, or its own.
func (c *checker) plainly(n *load.Node, sc *scope, v *load.Node) (bool, seen) {
	var got seen
	if c.left--; c.left <= 0 || !c.pay(1+len(n.Members)) {
		c.lost = true
		return false, got
	}
	if always, is := truth(n); is {
		return always, got
	}
	if _, known := c.in[n]; known {
		sc = c.enter(sc, n)
	}
	for _, m := range n.Members {
		if !c.keyword(n, m.Name, m.Value, sc, v, &got) {
			return false, seen{}
		}
	}
	if !c.rules(n, sc, v, &got) || !c.unevaluated(n, sc, v, &got) {
		return false, seen{}
	}
	return true, got
}

// within judges the same value by a subschema and keeps what it evaluated.
func (c *checker) within(n *load.Node, sc *scope, v *load.Node, got *seen) bool {
	ok, more := c.judge(n, sc, v)
	if ok {
		got.add(more)
	}
	return ok
}

// keyword judges the keywords that apply other schemas to the same value, and all values' own rules.
func (c *checker) keyword(n *load.Node, name string, k *load.Node, sc *scope, v *load.Node, got *seen) bool {
	switch name {
	case "$ref", "$dynamicRef":
		to, at := c.target(n, name, sc)
		return c.within(to, at, v, got)
	case "allOf":
		for _, e := range k.Elems {
			if !c.within(e, sc, v, got) {
				return false
			}
		}
	case "anyOf", "oneOf":
		fit := 0
		for _, e := range k.Elems {
			if c.within(e, sc, v, got) {
				fit++
			}
		}
		return fit == 1 || fit > 1 && name == "anyOf"
	case "not":
		ok, _ := c.judge(k, sc, v)
		return !ok
	case "if":
		branch := n.Get("else")
		if c.within(k, sc, v, got) {
			branch = n.Get("then")
		}
		return branch == nil || c.within(branch, sc, v, got)
	case "dependentSchemas", "dependentRequired":
		if v.Kind != wire.KindObject {
			return true
		}
		if !c.pay(len(k.Members) * (1 + len(v.Members))) {
			return false
		}
		for _, m := range k.Members {
			if v.Get(m.Name) != nil && !c.dependent(m.Value, sc, v, got) {
				return false
			}
		}
	case "type":
		return typeSet(k)&kindOf(v) != 0
	case "const":
		return equal(k, v)
	case "enum":
		return c.pay(len(k.Elems)) && contains(k.Elems, v)
	}
	return true
}

func (c *checker) dependent(k *load.Node, sc *scope, v *load.Node, got *seen) bool {
	if k.Kind != wire.KindArray {
		return c.within(k, sc, v, got)
	}
	return !slices.ContainsFunc(k.Elems, func(e *load.Node) bool { return v.Get(e.Str) == nil })
}

// rules judges what is said about one type of values.
func (c *checker) rules(n *load.Node, sc *scope, v *load.Node, got *seen) bool {
	switch v.Kind {
	case wire.KindNumber:
		return c.number(n, v)
	case wire.KindString:
		return c.text(n, v.Str)
	case wire.KindArray:
		return c.array(n, sc, v, got)
	case wire.KindObject:
		return c.object(n, sc, v, got)
	}
	return true
}

func (c *checker) number(n *load.Node, v *load.Node) bool {
	for _, name := range []string{"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"} {
		k := n.Get(name)
		if k == nil {
			continue
		}
		bound, ok := rational(k.Str)
		x, okay := rational(v.Str)
		if !ok || !okay {
			c.lost = true
			return false
		}
		order := x.Cmp(bound)
		switch name {
		case "minimum":
			ok = order >= 0
		case "exclusiveMinimum":
			ok = order > 0
		case "maximum":
			ok = order <= 0
		case "exclusiveMaximum":
			ok = order < 0
		default:
			ok = new(big.Rat).Quo(x, bound).IsInt()
		}
		if !ok {
			return false
		}
	}
	return true
}

func (c *checker) text(n *load.Node, s string) bool {
	length := utf8.RuneCountInString(s)
	if low, ok := count(n.Get("minLength")); ok && length < low {
		return false
	}
	if high, ok := count(n.Get("maxLength")); ok && length > high {
		return false
	}
	if k := n.Get("pattern"); k != nil && !c.matches(k.Str, s) {
		return false
	}
	f, known := formats[text(n.Get("format"))]
	return !known || f.check(s)
}

func (c *checker) matches(pattern, s string) bool {
	matched, decided := c.patterns[pattern].match(s)
	if !decided {
		c.lost = true
	}
	return matched
}

func (c *checker) array(n *load.Node, sc *scope, v *load.Node, got *seen) bool {
	if low, ok := count(n.Get("minItems")); ok && len(v.Elems) < low {
		return false
	}
	if high, ok := count(n.Get("maxItems")); ok && len(v.Elems) > high {
		return false
	}
	if k := n.Get("uniqueItems"); k != nil && k.Kind == wire.KindTrue {
		for i, e := range v.Elems {
			if !c.pay(compared*i) || contains(v.Elems[:i], e) {
				return false
			}
		}
	}
	prefix, rest := itemRules(n)
	for i, e := range v.Elems {
		k := rest
		if i < len(prefix) {
			k = prefix[i]
		}
		if k == nil {
			break
		}
		if ok, _ := c.judge(k, sc, e); !ok {
			return false
		}
		got.item(i)
	}
	got.others = got.others || rest != nil
	k := n.Get("contains")
	if k == nil {
		return true
	}
	low, high := containsRange(n)
	fit := 0
	for i, e := range v.Elems {
		if ok, _ := c.judge(k, sc, e); ok {
			fit++
			if sc.res.draft == Draft2020 {
				got.item(i)
			}
		}
	}
	return fit >= low && (high < 0 || fit <= high)
}

// itemRules returns the schemas of the first elements, and of all others (nil for none).
func itemRules(n *load.Node) (prefix []*load.Node, rest *load.Node) {
	rest = n.Get("items")
	if k := n.Get("prefixItems"); k != nil {
		prefix = k.Elems
	}
	return prefix, rest
}

// containsRange returns how many elements must and may fit `contains`; high is -1 for no bound.
func containsRange(n *load.Node) (low, high int) {
	low, high = 1, -1
	if v, ok := count(n.Get("minContains")); ok {
		low = v
	}
	if v, ok := count(n.Get("maxContains")); ok {
		high = v
	}
	return low, high
}

func (c *checker) object(n *load.Node, sc *scope, v *load.Node, got *seen) bool {
	if low, ok := count(n.Get("minProperties")); ok && len(v.Members) < low {
		return false
	}
	if high, ok := count(n.Get("maxProperties")); ok && len(v.Members) > high {
		return false
	}
	if k := n.Get("required"); k != nil {
		for _, e := range k.Elems {
			if !c.pay(1+len(v.Members)) || v.Get(e.Str) == nil {
				return false
			}
		}
	}
	names := n.Get("propertyNames")
	for _, m := range v.Members {
		if names != nil {
			if ok, _ := c.judge(names, sc, str(m.Name)); !ok {
				return false
			}
		}
		rules, decided := []*load.Node(nil), c.pay(looks(n))
		if decided {
			rules, decided = memberRules(c.documents, n, m.Name)
		}
		if !decided {
			c.lost = true
			return false
		}
		for _, k := range rules {
			if ok, _ := c.judge(k, sc, m.Value); !ok {
				return false
			}
			got.name(m.Name)
		}
	}
	return true
}

// looks is how many steps memberRules takes.
func looks(n *load.Node) int {
	steps := 1
	if k := n.Get("properties"); k != nil {
		steps += len(k.Members)
	}
	if k := n.Get("patternProperties"); k != nil {
		steps += 8 * len(k.Members)
	}
	return steps
}

// memberRules returns the schemas that n applies to a member of that name.
func memberRules(d *documents, n *load.Node, name string) (rules []*load.Node, decided bool) {
	if k := n.Get("properties"); k != nil {
		if p := k.Get(name); p != nil {
			rules = append(rules, p)
		}
	}
	if k := n.Get("patternProperties"); k != nil {
		for _, m := range k.Members {
			matched, ok := d.patterns[m.Name].match(name)
			if !ok {
				return nil, false
			}
			if matched {
				rules = append(rules, m.Value)
			}
		}
	}
	if k := n.Get("additionalProperties"); k != nil && len(rules) == 0 {
		rules = append(rules, k)
	}
	return rules, true
}

func (c *checker) unevaluated(n *load.Node, sc *scope, v *load.Node, got *seen) bool {
	if k := n.Get("unevaluatedProperties"); k != nil {
		for _, m := range v.Members {
			if got.names[m.Name] {
				continue
			}
			if ok, _ := c.judge(k, sc, m.Value); !ok {
				return false
			}
			got.name(m.Name)
		}
	}
	if k := n.Get("unevaluatedItems"); k != nil && !got.others {
		for i, e := range v.Elems {
			if got.items[i] {
				continue
			}
			if ok, _ := c.judge(k, sc, e); !ok {
				return false
			}
		}
		got.others = true
	}
	return true
}
