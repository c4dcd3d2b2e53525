package sdk

import (
	"fmt"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
)

// FrameError says what a line lacks to be a call.
type FrameError struct {
	Member string // a JSON Pointer into the frame
	Want   string
}

// Error says it in a sentence.
func (e *FrameError) Error() string { return fmt.Sprintf("%s is not %s", e.Member, e.Want) }

// frame is what came in on a line.
type frame struct {
	in     call.Invocation
	cancel bool // the call is to end; only its id is told
}

// widest is a line whose tape is kept for the next one.
const widest = 64 << 10

// readFrame reads a call or the end of one. It looks at what it needs: the frame comes from the runtime, whose tests
// hold it against its schema. The invocation owns the line, and nothing of the tape.
func readFrame(t *wire.Tape, line []byte) (f frame, err error) {
	defer func() {
		if t.Reset(); len(line) > widest {
			*t = wire.Tape{}
		}
	}()
	limits := wire.DefaultLimits()
	limits.Bytes = maxCall
	limits.Depth += 2
	limits.Nodes += 64 // the frame around arguments and configuration
	if err := t.Scan(line, limits); err != nil {
		return f, err
	}
	r := reader{tape: t}
	kind := r.text("/vcp")
	if f.cancel = kind == "tool-cancel"; !f.cancel && kind != "tool-call" {
		return f, &FrameError{Member: "/vcp", Want: `"tool-call"`}
	}
	if r.text("/version") != "1.0" {
		return f, &FrameError{Member: "/version", Want: `"1.0"`}
	}
	if f.cancel {
		f.in.InvocationID = r.text("/id")
		return f, nil
	}
	f.in, err = r.call()
	return f, err
}

// call reads a call frame.
func (r reader) call() (in call.Invocation, err error) {
	in = call.Invocation{
		Command:      r.text("/payload/command"),
		Arguments:    r.object("/payload/arguments"),
		InvocationID: r.text("/id"),
		RequestID:    r.text("/payload/context/requestId"),
		TaskID:       r.text("/payload/context/taskId"),
		Source:       r.text("/payload/context/source"),
		RequestIP:    r.text("/payload/context/requestIp"),
		Config:       r.object("/payload/context/config"),
		DataDir:      r.text("/payload/context/dataDir"),
		Now:          time.Now(),
	}
	if at, ok := r.tape.Lookup("/payload/context/actor"); ok && r.tape.Kind(at) == wire.KindObject {
		const actor = "/payload/context/actor/"
		in.Actor = &call.Actor{Type: r.text(actor + "type"), ID: r.text(actor + "id"), Name: r.text(actor + "name"), Maid: r.text(actor + "maid")}
	}
	if deadline := r.text("/payload/context/deadline"); deadline != "" {
		if in.Deadline, err = time.Parse(time.RFC3339, deadline); err != nil {
			return in, &FrameError{Member: "/payload/context/deadline", Want: "a time"}
		}
	}
	switch {
	case in.Command == "":
		return in, &FrameError{Member: "/payload/command", Want: "a name"}
	case in.Arguments == nil:
		return in, &FrameError{Member: "/payload/arguments", Want: "an object"}
	case in.Config == nil:
		return in, &FrameError{Member: "/payload/context/config", Want: "an object"}
	}
	return in, nil
}

// reader reads members of a scanned frame.
type reader struct{ tape *wire.Tape }

// text returns a string, "" for null, another type and an absent member.
func (r reader) text(pointer string) string {
	at, ok := r.tape.Lookup(pointer)
	if !ok || r.tape.Kind(at) != wire.KindString {
		return ""
	}
	return r.tape.String(at)
}

// object returns the bytes of an object, nil for anything else.
func (r reader) object(pointer string) []byte {
	at, ok := r.tape.Lookup(pointer)
	if !ok || r.tape.Kind(at) != wire.KindObject {
		return nil
	}
	return r.tape.Raw(at)
}
