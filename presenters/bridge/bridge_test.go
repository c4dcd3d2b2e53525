package bridge

import (
	"testing"

	"vcp.core/fuzz/results"
	v1 "vcp.core/generated/protocol/v1"
	"vcp.core/runtime/result"
)

// An envelope fits its schema, names the request of the result and holds the result's own bytes.
func TestEnvelope(t *testing.T) {
	for seed := range uint64(600) {
		s := results.New(seed).Result()
		v, err := result.Open(s)
		if err != nil {
			t.Fatal(err)
		}
		got := Present(v)
		if err := v1.ValidateBridgeEnvelope([]byte(got)); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, got)
		}
		e, err := v1.DecodeBridgeEnvelope([]byte(got))
		if err != nil {
			t.Fatal(err)
		}
		want := `{"type":"vcp_tool_result","protocolVersion":"1.0","requestId":"` + e.Result.Execution.RequestID + `","result":` + s.String() + `}`
		if got != want {
			t.Fatalf("seed %d:\ngot  %s\nwant %s", seed, got, want)
		}
	}
}
