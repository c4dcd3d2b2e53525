package resource

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
)

// outputs is the folder of a plugin's folder that holds what its calls are making, each in a folder named by
// its invocation id.
const outputs = "out"

// Writer takes the files of one call. It implements [call.ResourceWriter]: what a handler writes becomes a file
// below the plugin's folder, and Close removes it when the runtime has published it, or never will. Nothing is
// made before the first Write.
type Writer struct {
	Dir    string // the plugin's folder
	Call   string // the invocation id
	Limits Limits // filled

	mu     sync.Mutex
	closed bool
	count  int
	total  int64
}

var _ call.ResourceWriter = (*Writer)(nil)

// ClosedError says that a handler went on writing after its call had ended.
type ClosedError struct{}

// Error says so.
func (*ClosedError) Error() string { return "the call has ended: nobody will publish this resource" }

// CountError says that a call writes more resources than a payload may bring.
type CountError struct{ Limit int }

// Error names the limit.
func (e *CountError) Error() string { return "more than " + strconv.Itoa(e.Limit) + " resources" }

// Write implements [call.ResourceWriter]. Its errors are a [*TooLargeError], a [*CountError], a [*ClosedError],
// that of r, or of the file system.
func (w *Writer) Write(d call.Draft, r io.Reader) (wire.Raw, error) {
	name, f, err := w.create()
	if err != nil {
		return nil, err
	}
	err = w.copy(f, r)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(filepath.Join(w.Dir, filepath.FromSlash(name)))
		return nil, err
	}
	return draftOf(d, name), nil
}

// create makes the next file of the call.
func (w *Writer) create() (name string, f *os.File, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return "", nil, &ClosedError{}
	}
	if w.count >= w.Limits.Count {
		return "", nil, &CountError{Limit: w.Limits.Count}
	}
	root, err := openFolder(w.Dir)
	if errors.Is(err, fs.ErrNotExist) { // somebody took it away since the core made it
		if err = os.MkdirAll(w.Dir, 0o700); err == nil {
			root, err = openFolder(w.Dir)
		}
	}
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = root.Close() }()
	dir := path.Join(outputs, w.Call)
	if err := root.MkdirAll(dir, 0o700); err != nil {
		return "", nil, err
	}
	name = path.Join(dir, strconv.Itoa(w.count))
	f, err = root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		w.count++
	}
	return name, f, err
}

// copy writes what r gives until it is too much, or the call has ended.
func (w *Writer) copy(f *os.File, r io.Reader) error {
	var size int64
	_, err := io.Copy(writing(func(p []byte) (int, error) {
		w.mu.Lock()
		closed, total := w.closed, w.total+int64(len(p))
		w.total = total
		w.mu.Unlock()
		size += int64(len(p))
		switch {
		case closed:
			return 0, &ClosedError{}
		case size > w.Limits.Size:
			return 0, &TooLargeError{Limit: w.Limits.Size}
		case total > w.Limits.Total:
			return 0, &TooLargeError{Limit: w.Limits.Total}
		}
		return f.Write(p)
	}), r)
	return err
}

// writing lets a function be a writer.
type writing func(p []byte) (int, error)

// Write implements io.Writer.
func (w writing) Write(p []byte) (int, error) { return w(p) }

// Used reports whether there is anything to remove.
func (w *Writer) Used() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count > 0
}

// Close ends the writer and removes its files. A handler that is still writing is told at its next write.
func (w *Writer) Close() error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	if !w.Used() {
		return nil
	}
	return Remove(w.Dir, w.Call)
}

// Remove removes what the plugin made for a call below the folder out of its own.
func Remove(dir, invocation string) error {
	root, err := openFolder(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return removeAll(root, path.Join(outputs, invocation))
}

// abandoned is the age at which the files of a call belong to nobody: its process was killed.
const abandoned = 24 * time.Hour

// Sweep removes what killed processes left below the folder out of a plugin's folder.
func Sweep(dir string, now time.Time) error {
	root, err := openFolder(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	entries, err := fs.ReadDir(root.FS(), outputs)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	for _, e := range entries {
		if stat, infoErr := e.Info(); infoErr == nil && now.Sub(stat.ModTime()) > abandoned {
			err = errors.Join(err, removeAll(root, path.Join(outputs, e.Name())))
		}
	}
	return err
}

// draftOf is a draft as the payload has it (specification §7.4). A payload's schema judges it later.
func draftOf(d call.Draft, localPath string) wire.Raw {
	dst := wire.AppendQuoted([]byte(`{"id":`), d.ID)
	dst = wire.AppendQuoted(append(dst, `,"kind":`...), d.Kind)
	role := d.Role
	if role == "" {
		role = "output"
	}
	dst = wire.AppendQuoted(append(dst, `,"role":`...), role)
	if d.MIMEType != "" {
		dst = wire.AppendQuoted(append(dst, `,"mimeType":`...), d.MIMEType)
	}
	if d.FileName != "" {
		dst = wire.AppendQuoted(append(dst, `,"fileName":`...), d.FileName)
	}
	dst = wire.AppendQuoted(append(dst, `,"localPath":`...), localPath)
	return append(dst, '}')
}
