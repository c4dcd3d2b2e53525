// Package kept lets the processes of a plugin serve many calls (DESIGN §4: kept workers, our deviation from
// specification §10.1 and §11.1). An invocation goes in, a payload or an error comes out, as with a process per call;
// what is saved is the start of the process.
//
// The package starts no process by itself (its [Settings] say how), judges no payload, runs no call twice that a worker
// may have seen, and shows a plugin's standard error to nobody but the logger.
//
// # What a worker sees
//
// Its standard input stays open. Each call is one frame on it; a frame is written whole, whatever else is being
// written. A call that is to end gets a tool-cancel frame with a reason. The end of the input says that no more calls
// come: the worker finishes what it has and ends. Each answer and each report names its call by id. The order of
// answers is the worker's.
//
// # What becomes of a call
//
//	what happens                                the call                                       the worker
//	its answer                                  has its payload                                goes on
//	a line that is no frame, then its answer    fails with the reason of the fault             goes on
//	such a line and no answer within Linger     the same                                       is killed
//	a line that is too long                     RESULT_TOO_LARGE                               is killed at once
//	the worker crashes                          TRANSPORT_FAILURE, CRASHED or SIGNALLED        is replaced
//	the worker ends with exit code 0            INVALID_TOOL_RESULT, NO_FRAME or the fault     is replaced
//	the worker ended before it read the call    goes to another worker (Linux)                 is replaced
//	the worker closes a stream and stays        TRANSPORT_FAILURE, PIPE_CLOSED, after Linger   is killed
//	the worker does not take in what is written goes to another worker, when it was not begun   is killed
//	cancelled or over its limit, answers        ended; the answer is dropped                   goes on
//	the same, no answer within the grace        ended                                          is killed
//
// A fault is held against the call that its line names. A line that names none, as a stray print does, is held
// against all calls that the worker has at that moment: with one in flight that is the right one, with more nobody
// can tell, and the line is quoted to the log instead of to them. Without any call it is only logged.
//
// An answer for a call that has ended is dropped and logged, a report is dropped and counted. An answer for a call that
// the worker never had is a line that names none (WRONG_ID). Of lines that belong to no call so many are logged as
// mostNotes says, from the beginning of one call to that of the next; the others are counted.
//
// A worker that has other calls is not killed for one that does not end: it gets no more, and is killed when those
// that are left have ended, or are as stubborn. Calls that it was not told of yet do not count: they go to another one.
// A worker without any call that it was told of, which has not read within Linger what was written to it, is
// killed as well.
//
// # Which worker
//
// A call gets the idle worker that was used last. If none is idle and [Bounds] allow another, one is started: the call
// waits for it, or shares the least loaded one meanwhile where more calls may be in flight. Otherwise it waits for its
// turn, in the order of arrival, within its own time limit.
//
// After the crash of a worker that had answered a call the next one is started at once, and after a pause that doubles
// otherwise, up to a hundred times Backoff; an answer of a worker that was started since begins anew. So a program that
// cannot run twice is not started at every turn while its first process answers. A worker that closes a stream before
// its first answer counts as crashed, also when it is killed for that or its calls are given up before; but not one that
// had read a call when it closed its input.
//
// A program that ends after each call, as one does that was made for one call, is told to the log, and from the third
// time on its input is closed behind each call; to be cancelled it gets SIGTERM.
package kept

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/runtime/policy/secret"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/process"
	"vcp.core/runtime/transport/stdio/frame"
)

// Bounds are what a manifest says about its workers (communication.workers).
type Bounds struct {
	Min, Max int           // processes to keep although idle, and at the same time; Max is at least 1
	Idle     time.Duration // after which an idle process beyond Min is ended
	MaxCalls int           // after which a process is replaced; 0: never
	InFlight int           // calls that one process has at the same time; at least 1
}

