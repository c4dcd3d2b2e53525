package mutate

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
)

// matching returns a string that pattern probably matches, false when Go's syntax does not read the
// pattern. Word boundaries are not honoured: that a mutant misses is no fault.
func matching(pattern string, rng *rand.Rand) (string, bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	sample(&b, re, rng)
	return b.String(), true
}

func sample(b *strings.Builder, re *syntax.Regexp, rng *rand.Rand) {
	times := func(low, high int) {
		if high < 0 || high > low+2 {
			high = low + 2
		}
		for range low + rng.IntN(high-low+1) {
			sample(b, re.Sub[0], rng)
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(pick(re.Rune, rng))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte("abcXYZ019_-"[rng.IntN(11)])
	case syntax.OpStar:
		times(0, -1)
	case syntax.OpPlus:
		times(1, -1)
	case syntax.OpQuest:
		times(0, 1)
	case syntax.OpRepeat:
		times(re.Min, re.Max)
	case syntax.OpAlternate:
		sample(b, re.Sub[rng.IntN(len(re.Sub))], rng)
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			sample(b, sub, rng)
		}
	}
}

// pick takes a rune of a class, given as pairs of bounds, printable ASCII where the class has any.
func pick(bounds []rune, rng *rand.Rand) rune {
	if len(bounds) < 2 {
		return 'a'
	}
	var plain []rune
	for i := 0; i+1 < len(bounds); i += 2 {
		for r := max(bounds[i], ' '); r <= min(bounds[i+1], '~'); r++ {
			plain = append(plain, r)
		}
	}
	if len(plain) > 0 {
		return plain[rng.IntN(len(plain))]
	}
	i := rng.IntN(len(bounds)/2) * 2
	return bounds[i] + rune(rng.IntN(int(min(bounds[i+1]-bounds[i], 64))+1))
}
