package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"vcp.core/runtime/record"
)

// The backlog holds entries that a store did not take. It is short: who needs more needs another disk. What does
// not fit, or is still in it when the process ends, is told by the intent, at the next start.
const (
	backlogEntries = 1000
	backlogBytes   = 64 << 20
	firstRetry     = time.Second
	slowestRetry   = 30 * time.Second
)

// records is the store and what waits for it.
type records struct {
	store record.Store

	mu      sync.Mutex
	waiting []late
	size    int
	at      bool          // somebody is at it
	closing chan struct{} // closed when the runtime closes
	closed  bool

	ends patience
}

// patience are contexts that end when a store has been waited for long enough. Calls of about the same time share one: a
// timer for each, and its way back, cost a twentieth of a call.
type patience struct {
	mu    sync.Mutex
	until time.Time // to be handed out until then
	ctx   context.Context
}

// shared is how long a context of patience is handed out: so much longer than storeWait a call may wait.
const shared = time.Second

// context returns a context with the values of ctx. It ends after storeWait, or up to shared later, and not with ctx.
func (p *patience) context(ctx context.Context) context.Context {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); !now.Before(p.until) {
		p.until = now.Add(shared)
		until, stop := context.WithDeadline(context.Background(), p.until.Add(storeWait))
		context.AfterFunc(until, stop) // not before: nobody knows who still waits with it
		p.ctx = until
	}
	return valued{p.ctx, ctx}
}

// valued is a context with the values of another.
type valued struct {
	context.Context
	values context.Context
}

// Value implements [context.Context].
func (v valued) Value(key any) any { return v.values.Value(key) }

// late is an entry that waits. Perhaps it resolves an intent that was never written.
type late struct {
	record.Entry
	perhaps bool
}

// begin is Begin of the store, contained: one that panics is unavailable, and the intent may be written. One that hangs
// holds up a call no longer than storeWait, whose own time has not begun yet.
func (s *records) begin(ctx context.Context, in record.Intent) (claim record.Claim, err error) {
	defer unconfirmed(&err)
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	return s.store.Begin(ctx, in)
}

// commit waits for the store as long as a call may. The caller's context does not end it: what happened has to be
// recorded, also when nobody waits for it any more.
func (s *records) commit(ctx context.Context, e record.Entry) (err error) {
	defer unconfirmed(&err)
	return s.store.Commit(s.ends.context(ctx), e)
}

// settle commits an entry. When its intent was perhaps not written, and was not, it is committed without.
func (s *records) settle(ctx context.Context, e *record.Entry, perhaps bool) error {
	err := s.commit(ctx, *e)
	if conflict, ok := errors.AsType[*record.ConflictError](err); ok && perhaps && conflict.What == "intent" {
		if e.Resolves = ""; e.Record == nil {
			return nil
		}
		err = s.commit(ctx, *e)
	}
	return err
}

// intents is Intents of the store, contained.
func (s *records) intents(ctx context.Context, q record.IntentQuery) (list []record.Intent, err error) {
	defer unconfirmed(&err)
	return s.store.Intents(ctx, q)
}

// unconfirmed turns the panic of a store into an error.
func unconfirmed(err *error) {
	if v := recover(); v != nil {
		*err = &record.UnconfirmedError{Err: fmt.Errorf("the store panicked: %v", v)}
	}
}

// later tries an entry again until the store takes it, the runtime closes, or there is no room.
func (s *records) later(ctx context.Context, r *Runtime, e late) {
	ctx = context.WithoutCancel(ctx)
	e.Relaxed = false
	s.mu.Lock()
	defer s.mu.Unlock()
	size := sizeOf(&e.Entry)
	if s.closed || len(s.waiting) == backlogEntries || s.size+size > backlogBytes {
		r.log.LogAttrs(ctx, slog.LevelError, "a record is lost: there is no room for more that wait for the store", idOf(&e.Entry))
		return
	}
	s.waiting, s.size = append(s.waiting, e), s.size+size
	if !s.at {
		s.at = true
		r.late.Add()
		go func() {
			defer r.late.Done()
			s.work(ctx, r)
		}()
	}
}

// work empties the backlog.
func (s *records) work(ctx context.Context, r *Runtime) {
	wait := firstRetry
	for {
		last := false
		select {
		case <-s.closing:
			last = true
		case <-time.After(wait):
		}
		if s.pass(ctx, r) {
			return
		}
		if last {
			s.mu.Lock()
			for i := range s.waiting {
				r.log.LogAttrs(ctx, slog.LevelError, "a record is lost: the store did not take it before the runtime was closed", idOf(&s.waiting[i].Entry))
			}
			s.waiting, s.size, s.at = nil, 0, false
			s.mu.Unlock()
			return
		}
		wait = min(2*wait, slowestRetry)
	}
}

// pass commits what waits, oldest first, until the store refuses, and reports whether nothing is left; then nobody is at it any more.
func (s *records) pass(ctx context.Context, r *Runtime) bool {
	for {
		s.mu.Lock()
		if len(s.waiting) == 0 {
			s.waiting, s.size, s.at = nil, 0, false
			s.mu.Unlock()
			return true
		}
		e := s.waiting[0]
		s.mu.Unlock()
		err := s.settle(ctx, &e.Entry, e.perhaps)
		if err != nil && !errors.As(err, new(*record.ConflictError)) {
			s.mu.Lock() // at the end: one that the store never takes must not keep back all others
			s.waiting = append(s.waiting[1:], e)
			s.mu.Unlock()
			return false
		}
		if err != nil {
			r.log.LogAttrs(ctx, slog.LevelError, "a record is lost: its place is taken", idOf(&e.Entry), slog.Any("error", err))
		}
		s.mu.Lock()
		s.waiting, s.size = s.waiting[1:], s.size-sizeOf(&e.Entry)
		s.mu.Unlock()
	}
}

// close lets the backlog make one more attempt and end.
func (s *records) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		close(s.closing)
	}
}

func sizeOf(e *record.Entry) int {
	if e.Record == nil || e.Record.Result == nil {
		return 0
	}
	return len(e.Record.Result.Text) + len(e.Record.Digest)
}

func idOf(e *record.Entry) slog.Attr {
	if e.Record == nil {
		return slog.String("invocationId", e.Resolves)
	}
	return slog.String("recordId", e.Record.ID)
}
