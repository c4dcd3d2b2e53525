package sample

import (
	"math/rand/v2"
	"slices"
	"unicode"
)

// charset is a set of characters: sorted ranges that do not touch.
type charset []span

type span struct{ lo, hi rune }

func one(r rune) charset { return charset{{r, r}} }

func (c charset) single() bool { return len(c) == 1 && c[0].lo == c[0].hi }

func union(sets ...charset) charset {
	var all charset
	for _, s := range sets {
		all = append(all, s...)
	}
	slices.SortFunc(all, func(a, b span) int { return int(a.lo - b.lo) })
	var out charset
	for _, s := range all {
		if n := len(out); n > 0 && s.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, s.hi)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// not returns the other characters. Surrogates are none: no string holds one.
func (c charset) not() charset {
	var out charset
	next := rune(0)
	for _, s := range union(c, charset{{0xd800, 0xdfff}}) {
		if next < s.lo {
			out = append(out, span{next, s.lo - 1})
		}
		next = s.hi + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, span{next, unicode.MaxRune})
	}
	return out
}

func (c charset) has(r rune) bool {
	_, found := slices.BinarySearchFunc(c, r, func(s span, r rune) int {
		switch {
		case s.hi < r:
			return -1
		case s.lo > r:
			return 1
		}
		return 0
	})
	return found
}

// within returns the part of c between two characters.
func (c charset) within(lo, hi rune) charset {
	var out charset
	for _, s := range c {
		if s := (span{max(s.lo, lo), min(s.hi, hi)}); s.lo <= s.hi {
			out = append(out, s)
		}
	}
	return out
}

// at returns a character of a set that is not empty.
func (c charset) at(rng *rand.Rand) rune {
	total := 0
	for _, s := range c {
		total += int(s.hi-s.lo) + 1
	}
	n := rune(rng.IntN(total))
	for _, s := range c {
		if size := s.hi - s.lo + 1; n >= size {
			n -= size
		} else {
			return s.lo + n
		}
	}
	return c[0].lo
}

// unusual are characters that programs trip over: bytes and code units that differ in number, line ends
// that are none to some, white space, marks, quotes.
var unusual = []rune("é中文日ßİ😀👍🏽\u00a0\u2028\u2029\ufeff\u0301\"\\/'<&>%\t\n\r\x00\x7f\u200d\uffff\U0010ffff")

// alphabet is a set prepared for drawing from it.
type alphabet struct {
	all, printable, letters charset // letters are those of words
}

func newAlphabet(c charset) *alphabet {
	a := &alphabet{all: c, printable: c.within(' ', '~')}
	for _, s := range words {
		a.letters = append(a.letters, c.within(s.lo, s.hi)...)
	}
	return a
}

// choose returns a character: a letter or digit mostly, where there is any. ok is false for an empty set.
func (a *alphabet) choose(rng *rand.Rand) (r rune, ok bool) {
	switch {
	case len(a.all) == 0:
		return 0, false
	case len(a.letters) > 0 && rng.IntN(10) < 7:
		return a.letters.at(rng), true
	case len(a.printable) > 0 && rng.IntN(10) < 6:
		return a.printable.at(rng), true
	}
	for range 6 {
		if r := pick(rng, unusual...); a.all.has(r) {
			return r, true
		}
	}
	if len(a.printable) > 0 {
		return a.printable.at(rng), true
	}
	return a.all.at(rng), true
}

var (
	digits   = charset{{'0', '9'}}
	words    = charset{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	lineEnds = charset{{'\n', '\n'}, {'\r', '\r'}, {'\u2028', '\u2029'}}
	spaces   = union(charset{{'\t', '\r'}, {' ', ' '}, {'\u00a0', '\u00a0'}, {'\ufeff', '\ufeff'}}, lineEnds, must(unicode.Zs))
)

// table makes a set of a Unicode table; ok is false for none.
func table(t *unicode.RangeTable) (set charset, ok bool) {
	if t == nil {
		return nil, false
	}
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			set = append(set, span{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			set = append(set, span{r, r})
		}
	}
	for _, r := range t.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range t.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return union(set), true
}

func must(t *unicode.RangeTable) charset {
	set, _ := table(t)
	return set
}
