// Package sdk makes a program out of a handler: a plugin that is started for each call and speaks frames on
// its standard streams (specification §11). [Main] is a plugin's main function:
//
//	func main() { sdk.Main(contract.Bind(Plugin{})) }
//
// A call frame comes in on the standard input, an answer goes out on the standard output. The handler sees what
// a direct handler sees, so one plugin can be both.
//
// # What the handler may rely on
//
//   - Its context ends with SIGTERM, SIGINT or the deadline of the call.
//   - A panic and an error become the answer INTERNAL_ERROR; their text and the stack go to the standard error.
//   - [os.Stdout] is the standard error, so that a stray print does not break the protocol.
//   - [call.Invocation.Resources] writes below the data folder; it is nil when there is none.
//   - [call.Invocation.Tool] is empty: a frame does not name the tool.
//
// The package reads no environment, checks no argument against a schema (the runtime did), and links neither a
// schema compiler nor an encoder of open values, because a process is started for every call.
//
// # Exit codes
//
// 0: an answer was written, whatever it says. 1: it could not be written. 2: no call came in.
package sdk

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
)

// The exit codes.
const (
	exitAnswered = 0
	exitUnheard  = 1
	exitNoCall   = 2
)

// Main serves one call and ends the process.
func Main(h call.Handler) {
	out := os.Stdout
	os.Stdout = os.Stderr
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	code := serve(ctx, h, os.Stdin, out, os.Stderr)
	stop()
	os.Exit(code)
}

// serve is Main without the process.
func serve(ctx context.Context, h call.Handler, in io.Reader, out, log io.Writer) (code int) {
	line, err := readLine(in)
	if err != nil {
		_, _ = fmt.Fprintf(log, "no call on the standard input: %v\n", err)
		return exitNoCall
	}
	w := &writer{out: out}
	invocation, err := readCall(line)
	if err != nil {
		_, _ = fmt.Fprintf(log, "the line on the standard input is no call: %v\n", err)
		return exitNoCall
	}
	w.id = invocation.InvocationID
	invocation.Progress = w.progress
	if invocation.DataDir != "" {
		invocation.Resources = &resources{dir: invocation.DataDir, call: invocation.InvocationID}
	}
	if !invocation.Deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, invocation.Deadline)
		defer cancel()
	}
	if err := w.result(answer(ctx, h, invocation, log)); err != nil {
		_, _ = fmt.Fprintf(log, "the answer could not be written: %v\n", err)
		return exitUnheard
	}
	return exitAnswered
}

// answer calls the handler and turns every way to leave it into a payload.
func answer(ctx context.Context, h call.Handler, in call.Invocation, log io.Writer) (payload []byte) {
	done := make(chan []byte, 1)
	go func() { // so that runtime.Goexit in a handler ends this goroutine and not the answer
		returned := false
		defer func() {
			if !returned {
				v := recover()
				_, _ = fmt.Fprintf(log, "%s panicked: %v\n\n%s", in.Command, v, debug.Stack())
				done <- broken(in.Command+" broke down", `{"reason":"`+string(errcode.Panic)+`"}`)
			}
		}()
		payload, err := h.Handle(ctx, in)
		returned = true
		switch {
		case err == nil:
		case ctx.Err() != nil && errors.Is(err, ctx.Err()):
			payload = ended(ctx.Err())
		default:
			_, _ = fmt.Fprintf(log, "%s failed: %v\n", in.Command, err)
			payload = broken(in.Command+" failed and gave no payload", "")
		}
		done <- payload
	}()
	return <-done
}

func broken(message, details string) []byte {
	f := &call.Failure{Code: errcode.InternalError, Message: message, Details: wire.Raw(details)}
	return f.Payload()
}

// ended is the answer of a handler that gave up because its context ended. The runtime has decided by then;
// a shell sees it.
func ended(cause error) []byte {
	f := &call.Failure{Status: call.Cancelled, Code: errcode.ToolCancelled, Message: "the call was cancelled"}
	if errors.Is(cause, context.DeadlineExceeded) {
		f = &call.Failure{Status: call.Timeout, Code: errcode.ToolTimeout, Message: "the call did not end before its deadline"}
	}
	return f.Payload()
}

// TooLongError says that a call is longer than any that a runtime sends.
type TooLongError struct{ Limit int }

// Error says it in a sentence.
func (e *TooLongError) Error() string { return fmt.Sprintf("it is longer than %d bytes", e.Limit) }

// maxCall bounds a call: arguments, and as much again for its configuration and the rest.
const maxCall = 32 << 20

// readLine reads the first line that is not blank.
func readLine(in io.Reader) ([]byte, error) {
	r := bufio.NewReaderSize(in, 4<<10)
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxCall:
			return nil, &TooLongError{Limit: maxCall}
		case errors.Is(err, bufio.ErrBufferFull):
		case blank(line) && err == nil:
			line = line[:0]
		case err != nil && (!errors.Is(err, io.EOF) || blank(line)):
			return nil, err
		default:
			return line, nil
		}
	}
}

func blank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}

// writer writes frames, one at a time, and nothing after the answer.
type writer struct {
	id  string
	out io.Writer

	mu     sync.Mutex
	buf    []byte
	closed bool
}

func (w *writer) head(kind string) {
	w.buf = append(w.buf[:0], `{"vcp":"`...)
	w.buf = append(w.buf, kind...)
	w.buf = append(w.buf, `","version":"1.0","id":`...)
	w.buf = wire.AppendQuoted(w.buf, w.id)
	w.buf = append(w.buf, `,"payload":`...)
}

// result writes the answer.
func (w *writer) result(payload []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.head("tool-result")
	w.buf = appendLine(w.buf, payload)
	w.buf = append(w.buf, "}\n"...)
	_, err := w.out.Write(w.buf)
	return err
}

// progress writes a report. It is a [call.Invocation.Progress]. A reader that is gone is no reason to fail.
func (w *writer) progress(p call.Progress) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.head("tool-progress")
	w.buf = append(w.buf, `{"stage":`...)
	w.buf = wire.AppendQuoted(w.buf, p.Stage)
	w.buf = append(w.buf, `,"progress":`...)
	if share, told := p.Share.Get(); told {
		w.buf = share.AppendJSON(w.buf)
	} else {
		w.buf = append(w.buf, "null"...)
	}
	w.buf = append(w.buf, `,"message":`...)
	if p.Message == "" {
		w.buf = append(w.buf, "null"...)
	} else {
		w.buf = wire.AppendQuoted(w.buf, p.Message)
	}
	w.buf = append(w.buf, "}}\n"...)
	_, _ = w.out.Write(w.buf)
}

// appendLine appends a JSON value without line ends, which can only stand between tokens.
func appendLine(dst, value []byte) []byte {
	for _, c := range value {
		if c == '\n' || c == '\r' {
			return wire.AppendCompact(dst, value)
		}
	}
	return append(dst, value...)
}
