package frame

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"vcp.core/contract/errcode"
)

// lines cuts what is read into lines. Each byte is looked at once for the line feed, and moved a bounded number of
// times.
type lines struct {
	buf   []byte // what was read; nothing before start is needed any more
	start int    // of the line that is being read
	seen  int    // up to here there is no line feed after start
	given bool   // something aliases buf, which must not be written to below start
	over  bool   // a line was too long; what follows was not looked at
}

// chunk is the least room that is offered to a read.
const chunk = 4 << 10

// large is a buffer that is not kept once its line has been taken.
const large = 1 << 20

// read reads until src ends, and returns what src ended with, nil for io.EOF. It stops at a line of more than
// limit bytes, its end not counted, and sets over.
func (l *lines) read(src io.Reader, limit int, take func(line []byte, ended bool)) error {
	for {
		_, err := l.once(src.Read, limit, take)
		switch {
		case l.over || errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// once reads once, and returns what the reader returned.
func (l *lines) once(read func([]byte) (int, error), limit int, take func(line []byte, ended bool)) (int, error) {
	l.room()
	n, err := read(l.buf[len(l.buf):cap(l.buf)])
	l.buf = l.buf[:len(l.buf)+n]
	l.cut(limit, take)
	return n, err
}

// end takes the last line, which has no end.
func (l *lines) end(take func(line []byte, ended bool)) {
	if l.start < len(l.buf) && !l.over {
		take(l.buf[l.start:], false)
	}
	l.start = len(l.buf)
}

// room makes room for the next read. A line is moved only when there is room for as much again behind it.
func (l *lines) room() {
	if cap(l.buf)-len(l.buf) >= chunk/8 && (cap(l.buf) < large || l.start == 0) {
		return
	}
	rest := l.buf[l.start:]
	size := max(2*len(rest), chunk)
	into := l.buf[:0]
	if l.given || cap(l.buf) < len(rest)+max(len(rest), chunk/2) || cap(l.buf) >= large && size < large {
		into = make([]byte, 0, size)
		l.given = false
	}
	l.seen -= l.start
	l.buf = into[:copy(into[:len(rest)], rest)]
	l.start = 0
}

// cut takes the lines that are complete.
func (l *lines) cut(limit int, take func(line []byte, ended bool)) {
	for !l.over {
		i := bytes.IndexByte(l.buf[l.seen:], '\n')
		if i < 0 {
			l.seen = len(l.buf)
			l.over = isTooLong(l.buf[l.start:], limit)
			return
		}
		line := l.buf[l.start : l.seen+i]
		if isTooLong(line, limit) {
			l.over = true
			return
		}
		take(line, true)
		l.start = l.seen + i + 1
		l.seen = l.start
	}
}

// isTooLong reports whether a line, or the beginning of one, is over the limit.
func isTooLong(line []byte, limit int) bool {
	return len(line) > limit && len(bytes.TrimSuffix(line, []byte{'\r'})) > limit
}

func tooLong(limit int) Fault {
	return Fault{Reason: errcode.ResultTooLarge, Limit: limit, Detail: fmt.Sprintf("wrote a line of more than %d bytes", limit)}
}
