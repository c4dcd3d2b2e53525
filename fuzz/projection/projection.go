// Package projection holds the laws of the AI projection: what must hold for every visible result, whatever a
// plugin wrote, and within every budget. Tests of the presenter and a fuzz target try them.
//
// A visible and options go in, the first broken law comes out as an error. The laws read the text as a model
// does, line by line; they share no code with the presenter.
package projection

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"vcp.core/contract/wire"
	"vcp.core/presenters/ai"
	"vcp.core/runtime/result"
)

// Unlimited is a budget that nothing exceeds.
const Unlimited = 1 << 30

// Laws presents v within n characters, o otherwise, and returns what is wrong with the outcome, nil for
// nothing. whole is the projection without a limit, from [Whole].
func Laws(v *result.Visible, o ai.Options, n int, whole ai.Projection) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("budget %d: panic: %v", n, r)
		}
	}()
	o.MaxCharacters = wire.Some(n)
	p := ai.Present(v, o)
	broken := func(format string, args ...any) error {
		return fmt.Errorf("budget %d: %s; the text is\n%s\nomitted %q", n, fmt.Sprintf(format, args...), p.Text, p.Omitted)
	}
	count := utf8.RuneCountInString(p.Text)
	switch {
	case count > n:
		return broken("%d characters", count)
	case !utf8.ValidString(p.Text):
		return broken("not UTF-8")
	case !same(p, ai.Present(v, o)):
		return broken("two projections of one result")
	case len(p.Content) == 0 || p.Content[0] != (ai.Part{Type: "text", Text: p.Text}):
		return broken("the content does not begin with the text")
	}
	full := utf8.RuneCountInString(whole.Text)
	if n >= max(full, ai.LeastWithNotes) && !same(p, whole) {
		return broken("it was cut although %d characters are enough", full)
	}
	if n >= ai.LeastWithNotes && p.Text != whole.Text && !(noted(p.Text) && len(p.Omitted.Fields) > 0) {
		return broken("it was cut and does not say so")
	}
	if n < ai.LeastWithNotes {
		o.MaxCharacters = wire.Some(ai.LeastWithNotes)
		least := ai.Present(v, o)
		if !strings.HasPrefix(least.Text, p.Text) || count < min(n, utf8.RuneCountInString(least.Text)) {
			return broken("no beginning of\n%s", least.Text)
		}
		if p.Text != whole.Text && len(p.Omitted.Fields) == 0 && len(v.Member(result.Data)) > 4 {
			return broken("it was cut and nothing is named")
		}
	} else if line := stranger(p.Text); line != "" {
		return broken("a line that is not ours: %q", line)
	}
	for _, pointer := range p.Omitted.Fields {
		if _, ok := v.Tape().Lookup(pointer); !ok {
			return broken("%q names nothing", pointer)
		}
	}
	for _, r := range p.Text {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x202a && r <= 0x202e || r == 0x2028 || r >= 0xe0000 && r <= 0xe007f {
			return broken("the character %U", r)
		}
	}
	var t wire.Tape
	if err := t.Scan(p.AppendJSON(nil), wire.Limits{Bytes: 1 << 28, Nodes: 1 << 26}); err != nil {
		return broken("its JSON: %v", err)
	}
	return nil
}

// Whole presents without a limit.
func Whole(v *result.Visible, o ai.Options) ai.Projection {
	o.MaxCharacters = wire.Some(Unlimited)
	return ai.Present(v, o)
}

func same(a, b ai.Projection) bool {
	return a.Text == b.Text && slices.Equal(a.Content, b.Content) && slices.Equal(a.Omitted.Fields, b.Omitted.Fields) &&
		slices.Equal(a.Omitted.Resources, b.Omitted.Resources)
}

var note = regexp.MustCompile(`\[cut: |\[first \d+ of \d+ |\[… \d+ of \d+ |\[… (list|object) of `)

// noted reports whether a text says that something was cut.
func noted(text string) bool { return note.MatchString(text) }

var (
	headings = []string{"## Error", "## Summary", "## Task", "## Data", "## Resources", "## Warnings", "## Tool delivery advice", "## Execution"}
	// front is how a line of ours begins: a list, a quote, a table, a note, a fence, a word, a quoted JSON string,
	// a code span, or what is not ASCII and is seen.
	front = regexp.MustCompile("^(- |>|\\d+\\. |\\||\\[cut: |\\[first \\d+ of \\d+ (characters|items)\\]|\\[… \\d+ of \\d+ (rows|items|violations)\\]|\\[data URI of \\d+|\\[… (list|object) of \\d+|`|\"|<https?://|\\(none\\)|-?\\d|[\\pL_]|[^\\x00-\\x7f\\pM\\pZ\\p{Cf}\u3164\uffa0\u115f\u2800])")
)

// stranger returns the first line that looks like one of the presenter's own and is none: a heading that is
// not in the list or not in its order, or a line that begins in no way that the presenter begins one.
func stranger(text string) string {
	next, fence := 0, ""
	for i, line := range strings.Split(text, "\n") {
		bare := strings.TrimLeft(line, " ")
		switch {
		case fence != "":
			if bare == fence {
				fence = ""
			}
		case i == 0:
			if !strings.HasPrefix(line, "# ") {
				return line
			}
		case line == "":
		case strings.HasPrefix(line, "#"):
			k := slices.Index(headings[next:], line)
			if k < 0 {
				return line
			}
			next += k + 1
		case strings.HasPrefix(bare, "```") && strings.Trim(bare, "`") == "":
			fence = bare
		case !front.MatchString(bare):
			return line
		}
	}
	if fence != "" {
		return "an open " + fence
	}
	return ""
}
