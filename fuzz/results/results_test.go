package results

import (
	"testing"

	v1 "vcp.core/generated/protocol/v1"
	"vcp.core/runtime/result"
)

// Every result that the maker makes is one, and it is the same one for the same seed.
func TestResultsAreValid(t *testing.T) {
	for seed := range uint64(1500) {
		s := New(seed).Of(Statuses[seed%6])
		if err := v1.ValidateResult([]byte(s.String())); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, s)
		}
		if again := New(seed).Of(Statuses[seed%6]); again.String() != s.String() {
			t.Fatalf("seed %d gives two results", seed)
		}
		back, err := result.Parse([]byte(s.String()))
		if err != nil || back.String() != s.String() {
			t.Fatalf("seed %d: Parse gives %v, %v", seed, back, err)
		}
	}
}
