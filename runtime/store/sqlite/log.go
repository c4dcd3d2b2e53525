package sqlite

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"vcp.core/runtime/record"
)

// SQLite flushes its log within COMMIT, while the writer waits, and modernc.org/sqlite does it with fsync, which on a
// journaling file system writes the times of the file, too. Here COMMIT only writes (synchronous=NORMAL: SQLite still
// flushes the log before it is copied and the database before the log begins anew, so a loss of power takes whole
// transactions off the end and nothing else), and the store flushes the log by a descriptor of its own: with fdatasync,
// and beside the statements of the next transaction.
//
// The log may be opened and closed beside SQLite. It takes its locks on the index of the log and on the database.

// log is the log of the database, as it is flushed. The writer's goroutine opens, mends and closes the file, any flushes it.
type log struct {
	path string
	sync func(*os.File) error // flushData

	// Of two flushes at once the system would tell only one that something was lost, so there is one at a time. The writer
	// must not wait for it when it begins a transaction, which is why nothing else is locked.
	flushing sync.Mutex
	file     *os.File              // nil as long as the connection has not begun a transaction; changed while flushing is held
	suspect  atomic.Pointer[error] // why a flush failed: what was committed may be in memory only
}

// open opens the log once. A connection that has begun a transaction has made it.
func (l *log) open() error {
	if l.file != nil {
		return nil
	}
	f, err := os.OpenFile(l.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := syncDir(filepath.Dir(l.path)); err != nil { // or its name could be lost
		return errors.Join(err, f.Close())
	}
	l.flushing.Lock()
	defer l.flushing.Unlock()
	l.file = f
	return nil
}

// close lets the file go, when it is not being flushed any more.
func (l *log) close() {
	l.flushing.Lock()
	defer l.flushing.Unlock()
	if l.file != nil {
		_ = l.file.Close() // nothing was written by it, but what mend wrote and flushed
	}
	l.file = nil
}

// flush makes durable what was committed.
func (l *log) flush() error {
	l.flushing.Lock()
	defer l.flushing.Unlock()
	if failed := l.suspect.Load(); failed != nil {
		return &record.UnconfirmedError{Err: *failed}
	}
	err := os.ErrClosed // the connection broke since
	if l.file != nil {
		err = l.sync(l.file)
	}
	if err != nil {
		l.suspect.Store(&err)
		return &record.UnconfirmedError{Err: err}
	}
	return nil
}

// mend makes good for a flush that failed. What could not be written may count as written from then on, so all of the log is
// written anew, each byte over itself, and flushed. Nobody else may write to the log meanwhile: the caller has begun a transaction.
func (l *log) mend() error {
	if l.suspect.Load() == nil {
		return nil
	}
	l.flushing.Lock()
	defer l.flushing.Unlock()
	block := make([]byte, 1<<20)
	for at := int64(0); ; {
		n, end := l.file.ReadAt(block, at)
		if _, err := l.file.WriteAt(block[:n], at); err != nil {
			return err
		}
		at += int64(n)
		if end == io.EOF {
			break
		}
		if end != nil {
			return end
		}
	}
	if err := l.sync(l.file); err != nil {
		return err
	}
	l.suspect.Store(nil)
	return nil
}
