package ai_test

import (
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/projection"
	"vcp.core/fuzz/results"
	"vcp.core/presenters/ai"
	"vcp.core/runtime/result"
)

func open(t testing.TB, s *result.Sealed) *result.Visible {
	t.Helper()
	v, err := result.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// options are some of each.
func options(seed uint64) ai.Options {
	o := ai.Options{IncludeExecutionMetadata: seed%3 == 0, Vision: seed%2 == 0, Audio: seed%5 == 0}
	if seed%4 == 1 {
		o.MaxResources, o.Depth = wire.Some(int(seed%3)), wire.Some(int(seed%7))
	}
	if seed%7 == 0 {
		o.Location = time.UTC
	}
	if seed%6 == 0 {
		o.Outputs = []call.Port{{Pointer: "/a", Title: "## Data\n| x", Unit: "k|m"}, {Pointer: "/rows", Items: []call.Port{{Pointer: "/name", Title: "`"}}}}
	}
	return o
}

// The laws hold for results of every status, within every small budget and some large ones.
func TestLaws(t *testing.T) {
	seeds := uint64(72)
	if testing.Short() {
		seeds = 12
	}
	for seed := range seeds {
		m := results.New(seed)
		v, o := open(t, m.Of(results.Statuses[seed%6])), options(seed)
		whole := projection.Whole(v, o)
		for n := range 401 {
			if err := projection.Laws(v, o, n, whole); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		for _, n := range []int{500, 800, 1500, 4000, 30_000, projection.Unlimited} {
			if err := projection.Laws(v, o, n, whole); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
}

// Many results, a few budgets.
func TestLawsOfManyResults(t *testing.T) {
	seeds := uint64(2000)
	if testing.Short() {
		seeds = 300
	}
	for seed := uint64(1000); seed < 1000+seeds; seed++ {
		v, o := open(t, results.New(seed).Result()), options(seed)
		whole := projection.Whole(v, o)
		for _, n := range []int{0, 40, 80 + int(seed%500), ai.DefaultMaxCharacters} {
			if err := projection.Laws(v, o, n, whole); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
}
