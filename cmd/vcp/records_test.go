package main

import (
	"context"
	"errors"
	"testing"

	"vcp.core/runtime/record"
)

// refusing is a store that takes no entry which has something to write, as a database without a right to write does.
type refusing struct {
	record.Store
	err error
}

// Commit implements record.Store.
func (r refusing) Commit(_ context.Context, e record.Entry) error {
	if e.Record == nil && e.Resolves == "" {
		return nil
	}
	return r.err
}

// A store is asked for something that it would have to write, and only that it cannot is told.
func TestUnwritable(t *testing.T) {
	for err, want := range map[error]bool{&record.ReadOnlyError{Err: errors.New("no right")}: true, &record.UnavailableError{Err: errors.New("gone")}: false, nil: false} {
		if got := unwritable(t.Context(), refusing{err: err}); (got != nil) != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}
