package engine

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"vcp.core/runtime/record"
)

// This file deals with the queue: how requests get in, how they become groups, and what happens to the others of
// a group when one of them fails. What a request writes stands in batch.go, when it is durable in flush.go.

// Bounds of a group. Bytes bound what one transaction holds of other people's results; three are held at most, one that is
// flushed, one that waits for that and one that is written.
const (
	groupRequests = 256
	groupBytes    = 8 << 20
)

// request is something to be written. Exactly one of entry, intent and step is set.
type request struct {
	entry  *record.Entry
	intent *record.Intent
	step   func(ctx context.Context, tx Tx) error // alone in its transaction
	size   int

	state  atomic.Int32 // one of the states
	answer chan error   // buffered: the writer never waits
	alone  bool         // nobody waits for the answer
	claim  record.Claim // set before the answer
	key    string       // hash of the intent's idempotency key, "" for none
}

// The states of a request: a caller may take back what the writer has not taken up.
const (
	waiting int32 = iota
	taken
	withdrawn
)

// submit puts a request into the queue.
func (s *Store) submit(ctx context.Context, r *request) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return &record.ClosedError{}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s.queue <- r:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Commit implements [record.Store].
func (s *Store) Commit(ctx context.Context, e record.Entry) error {
	r := &request{entry: &e, answer: make(chan error, 1), size: 256}
	if e.Record != nil {
		kept := e.Record.Kept()
		e.Record = &kept
		r.size += len(kept.Digest)
		if kept.Result != nil {
			r.size += len(kept.Result.Text)
		}
	}
	if e.Relaxed && s.relaxed.Load() < relaxedBytes {
		r.alone = true
		s.relaxed.Add(int64(r.size))
	}
	switch err := s.submit(ctx, r); {
	case err != nil && r.alone:
		s.relaxed.Add(-int64(r.size))
		return err
	case err != nil || r.alone:
		return err
	}
	select {
	case err := <-r.answer:
		return err
	case <-ctx.Done():
		return &record.UnconfirmedError{Err: ctx.Err()}
	}
}

// grace is how long Begin waits beyond its context for what is being written.
const grace = time.Second

// Begin implements [record.Store].
func (s *Store) Begin(ctx context.Context, in record.Intent) (record.Claim, error) {
	kept := in.Kept()
	kept.Key = in.Key
	r := &request{intent: &kept, answer: make(chan error, 1), size: 512}
	if in.Key != nil {
		r.key = hashOf(in.Key)
	}
	if err := s.submit(ctx, r); err != nil {
		return record.Claim{}, err
	}
	select {
	case err := <-r.answer:
		return r.claim, err
	case <-ctx.Done():
		if r.state.CompareAndSwap(waiting, withdrawn) {
			return record.Claim{}, ctx.Err()
		}
		// It is being written. An intent that nobody knows of would stay open for as long as this process lives, so its
		// caller has to hear of it, if it can be had soon.
		select {
		case err := <-r.answer:
			return r.claim, err
		case <-time.After(grace):
			return record.Claim{}, &record.UnconfirmedError{Err: ctx.Err()}
		}
	}
}

// alone runs a step in a transaction of its own and waits for it.
func (s *Store) alone(ctx context.Context, step func(context.Context, Tx) error) error {
	r := &request{step: step, answer: make(chan error, 1)}
	if err := s.submit(ctx, r); err != nil {
		return err
	}
	select {
	case err := <-r.answer:
		return err
	case <-ctx.Done():
		if r.state.CompareAndSwap(waiting, withdrawn) {
			return ctx.Err()
		}
		return <-r.answer
	}
}

// write is the writer: it ends when the store is closed and the queue is empty.
func (s *Store) write() {
	defer close(s.done)
	group := make([]*request, 0, groupRequests)
	usual := 0 // requests of a group, lately
	for {
		var first *request
		select {
		case first = <-s.queue:
		case l := <-s.unflushed:
			s.again(l)
			continue
		case <-s.quit:
			select {
			case first = <-s.queue: // nobody puts anything in any more
			default:
				close(s.committed)
				for l := range s.unflushed {
					s.again(l)
				}
				return
			}
		}
		group = s.gather(group[:0], first, usual)
		usual = max(len(group), usual-1-usual/16)
		s.perform(group, usual > 1)
		clear(group)
	}
}

// aside is how long the writer lets others run at most before it takes fewer than usual: half of a flush.
const aside = 100 * time.Microsecond

// enough is how many requests share a flush well: more would save less than the writer loses while it waits for them.
const enough = 16

// gather makes a group of a request and of those that wait. Those that the last group has answered are about to come
// back: taken at once, a few callers would fall into two halves that take turns, with twice the flushes. So the writer
// steps aside for whoever can run, which is no time when nobody can. With many callers halves are what is wanted: one
// prepares while the other is written.
func (s *Store) gather(group []*request, first *request, usual int) []*request {
	size := 0
	var since time.Time
	for r := first; ; {
		if r.state.CompareAndSwap(waiting, taken) {
			group = append(group, r)
			size += r.size
		}
		if len(group) == groupRequests || size >= groupBytes {
			return group
		}
		for waits := false; !waits; {
			select {
			case r = <-s.queue:
				waits = true
			default:
				switch {
				case len(group) >= min(usual, enough), !since.IsZero() && time.Since(since) > aside:
					return group
				case since.IsZero():
					since = time.Now()
				}
				runtime.Gosched()
			}
		}
	}
}

