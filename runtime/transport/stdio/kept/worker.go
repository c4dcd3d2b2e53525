package kept

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/runtime/transport/process"
	"vcp.core/runtime/transport/stdio/frame"
	"vcp.core/runtime/transport/stdio/outcome"
)

// worker is one process and what it has to do.
type worker struct {
	pool   *Pool
	number int
	p      *process.Process
	in     *input
	errors ring
	stream frame.Stream  // of its output; whoever has the turn reads
	turn   chan struct{} // to read; holds a value when nobody does
	silent chan struct{} // closed when nobody will read any more, by whoever had the turn
	last   bool          // the pool's programs end after each call
	gone   chan struct{} // closed when process and goroutines are

	// Guarded by the pool.
	jobs     map[string]*job // that it has not answered, by id
	finished recent          // ids of calls that it had
	calls    int
	answered int
	answer   time.Time // the last one
	since    time.Time // when it became idle
	retired  bool      // gets no more calls
	told     bool      // to end, by the end of its input
	left     bool      // it closed a stream before it was told to end or killed
	killed   bool      // by us
	dead     bool      // it has ended
	mute     string    // the stream that it has closed: "output", "input"
	clock    *time.Timer
	dropped  int // reports that break their schema
	notes    int // lines that belong to no call, since the last call began
	unlogged int // of those, in all
}

func newWorker(p *Pool, started *process.Process) *worker {
	w := &worker{
		pool: p, number: p.number, p: started, in: newInput(started.Stdin), errors: newRing(p.s.Stderr), last: p.singles >= single,
		turn: make(chan struct{}, 1), silent: make(chan struct{}), gone: make(chan struct{}), jobs: map[string]*job{},
	}
	w.stream = frame.Stream{Limits: p.s.Limits, Receiver: w}
	w.turn <- struct{}{}
	w.in.broken = func() { w.close("input") }
	return w
}

// carry stays with a worker until it has ended and nobody is at work on it any more.
func (w *worker) carry() {
	var all sync.WaitGroup
	quiet := make(chan struct{})
	all.Go(func() {
		defer close(quiet)
		_, _ = io.Copy(&w.errors, struct{ io.Reader }{w.p.Stderr})
	})
	if !w.p.Stdout.Interruptible() { // then no call can read for itself
		<-w.turn
		all.Go(w.follow)
	}
	ending, lost := w.p.Wait()
	seen := w.in.seen()
	w.in.shut()
	w.p.Stdout.Finish(w.silent)
	w.p.Stderr.Finish(quiet)
	select {
	case <-w.silent:
	case <-w.turn:
		w.follow()
	}
	all.Wait()
	_ = w.p.Stdout.Close()
	_ = w.p.Stderr.Close()
	w.bury(ending, lost, seen)
	close(w.gone)
}

// close is called when a worker has closed a stream. It usually ends right then; if it does not, it is killed.
func (w *worker) close(stream string) {
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	if w.mute == "" {
		w.mute, w.left = stream, !w.told && !w.killed
	}
	w.pool.idle = without(w.pool.idle, w)
	w.retired = true
	w.expire(w.pool.s.Linger)
}

// kill ends a worker. Its exit code says nothing from now on. The lock is held.
func (w *worker) kill() {
	w.pool.idle = without(w.pool.idle, w)
	w.retired, w.killed = true, true
	go w.p.Kill() // a launcher may have to ask another process
}

// expire kills a worker after some time. The lock is held.
func (w *worker) expire(after time.Duration) {
	if w.clock != nil || w.dead {
		return
	}
	w.clock = time.AfterFunc(after, func() {
		w.pool.mu.Lock()
		defer w.pool.mu.Unlock()
		if !w.dead {
			w.kill()
		}
	})
}

// abandoned reports whether a worker has calls that were given up, and nobody waits for anything else that it does. The
// lock is held.
func (w *worker) abandoned() bool {
	for _, j := range w.jobs {
		if j.givenUp {
			return w.vacant()
		}
	}
	return false
}

// vacant reports whether nobody waits for anything that a worker does. It is killed then: calls that it was not told of
// yet are kept back, for another one. The lock is held.
func (w *worker) vacant() bool {
	for _, j := range w.jobs {
		if !j.givenUp && j.line.start() != never {
			return false
		}
	}
	for _, j := range w.jobs {
		if !j.givenUp && !j.line.revoke() { // it begins at this moment
			return false
		}
	}
	return true
}

