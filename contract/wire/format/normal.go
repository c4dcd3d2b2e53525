package format

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:generate go run gen_normal.go

// normalizer holds the data of Normalization Form C (UAX #15) without Hangul: labels contain no
// conjoining jamo, and a Hangul syllable is its own composite.
type normalizer struct {
	halves     map[rune][2]rune // composite -> its halves
	composites map[[2]rune]rune
	class      map[rune]int // combining marks by the order of their classes; others are 0
	virama     int          // the class of viramas (ccc 9)
}

var normal = sync.OnceValue(func() *normalizer {
	n := &normalizer{map[rune][2]rune{}, map[[2]rune]rune{}, map[rune]int{}, 0}
	fields := strings.Fields(packedComposites)
	last := rune(0)
	for i := 0; i+2 < len(fields); i += 3 {
		last += base36(fields[i])
		pair := [2]rune{base36(fields[i+1]), base36(fields[i+2])}
		n.halves[last], n.composites[pair] = pair, last
	}
	class := 1
	last = 0
	for field := range strings.FieldsSeq(packedMarks) {
		if field == "/" {
			class++
			last = 0
			continue
		}
		last += base36(field)
		n.class[last] = class
	}
	n.virama = n.class['\u094D'] // DEVANAGARI SIGN VIRAMA
	return n
})

func base36(field string) rune {
	v, err := strconv.ParseInt(field, 36, 32)
	if err != nil {
		panic("format: generated table: " + err.Error())
	}
	return rune(v)
}

// isNFC reports whether composing what s decomposes to gives s again. s has no code points that
// normalization replaces altogether: none of them may stand in a label.
func (n *normalizer) isNFC(s []rune) bool {
	var parts []rune
	for _, r := range s {
		parts = n.decompose(parts, r)
	}
	// Canonical ordering: marks between two starters by class, stably.
	for i := 0; i < len(parts); {
		j := i + 1
		if n.class[parts[i]] > 0 {
			for j < len(parts) && n.class[parts[j]] > 0 {
				j++
			}
			slices.SortStableFunc(parts[i:j], func(a, b rune) int { return n.class[a] - n.class[b] })
		}
		i = j
	}
	return slices.Equal(n.compose(parts), s)
}

func (n *normalizer) decompose(parts []rune, r rune) []rune {
	if pair, ok := n.halves[r]; ok {
		return append(n.decompose(parts, pair[0]), pair[1])
	}
	return append(parts, r)
}

// compose joins each code point with the last starter before it, unless something between blocks it:
// a code point of the same or a higher class.
func (n *normalizer) compose(parts []rune) []rune {
	var out []rune
	starter := -1
	for _, r := range parts {
		class := n.class[r]
		if starter >= 0 {
			between := len(out) - 1 - starter
			blocked := between > 0 && n.class[out[len(out)-1]] >= class
			if c, ok := n.composites[[2]rune{out[starter], r}]; ok && !blocked {
				out[starter] = c
				continue
			}
		}
		if class == 0 {
			starter = len(out)
		}
		out = append(out, r)
	}
	return out
}
