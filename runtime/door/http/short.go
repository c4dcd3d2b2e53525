package http

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	v1 "vcp.core/generated/protocol/v1"
	"vcp.core/runtime/door/view"
)

// This file is the short way of a call: what nearly every request is, read without reflection, with half the allocations.
// Whoever is allowed to call and asks as he should gets here what he would get of huma, which a test compares; where
// anything is odd or wrong the request goes on to huma with the whole of its body, before anything has run.

// isPlain reports whether a request is a call that needs nothing of huma's, as far as its head tells. What ServeHTTP or huma
// refuse for its head is not plain.
func (d *Door) isPlain(r *http.Request) bool {
	u, h := r.URL, r.Header
	return r.Method == http.MethodPost && u.Path == callPath && u.RawPath == "" && u.RawQuery == "" &&
		r.ContentLength < d.o.MaxBody && h["Expect"] == nil && h["Content-Encoding"] == nil && len(h.Get("Idempotency-Key")) <= longestKey && isJSON(h.Get("Content-Type"))
}

// longestKey is how many bytes an idempotency key has that needs no counting.
const longestKey = 255

// tapes are tapes that no request uses.
var tapes = sync.Pool{New: func() any { return new(wire.Tape) }}

// jsonHeader is the header of an answer in JSON. Nobody changes the list.
var jsonHeader = []string{jsonType}

// short answers a plain call, and returns nil. Else huma has to, and gets the body that it returns: the request stays as it is,
// because net/http looks at it when all is over.
func (d *Door) short(w *paced, r *http.Request, v *visit) io.ReadCloser {
	_ = w.limit.SetReadDeadline(time.Now().Add(bodyWait))
	body, end := readAll(r, d.o.MaxBody)
	if errors.Is(end, io.EOF) && d.answer(w, r, v, body) {
		return nil
	}
	return &again{ReadCloser: r.Body, read: body, end: end}
}

// answer runs a call and writes its result. It reports false when the body is no call.
func (d *Door) answer(w *paced, r *http.Request, v *visit, body []byte) bool {
	request, name, ok := d.plainRequest(body)
	if !ok {
		return false
	}
	request.RequestID = r.Header.Get("X-Request-Id") //nolint:canonicalheader // so net/http has it: another spelling costs an allocation
	request.IdempotencyKey = r.Header.Get("Idempotency-Key")
	status, text, media, err := d.run(v, v, request, name)
	if err != nil {
		d.failed(w, r, err)
		return true
	}
	if media == jsonType {
		w.Header()["Content-Type"] = jsonHeader
	} else {
		w.Header().Set("Content-Type", media)
	}
	w.WriteHeader(status)
	_, _ = w.WriteString(text)
	return true
}

// plainRequest reads a body. It reports false when there is something to say about it.
func (d *Door) plainRequest(body []byte) (c call.Call, name view.Name, ok bool) {
	t := tapes.Get().(*wire.Tape)
	defer func() {
		t.Reset()
		tapes.Put(t)
	}()
	if t.Scan(body, wire.Limits{}) != nil || v1.JudgeCallRequest(t) != nil {
		return c, "", false
	}
	c, name, err := d.requestOf(t)
	return c, name, err == nil
}

// failed writes what huma would write of an error.
func (d *Door) failed(w *paced, r *http.Request, err error) {
	_ = huma.WriteErr(d.api, humago.NewContext(d.api.OpenAPI().Paths[callPath].Post, r, w), statusOf(err), err.Error())
}

// firstRead is how much room a body gets before any of it is there, whatever its length is said to be.
const firstRead = 64 << 10

// readAll reads a body of less than limit bytes. The end is io.EOF, the error that reading met, or nil when there may be more.
func readAll(r *http.Request, limit int64) (body []byte, end error) {
	room := r.ContentLength
	if room <= 0 {
		room = 512
	}
	body = make([]byte, 0, min(room, firstRead))
	for int64(len(body)) < limit {
		if len(body) == cap(body) {
			body = slices.Grow(body, 512)
		}
		n, err := r.Body.Read(body[len(body):min(int64(cap(body)), limit)])
		body = body[:len(body)+n]
		if err != nil {
			return body, err
		}
	}
	return body, nil
}

// again is a body of which a part was read already.
type again struct {
	io.ReadCloser
	read []byte
	end  error // what comes after that part, nil for the rest of the body
}

// Read implements io.Reader.
func (a *again) Read(p []byte) (int, error) {
	if len(a.read) > 0 {
		n := copy(p, a.read)
		a.read = a.read[n:]
		return n, nil
	}
	if a.end != nil {
		return 0, a.end
	}
	return a.ReadCloser.Read(p)
}