// stuck reports whether a call whose turn to be written does not come need not wait any longer: it has ended itself, or the
// worker is killed, because it does not take in what was written to it and nobody waits for anything that it does. It
// takes the lock itself.
func (w *worker) stuck(ctx context.Context, j *job) bool {
	if ctx.Err() != nil {
		return true
	}
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	if !w.dead && !j.line.revoked() && w.vacant() {
		w.kill()
	}
	return j.line.revoked()
}

// abandon gives a job up whose worker does not end it. It reports whether the worker is killed for it, or dead.
func (p *Pool) abandon(j *job) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if j.over {
		return true
	}
	return p.giveUp(j)
}

// giveUp is abandon with the lock held.
func (p *Pool) giveUp(j *job) bool {
	w := j.w
	j.givenUp, w.retired = true, true
	if !w.abandoned() {
		return false
	}
	w.kill()
	return true
}

// Result implements [frame.Receiver].
func (w *worker) Result(id, payload []byte) {
	p := w.pool
	p.mu.Lock()
	j := w.jobs[string(id)]
	if j == nil {
		blamed := !w.finished.has(id) &&
			w.blame(nil, &frame.Fault{Reason: errcode.WrongID, Detail: w.errors.mask(fmt.Sprintf("answered a call that it does not have, %q", frame.Excerpt(string(id))))})
		p.mu.Unlock()
		if !blamed {
			w.note("an answer to no call that is at work", nil)
		}
		return
	}
	delete(w.jobs, string(id))
	w.finished.add(j.in.InvocationID)
	w.answered++
	w.answer = time.Now()
	if w.number > p.eldest {
		p.failures = 0
	}
	if w.answered > 1 {
		p.singles = 0
	}
	if j.fault != nil {
		j.settle(settled{failure: outcome.Faulty(p.s.Tool, j.fault)})
	} else {
		j.settle(settled{payload: payload})
	}
	p.release(w)
	p.mu.Unlock()
}

// Progress implements [frame.Receiver].
func (w *worker) Progress(id []byte, r call.Progress) {
	w.pool.mu.Lock()
	j := w.jobs[string(id)]
	w.pool.mu.Unlock()
	switch {
	case j == nil:
		w.Dropped(id)
	case j.in.Progress != nil:
		j.in.Progress(r)
	}
}

// Dropped implements [frame.Receiver].
func (w *worker) Dropped([]byte) {
	w.pool.mu.Lock()
	w.dropped++
	w.pool.mu.Unlock()
}

// Fault implements [frame.Receiver].
func (w *worker) Fault(id []byte, f *frame.Fault) {
	f.Detail, f.Quote = w.errors.mask(f.Detail), w.errors.mask(f.Quote)
	w.pool.mu.Lock()
	late := id != nil && w.jobs[string(id)] == nil && w.finished.has(id)
	quoted := *f
	told := !late && w.blame(id, f)
	w.pool.mu.Unlock()
	switch {
	case !told:
		w.note("a line that belongs to no call", &quoted)
	case f.Quote != quoted.Quote:
		w.note("a line that may be of any call", &quoted)
	}
}

// blame holds a fault against the call that it names, or against all that the worker was told of. It reports whether
// there was one. To several the line is not quoted: it may be the answer to one of them, and no business of the
// others. The lock is held.
func (w *worker) blame(id []byte, f *frame.Fault) bool {
	if j := w.jobs[string(id)]; j != nil {
		w.pool.charge(j, f)
		return true
	}
	var told []*job
	for _, j := range w.jobs {
		if j.line.start() != never {
			told = append(told, j)
		}
	}
	if len(told) > 1 {
		f.Detail += fmt.Sprintf(" while it had %d calls", len(told))
		f.Quote = ""
	}
	for _, j := range told {
		w.pool.charge(j, f)
	}
	return len(told) > 0
}

