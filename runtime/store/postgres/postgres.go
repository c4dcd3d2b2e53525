// Package postgres keeps records in a PostgreSQL database: the store of several machines.
//
// Data flow: the engine's writer -> one connection of its own; a group of requests is one transaction whose
// statements travel together, twice there and back and once for the commit -> the server; readers -> a pool.
//
// Several processes may share a database. Each holds an advisory lock under a random number for as long as its writer's
// connection lives, which tells whose intents are orphans. A process that loses the connection may be taken for dead
// until it has another one; if its intents are resolved meanwhile, its commits are told so. Connections have to be
// sessions: a pooler that hands out transactions breaks the locks.
//
// The tables are found by the connection's search_path; `?search_path=NAME` in the URL puts them beside others'.
// The package is linked by programs, never by the runtime.
package postgres

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"vcp.core/runtime/record"
	"vcp.core/runtime/store/internal/engine"
)

// Store is a [record.Store] in a PostgreSQL database.
type Store struct {
	*engine.Store
	db *database
}

var _ record.Store = (*Store)(nil)

// Options of a store.
type Options struct {
	// Relaxed acknowledges what the server has taken, not what it has flushed: synchronous_commit=off. A crash of the
	// server may lose the last commits, whole ones.
	Relaxed bool
	// Readers is how many reads run at a time, 0 for 8.
	Readers int
	// Lost is told of what a relaxed Commit accepted and could not write. nil tells nobody.
	Lost func(e record.Entry, err error)
}

// connectWait is how long a connection may take where the URL does not say.
const connectWait = 5 * time.Second

// defaultReaders is how many reads run at a time.
const defaultReaders = 8

// Open connects to the database of the URL (or a keyword string), and brings its tables up to date.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	db, err := connect(ctx, url, o)
	if err != nil {
		return nil, err
	}
	return &Store{engine.New(ctx, db, engine.Options{Lost: o.Lost}), db}, nil
}

// database implements [engine.Database].
type database struct {
	readers *engine.Pool
	writer  *sql.DB // of one connection

	// Of the writer's goroutine.
	conn *sql.Conn // nil until the next Begin

	mu    sync.Mutex
	owner int64 // the number of the advisory lock
}

// URLError says that a connection string is none. It does not repeat it: passwords stand in such strings.
type URLError struct{}

// Error says it.
func (*URLError) Error() string { return "the address of the PostgreSQL database cannot be read" }

func connect(ctx context.Context, url string, o Options) (*database, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, &URLError{}
	}
	set := func(name, value string) {
		if _, ok := config.RuntimeParams[name]; !ok {
			config.RuntimeParams[name] = value
		}
	}
	set("application_name", "vcp")
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectWait
	}
	if o.Relaxed {
		set("synchronous_commit", "off")
	} else {
		// Durable is what the promise says, whatever the server's default.
		config.RuntimeParams["synchronous_commit"] = "on"
	}
	if o.Readers <= 0 {
		o.Readers = defaultReaders
	}
	d := &database{readers: engine.NewPool(stdlib.OpenDB(*config)), writer: stdlib.OpenDB(*config)}
	d.readers.DB.SetMaxOpenConns(o.Readers)
	d.readers.DB.SetMaxIdleConns(o.Readers)
	d.writer.SetMaxOpenConns(1)
	if err := d.readers.DB.PingContext(ctx); err != nil { // says it once; what migrates says it again and again
		return nil, errors.Join(d.Classify(err), d.Close())
	}
	if err := d.migrate(ctx); err != nil {
		return nil, errors.Join(d.Classify(err), d.Close())
	}
	if err := d.reconnect(ctx); err != nil {
		return nil, errors.Join(d.Classify(err), d.Close())
	}
	return d, nil
}

// migrationLock is the number under which processes queue for changing the tables.
const migrationLock = 0x7663702e636f7265

// migrate brings the tables up to date, one process at a time. The lock's own retry is 5 seconds, with which the
// last of four processes starts after fifteen.
func (d *database) migrate(ctx context.Context) error {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(migrationLock), lock.WithLockTimeout(1, 60), lock.WithUnlockTimeout(1, 5))
	if err != nil {
		return err
	}
	return engine.Migrate(ctx, d.readers.DB, goose.DialectPostgres, nil, goose.WithSessionLocker(locker))
}

// reconnect opens the connection of the writer and takes a lock under a new number: the old one may still be held by
// the old connection.
func (d *database) reconnect(ctx context.Context) error {
	d.drop()
	conn, err := d.writer.Conn(ctx)
	if err != nil {
		return err
	}
	var number [8]byte
	_, _ = rand.Read(number[:]) // never fails
	owner := int64(binary.BigEndian.Uint64(number[:]))
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, owner); err != nil {
		_ = conn.Close()
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.owner != 0 { // intents of before are this process's, too
		_, err = conn.ExecContext(ctx, `UPDATE intents SET owner = $1 WHERE owner = $2`, name(owner), name(d.owner))
	}
	if err != nil {
		_ = conn.Close()
		return err
	}
	d.conn, d.owner = conn, owner
	return nil
}

