// Package engine is what the stores on databases have in common: the tables, the statements, and the one goroutine
// that writes. An adapter gives it a [Database]; what that does differently is how it connects, which errors it has,
// and how it knows whether another process lives.
//
// # Data flow of writes
//
//	Commit, Begin, Prune -> one queue -> the writer: takes one request and what else waits, at most 256
//	     -> one transaction: statements in the order of their ids -> one flush of the disk -> answers to all
//
// So callers share a flush without waiting for each other. Where a database can flush apart from committing (a [Flusher]),
// the writer does the statements of the next group while the one before is flushed: the processor and the disk work at
// the same time. Nobody is answered before the flush of his group. A request that spoils a transaction (an id that is
// taken, a text that is too large) is told from the others by doing each of them alone.
//
// # Data flow of reads
//
// Reads have their own connections and see what is committed. With a Flusher that is seen a flush before it is
// acknowledged: what a loss of power may take back was never answered, but it may have stood in a list.
//
// The same SQL runs on every database: parameters are $1, $2, … in the order of their first use, types are TEXT
// and BIGINT, and texts are ordered by their bytes. The package never knows what a result means, and changes no byte
// of it.
package engine

import (
	"context"
	"sync"
	"sync/atomic"

	"vcp.core/runtime/record"
)

// Database is one database as the engine needs it.
type Database interface {
	// Begin opens a transaction for the writer. Only the writer's goroutine calls it, and it ends one before it
	// opens the next.
	Begin(ctx context.Context) (Tx, error)
	// Readers are the connections for reading. There may be others after Begin has connected anew.
	Readers() *Pool
	// Classify makes an error of package record of an error of the database. Of others it makes an UnavailableError.
	Classify(err error) error
	// Owner names this process in rows of intents. It may change when Begin has connected anew.
	Owner() string
	// Living returns those of the owners whose processes may still be there.
	Living(ctx context.Context, owners []string) ([]string, error)
	// Close lets everything go, the name of the owner too.
	Close() error
}

// Flusher is a [Database] whose commits are durable only when they have been flushed.
type Flusher interface {
	// Flush makes durable what was committed before it was called. It may run beside everything that the writer does. An
	// error means that nobody can tell what of it is durable, and is an UnconfirmedError: flushing again proves nothing,
	// because systems forget what they could not write. So every Flush fails until a Begin has made good for it.
	Flush() error
}

// Tx is a transaction of the writer.
type Tx interface {
	// Run does statements one after the other; where a database allows it, they travel together.
	Run(ctx context.Context, statements []*Statement) error
	// Commit ends the transaction; it is durable when it returns, or with the next Flush of a [Flusher]. The error is an
	// UnconfirmedError when nobody can tell whether it did.
	Commit(ctx context.Context) error
	// Rollback undoes it. What cannot be undone is undone by a new connection.
	Rollback(ctx context.Context)
}

// Statement is a statement with what it leads to.
type Statement struct {
	SQL  string
	Args []any
	// Row holds where the columns of the first row go; nil for statements that have no rows.
	Row []any
	// Rows is how many rows there were, or how many were changed.
	Rows int64
}

// Options are those that every store has.
type Options struct {
	// Lost is told of what a relaxed Commit accepted and could not write. nil tells nobody.
	Lost func(e record.Entry, err error)
}

// Stats counts what the writer did, and what it has to do.
type Stats struct {
	Transactions uint64 // that were committed, each with a flush
	Requests     uint64 // in them
	Waiting      int    // that the writer has not taken up yet
}

// Store is a [record.Store] on a database.
type Store struct {
	background context.Context // of the writer: it outlives every caller

	db      Database
	flusher Flusher // nil when a commit is durable
	lost    func(record.Entry, error)
	queue   chan *request
	quit    chan struct{} // closed by Close: the writer drains the queue and ends
	done    chan struct{} // closed by the writer

	// Between the writer and the goroutine that flushes beside it.
	committed chan []*request // groups to be flushed; closed by the writer
	unflushed chan late       // those that could not be; closed by the other

	keyed map[string]bool // invocations whose intents have keys, of this process; the writer's

	mu     sync.RWMutex // held for reading while something is put into the queue
	closed bool

	transactions, requests atomic.Uint64
	relaxed                atomic.Int64 // bytes that were accepted and are not written yet
}

var _ record.Store = (*Store)(nil)

// depth of the queue: more requests than that wait before it.
const depth = 1024

// relaxedBytes bounds what nobody waits for: a relaxed commit beyond it waits like any other.
const relaxedBytes = 64 << 20

// New starts a store. The database is the store's from now on.
func New(ctx context.Context, db Database, o Options) *Store {
	s := &Store{
		background: context.WithoutCancel(ctx), db: db, lost: o.Lost, keyed: map[string]bool{},
		queue: make(chan *request, depth), quit: make(chan struct{}), done: make(chan struct{}),
		committed: make(chan []*request, ahead), unflushed: make(chan late),
	}
	s.flusher, _ = db.(Flusher)
	if s.lost == nil {
		s.lost = func(record.Entry, error) {}
	}
	go s.write() //nolint:contextcheck // the writer has a context of its own
	go s.flushes()
	return s
}

// Stats returns what the writer did so far.
func (s *Store) Stats() Stats {
	return Stats{Transactions: s.transactions.Load(), Requests: s.requests.Load(), Waiting: len(s.queue)}
}

// Close implements [record.Store].
func (s *Store) Close(ctx context.Context) error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.mu.Unlock()
	if !first {
		return nil
	}
	close(s.quit)
	select {
	case <-s.done:
		return s.db.Close()
	case <-ctx.Done():
		go func() { // the writer has the connection until it is done
			<-s.done
			_ = s.db.Close()
		}()
		return ctx.Err()
	}
}

// open returns an error when the store is closed.
func (s *Store) open(ctx context.Context) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return &record.ClosedError{}
	}
	return ctx.Err()
}
