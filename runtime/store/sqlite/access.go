package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// This file says what a user lacks who may not write to the folder of the records and cannot read them either.
//
// Whoever may read all three files needs nothing else: SQLite reads the index of the log as it is, or makes its own in
// memory when nobody is at work. Without the log or without its index there is no reading that is sure to be right: a
// file that is opened as immutable may be changed by whoever comes next, and nothing that a reader may do keeps him out.

// Lack is what somebody would need.
type Lack string

// What there is to lack.
const (
	CannotEnter Lack = "enter" // a folder
	CannotRead  Lack = "read"  // files
	CannotMake  Lack = "make"  // files that have to be there
)

// AccessError says why the records cannot be read by a user who may not write to them.
type AccessError struct {
	Lack  Lack
	Paths []string // of what is concerned: the database, its log, the index of that, or the folder
	Err   error    // what SQLite says
}

// Error names the files.
func (e *AccessError) Error() string {
	why := ""
	if e.Lack == CannotMake {
		why = ", without which the database cannot be read"
	}
	return fmt.Sprintf("this user may not %s %s%s", e.Lack, strings.Join(e.Paths, " and "), why)
}

// Unwrap returns the error of SQLite.
func (e *AccessError) Unwrap() error { return e.Err }

// denied finds out what is lacking when a file can neither be written nor read. It returns nil when it is something else.
func (d *database) denied(err error) error {
	closedTo := func(path string) bool { _, stat := os.Stat(path); return errors.Is(stat, fs.ErrPermission) }
	if closedTo(d.path) {
		folder := filepath.Dir(d.path)
		for closedTo(folder) {
			folder = filepath.Dir(folder)
		}
		return &AccessError{Lack: CannotEnter, Paths: []string{folder}, Err: err}
	}
	var closed, missing []string
	for _, name := range []string{d.path, d.path + "-wal", d.path + "-shm"} {
		switch found := readable(name); {
		case errors.Is(found, fs.ErrPermission):
			closed = append(closed, name)
		case errors.Is(found, fs.ErrNotExist):
			missing = append(missing, name)
		}
	}
	switch {
	case slices.Contains(missing, d.path): // there is nothing to be read
		return nil
	case closed != nil:
		return &AccessError{Lack: CannotRead, Paths: closed, Err: err}
	case missing != nil:
		return &AccessError{Lack: CannotMake, Paths: missing, Err: err}
	default:
		return nil
	}
}
