package fuzz

import (
	"context"
	"slices"
	"sync"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime/transport"
)

// Witness stands between the runtime and plugins, and knows with what arguments one was called last. The nil
// Witness sees nothing and is in nobody's way.
type Witness struct {
	mu   sync.Mutex
	seen bool
	saw  []byte
}

func (w *Witness) reset() {
	w.mu.Lock()
	w.seen, w.saw = false, nil
	w.mu.Unlock()
}

func (w *Witness) last() (seen bool, saw []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen, w.saw
}

func (w *Witness) note(in call.Invocation) {
	w.mu.Lock()
	w.seen, w.saw = true, slices.Clone(in.Arguments)
	w.mu.Unlock()
}

// Handler watches a plugin that is linked in.
func (w *Witness) Handler(h call.Handler) call.Handler {
	if w == nil {
		return h
	}
	return call.HandlerFunc(func(ctx context.Context, in call.Invocation) ([]byte, error) {
		w.note(in)
		return h.Handle(ctx, in)
	})
}

// Transport watches the plugins behind a transport.
func (w *Witness) Transport(t transport.Transport) transport.Transport {
	if w == nil {
		return t
	}
	return watched{t, w}
}

type watched struct {
	transport.Transport
	witness *Witness
}

// Run implements transport.Transport.
func (w watched) Run(ctx context.Context, in call.Invocation, grace time.Duration) (transport.Reply, error) {
	w.witness.note(in)
	return w.Transport.Run(ctx, in, grace)
}
