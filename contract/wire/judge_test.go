package wire

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"vcp.core/contract/errcode"
	"vcp.core/fuzz/shared"
)

// answer is a part with a given verdict: rule number at.
func answer(j *Judge, v Verdict, at int) bool {
	switch v {
	case Invalid:
		return j.Fail(0, at)
	case Undecided:
		return j.undecided(0, at, errcode.LimitPattern)
	}
	return true
}

// combinations calls f with all lists of n verdicts.
func combinations(n int, f func(parts []Verdict)) {
	parts := make([]Verdict, n)
	var next func(i int)
	next = func(i int) {
		if i == n {
			f(parts)
			return
		}
		for v := Invalid; v <= Valid; v++ {
			parts[i] = v
			next(i + 1)
		}
	}
	next(0)
}

// settled is the definition of every rule: replace each undecided part by both outcomes in all ways; what
// all ways agree on is the verdict.
func settled(parts []Verdict, holds func(parts []bool) bool) Verdict {
	yes, no := false, false
	values := make([]bool, len(parts))
	var try func(i int)
	try = func(i int) {
		switch {
		case i < len(parts) && parts[i] == Undecided:
			for _, v := range []bool{false, true} {
				values[i] = v
				try(i + 1)
			}
		case i < len(parts):
			values[i] = parts[i] == Valid
			try(i + 1)
		case holds(values):
			yes = true
		default:
			no = true
		}
	}
	try(0)
	switch {
	case yes && no:
		return Undecided
	case yes:
		return Valid
	}
	return Invalid
}

func trues(parts []bool) int {
	n := 0
	for _, p := range parts {
		if p {
			n++
		}
	}
	return n
}

// on returns a judge of a document, which the test keeps.
func on(t testing.TB, doc string) *Judge {
	t.Helper()
	j := new(Judge)
	if err := j.own.Scan([]byte(doc), Limits{}); err != nil {
		t.Fatal(err)
	}
	j.begin(&j.own)
	return j
}

const ruleItself = 100

func TestJudgeTruthTables(t *testing.T) {
	for _, rule := range []struct {
		name  string
		parts []int
		judge func(j *Judge, parts []Verdict) bool
		holds func(parts []bool) bool
	}{
		{"AnyOf", []int{0, 1, 2, 3, 4}, func(j *Judge, parts []Verdict) bool {
			u := j.AnyOf(0, ruleItself)
			for i, p := range parts {
				if u.Add(answer(j, p, i)) {
					return true
				}
			}
			return u.End()
		}, func(p []bool) bool { return trues(p) > 0 }},
		{"OneOf", []int{0, 1, 2, 3, 4}, func(j *Judge, parts []Verdict) bool {
			u := j.OneOf(0, ruleItself)
			for i, p := range parts {
				if !u.Add(answer(j, p, i)) {
					return false
				}
			}
			return u.End()
		}, func(p []bool) bool { return trues(p) == 1 }},
		{"Not", []int{1}, func(j *Judge, parts []Verdict) bool {
			m := j.Mark()
			return m.Not(answer(j, parts[0], 0), 0, ruleItself)
		}, func(p []bool) bool { return !p[0] }},
		{"Either", []int{3}, func(j *Judge, parts []Verdict) bool {
			m := j.Mark()
			switch m.Verdict(answer(j, parts[0], 0)) {
			case Valid:
				return answer(j, parts[1], 1)
			case Invalid:
				return answer(j, parts[2], 2)
			}
			return m.Either(m.Verdict(answer(j, parts[2], 2)), m.Verdict(answer(j, parts[1], 1)))
		}, func(p []bool) bool { return p[0] && p[1] || !p[0] && p[2] }},
		{"Contains 1..", []int{0, 1, 2, 3}, contains(1, -1), func(p []bool) bool { return trues(p) >= 1 }},
		{"Contains 0..1", []int{0, 1, 2, 3}, contains(0, 1), func(p []bool) bool { return trues(p) <= 1 }},
		{"Contains 2..2", []int{0, 1, 2, 3, 4}, contains(2, 2), func(p []bool) bool { return trues(p) == 2 }},
		{"Contains 3..1", []int{0, 1, 2, 3}, contains(3, 1), func([]bool) bool { return false }},
	} {
		for _, n := range rule.parts {
			combinations(n, func(parts []Verdict) {
				// A doubt from before, which is none of the rule's business, must survive.
				for before := range 2 {
					j := on(t, "[1]")
					if before == 1 {
						j.undecided(0, 7, errcode.LimitNumber)
					}
					mark := j.Mark()
					ok := rule.judge(j, parts)
					why, failed := j.first, j.failed
					got, want := mark.Verdict(ok), settled(parts, rule.holds)
					if got != want {
						t.Errorf("%s %v: verdict %d, want %d", rule.name, parts, got, want)
					}
					switch {
					case j.doubts != before:
						t.Errorf("%s %v: %d doubts remain of %d", rule.name, parts, j.doubts, before)
					case before == 1 && j.first.rule != 7:
						t.Errorf("%s %v: an older doubt is lost", rule.name, parts)
					case before == 0 && got == Undecided && (why.reason != errcode.LimitPattern || parts[why.rule] != Undecided):
						t.Errorf("%s %v: undecided because of part %+v", rule.name, parts, why)
					case got == Invalid && failed.rule != ruleItself && failed.rule != ruleItself+1 && parts[failed.rule] != Invalid:
						t.Errorf("%s %v: failed because of part %+v", rule.name, parts, failed)
					}
				}
			})
		}
	}
}

