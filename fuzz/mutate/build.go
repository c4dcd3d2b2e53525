package mutate

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// builder makes documents from a schema that mostly satisfy it. It decides every choice (an arm of
// anyOf, an optional member, a length) by its random source and does not check what it made: the
// oracle judges, and a document that misses is a useful one too.
type builder struct {
	s    *Schema
	rng  *rand.Rand
	made *int // values in what is being built
}

func newBuilder(s *Schema, rng *rand.Rand) builder { return builder{s, rng, new(int)} }

// Deep places of recursive schemas get required members and shortest lists only; past the last level
// everything is null.
const (
	modestDepth = 4
	lastDepth   = 12
	// A schema that branches at every level makes large values before it is deep.
	lastValue = 1000
)

// value makes a value for all the places together.
func (b builder) value(places []place, depth int) *node {
	if depth <= 1 {
		*b.made = 0
	}
	if *b.made++; depth > lastDepth || *b.made > lastValue {
		return nul()
	}
	facets := b.choose(places, 0, map[*node]bool{})
	for _, f := range facets {
		if c := f.node.get("const"); c != nil {
			return c.clone()
		}
	}
	if v := b.fromEnum(facets); v != nil {
		return v
	}
	if v := b.fromExamples(facets); v != nil {
		return v
	}
	switch b.typeOf(facets, depth) {
	case "object":
		return b.object(facets, depth)
	case "array":
		return b.array(facets, depth)
	case "string":
		return b.text(facets)
	case "number":
		return b.number(facets, false)
	case "integer":
		return b.number(facets, true)
	case "boolean":
		return &node{kind: boolean, raw: []string{"true", "false"}[b.rng.IntN(2)]}
	}
	return nul()
}

// choose lists the schemas that the value shall satisfy: everything that applies always, one arm of
// each union, and of a condition either the else or both if and then. What is reached twice counts once.
func (b builder) choose(places []place, hops int, seen map[*node]bool) []place {
	var out []place
	for _, p := range places {
		if p.node == nil || p.node.kind != object || hops > 32 || seen[p.node] {
			continue
		}
		seen[p.node] = true
		p = enter(p)
		out = append(out, p)
		var next []place
		if q, ok := b.s.target(p); ok {
			next = append(next, q)
		}
		next = append(next, p.all("allOf")...)
		for _, k := range []string{"anyOf", "oneOf"} {
			if arms := p.all(k); len(arms) > 0 {
				next = append(next, arms[b.rng.IntN(len(arms))])
			}
		}
		if p.node.get("if") != nil {
			if b.rng.IntN(2) == 0 {
				next = append(next, p.sub("if"), p.sub("then"))
			} else {
				next = append(next, p.sub("else"))
			}
		}
		out = append(out, b.choose(next, hops+1, seen)...)
	}
	return out
}

func (b builder) fromEnum(facets []place) *node {
	for _, f := range facets {
		enum := f.node.get("enum")
		if enum == nil || len(enum.elems) == 0 {
			continue
		}
		// An enum beside another one, or beside a type, admits only what both have.
		var shared []*node
		for _, e := range enum.elems {
			if slices.ContainsFunc(facets, func(g place) bool { return excludes(g.node, e) }) {
				continue
			}
			shared = append(shared, e)
		}
		if len(shared) == 0 {
			shared = enum.elems
		}
		return shared[b.rng.IntN(len(shared))].clone()
	}
	return nil
}

// excludes reports that an enum or type of schema s does not admit v.
func excludes(s, v *node) bool {
	if enum := s.get("enum"); enum != nil {
		if !slices.ContainsFunc(enum.elems, func(e *node) bool { return e.String() == v.String() }) {
			return true
		}
	}
	types := typeNames(s)
	return len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isType(v, t) })
}

func isType(v *node, t string) bool {
	switch t {
	case "integer":
		return v.kind == number && !strings.ContainsAny(v.raw, ".eE")
	case "number":
		return v.kind == number
	}
	return t == map[kind]string{null: "null", boolean: "boolean", text: "string", list: "array", object: "object"}[v.kind]
}

