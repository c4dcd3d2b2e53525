package mutate

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A target is a value of a document together with a schema that may apply to it. Each keyword of that
// schema suggests a few values around the border that it draws: just inside, just outside, and the
// same value in another spelling. These variants find what blind mutation rarely hits.
type target struct {
	pointer string
	value   *node // part of the document; replaced in place and put back
	facet   place
	facets  []place // all that may apply to the value, facet among them
}

// targets lists the values of a document with every schema that may apply, in document order.
func (s *Schema) targets(doc *node) []target {
	var out []target
	var visit func(n *node, places []place, pointer string, depth int)
	visit = func(n *node, places []place, pointer string, depth int) {
		facets := s.spread(places)
		for _, f := range facets {
			if f.node.kind == object {
				out = append(out, target{pointer, n, f, facets})
			}
		}
		if len(facets) == 0 || depth > 64 {
			return
		}
		for i, e := range n.elems {
			if n.kind == object {
				visit(e, s.member(facets, n.names[i]), pointer+"/"+n.names[i], depth+1)
			} else {
				visit(e, element(facets, i), pointer+"/"+strconv.Itoa(i), depth+1)
			}
		}
	}
	visit(doc, []place{s.root}, "", 0)
	return out
}

// variant is a replacement for a target's value with the keyword that suggested it.
type variant struct {
	keyword string
	value   *node
}

func (v variant) describe(t target) string { return fmt.Sprintf("%s at %q", v.keyword, t.pointer) }

// all lists the variants of a target in the order of the schema's keywords.
func (t target) all(b builder) []variant {
	var out []variant
	for i, keyword := range t.facet.node.names {
		for _, v := range t.around(b, keyword, t.facet.node.elems[i]) {
			out = append(out, variant{keyword, v})
		}
	}
	return out
}

func (t target) around(b builder, keyword string, k *node) []*node {
	v := t.value
	switch keyword {
	case "type":
		return []*node{nul(), yes(), num("0"), num("1.0"), num("1.5"), str(""), str("a"), array(), array(nul()), {kind: object}}
	case "const":
		return append(neighbours(k), k)
	case "enum":
		var out []*node
		for _, e := range k.elems {
			out = append(append(out, e), neighbours(e)...)
		}
		return out
	case "minLength", "maxLength":
		out := lengths(v, t.facet.limit(keyword))
		if t.facet.node.get("format").str() == "date-time" {
			out = append(out, longTimes(t.facet.limit(keyword))...)
		}
		return out
	case "pattern":
		return spellings(b, v, k.str())
	case "format":
		var out []*node
		for _, s := range append(slices.Clone(formatSamples[k.str()]), formatBreakers[k.str()]...) {
			out = append(out, str(s))
		}
		return out
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return numbers(k)
	case "minItems", "maxItems", "minContains", "maxContains", "contains", "uniqueItems", "items", "prefixItems", "additionalItems", "unevaluatedItems":
		return t.arrays(b, keyword)
	case "required", "properties", "additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties":
		return t.members(b, keyword, k)
	case "dependentRequired", "dependentSchemas", "dependencies":
		return t.dependents(b, k)
	case "anyOf", "oneOf", "not", "if", "then", "else", "$ref", "$dynamicRef", "$recursiveRef", "allOf":
		return t.arms(b, keyword)
	}
	return nil
}

// neighbours are values next to a constant: other types of the same look, other case, one more.
func neighbours(k *node) []*node {
	switch k.kind {
	case text:
		s := k.str()
		out := []*node{str(s + "x"), str(s + " "), {kind: text, raw: escaped(s)}, array(k)}
		for _, c := range []string{strings.ToUpper(s), strings.ToLower(s), strings.TrimSuffix(s, "s")} {
			if c != s {
				out = append(out, str(c))
			}
		}
		return out
	case number:
		return append(numbers(k), str(k.raw))
	case boolean:
		return []*node{{kind: boolean, raw: map[string]string{"true": "false", "false": "true"}[k.raw]}, str(k.raw), num("1")}
	case null:
		return []*node{str("null"), num("0"), {kind: boolean, raw: "false"}}
	}
	return []*node{nul(), str("")}
}

