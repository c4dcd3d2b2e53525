package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	schemas "vcp.core/gen/load"
	"vcp.core/gen/protocol"
	"vcp.core/gen/resolve"
	"vcp.core/runtime"
	"vcp.core/runtime/record"
	"vcp.core/runtime/store/storetest"
)

// What a whole durable call costs over a loop that only inserts rows of the same size: one caller and 64, without an
// intent (one commit a call) and with one (two). Both sides are validated, every call is recorded before it returns. The
// ratio is the loop's time by the calls', the median of rounds that take turns.
func BenchmarkExecute(b *testing.B) {
	for _, effect := range []call.Effect{call.Read, call.Write} {
		for _, callers := range []int{1, 64} {
			b.Run(fmt.Sprintf("%s/callers=%d", effect, callers), func(b *testing.B) { benchExecute(b, callers, effect) })
		}
	}
}

func benchExecute(b *testing.B, callers int, effect call.Effect) {
	s := (&file{path: filepath.Join(b.TempDir(), "store.db")}).Open(b).(*Store)
	text := validatorOf(b, `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`)
	spec := &call.Spec{
		Tool: "T", DisplayName: "Tool", Version: "1.2.3", Command: "Run", Kind: call.Synchronous, Protocol: "direct", Effect: effect,
		Discriminator: "command", Input: text, Output: text,
	}
	echo := call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
		return fmt.Appendf(nil, `{"status":"success","data":%s,"resources":[],"warnings":[],"extensions":{}}`, in.Arguments), nil
	})
	rt := runtime.New(call.NewTable([]*call.Spec{spec}), runtime.Bind("T", echo), runtime.Records(s))
	c := call.Call{
		Tool: "T", Command: "Run", Source: "bench", Actor: &call.Actor{Type: "agent", ID: "a-1", Name: "Nova"},
		Arguments: []byte(`{"text":"` + strings.Repeat("0123456789abcdef", 75) + `"}`),
	}
	bare, rows := newBare(b), storetest.NewRows(1)
	shape := rowOf(b, rt, s, c)
	size := 4 * 64
	if callers > 1 {
		size = 64 * 64
	}
	var ours, theirs []float64
	for b.Loop() {
		list := make([]work, size)
		for i := range list {
			// A row as large as those of the calls, with ids of its own.
			r := benchRecord(b, rows)
			r.Digest, r.Result.Text, r.Size = shape.Digest, shape.Result.Text, shape.Size
			list[i].entry.Record = &r
			if effect != call.Read {
				list[i].intent = rows.Intent()
				list[i].entry.Resolves = list[i].intent.InvocationID
			}
		}
		theirs = append(theirs, seconds(func() { bare.insert(b, list, callers, effect != call.Read) }))
		ours = append(ours, seconds(func() {
			var wg sync.WaitGroup
			for range callers {
				wg.Go(func() {
					for range size / callers {
						if got := rt.Execute(b.Context(), c); got.Status() != call.Success {
							b.Error(got)
						}
					}
				})
			}
			wg.Wait()
		}))
	}
	ratios := ratiosOf(ours, theirs)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(ours)/float64(size)*1e6, "µs/call")
	b.ReportMetric(median(theirs)/float64(size)*1e6, "µs/bare")
	b.ReportMetric(median(ratios), "bare/call")
	if err := rt.Close(context.Background()); err != nil {
		b.Error(err)
	}
}

// rowOf is what one call leaves in the store.
func rowOf(b *testing.B, rt *runtime.Runtime, s *Store, c call.Call) record.Record {
	b.Helper()
	r, err := s.Result(b.Context(), rt.Execute(b.Context(), c).ID())
	if err == nil {
		r, err = s.Record(b.Context(), r.ID) // with the digest
	}
	if err != nil {
		b.Fatal(err)
	}
	return r
}

func validatorOf(b *testing.B, text string) call.Validator {
	b.Helper()
	src, list := schemas.Parse("schema.json", []byte(text), wire.Limits{})
	root, more := resolve.Resolve(src, nil, resolve.Options{Registry: protocol.Registry()})
	program, rest := ir.Lower([]*resolve.Schema{root}, ir.Options{})
	if len(list)+len(more)+len(rest) > 0 {
		b.Fatal(list, more, rest)
	}
	return live.Compile(program).Root(0)
}