func (b builder) fromExamples(facets []place) *node {
	if b.rng.IntN(3) > 0 {
		return nil
	}
	var all []*node
	for _, f := range facets {
		if n := f.node.get("examples"); n != nil && n.kind == list {
			all = append(all, n.elems...)
		}
		if n := f.node.get("default"); n != nil {
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[b.rng.IntN(len(all))].clone()
}

// typeNames reads the type keyword; nil when absent.
func typeNames(s *node) []string {
	t := s.get("type")
	switch {
	case t == nil:
		return nil
	case t.kind == list:
		var out []string
		for _, e := range t.elems {
			out = append(out, e.str())
		}
		return out
	}
	return []string{t.str()}
}

// evidence tells a value's type from the keywords that constrain it where no type is given.
var evidence = []struct{ keyword, means string }{
	{"properties", "object"}, {"required", "object"}, {"additionalProperties", "object"}, {"patternProperties", "object"},
	{"items", "array"}, {"prefixItems", "array"}, {"contains", "array"}, {"minItems", "array"},
	{"pattern", "string"}, {"minLength", "string"}, {"maxLength", "string"}, {"format", "string"},
	{"minimum", "number"}, {"maximum", "number"}, {"multipleOf", "number"},
}

func (b builder) typeOf(facets []place, depth int) string {
	var admitted []string
	for _, f := range facets {
		types := typeNames(f.node)
		if len(types) == 0 {
			continue
		}
		if admitted == nil {
			admitted = types
			continue
		}
		both := slices.DeleteFunc(slices.Clone(admitted), func(t string) bool { return !slices.Contains(types, t) })
		if len(both) > 0 {
			admitted = both
		}
	}
	if admitted == nil {
		for _, e := range evidence {
			if slices.ContainsFunc(facets, func(f place) bool { return f.node.get(e.keyword) != nil }) {
				return e.means
			}
		}
		admitted = []string{"string", "integer", "boolean", "null", "number", "object", "array"}
	}
	if depth > modestDepth { // the simplest
		for _, t := range []string{"null", "boolean", "string", "integer", "number", "array"} {
			if slices.Contains(admitted, t) {
				return t
			}
		}
	}
	return admitted[b.rng.IntN(len(admitted))]
}

func (b builder) object(facets []place, depth int) *node {
	var names []string
	want := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, f := range facets {
		if r := f.node.get("required"); r != nil {
			for _, e := range r.elems {
				want(e.str())
			}
		}
	}
	for _, f := range facets {
		if props := f.node.get("properties"); props != nil && depth <= modestDepth {
			for i, name := range props.names {
				if props.elems[i].raw != "false" && b.rng.IntN(depth+2) < 2 && b.rng.IntN(3) > 0 {
					want(name)
				}
			}
		}
	}
	for _, f := range facets {
		if pp := f.node.get("patternProperties"); pp != nil && len(pp.names) > 0 && depth <= modestDepth && b.rng.IntN(2) == 0 {
			if name, ok := matching(pp.names[b.rng.IntN(len(pp.names))], b.rng); ok {
				want(name)
			}
		}
		if (f.node.get("additionalProperties").isSchema() || f.node.get("unevaluatedProperties").isSchema()) && b.rng.IntN(2) == 0 {
			want("extra" + strconv.Itoa(b.rng.IntN(3)))
		}
		for i := 0; i < f.limit("minProperties")-len(names); i++ {
			want("more" + strconv.Itoa(i))
		}
	}
	n := &node{kind: object}
	for _, name := range names {
		n.add(quote(name), b.value(b.s.member(facets, name), depth+1))
	}
	return n
}

// isSchema tells a schema that admits something from false and from nothing.
func (n *node) isSchema() bool { return n != nil && n.kind == object }

func (b builder) array(facets []place, depth int) *node {
	low, high := 0, 2
	if depth > modestDepth {
		high = 0
	}
	for _, f := range facets {
		low = max(low, f.limit("minItems"))
		if p := f.node.get("prefixItems"); p != nil && b.rng.IntN(2) == 0 {
			high = max(high, len(p.elems))
		}
		if f.node.get("contains") != nil {
			low = max(low, 1, f.limit("minContains"))
		}
	}
	high = max(low, high)
	for _, f := range facets {
		if m := f.limit("maxItems"); m >= 0 {
			high = min(high, m)
		}
	}
	n := array()
	for i := range min(low+b.rng.IntN(max(high-low, 0)+1), 64) {
		n.elems = append(n.elems, b.value(element(facets, i), depth+1))
	}
	return n
}

func (b builder) number(facets []place, integer bool) *node {
	v := int64(b.rng.IntN(20))
	for _, f := range facets {
		for i, keyword := range []string{"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"} {
			n, step := f.node.get(keyword), []int64{0, 1, 0, -1}[i]
			if n == nil || n.kind != number {
				continue
			}
			bound, err := strconv.ParseInt(n.raw, 10, 64)
			if err != nil {
				continue
			}
			low := strings.HasSuffix(keyword, "inimum")
			if low && v < bound+step || !low && v > bound+step {
				v = bound + step
			}
		}
		if m := f.node.get("multipleOf"); m != nil {
			return m.clone()
		}
	}
	if !integer && b.rng.IntN(4) == 0 {
		return num(strconv.FormatInt(v, 10) + ".0")
	}
	return num(strconv.FormatInt(v, 10))
}

func (b builder) text(facets []place) *node {
	low, high := 0, -1
	for _, f := range facets {
		if p := f.node.get("pattern").str(); p != "" {
			if s, ok := matching(p, b.rng); ok {
				return str(s)
			}
		}
		if samples := formatSamples[f.node.get("format").str()]; len(samples) > 0 {
			return str(samples[b.rng.IntN(len(samples))])
		}
		low = max(low, f.limit("minLength"))
		if m := f.limit("maxLength"); m >= 0 {
			high = m
		}
	}
	s := []string{"", "a", "word", "two words", "名", "😀"}[b.rng.IntN(6)]
	if r := []rune(s); len(r) < low {
		s += strings.Repeat("x", low-len(r))
	} else if high >= 0 && len(r) > high {
		s = string(r[:high])
	}
	return str(s)
}

// formatSamples are strings that have a format beyond doubt.
var formatSamples = map[string][]string{
	"date-time":     {"2025-01-31T08:00:00Z", "1999-12-31T23:59:59.5+05:30", "2024-02-29T00:00:00-00:00"},
	"date":          {"2025-01-31", "2024-02-29"},
	"time":          {"08:00:00Z", "23:59:59.25+01:00"},
	"uri":           {"https://example.org/a?b=c#d", "urn:x:y"},
	"uri-reference": {"../a", "#b", "https://example.org/"},
	"email":         {"a@example.org"},
	"uuid":          {"2eb8aa08-aa98-11ea-b4aa-73b441d16380"},
}
