package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"testing"
	"time"
)

// database is a driver whose queries wait until they may go on, or their context ends.
type database struct{ goOn chan struct{} }

func (d *database) Connect(context.Context) (driver.Conn, error) { return &connection{d}, nil }
func (d *database) Driver() driver.Driver                        { return nil }

type connection struct{ *database }

func (c *connection) Prepare(string) (driver.Stmt, error) { return &statement{c.database}, nil }
func (c *connection) Close() error                        { return nil }
func (c *connection) Begin() (driver.Tx, error)           { return nil, errors.ErrUnsupported }

type statement struct{ *database }

func (s *statement) Close() error                               { return nil }
func (s *statement) NumInput() int                              { return -1 }
func (s *statement) Exec([]driver.Value) (driver.Result, error) { return nil, errors.ErrUnsupported }
func (s *statement) Query([]driver.Value) (driver.Rows, error)  { return nil, errors.ErrUnsupported }

func (s *statement) QueryContext(ctx context.Context, _ []driver.NamedValue) (driver.Rows, error) {
	select {
	case <-s.goOn:
		return none{}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(time.Minute):
		return nil, errors.New("neither came")
	}
}

type none struct{}

func (none) Columns() []string         { return nil }
func (none) Close() error              { return nil }
func (none) Next([]driver.Value) error { return io.EOF }

// In a local pool a context ends the wait for a connection, and every query but those that find a few rows.
func TestLocalPool(t *testing.T) {
	db := &database{goOn: make(chan struct{})}
	p := NewLocalPool(sql.OpenDB(db), 1)
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	ask := func(ctx context.Context, few bool) error {
		return p.rows(ctx, query{"SELECT", nil, few}, func(*sql.Rows) error { return nil })
	}
	soon := func() context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	if err := ask(soon(), false); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a list went on without its caller: %v", err)
	}
	ctx, leave := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() { first <- ask(ctx, true) }()
	for len(p.turns) == 0 {
		time.Sleep(time.Millisecond)
	}
	leave() // it has its turn, and must not lose it
	for _, few := range []bool{false, true} {
		if err := ask(soon(), few); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting for the only connection: %v", err)
		}
	}
	select {
	case err := <-first:
		t.Errorf("a query of a few rows ended with its caller: %v", err)
	case db.goOn <- struct{}{}:
		if err := <-first; err != nil {
			t.Error(err)
		}
	}
}
