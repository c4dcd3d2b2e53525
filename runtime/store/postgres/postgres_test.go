package postgres

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"vcp.core/runtime/record"
	"vcp.core/runtime/store/storetest"
)

// address returns the URL of a server that tests may use.
func address(t testing.TB) string {
	t.Helper()
	address := os.Getenv("VCP_POSTGRES")
	if address == "" {
		t.Skip("VCP_POSTGRES is not set to the URL of a PostgreSQL database; make test-postgres starts one")
	}
	return address
}

// schema is a schema of its own in the database.
type schema struct{ url string }

func fresh(t testing.TB) storetest.Database { return newSchema(t) }

func newSchema(t testing.TB) *schema {
	t.Helper()
	u, err := url.Parse(address(t))
	if err != nil {
		t.Fatal(err)
	}
	name := "t_" + strings.ToLower(rand.Text())
	db, err := sql.Open("pgx", u.String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(context.Background(), `CREATE SCHEMA `+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.ExecContext(context.Background(), `DROP SCHEMA `+name+` CASCADE`); err != nil {
			t.Error(err)
		}
		_ = db.Close()
	})
	query := u.Query()
	query.Set("search_path", name)
	query.Set("connect_timeout", "60") // of a server that shares its machine with other tests
	u.RawQuery = query.Encode()
	return &schema{u.String()}
}

// Open implements [storetest.Database].
func (s *schema) Open(t testing.TB) record.Store {
	t.Helper()
	store, err := Open(t.Context(), s.url, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close(context.Background()) })
	return store
}

// Crash implements [storetest.Database]: the end of a process closes its connection, whatever it was doing.
func (s *schema) Crash(store record.Store) {
	db := store.(*Store).db
	db.drop()
}

func TestSuite(t *testing.T) { storetest.Run(t, fresh) }

// Processes that start at the same time all find their tables, and soon.
func TestFourStartAtOnce(t *testing.T) {
	db := newSchema(t)
	errs := make(chan error, 4)
	for range cap(errs) {
		go func() {
			s, err := Open(context.Background(), db.url, Options{})
			if err == nil {
				err = s.Close(context.Background())
			}
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestNewerTables(t *testing.T) {
	db := newSchema(t)
	s := db.Open(t).(*Store)
	if _, err := s.db.readers.DB.ExecContext(t.Context(), `INSERT INTO vcp_schema_version (version_id, is_applied) VALUES (99, true)`); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), db.url, Options{})
	var ahead *record.SchemaError
	if !errors.As(err, &ahead) || ahead.Found != 99 {
		t.Errorf("%v", err)
	}
}

// The URL may hold a password, so no error repeats it.
func TestErrorsHoldNoPassword(t *testing.T) {
	for _, url := range []string{"postgres://u:hunter2@[", "postgres://u:hunter2@127.0.0.1:1/x?connect_timeout=1"} {
		_, err := Open(t.Context(), url, Options{})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v", err)
		}
	}
}

