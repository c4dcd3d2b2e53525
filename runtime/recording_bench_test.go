package runtime_test

import (
	"context"
	"fmt"
	stdruntime "runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/fuzz/shared"
	"vcp.core/runtime"
	"vcp.core/runtime/record"
)

// sink is a store that takes everything and keeps nothing, so that a call pays for no disk.
type sink struct{ record.Store }

func (sink) Begin(context.Context, record.Intent) (record.Claim, error) { return record.Claim{}, nil }
func (sink) Commit(context.Context, record.Entry) error                 { return nil }

// recordedCall is a call with 1.2 KB each way, and the runtime that records it.
func recordedCall(t testing.TB, effect call.Effect) (*runtime.Runtime, call.Call) {
	t.Helper()
	const text = `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`
	handler := call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
		return fmt.Appendf(nil, `{"status":"success","data":%s,"resources":[],"warnings":[],"extensions":{}}`, in.Arguments), nil
	})
	r := runtime.New(registry{spec(t, text, text, func(s *call.Spec) { s.Effect = effect })}, runtime.Bind("T", handler), runtime.Records(sink{}))
	return r, call.Call{
		Tool: "T", Command: "Run", Source: "bench", Actor: &call.Actor{Type: "agent", ID: "a-1", Name: "Nova"},
		Arguments: []byte(`{"text":"` + strings.Repeat("0123456789abcdef", 75) + `"}`),
	}
}

// What a recorded call costs without a disk, the median of all calls: with an intent (write) and without (read).
// Before each of the calls that are cold something else goes through 4 MB of memory, as a database does.
func BenchmarkRecorded(b *testing.B) {
	for _, effect := range []call.Effect{call.Read, call.Write} {
		for _, cold := range []int{0, 4 << 20} {
			name := map[bool]string{false: "warm", true: "cold"}[cold > 0]
			b.Run(string(effect)+"/"+name, func(b *testing.B) {
				r, c := recordedCall(b, effect)
				other, took := make([]byte, cold), make([]float64, 0, 1<<16)
				b.ReportAllocs()
				for b.Loop() {
					for i := 0; i < len(other); i += 64 {
						other[i]++
					}
					began := time.Now()
					r.Execute(context.Background(), c)
					if len(took) < cap(took) {
						took = append(took, float64(time.Since(began).Nanoseconds()))
					}
				}
				slices.Sort(took)
				b.ReportMetric(took[len(took)/2], "ns/op")
			})
		}
	}
}

// Of what a recorded call allocates, 7.8 KB are bytes that somebody else gets: arguments, payload, result with its structure,
// digest. The rest must not grow unnoticed.
func TestRecordedCallIsFrugal(t *testing.T) {
	if shared.Race {
		t.Skip("under -race pools forget")
	}
	for effect, most := range map[call.Effect]struct{ allocs, bytes uint64 }{call.Read: {24, 9_800}, call.Write: {29, 10_100}} {
		r, c := recordedCall(t, effect)
		r.Execute(context.Background(), c)
		const calls = 200
		allocs, bytes := ^uint64(0), ^uint64(0)
		gc := debug.SetGCPercent(-1)
		for range 5 { // whenever the scheduler moves a call to another processor, the pools there may be empty
			var before, after stdruntime.MemStats
			stdruntime.ReadMemStats(&before)
			for range calls {
				r.Execute(context.Background(), c)
			}
			stdruntime.ReadMemStats(&after)
			allocs, bytes = min(allocs, (after.Mallocs-before.Mallocs)/calls), min(bytes, (after.TotalAlloc-before.TotalAlloc)/calls)
		}
		debug.SetGCPercent(gc)
		if allocs > most.allocs {
			t.Errorf("%s: %d allocations, want %d at most", effect, allocs, most.allocs)
		}
		if bytes > most.bytes {
			t.Errorf("%s: %d bytes, want %d at most", effect, bytes, most.bytes)
		}
	}
}
