package main

import (
	"io"
	"strconv"
	"strings"
	"unicode"
)

// harmless is a text for a terminal: what a terminal would obey, or what changes the direction of writing, is
// spelled out. Words for people quote manifests, file names and command lines, which anybody may have written.
// Lines stay lines.
func harmless(s string) string {
	return spellOut(s, func(r rune) bool { return r == '\n' || r == '\t' })
}

// oneLine is harmless for a text that has one line to itself, or a cell of a table.
func oneLine(s string) string {
	return spellOut(strings.Join(strings.Fields(s), " "), func(rune) bool { return false })
}

func spellOut(s string, kept func(rune) bool) string {
	odd := func(r rune) bool {
		return !kept(r) && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029')
	}
	if strings.IndexFunc(s, odd) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if !odd(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRuneToASCII(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// atMost reads a stream up to one byte over a limit: enough to know that there is more, and an endless one ends.
func atMost(in io.Reader, limit int64) ([]byte, error) {
	return io.ReadAll(io.LimitReader(in, limit+1))
}
