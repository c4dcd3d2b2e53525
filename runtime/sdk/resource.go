package sdk

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"sync/atomic"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
)

// folder is where resources are written, below the data folder.
const folder = "resources"

// resources is a [call.ResourceWriter] for a plugin with a data folder. A file is called after the call, so that
// calls that run at the same time do not meet.
type resources struct {
	dir    string
	call   string
	number atomic.Int64
}

// Write writes the bytes into a file below the data folder. The path in the draft is relative to that folder.
func (w *resources) Write(d call.Draft, r io.Reader) (wire.Raw, error) {
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := root.Mkdir(folder, 0o700); err != nil && !os.IsExist(err) {
		return nil, err
	}
	name := path.Join(folder, fmt.Sprintf("%s-%d%s", w.call, w.number.Add(1), extension(d.FileName)))
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

// extension returns the ending of a file name if it is a plain one.
func extension(name string) string {
	end := path.Ext(name)
	if len(end) < 2 || len(end) > 10 {
		return ""
	}
	if strings.ContainsFunc(end[1:], func(c rune) bool { return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') }) {
		return ""
	}
	return end
}
