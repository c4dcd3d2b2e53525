package postgres

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"

	"vcp.core/runtime/record"
)

// A look tells what the server is, and makes no tables in it.
func TestLook(t *testing.T) {
	s := newSchema(t)
	got, err := Look(t.Context(), s.url)
	if err != nil || got.Version == "" || got.ReadOnly || !got.Near {
		t.Errorf("%+v, %v", got, err)
	}
	sep := "?"
	if strings.Contains(s.url, "?") {
		sep = "&"
	}
	if got, err := Look(t.Context(), s.url+sep+"default_transaction_read_only=on"); err != nil || !got.ReadOnly {
		t.Errorf("%+v, %v", got, err)
	}
	db, err := sql.Open("pgx", s.url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	tables := -1
	if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()`).Scan(&tables); err != nil || tables != 0 {
		t.Errorf("%d tables, %v", tables, err)
	}
}

// What cannot be reached or read is said once, without its password.
func TestLookInVain(t *testing.T) {
	const url = "postgres://me:geheim@127.0.0.1:1/calls?connect_timeout=2"
	_, err := Look(t.Context(), url)
	_, opened := Open(t.Context(), url, Options{})
	for _, err := range []error{err, opened} {
		if !errors.As(err, new(*record.UnavailableError)) || strings.Contains(err.Error(), "geheim") || strings.Count(err.Error(), "failed to connect to") != 1 {
			t.Errorf("%v", err)
		}
	}
	if _, err := Look(context.Background(), "nowhere"); !errors.As(err, new(*URLError)) {
		t.Errorf("%v", err)
	}
}
