package fuzz

import (
	"errors"
	"slices"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/results"
	"vcp.core/runtime/result"
)

// asScanned holds a result that was opened while it was written against the same result scanned: the text, the
// structure, and whether there is one.
func asScanned(t *testing.T, p result.Parts) {
	t.Helper()
	made, plain := result.SealOpen(p), result.Seal(p)
	if made.String() != plain.String() || made.ID() != plain.ID() || made.Status() != plain.Status() || made.Code() != plain.Code() {
		t.Fatalf("two results of one:\n%s\n%s", made, plain)
	}
	got, err := result.Open(made)
	want, scanned := result.Open(plain)
	if (err == nil) != (scanned == nil) {
		t.Fatalf("opened: %v, scanned: %v\n%s", err, scanned, plain)
	}
	if err != nil {
		if e := new(wire.Error); !errors.As(err, &e) || e.Error() != scanned.Error() {
			t.Fatalf("opened: %v, scanned: %v", err, scanned)
		}
		return
	}
	if string(got.Tape().Source()) != plain.String() || !slices.Equal(got.Tape().Nodes(), want.Tape().Nodes()) {
		t.Fatalf("the structure of %s\n%v\nis not the scanned one\n%v", plain, got.Tape().Nodes(), want.Tape().Nodes())
	}
	for m := result.Protocol; m <= result.Extensions; m++ {
		if got.At(m) != want.At(m) || got.Member(m) != want.Member(m) {
			t.Fatalf("%v is at %d, scanned at %d", m, got.At(m), want.At(m))
		}
	}
	if got.ID() != want.ID() || got.String() != want.String() || got.Len() != want.Len() || got.Status() != want.Status() || got.Code() != want.Code() {
		t.Fatalf("opened as %s, scanned as %s", got, want)
	}
}

// What SealOpen makes of the parts of a result is what a scan of its text finds, for results of all shapes.
func TestOpenedAsScanned(t *testing.T) {
	for seed := range uint64(1500) {
		m := results.New(seed)
		p := m.Parts(results.Statuses[seed%uint64(len(results.Statuses))])
		if seed%3 == 0 {
			p.Policy.Sensitive = true
			p.Policy.Redactions = []result.Redaction{{Rule: "secret", Target: "/data/" + m.String()}, {Rule: m.String(), Target: "/error"}}
		}
		if seed%2 == 0 { // data as the runtime has it: a part of a scanned document
			document := []byte(`{"a":[1, true],"data":` + m.Data() + `,"z":"` + "\u00e9" + `"}`)
			var tape wire.Tape
			if err := tape.Scan(document, wire.Limits{}); err != nil {
				t.Fatal(err)
			}
			at, _ := tape.Find(tape.Root(), "data")
			p.Data = result.At(&tape, at)
		}
		asScanned(t, p)
	}
}

// FuzzSealOpen seals data and words of the fuzzer's choice. choice says where they stand, and whether data is a part of a
// scanned document or bytes, which may be no JSON.
func FuzzSealOpen(f *testing.F) {
	for i, s := range results.Hostile {
		f.Add([]byte(results.New(uint64(i)).Data()), s, uint16(i*37))
	}
	f.Add([]byte(" {\n \"a\" : [ 1 , \"\\u0041\" , { } ] , \"\u00e9\" : null } "), "\xff\"\\\x00\x7f", uint16(0x1ff))
	f.Add([]byte(`{"a":1,"a":2}`), "", uint16(0))
	f.Add([]byte(`1 2`), "x", uint16(6))
	f.Add([]byte(`{},"more":[]`), "x", uint16(4))
	f.Add([]byte(`[[[[]]],{"a":{}},"",-0.0e1,true,false]`), "工具", uint16(0xffff))
	f.Fuzz(func(t *testing.T, data []byte, words string, choice uint16) {
		if len(data) > 1<<16 {
			return
		}
		v := result.Bytes(data)
		if choice&1 != 0 {
			var tape wire.Tape
			if tape.Scan(data, wire.Limits{}) != nil {
				return
			}
			v = result.At(&tape, 0)
			if choice&2 != 0 && tape.Len() > 1 {
				at := 1 + int(choice>>8)%(tape.Len()-1)
				if tape.Node(at).Flags&wire.Name == 0 {
					v = result.At(&tape, at)
				}
			}
		}
		p := result.Parts{ID: words, Status: call.Status(words)}
		p.Tool.Name, p.Tool.Command = words, wire.OrNull(words)
		p.Execution.InvocationID, p.Execution.StartedAt = words, time.Unix(int64(choice)<<20, int64(choice)<<12).In(time.FixedZone("", int(choice)))
		if choice&4 != 0 {
			p.Data = v
		} else {
			p.Extensions, p.Warnings = v, v
		}
		if choice&8 != 0 {
			p.Actor = &call.Actor{Type: words, Maid: words}
		}
		if choice&16 != 0 {
			p.Error = &result.ErrorPart{Code: errcode.Code(words), Message: result.Text(words), Details: v, Retryable: choice&1 != 0}
		}
		if choice&32 != 0 {
			p.Task = &result.TaskPart{ID: words, Progress: v, Placeholder: words}
		}
		if choice&64 != 0 {
			p.Policy.Redactions = []result.Redaction{{Rule: words, Target: words}, {}}
		}
		asScanned(t, p)
	})
}
