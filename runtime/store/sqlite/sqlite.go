// Package sqlite keeps records in one SQLite file: the store of a single machine, without a server.
//
// Data flow: the engine's writer -> one connection (WAL) -> the log, which the store flushes itself before anything in it
// is acknowledged; another connection copies the log into the database; readers -> four connections of their own, which
// never wait for the writer.
// The writer's connection writes each transaction to the log at once (package frames).
//
//	PATH           the database
//	PATH-wal       what was committed since the last checkpoint; belongs to the database, as does
//	PATH-shm       the index of that
//	PATH-owners/   one locked file for each process that writes
//
// Several processes of one machine may open the same file: SQLite's locks let one of them write at a time. The locked files
// tell which of them live, so that nobody takes the intents of a running process for those of a crashed
// one. A network file system has neither kind of lock; do not put the file there.
//
// A disk that is full or read-only stops writes with an error that says so and leaves reads alone; the next write
// finds out whether it still is.
//
// The package is linked by programs, never by the runtime.
package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite" // registers the driver "sqlite", too

	"vcp.core/runtime/record"
	"vcp.core/runtime/store/internal/engine"
	"vcp.core/runtime/store/sqlite/internal/frames"
)

// Store is a [record.Store] in a SQLite file.
type Store struct {
	*engine.Store
	db *database
}

var _ record.Store = (*Store)(nil)

// Options of a store.
type Options struct {
	// Relaxed acknowledges what the operating system has: a crash of the program loses nothing, a loss of power
	// perhaps the last commits, whole ones and never the order. A single one is relaxed by [record.Entry].
	Relaxed bool
	// Lost is told of what a relaxed Commit accepted and could not write. nil tells nobody.
	Lost func(e record.Entry, err error)

	unsafe bool // of tests: nothing is ever flushed
}

// Open opens the file, makes it when it is not there, and brings its tables up to date. A file on a read-only disk
// is opened when it has been used before, and one of somebody else when its three files may be read; writes then fail
// with a [*record.ReadOnlyError]. An [*AccessError] says what is lacking to read.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	db, err := connect(ctx, path, o)
	if err != nil {
		return nil, err
	}
	return &Store{engine.New(ctx, db, engine.Options{Lost: o.Lost}), db}, nil
}

// database implements [engine.Database].
type database struct {
	path        string
	synchronous string // what PRAGMA synchronous is set to
	relaxed     bool   // commits are not flushed
	log         log

	// Of the writer's goroutine.
	pool     *sql.DB     // of the one connection
	conn     *connection // nil until the next Begin
	copies   *checkpointer
	migrated bool

	mu      sync.Mutex
	owner   *lease // nil as long as nothing was written
	readers *engine.Pool
}

// readerCount is how many reads run at a time.
const readerCount = 4

func connect(ctx context.Context, path string, o Options) (*database, error) {
	path, err := follow(path)
	if err != nil {
		return nil, err
	}
	d := &database{path: path, synchronous: "NORMAL", relaxed: o.Relaxed || o.unsafe, log: log{path: path + "-wal", sync: flushData}}
	if o.unsafe {
		d.synchronous = "OFF"
	}
	made := makeDir(filepath.Dir(path))
	wrote := made
	if made == nil {
		wrote = d.reconnect(ctx)
	}
	if wrote != nil {
		err := d.Classify(wrote)
		if _, ok := errors.AsType[*record.ReadOnlyError](err); !ok {
			d.drop()
			d.release()
			return nil, err
		}
	}
	if d.readers, err = d.reader(); err == nil {
		// What cannot be written must at least be readable.
		_, err = d.readers.DB.ExecContext(ctx, `SELECT id FROM records LIMIT 1`)
	}
	if err != nil {
		err = errors.Join(err, wrote)
		if denied := d.denied(err); wrote != nil && denied != nil {
			err = &record.UnavailableError{Err: denied}
		}
		err = d.Classify(err)
		_ = d.Close()
		return nil, err
	}
	return d, nil
}

// reader makes a pool of connections for reading.
func (d *database) reader() (*engine.Pool, error) {
	db, err := sql.Open("sqlite", d.source("query_only(1)", "busy_timeout(5000)", "cache_size(-8192)"))
	if err != nil {
		return nil, err
	}
	return engine.NewLocalPool(db, readerCount), nil
}

// source is the address of the file for the driver. mmap stays off: it makes errors of the disk signals.
func (d *database) source(pragmas ...string) string { return d.through("", pragmas...) }

// through is the same with a file system of SQLite's, "" for the usual one.
func (d *database) through(vfs string, pragmas ...string) string {
	query := url.Values{"_txlock": {"immediate"}, "_pragma": append(pragmas, "mmap_size(0)")}
	if vfs != "" {
		query.Set("vfs", vfs)
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(d.path), RawQuery: query.Encode()}).String()
}

