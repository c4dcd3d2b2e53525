package schedulemanager

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite" // with the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	contract "vcp.core/generated/plugins/schedulemanager"
)

// schedule is one entry. Time is kept as the user wrote it; at is the same moment for ordering.
type schedule struct {
	ID, Time, Content string
	at                instant
}

// typed is the entry as the contract has it.
func (e schedule) typed() contract.Schedule {
	return contract.Schedule{ID: e.ID, Time: e.Time, Content: e.Content}
}

// store keeps schedules in one SQLite file. A write is on disk when its method returns: write-ahead
// log, synchronous=FULL, one connection that writes. Reads run beside it on their own connections
// and see a snapshot.
type store struct {
	write, read *sql.DB
}

// fileName of the database inside the plugin's data folder.
const fileName = "schedules.db"

// schemaVersion is kept in the file's user_version. A new layout gets the next number and a step in
// [store.migrate].
const schemaVersion = 1

// layout of version 1. The index serves the range, the order and the cursor of a list.
const layout = `
CREATE TABLE schedule (
	id      TEXT NOT NULL PRIMARY KEY,
	time    TEXT NOT NULL,
	instant TEXT NOT NULL,
	content TEXT NOT NULL
) STRICT;
CREATE INDEX schedule_by_instant ON schedule (instant, id);
`

// VersionError says that the database was written by a newer version of the plugin.
type VersionError struct {
	Found, Known int
}

// Error says it in a sentence.
func (e *VersionError) Error() string {
	return fmt.Sprintf("the schedule database has layout %d, this plugin knows layouts up to %d", e.Found, e.Known)
}

// openStore opens the database in folder dir and creates it when absent. The folder must exist.
func openStore(ctx context.Context, dir string) (*store, error) {
	path, err := filepath.Abs(filepath.Join(dir, fileName))
	if err != nil {
		return nil, err
	}
	write, err := sql.Open("sqlite", dataSource(path, "_pragma=journal_mode(WAL)&_txlock=immediate"))
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	read, err := sql.Open("sqlite", dataSource(path, "_pragma=query_only(1)"))
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	read.SetMaxOpenConns(4)
	s := &store{write: write, read: read}
	if err := patiently(ctx, s.migrate); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// patience is how long a store waits for another process that opens or closes the same file.
const patience = 5 * time.Second

// patiently repeats what fails with SQLITE_BUSY. Where one connection turns a file to write-ahead logging or
// is the last one to leave it, SQLite does not let others wait by themselves: it returns at once, whatever
// busy_timeout says.
func patiently(ctx context.Context, do func(context.Context) error) error {
	deadline := time.Now().Add(patience)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := do(ctx)
		var broken *sqlite.Error
		if !errors.As(err, &broken) || broken.Code()&0xff != sqlite3.SQLITE_BUSY || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// dataSource names the file as a URI, so that no character of the path is taken for an option.
func dataSource(path, extra string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	u := url.URL{Scheme: "file", Path: path}
	return u.String() + "?_pragma=busy_timeout(5000)&_pragma=synchronous(FULL)&" + extra
}

// migrate brings the layout up to date in one transaction; two processes may race for it.
func (s *store) migrate(ctx context.Context) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		var found int
		if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&found); err != nil {
			return err
		}
		switch {
		case found == schemaVersion:
			return nil
		case found > schemaVersion:
			return &VersionError{Found: found, Known: schemaVersion}
		}
		_, err := tx.ExecContext(ctx, layout+fmt.Sprintf("PRAGMA user_version = %d;", schemaVersion))
		return err
	})
}

// update runs one write transaction. Its commit is the moment at which the change is durable, which
// is why even single statements go through it: an error of an implicit commit could get lost.
func (s *store) update(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, ignoreDone(tx.Rollback()))
	}
	return tx.Commit()
}

// ignoreDone drops the one rollback error that means nothing: a cancelled context has rolled back.
func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

func (s *store) close() error {
	return errors.Join(s.read.Close(), s.write.Close())
}

func (s *store) insert(ctx context.Context, e schedule) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO schedule (id, time, instant, content) VALUES ($1, $2, $3, $4)`,
			e.ID, e.Time, string(e.at), e.Content)
		return err
	})
}

// change sets what is not nil and returns the entry as it stands afterwards; found is false when
// there is no such id.
func (s *store) change(ctx context.Context, id string, time *string, at instant, content *string) (e schedule, found bool, err error) {
	return s.one(ctx, `UPDATE schedule SET time = coalesce($2, time), content = coalesce($3, content),
		instant = CASE WHEN $2 IS NULL THEN instant ELSE $4 END
		WHERE id = $1 RETURNING id, time, content`, id, time, content, string(at))
}

// remove deletes an entry and returns it as it was.
func (s *store) remove(ctx context.Context, id string) (e schedule, found bool, err error) {
	return s.one(ctx, `DELETE FROM schedule WHERE id = $1 RETURNING id, time, content`, id)
}

// one runs a statement that touches and returns at most one entry.
func (s *store) one(ctx context.Context, statement string, args ...any) (e schedule, found bool, err error) {
	err = s.update(ctx, func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, statement, args...).Scan(&e.ID, &e.Time, &e.Content)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		found = err == nil
		return err
	})
	return e, found && err == nil, err
}

// page is one page of a list.
type page struct {
	schedules []schedule // never nil
	total     int64      // entries in the whole range
	more      bool       // entries follow the last one
}

// list returns up to limit entries with from <= time < to that stand after the cursor, and counts the
// range, both in one snapshot. Entries of the same moment are ordered by id.
func (s *store) list(ctx context.Context, from, to instant, after cursor, limit int) (p page, err error) {
	tx, err := s.read.BeginTx(ctx, nil)
	if err != nil {
		return page{}, err
	}
	defer func() { err = errors.Join(err, ignoreDone(tx.Rollback())) }()

	err = tx.QueryRowContext(ctx, `SELECT count(*) FROM schedule WHERE instant >= $1 AND instant < $2`,
		string(from), string(to)).Scan(&p.total)
	if err != nil {
		return page{}, err
	}
	rows, err := tx.QueryContext(ctx, `SELECT id, time, content, instant FROM schedule
		WHERE instant >= $1 AND instant < $2 AND (instant, id) > ($3, $4)
		ORDER BY instant, id LIMIT $5`, string(from), string(to), string(after.at), after.id, limit+1)
	if err != nil {
		return page{}, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	p.schedules = []schedule{}
	for rows.Next() {
		var e schedule
		if err := rows.Scan(&e.ID, &e.Time, &e.Content, &e.at); err != nil {
			return page{}, err
		}
		if len(p.schedules) == limit {
			p.more = true
			break
		}
		p.schedules = append(p.schedules, e)
	}
	return p, rows.Err()
}
