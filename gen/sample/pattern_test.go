package sample

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/contract/wire/ecma"
	"vcp.core/contract/wire/format"
	"vcp.core/gen/load"
)

// fieldPatterns are the constructs that schemas use, one or two at a time.
var fieldPatterns = []string{
	``, `a`, `^a$`, `^$`, `^a|b$`, `(^a|b$)`, `^(a|bc|def)+$`, `^[a-z]{2,4}$`, `^[^a-z]+$`, `^\S+$`, `\S`, `^\s*$`, `^\w+\W\d$`, `^\D{3}$`, `^.$`, `^.{1,256}$`, `.`,
	`^[\w-.]+$`, `^[-a]$`, `^[a-]$`, `^[\]\\^]$`, `^[]$`, `^[^]$`, `^\-\_\/$`, `a{`, `{x}`, `a{,5}`, `]`, `^(?:ab)*?$`, `^a+?b??$`, `^(a{2}){2}$`,
	`^x{0}$`, `^\t\n\r\f\v\0$`, `^\x41\u0042\u{43}\cA$`, `^\ud83d\ude00$`, `^[\u4e00-\u9fff]+$`, `^[^\ud83d\ude00]$`, `^\p{L}+$`, `^\P{L}$`, `^[\p{L}\p{Nd}_.-]{1,64}$`,
	`^\p{Lu}\p{Letter}\p{gc=Ll}\p{Script=Han}\p{sc=Greek}$`, `^\p{Alphabetic}\p{ASCII}\p{White_Space}\p{Any}$`, `^\p{Uppercase}\p{Lowercase}$`,
	`\bfoo\b`, `^a\B.`, `^(?=.*\d)(?=.*[a-z]).{4,8}$`, `^(?!x)[a-z]$`, `^(?=[a-c]).+$`, `(?<=\$)\d+`, `(?<!-)\b\d{2}`, `^(.)\1$`, `^(?<q>['"]).*\k<q>$`, `^((a)|b)*$`, `(a*)*`, `(a|aa)+$`,
	`^(?=!+[^!*,;{}[\]~\n]+$)(?=(.*\w)).+$`, `^(!?[-\w_\s]+)|(\*)$`, `(^([0-9]+)\.([0-9]+)$)|(^\{[A-F0-9]{8}(-[A-F0-9]{4}){3}-[A-F0-9]{12}\}$)`,
	`^\/[^\*\?\&\%]*(\/\*)?$`, `^[0-9]+(ns|ms|us|µs|s|m|h)$`, `^3\.1\.\d+(-.+)?$`, `^#[0-9a-fA-F]{6}$`, `^data:[^,]*,`, `default|^[0-9]+$`,
}

func patternsOfSchemas(t *testing.T) []string {
	all := map[string]bool{}
	var out []string
	var visit func(n *load.Node)
	visit = func(n *load.Node) {
		if p := text(n.Get("pattern")); p != "" && !all[p] {
			all[p] = true
			out = append(out, p)
		}
		for _, m := range n.Members {
			visit(m.Value)
		}
		for _, e := range n.Elems {
			visit(e)
		}
	}
	for _, d := range schema.All() {
		f, list := load.Parse(d.Name, d.Source, wire.Limits{})
		if list.HasErrors() {
			t.Fatal(list)
		}
		visit(f.Root)
	}
	return out
}

// What is written for a pattern must match it, by this package's matcher and by the product's; both must
// also agree on texts beside it.
func TestPatterns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	patterns := append(patternsOfSchemas(t), fieldPatterns...)
	agreed := 0
	for _, source := range patterns {
		p := parsePattern(source)
		re, err := ecma.Compile(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if p.beyond {
			t.Errorf("%s is beyond the package", source)
			continue
		}
		empty := source == `^[]$` // which nothing matches
		texts := []string{"", "a", "ab", " ", "\n", "é", "中", "😀", "foo bar", "A1", "aa", "-", "$12", "-12"}
		for range 60 {
			s, ok := p.make(rng, 0, 400)
			if ok == empty {
				t.Errorf("%s: made %q, %v", source, s, ok)
			}
			texts = append(texts, s, s+"x", "x"+s, s+"\n", strings.ToUpper(s), s+s)
			if r := []rune(s); len(r) > 0 {
				i := rng.IntN(len(r))
				texts = append(texts, string(r[1:]), string(append(append([]rune{}, r[:i]...), r[i+1:]...)))
				r[i] = pick(rng, unusual...)
				texts = append(texts, string(r))
			}
		}
		for _, s := range texts {
			got, decided := p.match(s)
			want, settled := re.MatchString(s)
			if !decided || !settled {
				continue
			}
			agreed++
			if got != want {
				t.Errorf("%s on %q: %v here, %v there", source, s, got, want)
			}
		}
	}
	t.Logf("%d patterns, %d verdicts", len(patterns), agreed)
	if agreed < 30_000 {
		t.Error("too few verdicts")
	}
}

