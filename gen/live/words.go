package live

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// maxShown bounds every quotation of a document or a schema, in code points.
const maxShown = 80

// shorten cuts s to maxShown code points, the last of which then is an ellipsis.
func shorten(s string) string {
	if len(s) <= maxShown {
		return s
	}
	count := 0
	cut := len(s)
	for i := range s {
		if count++; count == maxShown {
			cut = i
		}
		if count > maxShown {
			return s[:cut] + "…"
		}
	}
	return s
}

// show describes node n in at most maxShown code points: as it stands when that is short, else by its
// size.
func (e *explainer) show(n int) string {
	t := e.r.t
	node := t.Node(n)
	size := int(node.End - node.Start)
	switch node.Kind {
	case wire.KindArray, wire.KindObject:
		if size <= 2*maxShown {
			if s := string(t.AppendCompact(nil, n)); utf8.RuneCountInString(s) <= maxShown {
				return s
			}
		}
		if node.Kind == wire.KindArray {
			return "array of " + quantity(int(node.Count), "element")
		}
		return "object with " + quantity(int(node.Count), "member")
	}
	raw := t.Raw(n)
	if size > 4*maxShown {
		raw = raw[:4*maxShown] // at least maxShown code points; shorten cuts before the torn one
	}
	return shorten(string(raw))
}

// oneOfWords lists constants as long as there is room.
func oneOfWords(values []ir.Value) string {
	switch len(values) {
	case 0:
		return "nothing: the list of values is empty"
	case 1:
		return shorten(string(values[0].Raw))
	}
	var b strings.Builder
	b.WriteString("one of ")
	room := maxShown - len("one of , … 1000000 in all")
	for i, v := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		if room -= utf8.RuneCount(v.Raw) + 2; room < 0 {
			fmt.Fprintf(&b, "… %d in all", len(values))
			break
		}
		b.Write(v.Raw)
	}
	return b.String()
}

// closestValue suggests the constant that a string was perhaps meant to be.
func (e *explainer) closestValue(values []ir.Value, n int) string {
	if e.r.t.Kind(n) != wire.KindString {
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
		v := &values[i]
		if v.Kind == wire.KindString {
			names = append(names, textOf(v))
		} else if string(v.Raw) == text {
			return "did you mean " + shorten(text) + " without quotes?"
		}
	}
	return didYouMean(text, names)
}

// didYouMean names the candidate closest to a name that was not found, "" when none is close.
func didYouMean(name string, candidates []string) string {
	if best := closest(name, candidates); best != "" {
		return "did you mean " + shorten(strconv.Quote(best)) + "?"
	}
	return ""
}

// Bounds of the search for a close name: comparing costs the product of two lengths.
const (
	maxCandidates = 1000
	maxClosest    = 64 // code points
)

// closest returns the candidate with the smallest edit distance, the first of equals, if the distance
// is at most a quarter of the name's length: in shorter names every letter counts. Names that differ only
// in case are closest of all.
func closest(name string, candidates []string) string {
	from := []rune(name)
	if len(from) == 0 || len(from) > maxClosest {
		return ""
	}
	best, least := "", len(from)/4+1
	for i, c := range candidates {
		if i == maxCandidates {
			break
		}
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
