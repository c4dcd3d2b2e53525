package presenters_test

import (
	"testing"

	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/projection"
	"vcp.core/gen/load"
	"vcp.core/gen/sample"
	v1 "vcp.core/generated/protocol/v1"
	"vcp.core/presenters/ai"
	"vcp.core/presenters/audit"
	"vcp.core/presenters/bridge"
	"vcp.core/runtime/result"
)

// Documents that gen/sample makes of the result schema, which knows nothing of presenters, are presented.
func TestSampledResults(t *testing.T) {
	nodes := map[string]*load.Node{}
	var uri string
	for _, d := range schema.All() {
		file, list := load.Parse(d.ID, d.Source, wire.Limits{})
		if list.HasErrors() {
			t.Fatal(list)
		}
		nodes[d.ID] = file.Root
		if d.Name == schema.Result {
			uri = d.ID
		}
	}
	source, err := sample.New(nodes[uri], sample.Options{URI: uri, Documents: nodes})
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for seed := range uint64(300) {
		document, ok := source.Valid(seed)
		if !ok {
			continue
		}
		s, err := result.Parse(document)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		made++
		v, err := result.Open(s)
		if err != nil {
			t.Fatal(err)
		}
		o := ai.Options{Vision: true, Audio: true, IncludeExecutionMetadata: seed%2 == 0}
		whole := projection.Whole(v, o)
		for _, n := range []int{0, 79, 80, 133, 400, 2000, ai.DefaultMaxCharacters} {
			if err := projection.Laws(v, o, n, whole); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, document)
			}
		}
		if err := v1.ValidateBridgeEnvelope([]byte(bridge.Present(v))); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var tape wire.Tape
		if err := tape.Scan([]byte(audit.Present(v, audit.Origin{})), wire.Limits{}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if made < 200 {
		t.Errorf("only %d results were made", made)
	}
}
