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
	taken   int64       // bytes of lines that were begun; for whoever has the turn
	written int64       // bytes that are in the pipe or read; the same
	ended   atomic.Bool // we have closed our end
	broken  func()      // called when the worker has closed its end; nothing may be locked then
}

// place is where a line begins in an input: 0 before it has begun, noPlace when it must not any more, else one more than
// the bytes before it.
type place struct{ after atomic.Int64 }

const noPlace = -1

// begin says that a line begins now. It returns false when it must not.
func (p *place) begin(at int64) bool { return p.after.CompareAndSwap(0, at+1) }

// revoke keeps a line from being begun. It returns false when it has begun.
func (p *place) revoke() bool { return p.after.CompareAndSwap(0, noPlace) || p.revoked() }

// revoked reports whether the line must not begin any more.
func (p *place) revoked() bool { return p.after.Load() == noPlace }

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

// send writes a line, or hands it to somebody who does. It returns false when its turn did not come before the end and
// within a time, and when the line was revoked.
func (in *input) send(end <-chan struct{}, within time.Duration, line []byte, at *place) bool {
	select {
	case in.turn <- struct{}{}:
	default:
		t := time.NewTimer(within)
		defer t.Stop()
		select {
		case in.turn <- struct{}{}:
		case <-end:
			return false
		case <-t.C:
			return false
		}
	}
	if !at.begin(in.taken) {
		<-in.turn
		return false
	}
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
		in.failed(err)
		return
	}
	go func() {
		defer func() { <-in.turn }()
		n, err := in.file.Write(line[n:])
		in.written += int64(n)
		in.failed(err)
	}()
}

// failed tells that the worker does not read any more, unless it is ours that the input has ended.
func (in *input) failed(err error) {
	if err != nil && in.broken != nil && !in.ended.Load() {
		in.broken()
	}
}

// close ends the input behind the lines that are being written. It does not wait.
func (in *input) close() {
	finish := func() {
		in.shut()
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

// shut ends the input at once, in the middle of a line if there is one.
func (in *input) shut() {
	in.ended.Store(true)
	_ = in.file.Close()
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
