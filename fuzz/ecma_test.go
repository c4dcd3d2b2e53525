package fuzz

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/wire/ecma"
)

// node runs V8's regular expressions, the oracle of TestPatternsAgreeWithNode. It reads one JSON
// array [pattern, subject…] a line and answers with one line for it:
//
//	{"u": [true, …] or null, "legacy": [true, …] or null, "slow": true?}
//
// null means that the engine refuses the pattern with the u flag, or without any flag. V8 backtracks
// without a budget, so every pattern has a time limit, and those that reach it are not compared.
//
// The search over start positions is written out: V8's own also tries the middle of a surrogate pair
// under the u flag ("1😀a".search(/\B/u) is 2), where AdvanceStringIndex (ECMA-262 §22.2.7.3) steps
// over it.
const nodeProgram = `
const vm = require('vm');
const lines = require('readline').createInterface({input: process.stdin});
const script = new vm.Script('run()');
const context = vm.createContext({});
let job;
context.run = () => job();
function search(re, s, flag) {
  for (let i = 0; i <= s.length; i += flag && s.codePointAt(i) > 0xffff ? 2 : 1) {
    re.lastIndex = i;
    if (re.test(s)) return true;
  }
  return false;
}
lines.on('line', line => {
  const [pattern, ...subjects] = JSON.parse(line);
  const answer = {};
  job = () => {
    for (const [key, flag] of [['u', 'u'], ['legacy', '']]) {
      let re;
      try { re = new RegExp(pattern, flag + 'y'); } catch { answer[key] = null; continue; }
      answer[key] = subjects.map(s => search(re, s, flag));
    }
  };
  try { script.runInContext(context, {timeout: 500}); } catch { answer.slow = true; }
  console.log(JSON.stringify(answer));
});
`

// nodeAnswer is what the oracle says of one pattern.
type nodeAnswer struct {
	U      []bool `json:"u"`
	Legacy []bool `json:"legacy"`
	Slow   bool   `json:"slow"`
}

// startNode returns a function that asks the oracle, or skips the test when there is no node.
func startNode(t *testing.T) func(pattern string, subjects []string) nodeAnswer {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		t.Skipf("no node, so no oracle for patterns: %v", err)
	}
	command := exec.Command(path, "-e", nodeProgram)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), command.Wait()); err != nil {
			t.Errorf("node: %v", err)
		}
	})
	answers := bufio.NewReaderSize(out, 1<<20)
	return func(pattern string, subjects []string) (a nodeAnswer) {
		question, err := json.Marshal(append([]string{pattern}, subjects...))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Write(append(question, '\n')); err != nil {
			t.Fatal(err)
		}
		line, err := answers.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatalf("node answered %q to %s: %v", line, question, err)
		}
		return a
	}
}

// TestPatternsAgreeWithNode compares ecma with V8 on generated patterns and subjects: on every
// pattern that V8 accepts with the u flag, and, for those that it accepts only without (the
// deviations of package ecma), on what both read alike.
//
// VCP_PATTERNS sets the number of patterns, VCP_SEED where the generator starts.
func TestPatternsAgreeWithNode(t *testing.T) {
	ask := startNode(t)
	count, seed := number("VCP_PATTERNS", 3000), number("VCP_SEED", 1)
	ways, verdicts := map[string]int{}, map[string]int{}
	for i := range count {
		g := &patternGenerator{Rand: rand.New(rand.NewPCG(uint64(seed), uint64(i)))}
		pattern := g.pattern()
		subjects := make([]string, 12)
		for i := range subjects {
			subjects[i] = g.subject()
		}
		a := ask(pattern, subjects)
		if a.Slow {
			verdicts["slow in node"]++
			continue
		}
		re, err := ecma.Compile(pattern)
		want := a.U
		switch {
		case err != nil && a.U != nil:
			t.Errorf("%q: node accepts, ecma does not: %v", pattern, err)
			continue
		case err != nil:
			verdicts["refused by both"]++
			continue
		case a.U == nil && meaningDependsOnU(pattern):
			verdicts["not comparable"]++
			continue
		case a.U == nil && a.Legacy == nil:
			t.Errorf("%q: node refuses, ecma accepts", pattern)
			continue
		case a.U == nil:
			want = a.Legacy
			verdicts["accepted without u"]++
		}
		ways[re.Way().String()]++
		for j, s := range subjects {
			if a.U == nil && strings.ContainsRune(pattern+s, '😀') {
				continue // two units without the u flag
			}
			got, decided := re.MatchString(s)
			if !decided {
				verdicts["undecided"]++
				t.Logf("undecided %q on %q", pattern, s)
				continue
			}
			verdicts[fmt.Sprint("both ", got)]++
			if got != want[j] {
				t.Errorf("%q on %q (%v): node says %v, ecma %v", pattern, s, re.Way(), want[j], got)
			}
		}
	}
	t.Logf("%d patterns: ways %v, %v", count, ways, verdicts)
}

// meaningDependsOnU reports whether a pattern has an escape that means something else without the u
// flag.
func meaningDependsOnU(pattern string) bool {
	for _, escape := range []string{`\u{`, `\uD83D`, `\p`, `\P`, `😀-`} {
		if strings.Contains(pattern, escape) {
			return true
		}
	}
	return false
}

func number(variable string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	return otherwise
}

