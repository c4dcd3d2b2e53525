package kept

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/stdio/outcome"
)

// This file decides which worker gets which call, and when workers are started and ended. Whatever has no comment of
// its own on it is called with the lock held.

// assign gives a job a worker, and waits for one if there is none. It takes the lock itself.
func (p *Pool) assign(ctx context.Context, j *job) error {
	p.mu.Lock()
	if len(p.queue) == 0 {
		if w := p.room(j); w != nil {
			p.attach(w, j)
			p.grow(len(w.jobs) > 1)
			p.mu.Unlock()
			return nil
		}
	}
	j.ready = make(chan error, 1)
	p.queue = append(p.queue, j)
	p.grow(false)
	p.mu.Unlock()
	select {
	case err := <-j.ready:
		return err
	case <-ctx.Done():
	}
	p.mu.Lock()
	if i := slices.Index(p.queue, j); i >= 0 {
		p.queue = slices.Delete(p.queue, i, i+1)
		p.dispatch()
		p.mu.Unlock()
	} else {
		p.mu.Unlock()
		if <-j.ready == nil { // it got one at that moment
			p.withdraw(j)
		}
	}
	return &transport.StoppedError{Cause: ctx.Err()}
}

// withdraw takes a job from a worker that was not told of it. It takes the lock itself.
func (p *Pool) withdraw(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w := j.w; w.jobs[j.in.InvocationID] == j {
		delete(w.jobs, j.in.InvocationID)
		j.over = true
		p.release(w)
	}
}

// room returns a worker that can take a job, nil when there is none.
func (p *Pool) room(j *job) *worker {
	if n := len(p.idle); n > 0 {
		return p.idle[n-1]
	}
	if p.s.InFlight == 1 {
		return nil
	}
	var least *worker
	for w := range p.workers {
		if w.retired || len(w.jobs) >= p.s.InFlight || w.jobs[j.in.InvocationID] != nil {
			continue
		}
		if least == nil || len(w.jobs) < len(least.jobs) {
			least = w
		}
	}
	return least
}

// attach gives a worker a job.
func (p *Pool) attach(w *worker, j *job) {
	if len(w.jobs) == 0 {
		p.idle = without(p.idle, w)
	}
	j.w = w
	w.jobs[j.in.InvocationID] = j
	w.errors.know(j.secrets)
	w.calls++
	w.notes = 0
	if w.last || w.calls == p.s.MaxCalls {
		w.retired = true
	}
}

func without(list []*worker, w *worker) []*worker {
	if n := len(list); n > 0 && list[n-1] == w {
		return list[:n-1]
	}
	if i := slices.Index(list, w); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// release looks what a worker does next that has a job less, or was just started.
func (p *Pool) release(w *worker) {
	switch {
	case w.dead:
	case !w.retired && len(w.jobs) == 0:
		w.since = time.Now()
		p.idle = append(p.idle, w)
		p.dispatch()
		if len(w.jobs) == 0 && !w.retired {
			p.rested(w)
		}
	case !w.retired:
		p.dispatch()
	case len(w.jobs) == 0:
		p.end(w)
	case w.abandoned():
		w.kill()
	}
}

// rested decides how long an idle worker is kept.
func (p *Pool) rested(w *worker) {
	switch {
	case p.closed, p.s.Slots.Wanted():
		p.end(w)
	case p.janitor == nil && p.serving() > p.s.Min:
		p.janitor = time.AfterFunc(p.s.Idle, p.tidy)
	}
}

// serving is how many workers take calls, or will.
func (p *Pool) serving() int {
	n := p.starting
	for w := range p.workers {
		if !w.retired {
			n++
		}
	}
	return n
}

// tidy ends workers that have been idle for too long. It takes the lock itself.
func (p *Pool) tidy() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.janitor = nil
	for len(p.idle) > 0 && p.serving() > p.s.Min {
		left := p.s.Idle - time.Since(p.idle[0].since)
		if left > 0 {
			p.janitor = time.AfterFunc(left, p.tidy)
			return
		}
		p.end(p.idle[0])
	}
}

// end lets a worker end that has nothing to do: its input is closed, and it is killed when that does not help.
func (p *Pool) end(w *worker) {
	p.idle = without(p.idle, w)
	w.retired, w.told = true, true
	w.in.close()
	w.expire(p.s.Linger)
}

// dispatch gives workers to those that wait, and starts what is missing.
func (p *Pool) dispatch() {
	for len(p.queue) > 0 {
		j := p.queue[0]
		w := p.room(j)
		if w == nil {
			break
		}
		p.queue = slices.Delete(p.queue, 0, 1)
		p.attach(w, j)
		j.ready <- nil
	}
	p.grow(false)
}

// grow starts workers: one for each job that waits, one for a job that had to share, and those that are kept in any
// case.
func (p *Pool) grow(shared bool) {
	want := len(p.queue) - p.starting
	if shared && want <= 0 && p.starting == 0 {
		want = 1
	}
	if p.s.Min > 0 && !p.closed && p.singles < single {
		if missing := p.s.Min - p.serving(); missing > want && time.Now().After(p.warm) {
			want = missing
		}
	}
	want = min(want, p.s.Max-p.total)
	if want <= 0 {
		return
	}
	now := time.Now()
	if left := p.rest.Sub(now); left > 0 {
		if p.wake == nil {
			p.wake = time.AfterFunc(left, func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.wake = nil
				p.dispatch()
			})
		}
		return
	}
	for range want {
		p.total++
		p.starting++
		p.s.Running.Add()
		go p.start()
	}
}

// again is how long nothing is started for its own sake after a start that did not succeed.
const again = time.Second

// start starts a worker and stays with it until it is gone. It takes the lock itself.
func (p *Pool) start() {
	defer p.s.Running.Done()
	if !p.s.Slots.Take(p.quit) {
		p.mu.Lock()
		p.starting--
		p.total--
		p.mu.Unlock()
		return
	}
	defer p.s.Slots.Give()
	started, err := p.s.Start()
	p.mu.Lock()
	p.starting--
	if err != nil {
		p.total--
		p.unstarted(err)
		p.mu.Unlock()
		return
	}
	p.number++
	w := newWorker(p, started)
	p.workers[w] = struct{}{}
	p.release(w)
	p.mu.Unlock()
	w.carry()
}

// unstarted tells one of those that wait that there will be no worker, and lets the next one try.
func (p *Pool) unstarted(err error) {
	p.warm = time.Now().Add(again)
	if len(p.queue) > 0 {
		j := p.queue[0]
		p.queue = slices.Delete(p.queue, 0, 1)
		j.ready <- outcome.NotStarted(p.s.Tool, err)
	} else {
		p.s.Log.Warn("a worker cannot be started", slog.String("tool", p.s.Tool), slog.Any("error", err))
	}
	p.dispatch()
}

// crashed makes the next start wait when workers crash and answer nothing. What others answer, which run longer, says
// nothing about how those fare that are started.
func (p *Pool) crashed(w *worker) {
	const most = 100
	p.eldest = p.number
	if w.answered > 0 {
		p.failures, p.rest = 1, time.Time{}
		return
	}
	p.failures++
	if p.failures < 2 {
		return
	}
	pause := p.s.Backoff << min(p.failures-2, 10)
	p.rest = time.Now().Add(min(pause, most*p.s.Backoff))
}
