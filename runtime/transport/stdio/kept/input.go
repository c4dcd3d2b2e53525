package kept

import (
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// input is the standard input of a worker: whole lines, one after the other. Whoever has the turn writes. Usually the
// pipe has room for a line and it is written by the call that it belongs to, without another goroutine; what finds
// no room is written behind the caller's back, since the end of a call must not wait for a worker that does not
// read.
type input struct {
	file    *os.File
	raw     syscall.RawConn
	turn    chan struct{}
	taken   int64  // bytes of lines that were begun; for whoever has the turn
	written int64  // bytes that are in the pipe or read; the same
	broken  func() // called when the worker has closed its end; nothing may be locked then
}

// place is where a line begins in an input.
type place struct{ after atomic.Int64 }

// never is where a line begins that was not begun.
const never = 1<<63 - 1

// start returns how many bytes stand before the line.
func (p *place) start() int64 {
	if n := p.after.Load(); n > 0 {
		return n - 1
	}
	return never
}

func newInput(f *os.File) *input {
	in := &input{file: f, turn: make(chan struct{}, 1)}
	in.raw, _ = f.SyscallConn()
	return in
}

// send writes a line, or hands it to somebody who does. It returns false when its turn did not come before the end.
func (in *input) send(end <-chan struct{}, line []byte, at *place) bool {
	select {
	case in.turn <- struct{}{}:
	default:
		select {
		case in.turn <- struct{}{}:
		case <-end:
			return false
		}
	}
	at.after.Store(in.taken + 1)
	in.write(line)
	return true
}

// post writes a line when its turn comes. It does not wait.
func (in *input) post(line []byte) {
	select {
	case in.turn <- struct{}{}:
		in.write(line)
	default:
		go func() {
			in.turn <- struct{}{}
			in.write(line)
		}()
	}
}

// write writes a line and gives the turn away, sooner or later.
func (in *input) write(line []byte) {
	in.taken += int64(len(line))
	n, err := attempt(in.raw, line)
	in.written += int64(n)
	if n == len(line) || err != nil {
		<-in.turn
		if err != nil && in.broken != nil {
			in.broken()
		}
		return
	}
	go func() {
		defer func() { <-in.turn }()
		n, err := in.file.Write(line[n:])
		in.written += int64(n)
		if err != nil && in.broken != nil {
			in.broken()
		}
	}()
}

// close ends the input behind the lines that are being written. It does not wait.
func (in *input) close() {
	finish := func() {
		_ = in.file.Close()
		<-in.turn
	}
	select {
	case in.turn <- struct{}{}:
		finish()
	default:
		go func() {
			in.turn <- struct{}{}
			finish()
		}()
	}
}

// lastWrite is how long a write to a worker that has ended is waited for. It fails at once, unless somebody else
// holds the worker's end.
const lastWrite = 100 * time.Millisecond

// seen returns how many bytes a worker that has ended may have read, -1 when that is not known. It waits for a line
// that is being written: what was read of it must be counted.
func (in *input) seen() int64 {
	t := time.NewTimer(lastWrite)
	defer t.Stop()
	select {
	case in.turn <- struct{}{}:
	case <-t.C:
		return -1
	}
	defer func() { <-in.turn }()
	left := unread(in.raw)
	if left < 0 {
		return -1
	}
	return in.written - int64(left)
}
