package fuzz

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/runtime/transport/stdio/frame"
)

// cutter gives its text in pieces whose lengths are the bytes of cuts, over and over.
type cutter struct {
	text, cuts []byte
	reads      int
}

func (c *cutter) Read(p []byte) (int, error) {
	if len(c.text) == 0 {
		return 0, io.EOF
	}
	n := len(p)
	if len(c.cuts) > 0 {
		n = min(n, 1+int(c.cuts[c.reads%len(c.cuts)]))
		c.reads++
	}
	n = copy(p[:n], c.text)
	c.text = c.text[n:]
	return n, nil
}

// framed is everything that a frame reader says about an output.
type framed struct {
	payload  string
	answered bool
	fault    frame.Fault
	progress string
	dropped  int
}

func readFrames(t *testing.T, output, cuts []byte, id string, limit int) framed {
	t.Helper()
	var f framed
	decided := 0
	r := &frame.Reader{ID: id, Limits: wire.Limits{Bytes: limit}, Decided: func() { decided++ }, Progress: func(p call.Progress) {
		f.progress += p.Stage + "\x00" + p.Share.Or(wire.NumberOf(-1)).String() + "\x00" + p.Message + "\x00"
	}}
	err := r.Read(&cutter{text: output, cuts: cuts})
	r.End()
	f.payload, f.answered, f.dropped = string(r.Payload()), r.Payload() != nil, r.Dropped()
	if r.Fault() != nil {
		f.fault = *r.Fault()
	}
	if over, _ := errors.AsType[*frame.Fault](err); err != nil && (over == nil || over != r.Fault()) {
		t.Fatalf("Read = %v", err)
	}
	if known := f.answered || r.Fault() != nil; known && decided != 1 || !known && decided != 0 {
		t.Fatalf("Decided was called %d times", decided)
	}
	return f
}

// FuzzFrames gives a frame reader any output, cut in any way. It must not panic, say the same however the output
// is cut, and:
//
//   - without a fault every line that is not blank is a frame, one of them the answer if there is one, and the
//     payload is what stands in it, byte for byte. encoding/json is the judge of that;
//   - a fault has a reason of the closed set, at most 200 characters of valid UTF-8 as quotation, and a line;
//   - an answer that the package writes itself, put behind an output without a fault or answer, is read back.
func FuzzFrames(f *testing.F) {
	const good = `{"vcp":"tool-result","version":"1.0","payload":{"a":[9007199254740993,1.10,"}\n\u00e9世😀"]}}`
	const report = `{"vcp":"tool-progress","version":"1.0","id":"i","payload":{"stage":"s","progress":0.5,"message":null}}`
	for _, output := range []string{
		good, good + "\r\n", "\n \n" + report + "\n" + good + "\n" + report, good + "\n" + good, "banner\n" + good,
		"\ufeff" + good, good[:40], "\xff\xfe{\x00", `{"vcp":"tool-result","version":"2","payload":1}`, `{"vcp":"tool-result","version":"1.0","id":"j","payload":1}`,
		`{"vcp":"tool-result","version":"1.0","payload":1,"payload":2}`, `{"vcp":"tool-result","version":"1.0","payload":"\ud800"}`, "{", "", "\r", "{\n}",
		strings.Repeat("x", 300), strings.Repeat("世\n", 300), strings.Repeat(" ", 5000) + good,
	} {
		f.Add([]byte(output), []byte{0}, uint16(4096), true)
		f.Add([]byte(output), []byte{2, 0, 90}, uint16(90), false)
	}
	f.Fuzz(func(t *testing.T, output, cuts []byte, limit uint16, named bool) {
		id := ""
		if named {
			id = "i"
		}
		bound := int(limit) + 1
		got := readFrames(t, output, nil, id, bound)
		for _, c := range [][]byte{cuts, {0}} {
			if other := readFrames(t, output, c, id, bound); other != got {
				t.Fatalf("%q, limit %d\n in one piece %+v\ncut by %v %+v", output, bound, got, c, other)
			}
		}
		fault := got.fault
		if fault.Reason == "" {
			lines(t, output, got, id)
			if !got.answered {
				again(t, output, id)
			}
			return
		}
		if !fault.Reason.Known() || fault.Line < 1 || fault.Line > 1+bytes.Count(output, []byte("\n")) || fault.Detail == "" {
			t.Fatalf("%q: %+v", output, fault)
		}
		if n := len([]rune(fault.Quote)); n > 200 || strings.ToValidUTF8(fault.Quote, "") != fault.Quote {
			t.Fatalf("%q: a quotation of %d characters: %q", output, n, fault.Quote)
		}
	})
}

// lines reads an output without a fault line by line.
func lines(t *testing.T, output []byte, got framed, id string) {
	t.Helper()
	answers := 0
	for line := range bytes.SplitSeq(output, []byte("\n")) {
		if len(bytes.Trim(line, " \t\r")) == 0 {
			continue
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(line, &members); err != nil {
			t.Fatalf("%q was accepted: %v", line, err)
		}
		text := func(name string) (s string) {
			if err := json.Unmarshal(members[name], &s); err != nil {
				t.Fatalf("%q was accepted: %s: %v", line, name, err)
			}
			return s
		}
		if text("version") != "1.0" || members["id"] != nil && id != "" && text("id") != id || members["payload"] == nil {
			t.Fatalf("%q was accepted", line)
		}
		switch kind := text("vcp"); kind {
		case "tool-result":
			answers++
			if string(members["payload"]) != got.payload {
				t.Fatalf("%q has the payload %q", line, got.payload)
			}
		case "tool-progress":
		default:
			t.Fatalf("%q was accepted", line)
		}
	}
	if answers > 1 || (answers == 1) != got.answered {
		t.Fatalf("%q: %d answers, %+v", output, answers, got)
	}
}

// again puts an answer behind an output.
func again(t *testing.T, output []byte, id string) {
	t.Helper()
	const payload = `{"n":9007199254740993,"s":"}\"é世😀"}`
	whole := frame.AppendResult(append(bytes.Clone(output), '\n'), id, []byte(payload))
	if got := readFrames(t, whole, nil, id, 1<<20); got.payload != payload || got.fault.Reason != "" {
		t.Fatalf("%q: %+v", whole, got)
	}
}
