package mutate

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// slot is a value in a document with the object or array it stands in; parent is nil for the root.
type slot struct {
	value, parent *node
	i             int
}

func slots(doc *node) []slot {
	out := []slot{{value: doc}}
	for at := 0; at < len(out); at++ {
		n := out[at].value
		for i, e := range n.elems {
			out = append(out, slot{e, n, i})
		}
	}
	return out
}

// Numbers around the borders of what machines hold. Exponents stay within ±30: v6.0.3 panics on large
// ones, and an oracle that died has no opinion.
var borderNumbers = []string{
	"0", "-0", "0.0", "1", "-1", "1.0", "10e-1", "1.10", "0.1", "1e30", "-1e30", "1e-30", "255", "256", "65536",
	"2147483647", "2147483648", "-2147483649", "4294967296", "9007199254740991", "9007199254740993",
	"9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551616", "0.30000000000000004",
}

var borderStrings = []string{
	``, `a`, ` `, `null`, `0`, `true`, `名前`, `é`, `e` + "\u0301", `😀`, `\u0000`, `\n`, `\ud83d\ude00`, `\"`, `\\`, `/`, `\/`,
	`2025-01-31T08:00:00Z`, "\u2028", "\u00a0", `<script>&`,
}

// blind changes one place of a document without looking at a schema and names the change.
func blind(doc *node, rng *rand.Rand) string {
	all := slots(doc)
	s := all[rng.IntN(len(all))]
	v := s.value
	switch rng.IntN(9) {
	case 0:
		*v = *nul()
		return "null injected"
	case 1:
		*v = *[]*node{nul(), yes(), num("0"), num("0.5"), str("x"), array(), {kind: object}}[rng.IntN(7)]
		return "type swapped"
	case 2:
		*v = *num(borderNumbers[rng.IntN(len(borderNumbers))])
		return "border number"
	case 3:
		*v = node{kind: text, raw: `"` + borderStrings[rng.IntN(len(borderStrings))] + `"`}
		return "border string"
	case 4:
		kept := *v
		if rng.IntN(2) == 0 {
			*v = *array(&kept)
			return "wrapped in an array"
		}
		*v = node{kind: object}
		v.add(`"inner"`, &kept)
		return "wrapped in an object"
	case 5:
		if s.parent != nil {
			s.parent.remove(s.i)
			return "removed"
		}
	case 6:
		if s.parent != nil && s.parent.kind == list {
			s.parent.elems = append(s.parent.elems, v.clone())
			return "element repeated"
		}
		if s.parent != nil {
			s.parent.set(s.parent.names[s.i]+strconv.Itoa(rng.IntN(3)), v.clone())
			return "member repeated under another name"
		}
	case 7:
		if s.parent != nil && s.parent.kind == object {
			name := s.parent.names[s.i]
			name = []string{strings.ToUpper(name), name + "_", strings.TrimSuffix(name, "s"), "x" + name}[rng.IntN(4)]
			if s.parent.get(name) == nil {
				s.parent.keys[s.i], s.parent.names[s.i] = quote(name), name
			}
			return "renamed"
		}
	}
	if v.kind == text {
		*v = *str(v.str() + strings.Repeat("x", rng.IntN(70)))
		return "string lengthened"
	}
	*v = *num("1e" + strconv.Itoa(rng.IntN(61)-30))
	return "power of ten"
}

// respell changes how a document is written and not what it says, and names the change.
func respell(doc *node, rng *rand.Rand) string {
	all := slots(doc)
	s := all[rng.IntN(len(all))]
	v := s.value
	switch {
	case v.kind == text:
		v.raw = escaped(v.str())
		return "string escaped"
	case v.kind == number && !strings.ContainsAny(v.raw, ".eE"):
		v.raw += []string{".0", "e0", "E+0", ".000"}[rng.IntN(4)]
		return "number respelled"
	case v.kind == object && len(v.elems) > 0:
		i, j := rng.IntN(len(v.elems)), rng.IntN(len(v.elems))
		v.keys[i] = escaped(v.names[i])
		v.keys[i], v.keys[j] = v.keys[j], v.keys[i]
		v.names[i], v.names[j] = v.names[j], v.names[i]
		v.elems[i], v.elems[j] = v.elems[j], v.elems[i]
		return "members reordered, one name escaped"
	}
	return "as it was"
}

// hostile makes a document break an ingest rule that encoding/json does not know, and names the rule;
// "" when the document has no place for it.
func hostile(doc *node, rng *rand.Rand) string {
	all := slots(doc)
	for range 16 {
		s := all[rng.IntN(len(all))]
		v := s.value
		switch rng.IntN(4) {
		case 0:
			if v.kind == object && len(v.elems) > 0 {
				i := rng.IntN(len(v.elems))
				key := v.keys[i]
				if rng.IntN(2) == 0 {
					key = escaped(v.names[i])
				}
				v.add(key, v.elems[i].clone())
				return "duplicate key"
			}
		case 1:
			if v.kind == text {
				v.raw = v.raw[:len(v.raw)-1] + []string{`\ud800"`, `\udc00"`, `\ud800\ud800"`, `\udfffx"`}[rng.IntN(4)]
				return "lone surrogate"
			}
		case 2:
			if v.kind == text {
				v.raw = v.raw[:len(v.raw)-1] + []string{"\xff\"", "\xc0\xaf\"", "\xed\xa0\x80\"", "\xf4\x90\x80\x80\""}[rng.IntN(4)]
				return "invalid UTF-8"
			}
		case 3:
			if rng.IntN(8) == 0 {
				for range 1100 {
					kept := *v
					*v = *array(&kept)
				}
				return "depth"
			}
		}
	}
	return ""
}

// appendSpaced writes the document with white space wherever JSON allows it.
func (n *node) appendSpaced(b []byte, rng *rand.Rand) []byte {
	space := func() {
		for range rng.IntN(3) {
			b = append(b, " \t\r\n"[rng.IntN(4)])
		}
	}
	space()
	switch n.kind {
	case list, object:
		b = append(b, "{["[map[kind]int{object: 0, list: 1}[n.kind]])
		for i, e := range n.elems {
			if i > 0 {
				b = append(b, ',')
			}
			if n.kind == object {
				space()
				b = append(b, n.keys[i]...)
				space()
				b = append(b, ':')
			}
			b = e.appendSpaced(b, rng)
		}
		space()
		b = append(b, "}]"[map[kind]int{object: 0, list: 1}[n.kind]])
	default:
		b = append(b, n.raw...)
	}
	space()
	return b
}
