package wire

import (
	"slices"
	"strings"
	"testing"

	"vcp.core/fuzz/shared"
)

// What is left is judged by its rule, with every combination of verdicts of the arms that evaluate something and of
// the rule. The document has the members a and b; the first two parts are verdicts that these depend on.
func TestEvaluatedTruthTables(t *testing.T) {
	for _, c := range []struct {
		name  string
		note  func(ev *Evaluated, p []Verdict)
		holds func(p []bool) (a, b bool)
	}{
		{"two arms", func(ev *Evaluated, p []Verdict) {
			for i, name := range []string{"a", "b"} {
				if ev.Left() && ev.Holds(answer(ev.j, p[i], i)) {
					ev.Names(name)
					ev.Leave()
				}
			}
		}, func(p []bool) (a, b bool) { return p[0], p[1] }},
		{"an arm in an arm", func(ev *Evaluated, p []Verdict) {
			if ev.Holds(answer(ev.j, p[0], 0)) {
				if ev.Holds(answer(ev.j, p[1], 1)) {
					ev.Names("b")
					ev.Leave()
				}
				ev.Names("a")
				ev.Leave()
			}
		}, func(p []bool) (a, b bool) { return p[0], p[0] && p[1] }},
		{"one member, two arms", func(ev *Evaluated, p []Verdict) {
			for i := range 2 {
				if ev.Holds(answer(ev.j, p[i], i)) {
					ev.Names("x", "a")
					ev.Leave()
				}
			}
			ev.Names("b")
		}, func(p []bool) (a, b bool) { return p[0] || p[1], true }},
		{"then and else", func(ev *Evaluated, p []Verdict) {
			met := ev.Verdict(answer(ev.j, p[0], 0))
			if ev.Enter(met) {
				ev.Names("a")
				ev.Leave()
			}
			if ev.Enter(Valid - met) {
				ev.Names("b")
				ev.Leave()
			}
			if ev.Holds(answer(ev.j, p[1], 1)) {
				ev.All()
				ev.Leave()
			}
		}, func(p []bool) (a, b bool) { return p[0] || p[1], !p[0] || p[1] }},
		{"contains", func(ev *Evaluated, p []Verdict) {
			for i := 0; ev.Next(); i++ {
				ev.Matched(answer(ev.j, p[i%2], i))
			}
		}, func(p []bool) (a, b bool) { return p[0], p[1] }},
		{"a switch", func(ev *Evaluated, p []Verdict) {
			if ev.Holds(answer(ev.j, p[0], 0)) {
				for ev.Next() {
					switch ev.Name() {
					case "a", "c":
						ev.Mark()
					}
				}
				ev.Leave()
			}
			if ev.Holds(answer(ev.j, p[1], 1)) {
				ev.Names("b")
				ev.Leave()
			}
		}, func(p []bool) (a, b bool) { return p[0], p[1] }},
	} {
		combinations(3, func(p []Verdict) {
			want := settled(p, func(p []bool) bool {
				a, b := c.holds(p)
				return a && b || p[2]
			})
			j := on(t, `{"\u0061": 1, "b": [2]}`)
			mark := j.Mark()
			got := mark.Verdict(func() bool {
				ev := j.Evaluated(0, KindObject)
				c.note(&ev, p)
				for ev.Next() {
					if !ev.Allows(answer(j, p[2], 2), ruleItself) {
						return false
					}
				}
				ev.End()
				return true
			}())
			// That one of the two members is evaluated whatever holds is more than anybody knows.
			if got != want && (got != Undecided || c.name != "then and else") {
				t.Errorf("%s: %v: verdict %d, want %d", c.name, p, got, want)
			}
			if ev := j.Evaluated(0, KindArray); ev.Left() || len(j.marks) != 0 {
				t.Errorf("%s: %v: %d notes are left", c.name, p, len(j.marks))
			}
		})
	}
}

// Elements: a prefix, and walks inside of walks, whose notes are apart.
func TestEvaluatedElements(t *testing.T) {
	for count, want := range []string{"1 2 3", "2 3", "3", "", ""} {
		j := on(t, `[1, {"k": 2}, 3]`)
		ev := j.Evaluated(0, KindArray)
		ev.Prefix(count)
		var left []string
		number := map[int]string{1: "1", 2: "2", 5: "3"}
		for ev.Next() {
			left = append(left, number[ev.Part])
			if inner := j.Evaluated(ev.Part, KindObject); inner.Left() {
				inner.All()
				if inner.Left() || inner.Next() {
					t.Errorf("prefix %d: something is left inside", count)
				}
				inner.End()
			}
			if !ev.Allows(true, 1) {
				t.Errorf("prefix %d: refused", count)
			}
		}
		if got := strings.Join(left, " "); got != want || ev.Left() != (want != "") {
			t.Errorf("prefix %d: %q is left, want %q", count, got, want)
		}
	}
}

