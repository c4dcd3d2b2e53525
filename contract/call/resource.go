package call

import (
	"io"

	"vcp.core/contract/wire"
)

// ResourceWriter takes the bytes of a resource while a command makes it.
type ResourceWriter interface {
	// Write keeps what r gives in a place that the core publishes from, and returns the draft that goes into
	// the payload ([Answer.Resources]); data refers to it by {"$resource": d.ID}.
	Write(d Draft, r io.Reader) (wire.Raw, error)
}

// Draft is a resource as its maker knows it (specification §7.4). The core proves the media type, measures and
// hashes the bytes itself.
type Draft struct {
	ID       string // the maker's name for it, unique in the payload
	Kind     string // image, audio, video, document, archive, text, binary, directory, other (specification §7.2)
	Role     string // output when "" (specification §7.3)
	MIMEType string // "" when unknown
	FileName string // for saving it, without a folder
}

// Progress is how far a command is (specification §10.6).
type Progress struct {
	Stage   string                // a short name of what is being done, not ""
	Share   wire.Opt[wire.Number] // the finished share, 0 to 1
	Message string                // one sentence for people, "" for none
}
