package emitted_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/emitted"
	"vcp.core/fuzz/mutate"
	"vcp.core/fuzz/ours"
	"vcp.core/fuzz/random"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	"vcp.core/gen/resolve"
)

// What `make differential` turns up.
var (
	seed      = flag.Uint64("seed", 1, "first seed of random schemas")
	schemas   = flag.Int("schemas", 40, "random schemas")
	documents = flag.Int("documents", 50, "documents for each")
	lint      = flag.Bool("lint", false, "check what is generated for every real schema and 200 random ones")
)

// perPackage is how many random schemas share a package: packages are compiled side by side.
const perPackage = 50

// subject is one random schema in both back ends.
type subject struct {
	c     random.Case
	wide  *random.Wide
	seed  uint64
	judge string // of generated code
	live  *live.Validator
}

// resolved takes a case as far as the graph of schemas. Its documents get addresses that no other case has.
func resolved(t *testing.T, c random.Case, number int) *resolve.Schema {
	t.Helper()
	s := ours.Schema{Documents: map[string][]byte{}, Dialect: dialects[c.Draft]}
	apart := strings.NewReplacer("https://random.test/", fmt.Sprintf("https://random.test/s%d/", number))
	s.URI = apart.Replace(c.URI)
	for uri, text := range c.Documents {
		s.Documents[apart.Replace(uri)] = []byte(apart.Replace(text))
	}
	schema, err := s.Resolve()
	if err != nil {
		t.Fatalf("%v: %s", err, c)
	}
	return schema
}

var dialects = map[random.Draft]resolve.Dialect{random.Draft2020: resolve.Draft2020, random.Draft2019: resolve.Draft2019, random.Draft07: resolve.Draft07}

// randomPackages emits packages of random schemas.
func randomPackages(t *testing.T, judges *emitted.Judges, first uint64, count int) (subjects []subject) {
	t.Helper()
	var list []*resolve.Schema
	p := golang.Package{}
	flush := func() {
		if len(list) == 0 {
			return
		}
		program, findings := ir.Lower(list, ir.Options{})
		if findings.HasErrors() {
			t.Fatal(findings)
		}
		p.Program = program
		set := live.Compile(program)
		for i := range p.Roots {
			p.Roots[i].Schema = program.Roots[i]
			subjects[len(subjects)-len(list)+i].live = set.Validator(program.Roots[i])
		}
		judges.Add(t, p)
		list, p = nil, golang.Package{}
	}
	for i := range count {
		w := random.NewWide(first + uint64(i))
		c := w.Schema()
		schema := resolved(t, c, i)
		if list == nil {
			p.Name = fmt.Sprintf("random%d", len(subjects)/perPackage+1)
			p.ImportPath, p.Source = emitted.ImportPath(p.Name), "random schemas"
		}
		root := golang.Root{Name: fmt.Sprintf("S%d", len(list)+1)}
		list, p.Roots = append(list, schema), append(p.Roots, root)
		subjects = append(subjects, subject{c: c, wide: w, seed: first + uint64(i), judge: p.Name + "." + root.Name})
		if len(list) == perPackage {
			flush()
		}
	}
	flush()
	return subjects
}

// Random schemas of all drafts: generated code and live agree on every document, on the rule that it breaks first, and
// the laws of types hold.
func TestRandom(t *testing.T) {
	var judges emitted.Judges
	subjects := randomPackages(t, &judges, *seed, *schemas)
	var questions []emitted.Question
	var of []subject
	for _, s := range subjects {
		for _, d := range randomDocuments(t, s) {
			questions = append(questions, emitted.Question{Judge: s.judge, Document: d})
			of = append(of, s)
		}
	}
	start := time.Now()
	program := judges.Build(t)
	took := time.Since(start)
	valid, undecided, wrong := 0, 0, map[uint64]bool{}
	for i, a := range judges.Run(t, program, questions) {
		s, d := of[i], questions[i].Document
		var tape wire.Tape
		if err := tape.Scan(d, wire.Limits{}); err != nil {
			t.Fatal(err)
		}
		verdict := s.live.Verdict(&tape)
		switch verdict {
		case wire.Valid:
			valid++
		case wire.Undecided:
			undecided++
		}
		if fault := differs(s, &tape, verdict, a); fault != "" && !wrong[s.seed] {
			wrong[s.seed] = true
			if len(wrong) <= 5 {
				t.Errorf("seed %d: %s\n%s\n\tdocument: %s", s.seed, fault, s.c, d)
			}
		}
	}
	fmt.Printf("random schemas, generated code against live: seeds %d to %d, %d schemas, %d documents, %d %% valid, %d undecided, %d schemas disagree; %d lines, vet and build %.0f s\n",
		*seed, *seed+uint64(*schemas)-1, len(subjects), len(questions), 100*valid/max(1, len(questions)), undecided, len(wrong), judges.Lines(), took.Seconds())
}

// differs tells how an answer differs from live's.
func differs(s subject, tape *wire.Tape, verdict wire.Verdict, a emitted.Answer) string {
	switch {
	case a.Law != "":
		return a.Law
	case a.Refused != "" || a.Verdict != int(verdict):
		return fmt.Sprintf("live's verdict is %d, generated code says %+v", verdict, a)
	case verdict == wire.Valid:
		return ""
	}
	for _, w := range s.live.Violations(tape) {
		if w.Offset == a.Offset && w.SchemaFile == a.File && w.SchemaPointer == a.Pointer && string(w.Reason) == a.Reason {
			return ""
		}
	}
	return fmt.Sprintf("the failure %+v is not in live's list", a)
}

// randomDocuments are as many valid as invalid documents for a schema, as far as that can be had.
func randomDocuments(t *testing.T, s subject) (list [][]byte) {
	t.Helper()
	raw := map[string][]byte{}
	for uri, text := range s.c.Documents {
		raw[uri] = []byte(text)
	}
	schema, err := mutate.NewSchema(s.c.URI, raw)
	if err != nil {
		t.Fatal(err)
	}
	maker, err := mutate.New(schema, nil, s.seed)
	if err != nil {
		t.Fatal(err)
	}
	count := map[wire.Verdict]int{}
	var tape wire.Tape
	seen := map[string]bool{}
	for try := 0; try < 8**documents && len(list) < *documents; try++ {
		d := mutate.Document{}
		if try%3 == 0 {
			d.Bytes = []byte(s.wide.Document(3))
		} else if d = maker.Next(); len(d.Bytes) > 4000 {
			continue
		}
		if seen[string(d.Bytes)] || tape.Scan(d.Bytes, wire.Limits{}) != nil {
			continue
		}
		seen[string(d.Bytes)] = true
		verdict := s.live.Verdict(&tape)
		maker.Saw(d, verdict == wire.Valid)
		if count[verdict]++; count[verdict] <= *documents*3/5 {
			list = append(list, d.Bytes)
		}
	}
	return list
}
