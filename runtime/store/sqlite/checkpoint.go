package sqlite

import (
	"context"
	"database/sql"
)

// What was committed stands in the log; a checkpoint copies it into the database, and when all of it was copied the next
// transaction begins the log anew. SQLite would do that within a commit, while everybody waits: a fifth of the writer's
// time. Here a goroutine does it beside the writer, which is what SQLite's documentation recommends for steady writers.
// A commit copies only what is left of a log that has become long, because the writer never paused, or because many
// processes have each added a little.

const (
	// pass is after how many bytes the copying begins, about as often as SQLite does it.
	pass = 4 << 20
	// longest is how many pages the log may have before a commit copies them: 16 MB.
	longest = 4000
)

// copyLog never waits for readers or for other processes.
const copyLog = "PRAGMA wal_checkpoint(PASSIVE)"

// checkpointer copies the log in the background.
type checkpointer struct {
	db    *sql.DB
	since int           // bytes that were written since the last pass was asked for; the writer's
	due   chan struct{} // has room for one: a pass that is asked for twice is done once
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
		_, _ = c.db.ExecContext(ctx, copyLog)
	}
}
