package resource

import (
	"errors"
	"io"

	"github.com/gabriel-vasile/mimetype"
)

// probe hands through what it reads and keeps the beginning: what is sniffed are the very bytes that are stored,
// whatever happens to the file meanwhile.
type probe struct {
	r    io.Reader
	head []byte
	err  error // that r ended with, nil for its regular end
	deep bool  // the beginning is that of an image whose size stands in its header
}

// Read implements io.Reader.
func (p *probe) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		p.err = err
	}
	for rest := b[:n]; len(rest) > 0; {
		room := sniffed - len(p.head)
		if p.deep {
			room = headered - len(p.head)
		}
		if room <= 0 {
			break
		}
		took := min(room, len(rest))
		p.head, rest = append(p.head, rest[:took]...), rest[took:]
		if len(p.head) == sniffed {
			p.deep = headers[base(mimetype.Detect(p.head).String())] != nil
		}
	}
	return n, err
}
