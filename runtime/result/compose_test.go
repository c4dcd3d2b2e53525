package result

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	v1 "vcp.core/generated/protocol/v1"
)

// scanned is the structure that a scan of the result finds.
func scanned(t *testing.T, s *Sealed) []wire.Node {
	t.Helper()
	v, err := open(s)
	if err != nil {
		t.Fatal(err)
	}
	return v.tape.Nodes()
}

// A result is opened while it is written, whatever its values are: parts of documents or bytes, with whitespace or
// without. Only where the text would be beyond the limits of a scan it is left to that.
func TestOpenedWhileWritten(t *testing.T) {
	nested := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	wide := func(members int) string {
		var b strings.Builder
		for i := range members {
			b.WriteString(string(rune(0x4e00+i%1000)) + string(rune(0x4e00+i/1000)) + `":1,"`)
		}
		return `{"` + b.String() + `z":1}`
	}
	tests := []struct {
		name, data string
		composed   bool
	}{
		{"number", `-0.5e+3`, true},
		{"compact", `{"a":[1,2.0,"x\n","é"],"é\"":{}}`, true},
		{"spaced", "{ \"a\" : [ 1 ,\t2.0, \"x y\\n\" , [ ] ] ,\r\n \"b\" : { } }", true},
		{"many containers", "[" + strings.Repeat("[[]],", 3000) + "[]]", true},
		{"deep", nested(2000), true},
		{"deepest", nested(2046), true},
		{"too deep", nested(2048), false},
		{"wide", wide(65_535), true},
		{"too wide", wide(65_536), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var tape wire.Tape
			unlimited := wire.Limits{Bytes: 1 << 24, Depth: 1 << 24, Nodes: 1 << 24, Members: 1 << 24}
			document := `[true,` + tt.data + `]`
			if err := tape.Scan([]byte(document), unlimited); err != nil {
				t.Fatal(err)
			}
			for name, v := range map[string]Value{"bytes": Bytes([]byte(tt.data)), "tape": At(&tape, 2)} {
				p := full()
				p.Data, p.Error.Details = v, Value{}
				s := SealOpen(p)
				if (s.whole.v != nil) != tt.composed {
					t.Fatalf("%s: opened while written: %v", name, s.whole.v != nil)
				}
				v, err := Open(s)
				if (err == nil) != tt.composed {
					t.Fatalf("%s: Open: %v", name, err)
				}
				if err == nil && !slices.Equal(v.tape.Nodes(), scanned(t, s)) {
					t.Fatalf("%s: the structure is not the scanned one: %s", name, s)
				}
			}
		})
	}
}

// What is no JSON is not opened, and the next result does not suffer from it.
func TestOddPartIsNotOpened(t *testing.T) {
	p := full()
	for _, odd := range []string{`1,2`, ` `, `{"a":1,"a":2}`, `"`} {
		p.Data = Bytes([]byte(odd))
		if v, err := Open(SealOpen(p)); err == nil {
			t.Errorf("%s was opened: %s", odd, v)
		}
	}
	p = full()
	if s := SealOpen(p); s.whole.v == nil || !slices.Equal(s.whole.v.tape.Nodes(), scanned(t, s)) {
		t.Error("the result after them is not opened while written")
	}
}

// The members that the core fills are written as their generated types write themselves.
func TestEnvelopeAsGenerated(t *testing.T) {
	none := wire.Nullable[string]{}
	for _, word := range []string{"", "x", "日程 \"\n", "\xff"} {
		p := minimal()
		p.Tool = v1.Tool{Name: word, DisplayName: wire.NotNull(word), Version: none, Command: wire.OrNull(word)}
		p.Origin = v1.Origin{Source: word, NodeID: none, ServerID: wire.NotNull(word), Distributed: word == "", RequestIP: wire.OrNull(word)}
		p.Policy = PolicyPart{Classification: Restricted, Sensitive: word == "x", Redactions: []Redaction{{Rule: word, Target: word}, {}}}
		p.Actor = &call.Actor{Type: word, ID: word, Name: "n", Maid: word}
		p.Execution.RecordID, p.Execution.Timeout = word, time.Minute
		s := Seal(p)
		x := &p.Execution
		execution := v1.Execution{
			InvocationID: x.InvocationID, RequestID: x.RequestID, RecordID: wire.OrNull(word), StartedAt: "2026-07-11T15:30:00.000+08:00", FinishedAt: "2026-07-11T15:30:00.023+08:00",
			DurationMs: wire.IntOf(23), TimeoutMs: wire.NotNull(wire.IntOf(60_000)), Attempt: wire.IntOf(1),
		}
		actor := v1.Actor{Type: word, ID: wire.OrNull(word), Name: wire.NotNull("n"), Maid: wire.OrNull(word)}
		policy := v1.Policy{Classification: v1.PolicyClassification(Restricted), ContainsSensitiveData: word == "x"}
		for _, r := range p.Policy.Redactions {
			policy.RedactionsApplied = append(policy.RedactionsApplied, v1.Redaction{Rule: r.Rule, Target: r.Target})
		}
		for m, want := range map[Member][]byte{Execution: execution.AppendJSON(nil), Actor: actor.AppendJSON(nil), Tool: p.Tool.AppendJSON(nil), Origin: p.Origin.AppendJSON(nil), Policy: policy.AppendJSON(nil)} {
			if s.Member(m) != string(want) {
				t.Errorf("%v is %s, want %s", m, s.Member(m), want)
			}
		}
		if got := string(p.Policy.AppendJSON([]byte("x"))); got != "x"+s.Member(Policy) {
			t.Errorf("the part alone is %s", got)
		}
	}
}
