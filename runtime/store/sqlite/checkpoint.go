package sqlite

import (
	"context"
	"database/sql"
	"sync/atomic"

	"vcp.core/runtime/store/internal/engine"
)

// What was committed stands in the log; a checkpoint copies it into the database, and when all of it was copied the next
// transaction begins the log anew. SQLite would do that within a commit, while everybody waits: a fifth of the writer's
// time. Here a goroutine does it beside the writer, which is what SQLite's documentation recommends for steady writers.
// Only when the log gets long, because the writer never pauses, the writer does what is left of the work itself.

const (
	// pass is after how many bytes the copying begins, about as often as SQLite does it.
	pass = 4 << 20
	// longest is how many pages the log may have before the writer copies, too: 16 MB.
	longest = 4000
)

// copyLog never waits for readers or for other processes.
const copyLog = "PRAGMA wal_checkpoint(PASSIVE)"

// checkpointer copies the log in the background.
type checkpointer struct {
	db    *sql.DB
	since int           // bytes that were written since the last pass was asked for; the writer's
	due   chan struct{} // has room for one: a pass that is asked for twice is done once
	pages atomic.Int64  // of the log, after the last pass
	stop  context.CancelFunc
	ended chan struct{}
}

// newCheckpointer starts one on a pool of its own.
func newCheckpointer(ctx context.Context, db *sql.DB) *checkpointer {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	db.SetMaxOpenConns(1)
	c := &checkpointer{db: db, due: make(chan struct{}, 1), stop: stop, ended: make(chan struct{})}
	go c.work(ctx)
	return c
}

// close ends a pass that is running.
func (c *checkpointer) close() {
	c.stop()
	<-c.ended
	_ = c.db.Close()
}

// wrote says that a transaction has added to the log.
func (c *checkpointer) wrote(bytes int) {
	if c.since += bytes; c.since < pass {
		return
	}
	c.since = 0
	select {
	case c.due <- struct{}{}:
	default:
	}
}

func (c *checkpointer) work(ctx context.Context) {
	defer close(c.ended)
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.due:
		}
		// An error of the disk meets the writer, too, which tells it. The log keeps everything until then.
		var busy, pages, copied int64
		if err := c.db.QueryRowContext(ctx, copyLog).Scan(&busy, &pages, &copied); err == nil && busy == 0 {
			c.pages.Store(pages)
		}
	}
}

// catchUp copies what is left of a log that has become long. The next transaction begins it anew, unless somebody
// still reads from it.
func (c *checkpointer) catchUp(ctx context.Context, conn *connection) {
	if c.pages.Load() < longest {
		return
	}
	var busy, pages, copied int64
	if err := conn.run(ctx, &engine.Statement{SQL: copyLog, Row: []any{&busy, &pages, &copied}}); err == nil && busy == 0 {
		c.pages.Store(0) // not asked for again before the next pass
	}
}
