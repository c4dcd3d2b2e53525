package transport

import (
	"context"
	"sync"
)

// Tracker counts what is running and lets somebody wait until nothing is. The zero Tracker is ready. Unlike
// a sync.WaitGroup it may be waited for with a deadline and while others still begin.
type Tracker struct {
	mu      sync.Mutex
	running int
	idle    chan struct{} // closed and dropped when running falls to 0; nil when nobody waits
}

// Add counts one more.
func (t *Tracker) Add() {
	t.mu.Lock()
	t.running++
	t.mu.Unlock()
}

// Done counts one less.
func (t *Tracker) Done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running--; t.running == 0 && t.idle != nil {
		close(t.idle)
		t.idle = nil
	}
}

// Running returns how many are running now.
func (t *Tracker) Running() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.running
}

// Wait returns nil when nothing is running, and the context's error when that ends first.
func (t *Tracker) Wait(ctx context.Context) error {
	t.mu.Lock()
	if t.running == 0 {
		t.mu.Unlock()
		return nil
	}
	if t.idle == nil {
		t.idle = make(chan struct{})
	}
	idle := t.idle
	t.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
