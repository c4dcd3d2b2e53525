package http

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"vcp.core/runtime/record"
)

const (
	// storePatience is how long /readyz waits for the store.
	storePatience = time.Second
	// storeFresh is how long its answer counts: whoever asks more often, and nobody needs a token for it, asks no store.
	storeFresh = time.Second
)

// readiness remembers whether the store could be read.
type readiness struct {
	store record.Store
	log   *slog.Logger

	mu     sync.Mutex
	at     time.Time     // of the last answer
	failed error         // what it was
	began  time.Time     // when the question that is under way was asked
	answer chan struct{} // closed with its answer; nil when none is under way
}

// slowError says that the store takes too long.
type slowError struct{}

// Error says how long is too long.
func (*slowError) Error() string { return fmt.Sprintf("no answer within %v", storePatience) }

// check returns nil when the store can be read. One question is under way at a time, however many want to know.
func (r *readiness) check(ctx context.Context) error {
	r.mu.Lock()
	if r.answer == nil {
		if time.Since(r.at) < storeFresh {
			defer r.mu.Unlock()
			return r.failed
		}
		r.answer, r.began = make(chan struct{}), time.Now()
		go r.ask(context.WithoutCancel(ctx))
	}
	answer, left := r.answer, storePatience-time.Since(r.began)
	r.mu.Unlock()
	t := time.NewTimer(left)
	defer t.Stop()
	select {
	case <-answer:
	case <-t.C:
		return r.note(ctx, &slowError{})
	case <-ctx.Done():
		return ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// ask reads from the store. A disk that hangs heeds no context: then the question stays the only one until it is answered.
func (r *readiness) ask(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	_, err := r.store.List(limited, record.Query{Limit: 1})
	if errors.Is(err, context.DeadlineExceeded) {
		err = &slowError{}
	}
	_ = r.note(ctx, err)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = time.Now()
	close(r.answer)
	r.answer = nil
}

// note keeps an answer, and logs it when it is another one than before.
func (r *readiness) note(ctx context.Context, err error) error {
	r.mu.Lock()
	before := r.failed
	r.failed = err
	r.mu.Unlock()
	switch {
	case err != nil && before == nil:
		r.log.LogAttrs(ctx, slog.LevelError, "the store cannot be read, so the service is not ready", slog.Any("error", err))
	case err == nil && before != nil:
		r.log.LogAttrs(ctx, slog.LevelInfo, "the store can be read again")
	}
	return err
}

// ready tells whether calls are taken. Why the store cannot be read is for the log: nobody needs a token here.
func (d *Door) ready(w http.ResponseWriter, r *http.Request) {
	if d.draining() {
		plain(w, http.StatusServiceUnavailable, "closing")
		return
	}
	if d.o.Records != nil {
		if err := d.stored.check(r.Context()); err != nil {
			text := "the store cannot be read"
			if errors.As(err, new(*slowError)) {
				text = fmt.Sprintf("the store did not answer within %v", storePatience)
			}
			plain(w, http.StatusServiceUnavailable, text)
			return
		}
	}
	plain(w, http.StatusOK, "ready")
}