// A schema is asked once for each sureness, and again after a walk inside the walk.
func TestEvaluatedOnce(t *testing.T) {
	j := on(t, `{"a": {"b": 1}}`)
	ev := j.Evaluated(0, KindObject)
	var got []bool
	once := func(schema int) { got = append(got, ev.Once(schema)) }
	ev.Enter(Undecided)
	once(300)
	once(300)
	once(7)
	ev.Leave()
	once(300)
	once(300)
	ev.Enter(Undecided)
	once(300) // was surely asked
	ev.Leave()
	inner := j.Evaluated(2, KindObject)
	if !inner.Once(300) || inner.Once(300) {
		t.Error("a walk inside asks once as well")
	}
	inner.End()
	once(300)
	once(7)
	ev.End()
	if want := []bool{true, false, true, true, false, false, true, true}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	next := j.Evaluated(0, KindObject)
	if !next.Once(300) {
		t.Error("the next walk asks anew")
	}
}

// A budget that ends while somebody asks what is evaluated makes nothing unevaluated.
func TestEvaluatedBeyondTheBudget(t *testing.T) {
	seen := map[Verdict]int{}
	for steps := range 12 {
		j := on(t, `{"a": 1, "b": 2}`)
		j.steps = steps
		mark := j.Mark()
		verdict := mark.Verdict(func() bool {
			ev := j.Evaluated(0, KindObject)
			for _, name := range []string{"a", "x", "b"} {
				if ev.Left() && ev.Holds(true) {
					ev.Names(name)
					ev.Leave()
				}
			}
			for ev.Next() {
				if !ev.Allows(j.Fail(ev.Part, 1), 2) {
					return false
				}
			}
			ev.End()
			return true
		}())
		seen[verdict]++
		if j.limited != (verdict == Undecided) {
			t.Errorf("%d steps: verdict %d, limited %v", steps, verdict, j.limited)
		}
	}
	if seen[Invalid] != 0 || seen[Undecided] == 0 || seen[Valid] == 0 {
		t.Errorf("verdicts %v", seen)
	}
}

// Patterns: one that cannot be decided evaluates perhaps.
func TestEvaluatedByPatterns(t *testing.T) {
	letters, endless := Pattern{Source: "^[a-z]$"}, Pattern{Source: `^((?:a|a)*)*\1b$`}
	long := strings.Repeat("a", 60)
	for _, c := range []struct {
		pattern  *Pattern
		doc      string
		rest     bool
		want     Verdict
		wantLeft bool
	}{
		{&letters, `{"a": 1, "b": 2}`, false, Valid, false},
		{&letters, `{"a": 1, "bb": 2}`, false, Invalid, true},
		{&letters, `{"a": 1, "bb": 2}`, true, Valid, true},
		{&endless, `{"` + long + `": 1}`, false, Undecided, true},
		{&endless, `{"` + long + `": 1}`, true, Valid, true},
	} {
		j := on(t, c.doc)
		mark := j.Mark()
		ev := j.Evaluated(0, KindObject)
		ev.Pattern(c.pattern)
		if ev.Left() != c.wantLeft {
			t.Errorf("%s: left %v", c.doc, ev.Left())
		}
		ok := true
		for ok && ev.Next() {
			ok = ev.Allows(c.rest || j.Fail(ev.Part, 1), 2)
		}
		if got := mark.Verdict(ok); got != c.want {
			t.Errorf("%s: verdict %d, want %d", c.doc, got, c.want)
		}
	}
}

// A thousand walks inside each other take no memory in steady state, and notes do not mix.
func TestEvaluatedAllocatesNothing(t *testing.T) {
	var judge JudgeFunc
	judge = func(j *Judge, n int) bool {
		if ev := j.Evaluated(n, KindObject); ev.Left() {
			if ev.Once(40) {
				ev.Names("a")
			}
			for ev.Next() {
				if !ev.Allows(judge(j, ev.Part), 1) {
					return false
				}
			}
			ev.End()
		}
		return j.Kind(n) != KindString || j.Fail(n, 2)
	}
	for end, want := range map[string]Verdict{"1": Valid, `"x"`: Invalid} {
		var tape Tape
		doc := strings.Repeat(`{"a":"not judged","b":`, 1000) + end + strings.Repeat(`}`, 1000)
		if err := tape.Scan([]byte(doc), Limits{}); err != nil {
			t.Fatal(err)
		}
		if got := VerdictOf(&tape, judge); got != want {
			t.Errorf("%s: verdict %d, want %d", end, got, want)
		}
		if shared.Race {
			continue // pools drop what they hold
		}
		if got := testing.AllocsPerRun(50, func() { VerdictOf(&tape, judge) }); got != 0 {
			t.Errorf("%s: %v allocations", end, got)
		}
	}
}
