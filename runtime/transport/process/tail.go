package process

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Tail keeps the end of what is written to it. It holds up to twice its size, so that each byte is moved at
// most once on average.
type Tail struct {
	Size int // in bytes
	buf  []byte
	lost int64 // bytes that are gone
}

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	n := len(p)
	if len(p) > t.Size {
		t.lost += int64(len(p) - t.Size)
		p = p[len(p)-t.Size:]
	}
	if len(t.buf)+len(p) > 2*t.Size {
		t.drop(len(t.buf) + len(p) - t.Size)
	}
	t.buf = append(t.buf, p...)
	return n, nil
}

// String returns the end as UTF-8 of at most size bytes. A character whose beginning is gone is left out, and
// what is no character becomes a question mark: the usual replacement would be longer than what it replaces.
func (t *Tail) String() string {
	if over := len(t.buf) - t.Size; over > 0 {
		t.drop(over)
	}
	text := t.buf
	for range utf8.UTFMax - 1 {
		if t.lost == 0 || len(text) == 0 || utf8.RuneStart(text[0]) {
			break
		}
		text = text[1:]
	}
	return strings.ToValidUTF8(string(text), "?")
}

// Lost returns how many bytes are gone.
func (t *Tail) Lost() int64 { return t.lost }

// drop forgets the first n bytes.
func (t *Tail) drop(n int) {
	t.lost += int64(n)
	t.buf = t.buf[:copy(t.buf, t.buf[n:])]
}

var _ io.Writer = (*Tail)(nil)