// Slots are places for processes that several pools share.
type Slots interface {
	// Take waits for a place. It returns false when stop was closed first.
	Take(stop <-chan struct{}) bool
	// Give returns a place.
	Give()
	// Wanted reports whether somebody waits for a place: then idle workers make room.
	Wanted() bool
}

// Settings are what a pool works with. All fields but Backoff and Bounds are needed.
type Settings struct {
	Bounds
	Tool  string
	Start func() (*process.Process, error) // starts a worker
	Slots Slots
	// Running counts calls and processes, so that somebody can wait for their end.
	Running *transport.Tracker
	Log     *slog.Logger
	Limits  wire.Limits   // of a line and a payload
	Stderr  int           // bytes of a worker's standard error that are kept, the last ones
	Linger  time.Duration // for a worker that was told to end, and for an answer after a fault
	Backoff time.Duration // the first pause after crashes; 50 ms when 0
}

// Pool holds the workers of one plugin. It is safe for concurrent use.
type Pool struct {
	s    Settings
	quit chan struct{} // closed when no start is needed any more

	mu       sync.Mutex
	workers  map[*worker]struct{} // whose processes live
	idle     []*worker            // have no call and take some; the last one was used last
	queue    []*job               // wait for a worker
	total    int                  // processes, those that are being started included
	starting int
	number   int       // of the last worker
	failures int       // crashes since the last answer of a worker that was started after them
	eldest   int       // the last worker that was started before a crash
	rest     time.Time // no start before
	warm     time.Time // no start for its own sake before
	wake     *time.Timer
	janitor  *time.Timer
	singles  int  // workers that ended after their first answer, in a row
	active   int  // calls that were taken and have not ended
	closed   bool // takes no more calls
	ended    bool // quit is closed
}

// New makes a pool. It starts nothing.
func New(s Settings) *Pool {
	s.Max, s.InFlight = max(s.Max, 1), max(s.InFlight, 1)
	s.Min = min(s.Min, s.Max)
	s.Backoff = cmp.Or(s.Backoff, 50*time.Millisecond)
	return &Pool{s: s, quit: make(chan struct{}), workers: map[*worker]struct{}{}}
}

// job is a call on its way through a worker.
type job struct {
	in      *call.Invocation
	secrets *secret.Set
	ready   chan error   // a queued job has a worker, or will have none
	done    chan settled // has a place for the one value that it ever gets
	tries   int          // workers that have had it, this one included

	// Guarded by the pool.
	w       *worker
	fault   *frame.Fault
	overdue *time.Timer // runs out when an answer after a fault takes too long
	over    bool        // done has its value
	givenUp bool        // nobody waits for the answer any more

	line place // of its line in the worker's input
}

// settled is how a worker was done with a job.
type settled struct {
	payload []byte
	failure *transport.Failure // nil when there is a payload
	unseen  bool               // the worker ended before it read the call
	again   bool               // which is therefore for another one
}

// settle ends a job, once.
func (j *job) settle(s settled) {
	if j.over {
		return
	}
	j.over = true
	if j.overdue != nil {
		j.overdue.Stop()
	}
	j.done <- s
}

// afterKill is how long a killed process is waited for. It ends at once, unless the system itself hangs.
const afterKill = time.Second

// Run gives a call to a worker and takes its answer. Its errors are [*transport.Failure] and [*transport.StoppedError].
func (p *Pool) Run(ctx context.Context, in call.Invocation, grace time.Duration) (transport.Reply, error) {
	p.s.Running.Add()
	defer p.s.Running.Done()
	deadline := in.Deadline
	if deadline.IsZero() {
		deadline, _ = ctx.Deadline()
	}
	line := frame.AppendCall(make([]byte, 0, 512+len(in.Arguments)+len(in.Config)), &in, deadline)
	secrets := secret.FromContext(ctx)
	if !p.enter() {
		return transport.Reply{}, p.refused()
	}
	defer p.leave()
	for tries := 1; ; tries++ {
		if err := ctx.Err(); err != nil {
			return transport.Reply{}, &transport.StoppedError{Cause: err}
		}
		j := &job{in: &in, secrets: secrets, done: make(chan settled, 1), tries: tries}
		if err := p.assign(ctx, j); err != nil {
			return transport.Reply{}, err
		}
		s, err := p.attend(ctx, j, line, grace)
		if err == nil && s.again {
			continue
		}
		if err == nil && s.failure != nil {
			err = s.failure
		}
		j.w.report(ctx, j, err)
		return transport.Reply{Payload: s.payload}, err
	}
}