// charge holds a fault against a call, unless there is one already. The call ends with its answer, or when that takes
// too long. The lock is held.
func (p *Pool) charge(j *job, f *frame.Fault) {
	if j.fault != nil || j.over {
		return
	}
	own := *f
	own.Line = 0 // the lines of a worker are not those of a call
	j.fault = &own
	j.overdue = time.AfterFunc(p.s.Linger, func() {
		p.mu.Lock()
		late := !j.over
		if late {
			j.settle(settled{failure: outcome.Faulty(p.s.Tool, j.fault)})
			p.giveUp(j)
		}
		p.mu.Unlock()
		if late {
			j.w.p.Stdout.Interrupt()
			j.w.in.post(frame.AppendCancel(nil, j.in.InvocationID, "the call has failed"))
		}
	})
}

// single is how many workers in a row have to end after their first answer to be taken for programs that were made for
// one call.
const single = 3

// bury takes leave of a worker that has ended, and of the calls that it had. Seen is how much it read of its input.
func (w *worker) bury(ending process.Ending, lost error, seen int64) {
	p := w.pool
	p.mu.Lock()
	w.dead, w.retired = true, true
	p.idle = without(p.idle, w)
	delete(p.workers, w)
	p.total--
	if w.clock != nil {
		w.clock.Stop()
	}
	byItself := !w.told && !w.killed
	failed := ending.Failed() && !(w.killed && ending.Killed())
	heirs := 0 // calls that fail with the worker: whoever waits for one logs the last words with it. One that is over has been logged
	for id, j := range w.jobs {
		delete(w.jobs, id)
		s := w.verdict(j, ending, lost, failed, seen)
		if !s.again && !j.over {
			heirs++
		}
		j.settle(s)
	}
	// It left on its own even when its calls were taken back or it was killed since. One that read a call before it closed
	// its input, and was then told to end that call, may have been at work.
	left := w.left && (w.mute == "output" || seen == 0)
	crashed := byItself && (failed || lost != nil || w.answered == 0) || left && w.answered == 0
	if crashed {
		p.crashed(w)
	}
	// A call that came too late for it, and was taken back, makes no difference.
	ends := (byItself || w.left) && !failed && lost == nil && w.answered == 1 && time.Since(w.answer) < p.s.Linger
	if ends && !w.last {
		p.singles++
	}
	tell := ends && p.singles == single
	p.dispatch()
	p.mu.Unlock()
	var words string
	var gone int64
	if heirs == 0 {
		words, gone = w.errors.take()
	}
	w.obituary(ending, lost, words, gone, crashed, tell)
}

// mostTries is how many workers a call gets that were killed before their first answer.
const mostTries = 5

// verdict is the table of the package comment, for a call that a worker had when it ended. The lock is held.
func (w *worker) verdict(j *job, ending process.Ending, lost error, failed bool, seen int64) settled {
	tool := w.pool.s.Tool
	start := j.line.start()
	unseen := start == never || seen >= 0 && start >= seen
	// A program that fails at its start would be started again for ever; one that was killed from outside has not failed.
	// One that was killed by us because of another call is no worse, unless it did not read at all.
	killed := ending.Killed() && (!w.killed || w.mute == "") && j.tries < mostTries
	innocent := w.answered > 0 || killed || j.line.revoked()
	if unseen && innocent && lost == nil && j.fault == nil {
		return settled{unseen: true, again: true}
	}
	s := settled{unseen: unseen}
	switch {
	case lost != nil:
		s.failure = outcome.Lost(tool, lost)
	case j.fault != nil && (!failed || j.fault.Reason == errcode.ResultTooLarge):
		s.failure = outcome.Faulty(tool, j.fault)
	case failed:
		s.failure = outcome.Crashed(tool, ending, j.fault)
	case w.killed && w.mute != "":
		s.failure = outcome.PipeClosed(tool, w.mute)
	case w.last:
		s.failure = outcome.NoFrame(tool, "")
	default:
		s.failure = outcome.NoFrame(tool, "; a kept worker goes on until its input ends")
	}
	s.failure.Started = !unseen
	return s
}

// recent remembers the last ids of a worker's calls.
type recent struct {
	ids  [64]string
	next int
}

func (r *recent) add(id string) {
	r.ids[r.next] = id
	r.next = (r.next + 1) % len(r.ids)
}

func (r *recent) has(id []byte) bool {
	for _, known := range r.ids {
		if known == string(id) && known != "" {
			return true
		}
	}
	return false
}
