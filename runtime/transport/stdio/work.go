package stdio

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/process"
	"vcp.core/runtime/transport/stdio/frame"
)

// work is one call while its process runs.
type work struct {
	in      call.Invocation
	process *process.Process // from started on

	started chan error    // one value
	claimed atomic.Bool   // by whoever is first: the start that has succeeded, or the call that has given up waiting for it
	decided chan struct{} // closed with the answer or the first fault
	silent  chan struct{} // closed when nothing more comes from the standard output
	done    chan struct{} // closed when process and goroutines are gone; what follows is then still

	reader frame.Reader
	errors process.Tail
	ending process.Ending
	lost   error // why the ending is not known
	killed atomic.Bool
}

// begin starts a process and everything around it.
func (s *Stdio) begin(ctx context.Context, p *prepared, file string, in call.Invocation) *work {
	w := &work{
		in: in, started: make(chan error, 1), decided: make(chan struct{}), silent: make(chan struct{}), done: make(chan struct{}),
		errors: process.Tail{Size: s.stderr},
	}
	w.reader = frame.Reader{ID: in.InvocationID, Limits: s.limits, Progress: in.Progress, Decided: func() { close(w.decided) }}
	deadline := in.Deadline
	if deadline.IsZero() {
		deadline, _ = ctx.Deadline()
	}
	line := frame.AppendCall(make([]byte, 0, 512+len(in.Arguments)+len(in.Config)), &in, deadline)
	s.running.Add()
	go func() {
		defer s.running.Done()
		defer s.slots.Give()
		var err error
		w.process, err = s.launcher.Start(p.command(in.Tool, file, in.DataDir))
		if err == nil && !w.claimed.CompareAndSwap(false, true) {
			w.process.Kill()
			_, _ = w.process.Wait()
			w.process.Close()
			return
		}
		w.started <- err
		if err == nil {
			w.carry(line)
		}
	}()
	return w
}

// begun waits for the start of the process, which may hang in the system, not longer than the call and its grace last.
func (w *work) begun(ctx context.Context, grace time.Duration) error {
	select {
	case err := <-w.started:
		return err
	case <-ctx.Done():
	}
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case err := <-w.started:
		return err
	case <-t.C:
		if w.claimed.CompareAndSwap(false, true) {
			return &transport.StoppedError{Cause: ctx.Err(), Running: true}
		}
		return <-w.started
	}
}

// carry feeds and reads the process until it has ended and nobody is at work on it any more.
func (w *work) carry(line []byte) {
	p := w.process
	var all sync.WaitGroup
	quiet := make(chan struct{})
	all.Go(func() {
		// A program that does not read its call may answer all the same.
		_, _ = p.Stdin.Write(line)
		_ = p.Stdin.Close()
	})
	all.Go(func() {
		defer close(w.silent)
		w.read()
	})
	all.Go(func() {
		defer close(quiet)
		collect(&w.errors, p.Stderr)
	})
	w.ending, w.lost = p.Wait()
	_ = p.Stdin.Close()
	p.Stdout.Finish(w.silent)
	p.Stderr.Finish(quiet)
	all.Wait()
	_ = p.Stdout.Close()
	_ = p.Stderr.Close()
	close(w.done)
}

// read takes in the standard output.
func (w *work) read() {
	err := w.reader.Read(w.process.Stdout)
	if _, over := errors.AsType[*frame.Fault](err); over {
		w.end()
	}
	w.reader.End()
}

// buffers are for reading what is not kept.
var buffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// collect takes in the standard error.
func collect(into *process.Tail, from io.Reader) {
	buf := buffers.Get().(*[32 << 10]byte)
	defer buffers.Put(buf)
	_, _ = io.CopyBuffer(into, from, buf[:])
}

// end kills the process. Its exit code says nothing from now on.
func (w *work) end() {
	w.killed.Store(true)
	w.process.Kill()
}

func (w *work) isDecided() bool {
	select {
	case <-w.decided:
		return true
	default:
		return false
	}
}
