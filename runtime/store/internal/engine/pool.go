package engine

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// Pool is a pool of connections for reading, with the statements that were prepared on it.
type Pool struct {
	DB *sql.DB

	turns chan struct{} // of a local pool, as many as it has connections

	mu       sync.RWMutex
	prepared map[string]*sql.Stmt // nil when closed
}

// NewPool makes a pool of connections. They are the pool's from now on.
func NewPool(db *sql.DB) *Pool { return &Pool{DB: db, prepared: map[string]*sql.Stmt{}} }

// NewLocalPool makes a pool of so many connections to a file on this machine. A query that finds a few rows by an index then
// runs to its end, whatever becomes of the context: the driver and database/sql would each start a goroutine that watches
// it, which takes longer than such a query does. The context ends the wait for a connection.
func NewLocalPool(db *sql.DB, connections int) *Pool {
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	p := NewPool(db)
	p.turns = make(chan struct{}, connections)
	return p
}

// query is what a pool is asked.
type query struct {
	text string
	args []any
	few  bool // an index answers it with a few rows
}

// closedPool says that a pool was closed before a query began.
type closedPool struct{}

// Error says it.
func (*closedPool) Error() string { return "the connections for reading are closed" }

// Close closes statements and connections; queries that run end first.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	for _, st := range p.prepared { // or a connection would stay open under them
		err = errors.Join(err, st.Close())
	}
	p.prepared = nil
	return errors.Join(err, p.DB.Close())
}

// statement returns a prepared statement.
func (p *Pool) statement(ctx context.Context, text string) (*sql.Stmt, error) {
	p.mu.RLock()
	st := p.prepared[text]
	p.mu.RUnlock()
	if st != nil {
		return st, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.prepared == nil {
		return nil, &closedPool{}
	}
	if st = p.prepared[text]; st != nil {
		return st, nil
	}
	st, err := p.DB.PrepareContext(ctx, text) //nolint:sqlclosecheck // by Close
	if err != nil {
		return nil, err
	}
	p.prepared[text] = st
	return st, nil
}

// rows runs a query and hands every row to scan.
func (p *Pool) rows(ctx context.Context, q query, scan func(*sql.Rows) error) (err error) {
	if p.turns != nil {
		select {
		case p.turns <- struct{}{}:
			defer func() { <-p.turns }()
		case <-ctx.Done():
			return ctx.Err()
		}
		if q.few {
			ctx = context.WithoutCancel(ctx)
		}
	}
	st, err := p.statement(ctx, q.text) //nolint:sqlclosecheck // kept for the next query
	if err != nil {
		return err
	}
	rows, err := st.QueryContext(ctx, q.args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
