package stdio

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"vcp.core/contract/call"
	"vcp.core/runtime/transport/stdio/frame"
)

// process is a started program and our ends of its pipes.
type process struct {
	leader                *os.Process
	stdin, stdout, stderr *os.File

	mu     sync.Mutex
	reaped bool // the leader's number may be another's now
}

// ending is how a leader ended.
type ending struct {
	code   int
	signal string // "" when it ended by itself
}

func (e ending) failed() bool { return e.signal != "" || e.code != 0 }

// errEmpty says that nobody will write the rest of a pipe that matters.
var errEmpty = errors.New("the pipe is empty")

// launch starts a program with three pipes.
func launch(file string, argv, env []string, dir string) (p *process, err error) {
	keepOurs()
	var all []*os.File
	defer func() {
		for i, f := range all {
			if err != nil || i%2 == 0 { // the child's end
				_ = f.Close()
			}
		}
	}()
	for i := range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		if i == 0 {
			all = append(all, r, w)
		} else {
			all = append(all, w, r)
		}
	}
	leader, err := os.StartProcess(file, argv, &os.ProcAttr{
		Dir: dir, Env: env, Files: []*os.File{all[0], all[2], all[4]}, Sys: attributes(),
	})
	if err != nil {
		return nil, err
	}
	return &process{leader: leader, stdin: all[1], stdout: all[3], stderr: all[5]}, nil
}

// work is one call while its process runs.
type work struct {
	in      call.Invocation
	process *process // from started on

	started chan error    // one value
	decided chan struct{} // closed with the answer or the first fault
	silent  chan struct{} // closed when nothing more comes from the standard output
	done    chan struct{} // closed when process and goroutines are gone; what follows is then still

	reader frame.Reader
	errors tail
	ending ending
	lost   error // why the ending is not known
	killed atomic.Bool
}

// begin starts a process and everything around it.
func (s *Stdio) begin(ctx context.Context, p *prepared, file string, in call.Invocation) *work {
	w := &work{
		in: in, started: make(chan error, 1), decided: make(chan struct{}), silent: make(chan struct{}), done: make(chan struct{}),
		errors: tail{size: s.stderr},
	}
	w.reader = frame.Reader{ID: in.InvocationID, Limits: s.limits, Progress: in.Progress, Decided: func() { close(w.decided) }}
	deadline := in.Deadline
	if deadline.IsZero() {
		deadline, _ = ctx.Deadline()
	}
	line := frame.AppendCall(make([]byte, 0, 512+len(in.Arguments)+len(in.Config)), &in, deadline)
	env := p.env
	if in.DataDir != "" {
		env = append(slices.Clip(env), DataVariable+"="+in.DataDir)
	}
	s.running.Add()
	go func() {
		defer s.running.Done()
		defer func() { <-s.slots }()
		// The system ends the process with the thread that started it, so the thread must stay as long.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var err error
		if w.process, err = launch(file, p.Argv, env, p.Dir); err != nil {
			w.started <- err
			return
		}
		w.started <- nil
		w.carry(line)
	}()
	return w
}

// carry feeds and reads the process until it has ended and nobody is at work on it any more.
func (w *work) carry(line []byte) {
	p := w.process
	var all sync.WaitGroup
	quiet := make(chan struct{})
	all.Go(func() {
		// A program that does not read its call may answer all the same.
		_, _ = p.stdin.Write(line)
		_ = p.stdin.Close()
	})
	all.Go(func() {
		defer close(w.silent)
		w.read()
	})
	all.Go(func() {
		defer close(quiet)
		collect(&w.errors, p.stderr)
	})
	w.ending, w.lost = p.reap()
	_ = p.stdin.Close()
	finish(p.stdout, w.silent)
	finish(p.stderr, quiet)
	all.Wait()
	_ = p.stdout.Close()
	_ = p.stderr.Close()
	close(w.done)
}

// read takes in the standard output.
func (w *work) read() {
	out := w.process.stdout
	err := w.reader.Read(out)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if r, ok := drain(out); ok {
			err = w.reader.Read(r)
		}
	}
	if _, over := errors.AsType[*frame.Fault](err); over {
		w.end()
	}
	w.reader.End()
}

// buffers are for reading what is not kept.
var buffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// collect takes in the standard error.
func collect(into *tail, f *os.File) {
	buf := buffers.Get().(*[32 << 10]byte)
	defer buffers.Put(buf)
	_, err := io.CopyBuffer(into, struct{ io.Reader }{f}, buf[:])
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if r, ok := drain(f); ok {
			_, _ = io.CopyBuffer(into, r, buf[:])
		}
	}
}

// end kills the process. Its exit code says nothing from now on.
func (w *work) end() {
	w.killed.Store(true)
	w.process.kill()
}

func (w *work) isDecided() bool {
	select {
	case <-w.decided:
		return true
	default:
		return false
	}
}
