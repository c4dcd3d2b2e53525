package sqlite

import (
	"bytes"
	"encoding/binary"
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

// loggable makes sure that what a transaction will write can be flushed.
func (d *database) loggable() error {
	if d.relaxed {
		return nil
	}
	if err := d.log.open(); err != nil {
		return err
	}
	return d.log.mend()
}

// Flush implements [engine.Flusher].
func (d *database) Flush() error {
	if d.relaxed {
		return nil
	}
	return d.log.flush()
}

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
	l.suspect.CompareAndSwap(nil, &errOpened)
	return nil
}

// errOpened makes a log suspect that was just opened. The system tells of what it could not write only those that have the file
// open by then, and they may have ended since: what is written behind such a gap would end with it when the power fails.
var errOpened = errors.New("the log is not flushed since it was opened")

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

// mend makes good for a flush that failed. What could not be written may count as written from then on, so the log is written
// anew, each byte over itself, and flushed. Nobody else may write to the log meanwhile: the caller has begun a transaction.
//
// That is as much as the file system makes of it. ext4 keeps in memory what it could not write, and blocks that had been
// written before are whole again; those that were new stay marked as never written, although it says that they were flushed.
func (l *log) mend() error {
	if l.suspect.Load() == nil {
		return nil
	}
	l.flushing.Lock()
	defer l.flushing.Unlock()
	if err := rewrite(l.file); err != nil {
		return err
	}
	if err := l.sync(l.file); err != nil {
		return err
	}
	l.suspect.Store(nil)
	return nil
}

// The log is a header and frames, as the format of SQLite's files says: the size of a page is at 8 in the header, the salts
// are at 16 there and at 8 in the head of a frame.
const (
	logHead   = 32
	frameHead = 24
	mostPage  = 64 << 10
)

// rewrite writes over itself what counts of a log: up to the first frame that has other salts, because it is of before the log
// was begun anew.
func rewrite(f interface {
	io.ReaderAt
	io.WriterAt
},
) error {
	head := make([]byte, logHead)
	frame := head
	for at := int64(0); ; {
		switch _, err := f.ReadAt(frame, at); {
		case errors.Is(err, io.EOF), err == nil && at > 0 && !bytes.Equal(frame[8:16], head[16:24]):
			return nil
		case err != nil:
			return err
		}
		if _, err := f.WriteAt(frame, at); err != nil {
			return err
		}
		at += int64(len(frame))
		if page := binary.BigEndian.Uint32(head[8:]); at == logHead {
			frame = make([]byte, frameHead+min(page, mostPage))
		}
	}
}
