package sdk

import (
	"bytes"
	"io"
	"sync"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
)

// writer writes frames, one at a time.
type writer struct {
	out    io.Writer
	broken func() // called when an answer could not be written

	mu   sync.Mutex
	buf  []byte
	lost bool
}

// failed reports whether an answer could not be written.
func (w *writer) failed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lost
}

// large is a buffer that is not kept.
const large = 1 << 20

func (w *writer) flush() error {
	_, err := w.out.Write(w.buf)
	if cap(w.buf) > large {
		w.buf = nil
	}
	return err
}

// answering writes the frames of one call, and none after its answer.
type answering struct {
	w      *writer
	id     string
	closed bool // guarded by the writer
}

func (a *answering) head(kind string) {
	b := a.w.buf[:0]
	b = append(b, `{"vcp":"`...)
	b = append(b, kind...)
	b = append(b, `","version":"1.0","id":`...)
	b = wire.AppendQuoted(b, a.id)
	b = append(b, `,"payload":`...)
	a.w.buf = b
}

// result writes the answer.
func (a *answering) result(payload []byte) error {
	w := a.w
	w.mu.Lock()
	defer w.mu.Unlock()
	a.closed = true
	a.head("tool-result")
	w.buf = appendLine(w.buf, payload)
	w.buf = append(w.buf, "}\n"...)
	err := w.flush()
	if err != nil && !w.lost {
		w.lost = true
		w.broken()
	}
	return err
}

// progress writes a report. It is a [call.Invocation.Progress]. A reader that is gone is no reason to fail.
func (a *answering) progress(p call.Progress) {
	w := a.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if a.closed {
		return
	}
	a.head("tool-progress")
	b := w.buf
	b = append(b, `{"stage":`...)
	b = wire.AppendQuoted(b, p.Stage)
	b = append(b, `,"progress":`...)
	if share, told := p.Share.Get(); told {
		b = share.AppendJSON(b)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"message":`...)
	if p.Message == "" {
		b = append(b, "null"...)
	} else {
		b = wire.AppendQuoted(b, p.Message)
	}
	b = append(b, "}}\n"...)
	w.buf = b
	_ = w.flush()
}

// appendLine appends a JSON value without line ends, which can only stand between tokens.
func appendLine(dst, value []byte) []byte {
	if bytes.IndexByte(value, '\n') >= 0 || bytes.IndexByte(value, '\r') >= 0 {
		return wire.AppendCompact(dst, value)
	}
	return append(dst, value...)
}
