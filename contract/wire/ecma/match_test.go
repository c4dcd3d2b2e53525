package ecma

import (
	"strings"
	"testing"
)

// matchCase pairs a pattern and a subject with what ECMA-262 with the u flag says of them.
type matchCase struct {
	pattern, subject string
	want             bool
}

var matchCases = []matchCase{
	// No anchor, no pattern, no subject.
	{``, ``, true},
	{``, `a`, true},
	{`a`, ``, false},
	{`a`, `bab`, true},
	{`a`, `bbb`, false},
	{`ab|cd`, `xcdx`, true},
	{`ab|cd`, `ac`, false},
	{`a|`, `b`, true},
	{`^(?:a|)$`, ``, true},
	{`()`, ``, true},

	// Anchors hold at the ends of the subject only.
	{`^a`, `ba`, false},
	{`a$`, `ab`, false},
	{`^abc$`, "abc", true},
	{`^abc$`, "abc\n", false},
	{`^abc$`, "x\nabc", false},
	{`^abc$`, "abc\nx", false},
	{`^$`, "\n", false},
	{`$^`, ``, true},
	{`a^`, `a`, false},
	{`$a`, `a`, false},
	{`(?:^)*a`, `ba`, true},
	{`(?:^)+a`, `ba`, false},
	{`^|b`, `ab`, true},
	{`(^a|b)c`, `bbc`, true},

	// Escapes that stand for one code point.
	{`^\t\n\v\f\r$`, "\t\n\v\f\r", true},
	{`^\t$`, `\t`, false},
	{`^\0$`, "\x00", true},
	{`^\cA$`, "\x01", true},
	{`^\cC$`, "\x03", true},
	{`^\cc$`, "\x03", true},
	{`^\cz$`, "\x1a", true},
	{`^\cC$`, `\cC`, false},
	{`^\x41$`, `A`, true},
	{`^\xe9$`, `é`, true},
	{`^\u0041$`, `A`, true},
	{`^\u{41}$`, `A`, true},
	{`^\u{000041}$`, `A`, true},
	{`^\u{1F600}$`, `😀`, true},
	{`^\u{10FFFF}$`, "\U0010ffff", true},
	{`^\uD83D\uDE00$`, `😀`, true},
	{`^\ud83d\ude00+$`, `😀😀`, true},
	{`^\uD83D`, `😀`, false},
	{`\uDE00$`, `😀`, false},
	{`^\uD83D\u0041$`, `A`, false},
	{`^\^\$\\\.\*\+\?\(\)\[\]\{\}\|\/$`, `^$\.*+?()[]{}|/`, true},

	// \d \w \s are ASCII, ASCII, and every space of ECMA-262.
	{`^\d$`, `7`, true},
	{`^\d$`, "\u07c0", false},
	{`^\d$`, "٣", false},
	{`^\D$`, "\u07c0", true},
	{`^\D$`, `0`, false},
	{`^\w+$`, `azAZ09_`, true},
	{`^\w$`, `é`, false},
	{`^\w$`, `-`, false},
	{`^\W$`, `é`, true},
	{`^\w$`, "\u212A", false}, // KELVIN SIGN folds to k, but only under the i flag
	{`^\w$`, "\u017F", false},
	{`^\s$`, " ", true},
	{`^\s$`, "\ufeff", true},
	{`^\s$`, "\u00a0", true},
	{`^\s$`, "\u1680", true},
	{`^\s$`, "\u2028", true},
	{`^\s$`, "\u2029", true},
	{`^\s$`, "\u202f", true},
	{`^\s$`, "\u205f", true},
	{`^\s$`, "\u3000", true},
	{`^\s$`, "\u180e", false}, // left category Zs in Unicode 6.3
	{`^\s$`, "\u0085", false}, // NEL is no WhiteSpace of ECMA-262
	{`^\s$`, "\v", true},
	{`^\s$`, "\x1c", false},
	{`^\S$`, "\u200b", true},
	{`^\S$`, "\ufeff", false},

	// The dot leaves out the four line terminators.
	{`^.$`, "\n", false},
	{`^.$`, "\r", false},
	{`^.$`, "\u2028", false},
	{`^.$`, "\u2029", false},
	{`^.$`, "\u0085", true},
	{`^.$`, "\x00", true},
	{`^.$`, "😀", true},
	{`^..$`, "😀", false},
	{`^.*$`, "a\nb", false},
	{`.`, "\n", false},

	// Classes.
	{`^[abc]$`, `b`, true},
	{`^[^abc]$`, `b`, false},
	{`^[^abc]$`, "\n", true},
	{`^[a-c]$`, `b`, true},
	{`^[a-c]$`, `-`, false},
	{`^[a-]$`, `-`, true},
	{`^[-a]$`, `-`, true},
	{`^[a\-c]$`, `b`, false},
	{`^[--a]$`, `.`, true},
	{`^[a-c-e]$`, `-`, true},
	{`^[a-c-e]$`, `d`, false},
	{`^[]$`, ``, false},
	{`[]`, "a", false},
	{`a|[]`, "a", true},
	{`^[^]$`, "\n", true},
	{`^[^][^]$`, "😀\n", true},
	{`^[\d\s]$`, "\u2003", true},
	{`^[^\d\s]$`, "3", false},
	{`^[\D]$`, "3", false},
	{`^[\D\d]$`, "\n", true},
	{`^[^\W]$`, "_", true},
	{`^[\b]$`, "\b", true},
	{`^[\b]$`, "b", false},
	{`^[\^]$`, `^`, true},
	{`^[\]]$`, `]`, true},
	{`^[[]$`, `[`, true},
	{`^[.*+?()|$]$`, `+`, true},
	{`^[.]$`, `a`, false},
	{`^[😀-😂]$`, `😁`, true},
	{`^[\uD83D\uDE00]$`, "😀", true},
	{`^[\u{1F600}-\u{1F602}]$`, `😁`, true},
	{`^[\uD83D]$`, "😀", false},
	{`^[^\uD83D]$`, "😀", true},
	{`^[a-zé]+$`, "été", true},
	{`^[\x00-\x1f]$`, "\x1f", true},
	{`^[\cA-\cC]$`, "\x02", true},
	{`^[\0]$`, "\x00", true},

	// Properties.
	{`\p{Letter}cole`, "l'école", true},
	{`\p{L}`, "1", false},
	{`^\p{digit}+$`, "৪২", true},
	{`^\p{Nd}$`, "²", false},
	{`^\P{Lu}$`, "a", true},
	{`^\P{Lu}$`, "É", false},
	{`^[^\p{Lu}]$`, "É", false},
	{`^[\P{Lu}x]$`, "É", false},
	{`^\p{gc=Uppercase_Letter}$`, "É", true},
	{`^\p{General_Category=Lu}$`, "É", true},
	{`^\p{LC}$`, "ǅ", true},
	{`^\p{Script=Greek}$`, "π", true},
	{`^\p{sc=Grek}$`, "π", true},
	{`^\p{sc=Grek}$`, "\u0342", false}, // inherited, yet used with Greek only
	{`^\p{scx=Grek}$`, "\u0342", true},
	{`^\p{Script_Extensions=Deva}$`, "\u0964", true}, // DANDA is shared by many scripts
	{`^\p{Script=Deva}$`, "\u0964", false},
	{`^\p{Alphabetic}$`, "\u0345", true},
	{`^\p{Alpha}$`, "ⓐ", true},
	{`^\p{Any}$`, "\u0378", true},
	{`^\p{Assigned}$`, "\u0378", false},
	{`^\p{Cn}$`, "\u0378", true},
	{`^\p{ASCII}$`, "\x7f", true},
	{`^\p{ASCII}$`, "\u0080", false},
	{`^\p{White_Space}$`, "\u0085", true},
	{`^\p{Emoji}$`, "7", true},
	{`^\p{Emoji_Presentation}$`, "7", false},
	{`^\p{Extended_Pictographic}$`, "😀", true},
	{`^\p{RI}{2}$`, "🇪🇺", true},
	{`^\p{ID_Start}\p{ID_Continue}*$`, "größe1", true},
	{`^\p{Lowercase}$`, "ª", true},
	{`^\p{Ll}$`, "ª", false},
	{`^\p{ASCII_Hex_Digit}+$`, "c0FFEE", true},
	{`^\p{Ideographic}$`, "\u6f22", true},

	// Quantifiers.
	{`^a*$`, ``, true},
	{`^a+$`, ``, false},
	{`^a?$`, `aa`, false},
	{`^a{2}$`, `aa`, true},
	{`^a{2}$`, `aaa`, false},
	{`^a{2,}$`, `aaaaa`, true},
	{`^a{2,3}$`, `aaaa`, false},
	{`^a{0}$`, `a`, false},
	{`^a{0}b$`, `b`, true},
	{`^a{0,0}$`, ``, true},
	{`^a*?$`, `aaa`, true},
	{`^a{2,3}?$`, `aaa`, true},
	{`^(ab)+$`, `ababab`, true},
	{`^(?:a*)*$`, `aaab`, false},
	{`^(?:a|ab)(?:c|bcd)(?:d*)$`, `abcd`, true},
	{`^(?:\b)*a$`, `a`, true},
	{`^😀{2}$`, `😀😀`, true},
	{`^.{2}$`, `😀😀`, true},
	{`^a{1001}$`, strings.Repeat("a", 1001), true},
	{`^a{1001}$`, strings.Repeat("a", 1000), false},
	{`^[a-z]{1,60000}$`, strings.Repeat("a", 59999), true},
	{`^[a-z]{1,60000}$`, strings.Repeat("a", 60001), false},
	{`^a{0,99999999999999999999}$`, `aaa`, true},
	{`^a{99999999999999999999}$`, `aaa`, false},
	{`^(?:(?:a{10}){10}){10}$`, strings.Repeat("a", 1000), true},

	// \b and \B look at ASCII word characters.
	{`\bfoo\b`, "a foo.", true},
	{`\bfoo\b`, "éfoo", true},
	{`\bfoo\b`, "afoo", false},
	{`\bfoo\b`, "foo_", false},
	{`^\b$`, "", false},
	{`^\B$`, "", true},
	{`a\Bb`, "ab", true},
	{`\B`, "1😀a", false},

	// Groups that capture, and what refers to them.
	{`^(a)(b)\2\1$`, `abba`, true},
	{`^(a)(b)\2\1$`, `abab`, false},
	{`^(?<x>a|b)\k<x>$`, `bb`, true},
	{`^(?<x>a|b)\k<x>$`, `ab`, false},
	{`^\k<x>(?<x>a)$`, `a`, true}, // a reference before its group is empty
	{`^(a\1)$`, `a`, true},        // and so is one inside it
	{`^(?:(a)|b)*\1$`, `abb`, true},
	{`^(?:(a)|b)*\1$`, `aba`, false},
	{`^(?:(a)|b)*\1c$`, `abc`, true}, // the round of b forgets a
	{`^(?:(a)|(b)|(c))+\3$`, `abcc`, true},
	{`^(a*)\1$`, `aaaa`, true},
	{`^(a*)\1$`, `aaa`, false},
	{`^(.*)-\1$`, `😀é-😀é`, true},
	{`^(?:(a+)b)+\1$`, `aabab`, false},
	{`^(?:(a+)b)+\1$`, `aababa`, true},
	{`^(a?)*?b\1$`, `aaba`, true},
	{`^(a?)*?b\1$`, `aab`, false},
	{`^(?<año>\d+)-\k<año>$`, `12-12`, true},
	{`^(?<\u{61}b>x)\k<ab>$`, `xx`, true},
	{`(\d{3})\1`, `0121123123`, true},
	{`^(?:(x)|y)\1$`, `y`, true},
	{`^((((((((((a))))))))))\10$`, `aa`, true},

	// Look-aheads.
	{`^(?=.*\d)(?=.*[a-z]).{4,}$`, `ab1c`, true},
	{`^(?=.*\d)(?=.*[a-z]).{4,}$`, `abcd`, false},
	{`^(?!foo)`, `food`, false},
	{`^(?!foo$)`, `food`, true},
	{`foo(?=bar)`, `foobar`, true},
	{`foo(?=bar)`, `foobaz`, false},
	{`foo(?!bar)`, `foobar`, false},
	{`foo(?!bar)`, `foobar foobaz`, true},
	{`(?=a)b`, `ab`, false},
	{`a(?=b)c`, `abc`, false},
	{`^(?:(?!ab).)*$`, `bacca`, true},
	{`^(?:(?!ab).)*$`, `bacab`, false},
	{`(?=(a+))a*b\1`, `baaabac`, true}, // an example of ECMA-262 §22.2.2.4
	{`(.*?)a(?!(a+)b\2c)\2(.*)`, `baaabaac`, true},
	{`^(?=(a+))\1b$`, `aaab`, true},
	{`^(?=(a+))a\1b$`, `aaab`, false}, // a look-ahead is not entered again
	{`^(?!(a))\1b$`, `b`, true},       // what a negative one captured is forgotten
	{`^(?=a|b)(?!b).$`, `a`, true},
	{`^(?!)`, ``, false},
	{`(?=)`, ``, true},
	{`^(?=\p{Lu})\w+$`, `Ab`, true},
	{`^(?!.*\.\.)[a-z.]+$`, `a.b..c`, false},
	{`^(?!.*\.\.)[a-z.]+$`, `a.b.c`, true},
	{`^(?!\d+$)[a-z0-9]+(?<!-)$`, `123`, false},
	{`^(?!\d+$)[a-z0-9]+(?<!-)$`, `12a`, true},

	// Look-behinds match backwards.
	{`(?<=\$)\d+`, `cost $42`, true},
	{`(?<=\$)\d+`, `cost 42`, false},
	{`(?<!\$)\b\d+`, `cost 42`, true},
	{`(?<=^a+)b`, `aab`, true},
	{`(?<=^a+)b`, `caab`, false},
	{`(?<!a)b`, `ab`, false},
	{`(?<!a)b`, `abcb`, true},
	{`(?<=a(?=bc))b`, `abc`, true},
	{`(?<=a(?=bc))b`, `abd`, false},
	{`(?<=(\d+)(\d+))$`, `1053`, true},
	{`(?<=^(\d+)(\d+))\2$`, `1053053`, true}, // backwards, the last group is the greedy one
	{`(?<=^(\d+)(\d+))\1$`, `1053053`, false},
	{`(?<=\1(a))b`, `aab`, true}, // the group is matched before the reference to it
	{`(?<=\1(a))b`, `cab`, false},
	{`(?<=(a)\1)b`, `cab`, true}, // here the reference comes first, and is empty
	{`(?<=😀)é`, `😀é`, true},
	{`(?<=^.)é`, `😀é`, true},
	{`.+(?<!\.json)$`, `a.json`, false},
	{`.+(?<!\.json)$`, `a.yaml`, true},
	{`^.*(?<=z)(?<!az)$`, `bz`, true},
	{`^.*(?<=z)(?<!az)$`, `az`, false},
	{`(?<=\b)a`, `ba`, false},
	{`(?<=)`, ``, true},
	{`(?<!)`, ``, false},

	// The deviations of the package comment.
	{`^\_\-\"\@\ \é$`, `_-"@ é`, true},
	{`^[\_\"]$`, `"`, true},
	{`[\w-.]+`, "-", true},
	{`^[\w-.]+$`, ",", false},
	{`^[a-\d]$`, `-`, true},
	{`^[a-\d]$`, `b`, false},
	{`^[\d-x]$`, `5`, true},
	{`^a{$`, `a{`, true},
	{`^{$`, `{`, true},
	{`^{x}$`, `{x}`, true},
	{`^a{,5}$`, `a{,5}`, true},
	{`^a{1$`, `a{1`, true},
	{`^a{1,2$`, `a{1,2`, true},
	{`^]$`, `]`, true},
	{`^}$`, `}`, true},
	{`^x{y}+$`, `x{y}}`, true},
	{`^(?=a)*b$`, `b`, true},
	{`^(?=a)+b$`, `b`, false},
	{`^(?=a){2}a$`, `a`, true},
	{`^(?!a)?a$`, `a`, true},

	// A subject that is no UTF-8: one U+FFFD for each byte.
	{`^\uFFFD{2}$`, "\xff\xfe", true},
	{`^.$`, "\xff", true},
	{`(?<=\uFFFD)a(?!b)`, "\xffa", true},
}

