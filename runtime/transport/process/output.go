package process

import (
	"errors"
	"io"
	"os"
)

// Output is our end of a pipe that a process writes to. One goroutine reads it, another may call Finish.
type Output struct {
	file *os.File
	rest io.Reader // not nil from the end of the process on
}

// Read reads what the process writes, until nobody holds the pipe open any more, or what was in it at Finish has
// been read: io.EOF.
func (o *Output) Read(p []byte) (int, error) {
	if o.rest == nil {
		n, err := o.file.Read(p)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
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

// Finish makes the reader come to an end, when the process has ended: it gets what is in the pipe already and then
// io.EOF. So a descendant that holds the pipe open delays nobody, and no byte of the process is lost. Done is
// closed by the reader when it has come to its end; where the system has no better way, Finish waits for it a while.
func (o *Output) Finish(done <-chan struct{}) { finish(o.file, done) }

// Close closes our end: a process that writes gets an error, usually SIGPIPE.
func (o *Output) Close() error { return o.file.Close() }
