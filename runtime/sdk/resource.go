package sdk

import (
	"cmp"
	"io"
	"os"
	"path"
	"strconv"
	"sync/atomic"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
)

// outputs is the folder below the data folder that holds what calls are making, each in a folder of its own.
// The runtime removes that when the call is over.
const outputs = "out"

// resources is a [call.ResourceWriter] for a plugin with a data folder.
type resources struct {
	dir    string
	call   string // the invocation id
	number atomic.Int64
}

// Write writes the bytes into a file below the data folder. The path in the draft is relative to that folder.
func (w *resources) Write(d call.Draft, r io.Reader) (wire.Raw, error) {
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	folder := path.Join(outputs, w.call)
	if err := root.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	name := path.Join(folder, strconv.FormatInt(w.number.Add(1), 10))
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(f, r)
	if err := cmp.Or(err, f.Close()); err != nil {
		_ = root.Remove(name)
		return nil, err
	}
	draft := wire.Raw(`{"id":`)
	draft = wire.AppendQuoted(draft, d.ID)
	for _, m := range [...]struct{ name, text string }{
		{"kind", d.Kind}, {"role", cmp.Or(d.Role, "output")}, {"mimeType", d.MIMEType}, {"fileName", d.FileName}, {"localPath", name},
	} {
		if m.text != "" {
			draft = wire.AppendQuoted(append(draft, ','), m.name)
			draft = wire.AppendQuoted(append(draft, ':'), m.text)
		}
	}
	return append(draft, '}'), nil
}