// lengths makes strings one shorter than n, of n, and one longer, in code points of one to four bytes.
func lengths(v *node, n int) []*node {
	if n < 0 {
		return nil
	}
	base := []rune(v.str())
	if len(base) == 0 {
		base = []rune("x")
	}
	var out []*node
	for _, want := range []int{n - 1, n, n + 1} {
		if want < 0 || want > 5000 {
			continue
		}
		r := slices.Clone(base)
		for len(r) < want {
			r = append(r, base[len(r)%len(base)])
		}
		out = append(out, str(string(r[:want])), str(strings.Repeat("😀", want)))
	}
	return out
}

// longTimes makes date-times around n characters long: the fraction of a second has no limit of its own.
func longTimes(n int) []*node {
	var out []*node
	const short = "2025-01-31T08:00:00.Z"
	for _, want := range []int{n - 1, n, n + 1} {
		if want > len(short) && want < 5000 {
			out = append(out, str(short[:20]+strings.Repeat("1", want-len(short))+"Z"))
		}
	}
	return out
}

func spellings(b builder, v *node, pattern string) []*node {
	s := v.str()
	out := []*node{str(""), str("   "), str(s + "!"), str("!" + s), str(s + "\n"), str(" " + s), str(s + "é"), {kind: text, raw: escaped(s)}}
	if s != "" {
		_, first := utf8.DecodeRuneInString(s)
		_, last := utf8.DecodeLastRuneInString(s)
		out = append(out, str(s[first:]), str(s[:len(s)-last]), str(strings.ToUpper(s)), str(s+s))
	}
	for range 2 {
		if m, ok := matching(pattern, b.rng); ok {
			out = append(out, str(m), str(m+"~"))
		}
	}
	return out
}

// formatBreakers are strings that do not have a format, each by one fault.
var formatBreakers = map[string][]string{
	"date-time": {
		"", "2025-01-31", "2025-01-31T08:00:00", "2025-13-31T08:00:00Z", "2025-02-30T08:00:00Z", "2025-01-31T24:00:00Z",
		"2025-01-31T08:60:00Z", "2025-01-31 08:00:00Z ", "2025-01-31T08:00:00+2400", "2025-01-31T08:00:00.Z", "20250131T080000Z", "now",
	},
	"date":  {"", "2025-1-31", "2025-02-30", "2025-01-31T"},
	"uri":   {"", "//relative", "no uri", "http://[::1"},
	"email": {"", "a", "@example.org"},
	"uuid":  {"", "2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08aa9811eab4aa73b441d16380"},
}

// numbers are values around a bound or divisor, exact in every digit.
func numbers(k *node) []*node {
	r, ok := new(big.Rat).SetString(k.raw)
	if !ok || k.kind != number {
		return nil
	}
	out := []*node{k, num(r.FloatString(decimals(r)) + "e0"), num("-" + strings.TrimPrefix(k.raw, "-"))}
	for _, d := range []string{"1", "-1", "0.5", "-0.5", "0.000000001", "-0.000000001"} {
		delta, _ := new(big.Rat).SetString(d)
		x := new(big.Rat).Add(r, delta)
		out = append(out, num(x.FloatString(decimals(x))))
	}
	double := new(big.Rat).Add(r, r)
	return append(out, num(double.FloatString(decimals(double))), num("0"), num("1e30"), num("-1e-30"))
}

// decimals is the number of decimal places that spell r exactly, up to 40.
func decimals(r *big.Rat) int {
	x := new(big.Rat).Set(r)
	ten := big.NewRat(10, 1)
	n := 0
	for !x.IsInt() && n < 40 {
		x.Mul(x, ten)
		n++
	}
	return n
}

// shallow copies a value so that members and elements can be added and removed.
func shallow(v *node, k kind) *node {
	if v.kind != k {
		return &node{kind: k}
	}
	c := *v
	c.keys, c.names, c.elems = slices.Clone(v.keys), slices.Clone(v.names), slices.Clone(v.elems)
	return &c
}
