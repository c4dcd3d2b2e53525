package sample

import (
	"slices"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
)

// choice is a rule that can be met in several ways. One has to be taken.
type choice struct {
	ways []way
	// denied is set for the choice of how not to fit a schema: when the shape cannot fit it anyway, there is
	// nothing to choose.
	denied *part
}

// way is what has to be added to a shape to take it.
type way struct {
	add    []func(b *builder, s *shape)
	height int          // of the value that it leads to, see heights
	leads  []*load.Node // schemas that the value then fits
}

func (w way) and(f func(b *builder, s *shape)) way {
	w.add = append(slices.Clip(w.add), f)
	return w
}

func (w way) fit(p part) way {
	if !p.not {
		w.leads = append(slices.Clip(w.leads), p.node)
	}
	return w.and(func(b *builder, s *shape) { b.add(s, p) })
}

// union is the choice of an arm, together with not fitting the others where only one may fit.
func (b *builder) union(arms []*load.Node, sc *scope, exactlyOne bool) choice {
	var c choice
	b.pay(len(arms))
	for i, arm := range arms {
		w := way{height: b.height[arm]}.fit(part{node: arm, scope: sc})
		if exactlyOne && len(arms) > 1 {
			w = w.and(func(b *builder, s *shape) {
				for j, other := range arms {
					if j != i && !s.dead {
						b.add(s, part{node: other, scope: sc, not: true})
					}
				}
			})
		}
		c.ways = append(c.ways, w)
	}
	return c
}

func (b *builder) condition(n *load.Node, sc *scope) choice {
	var c choice
	for _, branch := range []string{"then", "else"} {
		w := way{}.fit(part{node: n.Get("if"), scope: sc, not: branch == "else"})
		if k := n.Get(branch); k != nil {
			w.height = b.height[k]
			w = w.fit(part{node: k, scope: sc})
		}
		c.ways = append(c.ways, w)
	}
	return c
}

// dependent is the choice between a member with what it demands and no such member.
func (b *builder) dependent(name string, k *load.Node, sc *scope) choice {
	with := way{height: 1}.and(func(_ *builder, s *shape) { s.require(name) })
	if k.Kind == wire.KindArray {
		with = with.and(func(_ *builder, s *shape) {
			for _, e := range k.Elems {
				s.require(e.Str)
			}
		})
	} else {
		with = with.fit(part{node: k, scope: sc})
	}
	return choice{ways: []way{
		with, way{}.and(func(_ *builder, s *shape) { s.forbid(name) }),
	}}
}

// settle takes a way of every open choice, so that the rest stays plausible, and returns what becomes of
// the shape. It goes back when it meets a dead end: the status of a payload decides six conditions, and
// taking them at random would hardly ever fit.
func (b *builder) settle(s *shape, depth int) (*shape, bool) {
	if !b.spend() || !b.pay(s.size()) || !b.plausible(s, 0) {
		return nil, false
	}
	if len(s.open) == 0 {
		return s, true
	}
	next := 0
	if b.goal != nil {
		next = b.nearest(s.open)
	}
	c := s.open[next]
	s.open = slices.Delete(slices.Clone(s.open), next, next+1)
	if c.denied != nil {
		if !b.pay(s.size()) {
			return nil, false
		}
		t := s.clone()
		if b.add(t, *c.denied); !b.plausible(t, 0) {
			return b.settle(s, depth)
		}
	}
	b.pay(4 * len(c.ways))
	for _, w := range b.order(c.ways, depth) {
		if b.left <= 0 || !b.pay(s.size()) {
			break
		}
		t := s.clone()
		for _, f := range w.add {
			f(b, t)
		}
		if t.dead {
			continue
		}
		// What is settled next are choices that this way has brought, while it still can be left.
		fresh := len(t.open) - len(s.open)
		t.open = slices.Concat(t.open[len(t.open)-fresh:], t.open[:len(t.open)-fresh])
		if done, ok := b.settle(t, depth); ok {
			return done, true
		}
		if b.left <= 0 {
			break
		}
	}
	return nil, false
}

// nearest returns the index of the choice that has a way nearest to the goal: it comes first, before other
// choices rule that way out.
func (b *builder) nearest(open []choice) int {
	best, least := 0, far
	for i, c := range open {
		for _, w := range c.ways {
			if d := b.remote(w.leads...); d < least {
				best, least = i, d
			}
		}
	}
	return best
}

// order draws the order in which ways are tried: at random while the document is small, the flattest first
// when it has grown enough, those that lead to the goal first if there is one.
func (b *builder) order(ways []way, depth int) []way {
	ways = slices.Clone(ways)
	b.rng.Shuffle(len(ways), func(i, j int) { ways[i], ways[j] = ways[j], ways[i] })
	if b.grown(depth) {
		slices.SortStableFunc(ways, func(x, y way) int { return x.height - y.height })
	} else {
		slices.SortStableFunc(ways, func(x, y way) int { return x.height/endless - y.height/endless })
	}
	if b.goal != nil && !b.grown(depth) {
		slices.SortStableFunc(ways, func(x, y way) int { return b.remote(x.leads...) - b.remote(y.leads...) })
	}
	return ways
}