// attend gives a worker its job and waits for the end of it.
func (p *Pool) attend(ctx context.Context, j *job, line []byte, grace time.Duration) (settled, error) {
	w := j.w
	if !w.idleOutput() && p.proven(w) {
		p.withdraw(j)
		return settled{again: true}, nil
	}
	for !w.in.send(ctx.Done(), p.s.Linger, line, &j.line) {
		if w.stuck(ctx, j) {
			p.withdraw(j)
			return settled{again: true}, nil // if there is time
		}
	}
	if w.last {
		w.in.close()
	}
	s, ok := w.await(ctx, j)
	switch {
	case !ok:
		return settled{}, p.stop(ctx, j, grace)
	case s.again && ctx.Err() != nil:
		return settled{}, &transport.StoppedError{Cause: ctx.Err()}
	}
	return s, nil
}

// stop asks a worker to end a call, and makes it when the grace is over.
func (p *Pool) stop(ctx context.Context, j *job, grace time.Duration) error {
	w := j.w
	stopped := &transport.StoppedError{Cause: ctx.Err(), Started: true}
	reason := "the call was cancelled"
	if ctx.Err() == context.DeadlineExceeded {
		reason = "the time limit of the call is over"
	}
	if w.last { // its input is closed, as that of a process for one call
		p.mu.Lock()
		w.told = true
		p.mu.Unlock()
		w.p.Terminate()
	} else {
		w.in.post(frame.AppendCancel(nil, j.in.InvocationID, reason))
	}
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if s, ok := w.await(patience, j); ok {
		stopped.Started = !s.unseen
		return stopped
	}
	if !p.abandon(j) { // it has other calls, which are not to pay for this one
		stopped.Running = true
		return stopped
	}
	t := time.NewTimer(afterKill)
	defer t.Stop()
	select {
	case <-w.gone:
	case <-t.C:
		stopped.Running = true
	}
	return stopped
}

// proven reports whether a worker has ever answered. Only then its end is no reason to fear for the next one's.
func (p *Pool) proven(w *worker) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return w.answered > 0
}

// enter counts a call in. It returns false after Close.
func (p *Pool) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.active++
	return true
}

// leave counts a call out.
func (p *Pool) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.active--
	p.finish()
}

// finish gives up starts that wait for a place when nobody needs them any more. The lock is held.
func (p *Pool) finish() {
	if p.closed && p.active == 0 && !p.ended {
		p.ended = true
		close(p.quit)
	}
}

// refused is the failure of a call that came after Close.
func (p *Pool) refused() error {
	return &transport.Failure{Code: errcode.TransportFailure, Message: "the workers of the plugin " + p.s.Tool + " are not started any more"}
}

// Warm starts the workers that are kept although idle, if they do not run yet. The first call does so, too.
func (p *Pool) Warm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.grow(false)
}

// Yield ends the worker that has been idle for longest, to make room for another process. It reports whether there
// was one.
func (p *Pool) Yield() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return false
	}
	p.end(p.idle[0])
	return true
}

// Close lets the workers end when they have nothing to do any more. It does not wait; Settings.Running tells when
// nothing is left. Calls that were taken already are still carried out.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for len(p.idle) > 0 {
		p.end(p.idle[len(p.idle)-1])
	}
	p.finish()
}
