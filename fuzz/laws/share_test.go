package laws

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/ours"
	"vcp.core/fuzz/random"
	"vcp.core/fuzz/shared"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
	"vcp.core/gen/sample"
)

// share is what became of the samples of one schema.
type share struct {
	name                 string
	seeds, valid, called int    // called valid by the sampler; valid by live
	near                 int    // near documents that live finds valid
	wrong                string // one that is called valid and is not
}

func (s share) percent() float64 { return 100 * float64(s.valid) / float64(s.seeds) }

func (s share) String() string {
	return fmt.Sprintf("%-44s %5.1f %% valid (%d of %d called so), near %3d %%", s.name, s.percent(), s.called, s.seeds, 100*s.near/s.seeds)
}

// measure compares what the sampler says about seeds documents with what live says.
func measure(t *testing.T, name string, src []byte, uri string, documents map[string][]byte, dialect resolve.Dialect, seeds int) (share, bool) {
	t.Helper()
	s := share{name: name, seeds: seeds}
	documents = maps.Clone(documents)
	if documents == nil {
		documents = map[string][]byte{}
	}
	documents[uri] = src
	lax, err := ours.Compile(ours.Schema{URI: uri, Documents: documents, Dialect: dialect})
	if err != nil {
		t.Logf("%-44s refused: %v", name, err)
		return s, false
	}
	// What the sampler takes for an assertion may be an annotation. Its documents are valid either way.
	live, err := ours.Compile(ours.Schema{URI: uri, Documents: documents, FormatAssertion: true, Dialect: dialect})
	if err != nil { // it asserts a format that nobody defined
		live = lax
	}
	nodes := map[string]*load.Node{}
	for at, text := range documents {
		file, list := load.Parse(at, text, wire.Limits{})
		if list.HasErrors() {
			t.Fatal(list)
		}
		nodes[at] = file.Root
	}
	source, err := sample.New(nodes[uri], sample.Options{URI: uri, Documents: nodes, Draft: sample.Draft(dialect)})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return s, false
	}
	defer func() {
		if s.called > 0 && source.Empty() {
			t.Errorf("%s is said to allow nothing", name)
		}
	}()
	for seed := range uint64(seeds) {
		if v, err := live.Document(source.Near(seed)); err == nil && v == wire.Valid {
			s.near++
		}
		doc, ok := source.Valid(seed)
		if !ok {
			continue
		}
		s.called++
		v, err := live.Document(doc)
		w, _ := lax.Document(doc)
		if err == nil && v == wire.Valid && w == wire.Valid {
			s.valid++
		} else if s.wrong == "" {
			s.wrong = fmt.Sprintf("seed %d: %.400s: %v %v %v", seed, doc, v, err, live.Violations(doc))
		}
	}
	return s, true
}

// Of every schema, at least 98 of 100 seeds must give a document that live finds valid, and most near ones must be
// such that live refuses, and no document may be called valid that is not.
func judgeShare(t *testing.T, s share, ok bool) {
	t.Helper()
	const least, most = 98, 33
	if !ok {
		t.Errorf("%s is refused", s.name)
		return
	}
	t.Log(s)
	if s.percent() < least {
		t.Errorf("%s: less than %d %%", s, least)
	}
	if 100*s.near > most*s.seeds && s.name != "protocol vocabulary" { // it allows everything
		t.Errorf("%s: of the near ones more than %d %% are valid", s, most)
	}
	if s.wrong != "" {
		t.Errorf("%s: called valid, and is not: %s", s.name, s.wrong)
	}
}

const shareSeeds = 50

func TestSharesOfOurSchemas(t *testing.T) {
	protocol := map[string][]byte{}
	for _, d := range schema.All() {
		protocol[d.ID] = d.Source
	}
	for _, d := range schema.All() {
		s, ok := measure(t, "protocol "+d.Name, d.Source, d.ID, protocol, resolve.Draft2020, shareSeeds)
		judgeShare(t, s, ok)
	}
	plugins := pluginSchemas(t)
	for _, name := range slices.Sorted(maps.Keys(plugins)) {
		s, ok := measure(t, name, plugins[name], "https://laws.test/schema", protocol, resolve.Draft2020, shareSeeds)
		judgeShare(t, s, ok)
	}
}

func TestSharesOfSharedSchemas(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(shared.Path(t, "data", "schemas"), "*", "schema.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no shared schemas: %v", err)
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, ok := measure(t, "shared "+filepath.Base(filepath.Dir(path)), src, "https://laws.test/schema", nil, resolve.Draft2020, shareSeeds)
		judgeShare(t, s, ok)
	}
}

// pluginSchemas returns the schemas that stand in the manifests of the shipped plugins.
func pluginSchemas(t *testing.T) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(shared.Root(t), "plugins", "*", "plugin-manifest.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	out := map[string][]byte{}
	for _, path := range paths {
		file, list := load.ReadFile(path, wire.Limits{})
		if list.HasErrors() {
			t.Fatal(list)
		}
		plugin := filepath.Base(filepath.Dir(path))
		if n := file.Root.Get("configSchema"); n != nil {
			out[plugin+" config"] = file.Raw(n)
		}
		for _, c := range file.At("/capabilities/invocationCommands").Elems {
			name := plugin + "." + c.Get("commandIdentifier").Str
			out[name+" input"] = file.Raw(c.Get("inputSchema"))
			out[name+" output"] = file.Raw(c.Get("outputSchema"))
		}
	}
	return out
}

// Random schemas are full of rules that meet: many allow nothing, or next to nothing. Whatever is called
// valid must be.
func TestSamplesOfRandomSchemas(t *testing.T) {
	maker := random.New(11)
	schemas, documents, none, missed := 0, 0, 0, 0
	for range 400 {
		text := maker.Schema()
		if strings.Contains(text, random.Undecidable) {
			continue // live is undecided about it, and the sampler is not
		}
		s, ok := measure(t, text, []byte(text), "https://laws.test/schema", nil, resolve.Draft2020, 4)
		if !ok {
			continue
		}
		schemas++
		documents += s.called
		if s.called == 0 {
			none++
			if doc := byChance(t, text, random.New(12)); doc != "" {
				missed++
				t.Logf("nothing was found for %s, which allows %s", text, doc)
			}
		}
		if s.wrong != "" {
			t.Errorf("%s: called valid, and is not: %s", text, s.wrong)
		}
	}
	t.Logf("%d schemas, %d documents, %d schemas without any, %d of them in vain", schemas, documents, none, missed)
	if documents < 500 || missed > schemas/50 {
		t.Error("too few documents, or too many schemas without")
	}
}

// byChance looks for a document that a schema allows among random ones.
func byChance(t *testing.T, text string, maker *random.Maker) string {
	t.Helper()
	live, err := ours.Compile(ours.Schema{URI: "https://laws.test/schema", Documents: map[string][]byte{"https://laws.test/schema": []byte(text)}, FormatAssertion: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		doc := maker.Document(3)
		if v, err := live.Document([]byte(doc)); err == nil && v == wire.Valid {
			return doc
		}
	}
	return ""
}
