package sample

import (
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
)

// nudge changes one value of a document that was just built, by one rule of its shape. The document may
// stay valid: a value is moved onto a bound as well as beyond.
func (b *builder) nudge(root *load.Node) *load.Node {
	var targets []*load.Node
	var visit func(v *load.Node)
	visit = func(v *load.Node) {
		if b.shapes[v] != nil {
			targets = append(targets, v)
		}
		for _, m := range v.Members {
			visit(m.Value)
		}
		for _, e := range v.Elems {
			visit(e)
		}
	}
	visit(root)
	for range 16 {
		v := pick(b.rng, targets...)
		if edits := b.edits(v, b.shapes[v]); len(edits) > 0 {
			*v = *pick(b.rng, edits...)
			return root
		}
	}
	return root
}

// edits lists what could stand in place of v, one or a few for every rule of its shape.
func (b *builder) edits(v *load.Node, s *shape) []*load.Node {
	var out []*load.Node
	if other := kAny &^ s.kinds; other != 0 {
		out = append(out, b.ofAnother(v, other))
	}
	if s.limited {
		out = append(out, b.neighbours(v)...)
	}
	switch v.Kind {
	case wire.KindNumber:
		out = append(out, b.numbersBeside(v, s)...)
	case wire.KindString:
		out = append(out, b.textsBeside(v, s)...)
	case wire.KindArray:
		out = append(out, b.arraysBeside(v, s)...)
	case wire.KindObject:
		out = append(out, b.objectsBeside(v, s)...)
	}
	return out
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
	return []*load.Node{null()}
}

func (b *builder) numbersBeside(v *load.Node, s *shape) []*load.Node {
	var out []*load.Node
	around := func(r *big.Rat) {
		step := big.NewRat(1, 1)
		if s.kinds&kFraction != 0 {
			step = unit(places(r) + pick(b.rng, 0, 1, 18))
		}
		out = append(out, num(decimal(r)), num(decimal(new(big.Rat).Add(r, step))), num(decimal(new(big.Rat).Sub(r, step))))
	}
	if s.low != nil {
		around(s.low)
	}
	if s.high != nil {
		around(s.high)
	}
	if r, ok := rational(v.Str); ok && s.step != nil {
		out = append(out, num(decimal(new(big.Rat).Add(r, unit(places(s.step)+1)))), num(decimal(new(big.Rat).Add(r, s.step))))
	}
	return out
}

func (b *builder) textsBeside(v *load.Node, s *shape) []*load.Node {
	var out []*load.Node
	r := []rune(v.Str)
	resized := func(n int) {
		if n < 0 || n > largest {
			return
		}
		c := slices.Clone(r[:min(n, len(r))])
		for len(c) < n {
			c = append(c, pick(b.rng, []rune("a1é😀")...))
		}
		out = append(out, str(string(c)))
	}
	if s.short > 0 {
		resized(s.short - 1)
		resized(s.short)
	}
	if s.long < boundless {
		resized(s.long)
		resized(s.long + 1)
	}
	if len(s.patterns)+len(s.formats) > 0 {
		out = append(out, str(v.Str+pick(b.rng, "!", "\n", " ", "a", "é")), str(pick(b.rng, "!", " ", "_", "é")+v.Str))
		if len(r) > 0 {
			i := b.rng.IntN(len(r))
			c := slices.Clone(r)
			c[i] = pick(b.rng, []rune("!~ aZ0é\n")...)
			out = append(out, str(string(r[1:])), str(string(r[:len(r)-1])), str(string(c)))
		}
	}
	for _, name := range s.formats {
		if wrong := formats[name].wrong; len(wrong) > 0 {
			out = append(out, str(pick(b.rng, wrong...)))
		}
	}
	return out
}

func (b *builder) arraysBeside(v *load.Node, s *shape) []*load.Node {
	var out []*load.Node
	with := func(e ...*load.Node) { out = append(out, list(e...)) }
	n := len(v.Elems)
	resized := func(size int) {
		if size < 0 || size > largest || n == 0 && size > 0 {
			return
		}
		e := slices.Clone(v.Elems[:min(size, n)])
		for i := len(e); i < size; i++ {
			next, ok := b.build(s.elementParts(i), b.depth, nil)
			if !ok {
				next = copied(v.Elems[n-1])
			}
			e = append(e, next)
		}
		with(e...)
	}
	b.left = work // what building used up does not count here
	if s.few > 0 {
		resized(s.few - 1)
	}
	if s.many < boundless {
		resized(s.many)
		resized(s.many + 1)
	}
	if s.unique && n > 0 {
		with(append(slices.Clone(v.Elems), pick(b.rng, v.Elems...))...)
	}
	if len(s.contains) > 0 {
		with()
		resized(n - 1)
		if n > 0 {
			with(append(slices.Clone(v.Elems), v.Elems...)...)
		}
	}
	if len(s.lists)+len(s.each)+len(s.looseItems) > 0 {
		with(append(slices.Clone(v.Elems), pick(b.rng, null(), str("x"), num("1"), object(), list(), boolean(true)))...)
		if n > 1 {
			with(v.Elems[1:]...)
		}
	}
	return out
}

func (b *builder) objectsBeside(v *load.Node, s *shape) []*load.Node {
	var out []*load.Node
	without := func(name string) {
		out = append(out, object(slices.DeleteFunc(slices.Clone(v.Members), func(m load.Member) bool { return m.Name == name })...))
	}
	with := func(name string, value *load.Node) {
		if v.Get(name) == nil {
			out = append(out, object(append(slices.Clone(v.Members), load.Member{Name: name, Value: value})...))
		}
	}
	for _, name := range s.required {
		without(name)
	}
	for _, name := range slices.Sorted(maps.Keys(s.forbidden)) {
		with(name, null())
	}
	if n := len(v.Members); n > 0 {
		i := b.rng.IntN(n)
		without(v.Members[i].Name)
		c := slices.Clone(v.Members)
		c[i].Name += pick(b.rng, "x", " ", "é", "\u0000")
		if v.Get(c[i].Name) == nil {
			out = append(out, object(c...))
		}
	}
	if len(s.objects)+len(s.names)+len(s.looseMembers) > 0 {
		with(pick(b.rng, strayNames...), pick(b.rng, null(), str("x"), num("1"), object()))
		with("$schema", str("x"))
	}
	if missing := s.most + 1 - len(v.Members); missing < 40 {
		c := slices.Clone(v.Members)
		for i := range missing {
			c = append(c, load.Member{Name: "n" + strconv.Itoa(i), Value: null()})
		}
		out = append(out, object(c...))
	}
	if s.least > 0 && len(v.Members) >= s.least {
		out = append(out, object(v.Members[:s.least-1]...))
	}
	return out
}
