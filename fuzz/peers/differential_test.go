package peers

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/mutate"
	"vcp.core/fuzz/ours"
	"vcp.core/fuzz/peers/corpus"
	"vcp.core/fuzz/peers/oracle"
	"vcp.core/fuzz/suite"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
	"vcp.core/gen/sample"
)

// plan says how many documents a subject gets.
type plan struct {
	instances int // at most so many of its instances, evenly spread
	samples   int // from gen/sample, for subjects without instances
	mutants   int
	seed      uint64
}

// full says that everything is compared (make differential), not a slice of it (make test).
func full() bool { return os.Getenv("PEERS_FULL") != "" }

// planFor returns the plan of TestDifferential. PEERS_SCALE multiplies the figures, PEERS_SEED changes
// the documents.
func planFor(t *testing.T, s corpus.Subject) plan {
	t.Helper()
	p := plan{instances: 400, seed: uint64(number(t, "PEERS_SEED", 1))}
	switch {
	case s.Group == corpus.Shared && full():
		p.instances, p.samples, p.mutants = len(s.Instances), 3000, 3000
	case s.Group == corpus.Shared:
		p.instances, p.samples, p.mutants = 150, 200, 400
	case s.Group == corpus.Protocol && len(s.Instances) == 0: // a single definition
		p.mutants = 120
	default:
		p.mutants = max(500, 3*len(s.Instances))
	}
	scale := number(t, "PEERS_SCALE", 1)
	p.instances, p.samples, p.mutants = p.instances*scale, p.samples*scale, p.mutants*scale
	return p
}

// row is a line of the table that TestDifferential prints.
type row struct {
	name                                    string
	documents, valid, invalid               int
	disagreements, ingest, undecided, noWay int
}

func (r *row) add(o row) {
	r.documents += o.documents
	r.valid += o.valid
	r.invalid += o.invalid
	r.disagreements += o.disagreements
	r.ingest += o.ingest
	r.undecided += o.undecided
	r.noWay += o.noWay
}

func (r *row) print() {
	fmt.Printf("%-40s%10d%8.0f%14d%12d%11d%12d\n", r.name, r.documents, r.share(), r.disagreements, r.ingest, r.undecided, r.noWay)
}

func (r *row) share() float64 { return 100 * float64(r.valid) / float64(max(1, r.valid+r.invalid)) }

// Live and jsonschema v6 must agree on every document that both can decide, and so must generated code. Documents that only our
// ingest rules refuse are counted apart, and must be those that were made to break one; a document that
// the oracle dies over, or that is undecided here, is counted, listed and no agreement.
func TestDifferential(t *testing.T) {
	child := oracle.Start(t, 10*time.Second)
	total := row{name: "total"}
	fmt.Printf("%-40s%10s%8s%14s%12s%11s%12s\n", "live against jsonschema v6.0.3", "documents", "% valid", "disagreements", "ingest only", "undecided", "oracle died")
	group := func(what string, subjects []corpus.Subject) {
		var gen generated
		for _, s := range subjects {
			r := compare(t, child, &gen, s, planFor(t, s))
			r.print()
			if share := r.share(); share < 30 || share > 70 {
				t.Errorf("%s: %.0f in a hundred documents are valid, want 30 to 70", s.Name, share)
			}
			total.add(r)
		}
		gen.check(t, what)
	}
	// The shared schemas come last: without them the test ends here, as skipped, and the project's own
	// have been compared all the same.
	group("own schemas", append(corpus.OfProtocol(t), corpus.OfPlugins(t)...))
	if full() {
		// Each in a build of its own, which tells what it takes to compile.
		for _, name := range corpus.SharedNames {
			group(name, corpus.Real(t, []string{name}))
		}
	} else {
		group("shared schemas", corpus.Real(t, corpus.SharedNames))
	}
	total.print()
	if compared := total.valid + total.invalid; compared < 20_000 {
		t.Errorf("%d documents were compared, want at least 20000", compared)
	}
}

// pair is one subject compiled by both sides.
type pair struct {
	t     *testing.T
	s     corpus.Subject
	child *oracle.Child
	judge *ours.Judge
	gen   *generated
	// emitted is the name of the judge that is generated for the subject.
	emitted string
	maker   *mutate.Maker
	row     row
	seen    map[uint64]bool
	hash    maphash.Seed
}

func compare(t *testing.T, child *oracle.Child, gen *generated, s corpus.Subject, todo plan) row {
	t.Helper()
	p := pair{t: t, s: s, child: child, gen: gen, row: row{name: s.Name}, seen: map[uint64]bool{}, hash: maphash.MakeSeed()}
	var err error
	if p.judge, err = ours.Compile(schemaOf(s)); err != nil {
		t.Errorf("%s: live refuses the schema: %v", s.Name, err)
		return p.row
	}
	if s.Group != corpus.Shared || full() || slices.Contains(corpus.Small, s.Name) { // the large ones take half a minute to build
		p.emitted = gen.add(t, s)
	}
	o := oracle.Schema{URI: s.URI, Documents: map[string]json.RawMessage{}, Dialect: s.Dialect, Formats: s.Formats, Backtracking: s.Backtracking}
	for uri, raw := range s.Documents {
		o.Documents[uri] = raw
	}
	child.Limit = 10 * time.Second
	if s.Name == "cql2" {
		child.Limit = time.Second / 2 // v6 takes eight times as long for each level; what it does not get to is asked of the back ends alone
	}
	if err := child.Load(o); err != nil {
		t.Errorf("%s: %v", s.Name, err)
		return p.row
	}
	raw, err := mutate.NewSchema(s.URI, s.Documents)
	if err != nil {
		t.Fatal(err)
	}
	if p.maker, err = mutate.New(raw, s.Instances, todo.seed); err != nil {
		t.Fatal(err)
	}
	step := max(1, len(s.Instances)/max(1, todo.instances))
	for i := 0; i < len(s.Instances); i += step {
		p.document(mutate.Document{Bytes: s.Instances[i], Ops: []string{fmt.Sprintf("instance %d", i)}})
	}
	if len(s.Instances) == 0 {
		p.samples(todo.samples)
	}
	// A small schema has few different documents: the tries are bounded too.
	for made, tries := 0, 0; made < todo.mutants && tries < 4*todo.mutants; tries++ {
		if p.document(p.maker.Next()) {
			made++
		}
	}
	return p.row
}