// Texts have the lengths that are asked for, whatever is flexible in the pattern.
func TestPatternLengths(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		pattern   string
		low, high int
		ok        bool
	}{
		{`^[a-z]+$`, 1000, 1000, true}, {`a`, 300, 310, true}, {`^a`, 20, 20, true}, {`a$`, 20, 20, true}, {`^(ab)+$`, 11, 12, true},
		{`^[a-z]{2,9}$`, 9, 9, true}, {`^[a-z]{2,9}$`, 10, 20, false}, {`^[a-z]{5}$`, 0, 4, false}, {`^a?b?c?$`, 3, 3, true},
		{`^(x|yyyy)$`, 2, 9, true}, {`^\p{L}{1,64}$`, 64, 64, true}, {`^(?=.*\d).{8,}$`, 12, 14, true},
	} {
		p := parsePattern(c.pattern)
		for range 40 {
			s, ok := p.make(rng, c.low, c.high)
			if n := utf8.RuneCountInString(s); ok != c.ok || ok && (n < c.low || n > c.high) {
				t.Errorf("%s, %d to %d: %q, %v", c.pattern, c.low, c.high, s, ok)
				break
			}
		}
	}
}

// All that a pattern allows comes up: alternatives, ends of ranges, least and most repetitions.
func TestPatternVariety(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct{ pattern, want string }{
		{`^(a|bb|ccc)$`, "a bb ccc"}, {`^[x-z]$`, "x y z"}, {`^1{1,3}$`, "1 11 111"}, {`^a?b$`, "b ab"}, {`^(ab|c)*$`, "ab c abc cab"},
	} {
		seen := map[string]bool{}
		for range 300 {
			s, _ := parsePattern(c.pattern).make(rng, 0, 100)
			seen[s] = true
		}
		for want := range strings.FieldsSeq(c.want) {
			if !seen[want] {
				t.Errorf("%s: never %q", c.pattern, want)
			}
		}
	}
}

// What is no pattern, or one that the package does not read, is beyond it.
func TestPatternsBeyond(t *testing.T) {
	for _, source := range []string{`(`, `)`, `[a`, `*`, `a**`, `\`, `(?i:a)`, `\1`, `(a)\2`, `\k<x>`, `[b-a]`, `\p{Nope}`, `\u{110000}`, `\a`, `\x4`, `\ud83d\u0041`} {
		if !parsePattern(source).beyond {
			t.Errorf("%s was read", source)
		}
	}
}

// A matcher that tries every way must end all the same.
func TestPatternBudget(t *testing.T) {
	if _, decided := parsePattern(`^(a|a)*$`).match(strings.Repeat("a", 40) + "b"); decided {
		t.Error("2^40 ways were tried")
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"1", "1.0", true}, {"1", "10e-1", true}, {"0", "-0.0e5", true}, {"1e400", "10e399", true}, {"1e99999999999999999999", "10e99999999999999999998", true},
		{"1", "-1", false}, {"1e400", "1e401", false}, {"0.1", "0.10000000000000000001", false}, {"9007199254740993", "9007199254740992", false},
	} {
		if got := sameNumber(c.a, c.b); got != c.same {
			t.Errorf("%s = %s: %v", c.a, c.b, got)
		}
	}
	for _, c := range []struct {
		s     string
		whole bool
	}{{"0", true}, {"-0.0", true}, {"1.0", true}, {"1.5e1", true}, {"1.55e1", false}, {"1e-1", false}, {"10e-1", true}, {"1e999999", true}} {
		if got := isInteger(c.s); got != c.whole {
			t.Errorf("%s is an integer: %v", c.s, got)
		}
	}
	for _, c := range [][3]string{{"1", "0.6", "3"}, {"0.25", "0.1", "0.5"}, {"6", "4", "12"}, {"0.01", "0.01", "0.01"}} {
		x, _ := rational(c[0])
		y, _ := rational(c[1])
		if got := decimal(common(x, y)); got != c[2] {
			t.Errorf("the common multiple of %s and %s is %s", c[0], c[1], got)
		}
	}
}

// Formats: what is made passes the check here and the product's; what is called wrong passes neither.
func TestFormats(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, name := range slices.Sorted(maps.Keys(formats)) {
		f := formats[name]
		check, known := format.Lookup(name)
		for range 200 {
			low := rng.IntN(60)
			s := f.make(rng, low)
			if !f.check(s) {
				t.Errorf("%s: %q is made and refused", name, s)
			}
			if known && !check([]byte(s)) {
				t.Errorf("%s: %q is made, and the product refuses it", name, s)
			}
		}
		for _, s := range f.wrong {
			if f.check(s) {
				t.Errorf("%s: %q is called wrong and passes", name, s)
			}
			if known && check([]byte(s)) {
				t.Errorf("%s: %q is called wrong, and the product takes it", name, s)
			}
		}
	}
}
