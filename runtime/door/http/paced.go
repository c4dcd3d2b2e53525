package http

import (
	"io"
	"net/http"
	"time"
)

// An answer may take as long as a command runs, so the server has no limit for it as a whole. What has begun to flow has
// one: each piece has to be taken within writeWait, or else a client that reads nothing would keep its connection, and
// what hangs on it, for good. Pieces that follow each other within writeSlack share their limit.
const (
	writeWait  = 30 * time.Second
	writeSlack = time.Second
	writePiece = 64 << 10
)

// limited is what limits the time of a connection: a response of net/http, or the controller of one that is wrapped.
type limited interface {
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

// paced is a response whose pieces have a time limit each.
type paced struct {
	http.ResponseWriter
	limit   limited
	renewed time.Time // when the last piece got its limit
	begun   bool      // the status is out
	status  int       // that was written
	bearer  string    // the id of the token that came with the request
}

func newPaced(w http.ResponseWriter) *paced {
	limit, direct := w.(limited)
	if !direct {
		limit = http.NewResponseController(w)
	}
	return &paced{ResponseWriter: w, limit: limit}
}

// begin is for whatever is not a call that is read at once. The write limit of the answer before ends, because
// something could be written before the status. A body is not waited for, until somebody wants it.
func (p *paced) begin(r *http.Request) {
	_ = p.limit.SetWriteDeadline(time.Time{})
	if r.ContentLength != 0 {
		p.Header().Set("Connection", "close")
		_ = p.limit.SetReadDeadline(time.Now().Add(unreadWait))
	}
}

// renew gives the piece that follows its time.
func (p *paced) renew() {
	if now := time.Now(); now.Sub(p.renewed) >= writeSlack {
		p.renewed = now
		_ = p.limit.SetWriteDeadline(now.Add(writeWait))
	}
}

// WriteHeader implements http.ResponseWriter.
func (p *paced) WriteHeader(status int) {
	p.begun, p.status = true, status
	p.renew()
	p.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (p *paced) Write(src []byte) (n int, err error) {
	p.begun = true
	for {
		piece := src[n:min(n+writePiece, len(src))]
		p.renew()
		k, err := p.ResponseWriter.Write(piece)
		if n += k; err != nil || n >= len(src) {
			return n, err
		}
	}
}

// WriteString implements io.StringWriter.
func (p *paced) WriteString(src string) (n int, err error) {
	p.begun = true
	for {
		piece := src[n:min(n+writePiece, len(src))]
		p.renew()
		k, err := io.WriteString(p.ResponseWriter, piece)
		if n += k; err != nil || n >= len(src) {
			return n, err
		}
	}
}

// Unwrap lets http.ResponseController reach what is below.
func (p *paced) Unwrap() http.ResponseWriter { return p.ResponseWriter }
