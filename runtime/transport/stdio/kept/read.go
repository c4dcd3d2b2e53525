package kept

import (
	"context"
	"errors"

	"vcp.core/runtime/transport/process"
	"vcp.core/runtime/transport/stdio/frame"
)

// Calls read for themselves: of those that wait for a worker, one reads its output, and takes in the answers of
// the others, too, until its own is there. Then another one that waits goes on. So an answer wakes up the goroutine that
// it is for, and no other: with a goroutine that only reads, a call would cost two switches more. Nobody reads
// while a worker is idle; what it wrote then is taken in before it gets its next call.

// await waits for the end of a job. ok is false when the context ended first.
func (w *worker) await(ctx context.Context, j *job) (s settled, ok bool) {
	for {
		select {
		case s = <-j.done:
			return s, true
		default:
		}
		select {
		case s = <-j.done:
			return s, true
		case <-ctx.Done():
			return s, false
		case <-w.turn:
		}
		stop := context.AfterFunc(ctx, func() { w.p.Stdout.Interrupt() })
		w.lead(ctx, j)
		stop()
	}
}

// lead reads until a job or the context has ended, and gives the turn to the next.
func (w *worker) lead(ctx context.Context, j *job) {
	for len(j.done) == 0 && ctx.Err() == nil {
		if _, err := w.stream.Once(w.p.Stdout.Read); err != nil && !errors.Is(err, process.ErrInterrupted) {
			w.hush(err)
			return
		}
	}
	w.turn <- struct{}{}
}

// follow reads to the end. It has the turn.
func (w *worker) follow() {
	for {
		if _, err := w.stream.Once(w.p.Stdout.Read); err != nil && !errors.Is(err, process.ErrInterrupted) {
			w.hush(err)
			return
		}
	}
}

// hush is called when there is nothing to be read any more, by whoever has the turn.
func (w *worker) hush(err error) {
	if _, over := errors.AsType[*frame.Fault](err); over {
		w.pool.mu.Lock()
		w.kill()
		w.pool.mu.Unlock()
	} else {
		w.stream.End()
		w.close("output")
	}
	close(w.silent)
}

// noise is how often output that belongs to no call is read before the next call begins.
const noise = 64

// idleOutput takes in what a worker has written since its last call, and returns false when it has closed its output.
func (w *worker) idleOutput() bool {
	select {
	case <-w.turn:
	default:
		return true // others are at it
	}
	for range noise {
		n, err := w.stream.Once(w.p.Stdout.Poll)
		if err != nil {
			w.hush(err)
			return false
		}
		if n == 0 {
			break
		}
	}
	w.turn <- struct{}{}
	return true
}
