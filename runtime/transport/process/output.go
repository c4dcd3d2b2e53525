package process

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// Output is our end of a pipe that a process writes to. One goroutine at a time reads it; the others may call Finish
// and Interrupt.
type Output struct {
	file *os.File
	rest io.Reader // not nil from the end of the process on
	raw  syscall.RawConn
	read func([]byte) (int, error) // of the pipe; nil before the first

	mu       sync.Mutex
	finished bool
}

// ErrInterrupted says that nothing was read because of [Output.Interrupt].
var ErrInterrupted = errors.New("reading was interrupted")

// Read reads what the process writes, until nobody holds the pipe open any more, or what was in it at Finish has
// been read: io.EOF.
func (o *Output) Read(p []byte) (int, error) {
	if o.rest == nil {
		if o.read == nil {
			o.read = reading(o.file)
		}
		n, err := o.read(p)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if o.resume() {
			return n, ErrInterrupted
		}
		rest, ok := drain(o.file)
		if !ok {
			return n, io.EOF
		}
		if o.rest = rest; n > 0 {
			return n, nil
		}
	}
	return o.rest.Read(p)
}

// resume undoes an interruption. It returns false when there was none, but the end.
func (o *Output) resume() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.finished {
		_ = o.file.SetReadDeadline(time.Time{})
	}
	return !o.finished
}

// Interrupt makes a Read that waits, or else the next one, return [ErrInterrupted]. It returns false where the system
// cannot do that, and nothing happens.
func (o *Output) Interrupt() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.finished || o.file.SetReadDeadline(time.Unix(1, 0)) == nil
}

// Interruptible reports whether Interrupt and Poll work here.
func (o *Output) Interruptible() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.finished || o.file.SetReadDeadline(time.Time{}) == nil
}

// Poll reads what is in the pipe and does not wait: it returns 0 and no error when there is nothing.
func (o *Output) Poll(p []byte) (int, error) {
	if o.raw == nil {
		raw, err := o.file.SyscallConn()
		if err != nil {
			return 0, err
		}
		o.raw = raw
	}
	n, err := poll(o.raw, p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if !o.resume() {
			return 0, nil // for Read, which knows what is left
		}
		n, err = poll(o.raw, p)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) { // once more
		return 0, nil
	}
	return n, err
}

// Finish makes the reader come to an end, when the process has ended: it gets what is in the pipe already and then
// io.EOF. So a descendant that holds the pipe open delays nobody, and no byte of the process is lost. Done is
// closed by the reader when it has come to its end; where the system has no better way, Finish waits for it a while.
func (o *Output) Finish(done <-chan struct{}) {
	o.mu.Lock()
	o.finished = true
	o.mu.Unlock()
	finish(o.file, done)
}

// Close closes our end: a process that writes gets an error, usually SIGPIPE.
func (o *Output) Close() error { return o.file.Close() }