// patternGenerator makes patterns and subjects over one small alphabet, so that matches happen.
type patternGenerator struct {
	*rand.Rand
	depth, groups int
}

var subjectPieces = []string{"a", "a", "a", "b", "b", "c", "1", "-", "_", " ", "\n", "é", "😀", "\u2028", "K", "]", "{"}

func (g *patternGenerator) subject() string {
	var s strings.Builder
	for range g.IntN(9) {
		s.WriteString(subjectPieces[g.IntN(len(subjectPieces))])
	}
	return s.String()
}

func (g *patternGenerator) one(of ...string) string { return of[g.IntN(len(of))] }

func (g *patternGenerator) pattern() string {
	p := g.alternatives()
	if g.IntN(3) == 0 {
		p = "^" + p
	}
	if g.IntN(3) == 0 {
		p += "$"
	}
	return p
}

func (g *patternGenerator) alternatives() string {
	g.depth++
	defer func() { g.depth-- }()
	p := g.sequence()
	for g.IntN(4) == 0 {
		p += "|" + g.sequence()
	}
	return p
}

func (g *patternGenerator) sequence() string {
	var p strings.Builder
	for range g.IntN(5) {
		p.WriteString(g.term())
	}
	return p.String()
}

func (g *patternGenerator) term() string {
	kind := g.IntN(40)
	if g.depth > 4 && kind >= 20 {
		kind %= 20
	}
	switch {
	case kind == 0:
		return g.one("^", "$", `\b`, `\B`)
	case kind == 1 && g.groups > 0:
		return `\` + strconv.Itoa(1+g.IntN(g.groups)) + g.quantifier()
	case kind == 2:
		return g.one(`\-`, `\_`, `]`, `{`, `}`, `a{`, `{,2}`, `\ `, `\é`, `[\w-a]`, `[a-\d]`, `\a`, `\1`, `\01`, `\c`, `[\c]`, `\k`, `[]`, `[^]`, `[b-a]`, `a**`, `(?i)`, `(?<n>b)\k<n>`, `\8`)
	case kind < 6:
		return g.class() + g.quantifier()
	case kind < 10:
		return g.one(`\d`, `\D`, `\w`, `\W`, `\s`, `\S`, `.`, `\p{L}`, `\P{Lu}`, `\p{Script=Latin}`, `\u{1F600}`, `\uD83D\uDE00`, `\uD83D`, `\x61`, `\n`, `\cJ`, `\0`, `\/`) + g.quantifier()
	case kind < 20:
		return g.one("a", "a", "b", "c", "1", "-", "é", "😀", "_", " ", `\.`) + g.quantifier()
	case kind < 26:
		return "(?:" + g.alternatives() + ")" + g.quantifier()
	case kind < 32:
		p := "(" + g.alternatives() + ")"
		g.groups++
		return p + g.quantifier()
	case kind < 36:
		return g.one("(?=", "(?!") + g.alternatives() + ")" + g.one("", "", "", "", "*", "{2}")
	}
	return g.one("(?<=", "(?<!") + g.alternatives() + ")"
}

func (g *patternGenerator) class() string {
	p := g.one("[", "[", "[^")
	for range g.IntN(4) {
		p += g.one("a", "b", "a-c", "0-9", `\d`, `\w`, `\s`, `\S`, "-", "é", "😀", `\n`, `\]`, `\b`, `\p{Lu}`, "a-é", `\-`)
	}
	return p + "]"
}

func (g *patternGenerator) quantifier() string {
	if g.IntN(2) == 0 {
		return ""
	}
	return g.one("*", "+", "?", "{2}", "{0}", "{1,}", "{0,2}", "{2,3}", "{1}") + g.one("", "", "?")
}

// FuzzPattern asks for what must hold of any pattern and subject: no panic, an error of a known
// type, and an end within the budget, which takes far less than a second on subjects of this size.
func FuzzPattern(f *testing.F) {
	for _, seed := range []struct{ pattern, subject string }{
		{`^(a+)+$`, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"},
		{`^(a|a)*\1$`, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"},
		{`((a{1000}){1000}){1000}`, "aaaa"},
		{`(?<=(\d+)(\d+))$`, "1053"},
		{`[\w-.]\p{Lu}\u{1F600}[^]`, "\xff\xfe"},
		{`(?!(?<=(?=a)b)\B)*`, "ab"},
		{`(?<n>a)\k<n>{,3}`, "aa"},
	} {
		f.Add(seed.pattern, []byte(seed.subject))
	}
	f.Fuzz(func(t *testing.T, pattern string, subject []byte) {
		start := time.Now()
		re, err := ecma.Compile(pattern)
		if err != nil {
			var syntax *ecma.SyntaxError
			var limit *ecma.LimitError
			if !errors.As(err, &syntax) && !errors.As(err, &limit) {
				t.Fatalf("%q: error of type %T", pattern, err)
			}
			return
		}
		first, decided := re.Match(subject)
		if again, same := re.Match(subject); again != first || same != decided {
			t.Fatalf("%q on %q: two matches, two outcomes", pattern, subject)
		}
		if elapsed := time.Since(start); elapsed > 30*time.Second { // on a machine that stops for seconds, too
			t.Fatalf("%q on %d bytes (%v): %v", pattern, len(subject), re.Way(), elapsed)
		}
	})
}
