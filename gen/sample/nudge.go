package sample

import (
	"math/big"
	"slices"
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
)

// An edit makes what stands in place of a value. ok is false when there is no such thing.
type edit func() (v *load.Node, ok bool)

// nudge changes one value of a document that was just built: it moves it onto a bound, or changes its look. It
// knows what kind of rules apply to the value, and does not care which of them break. All schemas that
// values were made from are equally likely, whatever the number of their values.
func (b *builder) nudge(root *load.Node) *load.Node {
	groups := map[*load.Node][]*load.Node{} // by the schema
	var schemas []*load.Node
	each(root, func(v *load.Node) {
		o := b.origins[v]
		if o == nil {
			return
		}
		schema := o.parts[0].node
		if groups[schema] == nil {
			schemas = append(schemas, schema)
		}
		groups[schema] = append(groups[schema], v)
	})
	b.rng.Shuffle(len(schemas), func(i, j int) { schemas[i], schemas[j] = schemas[j], schemas[i] })
	for _, schema := range schemas {
		v := pick(b.rng, groups[schema]...)
		edits := b.edits(v, b.origins[v].shape)
		b.rng.Shuffle(len(edits), func(i, j int) { edits[i], edits[j] = edits[j], edits[i] })
		for _, edit := range edits {
			b.left, b.count = work, 0 // what building used up does not count here
			if other, ok := edit(); ok {
				*v = *other
				return root
			}
		}
	}
	return root
}

// edits lists what could stand in place of v.
func (b *builder) edits(v *load.Node, s *shape) []edit {
	var out []edit
	if other := kAny &^ s.allowed; other != 0 {
		out = append(out, func() (*load.Node, bool) { return b.ofAnother(v, other), true })
	}
	for _, e := range s.except {
		out = append(out, func() (*load.Node, bool) { return copied(e), true })
	}
	if s.limited {
		return append(out, func() (*load.Node, bool) { return pick(b.rng, b.neighbours(v)...), true })
	}
	bounded := func(low, high *int, within int) {
		if *high < boundless {
			out = append(out, func() (*load.Node, bool) { return b.changed(v, s, func() { *low = *high }) })
		}
		if *low > 0 && within < boundless {
			out = append(out, func() (*load.Node, bool) { return b.changed(v, s, func() { *high = *low }) })
		}
	}
	s = s.clone()
	switch v.Kind {
	case wire.KindNumber:
		return append(out, b.numberEdits(v, s)...)
	case wire.KindString:
		bounded(&s.short, &s.long, s.short)
		return append(out, b.textEdits(v.Str, s)...)
	case wire.KindArray:
		bounded(&s.few, &s.many, s.few)
		return append(out, b.arrayEdits(v, s)...)
	case wire.KindObject:
		bounded(&s.least, &s.most, s.least)
		return append(out, b.objectEdits(v, s)...)
	}
	return out
}

// changed makes a value of the kind of v by a shape after a change.
func (b *builder) changed(v *load.Node, s *shape, change func()) (*load.Node, bool) {
	change()
	return b.valueOf(s, kindOf(v), b.depth-1)
}

// ofAnother makes a value of a type that v must not have, as close to v as that goes.
func (b *builder) ofAnother(v *load.Node, set kinds) *load.Node {
	switch k := b.oneOf(set); k {
	case kNull:
		return null()
	case kFalse, kTrue:
		return boolean(k == kTrue)
	case kInteger:
		return num("0")
	case kFraction:
		if v.Kind == wire.KindNumber && !strings.ContainsAny(v.Str, ".eE") {
			return num(v.Str + ".5")
		}
		return num("0.5")
	case kString:
		if v.Kind == wire.KindNumber {
			return str(v.Str)
		}
		return str("")
	case kArray:
		if b.odds(2) {
			return list()
		}
		return list(copied(v))
	}
	return object()
}

// neighbours are values that look like a constant and are another.
func (b *builder) neighbours(v *load.Node) []*load.Node {
	switch v.Kind {
	case wire.KindString:
		out := []*load.Node{str(v.Str + "x"), str(v.Str + " "), str(""), list(copied(v))}
		for _, s := range []string{strings.ToUpper(v.Str), strings.ToLower(v.Str)} {
			if s != v.Str {
				out = append(out, str(s))
			}
		}
		return out
	case wire.KindNumber:
		out := []*load.Node{str(v.Str)}
		if r, ok := rational(v.Str); ok {
			out = append(out, num(decimal(r.Add(r, big.NewRat(1, 1)))))
		}
		return out
	case wire.KindTrue, wire.KindFalse:
		return []*load.Node{boolean(v.Kind == wire.KindFalse), str("true"), num("1")}
	case wire.KindNull:
		return []*load.Node{str("null"), boolean(false), num("0")}
	}
	return []*load.Node{null(), list(), object()}
}

