package resource

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"vcp.core/contract/errcode"
)

// OpenError says why a local path cannot be published. It has no text of its own for readers: Fault words
// what they may know, which is everything but the path.
type OpenError struct {
	Reason errcode.Reason // PATH_ESCAPE or DANGLING_RESOURCE
	Fault  string         // completes "its localPath …"
	Err    error          // the cause, for logs; may be nil
}

// Error returns the fault and its cause, which may name a path.
func (e *OpenError) Error() string {
	if e.Err == nil {
		return "its localPath " + e.Fault
	}
	return "its localPath " + e.Fault + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *OpenError) Unwrap() error { return e.Err }

func escapes(fault string, err error) *OpenError {
	return &OpenError{Reason: errcode.PathEscape, Fault: fault, Err: err}
}

func dangles(fault string, err error) *OpenError {
	return &OpenError{Reason: errcode.DanglingResource, Fault: fault, Err: err}
}

// local judges how a path is written, the same way on every system: names joined by slashes, none of them
// "..". What it leads to is judged when it is opened.
func local(path string) *OpenError {
	switch {
	case strings.HasPrefix(path, "/"):
		return escapes("is absolute", nil)
	case strings.Contains(path, `\`):
		return escapes("has a backslash; folders are separated by /", nil)
	case strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return escapes("has a control character", nil)
	case len(path) > 1 && path[1] == ':' && (path[0]|0x20) >= 'a' && (path[0]|0x20) <= 'z':
		return escapes("begins with a drive", nil)
	}
	for name := range strings.SplitSeq(path, "/") {
		if name == ".." {
			return escapes("has the element ..", nil)
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(path)) { // reserved names of this system
		return escapes("is no path below a folder", nil)
	}
	return nil
}

// FolderError says that a plugin's folder is not what the core made.
type FolderError struct {
	Folder string
	Why    string // "the plugin's folder is …", without a path
}

// Error returns the reason and the folder.
func (e *FolderError) Error() string { return e.Why + ": " + e.Folder }

// openFolder opens a plugin's folder, which has to be one and no link to another: whoever may write beside it
// could have put one there.
func openFolder(dir string) (*os.Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	opened, err := root.Stat(".")
	if err == nil {
		var named os.FileInfo
		if named, err = os.Lstat(dir); err == nil && os.SameFile(opened, named) {
			return root, nil
		}
	}
	_ = root.Close()
	if err != nil {
		return nil, err
	}
	return nil, &FolderError{Folder: dir, Why: "the plugin's folder is a link"}
}

// file is an open regular file and what it was when it was opened.
type file struct {
	*os.File
	size     int64
	modified time.Time
}

// openLocal opens a file below a folder. The folder is open already, and each element of the path is looked
// up from the one before, so nothing that happens to the tree meanwhile can lead outside of it.
//
// Files are looked at before they are opened, because opening a device may do something, and again
// afterwards, because that was another moment. They are opened without waiting for the writer of a FIFO.
func openLocal(root *os.Root, path string) (*file, *OpenError) {
	if _, fault := lookLocal(root, path); fault != nil {
		return nil, fault
	}
	f, err := root.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, unopened(err)
	}
	stat, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, unopened(err)
	}
	if fault := regular(stat); fault != nil {
		_ = f.Close()
		return nil, fault
	}
	return &file{File: f, size: stat.Size(), modified: stat.ModTime()}, nil
}

// lookLocal refuses what openLocal would refuse, without opening it.
func lookLocal(root *os.Root, path string) (os.FileInfo, *OpenError) {
	if fault := local(path); fault != nil {
		return nil, fault
	}
	stat, err := root.Stat(path)
	if err != nil {
		return nil, unopened(err)
	}
	if fault := regular(stat); fault != nil {
		return nil, fault
	}
	return stat, nil
}

// regular refuses what has no bytes of its own.
func regular(stat fs.FileInfo) *OpenError {
	switch mode := stat.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return dangles("is a folder; a folder is published as an archive of it", nil)
	default:
		// The bytes of a pipe, a socket or a device come from somewhere else.
		return escapes("is no regular file", nil)
	}
}

// unopened sorts the errors of [os.Root]. Those that are no system call's are its own verdict: the path
// leads outside.
func unopened(err error) *OpenError {
	errno, system := errors.AsType[syscall.Errno](err)
	switch {
	case errors.Is(err, fs.ErrNotExist), system && errno == syscall.ENOTDIR:
		return dangles("names no file in the plugin's data folder", err)
	case errors.Is(err, fs.ErrPermission):
		return dangles("names a file that the core may not read", err)
	case system && errno == syscall.ELOOP:
		return escapes("runs in a circle of symbolic links", err)
	case system:
		return dangles("names a file that cannot be opened", err)
	default:
		return escapes("leads out of the plugin's folder", err)
	}
}

// changed reports whether somebody wrote to the file since it was opened. n is how much of it was read.
func (f *file) changed(n int64) bool {
	stat, err := f.Stat()
	return err != nil || n != f.size || stat.Size() != f.size || !stat.ModTime().Equal(f.modified)
}
