package peers

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/peers/oracle"
	"vcp.core/fuzz/shared"
	"vcp.core/gen/load"
	"vcp.core/gen/sample"
)

// What gen/sample calls valid is valid by v6 too. The test is made of the shared schemas.
func TestSamplesAgainstV6(t *testing.T) {
	const seeds = 40
	paths, err := filepath.Glob(filepath.Join(shared.Path(t, "data", "schemas"), "*", "schema.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no shared schemas: %v", err)
	}
	child := oracle.Start(t, 10*time.Second)
	judged := 0
	for _, path := range paths {
		name := filepath.Base(filepath.Dir(path))
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, list := load.Parse(name, src, wire.Limits{})
		if list.HasErrors() {
			t.Fatal(list)
		}
		uri := "https://peers.test/" + name
		source, err := sample.New(file.Root, sample.Options{URI: uri})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := child.Load(oracle.Schema{URI: uri, Documents: map[string]json.RawMessage{uri: src}, Dialect: "draft2020-12"}); err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		called := 0
		for seed := range uint64(seeds) {
			doc, ok := source.Valid(seed)
			if !ok {
				continue
			}
			called++
			answer, err := child.Judge(doc)
			if err != nil {
				t.Fatal(err)
			}
			if answer.Decided() {
				judged++
			}
			if answer.Decided() && answer != oracle.Valid {
				t.Errorf("%s: seed %d: %s: %.500s", name, seed, answer, doc)
			}
		}
		if called < seeds*9/10 {
			t.Errorf("%s: %d of %d seeds gave a document", name, called, seeds)
		}
	}
	t.Logf("%d documents", judged)
}
