package mutate

import (
	"slices"
	"strconv"
	"strings"
)

// arrays varies the elements of the target's value.
func (t target) arrays(b builder, keyword string) []*node {
	elem := func(i int) *node { return b.value(element(t.facets, i), 1) }
	var out []*node
	resize := func(n int) {
		if n < 0 || n > 2000 {
			return
		}
		c := shallow(t.value, list)
		if len(c.elems) > n {
			c.elems = c.elems[:n]
		}
		for i := len(c.elems); i < n; i++ {
			c.elems = append(c.elems, elem(i))
		}
		out = append(out, c)
	}
	with := func(change func(c *node)) {
		c := shallow(t.value, list)
		change(c)
		out = append(out, c)
	}
	n := t.facet.limit(keyword)
	switch keyword {
	case "minItems", "maxItems":
		for _, size := range []int{n - 1, n, n + 1} {
			resize(size)
			// The same size from copies of one element, which neither breaks nor heals anything else.
			if t.value.kind == list && len(t.value.elems) > 0 && size >= 0 && size < 2000 {
				with(func(c *node) {
					for c.elems = c.elems[:1]; len(c.elems) < size; {
						c.elems = append(c.elems, c.elems[0])
					}
					c.elems = c.elems[:size]
				})
			}
		}
	case "uniqueItems":
		with(func(c *node) {
			if len(c.elems) == 0 {
				c.elems = append(c.elems, elem(0))
			}
			c.elems = append(c.elems, c.elems[0])
		})
		with(func(c *node) { c.elems = []*node{num("1"), num("1.0")} })
		with(func(c *node) { c.elems = []*node{num("1"), yes()} })
	case "contains", "minContains", "maxContains":
		hit := b.value([]place{t.facet.sub("contains")}, 1)
		for _, size := range []int{0, 1, n - 1, n, n + 1} {
			with(func(c *node) {
				c.elems = []*node{nul()}
				for range min(size, 100) {
					c.elems = append(c.elems, hit)
				}
			})
		}
		with(func(c *node) { c.elems = nil })
		with(func(c *node) { c.elems = append(c.elems, hit) })
	default: // items, prefixItems, additionalItems, unevaluatedItems
		last := len(shallow(t.value, list).elems)
		with(func(c *node) { c.elems = append(c.elems, elem(last)) })
		with(func(c *node) { c.elems = append(c.elems, nul()) })
		with(func(c *node) { c.elems = append(c.elems, str("x")) })
		with(func(c *node) { c.elems = append(c.elems, &node{kind: object}) })
		with(func(c *node) { c.elems = append([]*node{yes()}, c.elems...) })
		with(func(c *node) { c.elems = nil })
		if last > 0 {
			with(func(c *node) { c.remove(0) })
			with(func(c *node) { c.remove(last - 1) })
		}
	}
	return out
}

// members varies the members of the target's value.
func (t target) members(b builder, keyword string, k *node) []*node {
	var out []*node
	with := func(change func(c *node)) {
		c := shallow(t.value, object)
		change(c)
		out = append(out, c)
	}
	put := func(name string, v *node) { with(func(c *node) { c.set(name, v) }) }
	built := func(name string) *node { return b.value(b.s.member(t.facets, name), 1) }
	drop := func(name string) {
		with(func(c *node) {
			if i := slices.Index(c.names, name); i >= 0 {
				c.remove(i)
			}
		})
	}
	switch keyword {
	case "required":
		for _, e := range k.elems {
			drop(e.str())
		}
	case "properties":
		for _, name := range k.names {
			if t.value.get(name) == nil {
				put(name, built(name))
				put(name, nul())
				put(name, array(array()))
			} else {
				drop(name)
			}
		}
	case "additionalProperties", "unevaluatedProperties":
		put("unknownMember", nul())
		put("unknownMember", built("unknownMember"))
		put("", str("empty name"))
		if len(t.value.names) > 0 { // a member that becomes unknown by one letter
			with(func(c *node) { c.keys[0], c.names[0] = quote(c.names[0]+"x"), c.names[0]+"x" })
		}
	case "patternProperties":
		for i, pattern := range k.names {
			if name, ok := matching(pattern, b.rng); ok {
				put(name, b.value([]place{{k.elems[i], t.facet.base}}, 1))
				put(name, nul())
				put(name, array(array()))
				put("~"+name, nul())
			}
		}
	case "propertyNames":
		for _, name := range []string{"", "a b", "UPPER", "名", "$", "x.y", strings.Repeat("n", 200)} {
			put(name, nul())
		}
		named := b.value([]place{t.facet.sub("propertyNames")}, 1).str()
		put(named, nul())
		put(named+"~", nul())
	default: // minProperties, maxProperties
		n := t.facet.limit(keyword)
		for _, size := range []int{n - 1, n, n + 1} {
			if size < 0 || size > 2000 {
				continue
			}
			with(func(c *node) {
				for len(c.elems) > size {
					c.remove(len(c.elems) - 1)
				}
				for i := 0; len(c.elems) < size; i++ {
					name := "m" + strconv.Itoa(i)
					c.set(name, built(name))
				}
			})
		}
	}
	return out
}

// dependents sets a trigger without, and with, what depends on it.
func (t target) dependents(b builder, k *node) []*node {
	var out []*node
	for i, trigger := range k.names {
		with := shallow(t.value, object)
		with.set(trigger, b.value(b.s.member(t.facets, trigger), 1))
		out = append(out, with)
		for _, e := range k.elems[i].elems {
			without := shallow(with, object)
			if j := slices.Index(without.names, e.str()); j >= 0 && e.kind == text {
				without.remove(j)
				out = append(out, without)
			}
		}
	}
	return out
}

// arms makes a value for each subschema of a union, condition or negation, and lays objects over the
// members that are there: one arm instead of another, two at once, a condition met or missed.
func (t target) arms(b builder, keyword string) []*node {
	places := t.facet.all(keyword)
	if q := t.facet.sub(keyword); q.node != nil {
		places = []place{q}
	}
	if slices.Contains(references, keyword) {
		places = nil
		if q, ok := b.s.follow(t.facet, keyword); ok {
			places = []place{q}
		}
	}
	var out []*node
	for _, p := range places {
		arm := b.value([]place{p}, 1)
		out = append(out, arm)
		if arm.kind != object || t.value.kind != object {
			continue
		}
		over, under := shallow(t.value, object), shallow(t.value, object)
		for i, name := range arm.names {
			over.set(name, arm.elems[i])
			if under.get(name) == nil {
				under.set(name, arm.elems[i])
			}
		}
		out = append(out, over, under)
	}
	return out
}
