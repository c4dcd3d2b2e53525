package http

import (
	"net/http"
	"time"
)

// An answer may take as long as a command runs, so the server has no limit for it as a whole. What has begun to flow has
// one: each piece has to be taken within writeWait, or else a client that reads nothing would keep its connection, and
// what hangs on it, for good.
const (
	writeWait  = 30 * time.Second
	writePiece = 64 << 10
)

// paced is a response whose pieces have a time limit each.
type paced struct {
	http.ResponseWriter
	control *http.ResponseController
	begun   bool   // the status is out
	status  int    // that was written
	bearer  string // the id of the token that came with the request
}

func newPaced(w http.ResponseWriter) *paced {
	p := &paced{ResponseWriter: w, control: http.NewResponseController(w)}
	_ = p.control.SetWriteDeadline(time.Time{}) // that of the answer before
	return p
}

// WriteHeader implements http.ResponseWriter.
func (p *paced) WriteHeader(status int) {
	p.begun, p.status = true, status
	_ = p.control.SetWriteDeadline(time.Now().Add(writeWait))
	p.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (p *paced) Write(src []byte) (n int, err error) {
	p.begun = true
	for {
		piece := src[n:min(n+writePiece, len(src))]
		_ = p.control.SetWriteDeadline(time.Now().Add(writeWait))
		k, err := p.ResponseWriter.Write(piece)
		if n += k; err != nil || n >= len(src) {
			return n, err
		}
	}
}

// Unwrap lets http.ResponseController reach what is below.
func (p *paced) Unwrap() http.ResponseWriter { return p.ResponseWriter }
