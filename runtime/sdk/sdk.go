// Package sdk makes a program out of a handler: a plugin that speaks frames on its standard streams (specification
// §11). [Main] is a plugin's main function:
//
//	func main() { sdk.Main(contract.Bind(Plugin{})) }
//
// Call frames come in on the standard input, answers go out on the standard output, until the input ends. So one
// program serves both: started for one call, it gets one frame and the end; kept (communication.workers of the
// manifest), it gets frame after frame. Calls that come while others are at work run beside them: how many that can
// be is the manifest's word (communication.workers.inFlight, 1 by default), not the program's. The handler sees what a
// direct handler sees, so one plugin can be all three.
//
// # What the handler may rely on
//
//   - Its context ends with a cancel frame for its call, with SIGTERM, SIGINT or the deadline of the call. A second SIGINT
//     ends the program.
//   - A panic and an error become the answer INTERNAL_ERROR; their text and the stack go to the standard error.
//   - [os.Stdout] is the standard error, so that a stray print does not break the protocol.
//   - [call.Invocation.Resources] writes below the data folder; it is nil when there is none.
//   - [call.Invocation.Tool] is empty: a frame does not name the tool.
//
// The package reads no environment, checks no argument against a schema (the runtime did), and links neither a
// schema compiler nor an encoder of open values, because a process may be started for every call.
//
// # Exit codes
//
// 0: every call was answered, whatever the answer says. 1: an answer could not be written. 2: no call came in.
package sdk

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

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

// Main serves calls until the standard input ends, and ends the process.
func Main(h call.Handler) {
	out := os.Stdout
	os.Stdout = os.Stderr
	os.Exit(serve(untilTold(), h, os.Stdin, out, os.Stderr))
}

// serve is Main without the process.
func serve(ctx context.Context, h call.Handler, in io.Reader, out, log io.Writer) (code int) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &server{handler: h, out: writer{out: out, broken: stop}, log: &locked{out: log}, calls: map[string]context.CancelFunc{}, over: make(chan struct{})}
	go s.read(ctx, bufio.NewReaderSize(in, 4<<10))
	select {
	case <-s.over:
	case <-ctx.Done(): // what still comes in is not for us any more
	}
	return s.end()
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

// readLine reads the next line that is not blank.
func readLine(r *bufio.Reader) ([]byte, error) {
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
