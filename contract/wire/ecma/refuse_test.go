package ecma

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestSyntaxErrors lists what is no pattern, with the place and the words of the refusal.
func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct {
		pattern string
		offset  int
		message string
	}{
		{`(`, 0, "missing )"},
		{`a(?:b`, 1, "missing )"},
		{`^(abc]`, 1, "missing )"},
		{`(?=a`, 0, "missing )"},
		{`)`, 0, "unmatched )"},
		{`a)b`, 1, "unmatched )"},
		{`[a`, 0, "missing ]"},
		{`a[^`, 1, "missing ]"},
		{`[\]`, 0, "missing ]"},
		{`[a-`, 0, "missing ]"},
		{`*`, 0, "nothing to repeat"},
		{`a|+`, 2, "nothing to repeat"},
		{`(?)`, 0, "invalid group"},
		{`(?i)a`, 0, "invalid group"},
		{`(?i:a)`, 0, "invalid group"},
		{`(?P<name>x)`, 0, "invalid group"},
		{`(?#c)a`, 0, "invalid group"},
		{`(?>a)`, 0, "invalid group"},
		{`{1}`, 0, "nothing to repeat"},
		{`a**`, 2, "nothing to repeat"},
		{`a{2}{3}`, 4, "nothing to repeat"},
		{`a???`, 3, "nothing to repeat"},
		{`^*`, 1, "nothing to repeat"},
		{`$+`, 1, "nothing to repeat"},
		{`\b?`, 2, "nothing to repeat"},
		{`(?<=a)*`, 6, "nothing to repeat"},
		{`(?<!a){2}`, 6, "nothing to repeat"},
		{`a{3,2}`, 1, "numbers out of order in quantifier"},
		{`\`, 0, `\ at end of pattern`},
		{`[\`, 1, `\ at end of pattern`},
		{`\a`, 0, `unknown escape \a`},
		{`\Z`, 0, `unknown escape \Z`},
		{`\A`, 0, `unknown escape \A`},
		{`\e`, 0, `unknown escape \e`},
		{`[\B]`, 1, `unknown escape \B`},
		{`[\h]`, 1, `unknown escape \h`},
		{`[\8]`, 1, `unknown escape \8`},
		{`[\1]`, 1, `unknown escape \1`},
		{`\00`, 0, "octal escape"},
		{`[\01]`, 1, "octal escape"},
		{`\c`, 0, `\c must be followed by a letter`},
		{`\c1`, 0, `\c must be followed by a letter`},
		{`[\c]`, 1, `\c must be followed by a letter`},
		{`\x4`, 0, `\x must be followed by two hexadecimal digits`},
		{`\xfg`, 0, `\x must be followed by two hexadecimal digits`},
		{`\u123`, 0, `\u must be followed by four hexadecimal digits`},
		{`\u{}`, 0, `\u{ must be followed by hexadecimal digits and }`},
		{`\u{12`, 0, `\u{ must be followed by hexadecimal digits and }`},
		{`\u{110000}`, 0, "code point above 10FFFF"},
		{`\u{ffffffffffffffffff}`, 0, "code point above 10FFFF"},
		{`\pL`, 0, "property escape without {"},
		{`\p{L`, 0, "property escape without }"},
		{`\p{}`, 0, `unknown property \p{}`},
		{`\p{letter}`, 0, `unknown property \p{letter}`},
		{`\p{Script=Klingon}`, 0, `unknown property \p{Script=Klingon}`},
		{`\P{InGreek}`, 0, `unknown property \P{InGreek}`},
		{`\p{Lu=Lu}`, 0, `unknown property \p{Lu=Lu}`},
		{`[\p{Foo}]`, 1, `unknown property \p{Foo}`},
		{`[b-a]`, 1, "range out of order in class"},
		{`[a-\x00]`, 1, "range out of order in class"},
		{`[😂-😀]`, 1, "range out of order in class"},
		{`\1`, 0, "reference to a group that does not exist"},
		{`(a)\2`, 3, "reference to a group that does not exist"},
		{`(?:a)\1`, 5, "reference to a group that does not exist"},
		{`\k`, 0, `\k without a group name`},
		{`\k<a>`, 0, `reference to a group that does not exist: "a"`},
		{`(?<a>x)\k<b>`, 7, `reference to a group that does not exist: "b"`},
		{`(?<a>x)\k<a`, 7, "group name without >"},
		{`(?<a`, 0, "group name without >"},
		{`(?<>x)`, 0, "empty group name"},
		{`(?<1a>x)`, 3, "invalid group name"},
		{`(?<a-b>x)`, 4, "invalid group name"},
		{`(?<a>x)(?<a>y)`, 7, `duplicate group name "a"`},
		{"a\xff", 0, "not valid UTF-8"},
	} {
		_, err := Compile(c.pattern)
		var e *SyntaxError
		if !errors.As(err, &e) {
			t.Errorf("Compile(%q): %v, want a syntax error", c.pattern, err)
			continue
		}
		if e.Pattern != c.pattern || e.Offset != c.offset || e.Message != c.message {
			t.Errorf("Compile(%q): offset %d, %q; want offset %d, %q", c.pattern, e.Offset, e.Message, c.offset, c.message)
		}
	}
}

// TestLimitErrors lists what is refused for its size, and the largest that is not.
func TestLimitErrors(t *testing.T) {
	for _, c := range []struct {
		name, pattern, limit string
	}{
		{"long", strings.Repeat("a", MaxPatternBytes), ""},
		{"too long", strings.Repeat("a", MaxPatternBytes+1), "pattern bytes"},
		{"deep", strings.Repeat("(", MaxNesting-1) + strings.Repeat(")", MaxNesting-1), ""},
		{"too deep", strings.Repeat("(", MaxNesting) + strings.Repeat(")", MaxNesting), "nesting"},
		{"open groups", strings.Repeat("(?=", 10_000), "nesting"},
		{"wide", "[" + strings.Repeat(`\p{L}`, 200) + "]", ""},
		{"too wide", strings.Repeat(`[\p{L}\p{N}]`, 2000), "class spans"},
		{"too wide, negated", strings.Repeat(`\P{L}`, 2000), "class spans"},
	} {
		_, err := Compile(c.pattern)
		var e *LimitError
		if c.limit == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if !errors.As(err, &e) || e.Limit != c.limit || e.Pattern != c.pattern || e.Max <= 0 {
			t.Errorf("%s: %v, want a limit error for %s", c.name, err, c.limit)
		}
	}
}

// TestErrorText fixes how refusals read.
func TestErrorText(t *testing.T) {
	_, err := Compile(`a(?i)`)
	if got, want := err.Error(), `pattern "a(?i)": offset 1: invalid group`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	_, err = Compile(strings.Repeat("é", MaxPatternBytes))
	if got, want := err.Error(), `pattern "`+strings.Repeat("é", 40)+`…": more than 32768 pattern bytes`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestCompileIsBounded compiles what is large within the limits, and matches it once, so that the
// programs that are made late are made too.
func TestCompileIsBounded(t *testing.T) {
	for _, c := range []struct{ name, pattern string }{
		{"wide classes", strings.Repeat(`\p{L}`, 280)},
		{"wide classes, repeated", `[\p{L}\p{N}]{1000}`},
		{"wide classes, repeated in a look-ahead", `^(?=[\p{L}\p{N}]{1000})`},
		{"narrow classes", strings.Repeat(`[^a]`, MaxPatternBytes/4)},
		{"groups", strings.Repeat("(a|b|c)*", MaxPatternBytes/8)},
		{"groups and a reference", strings.Repeat("(a|b)*", 5000) + `\1`},
		{"nested groups", strings.Repeat("(a|", MaxNesting-1) + strings.Repeat(")*", MaxNesting-1)},
		{"look-arounds", strings.Repeat("(?=a)", MaxPatternBytes/5)},
		{"nested look-arounds", strings.Repeat("(?=a", MaxNesting-1) + strings.Repeat(")", MaxNesting-1)},
		{"nested repetition", strings.Repeat("(?:", 200) + "a" + strings.Repeat("){2}", 200)},
		{"nested repetition of optional", strings.Repeat("(?:", 200) + "a" + strings.Repeat("?){0,2}", 200)},
		{"counts at the limit of RE2", `(?:[^a]{1,999}b)`},
		{"counts at the limit of a simulation", `(?:[^a]b){1,9999}c`},
		{"alternatives", strings.Repeat("a|", MaxPatternBytes/2)},
		{"alternatives alike", strings.Repeat("abcdefg|", MaxPatternBytes/8)},
		{"alternatives unlike", distinct(80)},
	} {
		start := time.Now()
		r, err := Compile(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		compiled := time.Since(start)
		start = time.Now()
		r.Match([]byte("aébc"))
		r.Match([]byte(strings.Repeat("aébc", 1000)))
		matched := time.Since(start)
		t.Logf("%-40s %-12v compiled in %v, matched in %v", c.name, r.Way(), compiled.Round(time.Millisecond/10), matched.Round(time.Millisecond/10))
		if compiled+matched > 30*time.Second {
			t.Errorf("%s: compiled in %v, matched in %v", c.name, compiled, matched)
		}
	}
}

// distinct returns n alternatives, each a character of its own and a dot: an automaton with as many
// columns as states.
func distinct(n int) string {
	var alternatives []string
	for c := range n {
		alternatives = append(alternatives, fmt.Sprintf(`\x%02x.`, '!'+c))
	}
	return strings.Join(alternatives, "|")
}

// A long pattern is cut between characters (K34).
func TestClip(t *testing.T) {
	for before := range 8 {
		pattern := strings.Repeat("x", before) + strings.Repeat("世", 40)
		got, cut := strings.CutSuffix(clip(pattern), "…")
		if !cut || len(got) > 80 || len(got) < 78 || !strings.HasPrefix(pattern, got) || !utf8.ValidString(got) {
			t.Errorf("%q", got)
		}
	}
}
