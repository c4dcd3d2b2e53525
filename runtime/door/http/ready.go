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
	// readyPatience is how long /readyz waits for the store and the tokens.
	readyPatience = time.Second
	// readyFresh is how long an answer counts: whoever asks more often, and nobody needs a token for it, asks no store.
	readyFresh = time.Second
)

// readiness remembers whether the store and the tokens could be read.
type readiness struct {
	store  record.Store // or nil
	tokens Tokens
	log    *slog.Logger

	mu     sync.Mutex
	at     time.Time     // of the last answer
	failed error         // what it was
	began  time.Time     // when the question that is under way was asked
	asked  string        // what it was put to last: tokens or the store
	answer chan struct{} // closed with its answer; nil when none is under way
}

// unreadyError says what keeps the service from taking calls.
type unreadyError struct {
	said string // to everybody; the reason is for the log, since nobody needs a token to ask
	err  error
}

// Error says both.
func (e *unreadyError) Error() string { return fmt.Sprintf("%s: %v", e.said, e.err) }

// Unwrap returns the reason.
func (e *unreadyError) Unwrap() error { return e.err }

// unready is for what was asked and cannot be read, or does not answer.
func unready(asked string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &unreadyError{fmt.Sprintf("%s did not answer within %v", asked, readyPatience), err}
	}
	return &unreadyError{asked + " cannot be read", err}
}

// check returns nil when store and tokens can be read, else an [*unreadyError] or the context's error. One question is under way at a
// time, however many want to know.
func (r *readiness) check(ctx context.Context) error {
	r.mu.Lock()
	if r.answer == nil {
		if time.Since(r.at) < readyFresh {
			defer r.mu.Unlock()
			return r.failed
		}
		r.answer, r.began = make(chan struct{}), time.Now()
		go r.ask(context.WithoutCancel(ctx))
	}
	answer, left := r.answer, readyPatience-time.Since(r.began)
	r.mu.Unlock()
	t := time.NewTimer(left)
	defer t.Stop()
	select {
	case <-answer:
	case <-t.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answer == answer {
		r.note(ctx, unready(r.asked, context.DeadlineExceeded))
	}
	return r.failed
}

// read reads from both, one after the other.
func (r *readiness) read(ctx context.Context) error {
	r.turn("tokens")
	if _, _, err := r.tokens.Check(""); err != nil || r.store == nil {
		return err
	}
	r.turn("the store")
	limited, cancel := context.WithTimeout(ctx, readyPatience)
	defer cancel()
	_, err := r.store.List(limited, record.Query{Limit: 1})
	return err
}

// turn notes what is asked next.
func (r *readiness) turn(to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = to
}

// ask reads, and keeps what came of it. A disk that hangs heeds no context: then the question stays the only one until it
// is answered.
func (r *readiness) ask(ctx context.Context) {
	var err error
	defer func() {
		if v := recover(); v != nil { // which would end the process for everybody
			err = fmt.Errorf("panic: %v", v)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if err != nil {
			err = unready(r.asked, err)
		}
		r.note(ctx, err)
		r.at = time.Now()
		close(r.answer)
		r.answer = nil
	}()
	err = r.read(ctx)
}

// note keeps an answer, and logs it when it is another one than before. The lock is held.
func (r *readiness) note(ctx context.Context, err error) {
	before := r.failed
	r.failed = err
	switch {
	case err != nil && before == nil:
		r.log.LogAttrs(ctx, slog.LevelError, "the service is not ready", slog.Any("error", err))
	case err == nil && before != nil:
		r.log.LogAttrs(ctx, slog.LevelInfo, "the service is ready again")
	}
}

// ready tells whether calls are taken. Who went away before the answer gets any.
func (d *Door) ready(w http.ResponseWriter, r *http.Request) {
	if d.draining() {
		plain(w, http.StatusServiceUnavailable, "closing")
		return
	}
	err := d.readiness.check(r.Context())
	if e, ok := errors.AsType[*unreadyError](err); ok {
		plain(w, http.StatusServiceUnavailable, e.said)
		return
	}
	plain(w, http.StatusOK, "ready")
}
