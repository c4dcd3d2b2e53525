package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"vcp.core/runtime/store/internal/engine"
)

// connection is the one of the writer. It speaks with the driver below database/sql, which takes a lock, a copy of the
// arguments and a goroutine's worth of checks for each statement of a group: about a tenth of what a row costs.
//
// Statements run without the end of a context, which would cost a goroutine each: a local file answers, and locks are
// waited for by busy_timeout.
type connection struct {
	sql      *sql.Conn
	prepared map[string]driver.Stmt // by their texts
	args     []driver.NamedValue
	bytes    int // of texts that were written, about
}

// close lets the statements go, or the file would stay open under them, and then the connection.
func (c *connection) close() {
	_ = c.sql.Raw(func(any) error {
		for _, st := range c.prepared {
			_ = st.Close()
		}
		return nil
	})
	_ = c.sql.Close()
}

// run does statements one after the other.
func (c *connection) run(ctx context.Context, list ...*engine.Statement) error {
	ctx = context.WithoutCancel(ctx)
	return c.sql.Raw(func(raw any) error {
		for _, st := range list {
			if err := c.one(ctx, raw, st); err != nil {
				return err
			}
		}
		return nil
	})
}

// perTransaction is what a transaction adds to the log beside its texts: the ends of the trees.
const perTransaction = 10 * 4096

// taken returns about how many bytes the last transaction added to the log.
func (c *connection) taken() int {
	n := c.bytes + perTransaction
	c.bytes = 0
	return n
}

// do runs a statement that has neither arguments nor rows.
func (c *connection) do(ctx context.Context, text string) error {
	return c.run(ctx, &engine.Statement{SQL: text})
}

func (c *connection) one(ctx context.Context, raw any, st *engine.Statement) error {
	prepared := c.prepared[st.SQL]
	if prepared == nil {
		var err error
		if prepared, err = raw.(driver.ConnPrepareContext).PrepareContext(ctx, st.SQL); err != nil {
			return err
		}
		c.prepared[st.SQL] = prepared
	}
	c.args = c.args[:0]
	for i, v := range st.Args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: v})
		if text, ok := v.(string); ok {
			c.bytes += len(text)
		}
	}
	defer clear(c.args) // so that nothing keeps the results that were written
	st.Rows = 0
	if st.Row != nil {
		return query(ctx, prepared.(driver.StmtQueryContext), c.args, st)
	}
	done, err := prepared.(driver.StmtExecContext).ExecContext(ctx, c.args)
	if err == nil {
		st.Rows, err = done.RowsAffected()
	}
	return err
}

// query reads the first row of a statement and counts all of them.
func query(ctx context.Context, prepared driver.StmtQueryContext, args []driver.NamedValue, st *engine.Statement) (err error) {
	rows, err := prepared.QueryContext(ctx, args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	values := make([]driver.Value, len(st.Row))
	for {
		switch err := rows.Next(values); {
		case err == io.EOF: //nolint:errorlint // what driver.Rows promises
			return nil
		case err != nil:
			return err
		}
		if st.Rows++; st.Rows > 1 {
			continue
		}
		for i, v := range values {
			if err := scan(st.Row[i], v); err != nil {
				return err
			}
		}
	}
}

// scan puts a column where it belongs. The tables have texts and integers, none of them NULL.
func scan(into any, v driver.Value) error {
	switch to := into.(type) {
	case *string:
		if s, ok := v.(string); ok {
			*to = s
			return nil
		}
	case *int64:
		if n, ok := v.(int64); ok {
			*to = n
			return nil
		}
	}
	return fmt.Errorf("a column of %T cannot be read into %T", v, into)
}