// grown reports whether members and elements are made only where they must be.
func (b *builder) grown(depth int) bool { return depth >= b.depth || b.count >= b.values }

// deny lays over the shape that it must not fit a schema: breaking one keyword is enough.
func (b *builder) deny(s *shape, p part) {
	if always, is := truth(p.node); is {
		s.dead = s.dead || always
		return
	}
	n, sc := p.node, b.docs.enter(p.scope, p.node)
	var ways []way
	for _, m := range n.Members {
		ways = append(ways, b.breaks(n, sc, m.Name, m.Value)...)
		b.unsure = b.unsure || oneWay[m.Name]
	}
	if slices.ContainsFunc(n.Members, func(m load.Member) bool { return unbroken[m.Name] }) {
		// The value may break it by chance, and the final check will see. It is the last resort.
		ways = append(ways, way{height: endless})
	}
	if len(ways) == 0 {
		s.dead = true // everything fits it
		return
	}
	fit := part{node: n, scope: p.scope}
	b.choose(s, choice{ways: ways, denied: &fit})
}

// choose adds a choice to a shape. Where there is but one way it is taken at once, so that what follows from it
// is seen early.
func (b *builder) choose(s *shape, c choice) {
	if len(c.ways) != 1 {
		s.open = append(s.open, c)
		return
	}
	for _, f := range c.ways[0].add {
		f(b, s)
	}
}

// unbroken are the keywords that this package cannot break in every way there is.
var unbroken = map[string]bool{
	"unevaluatedProperties": true, "unevaluatedItems": true, "propertyNames": true,
	"patternProperties": true, "additionalProperties": true, "contains": true,
}

// oneWay are the keywords of which some ways to break them are known, and others are not looked for.
var oneWay = map[string]bool{
	"items": true, "prefixItems": true, "uniqueItems": true, "format": true, "contains": true, "minContains": true, "maxContains": true,
}

// breaks lists the ways of not meeting a keyword.
func (b *builder) breaks(n *load.Node, sc *scope, name string, k *load.Node) []way {
	not := func(n *load.Node) part { return part{node: n, scope: sc, not: true} }
	only := func(set kinds) way { return way{}.and(func(_ *builder, s *shape) { s.restrict(set) }) }
	switch name {
	case "$ref", "$dynamicRef":
		if to, at := b.docs.target(n, name, sc); to != nil {
			return []way{way{}.fit(part{node: to, scope: at, not: true})}
		}
	case "allOf":
		var ways []way
		for _, e := range k.Elems {
			ways = append(ways, way{}.fit(not(e)))
		}
		return ways
	case "anyOf", "oneOf":
		ways := []way{way{}.and(func(b *builder, s *shape) {
			for _, e := range k.Elems {
				if !s.dead {
					b.add(s, not(e))
				}
			}
		})}
		for i := 1; i < len(k.Elems) && name == "oneOf"; i++ { // or two of them fit
			if !b.pay(i) {
				break
			}
			for _, e := range k.Elems[:i] {
				ways = append(ways, way{height: b.height[e]}.fit(part{node: e, scope: sc}).fit(part{node: k.Elems[i], scope: sc}))
			}
		}
		return ways
	case "not":
		return []way{way{height: b.height[k]}.fit(part{node: k, scope: sc})}
	case "if":
		var ways []way
		if then := n.Get("then"); then != nil {
			ways = append(ways, way{}.fit(part{node: k, scope: sc}).fit(not(then)))
		}
		if other := n.Get("else"); other != nil {
			ways = append(ways, way{}.fit(not(k)).fit(not(other)))
		}
		return ways
	case "type":
		return []way{only(kAny &^ typeSet(k))}
	case "const":
		return []way{way{}.and(func(b *builder, s *shape) {
			b.pay(len(s.except))
			s.except = append(slices.Clip(s.except), k)
		})}
	case "enum":
		return []way{way{}.and(func(b *builder, s *shape) {
			b.pay(len(s.except) + len(k.Elems))
			s.except = append(slices.Clip(s.except), k.Elems...)
		})}
	case "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf":
		r, ok := rational(k.Str)
		if !ok {
			b.unsure = true
			return nil
		}
		return []way{only(kNumber).and(func(b *builder, s *shape) {
			aim := 0
			switch name {
			case "minimum", "exclusiveMinimum":
				s.below(r, name == "minimum")
				aim = 1
			case "maximum", "exclusiveMaximum":
				s.above(r, name == "maximum")
				aim = -1
			default:
				s.notSteps = append(slices.Clip(s.notSteps), r)
			}
			if b.tight {
				s.aim = aim
			}
		})}
	case "pattern":
		return []way{only(kString).and(func(b *builder, s *shape) {
			s.notPatterns = append(slices.Clip(s.notPatterns), b.docs.patterns[k.Str])
		})}
	case "format":
		if f, known := formats[k.Str]; known && len(f.wrong) > 0 {
			return []way{only(kString).and(func(_ *builder, s *shape) { s.notFormats = append(slices.Clip(s.notFormats), k.Str) })}
		}
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return breaksCount(name, k, only)
	case "uniqueItems":
		if k.Kind == wire.KindTrue {
			return []way{only(kArray).and(func(_ *builder, s *shape) { s.few, s.twice = max(s.few, 2), true })}
		}
	case "items", "prefixItems":
		if !tellsItems(n, name) {
			return nil
		}
		prefix, rest := itemRules(n)
		var ways []way
		for i, e := range append(slices.Clip(prefix), rest) {
			if e != nil {
				w := only(kArray).and(func(_ *builder, s *shape) {
					s.few = max(s.few, i+1)
					s.element(i, not(e))
				})
				w.height = 1
				ways = append(ways, w)
			}
		}
		return ways
	case "contains", "minContains", "maxContains":
		inside := n.Get("contains")
		low, high := containsRange(n)
		if inside == nil {
			return nil
		}
		rule := containsRule{part{node: inside, scope: sc}, 0, low - 1}
		if name == "maxContains" {
			rule.low, rule.high = high+1, -1
		} else if low == 0 {
			return nil
		}
		return []way{only(kArray).and(func(_ *builder, s *shape) { s.contains = append(slices.Clip(s.contains), rule) })}
	case "required", "properties", "additionalProperties", "dependentRequired", "dependentSchemas", "patternProperties", "unevaluatedProperties", "propertyNames":
		return b.breaksMembers(n, sc, name, k)
	}
	return nil
}

