package runtime

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"reflect"
	"sync"
	"sync/atomic"

	"vcp.core/contract/call"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/direct"
)

// This file deals with the change of tools while calls run. All that a call needs to know about tools is
// one immutable snapshot behind one pointer: a call takes the snapshot that is current when it begins and
// asks no other until it ends. So it sees the tools from before a swap or those from after it, never some of
// each, and no moment exists in which a tool of both is missing.

// links say how plugins are reached.
type links struct {
	handlers   map[string]call.Handler
	transports map[string]transport.Transport // by protocol
	// linked is the transport to handlers. nil until a snapshot needs it, and again when handlers change.
	linked transport.Transport
}

func (l *links) bind(tool string, h call.Handler) {
	l.handlers = with(l.handlers, tool, h, h == nil)
	l.linked = nil
}

func (l *links) use(protocol string, t transport.Transport) {
	l.transports = with(l.transports, protocol, t, t == nil)
}

// with returns a copy of m with one entry set, or without it.
func with[V any](m map[string]V, key string, value V, remove bool) map[string]V {
	own := make(map[string]V, len(m)+1)
	maps.Copy(own, m)
	if remove {
		delete(own, key)
	} else {
		own[key] = value
	}
	return own
}

// carrier is a transport with the number of snapshots that use it.
type carrier struct {
	transport.Transport
	users int // guarded by Runtime.swapping
}

// snapshot is a registry and what was made for it.
type snapshot struct {
	registry call.Registry
	tools    map[string]*tool
	explain  explainers
	settings settings
	links    links
	carriers map[string]*carrier // by protocol

	calls   atomic.Int64  // in flight, plus retired
	idle    chan struct{} // closed when the snapshot is retired and no call is left
	isIdle  sync.Once
	gone    chan struct{} // closed when its transports are closed, too, but for those that others use
	closing error         // of those transports; to be read after gone
}

// retired is added to the calls of a snapshot that is current no more.
const retired = 1 << 62

// enter counts a call in, unless the snapshot is retired.
func (s *snapshot) enter() bool {
	if s.calls.Add(1) < retired {
		return true
	}
	s.leave()
	return false
}

// leave counts a call out.
func (s *snapshot) leave() {
	if s.calls.Add(-1) == retired {
		s.isIdle.Do(func() { close(s.idle) })
	}
}

// retire lets no call in from now on.
func (s *snapshot) retire() {
	if s.calls.Add(retired) == retired {
		s.isIdle.Do(func() { close(s.idle) })
	}
}

// snapshotOf makes a snapshot. Transports that are in use already are shared with who uses them. The caller
// holds r.swapping.
func (r *Runtime) snapshotOf(registry call.Registry, l links) *snapshot {
	if l.transports["direct"] == nil && l.linked == nil {
		l.linked = direct.New(l.handlers)
	}
	s := &snapshot{
		registry: registry, tools: indexTools(registry), links: l, carriers: map[string]*carrier{},
		idle: make(chan struct{}), gone: make(chan struct{}),
	}
	for protocol, t := range l.transports {
		s.carriers[protocol] = r.adopt(t)
	}
	if s.carriers["direct"] == nil {
		s.carriers["direct"] = r.adopt(l.linked)
	}
	return s
}

// adopt counts one more user of a transport.
func (r *Runtime) adopt(t transport.Transport) *carrier {
	for _, c := range r.carriers {
		if same(c.Transport, t) {
			c.users++
			return c
		}
	}
	c := &carrier{Transport: t, users: 1}
	r.carriers = append(r.carriers, c)
	return c
}

// same reports whether two transports are one. Values that cannot be compared are never one.
func same(a, b transport.Transport) bool {
	return reflect.TypeOf(a).Comparable() && reflect.TypeOf(b).Comparable() && a == b
}

// enter counts a call in and returns the snapshot that it runs on, nil when the runtime is closed.
func (r *Runtime) enter() *snapshot {
	for {
		s := r.current.Load()
		if s == nil || s.enter() {
			return s
		}
		// Retired between the two steps. A snapshot is retired after another one took its place.
	}
}

// ClosedError says that a runtime was closed.
type ClosedError struct{}

// Error says it in a sentence.
func (*ClosedError) Error() string { return "the runtime is closed" }

// Swap replaces the tools: calls that begin from now on run on the new registry, calls in flight end on the
// old one. The registry must not change. Handlers and transports stay unless a binding says otherwise.
//
// The channel is closed when nothing of the old tools is left: the last call on them has ended, and the
// transports that only they used are closed. A handler that ignores the end of its call is waited for.
// The error is a [*ClosedError].
func (r *Runtime) Swap(registry call.Registry, bindings ...Binding) (<-chan struct{}, error) {
	r.swapping.Lock()
	defer r.swapping.Unlock()
	old := r.current.Load()
	if old == nil {
		return nil, &ClosedError{}
	}
	l := old.links
	for _, b := range bindings {
		b(&l)
	}
	r.current.Store(r.snapshotOf(registry, l))
	r.end(context.Background(), old)
	return old.gone, nil
}

// Close refuses calls from now on, waits until those in flight have ended and their results are stored, and closes the
// transports, which wait for what ignored its end. It returns the context's error when that ends first; then something still
// runs, and Close may be called again to wait for it.
func (r *Runtime) Close(ctx context.Context) error {
	r.swapping.Lock()
	if s := r.current.Swap(nil); s != nil {
		r.last = s
		r.end(context.WithoutCancel(ctx), s) // who waits for Close may give up, the transports do not
	}
	last := r.last
	r.swapping.Unlock()
	select {
	case <-last.gone:
	case <-ctx.Done():
		return ctx.Err()
	}
	r.records.close()
	// What swaps left behind, and approvers that nobody waits for any more.
	if err := r.late.Wait(ctx); err != nil {
		return err
	}
	return last.closing
}

// end retires a snapshot and closes its transports when the last call on it has ended.
func (r *Runtime) end(ctx context.Context, s *snapshot) {
	s.retire()
	r.late.Add()
	go func() {
		defer r.late.Done()
		defer close(s.gone)
		<-s.idle
		for _, c := range r.release(s) {
			if err := r.shut(ctx, c); err != nil {
				r.log.LogAttrs(ctx, slog.LevelError, "a transport was not closed", slog.Any("error", err))
				s.closing = errors.Join(s.closing, err)
			}
		}
	}()
}

// shut closes a transport. One that panics is closed.
func (r *Runtime) shut(ctx context.Context, c *carrier) error {
	defer r.contain(ctx, "a transport panicked when it was closed")
	return c.Close(ctx)
}

// release returns the carriers that nobody uses once s is gone.
func (r *Runtime) release(s *snapshot) []*carrier {
	r.swapping.Lock()
	defer r.swapping.Unlock()
	var unused []*carrier
	for _, c := range s.carriers {
		if c.users--; c.users == 0 {
			unused = append(unused, c)
		}
	}
	kept := r.carriers[:0]
	for _, c := range r.carriers {
		if c.users > 0 {
			kept = append(kept, c)
		}
	}
	clear(r.carriers[len(kept):])
	r.carriers = kept
	return unused
}
