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
)

// server answers the calls of a process.
type server struct {
	handler call.Handler
	out     writer
	log     io.Writer

	mu      sync.Mutex
	calls   map[string]context.CancelFunc // that are at work, by id
	heard   int
	closed  bool // no call is begun any more
	running sync.WaitGroup
}

// read takes in lines until the input or the context ends.
func (s *server) read(ctx context.Context, in io.Reader) {
	r := bufio.NewReaderSize(in, 4<<10)
	for lines := 0; ctx.Err() == nil; lines++ {
		line, err := readLine(r)
		if err != nil {
			if !errors.Is(err, io.EOF) || lines == 0 {
				_, _ = fmt.Fprintf(s.log, "no call on the standard input: %v\n", err)
			}
			return
		}
		f, err := readFrame(line)
		switch {
		case err != nil:
			_, _ = fmt.Fprintf(s.log, "the line on the standard input is no call: %v\n", err)
		case f.cancel:
			s.cancel(f.in.InvocationID)
		default:
			s.begin(ctx, f.in)
		}
	}
}

// begin starts the handler for a call.
func (s *server) begin(ctx context.Context, in call.Invocation) {
	var cancel context.CancelFunc
	if in.Deadline.IsZero() {
		ctx, cancel = context.WithCancel(ctx)
	} else {
		ctx, cancel = context.WithDeadline(ctx, in.Deadline)
	}
	s.mu.Lock()
	s.heard++
	if s.closed {
		s.mu.Unlock()
		cancel()
		return
	}
	s.calls[in.InvocationID] = cancel
	s.running.Add(1)
	s.mu.Unlock()
	w := &answering{w: &s.out, id: in.InvocationID}
	in.Progress = w.progress
	if in.DataDir != "" {
		in.Resources = &resources{dir: in.DataDir, call: in.InvocationID}
	}
	go s.answer(ctx, cancel, in, w)
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
func (s *server) answer(ctx context.Context, cancel context.CancelFunc, in call.Invocation, w *answering) {
	var payload []byte
	returned := false
	defer s.running.Done()
	defer func() {
		if !returned {
			v := recover()
			_, _ = fmt.Fprintf(s.log, "%s panicked: %v\n\n%s", in.Command, v, debug.Stack())
			payload = broken(in.Command+" broke down", `{"reason":"`+string(errcode.Panic)+`"}`)
		}
		cancel()
		s.mu.Lock()
		delete(s.calls, in.InvocationID)
		s.mu.Unlock()
		if err := w.result(payload); err != nil {
			_, _ = fmt.Fprintf(s.log, "the answer could not be written: %v\n", err)
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

// end waits for the calls that are at work, and says how the process ends.
func (s *server) end() (code int) {
	s.mu.Lock()
	s.closed = true
	heard := s.heard
	s.mu.Unlock()
	s.running.Wait()
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
