package ai_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/shared"
	"vcp.core/presenters/ai"
	"vcp.core/runtime/result"
)

// table is a result with rows of about 100 bytes each, and some members before and behind them.
func table(size int) *result.Sealed {
	var b strings.Builder
	b.WriteString(`{"query":"all","rows":[`)
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"sch_%06d","time":"2026-07-12T10:00:00+08:00","content":"项目会议 %d","done":false}`, i, i)
	}
	b.WriteString(`],"total":12345}`)
	return result.Seal(result.Parts{ID: "tr_" + ulid, Status: "success", Data: result.Bytes([]byte(b.String())), Presentation: result.Bytes([]byte(`{"summary":"all of it"}`))})
}

func BenchmarkPresent(b *testing.B) {
	for _, c := range []struct {
		name string
		s    *result.Sealed
	}{{"10KB", table(10 << 10)}, {"1MB", table(1 << 20)}, {"16MB", table(16 << 20)}} {
		b.Run(c.name, func(b *testing.B) {
			v := open(b, c.s)
			b.ReportAllocs()
			for b.Loop() {
				ai.Present(v, ai.Options{})
			}
		})
	}
}

// A large result costs what is shown of it: 8 MiB take no longer than a fixed number of times as long as
// 1 MiB, whatever their shape, and nowhere near 8 times as long. (Resources are not among the shapes: omitted.resources
// names each of them.)
func TestCostFollowsWhatIsShown(t *testing.T) {
	shapes := map[string]func(size int) string{
		"one string":     func(n int) string { return `{"text":"` + strings.Repeat("line\\n", n/6) + `","end":1}` },
		"escapes":        func(n int) string { return `"` + strings.Repeat(`\u4f1a`, n/6) + `"` },
		"flat objects":   func(n int) string { return `[{"a":1}` + strings.Repeat(`,{"a":1}`, n/8-1) + `]` },
		"numbers":        func(n int) string { return `[1` + strings.Repeat(`,1`, n/2-1) + `]` },
		"lists of lists": func(n int) string { return `[[[]]` + strings.Repeat(`,[[1],"x"]`, n/10-1) + `]` },
		"long name":      func(n int) string { return `{"` + strings.Repeat("n", n) + `":1}` },
		"objects in rows": func(n int) string {
			return `[{"a":{"b":{"c":1}}}` + strings.Repeat(`,{"a":{"b":{"c":1}}}`, n/20-1) + `]`
		},
		"members": func(n int) string {
			var b strings.Builder
			b.WriteString(`{"k":0`)
			for i := 0; b.Len() < n; i++ {
				fmt.Fprintf(&b, `,"k%d":"%0150d"`, i, i)
			}
			return b.String() + `}`
		},
	}
	places := map[string]func(p *result.Parts, size int){}
	for name, shape := range shapes {
		places[name] = func(p *result.Parts, size int) { p.Data = result.Bytes([]byte(shape(size))) }
	}
	places["details"] = func(p *result.Parts, size int) {
		p.Error = &result.ErrorPart{Code: "INVALID_ARGUMENT", Message: result.Text("m"), Details: result.Bytes([]byte(shapes["members"](size)))}
	}
	places["violations"] = func(p *result.Parts, size int) {
		const one = `{"pointer":"/a","message":"expected a string"}`
		p.Error = &result.ErrorPart{Code: "INVALID_ARGUMENT", Message: result.Text("m"), Details: result.Bytes([]byte(`{"violations":[` + one + strings.Repeat(","+one, size/len(one)) + `]}`))}
	}
	places["warnings"] = func(p *result.Parts, size int) {
		const one = `{"code":"A.B","message":"m","details":{"a":1}}`
		p.Warnings = result.Bytes([]byte(`[` + one + strings.Repeat(","+one, size/len(one)) + `]`))
	}
	for name, fill := range places {
		t.Run(name, func(t *testing.T) {
			var views [2]*result.Visible
			for i, size := range []int{1 << 20, 8 << 20} {
				p := result.Parts{ID: "tr_" + ulid, Status: "success"}
				fill(&p, size)
				views[i] = open(t, result.Seal(p))
			}
			took := [2]time.Duration{time.Hour, time.Hour}
			follows := func() bool { return took[1] <= 4*took[0]+20*time.Millisecond }
			for round := 0; round < 3 || round < 30 && !follows(); round++ { // more of them when the collector is at work
				for i, v := range views {
					began := shared.Worked()
					for _, n := range []int{80, 1000, ai.DefaultMaxCharacters} {
						ai.Present(v, ai.Options{MaxCharacters: wire.Some(n)})
					}
					took[i] = min(took[i], shared.Worked()-began)
				}
			}
			if !follows() {
				t.Errorf("1 MiB takes %v, 8 MiB %v", took[0], took[1])
			}
			t.Logf("1 MiB %v, 8 MiB %v", took[0], took[1])
		})
	}
}
