package laws

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"testing"

	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/mutate"
	"vcp.core/fuzz/ours"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
	"vcp.core/gen/sample"
)

// TestNearDocumentsMeetEveryRule deletes every keyword of the protocol's and the plugins' schemas, one at a
// time, and asks whether any of the documents that the laws are tried on notices: a validator that forgets
// the rule would be found out by nobody else.
func TestNearDocumentsMeetEveryRule(t *testing.T) {
	const wanted = 97
	protocol := map[string][]byte{}
	for _, d := range schema.All() {
		protocol[d.ID] = d.Source
	}
	rules, missed := 0, 0
	try := func(name, uri string, all map[string][]byte) {
		all = reached(uri, all)
		n, left := forgotten(t, uri, all)
		rules += n
		missed += len(left)
		for _, o := range left {
			t.Logf("%s#%s: nobody notices when it is gone", name, o.Pointer)
		}
	}
	for _, d := range schema.All() {
		if d.Name != schema.Vocabulary {
			try(d.Name, d.ID, protocol)
		}
	}
	plugins := pluginSchemas(t)
	for _, name := range slices.Sorted(maps.Keys(plugins)) {
		all := maps.Clone(protocol)
		all["https://laws.test/schema"] = plugins[name]
		try(name, "https://laws.test/schema", all)
	}
	share := 100 * float64(rules-missed) / float64(rules)
	t.Logf("%d rules, %.1f %% noticed", rules, share)
	if share < wanted {
		t.Errorf("%.1f %% of the rules are noticed, want %d", share, wanted)
	}
}

// reached leaves the documents that one refers to, by the names of their files.
func reached(uri string, all map[string][]byte) map[string][]byte {
	out := map[string][]byte{uri: all[uri]}
	for grown := true; grown; {
		grown = false
		for _, src := range slices.Collect(maps.Values(out)) {
			for at, other := range all {
				if out[at] == nil && bytes.Contains(src, []byte(path.Base(at)+"#")) || out[at] == nil && bytes.Contains(src, []byte(path.Base(at)+`"`)) {
					out[at], grown = other, true
				}
			}
		}
	}
	return out
}

// forgotten lists the keywords of one document that can be deleted without any verdict changing.
func forgotten(t *testing.T, uri string, all map[string][]byte) (rules int, left []mutate.Occurrence) {
	t.Helper()
	compile := func(src []byte) (*ours.Judge, error) {
		with := maps.Clone(all)
		with[uri] = src
		return ours.Compile(ours.Schema{URI: uri, Documents: with, FormatAssertion: true, Dialect: resolve.Draft2020})
	}
	live, err := compile(all[uri])
	if err != nil {
		t.Fatal(err)
	}
	nodes := map[string]*load.Node{}
	for at, src := range all {
		file, list := load.Parse(at, src, wire.Limits{})
		if list.HasErrors() {
			t.Fatal(list)
		}
		nodes[at] = file.Root
	}
	source, err := sample.New(nodes[uri], sample.Options{URI: uri, Documents: nodes})
	if err != nil {
		t.Fatal(err)
	}
	type judged struct {
		doc     []byte
		verdict wire.Verdict
	}
	var docs []judged
	for seed := range uint64(max(60, source.Rules()*3/2)) {
		doc := source.Near(seed)
		if seed%4 == 0 {
			doc, _ = source.Valid(seed)
		}
		v, err := live.Document(doc)
		if err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		docs = append(docs, judged{doc, v})
	}
	occurrences, err := mutate.Occurrences(all[uri], []string{"date-time"})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range occurrences {
		without, err := o.Without(all[uri])
		if err != nil {
			t.Fatal(err)
		}
		judge, err := compile(without)
		if err != nil {
			continue // the compiler notices
		}
		if !slices.ContainsFunc(docs, func(d judged) bool {
			v, _ := judge.Document(d.doc)
			return v != d.verdict
		}) {
			left = append(left, o)
		}
	}
	return len(occurrences), left
}