// perform writes a group and answers its requests. With several callers it leaves flush and answers to the other goroutine;
// one alone would only wait for that as well.
func (s *Store) perform(group []*request, several bool) {
	var writes, steps []*request
	for _, r := range group {
		if r.step != nil {
			steps = append(steps, r)
		} else {
			writes = append(writes, r)
		}
	}
	switch {
	case len(writes) > 0 && several && s.flusher != nil:
		if began, err := s.commit(writes); err == nil {
			s.hand(writes)
		} else {
			s.answer(writes, began, s.settle(writes, err))
		}
	case len(writes) > 0:
		began, err := s.attempt(writes)
		s.answer(writes, began, err)
	}
	for _, r := range steps { // what clears up comes after what people wait for
		_, err := s.transaction(r.step)
		if err == nil {
			err = s.durable(s.flush())
		}
		s.reply(r, err)
	}
}

// answer tells a group how it went. When it failed, and perhaps by the fault of one of them, each is done alone.
func (s *Store) answer(group []*request, began bool, err error) {
	if began && len(group) > 1 && divides(err) {
		s.oneByOne(group, is[*record.UnconfirmedError](err))
		return
	}
	for _, r := range group {
		s.reply(r, err)
	}
}

// oneByOne writes requests that could not be written together. A database that is out of reach by now is not
// asked again for each of them. perhaps says that they may have been written: then no failure says that they were not.
func (s *Store) oneByOne(group []*request, perhaps bool) {
	began, err := true, error(nil)
	for _, r := range group {
		if began {
			began, err = s.attempt([]*request{r})
		}
		if perhaps && err != nil && !is[*oddError](err) && !is[*record.UnconfirmedError](err) {
			err = &record.UnconfirmedError{Err: err}
		}
		s.reply(r, err)
	}
}

// divides says of an error that it may be the fault of one request alone.
func divides(err error) bool {
	return is[*oddError](err) || is[*record.FullError](err) || is[*record.UnavailableError](err) || is[*record.UnconfirmedError](err)
}

func (s *Store) reply(r *request, err error) {
	if odd, ok := errors.AsType[*oddError](err); ok {
		err = odd.verdict
	}
	if err != nil {
		r.claim = record.Claim{}
	}
	if r.alone {
		s.relaxed.Add(-int64(r.size))
		if err != nil {
			s.lost(*r.entry, err)
		}
	}
	r.answer <- err
}

// patience is how long one transaction may take before the database counts as unavailable.
const patience = 30 * time.Second

// attempt writes requests in one transaction and flushes it; began says that there was one.
func (s *Store) attempt(group []*request) (began bool, err error) {
	began, err = s.commit(group)
	if err == nil {
		err = s.durable(s.flush())
	}
	return began, s.settle(group, err)
}

// settle writes a group a second time when nobody can tell whether it was written, which finds out: all requests can be repeated.
func (s *Store) settle(group []*request, err error) error {
	if !is[*record.UnconfirmedError](err) {
		return err
	}
	_, settled := s.commit(group)
	if settled != nil && (!is[*oddError](settled) || len(group) > 1) {
		return err // an error of the second time tells nothing about the first; odd, a group may have been written, and each finds out alone
	}
	if s.flush() != nil {
		return err
	}
	return settled
}

// commit writes requests in one transaction.
func (s *Store) commit(group []*request) (began bool, err error) {
	began, err = s.transaction(func(ctx context.Context, tx Tx) error { return s.batch(ctx, tx, group) })
	if odd, ok := errors.AsType[*oddError](err); ok && odd.verdict == nil && len(group) == 1 {
		return began, nil // it was there already, which is as good; also in that it may have to be flushed
	}
	if err == nil {
		s.requests.Add(uint64(len(group)))
		s.remember(group)
	}
	return began, err
}

// remember notes which open intents of this process have keys.
func (s *Store) remember(group []*request) {
	for _, r := range group {
		switch {
		case r.entry != nil:
			delete(s.keyed, r.entry.Resolves)
		case r.key != "" && r.claim.State == record.Fresh:
			s.keyed[r.intent.InvocationID] = true
		}
	}
}

// transaction does one thing in one transaction. The error is one of package record, or an oddError.
func (s *Store) transaction(do func(context.Context, Tx) error) (began bool, err error) {
	ctx, cancel := context.WithTimeout(s.background, patience)
	defer cancel()
	// gofail: var beforeBegin struct{}
	tx, err := s.db.Begin(ctx)
	if err != nil {
		return false, s.classify(err)
	}
	if err := do(ctx, tx); err != nil {
		tx.Rollback(ctx)
		return true, s.classify(err)
	}
	// gofail: var beforeCommit struct{}
	if err := tx.Commit(ctx); err != nil {
		return true, s.classify(err)
	}
	// gofail: var afterCommit struct{}
	s.transactions.Add(1)
	return true, nil
}

func (s *Store) classify(err error) error {
	if is[*oddError](err) {
		return err
	}
	return s.db.Classify(err)
}