func breaksCount(name string, k *load.Node, only func(kinds) way) []way {
	v, ok := count(k)
	if !ok || v == 0 && name[:3] == "min" {
		return nil
	}
	return []way{only(map[string]kinds{
		"minLength": kString, "maxLength": kString, "minItems": kArray, "maxItems": kArray, "minProperties": kObject, "maxProperties": kObject,
	}[name]).and(func(b *builder, s *shape) {
		switch name {
		case "minLength", "maxLength":
			breakCount(&s.short, &s.long, name == "minLength", v, b.tight)
		case "minItems", "maxItems":
			breakCount(&s.few, &s.many, name == "minItems", v, b.tight)
		default:
			breakCount(&s.least, &s.most, name == "minProperties", v, b.tight)
		}
	})}
}

// breakCount moves the bounds of a count below a least, or above a most, of v: next to it, if tight.
func breakCount(low, high *int, least bool, v int, tight bool) {
	if least {
		*high = min(*high, v-1)
	} else {
		*low = max(*low, v+1)
	}
	switch {
	case !tight:
	case least:
		*low = max(*low, *high)
	default:
		*high = min(*high, *low)
	}
}

// breaksMembers lists the ways of not meeting a keyword about members.
func (b *builder) breaksMembers(n *load.Node, sc *scope, name string, k *load.Node) []way {
	objects := way{}.and(func(_ *builder, s *shape) { s.restrict(kObject) })
	without := func(w way, name string) way {
		return w.and(func(_ *builder, s *shape) { s.forbid(name) })
	}
	with := func(w way, name string, sub *load.Node) way {
		w.height = 1
		return w.and(func(_ *builder, s *shape) {
			s.require(name)
			if sub != nil {
				s.member(name, part{node: sub, scope: sc, not: true})
			}
		})
	}
	var ways []way
	switch name {
	case "required":
		for _, e := range k.Elems {
			ways = append(ways, without(objects, e.Str))
		}
	case "properties":
		for _, m := range k.Members {
			ways = append(ways, with(objects, m.Name, m.Value))
		}
	case "patternProperties":
		for _, m := range k.Members {
			if made, ok := b.docs.patterns[m.Name].make(b.rng, 0, 40); ok {
				ways = append(ways, with(objects, made, m.Value))
			}
		}
	case "additionalProperties", "unevaluatedProperties":
		for _, extra := range strayNames {
			bare := object(slices.DeleteFunc(slices.Clone(n.Members), func(m load.Member) bool { return m.Name == name })...)
			if rules, decided := memberRules(b.docs, bare, extra); decided && len(rules) == 0 {
				ways = append(ways, with(objects, extra, k))
			}
		}
	case "propertyNames":
		for _, extra := range strayNames {
			if !b.allows([]part{{node: k, scope: sc}}, str(extra)) {
				ways = append(ways, with(objects, extra, nil))
			}
		}
	case "dependentSchemas":
		for _, m := range k.Members {
			ways = append(ways, with(objects, m.Name, nil).fit(part{node: m.Value, scope: sc, not: true}))
		}
	case "dependentRequired":
		for _, m := range k.Members {
			for _, e := range m.Value.Elems {
				ways = append(ways, without(with(objects, m.Name, nil), e.Str))
			}
		}
	}
	return ways
}
