package ecma

import (
	"cmp"
	"slices"
	"sort"
	"unicode"
)

// span is a range of code points, both ends included.
type span struct{ lo, hi rune }

// set is an immutable set of code points. spans is sorted, disjoint and without neighbours that
// touch; ascii repeats its first 128 code points as bits, because most subjects are ASCII.
type set struct {
	ascii [2]uint64
	spans []span
}

// newSet makes a set of spans in any order, which may overlap. It takes ownership of the slice.
func newSet(spans []span) *set {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, s.hi)
			continue
		}
		out = append(out, s)
	}
	s := &set{spans: out}
	for _, p := range out {
		for r := p.lo; r <= p.hi && r < 128; r++ {
			s.ascii[r>>6] |= 1 << (r & 63)
		}
	}
	return s
}

// has reports whether r is in the set.
func (s *set) has(r rune) bool {
	if uint32(r) < 128 {
		return s.ascii[r>>6]&(1<<(r&63)) != 0
	}
	i := sort.Search(len(s.spans), func(i int) bool { return s.spans[i].hi >= r })
	return i < len(s.spans) && s.spans[i].lo <= r
}

// not returns the complement.
func (s *set) not() *set {
	var out []span
	next := rune(0)
	for _, p := range s.spans {
		if p.lo > next {
			out = append(out, span{next, p.lo - 1})
		}
		next = p.hi + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, span{next, unicode.MaxRune})
	}
	return newSet(out)
}

// minus returns the code points of s that are not in t.
func (s *set) minus(t *set) *set {
	return union(s.not(), t).not()
}

// union returns the code points of any of the sets.
func union(sets ...*set) *set {
	var all []span
	for _, s := range sets {
		all = append(all, s.spans...)
	}
	return newSet(all)
}

// single returns the code point of a set that has exactly one.
func (s *set) single() (rune, bool) {
	if len(s.spans) == 1 && s.spans[0].lo == s.spans[0].hi {
		return s.spans[0].lo, true
	}
	return 0, false
}

// ofTables returns the union of tables of package unicode.
func ofTables(tables ...*unicode.RangeTable) *set {
	var all []span
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			all = append(all, span{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			all = append(all, span{r, r})
		}
	}
	for _, t := range tables {
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return newSet(all)
}

// ofRunes returns the set of the given code points.
func ofRunes(runes ...rune) *set {
	all := make([]span, len(runes))
	for i, r := range runes {
		all[i] = span{r, r}
	}
	return newSet(all)
}

// The sets behind the escapes of ECMA-262 §22.2.2.9 CharacterClassEscape and the dot.
//
// \s is WhiteSpace (§12.2: TAB, VT, FF, U+FEFF and category Zs) plus LineTerminator (§12.3: LF, CR,
// U+2028, U+2029). \w stays ASCII: only the i flag, which a JSON Schema pattern never has, adds to
// it.
var (
	everything = newSet([]span{{0, unicode.MaxRune}})
	digits     = newSet([]span{{'0', '9'}})
	wordChars  = newSet([]span{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}})
	spaces     = union(ofRunes('\t', '\v', '\f', 0xFEFF, '\n', '\r', 0x2028, 0x2029), ofTables(unicode.Zs))
	dot        = ofRunes('\n', '\r', 0x2028, 0x2029).not()

	notDigits    = digits.not()
	notWordChars = wordChars.not()
	notSpaces    = spaces.not()
)

// ofRune returns the set of one code point. ASCII ones are shared.
func ofRune(r rune) *set {
	if r < rune(len(asciiSingles)) {
		return asciiSingles[r]
	}
	return ofRunes(r)
}

var asciiSingles = func() (all [128]*set) {
	for r := range all {
		all[r] = ofRunes(rune(r))
	}
	return all
}()
