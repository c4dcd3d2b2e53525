package ecma

import (
	"strings"
	"sync"
	"testing"
	"time"

	"vcp.core/fuzz/shared"
)

// TestWay fixes which way a pattern takes.
func TestWay(t *testing.T) {
	for _, c := range []struct {
		pattern string
		want    Way
	}{
		{`^x-`, Scan},
		{`^$`, Scan},
		{`^[a-z]+$`, Scan},
		{`^\d{4}-\d{2}-\d{2}$`, Scan},
		{`^[a-z][a-z0-9_-]*$`, Scan},
		{`^[^:]+:[^:]+$`, Scan},
		{`^([a-z]+)(\.)([0-9]{2,})$`, Scan},
		{`^a*`, Scan},
		{`^.{1,60000}$`, Scan},
		{``, RE2},
		{`a+`, RE2},
		{`[a-z]$`, RE2},
		{`^a*ab$`, RE2},
		{`^a?b?a$`, RE2},
		{`^(?:a|b)$`, RE2},
		{`^(?:ab)+$`, RE2},
		{`^a$|b`, RE2},
		{`^(?=a)`, Conjunction},
		{`^(?!foo)[a-z]+$`, Conjunction},
		{`(?=.*a)^(?=.*b).*$`, Conjunction},
		{`[a-z]+(?<!-)$`, Conjunction},
		{`^(?!a).*$(?<=b)`, Conjunction},
		{`(?=a)b`, Simulation},
		{`^(?!(?=a)b)c$`, Simulation},
		{`^(?<=a)b$`, Simulation},
		{`^(?:(?!ab).)*$`, Simulation},
		{`^(?:ab){1001}$`, Simulation},
		{`(?:(?:a{20}){20}){10}`, Simulation},
		{`^(?!a)|b$`, Simulation},
		{`(a)\1`, Backtracking},
		{`((a{1000}){1000}){1000}`, Backtracking},
	} {
		r, err := Compile(c.pattern)
		if err != nil {
			t.Errorf("Compile(%q): %v", c.pattern, err)
			continue
		}
		if r.Way() != c.want {
			t.Errorf("%q: %v, want %v", c.pattern, r.Way(), c.want)
		}
		if r.Source() != c.pattern {
			t.Errorf("%q: source %q", c.pattern, r.Source())
		}
	}
}

