package transporttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
)

// Tool is the name of the plugin that [Handler] is the code of.
const Tool = "Probe"

// The commands of the handler.
const (
	echo     = "Echo"     // gives its arguments back
	answer   = "Answer"   // gives the member payload of its arguments as payload
	surround = "Surround" // gives everything else that it sees of the call
	progress = "Progress" // reports three times
	big      = "Big"      // gives a string of the length n
	file     = "File"     // makes a resource
	wait     = "Wait"     // waits for the end of the context, then gives up
	late     = "Late"     // waits for the end of the context, then answers
	deaf     = "Deaf"     // goes on until it is released, whatever happens
	fails    = "Fails"    // returns an error
	panics   = "Panics"   // panics
)

// began and ended are files in the data folder that tell a test what a plugin in another process does. It makes released, which
// tells the plugin that it may end.
const (
	began    = "began"
	ended    = "ended"
	released = "released"
)

// errProbe is what the command Fails returns.
var errProbe = errors.New("the probe fails")

// Handler returns the plugin that [Test] calls.
func Handler() call.Handler { return call.HandlerFunc(handle) }

func handle(ctx context.Context, in call.Invocation) ([]byte, error) {
	var t wire.Tape
	if err := t.Scan(in.Arguments, wire.Limits{}); err != nil {
		return nil, err
	}
	argument := func(name string) []byte {
		at, ok := t.Lookup("/" + name)
		if !ok {
			return nil
		}
		return bytes.Clone(t.Raw(at))
	}
	switch in.Command {
	case echo:
		return success(in.Arguments), nil
	case answer:
		return argument("payload"), nil
	case surround:
		return success(surroundings(&in)), nil
	case progress:
		if in.Progress != nil {
			half, _ := wire.ParseNumber("0.50")
			in.Progress(call.Progress{Stage: "start"})
			in.Progress(call.Progress{Stage: "work", Share: wire.Some(half), Message: "half \"done\""})
			in.Progress(call.Progress{Stage: "end", Share: wire.Some(wire.NumberOf(1))})
		}
		return success([]byte("null")), nil
	case big:
		n, err := strconv.Atoi(string(argument("n")))
		if err != nil {
			return nil, err
		}
		return success([]byte(`"` + strings.Repeat("x", n) + `"`)), nil
	case file:
		draft, err := in.Resources.Write(call.Draft{ID: "f", Kind: "text", FileName: "a.txt"}, strings.NewReader("content"))
		if err != nil {
			return nil, err
		}
		return fmt.Appendf(nil, `{"status":"success","data":{"$resource":"f"},"resources":[%s],"warnings":[],"extensions":{}}`, draft), nil
	case wait, late:
		if err := mark(&in, began); err != nil {
			return nil, err
		}
		<-ctx.Done()
		if err := mark(&in, ended); err != nil {
			return nil, err
		}
		if in.Command == late {
			return success([]byte(`"too late"`)), nil
		}
		return nil, ctx.Err()
	case deaf:
		if err := mark(&in, began); err != nil {
			return nil, err
		}
		for start := time.Now(); time.Since(start) < 2*hang; time.Sleep(time.Millisecond) {
			if _, err := os.Stat(filepath.Join(in.DataDir, released)); err == nil {
				break
			}
		}
		return success([]byte("null")), nil
	case fails:
		return nil, errProbe
	case panics:
		panic("the probe panics")
	}
	return call.UnknownCommand(in), nil
}

func success(data []byte) []byte {
	return fmt.Appendf(nil, `{"status":"success","data":%s,"resources":[],"warnings":[],"extensions":{}}`, data)
}

// surroundings is what a handler sees beside its command and arguments, as JSON.
func surroundings(in *call.Invocation) []byte {
	var actor call.Actor
	if in.Actor != nil {
		actor = *in.Actor
	}
	_, err := os.Stat(in.DataDir)
	out := []byte("[")
	for _, text := range []string{
		in.InvocationID, in.RequestID, in.TaskID, in.Source, actor.Type, actor.ID, actor.Name, actor.Maid, in.RequestIP,
		in.DataDir, strconv.FormatBool(err == nil), in.Deadline.UTC().Format(time.RFC3339Nano),
	} {
		out = append(wire.AppendQuoted(out, text), ',')
	}
	return append(append(out, in.Config...), ']')
}

// mark tells the test where the command is.
func mark(in *call.Invocation, name string) error {
	return os.WriteFile(filepath.Join(in.DataDir, name), nil, 0o600)
}
