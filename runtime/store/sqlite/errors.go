package sqlite

import (
	"errors"
	"os"
	"path/filepath"

	"modernc.org/sqlite"

	"vcp.core/runtime/record"
	"vcp.core/runtime/store/internal/engine"
)

// This file makes errors of package record of those of SQLite and of the disk.

// Primary result codes of SQLite.
const (
	busy     = 5
	readOnly = 8
	ioError  = 10
	full     = 13
	cantOpen = 14
)

// code returns the primary result code of an error, 0 for errors of others.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// halfWritten says that writing to the log failed, as opposed to flushing it. The mark that makes a transaction one
// is written last, so there is none.
func halfWritten(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code() == ioError|3<<8 // SQLITE_IOERR_WRITE
}

// Classify implements [engine.Database].
func (d *database) Classify(err error) error {
	if err == nil || engine.Classified(err) {
		return err
	}
	switch code(err) {
	case full:
		return &record.FullError{Err: err}
	case readOnly:
		return &record.ReadOnlyError{Err: err}
	case ioError, cantOpen, 0:
		// SQLite does not say which: the disk does.
		return d.diagnose(err)
	default:
		return &record.UnavailableError{Err: err}
	}
}

// probeSize is more than one block of any file system.
const probeSize = 64 << 10

// diagnose tries whether the folder can be written to.
func (d *database) diagnose(err error) error {
	f, probe := os.CreateTemp(filepath.Dir(d.path), "probe-*")
	if probe == nil {
		_, probe = f.Write(make([]byte, probeSize))
		probe = errors.Join(probe, f.Close(), os.Remove(f.Name()))
	}
	switch {
	case isFull(err), isFull(probe):
		return &record.FullError{Err: err}
	case isReadOnly(err), isReadOnly(probe):
		return &record.ReadOnlyError{Err: err}
	default:
		return &record.UnavailableError{Err: err}
	}
}
