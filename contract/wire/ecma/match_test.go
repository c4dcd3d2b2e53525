package ecma

import "testing"

// matchCases pairs a pattern and a subject with what ECMA-262 with the u flag says.
var matchCases = []struct {
	pattern, subject string
	want             bool
}{
	{``, ``, true},
	{`a`, `bab`, true},
	{`a`, `bbb`, false},
	{`^a`, `ba`, false},
	{`a$`, `ab`, false},
	{`^abc$`, "abc\n", false},
	{`^abc$`, "abc", true},
	{`^abc$`, "x\nabc", false},
	{`^\t$`, "\t", true},
	{`^\t$`, `\t`, false},
	{`^\cC$`, "\x03", true},
	{`^\cc$`, "\x03", true},
	{`^\cC$`, `\cC`, false},
	{`^\d$`, `7`, true},
	{`^\d$`, "\u07c0", false},
	{`^\D$`, "\u07c0", true},
	{`^\w$`, `_`, true},
	{`^\w$`, `é`, false},
	{`^\W$`, `é`, true},
	{`^\w$`, "\u212A", false}, // KELVIN SIGN folds to k, but only under the i flag
	{`^\s$`, "\ufeff", true},
	{`^\s$`, "\u2028", true},
	{`^\s$`, "\u2029", true},
	{`^\s$`, "\u3000", true},
	{`^\s$`, "\u180e", false}, // left category Zs in Unicode 6.3
	{`^\s$`, "\u0085", false}, // NEL is no WhiteSpace of ECMA-262
	{`^\s$`, "\v", true},
	{`^\S$`, "\u200b", true},
	{`^.$`, "\n", false},
	{`^.$`, "\r", false},
	{`^.$`, "\u2028", false},
	{`^.$`, "\u2029", false},
	{`^.$`, "\u0085", true},
	{`^.$`, "😀", true},
	{`^..$`, "😀", false},
	{`^[^]$`, "\n", true},
	{`[]`, "a", false},
	{`a|[]`, "a", true},
	{`^\u{1F600}$`, "😀", true},
	{`^\uD83D\uDE00$`, "😀", true},
	{`^[\uD83D\uDE00]$`, "😀", true},
	{`^\uD83D`, "😀", false},
	{`\p{Letter}cole`, "l'école", true},
	{`^\p{digit}+$`, "৪২", true},
	{`^\P{Lu}$`, "a", true},
	{`[\w-.]+`, "-", true},
	{`^[\w-.]+$`, ",", false},
	{`^a{,5}$`, `a{,5}`, true},
	{`^\_\-$`, `_-`, true},
	{`\bfoo\b`, "a foo.", true},
	{`\bfoo\b`, "éfoo", true},
	{`\bfoo\b`, "afoo", false},
}

func TestMatch(t *testing.T) {
	for _, c := range matchCases {
		r, err := Compile(c.pattern)
		if err != nil {
			t.Errorf("Compile(%q): %v", c.pattern, err)
			continue
		}
		got, decided := r.MatchString(c.subject)
		if !decided || got != c.want {
			t.Errorf("%q on %q (%v): got %v, decided %v; want %v", c.pattern, c.subject, r.Way(), got, decided, c.want)
		}
		if got, decided := r.Match([]byte(c.subject)); !decided || got != c.want {
			t.Errorf("%q on bytes %q: got %v, decided %v; want %v", c.pattern, c.subject, got, decided, c.want)
		}
	}
}
