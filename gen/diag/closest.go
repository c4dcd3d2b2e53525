package diag

import (
	"strings"
	"unicode/utf8"
)

// maxClosest is the longest name that Closest compares, in code points.
const maxClosest = 64

// minPrefix is the shortest name that a longer one may be meant by: timeout means timeoutMs.
const minPrefix = 4

// Closest returns the candidate that a name is probably a slip of, "" when none is close; the first of
// equals. A name in other letter case is closest of all. Beyond that the edit distance, in which
// case does not count, may be at most a quarter of the name's length and three: in shorter names every
// letter counts.
//
// The cost of one candidate is bounded; how many to compare is the caller's to bound.
func Closest(name string, candidates []string) string {
	from := []rune(strings.ToLower(name))
	if len(from) == 0 || len(from) > maxClosest {
		return ""
	}
	best, least := "", min(len(from)/4, 3)+1
	for _, c := range candidates {
		if strings.EqualFold(c, name) && c != name {
			return c
		}
		to := []rune(strings.ToLower(c))
		if len(to) > maxClosest || c == name || c == "" {
			continue
		}
		if d := distance(from, to, least); d < least {
			best, least = c, d
		}
	}
	return best
}

// Meant is Closest for names that can only be one of the candidates: when none is close, it returns the
// first that the name is the beginning of, in any case, if the name has at least four code points.
func Meant(name string, candidates []string) string {
	if best := Closest(name, candidates); best != "" || utf8.RuneCountInString(name) < minPrefix {
		return best
	}
	for _, c := range candidates {
		if len(c) > len(name) && strings.EqualFold(c[:len(name)], name) {
			return c
		}
	}
	return ""
}

// distance counts insertions, deletions, substitutions and swaps of neighbours that turn a into b
// (optimal string alignment). It gives up at stop, and returns stop.
func distance(a, b []rune, stop int) int {
	if len(a)-len(b) >= stop || len(b)-len(a) >= stop {
		return stop
	}
	var rows [3][maxClosest + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			least = min(least, d)
		}
		if least >= stop {
			return stop
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], stop)
}
