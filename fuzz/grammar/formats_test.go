package grammar

import (
	"flag"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"vcp.core/contract/wire/format"
)

var (
	count = flag.Int("strings", 1000, "valid strings, and mutants, to make for each format")
	seed  = flag.Uint64("seed", 1, "of what is made")
)

// Each check agrees with the grammar of its RFC on strings made from the grammar, which go through all of its
// alternatives, and on as many that differ from one of them in a character.
func TestFormatsAgreeWithTheirGrammars(t *testing.T) {
	for _, f := range Formats {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			check, ok := format.Lookup(f.Name)
			if !ok {
				t.Fatal("there is no check")
			}
			compare(t, f, check)
		})
	}
}

// tally is what a comparison saw.
type tally struct {
	valid, beside, mutants, validMutants int
	missing                              []string
	wrong                                []string // strings on which check and grammar disagree
}

// run makes n valid strings and n mutants, all different, and asks the check about each; also about what the grammar
// made and the text beside it refuses.
func run(f *Format, check func(s []byte) bool, n int, seed uint64) tally {
	start := f.Made
	if start == "" {
		start = f.Start
	}
	var out tally
	seen := map[string]bool{}
	judge := func(s string) bool {
		has := f.Has(s)
		if check([]byte(s)) != has {
			out.wrong = append(out.wrong, s)
		}
		seen[s] = true
		return has
	}
	made, wide := NewMaker(f.Grammar(), start, seed), NewMaker(f.Grammar(), f.Start, seed+1)
	var valid []string
	for tries := 0; len(valid) < n && tries < 200*n; tries++ {
		if tries%4 == 0 && f.Holds != nil {
			if s := wide.Make(); !seen[s] && !judge(s) {
				out.beside++
			}
		}
		s := made.Make()
		switch {
		case seen[s]:
		case judge(s):
			made.Keep()
			valid = append(valid, s)
		default:
			out.beside++
		}
	}
	out.valid, out.missing = len(valid), made.Missing()
	rng := rand.New(rand.NewPCG(seed, 1))
	for tries := 0; out.mutants < n && tries < 200*n; tries++ {
		s := Mutant(rng, valid[rng.IntN(len(valid))], []rune(f.Other))
		if seen[s] {
			continue
		}
		out.mutants++
		if judge(s) {
			out.validMutants++
		}
	}
	return out
}

func compare(t *testing.T, f *Format, check func(s []byte) bool) {
	t.Helper()
	got := run(f, check, *count, *seed)
	for i, s := range got.wrong {
		if i == 20 {
			t.Errorf("and %d more", len(got.wrong)-i)
			break
		}
		t.Errorf("%+q: the check says %v, the grammar %v", s, check([]byte(s)), f.Has(s))
	}
	if got.valid < *count || got.mutants < *count {
		t.Errorf("only %d valid strings and %d mutants", got.valid, got.mutants)
	}
	for _, way := range got.missing {
		t.Errorf("no string went this way: %s", way)
	}
	t.Logf("%-22s %d valid, %d mutants (%d of them valid), %d refused by the text beside the grammar: %d disagreements",
		f.Name, got.valid, got.mutants, got.validMutants, got.beside, len(got.wrong))
}

// FuzzFormatsAgree asks checks and grammars about any string.
func FuzzFormatsAgree(f *testing.F) {
	for i, form := range Formats {
		m := NewMaker(form.Grammar(), form.Start, 1)
		for range 3 {
			f.Add(uint8(i), m.Make())
		}
	}
	f.Fuzz(func(t *testing.T, i uint8, s string) {
		form := Formats[int(i)%len(Formats)]
		if len(s) > 200 || !utf8.ValidString(s) {
			t.Skip("long strings take the grammars too much time, and JSON holds UTF-8 only")
		}
		check, _ := format.Lookup(form.Name)
		if has := form.Has(s); has != check([]byte(s)) {
			t.Errorf("%s: %+q: the check says %v", form.Name, s, !has)
		}
	})
}
