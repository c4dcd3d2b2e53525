package result

import (
	"io"

	"vcp.core/contract/wire"
)

// Visible is a result as one reader may see it: what policy left of a [Sealed]. It is the only thing that
// presenters take, so that nobody can present a result that no policy has looked at. It is immutable and
// safe for concurrent use.
type Visible struct {
	sealed *Sealed   // the text that the reader may see, with its spans
	tape   wire.Tape // of that text
}

// Open makes a Visible that hides nothing: it hands out the very bytes of the result.
func Open(s *Sealed) (*Visible, error) {
	v := &Visible{sealed: s}
	if err := v.tape.Scan([]byte(s.text), limits(len(s.text))); err != nil {
		return nil, err
	}
	return v, nil
}

// limits are those of a scan of a result: it holds a payload that was within the limits, and more around it.
func limits(size int) wire.Limits {
	l := wire.DefaultLimits()
	l.Bytes, l.Nodes, l.Depth = max(l.Bytes, size), max(l.Nodes, size), 2*l.Depth
	return l
}

// Tape is the scanned text of the whole result. It must only be read.
func (v *Visible) Tape() *wire.Tape { return &v.tape }

// At returns the node of a top-level member, -1 when m is none of the constants.
func (v *Visible) At(m Member) int {
	if m <= 0 || m >= memberCount {
		return -1
	}
	start := uint32(v.sealed.spans[m].start)
	for i := v.tape.Members(v.tape.Root()); i.Next(); {
		if v.tape.Node(i.Value).Start == start {
			return i.Value
		}
	}
	return -1
}

// Member returns the compact JSON of a top-level member, "" when m is none of the constants.
func (v *Visible) Member(m Member) string { return v.sealed.Member(m) }

// ID returns the result's id.
func (v *Visible) ID() string { return v.sealed.id }

// Len returns the length of the text.
func (v *Visible) Len() int { return len(v.sealed.text) }

// String returns the canonical bytes as far as the reader may see them.
func (v *Visible) String() string { return v.sealed.text }

// WriteTo writes what String returns.
func (v *Visible) WriteTo(w io.Writer) (int64, error) { return v.sealed.WriteTo(w) }
