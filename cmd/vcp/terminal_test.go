package main

import (
	"strings"
	"testing"
)

func TestHarmless(t *testing.T) {
	for _, c := range [][3]string{
		{"日程 a\tb\nc", "日程 a\tb\nc", "日程 a b c"},
		{"\x1b[31mred\x1b]0;t\a\r", `\x1b[31mred\x1b]0;t\a\r`, `\x1b[31mred\x1b]0;t\a`},
		{"\u009b31m\u202ex\u2066", `\u009b31m\u202ex\u2066`, `\u009b31m\u202ex\u2066`},
		{"a\u2028\x00\x7f", `a\u2028\x00\x7f`, `a \x00\x7f`},
		{"  a \n\n b ", "  a \n\n b ", "a b"},
	} {
		if got := harmless(c[0]); got != c[1] {
			t.Errorf("harmless(%q) = %q, want %q", c[0], got, c[1])
		}
		if got := oneLine(c[0]); got != c[2] {
			t.Errorf("oneLine(%q) = %q, want %q", c[0], got, c[2])
		}
	}
}

// endless is a stream without an end.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return copy(p, strings.Repeat(" ", len(p))), nil
}

// A stream without an end is refused, not kept in memory.
func TestEndlessInput(t *testing.T) {
	for _, args := range [][]string{{"render", "-", "--view", "ai"}, {"call", "ScheduleManager.ListSchedules", "--data", t.TempDir(), "--args", "-"}} {
		var out, words strings.Builder
		in := &endless{}
		if code := run(args, in, &out, &words); code != exitFindings {
			t.Errorf("%v: exit code %d\n%s%s", args, code, out.String(), words.String())
		}
		if in.read > 2*maxResult {
			t.Errorf("%v: %d bytes were read", args, in.read)
		}
	}
}
