package stdio

import "io"

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

// String returns the end, at most size bytes of it.
func (t *tail) String() string {
	if over := len(t.buf) - t.size; over > 0 {
		t.drop(over)
	}
	return string(t.buf)
}

// drop forgets the first n bytes.
func (t *tail) drop(n int) {
	t.lost += int64(n)
	t.buf = t.buf[:copy(t.buf, t.buf[n:])]
}

var _ io.Writer = (*tail)(nil)