// While the server cuts connections at any moment, what was acknowledged is there once, what was refused is not there,
// and what was unconfirmed can be committed again.
func TestCutConnections(t *testing.T) {
	db := newSchema(t)
	s := db.Open(t).(*Store)
	watch, err := sql.Open("pgx", db.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = watch.Close() })
	stop := make(chan struct{})
	var cutter sync.WaitGroup
	var cuts, kept atomic.Int64
	cutter.Go(func() {
		for last := int64(-1); ; {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			now := kept.Load()
			if now == last {
				continue // or a machine that needs longer for a transaction would get none done
			}
			last = now
			var n int
			err := watch.QueryRow(`SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'vcp' AND pid <> pg_backend_pid()` +
				` AND query LIKE ANY (ARRAY['%records%', 'COMMIT', 'BEGIN', '%intents%'])`).Scan(&n)
			if err == nil {
				cuts.Add(int64(n))
			}
		}
	})
	type outcome struct {
		r   record.Record
		err error
	}
	var mu sync.Mutex
	var done []outcome
	const enough = 10 // cuts; a fast machine is done before there are any
	limit := time.Now().Add(2 * time.Minute)
	var callers sync.WaitGroup
	for caller := range 8 {
		callers.Go(func() {
			rows := storetest.NewRows(uint64(caller))
			for i := 0; i < 60 || (cuts.Load() < enough || kept.Load() < 100) && time.Now().Before(limit); i++ {
				in := rows.Intent()
				if _, err := s.Begin(context.Background(), in); err != nil {
					continue
				}
				e := rows.Ending(t, in)
				err := s.Commit(context.Background(), e)
				for range 50 {
					if err == nil {
						break
					}
					time.Sleep(5 * time.Millisecond)
					err = s.Commit(context.Background(), e)
				}
				if err == nil {
					kept.Add(1)
				}
				mu.Lock()
				done = append(done, outcome{*e.Record, err})
				mu.Unlock()
			}
		})
	}
	callers.Wait()
	close(stop)
	cutter.Wait()
	acknowledged := 0
	for _, o := range done {
		got, err := s.Result(t.Context(), o.r.ResultID)
		switch {
		case o.err == nil && err != nil:
			t.Errorf("acknowledged, and not there: %v", err)
		case o.err == nil && got.Result.Text != o.r.Result.Text:
			t.Error("acknowledged, and changed")
		case o.err == nil:
			acknowledged++
		}
	}
	t.Logf("%d acknowledged, %d connections cut", acknowledged, cuts.Load())
	if acknowledged < 100 || cuts.Load() < enough/2 {
		t.Errorf("%d acknowledged, %d connections cut: this shows nothing", acknowledged, cuts.Load())
	}
}

// A server that restarts is a store that is out of reach for a while.
func TestServerRestarts(t *testing.T) {
	control := strings.Fields(os.Getenv("VCP_POSTGRES_CONTROL"))
	if len(control) == 0 {
		t.Skip("VCP_POSTGRES_CONTROL does not say how the server is restarted; make test-postgres does")
	}
	db := newSchema(t)
	s := db.Open(t)
	rows := storetest.NewRows(1)
	before := rows.Record(t)
	if err := s.Commit(t.Context(), record.Entry{Record: &before}); err != nil {
		t.Fatal(err)
	}
	pending := rows.Intent()
	if _, err := s.Begin(t.Context(), pending); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		if out, err := exec.Command(control[0], append(control[1:], args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	run("-m", "immediate", "-w", "stop")
	after := rows.Record(t)
	err := s.Commit(t.Context(), record.Entry{Record: &after})
	_, read := s.Result(t.Context(), before.ResultID)
	run("-w", "-o", os.Getenv("VCP_POSTGRES_OPTIONS"), "start")
	if !errors.As(err, new(*record.UnavailableError)) && !errors.As(err, new(*record.UnconfirmedError)) {
		t.Errorf("a commit without a server: %v", err)
	}
	if !errors.As(read, new(*record.UnavailableError)) {
		t.Errorf("a read without a server: %v", read)
	}
	for _, r := range []record.Record{before, after} {
		if err := s.Commit(t.Context(), record.Entry{Record: &r}); err != nil {
			t.Fatalf("after the restart: %v", err)
		}
		if _, err := s.Result(t.Context(), r.ResultID); err != nil {
			t.Errorf("after the restart: %v", err)
		}
	}
	if orphans, err := db.Open(t).Intents(t.Context(), record.IntentQuery{Orphaned: true}); err != nil || len(orphans) != 0 {
		t.Errorf("the process lives, and its intents are orphans: %v, %v", orphans, err)
	}
	e := rows.Ending(t, pending)
	if err := s.Commit(t.Context(), e); err != nil {
		t.Errorf("the intent of before the restart: %v", err)
	}
}