// reconnect opens the connection of the writer.
func (d *database) reconnect(ctx context.Context) error {
	d.drop()
	if err := d.lease(); err != nil {
		return err
	}
	if err := d.renew(); err != nil {
		return err
	}
	if err := private(d.path); err != nil {
		return err
	}
	vfs, err := frames.Register()
	if err != nil {
		return err
	}
	pool, err := sql.Open("sqlite", d.through(vfs, "busy_timeout(5000)", "journal_mode(WAL)", "cache_spill(0)", "synchronous("+d.synchronous+")", "foreign_keys(1)",
		"cache_size(-16384)", "wal_autocheckpoint("+strconv.Itoa(longest)+")", "journal_size_limit(67108864)"))
	if err != nil {
		return err
	}
	pool.SetMaxOpenConns(1)
	d.pool = pool
	if !d.migrated {
		if err := d.migrate(ctx); err != nil {
			return err
		}
		d.migrated = true
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	d.conn = &connection{sql: conn, prepared: map[string]driver.Stmt{}}
	// The log stays when the last connection goes, so that a disk that is read-only by then can be read.
	err = conn.Raw(func(c any) error {
		_, err := c.(sqlite.FileControl).FileControlPersistWAL("main", 1)
		return err
	})
	if err != nil {
		d.drop()
		return err
	}
	own, err := sql.Open("sqlite", d.source("synchronous("+d.synchronous+")", "wal_autocheckpoint(0)"))
	if err != nil {
		d.drop()
		return err
	}
	d.copies = newCheckpointer(ctx, own)
	return nil
}

// private makes the file when it is not there, for this user alone: SQLite would let the umask decide. Its log and
// the index of that get the same permissions. A file that is there must not even be opened: to close it would take away
// the locks that SQLite has on it in this process.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// renew replaces the readers that were opened while the disk was read-only: within a process SQLite opens the index of
// the log once for all connections, and what was opened for reading only stays that.
func (d *database) renew() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.readers == nil || d.migrated {
		return nil
	}
	next, err := d.reader()
	if err != nil {
		return err
	}
	err = d.readers.Close()
	d.readers = next
	return err
}

// migrate brings the tables up to date, one process at a time.
func (d *database) migrate(ctx context.Context) error {
	lock, err := hold(ctx, filepath.Join(d.owners(), migration))
	if err != nil {
		return err
	}
	defer lock.end()
	err = engine.Migrate(ctx, d.pool, goose.DialectSQLite3, func(script string) string {
		return strings.ReplaceAll(script, ` COLLATE "C"`, "") // the order of bytes is SQLite's own
	})
	if err != nil {
		return err
	}
	return syncDir(filepath.Dir(d.path))
}

// drop lets the writer's connection go. The next Begin makes another.
func (d *database) drop() {
	if d.copies != nil {
		d.copies.close()
	}
	if d.conn != nil {
		d.conn.close()
	}
	if d.pool != nil {
		_ = d.pool.Close()
	}
	d.log.close()
	d.conn, d.pool, d.copies = nil, nil, nil
}

// Readers implements [engine.Database].
func (d *database) Readers() *engine.Pool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.readers
}

// Close implements [engine.Database].
func (d *database) Close() error {
	var err error
	if readers := d.Readers(); readers != nil {
		err = readers.Close()
	}
	d.drop()
	d.release()
	return err
}

// Begin implements [engine.Database].
func (d *database) Begin(ctx context.Context) (engine.Tx, error) {
	if d.conn == nil {
		if err := d.reconnect(ctx); err != nil {
			d.drop()
			return nil, err
		}
	}
	if err := d.conn.do(ctx, "BEGIN IMMEDIATE"); err != nil {
		if code(err) != busy {
			d.drop()
		}
		return nil, err
	}
	if err := d.loggable(); err != nil {
		transaction{d}.Rollback(ctx)
		return nil, err
	}
	return transaction{d}, nil
}

// transaction implements [engine.Tx].
type transaction struct{ d *database }

// Run implements [engine.Tx].
func (t transaction) Run(ctx context.Context, statements []*engine.Statement) error {
	return t.d.conn.run(ctx, statements...)
}

// Commit implements [engine.Tx].
func (t transaction) Commit(ctx context.Context) error {
	err := t.d.conn.do(ctx, "COMMIT")
	if err == nil {
		t.d.copies.wrote(t.d.conn.taken())
		return nil
	}
	t.Rollback(ctx)
	if code(err) == ioError && !halfWritten(err) {
		// What was written to the log may be found there after a crash, although it was never acknowledged.
		t.d.drop()
		return &record.UnconfirmedError{Err: err}
	}
	return err
}

// Rollback implements [engine.Tx].
func (t transaction) Rollback(ctx context.Context) {
	if t.d.conn == nil {
		return
	}
	if err := t.d.conn.do(ctx, "ROLLBACK"); err != nil {
		t.d.drop() // SQLite rolls back by itself after some errors
	}
}

// Owner implements [engine.Database].
func (d *database) Owner() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.owner == nil {
		return ""
	}
	return filepath.Base(d.owner.path)
}

// Living implements [engine.Database].
func (d *database) Living(_ context.Context, owners []string) ([]string, error) {
	var living []string
	for _, name := range owners {
		alive, err := d.lives(name)
		if err != nil {
			return nil, err
		}
		if alive {
			living = append(living, name)
		}
	}
	return living, nil
}