func contains(least, most int) func(j *Judge, parts []Verdict) bool {
	return func(j *Judge, parts []Verdict) bool {
		c := j.Contains(0, least, most)
		for i, p := range parts {
			if !c.Add(answer(j, p, i)) {
				break
			}
		}
		return c.End(ruleItself, ruleItself+1)
	}
}

func TestOneOfWithAnArmTwice(t *testing.T) {
	combinations(2, func(parts []Verdict) {
		j := on(t, "1")
		u := j.OneOf(0, ruleItself)
		mark := j.Mark()
		ok := u.AddTwice(answer(j, parts[0], 0)) && u.Add(answer(j, parts[1], 1)) && u.End()
		// As for live, two arms are two parts, even where they are the same schema.
		want := settled([]Verdict{parts[0], parts[0], parts[1]}, func(p []bool) bool { return trues(p) == 1 })
		if got := mark.Verdict(ok); got != want {
			t.Errorf("%v: verdict %d, want %d", parts, got, want)
		}
	})
}

// Members and patterns: matches may be undecided, too. parts are the matches of the patterns, the schemas
// under them, the schema of the declared property, the rule for all others.
func TestClaims(t *testing.T) {
	for _, declared := range []bool{false, true} {
		for patterns := range 3 {
			combinations(2*patterns+2, func(parts []Verdict) {
				matches, under := parts[:patterns], parts[patterns:2*patterns]
				own, rest := parts[2*patterns], parts[2*patterns+1]
				want := settled(parts, func(p []bool) bool {
					claimed, ok := declared, !declared || p[2*patterns]
					for i := range patterns {
						if p[i] {
							claimed, ok = true, ok && p[patterns+i]
						}
					}
					return ok && (claimed || p[2*patterns+1])
				})
				j := on(t, `{"m":1}`)
				mark := j.Mark()
				ok := true
				if declared {
					ok = answer(j, own, 0)
				}
				c := j.Claims(declared, ok)
				for i, m := range matches {
					if c.ok && c.matched(m) {
						c.Add(answer(j, under[i], 1+i))
					}
				}
				if c.Unclaimed() {
					c.Add(answer(j, rest, 9))
				}
				if got := mark.Verdict(c.End(2, ruleItself)); got != want {
					t.Errorf("declared %v, matches %v, schemas %v, own %d, rest %d: verdict %d, want %d", declared, matches, under, own, rest, got, want)
				}
			})
		}
	}
}

