package peers

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/mutate"
	"vcp.core/fuzz/ours"
	"vcp.core/fuzz/peers/corpus"
)

// The documents that one subject is tried with.
const (
	seedsPerSubject = 60  // examples whose neighbours are made
	builtPerSubject = 30  // documents from the schema alone whose neighbours are made
	perAim          = 60  // neighbours kept for each keyword occurrence
	mutantsEach     = 300 // of the stream
)

// wanted is the share of keyword occurrences whose deletion must change a verdict.
const wanted = 95

// TestKeywordDeletion deletes every keyword occurrence of the protocol's and the plugins' schemas, one
// at a time, and looks for a document whose verdict changes: an example or counter-example, a neighbour
// of one, a mutant. An occurrence that no document notices is either redundant or untested; it is listed.
// What counts as an occurrence is said at mutate.Occurrences.
func TestKeywordDeletion(t *testing.T) {
	subjects := append(corpus.OfProtocol(t), corpus.OfPlugins(t)...)
	reach := map[string][]string{}
	for _, s := range subjects {
		reach[s.Name] = reached(s)
	}
	// Subjects that reach little come first: most occurrences fall to the schema they stand in, cheaply,
	// and only what is left is tried through the schemas that refer to it.
	slices.SortStableFunc(subjects, func(a, b corpus.Subject) int {
		return cmp.Compare(len(reach[a.Name]), len(reach[b.Name]))
	})
	left := map[string][]mutate.Occurrence{} // by document URI, not noticed yet
	count := map[string]int{}
	for _, s := range subjects {
		for _, uri := range reach[s.Name] {
			if _, known := count[uri]; known || uri == s.URI && s.Group == corpus.Protocol && !bytes.Contains(s.Documents[uri], []byte(`"$id"`)) {
				continue // a document that only wraps a definition
			}
			all, err := mutate.Occurrences(s.Documents[uri], s.Formats)
			if err != nil {
				t.Fatal(err)
			}
			left[uri], count[uri] = all, len(all)
		}
	}
	for _, s := range subjects {
		trial := newTrial(t, s, reach[s.Name])
		for _, uri := range reach[s.Name] {
			left[uri] = slices.DeleteFunc(left[uri], func(o mutate.Occurrence) bool { return trial.notices(uri, o) })
		}
	}
	report(t, count, left)
}

func report(t *testing.T, count map[string]int, left map[string][]mutate.Occurrence) {
	t.Helper()
	fmt.Printf("%-64s%12s%9s%7s\n", "keyword deletion", "occurrences", "noticed", "%")
	all, survivors := 0, 0
	for _, uri := range slices.Sorted(maps.Keys(count)) {
		n, l := count[uri], len(left[uri])
		all, survivors = all+n, survivors+l
		fmt.Printf("%-64s%12d%9d%7.1f\n", uri, n, n-l, 100*float64(n-l)/float64(max(n, 1)))
	}
	share := 100 * float64(all-survivors) / float64(all)
	fmt.Printf("%-64s%12d%9d%7.1f\n", "total", all, all-survivors, share)
	for _, uri := range slices.Sorted(maps.Keys(left)) {
		for _, o := range left[uri] {
			fmt.Printf("not noticed  %s#%s\n", uri, o.Pointer)
		}
	}
	if share < wanted {
		t.Errorf("%.1f in a hundred deletions change a verdict, want %d", share, wanted)
	}
}

// trial is one subject with its documents and their verdicts by the schema as it is.
type trial struct {
	t      *testing.T
	s      corpus.Subject
	docs   []judged
	aimed  map[string][]int // indices into docs, by the occurrence they aim at
	within map[string][]byte
}

type judged struct {
	bytes   []byte
	verdict wire.Verdict
}

func newTrial(t *testing.T, s corpus.Subject, reach []string) *trial {
	t.Helper()
	tr := &trial{t: t, s: s, aimed: map[string][]int{}, within: map[string][]byte{}}
	for _, uri := range reach {
		tr.within[uri] = s.Documents[uri]
	}
	judge, err := tr.compile(tr.within)
	if err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	raw, err := mutate.NewSchema(s.URI, tr.within)
	if err != nil {
		t.Fatal(err)
	}
	keep := func(d mutate.Document) bool {
		verdict, refused := judge.Document(d.Bytes)
		if refused != nil || d.Aim != "" && len(tr.aimed[d.Aim]) >= perAim {
			return false
		}
		if d.Aim != "" {
			tr.aimed[d.Aim] = append(tr.aimed[d.Aim], len(tr.docs))
		}
		tr.docs = append(tr.docs, judged{d.Bytes, verdict})
		return verdict == wire.Valid
	}
	// Neighbours of valid documents differ in one thing only; so only those are made.
	var seeds [][]byte
	for _, doc := range s.Instances {
		if keep(mutate.Document{Bytes: doc}) && len(seeds) < seedsPerSubject {
			seeds = append(seeds, doc)
		}
	}
	for i := range uint64(10 * builtPerSubject) {
		if d := raw.Built(i); len(seeds) < len(s.Instances)+builtPerSubject && keep(d) {
			seeds = append(seeds, d.Bytes)
		}
	}
	for i, doc := range seeds {
		err := raw.Neighbours(doc, uint64(i), func(d mutate.Document) bool {
			keep(d)
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	maker, err := mutate.New(raw, seeds, 1)
	if err != nil {
		t.Fatal(err)
	}
	for range mutantsEach {
		d := maker.Next()
		maker.Saw(d, keep(d))
	}
	return tr
}

func (tr *trial) compile(documents map[string][]byte) (*ours.Judge, error) {
	s := schemaOf(tr.s)
	s.Documents = documents
	return ours.Compile(s)
}

// notices reports whether some verdict changes when the occurrence is deleted from the document at
// uri. A deletion that the compiler refuses is noticed by the compiler.
func (tr *trial) notices(uri string, o mutate.Occurrence) bool {
	without, err := o.Without(tr.within[uri])
	if err != nil {
		tr.t.Fatalf("%s: %v", uri, err)
	}
	documents := maps.Clone(tr.within)
	documents[uri] = without
	judge, err := tr.compile(documents)
	if _, refused := errors.AsType[*ours.RefusedError](err); refused {
		return true
	}
	if err != nil {
		tr.t.Fatal(err)
	}
	changes := func(d judged) bool {
		verdict, _ := judge.Document(d.bytes) // scanned before: it is not refused now
		return verdict != d.verdict
	}
	for _, i := range tr.aimed[uri+"#"+o.Pointer] {
		if changes(tr.docs[i]) {
			return true
		}
	}
	return slices.ContainsFunc(tr.docs, changes)
}

var reference = regexp.MustCompile(`"\$ref"\s*:\s*"([^"#]+)`)

// reached lists the documents that a subject's references lead to, its own first. References between
// documents are relative to one folder, or absolute.
func reached(s corpus.Subject) []string {
	out := []string{s.URI}
	for i := 0; i < len(out); i++ {
		for _, m := range reference.FindAllSubmatch(s.Documents[out[i]], -1) {
			target := string(m[1])
			if _, ok := s.Documents[target]; !ok {
				target = out[i][:1+strings.LastIndexByte(out[i], '/')] + target
			}
			if _, ok := s.Documents[target]; ok && !slices.Contains(out, target) {
				out = append(out, target)
			}
		}
	}
	return out
}
