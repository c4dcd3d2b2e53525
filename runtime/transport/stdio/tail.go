package stdio

import (
	"io"
	"strings"
	"unicode/utf8"
)

// tail keeps the end of what is written to it. It holds up to twice its size, so that each byte is moved at
// most once on average.
type tail struct {
	size int
	buf  []byte
	lost int64 // bytes that are gone
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if len(p) > t.size {
		t.lost += int64(len(p) - t.size)
		p = p[len(p)-t.size:]
	}
	if len(t.buf)+len(p) > 2*t.size {
		t.drop(len(t.buf) + len(p) - t.size)
	}
	t.buf = append(t.buf, p...)
	return n, nil
}

// String returns the end as UTF-8 of at most size bytes. A character whose beginning is gone is left out, and
// what is no character becomes a question mark: the usual replacement would be longer than what it replaces.
func (t *tail) String() string {
	if over := len(t.buf) - t.size; over > 0 {
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

// drop forgets the first n bytes.
func (t *tail) drop(n int) {
	t.lost += int64(n)
	t.buf = t.buf[:copy(t.buf, t.buf[n:])]
}

var _ io.Writer = (*tail)(nil)
