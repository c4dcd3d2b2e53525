//go:build amd64 || arm64

package frames

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
)

// open opens a database with one connection, by the file system of this package or by SQLite's own.
func connect(t *testing.T, path string, ours bool, pragmas ...string) *sql.DB {
	t.Helper()
	return connectAs(t, path, ours, "1", pragmas...)
}

// connectAs says, too, whether a loss of power within a write leaves the bytes beside it alone ("1"), or SQLite has to pad.
func connectAs(t *testing.T, path string, ours bool, psow string, pragmas ...string) *sql.DB {
	t.Helper()
	query := url.Values{"_pragma": append([]string{"journal_mode(WAL)", "synchronous(NORMAL)", "mmap_size(0)", "wal_autocheckpoint(0)"}, pragmas...)}
	query.Set("psow", psow)
	if ours {
		vfs, err := Register()
		if err != nil || vfs == "" {
			t.Fatalf("%q, %v", vfs, err)
		}
		query.Set("vfs", vfs)
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String())
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func exec(t *testing.T, db *sql.DB, text string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), text, args...); err != nil {
		t.Fatal(text, err)
	}
}

// content is a hash of all rows.
func content(t *testing.T, db *sql.DB) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT id, body FROM t ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	h, n := sha256.New(), 0
	for rows.Next() {
		var id int64
		var body string
		if err := rows.Scan(&id, &body); err != nil {
			t.Fatal(err)
		}
		_, _ = fmt.Fprintf(h, "%d %s\n", id, body)
		n++
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d rows, %x", n, h.Sum(nil)[:8])
}

// found is what a process that starts after a crash at this moment finds.
func found(t *testing.T, path string) string {
	t.Helper()
	return inspect(t, copied(t, path))
}

// copied copies the files without the index of the log, which a crash leaves to nobody.
func copied(t *testing.T, path string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy.db")
	for _, end := range []string{"", "-wal"} {
		text, err := os.ReadFile(path + end)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to+end, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// inspect opens files by SQLite's own file system and returns their content.
func inspect(t *testing.T, path string) string {
	t.Helper()
	db := connect(t, path, false)
	defer func() { _ = db.Close() }()
	var well string
	if err := db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&well); err != nil || well != "ok" {
		t.Fatal(well, err)
	}
	return content(t, db)
}

const atTheEnd = "at the end"

// After each commit of random transactions the file holds what the connection sees, and so does a connection without this package;
// what was rolled back is nowhere. Once with the pragma that the package asks for and with somebody else who writes in between, and
// once with a cache of ten pages that spills.
func TestLog(t *testing.T) {
	for name, pragma := range map[string]string{atTheEnd: "cache_spill(0)", "spilled": "cache_size(10)"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.db")
			db, other := connect(t, path, true, pragma), connect(t, path, false)
			exec(t, db, "CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT)")
			exec(t, db, "CREATE INDEX bodies ON t (body)")
			rng := rand.New(rand.NewPCG(1, 2))
			id := 0
			for range 25 {
				before := content(t, other)
				exec(t, db, "BEGIN IMMEDIATE")
				for range 1 + rng.IntN(30) {
					switch rng.IntN(6) {
					case 0:
						exec(t, db, "DELETE FROM t WHERE id = ?", rng.IntN(id+1))
					case 1:
						exec(t, db, "UPDATE t SET body = ? WHERE id = ?", strings.Repeat("u", rng.IntN(9000)), rng.IntN(id+1))
					case 2:
						exec(t, db, "SAVEPOINT s")
						exec(t, db, "INSERT INTO t VALUES (?, ?)", id+1_000_000, strings.Repeat("s", rng.IntN(30_000)))
						exec(t, db, "ROLLBACK TO s")
						exec(t, db, "RELEASE s")
					default:
						id++
						exec(t, db, "INSERT INTO t VALUES (?, ?)", id, strconv.Itoa(id)+strings.Repeat("i", rng.IntN(6000)))
					}
				}
				own := content(t, db)
				if rng.IntN(4) == 0 {
					exec(t, db, "ROLLBACK")
					own = before
				} else {
					exec(t, db, "COMMIT")
				}
				for who, got := range map[string]string{"the connection": content(t, db), "another": content(t, other), "after a crash": found(t, path)} {
					if got != own {
						t.Fatalf("%s: %s, want %s", who, got, own)
					}
				}
				if rng.IntN(5) == 0 {
					exec(t, db, "PRAGMA wal_checkpoint("+[]string{"PASSIVE", "RESTART", "TRUNCATE"}[rng.IntN(3)]+")")
				}
				if name == atTheEnd && rng.IntN(5) == 0 {
					id++
					exec(t, other, "INSERT INTO t VALUES (?, 'other')", id)
				}
			}
		})
	}
}

// A transaction of a hundred pages is a few writes, and hundreds by SQLite's own file system.
func TestWrites(t *testing.T) {
	writes := func(ours bool) int {
		db := connect(t, filepath.Join(t.TempDir(), "a.db"), ours, "cache_spill(0)")
		exec(t, db, "CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT)")
		exec(t, db, "INSERT INTO t VALUES (0, '')") // the head of the log
		exec(t, db, "BEGIN IMMEDIATE")
		for i := range 100 {
			exec(t, db, "INSERT INTO t VALUES (?, ?)", i+1, strings.Repeat("x", 4000))
		}
		before := written(t)
		exec(t, db, "COMMIT")
		return written(t) - before
	}
	ours, theirs := writes(true), writes(false)
	for range 4 { // Go's runtime writes, too, now and then, to wake who waits for the network
		if ours > 8 {
			ours = min(ours, writes(true))
		}
	}
	if ours > 8 || theirs < 200 {
		t.Errorf("a transaction of a hundred pages is %d writes, and %d by SQLite's own file system", ours, theirs)
	}
}

// written is how often this process has written, to any file.
func written(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skip("this system does not count writes: ", err)
	}
	_, rest, _ := strings.Cut(string(text), "syscw: ")
	number, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Transactions that are padded up to a sector are flushed in the middle of a frame, whose rest may be as long as a head.
func TestPadded(t *testing.T) {
	path := sized(t, 512)
	db, other := connectAs(t, path, true, "0", "cache_spill(0)"), connect(t, path, false)
	exec(t, db, "PRAGMA synchronous=FULL")
	for i := range 100 {
		exec(t, db, "INSERT INTO t VALUES (?, ?)", i, strings.Repeat("x", 470+i))
		if got, want := content(t, other), content(t, db); got != want {
			t.Fatalf("after %d: %s, want %s", i, got, want)
		}
	}
	if got, want := found(t, path), content(t, db); got != want {
		t.Errorf("after a crash %s, want %s", got, want)
	}
}

// Several connections write and read at once.
func TestConcurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	first := connect(t, path, true, "cache_spill(0)", "busy_timeout(20000)")
	exec(t, first, "CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT)")
	done := make(chan error)
	const writers, each = 4, 60
	for w := range writers {
		db := connect(t, path, w%2 == 0, "cache_spill(0)", "busy_timeout(20000)")
		go func() {
			for i := range each {
				if _, err := db.Exec("INSERT INTO t VALUES (?, ?)", w*each+i, strings.Repeat("x", 100*i)); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range writers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got := content(t, first); !strings.HasPrefix(got, "240 rows") || got != found(t, path) {
		t.Errorf("%s; after a crash %s", got, found(t, path))
	}
}