// TestHostile matches what costs other engines exponential or quadratic time. decided says whether
// the budget suffices; either way the call ends.
func TestHostile(t *testing.T) {
	many := strings.Repeat
	for _, c := range []struct {
		name             string
		pattern, subject string
		want, decided    bool
	}{
		{"nested stars", `^(a+)+$`, many("a", 100_000) + "!", false, true},
		{"nested stars behind a look-ahead", `(?=(a+)+$)(a*)*$`, many("a", 100_000) + "!", false, true},
		{"alternatives alike", `^(?:a|a|a)*(?!.)(?<=b)$`, many("a", 100_000), false, true},
		{"look-aheads in a loop", `^(?:(?=.*x)(?=.*y).)*$`, many("xy", 50_000), false, true},
		{"look-aheads in look-aheads", `^(?:(?=.*(?=.*(?=.*x)).).)+`, many("a", 100_000) + "x", true, true},
		{"search in a look-behind", `(?<=(?:a|b)*)c(?<!c)`, many("ab", 50_000) + "c", false, true},
		{"long and plain", `^[A-Za-z0-9+/]*={0,2}$`, many("QUJD", 1<<20), true, true},
		{"long and wide for RE2", `[a-z]{5,900}@`, many("a", 1<<20), false, false},
		{"long, small for RE2", `(?:ab|cd)*ef`, many("abcd", 1<<20), false, true},
		{"long, too large for RE2", `(?:abc|bcd|cde|def|efg|fgh|ghi){3}xyz`, many("abcdefgh", 1<<17), false, true},
		{"short and wide for RE2", `[a-z]{5,100}@`, many("a", 10_000), false, true},
		{"stars and a reference", `^(a+)+\1!$`, many("a", 40), false, false},
		{"alternatives and a reference", `^(?:(a)|a|a)*\1b$`, many("a", 40), false, false},
		{"a long reference", `^(.*)\1$`, many("a", 20_000), true, true},
		{"counts in counts", `^((a{1000}){1000}){1000}$`, many("a", 2000), false, true},
		{"counts of nothing", `^(?:(?:){2000000000}){2000000000}$`, ``, false, false},
		{"counts in counts, unanchored", `(?:(?:a{0,1000}){0,1000}){0,1000}b`, many("a", 1000), false, false},
		{"too many choices", `^(?:(a)|b)*\1c$`, many("b", 3<<20), false, false},
	} {
		r, err := Compile(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		subject := []byte(c.subject)
		start := time.Now()
		got, decided := r.Match(subject)
		elapsed := time.Since(start)
		t.Logf("%-36s %8d bytes, %-12v decided %-5v %v", c.name, len(subject), r.wayFor(len(subject)), decided, elapsed.Round(time.Millisecond/10))
		if decided != c.decided || decided && got != c.want {
			t.Errorf("%s: got %v, decided %v; want %v, %v", c.name, got, decided, c.want, c.decided)
		}
	}
}

// TestBudgetIsLinear spends the budget on purpose: what is left is below zero by less than one step's
// cost, so a match never takes more than its budget, in steps.
func TestBudgetIsLinear(t *testing.T) {
	tree, err := parse(`^(?:(a)|a|a)*\1b$`)
	if err != nil {
		t.Fatal(err)
	}
	b := newBacktracker(tree)
	for n, budget := range map[int]int{40: 1_000_640, 400: 1_006_400, 4000: 1_064_000} {
		s := []byte(strings.Repeat("a", n))
		a := &attempt{slots: make([]int, b.slots), s: s, left: backtrackingBudget(n)}
		if a.run(b, 0) || a.left != -1 {
			t.Errorf("%d bytes: %d steps left, want the budget overdrawn by one", n, a.left)
		}
		if got := backtrackingBudget(n); got != budget {
			t.Errorf("%d bytes: budget %d, want %d", n, got, budget)
		}
	}
}

// TestMatchAllocatesNothing holds once a pattern has been used, whatever its way.
func TestMatchAllocatesNothing(t *testing.T) {
	if shared.Race {
		t.Skip("the race detector makes pools forget on purpose")
	}
	for _, pattern := range []string{
		`^[a-z]+$`, `a+b|c`, `^(?!foo)[a-z]+`, `a(?!b)`, `^(a+)\1$`,
	} {
		r, err := Compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		s := []byte("aaaaaaaaaaaa")
		if n := testing.AllocsPerRun(100, func() { r.Match(s) }); n != 0 {
			t.Errorf("%q (%v): %v allocations", pattern, r.Way(), n)
		}
	}
}

// What a match is said to cost grows with the subject where nothing can run out, is the whole budget when
// that did run out, and is the same each time.
func TestMatchSteps(t *testing.T) {
	long := strings.Repeat("a", 60)
	for _, c := range []struct {
		pattern, subject string
		way              Way
		decided          bool
		low, high        int
	}{
		{`^[a-z]+$`, long, Scan, true, 16, 16},
		{`a|b`, long, RE2, true, 16, 16},
		{`^(?=.*a)(?!.*b)a`, long, Conjunction, true, 60, 2000},
		{`x(?=a)a|a(?=b)`, long, Simulation, true, 60, 2000},
		{`^(a)\1$`, "aa", Backtracking, true, 1, 50},
		{`^((?:a|a)*)*\1b$`, long, Backtracking, false, backtrackingBudget(60), backtrackingBudget(60)},
	} {
		r, err := Compile(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		_, decided, steps := r.MatchSteps([]byte(c.subject))
		if r.Way() != c.way || decided != c.decided || steps < c.low || steps > c.high {
			t.Errorf("%s: %s, decided %v, %d steps, want %s, %v, %d to %d", c.pattern, r.Way(), decided, steps, c.way, c.decided, c.low, c.high)
		}
		if _, _, again := r.MatchSteps([]byte(c.subject)); again != steps {
			t.Errorf("%s: %d steps, then %d", c.pattern, steps, again)
		}
	}
}

// TestMatchIsConcurrent uses one Regexp of each way from several goroutines at once, programs that are
// made late included; the race detector watches.
func TestMatchIsConcurrent(t *testing.T) {
	for _, pattern := range []string{`^[a-z]+$`, `a+b|c`, `^(?!foo)[a-z]+`, `a(?!b)`, `^(a+)\1$`} {
		r, err := Compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := r.MatchString("aaaa")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 100 {
					if got, decided := r.Match([]byte("aaaa")); !decided || got != want {
						t.Errorf("%q: got %v, decided %v; want %v", pattern, got, decided, want)
						return
					}
				}
			})
		}
		all.Wait()
	}
}
