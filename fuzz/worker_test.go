//go:build unix

package fuzz

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/process"
	"vcp.core/runtime/transport/stdio/frame"
	"vcp.core/runtime/transport/stdio/kept"
)

// heard is everything that a stream tells of an output.
type heard struct{ text strings.Builder }

func (e *heard) Result(id, payload []byte) { fmt.Fprintf(&e.text, "result %q %s\n", id, payload) }
func (e *heard) Dropped(id []byte)         { fmt.Fprintf(&e.text, "dropped %q\n", id) }
func (e *heard) Progress(id []byte, p call.Progress) {
	fmt.Fprintf(&e.text, "progress %q %q %s %q\n", id, p.Stage, p.Share.Or(wire.NumberOf(-1)), p.Message)
}
func (e *heard) Fault(id []byte, f *frame.Fault) {
	fmt.Fprintf(&e.text, "fault %q %t %s %q %q\n", id, id == nil, f.Reason, f.Detail, f.Quote)
}

// streamed reads an output in pieces.
func streamed(output, cuts []byte, limit int) string {
	var e heard
	s := frame.Stream{Limits: wire.Limits{Bytes: limit}, Receiver: &e}
	src := &cutter{text: output, cuts: cuts}
	for {
		if _, err := s.Once(src.Read); err != nil {
			if errors.Is(err, io.EOF) {
				s.End()
			}
			return e.text.String()
		}
	}
}

// puppet is a worker's process without a process: it waits for a call, writes an output in pieces, and ends.
type puppet struct {
	output, cuts []byte
	code         int
	once         sync.Once
	over         chan struct{}
}

func (p *puppet) Terminate() { p.Kill() }
func (p *puppet) Kill() {
	p.once.Do(func() { close(p.over) })
}
func (p *puppet) Wait() (process.Ending, error) {
	<-p.over
	return process.Ending{Code: p.code}, nil
}

func (p *puppet) start() (*process.Process, error) {
	pipes, err := process.NewPipes()
	if err != nil {
		return nil, err
	}
	var ends [3]*os.File // of the process, as a process has them: its own
	for i, f := range pipes.Child() {
		if ends[i], err = dup(f); err != nil {
			return nil, err
		}
	}
	p.over = make(chan struct{})
	started := pipes.Started(p)
	go func() {
		defer p.Kill()
		defer func() {
			for _, f := range ends {
				_ = f.Close()
			}
		}()
		buf := make([]byte, 1<<16)
		if n, err := ends[0].Read(buf); err != nil || n == 0 {
			return
		}
		src := &cutter{text: p.output, cuts: p.cuts}
		for {
			n, err := src.Read(buf)
			if err != nil {
				return
			}
			if _, err := ends[1].Write(buf[:n]); err != nil {
				return
			}
		}
	}()
	return started, nil
}

// places are as many as anybody wants.
type places struct{}

func (places) Take(<-chan struct{}) bool { return true }
func (places) Give()                     {}
func (places) Wanted() bool              { return false }

// served gives a worker one call, and returns what becomes of it.
func served(t *testing.T, output, cuts []byte, limit, code int) (payload []byte, verdict string) {
	t.Helper()
	p := &puppet{output: output, cuts: cuts, code: code}
	var running transport.Tracker
	pool := kept.New(kept.Settings{
		Bounds: kept.Bounds{Max: 1, Idle: time.Minute}, Tool: "T", Start: p.start, Slots: places{}, Running: &running,
		Log: slog.New(slog.DiscardHandler), Limits: wire.Limits{Bytes: limit}, Stderr: 1 << 10, Linger: time.Minute,
	})
	reply, err := pool.Run(context.Background(), call.Invocation{Tool: "T", Command: "C", InvocationID: "i", Arguments: []byte("{}"), Config: []byte("{}")}, time.Second)
	pool.Close()
	if err := running.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err == nil {
		return reply.Payload, "a payload"
	}
	f, ok := errors.AsType[*transport.Failure](err)
	if !ok || !f.Started || f.Reason != "" && !f.Reason.Known() {
		t.Fatalf("Run = %#v", err)
	}
	return nil, fmt.Sprintf("%s %q %v", f, f.Quote, f.Details)
}

// FuzzWorker lets a kept worker write any output, cut in any way, and end. The stream of frames tells the same, and the
// call ends the same, however the output was cut. A payload stands in a line of the output that is a tool-result frame
// of the call, byte for byte, and there is nothing before it but reports and white space; encoding/json is the judge of
// that.
func FuzzWorker(f *testing.F) {
	const good = `{"vcp":"tool-result","version":"1.0","id":"i","payload":{"a":[9007199254740993,1.10,"}\n\u00e9世😀"]}}`
	const report = `{"vcp":"tool-progress","version":"1.0","id":"i","payload":{"stage":"s","progress":0.5,"message":null}}`
	for _, output := range []string{
		good, good + "\r\n", "\n \n" + report + "\n" + good + "\n" + report, good + "\n" + good, "banner\n" + good, good + "\nbanner",
		"\ufeff" + good, good[:40], "\xff\xfe{\x00", strings.Replace(good, "1.0", "2", 1), strings.Replace(good, `"i"`, `"j"`, 1) + "\n" + good,
		strings.Replace(good, `"i"`, `"\u0069"`, 1), strings.Replace(good, `"id":"i",`, "", 1), strings.Replace(good, `"i"`, "7", 1),
		strings.Replace(report, `"i"`, `""`, 1) + "\n" + good, strings.Replace(report, "0.5", "7", 1) + "\n" + good,
		`{"vcp":"tool-result","version":"1.0","id":"i"}`, "{", "", "\r", "{\n}", strings.Repeat("x", 300), strings.Repeat(" ", 5000) + good,
	} {
		f.Add([]byte(output), []byte{0}, uint16(4096), uint8(0))
		f.Add([]byte(output), []byte{2, 0, 90}, uint16(110), uint8(3))
	}
	f.Fuzz(func(t *testing.T, output, cuts []byte, limit uint16, code uint8) {
		bound := int(limit) + 1
		told := streamed(output, nil, bound)
		payload, verdict := served(t, output, nil, bound, int(code))
		for _, c := range [][]byte{cuts, {0}} {
			if other := streamed(output, c, bound); other != told {
				t.Fatalf("%q, limit %d\n in one piece %s\ncut by %v %s", output, bound, told, c, other)
			}
			if len(output) > 1000 && len(c) == 1 {
				continue // a system call for each byte
			}
			p, v := served(t, output, c, bound, int(code))
			if v != verdict || !bytes.Equal(p, payload) {
				t.Fatalf("%q, limit %d, exit code %d\n in one piece %s %s\ncut by %v %s %s", output, bound, code, verdict, payload, c, v, p)
			}
		}
		if verdict == "a payload" {
			stands(t, output, payload)
		}
	})
}

// stands looks for a payload in an output.
func stands(t *testing.T, output, payload []byte) {
	t.Helper()
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
		if text("version") != "1.0" || members["payload"] == nil {
			t.Fatalf("%q was accepted", line)
		}
		if id := text("id"); text("vcp") == "tool-progress" || id != "i" {
			if text("vcp") != "tool-progress" {
				t.Fatalf("%q was accepted", line)
			}
			continue
		}
		if text("vcp") != "tool-result" || string(members["payload"]) != string(payload) {
			t.Fatalf("%q has not the payload %q", line, payload)
		}
		return
	}
	t.Fatalf("%q has no payload %q", output, payload)
}