func TestMemoKeepsVerdictsAndReasons(t *testing.T) {
	combinations(2, func(parts []Verdict) {
		j := on(t, "1")
		judge := func(v Verdict, unit int) bool {
			r := j.Recall(0, unit, 50)
			if r.Known {
				return r.OK
			}
			return j.Remember(r, answer(j, v, 10+unit))
		}
		for round := range 2 {
			for unit, v := range parts {
				j.failed, j.doubts = fault{}, 0
				if unit == 1 {
					j.undecided(0, 7, errcode.LimitNumber) // from before
				}
				mark := j.Mark()
				ok := judge(v, unit)
				first := j.first
				if got := mark.Verdict(ok); got != v {
					t.Fatalf("%v: round %d, unit %d: verdict %d", parts, round, unit, got)
				}
				if v == Invalid && j.failed.rule != 10+unit {
					t.Errorf("%v: round %d, unit %d: failed %+v", parts, round, unit, j.failed)
				}
				if v == Undecided && unit == 0 && (first.rule != 10 || first.reason != errcode.LimitPattern) {
					t.Errorf("%v: round %d, unit %d: doubt %+v", parts, round, unit, first)
				}
				if unit == 1 && (j.doubts != 1 || j.first.rule != 7) {
					t.Errorf("%v: round %d: the doubt from before became %d, %+v", parts, round, j.doubts, j.first)
				}
			}
		}
		if j.depth != 0 {
			t.Errorf("%v: %d judges are open at the end", parts, j.depth)
		}
	})
}

func TestBudgets(t *testing.T) {
	var endless JudgeFunc
	endless = func(j *Judge, n int) bool {
		if !j.Enter(n, 1) {
			return true
		}
		return j.Leave(endless(j, n))
	}
	twice := func(j *Judge, n int) bool {
		r := j.Recall(n, 1, 2)
		if r.Known {
			return r.OK
		}
		return j.Remember(r, endless(j, n))
	}
	spending := func(j *Judge, n int) bool {
		return !j.Spend(n, maxSteps, 3) || !j.Spend(n, 1, 3)
	}
	large := func(j *Judge, n int) bool { return j.Unique(n, 4) }
	letters := Pattern{Source: "^[a-z]*$"}
	matching := func(j *Judge, n int) bool {
		for j.matching >= 0 {
			if !j.Pattern(n, &letters, 5) {
				return false
			}
		}
		return j.Pattern(n, &letters, 5)
	}
	claiming := func(j *Judge, n int) bool {
		j.Spend(n, maxSteps+1, 3)
		j.doubts = 0
		c := j.Claims(false, true)
		if c.Matches(n, &letters) || c.Unclaimed() {
			t.Error("members are judged after the end of the budget")
		}
		return c.End(n, 6)
	}
	for _, c := range []struct {
		name   string
		judge  JudgeFunc
		doc    string
		rule   int
		reason errcode.Reason
	}{
		{"depth", endless, "1", 1, errcode.LimitDepth},
		{"depth under a memo", twice, "1", 1, errcode.LimitDepth},
		{"judgements", spending, "1", 3, errcode.LimitNodes},
		{"patterns", matching, `"` + strings.Repeat("a", 1<<20) + `"`, 5, errcode.LimitPattern},
		{"members with patterns", claiming, `"a"`, 6, errcode.LimitNodes},
		{"members", large, "[" + strings.Repeat("0,", 70_000) + "0]", 4, errcode.LimitMembers},
	} {
		err := JudgeBytes([]byte(c.doc), Limits{}, c.judge, &Rules{})
		var r *Rejection
		if !errors.As(err, &r) || r.Verdict() != Undecided || r.Number != c.rule || r.Reason != c.reason {
			t.Errorf("%s: %v (%+v)", c.name, err, r)
		}
		// A used budget does not outlive its judgement.
		if err := JudgeBytes([]byte("1"), Limits{}, func(j *Judge, n int) bool { return j.Enter(n, 1) && j.Leave(true) }, &Rules{}); err != nil {
			t.Errorf("after %s: %v", c.name, err)
		}
	}
}

