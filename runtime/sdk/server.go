package sdk

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
)

// server answers the calls of a process.
type server struct {
	handler call.Handler
	out     writer
	log     io.Writer
	tape    wire.Tape     // of whoever reads
	lines   int           // read so far, by whoever reads
	over    chan struct{} // closed when nothing is read any more
	watch   watch

	mu      sync.Mutex
	calls   map[string]context.CancelFunc // that are at work, by id
	heard   int
	running int
	idle    chan struct{} // closed when nothing runs; nil while nobody waits for that
}

// read takes in lines until the input or the context ends, and closes over then.
func (s *server) read(reading context.Context, in *bufio.Reader) {
	for ctx := reading; ctx.Err() == nil; {
		line, err := readLine(in)
		s.lines++
		if err != nil {
			if !errors.Is(err, io.EOF) || s.lines == 1 {
				_, _ = fmt.Fprintf(s.log, "no call on the standard input: %v\n", err)
			}
			break
		}
		f, err := readFrame(&s.tape, line)
		switch {
		case err != nil:
			_, _ = fmt.Fprintf(s.log, "the line on the standard input is no call: %v\n", err)
		case f.cancel:
			s.cancel(f.in.InvocationID)
		default:
			ctx, end := s.begin(ctx, &f.in)
			if in.Buffered() > 0 { // there is more to do than this call
				go s.answer(ctx, end, f.in)
			} else if s.here(func() { s.answer(ctx, end, f.in) }, func() { s.read(reading, in) }) {
				return
			}
		}
	}
	close(s.over)
}

// here carries a call out in this goroutine. It returns true when it took so long that another one reads on.
func (s *server) here(answer, read func()) (passed bool) {
	number := s.watch.begin(read)
	ended := false
	defer func() {
		if passed = !s.watch.end(number); !passed && !ended { // runtime.Goexit in a handler ends this goroutine
			go read()
		}
	}()
	answer()
	ended = true
	return false
}

// begin counts a call in, before anything else is read.
func (s *server) begin(ctx context.Context, in *call.Invocation) (context.Context, context.CancelFunc) {
	var end context.CancelFunc
	if in.Deadline.IsZero() {
		ctx, end = context.WithCancel(ctx)
	} else {
		ctx, end = context.WithDeadline(ctx, in.Deadline)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard++
	s.calls[in.InvocationID] = end
	s.running++
	return ctx, end
}

// cancel ends the context of a call. One that has been answered has none.
func (s *server) cancel(id string) {
	s.mu.Lock()
	cancel := s.calls[id]
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// answer calls the handler and turns every way to leave it into a payload, runtime.Goexit too.
func (s *server) answer(ctx context.Context, end context.CancelFunc, in call.Invocation) {
	w := &answering{w: &s.out, id: in.InvocationID}
	in.Progress = w.progress
	if in.DataDir != "" {
		in.Resources = &resources{dir: in.DataDir, call: in.InvocationID}
	}
	var payload []byte
	returned := false
	defer func() {
		if !returned {
			v := recover()
			_, _ = fmt.Fprintf(s.log, "%s panicked: %v\n\n%s", in.Command, v, debug.Stack())
			payload = broken(in.Command+" broke down", `{"reason":"`+string(errcode.Panic)+`"}`)
		}
		end()
		if err := w.result(payload); err != nil {
			_, _ = fmt.Fprintf(s.log, "the answer could not be written: %v\n", err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.calls, in.InvocationID)
		if s.running--; s.running == 0 && s.idle != nil {
			close(s.idle)
			s.idle = nil
		}
	}()
	payload, err := s.handler.Handle(ctx, in)
	switch {
	case err == nil:
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		payload = ended(ctx.Err())
	default:
		_, _ = fmt.Fprintf(s.log, "%s failed: %v\n", in.Command, err)
		payload = broken(in.Command+" failed and gave no payload", "")
	}
	returned = true
}

// end waits for the calls that are at work, and says how the process ends. A call that is read from now on is not
// waited for.
func (s *server) end() (code int) {
	s.mu.Lock()
	heard := s.heard
	var idle chan struct{}
	if s.running > 0 {
		idle = make(chan struct{})
		s.idle = idle
	}
	s.mu.Unlock()
	if idle != nil {
		<-idle
	}
	switch {
	case s.out.failed():
		return exitUnheard
	case heard == 0:
		return exitNoCall
	}
	return exitAnswered
}

// locked lets several goroutines write to the standard error.
type locked struct {
	mu  sync.Mutex
	out io.Writer
}

// Write implements io.Writer.
func (s *locked) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(text)
}