func uncounted(match func([]byte) (bool, bool, int)) func([]byte) (bool, bool) {
	return func(s []byte) (matched, decided bool) {
		matched, decided, _ = match(s)
		return matched, decided
	}
}

// everyWay lists the ways that can match a pattern, by name, so that each can be compared.
func everyWay(t *testing.T, pattern string) map[string]func([]byte) (bool, bool) {
	t.Helper()
	tree, err := parse(pattern)
	if err != nil {
		t.Errorf("parse(%q): %v", pattern, err)
		return nil
	}
	ways := map[string]func([]byte) (bool, bool){"backtracking": uncounted(newBacktracker(tree).match)}
	if !tree.backrefs {
		if sc := newScan(tree.root); sc != nil {
			ways["scan"] = func(s []byte) (bool, bool) { return match(sc, s), true }
		}
		if sim := newSimulation(tree.root); sim != nil {
			ways["simulation"] = uncounted(sim.match)
		}
		if a := newAutomaton(tree.root); a != nil {
			ways["automaton"] = func(s []byte) (bool, bool) { return run(a, s) }
		}
		if re2 := translate(tree.root); re2 != nil {
			ways["re2"] = func(s []byte) (bool, bool) { return re2.Match(s), true }
		}
	}
	return ways
}

func TestMatch(t *testing.T) {
	chosen := map[string]int{}
	for _, c := range matchCases {
		r, err := Compile(c.pattern)
		if err != nil {
			t.Errorf("Compile(%q): %v", c.pattern, err)
			continue
		}
		chosen[r.Way().String()]++
		if got, decided := r.MatchString(c.subject); !decided || got != c.want {
			t.Errorf("%q on %q (%v): got %v, decided %v; want %v", c.pattern, clip(c.subject), r.Way(), got, decided, c.want)
		}
		if got, decided := r.Match([]byte(c.subject)); !decided || got != c.want {
			t.Errorf("%q on bytes %q: got %v, decided %v; want %v", c.pattern, clip(c.subject), got, decided, c.want)
		}
		for name, decide := range everyWay(t, c.pattern) {
			got, decided := decide([]byte(c.subject))
			if name == "automaton" && !decided && strings.ContainsFunc(c.subject, func(r rune) bool { return r >= 0x80 }) {
				continue // it leaves what is not ASCII to RE2
			}
			if !decided || got != c.want {
				t.Errorf("%q on %q by %s: got %v, decided %v; want %v", c.pattern, clip(c.subject), name, got, decided, c.want)
			}
		}
	}
	t.Logf("%d cases, by way: %v", len(matchCases), chosen)
}

// TestWaysAgree matches every pattern of the table against every short subject of the table, by every
// way that can: all must agree, whatever the right answer is.
func TestWaysAgree(t *testing.T) {
	compared := 0
	for _, c := range matchCases {
		ways := everyWay(t, c.pattern)
		for _, d := range matchCases {
			if len(d.subject) > 100 {
				continue
			}
			said := map[bool]string{}
			for name, decide := range ways {
				if got, decided := decide([]byte(d.subject)); decided {
					said[got] += " " + name
					compared++
				}
			}
			if len(said) > 1 {
				t.Errorf("%q on %q: yes:%s, no:%s", c.pattern, d.subject, said[true], said[false])
			}
		}
	}
	t.Logf("%d verdicts compared", compared)
}