func TestBounds(t *testing.T) {
	methods := map[string]struct {
		small   func(j *Judge, bound int64) bool
		decimal func(j *Judge, bound string) bool
		holds   func(d, bound Decimal) Verdict
	}{
		"minimum": {func(j *Judge, b int64) bool { return j.Minimum(0, b, 1) }, func(j *Judge, b string) bool { return j.MinimumDecimal(0, b, 1) },
			func(d, b Decimal) Verdict { return verdictOf(d.Cmp(b) >= 0) }},
		"maximum": {func(j *Judge, b int64) bool { return j.Maximum(0, b, 1) }, func(j *Judge, b string) bool { return j.MaximumDecimal(0, b, 1) },
			func(d, b Decimal) Verdict { return verdictOf(d.Cmp(b) <= 0) }},
		"exclusiveMinimum": {func(j *Judge, b int64) bool { return j.ExclusiveMinimum(0, b, 1) }, func(j *Judge, b string) bool { return j.ExclusiveMinimumDecimal(0, b, 1) },
			func(d, b Decimal) Verdict { return verdictOf(d.Cmp(b) > 0) }},
		"exclusiveMaximum": {func(j *Judge, b int64) bool { return j.ExclusiveMaximum(0, b, 1) }, func(j *Judge, b string) bool { return j.ExclusiveMaximumDecimal(0, b, 1) },
			func(d, b Decimal) Verdict { return verdictOf(d.Cmp(b) < 0) }},
		"multipleOf": {func(j *Judge, b int64) bool { return j.MultipleOf(0, max(b, 1), 1) }, func(j *Judge, b string) bool { return j.MultipleOfDecimal(0, b, 1) },
			func(d, b Decimal) Verdict { return d.Multiple(b) }},
	}
	numbers := []string{"0", "-0", "1", "-1", "2", "3", "1.0", "10e-1", "1.5", "-1.5", "1e2", "100", "99999999999999999", "999999999999999999",
		"-99999999999999999", "-999999999999999999", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e400", "-1e400", "1e-400"}
	for name, m := range methods {
		for _, text := range numbers {
			d, _ := ParseDecimal(text)
			for _, bound := range numbers {
				b, _ := ParseDecimal(bound)
				if name == "multipleOf" && b.Sign() <= 0 {
					continue
				}
				check := func(how string, judge func(j *Judge) bool) {
					j := on(t, text)
					mark := j.Mark()
					if got, want := mark.Verdict(judge(j)), m.holds(d, b); got != want {
						t.Errorf("%s, %s: %s against %s: verdict %d, want %d", name, how, text, bound, got, want)
					}
				}
				check("decimal", func(j *Judge) bool { return m.decimal(j, bound) })
				if small, ok := b.Int64(); ok {
					check("integer", func(j *Judge) bool { return m.small(j, small) })
				}
			}
		}
		if j := on(t, `"1"`); !m.small(j, 5) || !m.decimal(j, "5") {
			t.Errorf("%s concerns a string", name)
		}
	}
}

func TestConstants(t *testing.T) {
	list := ConstantsOf(`"a"`, `1`, `null`, `true`, `[1,{"x":1,"y":2}]`, `{"k":"v"}`, `1.0`, `"\u0061"`, `1e30`, `""`)
	many := &Constants{}
	for i := range 40 {
		many.Values = append(many.Values, fmt.Sprintf(`"name%d"`, i))
	}
	var scratch []byte
	for _, c := range []struct {
		list *Constants
		doc  string
		want int
	}{
		{list, `"a"`, 0}, {list, `"\u0061"`, 0}, {list, `"A"`, -1}, {list, `1`, 1}, {list, `1.00`, 1}, {list, `10e-1`, 1}, {list, `2`, -1},
		{list, `1000000000000000000000000000000`, 8}, {list, `null`, 2}, {list, `true`, 3}, {list, `false`, -1},
		{list, `[1.0,{"y":2,"x":1}]`, 4}, {list, `[1,{"x":1}]`, -1}, {list, `[]`, -1}, {list, `{"\u006b":"v"}`, 5}, {list, `{}`, -1}, {list, `""`, 9},
		{many, `"name0"`, 0}, {many, `"name39"`, 39}, {many, `"name40"`, -1}, {many, `"n\u0061me7"`, 7}, {many, `7`, -1},
		{ConstantsOf(), `null`, -1},
	} {
		var tape Tape
		if err := tape.Scan([]byte(c.doc), Limits{}); err != nil {
			t.Fatal(err)
		}
		if got := c.list.Find(&tape, 0, &scratch); got != c.want {
			t.Errorf("%s is constant %d, want %d", c.doc, got, c.want)
		}
	}
}

func TestRulesSurviveTheTable(t *testing.T) {
	list := []Rule{
		{"a.json", "/properties/x/type", "type"}, {"", "", ""}, {"dir/ä 日.json", "/x y/~0~1", "enum"},
		{"b.json", "/a\tb/c\nd/%41/`/\ufeff/\x7f", "const"}, {"\r\n.json", "/%", "not"},
	}
	var text strings.Builder
	text.WriteString("\n")
	for i, r := range list {
		text.WriteString(RuleLine(i+1, r))
	}
	if strings.ContainsAny(text.String(), "`\r\ufeff") {
		t.Errorf("the table cannot stand in a literal: %q", text.String())
	}
	rules := &Rules{Text: text.String()}
	for i, want := range list {
		if got := rules.Rule(i + 1); got != want {
			t.Errorf("rule %d is %q, want %q", i+1, got, want)
		}
	}
	for _, number := range []int{-1, 0, len(list) + 1} {
		if got := rules.Rule(number); got != (Rule{}) {
			t.Errorf("rule %d is %q", number, got)
		}
	}
}

func TestOutcomes(t *testing.T) {
	rules := &Rules{Text: "1\tx.json\t/minLength\tminLength\n"}
	judge := func(j *Judge, n int) bool { return j.Is(n, AString, 1) && j.MinLength(n, 2, 1) }
	var nothing *Rejection
	if err := JudgeTape(new(Tape), judge, rules); !errors.As(err, &nothing) || nothing.Number != 0 {
		t.Errorf("an empty tape: %v", err)
	}
	if got := VerdictAt(new(Tape), 0, judge); got != Invalid {
		t.Errorf("a node of an empty tape: verdict %d", got)
	}
	if got := VerdictOf(new(Tape), judge); got != Invalid {
		t.Errorf("an empty tape: verdict %d", got)
	}
	if err := JudgeBytes([]byte(` "ab"`), Limits{}, judge, rules); err != nil {
		t.Error(err)
	}
	err := JudgeBytes([]byte(` "a"`), Limits{}, judge, rules)
	if err == nil || err.Error() != "offset 1: breaks x.json#/minLength" {
		t.Errorf("a short string: %v", err)
	}
	var syntax *Error
	if err := JudgeBytes([]byte(` "a`), Limits{}, judge, rules); !errors.As(err, &syntax) {
		t.Errorf("a broken document: %v", err)
	}
}

// A judge of every sort of rule allocates nothing once its scratch has grown.
func TestJudgesAllocateNothing(t *testing.T) {
	var pattern = Pattern{Source: `^a+(b|c)*\d$`}
	kinds := ConstantsOf(`"x"`, `1.5`, `null`)
	judge := func(j *Judge, n int) bool {
		ok := j.Unique(n, 1)
		for e, end := j.Elements(n); e < end; e = j.Next(e) {
			u := j.AnyOf(e, 2)
			ok = ok && (u.Add(j.Pattern(e, &pattern, 3)) || u.Add(j.Enum(e, kinds, 4)) || u.End())
			r := j.Recall(e, 1, 5)
			if !r.Known {
				j.Remember(r, j.Minimum(e, 0, 6))
			}
			for m, end := j.Members(e); m < end; m = j.Next(m + 1) {
				ok = ok && j.Text(m) != "no"
			}
		}
		return ok
	}
	var tape Tape
	if err := tape.Scan([]byte(`["\u0061bc1",7,{"n\u006f t":1},1.50,`+strings.Repeat(`["x"],`, 30)+`null]`), Limits{}); err != nil {
		t.Fatal(err)
	}
	if shared.Race {
		t.Skip("the race detector makes pools forget on purpose")
	}
	if got := testing.AllocsPerRun(100, func() { VerdictOf(&tape, judge) }); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func TestMemo(t *testing.T) {
	var m Memo
	for walk := range 3 * memoGeneration {
		m.Begin()
		if _, _, ok := m.Get(MemoKey(1, 2)); ok {
			t.Fatalf("walk %d finds what an earlier one put", walk)
		}
		m.Put(MemoKey(1, 2), Valid, uint64(walk))
	}
	m.Begin()
	const count = 10_000
	for i := range count {
		m.Put(MemoKey(uint32(i%MemoUnits), i/3), Verdict(i%3), uint64(i))
	}
	for i := range count {
		v, extra, ok := m.Get(MemoKey(uint32(i%MemoUnits), i/3))
		if !ok || v != Verdict(i%3) || extra != uint64(i) {
			t.Fatalf("key %d: %d, %d, %v", i, v, extra, ok)
		}
	}
	if _, _, ok := m.Get(MemoKey(MemoUnits-1, count)); ok {
		t.Error("a key that was never put is found")
	}
	m.End()
}
