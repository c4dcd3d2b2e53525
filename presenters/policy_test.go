package presenters_test

import (
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/projection"
	"vcp.core/fuzz/results"
	v1 "vcp.core/generated/protocol/v1"
	"vcp.core/presenters/ai"
	"vcp.core/presenters/audit"
	"vcp.core/presenters/bridge"
	"vcp.core/presenters/human"
	"vcp.core/runtime/policy"
	"vcp.core/runtime/result"
)

func policyOf(t *testing.T, rules ...policy.Rule) *policy.Policy {
	t.Helper()
	p, err := policy.New(rules...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What policy leaves of a result is presented as lawfully as the result itself.
func TestBehindPolicy(t *testing.T) {
	policies := []*policy.Policy{
		policyOf(t, policy.Default()...),
		policyOf(t, append(policy.Strict(), policy.Rule{Name: "no-images", Match: policy.ResourceKinds("image")})...),
		policyOf(t, policy.Rule{Name: "all", Match: policy.Pointers("/**")}),
		policyOf(t, policy.Rule{Name: "leaves", Match: policy.Pointers("/*/*", "/*/*/*")}),
	}
	for seed := range uint64(200) {
		s := results.New(seed).Of(results.Statuses[seed%6])
		for i, p := range policies {
			v, err := p.For(s, policy.Reader{Consumer: policy.AI})
			if err != nil {
				t.Fatal(err)
			}
			o := ai.Options{Vision: true, IncludeExecutionMetadata: true}
			whole := projection.Whole(v, o)
			for _, n := range []int{0, 60, 80, 200, 700, ai.DefaultMaxCharacters} {
				if err := projection.Laws(v, o, n, whole); err != nil {
					t.Fatalf("seed %d, policy %d: %v", seed, i, err)
				}
			}
			if err := v1.ValidateBridgeEnvelope([]byte(bridge.Present(v))); err != nil {
				t.Fatalf("seed %d, policy %d: %v", seed, i, err)
			}
			var tape wire.Tape
			if err := tape.Scan([]byte(audit.Present(v, audit.Origin{})), wire.Limits{}); err != nil || human.Present(v) != v.String() {
				t.Fatalf("seed %d, policy %d: %v", seed, i, err)
			}
		}
	}
}

// A hidden image is in no projection, and neither are the words that speak of it (specification §8.2).
func TestHiddenResource(t *testing.T) {
	const id = "res_01J2XQ3Z5K8N7P4R6T9V0W1Y2Z"
	s := result.Seal(result.Parts{ID: "tr_01J2XQ3Z5K8N7P4R6T9V0W1Y2Z", Status: "success",
		Execution: result.ExecutionPart{InvocationID: "ti_01J2XQ3Z5K8N7P4R6T9V0W1Y2Z", RequestID: "req_01J2XQ3Z5K8N7P4R6T9V0W1Y2Z", Attempt: 1},
		Origin:    v1.Origin{Source: "cli"},
		Data:      result.Bytes([]byte(`{"image":{"$resource":"` + id + `"},"n":1}`)),
		Resources: result.Bytes([]byte(`[{"id":"` + id + `","kind":"image","role":"output","mimeType":"image/png","fileName":"CANARY.png","sizeBytes":1,"sha256":null,"url":"https://vcp.example/CANARY.png","source":null,"dimensions":null,"durationMs":null,"metadata":{"description":"CANARY"}}]`)),
		AIAdvice:  result.Bytes([]byte(`{"intent":"display_resource","message":"Show the CANARY.","resourceIds":["` + id + `"],"renderHint":"image","priority":"high"}`)),
	})
	p := policyOf(t, policy.Rule{Name: "no-images", Match: policy.ResourceKinds("image"), Consumers: []policy.Consumer{policy.AI}})
	v, err := p.For(s, policy.Reader{Consumer: policy.AI})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range projections(v) {
		if strings.Contains(text, "CANARY") || strings.Contains(text, id) {
			t.Errorf("%s shows it: %s", name, text)
		}
	}
	if parts := ai.Present(v, ai.Options{Vision: true}).Content; len(parts) != 1 {
		t.Errorf("parts %v", parts)
	}
	all, err := p.For(s, policy.Reader{Consumer: policy.Human})
	if err != nil || !strings.Contains(human.Present(all), "CANARY.png") {
		t.Errorf("another reader sees %s, %v", human.Present(all), err)
	}
}