// drop lets the writer's connection go, and with it what it has locked.
func (d *database) drop() {
	if d.conn != nil {
		_ = d.conn.Raw(func(c any) error {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			return c.(*stdlib.Conn).Conn().Close(ctx)
		})
		_ = d.conn.Close()
	}
	d.conn = nil
}

// Readers implements [engine.Database].
func (d *database) Readers() *engine.Pool { return d.readers }

// Close implements [engine.Database].
func (d *database) Close() error {
	d.drop()
	return errors.Join(d.writer.Close(), d.readers.Close())
}

// Begin implements [engine.Database]. The transaction begins with its first statements.
func (d *database) Begin(ctx context.Context) (engine.Tx, error) {
	if d.conn == nil {
		if err := d.reconnect(ctx); err != nil {
			return nil, err
		}
	}
	return &transaction{d: d}, nil
}

// transaction implements [engine.Tx].
type transaction struct {
	d        *database
	began    bool
	readOnly bool // the server is: another of the URL may be the one that takes writes by now
}

// Run implements [engine.Tx]: all statements go in one message.
func (t *transaction) Run(ctx context.Context, statements []*engine.Statement) (err error) {
	var batch pgx.Batch
	if !t.began {
		batch.Queue("BEGIN")
	}
	for _, st := range statements {
		batch.Queue(st.SQL, st.Args...)
	}
	defer func() {
		if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == readOnly {
			t.readOnly = true
		}
	}()
	return t.d.with(func(conn *pgx.Conn) (err error) {
		results := conn.SendBatch(ctx, &batch)
		defer func() { err = errors.Join(err, results.Close()) }()
		if !t.began {
			t.began = true
			if _, err := results.Exec(); err != nil {
				return err
			}
		}
		for _, st := range statements {
			if err := answer(results, st); err != nil {
				return err
			}
		}
		return nil
	})
}

// answer reads what a statement led to.
func answer(results pgx.BatchResults, st *engine.Statement) error {
	st.Rows = 0
	if st.Row == nil {
		tag, err := results.Exec()
		st.Rows = tag.RowsAffected()
		return err
	}
	rows, err := results.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if st.Rows++; st.Rows == 1 {
			if err := rows.Scan(st.Row...); err != nil {
				return err
			}
		}
	}
	return rows.Err()
}

// Commit implements [engine.Tx].
func (t *transaction) Commit(ctx context.Context) error {
	if !t.began {
		return nil
	}
	err := t.d.with(func(conn *pgx.Conn) error {
		tag, err := conn.Exec(ctx, "COMMIT")
		if err == nil && tag.String() != "COMMIT" {
			err = &record.UnavailableError{Err: fmt.Errorf("the server answered a commit with %s", tag)}
		}
		return err
	})
	if err == nil {
		return nil
	}
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if ok && !lost(refused.Code) || pgconn.SafeToRetry(err) {
		t.Rollback(ctx)
		return err
	}
	t.d.drop()
	return &record.UnconfirmedError{Err: err}
}

// Rollback implements [engine.Tx].
func (t *transaction) Rollback(ctx context.Context) {
	if !t.began || t.d.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := t.d.with(func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "ROLLBACK")
		return err
	})
	if err != nil || t.readOnly {
		t.d.drop()
	}
}

// with runs a function on the writer's connection.
func (d *database) with(do func(conn *pgx.Conn) error) error {
	return d.conn.Raw(func(c any) error { return do(c.(*stdlib.Conn).Conn()) })
}

// readOnly is read_only_sql_transaction.
const readOnly = "25006"

// lost says of a code that the connection or the server went while the statement ran.
func lost(code string) bool {
	return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "57P")
}

// Classify implements [engine.Database].
func (d *database) Classify(err error) error {
	if err == nil || engine.Classified(err) {
		return err
	}
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch refused.Code {
		case "53100": // disk_full
			return &record.FullError{Err: err}
		case readOnly, "42501": // insufficient_privilege
			return &record.ReadOnlyError{Err: err}
		}
	}
	return &record.UnavailableError{Err: err}
}

// name is how an owner stands in rows.
func name(owner int64) string { return strconv.FormatInt(owner, 10) }

// Owner implements [engine.Database].
func (d *database) Owner() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return name(d.owner)
}

// held lists the advisory locks of this database with a number of 64 bits.
const held = `SELECT ((classid::bigint << 32) | objid::bigint)::text FROM pg_locks
WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

// Living implements [engine.Database].
func (d *database) Living(ctx context.Context, owners []string) (living []string, err error) {
	asked := map[string]bool{d.Owner(): true} // whose connection may be broken just now
	for _, owner := range owners {
		asked[owner] = true
	}
	if len(owners) == 0 {
		return nil, nil
	}
	living = append(living, d.Owner())
	rows, err := d.readers.DB.QueryContext(ctx, held)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var owner string
		if err := rows.Scan(&owner); err != nil {
			return nil, err
		}
		if asked[owner] {
			living = append(living, owner)
		}
	}
	return living, rows.Err()
}
