package postgres

import (
	"context"
	"errors"
	"strings"
	"testing"

	"vcp.core/runtime/record"
)

// A session that may not write can read, and is found out by an entry that changes nothing.
func TestReadOnlySession(t *testing.T) {
	s := newSchema(t)
	if err := s.Open(t).Commit(t.Context(), record.Entry{Resolves: "ti_none"}); err != nil {
		t.Errorf("an intent that there is not cannot be ended: %v", err)
	}
	if !strings.Contains(s.url, "?") {
		t.Fatal(s.url)
	}
	store, err := Open(t.Context(), s.url+"&default_transaction_read_only=on", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close(context.Background()) //nolint:errcheck // it was only read
	if _, err := store.List(t.Context(), record.Query{Limit: 1}); err != nil {
		t.Error(err)
	}
	if err := store.Commit(t.Context(), record.Entry{Resolves: "ti_none"}); !errors.As(err, new(*record.ReadOnlyError)) {
		t.Errorf("it is taken: %v", err)
	}
}
