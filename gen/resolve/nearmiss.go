package resolve

import (
	"strings"
	"unicode/utf8"
)

// established are keywords of other vocabularies that resemble ours and are no slips.
var established = []string{"example", "comment", "comments", "note", "notes", "descriptions", "titles", "patterns", "formats"}

// closest returns the candidate that the name was probably meant to be, or "". Letter case does not
// count, nor does a forgotten or added '$'; beyond that one edit is allowed in names of four characters
// and more, two from eight. Among equals the first candidate wins.
func closest(name string, candidates []string) string {
	if len(name) < 2 || len(name) > 32 {
		return ""
	}
	plain := strings.ToLower(strings.TrimPrefix(name, "$"))
	allowed := 0
	switch n := utf8.RuneCountInString(name); {
	case n >= 8:
		allowed = 2
	case n >= 4:
		allowed = 1
	}
	best, found := allowed+1, ""
	for _, c := range candidates {
		other := strings.ToLower(strings.TrimPrefix(c, "$"))
		if d := distance(plain, other, best); d < best {
			best, found = d, c
		}
	}
	return found
}

// distance is the number of insertions, deletions, replacements and swaps of neighbours that make b of
// a (optimal string alignment), or bound when it is not below bound.
func distance(a, b string, bound int) int {
	if abs(len(a)-len(b)) >= bound*utf8.UTFMax {
		return bound
	}
	x, y := []rune(a), []rune(b)
	if abs(len(x)-len(y)) >= bound {
		return bound
	}
	before := make([]int, len(y)+1)
	last := make([]int, len(y)+1)
	row := make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least >= bound {
			return bound
		}
		before, last, row = last, row, before
	}
	return min(last[len(y)], bound)
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
