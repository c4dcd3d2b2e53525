package kept

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"vcp.core/runtime/policy/secret"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/process"
	"vcp.core/runtime/transport/stdio/frame"
)

// ring keeps the end of a worker's standard error, and knows the secrets that may stand in it: those of all calls
// that the worker had meanwhile. What was logged is forgotten.
type ring struct {
	size int

	mu      sync.Mutex
	tail    process.Tail
	secrets []*secret.Set
}

func newRing(size int) ring { return ring{size: size, tail: process.Tail{Size: size}} }

// most is how many sets of secrets are remembered.
const most = 64

// know adds the secrets of a call. When there are too many, what was written before is forgotten with the oldest.
func (r *ring) know(s *secret.Set) {
	if s == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Contains(r.secrets, s) {
		return
	}
	if len(r.secrets) == most {
		r.secrets = append(r.secrets[:0], r.secrets[1:]...)
		r.tail = process.Tail{Size: r.size}
	}
	r.secrets = append(r.secrets, s)
}

// Write takes in what the worker writes. It never fails.
func (r *ring) Write(text []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tail.Write(text)
}

// take returns what was written since the last take, without secrets, and how many bytes of it are lost.
func (r *ring) take() (text string, lost int64) {
	r.mu.Lock()
	text, lost = r.tail.String(), r.tail.Lost()
	r.tail = process.Tail{Size: r.size}
	r.mu.Unlock()
	return r.mask(text), lost
}

// mask masks the secrets of all calls that the worker had.
func (r *ring) mask(text string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.secrets {
		text = s.Quote(text)
	}
	return text
}

// report logs what a result must not tell, above all the standard error.
func (w *worker) report(ctx context.Context, j *job, err error) {
	level := slog.LevelDebug
	if err != nil && !cancelled(err) {
		level = slog.LevelWarn
	}
	log := w.pool.s.Log
	if !log.Enabled(ctx, level) {
		return
	}
	text, lost := w.errors.take()
	if text == "" && err == nil {
		return
	}
	attrs := []slog.Attr{
		slog.String("tool", w.pool.s.Tool), slog.String("command", j.in.Command), slog.String("invocationId", j.in.InvocationID),
		slog.Int("worker", w.number), slog.String("stderr", text),
	}
	if lost > 0 {
		attrs = append(attrs, slog.Int64("stderrLost", lost))
	}
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
	}
	j.secrets.Logger(log).LogAttrs(ctx, level, "a plugin's worker", attrs...)
}

// mostNotes is how many lines that belong to no call are logged, from the beginning of one call to that of the next.
const mostNotes = 8

// note logs a line that belongs to no call.
func (w *worker) note(what string, f *frame.Fault) {
	w.pool.mu.Lock()
	if w.notes++; w.notes > mostNotes {
		w.unlogged++
		w.pool.mu.Unlock()
		return
	}
	w.pool.mu.Unlock()
	facts := []any{slog.String("tool", w.pool.s.Tool), slog.Int("worker", w.number)}
	if f != nil {
		facts = append(facts, slog.String("reason", string(f.Reason)), slog.String("quote", f.Quote))
	}
	w.pool.s.Log.Warn(what, facts...)
}

// obituary logs the end of a worker, with its last words if no call was left to tell them, and how many bytes of them are gone. tell says that it has ended like a program that was made for one call.
func (w *worker) obituary(ending process.Ending, lost error, words string, gone int64, crashed, tell bool) {
	log := w.pool.s.Log
	if tell {
		log.Warn("a plugin that is declared as kept ends after each call; its manifest should not have communication.workers",
			slog.String("tool", w.pool.s.Tool))
	}
	facts := []any{
		slog.String("tool", w.pool.s.Tool), slog.Int("worker", w.number), slog.Int("calls", w.calls), slog.String("ended", ending.String()), slog.String("stderr", words),
	}
	if gone > 0 {
		facts = append(facts, slog.Int64("stderrLost", gone))
	}
	if w.dropped > 0 {
		facts = append(facts, slog.Int("progressDropped", w.dropped))
	}
	if w.unlogged > 0 {
		facts = append(facts, slog.Int("linesNotLogged", w.unlogged))
	}
	if lost != nil {
		facts = append(facts, slog.Any("error", lost))
	}
	if crashed {
		log.Warn("a plugin's worker has ended", facts...)
	} else {
		log.Debug("a plugin's worker has ended", facts...)
	}
}

// cancelled reports whether a call has ended as whoever cancelled it wanted it to.
func cancelled(err error) bool {
	stopped, ok := errors.AsType[*transport.StoppedError](err)
	return ok && !stopped.Running && errors.Is(stopped.Cause, context.Canceled)
}