func (b *builder) numberEdits(v *load.Node, s *shape) []edit {
	// The numbers next to a bound are one step away, so that no other rule is broken.
	step := s.step
	if s.allowed&kFraction == 0 {
		step = s.whole()
	}
	var out []edit
	number := func(r *big.Rat) {
		out = append(out, func() (*load.Node, bool) { return num(decimal(r)), true })
	}
	for i, bound := range []*big.Rat{s.low, s.high} {
		if bound == nil {
			continue
		}
		by := step
		if by == nil {
			by = unit(places(bound) + pick(b.rng, 0, 1, 18))
		}
		if i == 0 {
			by = new(big.Rat).Neg(by)
		}
		number(bound)
		number(new(big.Rat).Add(bound, by))
	}
	if r, ok := rational(v.Str); ok && s.step != nil {
		number(new(big.Rat).Add(r, unit(places(s.step)+1)))
	}
	return out
}

func (b *builder) textEdits(text string, s *shape) []edit {
	var out []edit
	add := func(texts ...string) {
		out = append(out, func() (*load.Node, bool) { return str(pick(b.rng, texts...)), true })
	}
	if len(s.patterns)+len(s.formats) == 0 {
		return nil
	}
	r := []rune(text)
	extra := pick(b.rng, "!", "\n", " ", "a", "é", "0", "\u2028")
	add(text+extra, extra+text)
	if len(r) > 0 {
		c := slices.Clone(r)
		c[b.rng.IntN(len(r))] = pick(b.rng, []rune("!~ aZ0é\n😀")...)
		add(string(c), string(r[1:]), string(r[:len(r)-1]))
		add(strings.ToUpper(text), strings.ToLower(text), " ")
	}
	for _, name := range s.formats {
		if wrong := formats[name].wrong; len(wrong) > 0 {
			add(wrong...)
		}
	}
	return out
}

func (b *builder) arrayEdits(v *load.Node, s *shape) []edit {
	var out []edit
	with := func(e ...*load.Node) {
		out = append(out, func() (*load.Node, bool) { return list(e...), true })
	}
	if len(s.lists)+len(s.each)+len(s.looseItems) > 0 {
		with(append(slices.Clone(v.Elems), pick(b.rng, null(), str("x"), num("1"), object(), list(), boolean(true)))...)
	}
	if n := len(v.Elems); n > 1 {
		with(v.Elems[1:]...)
		with(append(slices.Clone(v.Elems), v.Elems[b.rng.IntN(n)])...)
		turned := slices.Clone(v.Elems)
		slices.Reverse(turned)
		with(turned...)
	}
	return out
}

func (b *builder) objectEdits(v *load.Node, s *shape) []edit {
	var out []edit
	with := func(m ...load.Member) {
		out = append(out, func() (*load.Node, bool) { return object(m...), true })
	}
	another := func(name string) {
		if v.Get(name) == nil {
			with(append(slices.Clone(v.Members), load.Member{Name: name, Value: pick(b.rng, null(), str("x"), num("1"), object(), list())})...)
		}
	}
	if n := len(v.Members); n > 0 {
		i := b.rng.IntN(n)
		with(slices.Delete(slices.Clone(v.Members), i, i+1)...)
		if name := v.Members[i].Name + pick(b.rng, "x", " ", "é", "\u0000"); v.Get(name) == nil {
			renamed := slices.Clone(v.Members)
			renamed[i].Name = name
			with(renamed...)
		}
	}
	another(pick(b.rng, strayNames...))
	for _, r := range s.objects {
		if k := r.node.Get("properties"); k != nil && len(k.Members) > 0 {
			another(pick(b.rng, k.Members...).Name)
		}
		if k := r.node.Get("patternProperties"); k != nil && len(k.Members) > 0 {
			if name, ok := b.docs.patterns[pick(b.rng, k.Members...).Name].make(b.rng, 0, 64); ok {
				another(name)
			}
		}
	}
	return out
}
