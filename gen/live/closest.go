package live

import (
	"strconv"
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// Hints: what a name or a value was perhaps meant to be. They cost more than anything else in a report,
// so they are bounded three times: by the length of a name, by the candidates that one search looks at,
// and by the candidates that a whole report looks at. When the last is used up, violations come without
// hints.
const (
	maxClosest    = 64 // code points
	maxCandidates = 1000
	maxCompared   = 20_000
)

// closestValue suggests the constant that a value was perhaps meant to be.
func (e *explainer) closestValue(values []ir.Value, n int) string {
	node := e.r.t.Node(n)
	if node.Count > maxClosest || node.End-node.Start > 8*maxClosest {
		return ""
	}
	values = values[:min(len(values), maxCandidates)]
	if node.Kind != wire.KindString {
		// The right text in the wrong type: 5 for "5".
		raw := string(e.r.t.Raw(n))
		for _, v := range values {
			if v.Kind == wire.KindString && len(v.Raw) == len(raw)+2 && string(v.Raw[1:len(v.Raw)-1]) == raw {
				return "did you mean the string " + shorten(string(v.Raw)) + "?"
			}
		}
		return ""
	}
	text := e.r.t.String(n)
	var names []string
	for i := range values {
		if v := &values[i]; v.Kind == wire.KindString {
			names = append(names, textOf(v))
		} else if string(v.Raw) == text {
			return "did you mean " + shorten(text) + " without quotes?"
		}
	}
	return e.didYouMean(text, names)
}

// didYouMean names the candidate closest to a name that was not found, "" when none is close.
func (e *explainer) didYouMean(name string, candidates []string) string {
	if best := e.closest(name, candidates); best != "" {
		return "did you mean " + shorten(strconv.Quote(best)) + "?"
	}
	return ""
}

// closest searches the candidates within the budget of the report.
func (e *explainer) closest(name string, candidates []string) string {
	if e.compared += len(candidates); e.compared > maxCompared {
		return ""
	}
	return closest(name, candidates)
}

// closest returns the candidate with the smallest edit distance, the first of equals, if the distance
// is at most a quarter of the name's length: in shorter names every letter counts. Names that differ only
// in case are closest of all.
func closest(name string, candidates []string) string {
	from := []rune(name)
	if len(from) == 0 || len(from) > maxClosest {
		return ""
	}
	best, least := "", len(from)/4+1
	for _, c := range candidates {
		if strings.EqualFold(c, name) && c != name {
			return c
		}
		to := []rune(c)
		if len(to) > maxClosest || c == name || c == "" {
			continue
		}
		if d := distance(from, to, least); d < least {
			best, least = c, d
		}
	}
	return best
}

// distance counts insertions, deletions, substitutions and swaps of neighbours that turn a into b. It
// gives up at stop, and returns stop.
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
