package policy

import (
	"strings"
	"testing"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	v1 "vcp.core/generated/protocol/v1"
	"vcp.core/runtime/result"
)

// BenchmarkApply is a look at a small result, and at one with 64 KB of words, in which nothing is hidden.
func BenchmarkApply(b *testing.B) {
	p, err := New(Default()...)
	if err != nil {
		b.Fatal(err)
	}
	words := strings.Repeat("Several sharp notes were given here, about nothing at all; ", 1100)
	for _, data := range []string{`{"text":"lorem ipsum dolor sit amet "}`, `{"text":"` + words + `"}`} {
		s := result.Seal(result.Parts{
			ID: "tr_1", Status: call.Success, Tool: v1.Tool{Name: "T", DisplayName: wire.OrNull("Tool"), Version: wire.OrNull("1.0.0"), Command: wire.OrNull("Run")},
			Actor: &call.Actor{Type: "client", ID: "token:0123456789ab", Name: "bench"}, Origin: v1.Origin{Source: "human-tool", ServerID: wire.OrNull("local")},
			Data: result.Bytes([]byte(data)),
		})
		if _, err := result.Open(s); err != nil {
			b.Fatal(err)
		}
		for _, c := range []Consumer{Human, AI, Audit} {
			active := p.active(&Reader{Consumer: c})
			b.Run(string(c)+map[bool]string{true: " 64 KB", false: ""}[len(data) > 1000], func(b *testing.B) {
				b.SetBytes(int64(s.Len()))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := p.apply(s, active); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