// samples judges so many documents that gen/sample makes, half of them meant to be valid.
func (p *pair) samples(count int) {
	if count == 0 {
		return
	}
	file, list := load.Parse(p.s.Name, p.s.Documents[p.s.URI], wire.Limits{})
	if list.HasErrors() {
		p.t.Fatal(list)
	}
	source, err := sample.New(file.Root, sample.Options{URI: p.s.URI})
	if err != nil {
		p.t.Fatal(err)
	}
	made := 0
	for seed := uint64(0); made < count && seed < uint64(4*count); seed++ {
		doc, ok := source.Near(seed/2), true
		if seed%2 == 0 {
			doc, ok = source.Valid(seed / 2)
		}
		if ok && p.document(mutate.Document{Bytes: doc, Ops: []string{fmt.Sprintf("sample %d", seed)}}) {
			made++
		}
	}
	if made < count {
		p.t.Errorf("%s: %d samples, want %d", p.s.Name, made, count)
	}
}

// document judges one document on both sides and reports whether it is a new one.
func (p *pair) document(d mutate.Document) bool {
	h := maphash.Bytes(p.hash, d.Bytes)
	if p.seen[h] {
		return false
	}
	p.seen[h] = true
	p.row.documents++
	answer, err := p.child.Judge(d.Bytes)
	if err != nil {
		p.t.Fatal(err)
	}
	verdict, refused := p.judge.Document(d.Bytes)
	if answer.Decided() {
		p.maker.Saw(d, answer == oracle.Valid)
	}
	switch {
	case refused != nil:
		p.refusal(d, answer, refused)
	case d.Hostile != "":
		p.disagree(d, fmt.Sprintf("the scanner accepts a document with: %s", d.Hostile))
	case answer == oracle.NotJSON:
		p.disagree(d, "the scanner accepts what encoding/json refuses")
	case !answer.Decided():
		p.row.noWay++
		p.gen.ask(p.emitted, d.Bytes, map[bool]oracle.Answer{true: oracle.Valid, false: oracle.Invalid}[verdict == wire.Valid])
		p.t.Logf("%s: the oracle %s over %.300s", p.s.Name, answer, d)
	case verdict == wire.Undecided:
		p.row.undecided++
		p.t.Errorf("%s: undecided, v6 says %s: %.600s", p.s.Name, answer, d)
	default:
		if answer == oracle.Valid {
			p.row.valid++
		} else {
			p.row.invalid++
		}
		if (verdict == wire.Valid) != (answer == oracle.Valid) {
			p.disagree(d, fmt.Sprintf("v6 says %s", answer))
		}
		p.gen.ask(p.emitted, d.Bytes, answer)
		// The list of violations is made by other code than the verdict: both must say the same.
		if n := len(p.judge.Violations(d.Bytes)); (n == 0) != (verdict == wire.Valid) {
			p.disagree(d, fmt.Sprintf("there are %d violations, v6 says %s", n, answer))
		}
	}
	return true
}

// The reasons for which a document may be refused although encoding/json reads it, by the rule that
// it was made to break.
var ingestReasons = map[string]errcode.Reason{
	"duplicate key": errcode.DuplicateKey, "lone surrogate": errcode.NotUTF8, "invalid UTF-8": errcode.NotUTF8, "depth": errcode.LimitDepth,
}

func (p *pair) refusal(d mutate.Document, answer oracle.Answer, refused error) {
	var scan *wire.Error
	switch {
	case answer == oracle.NotJSON && d.Hostile == "":
		p.row.ingest++ // refused by both sides; the mutator makes no such document, instances may be one
	case errors.As(refused, &scan) && d.Hostile != "" && scan.Reason == ingestReasons[d.Hostile]:
		p.row.ingest++
	default:
		p.disagree(d, fmt.Sprintf("the scanner says %v, v6 says %s", refused, answer))
	}
}

// disagree fails the test, with the first few documents of a subject in full.
func (p *pair) disagree(d mutate.Document, what string) {
	p.row.disagreements++
	if p.row.disagreements <= 5 {
		p.t.Errorf("%s: %s, live differs: %.1500s", p.s.Name, what, d)
	}
}

func schemaOf(s corpus.Subject) ours.Schema {
	out := ours.Schema{URI: s.URI, Documents: s.Documents, Dialect: resolve.Draft2020, FormatAssertion: len(s.Formats) > 0}
	switch s.Dialect {
	case string(suite.Draft07):
		out.Dialect = resolve.Draft07
	case string(suite.Draft2019):
		out.Dialect = resolve.Draft2019
	}
	return out
}

func number(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q is no positive number", variable, text)
	}
	return n
}
