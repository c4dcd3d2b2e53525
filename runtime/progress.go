package runtime

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
)

// ProgressEvent tells how far a running call is (specification §10.6).
type ProgressEvent struct {
	InvocationID, RequestID string
	Tool, Command           string
	TaskID                  string // the id that the call offers to a task, "" for a synchronous command
	Stage                   string
	Share                   wire.Opt[wire.Number] // 0 to 1
	Message                 string                // "" for none
}

// Listen sets who is told of progress. The listener gets the events of one call one after the other, in their
// order, and never after Execute has returned: the end of a call waits for the listener, so it must return
// promptly. A handler that reports is never held up. When a listener is slower than a handler, the oldest of
// more than 64 waiting events, or of more than 1 MiB, are dropped. A listener that panics misses the event, no more.
func Listen(l func(ProgressEvent)) Option { return option(func(r *Runtime) { r.listener = l }) }

// maxWaiting is how many events of one call wait for the listener.
const maxWaiting = 64

// maxWaitingBytes is how much text of them waits, unless one alone has more: a process may write a line of
// megabytes.
const maxWaitingBytes = 1 << 20

// progress carries the reports of one call to the listener. A goroutine exists while something waits.
type progress struct {
	ctx   context.Context // of the call, for the log
	r     *Runtime
	about ProgressEvent // what is the same for all events of the call

	mu         sync.Mutex
	waiting    []ProgressEvent
	size       int // bytes of the messages that wait
	delivering bool
	ended      bool
	idle       chan struct{} // made by end when it has to wait
}

// progressOf is the way of a call's reports to the listener.
func (r *Runtime) progressOf(ctx context.Context, in *call.Invocation) *progress {
	return &progress{ctx: ctx, r: r, about: ProgressEvent{
		InvocationID: in.InvocationID, RequestID: in.RequestID, Tool: in.Tool, Command: in.Command, TaskID: in.TaskID,
	}}
}

// report takes a report of the handler. What the protocol does not allow as an event is dropped.
func (p *progress) report(c call.Progress) {
	share, told := c.Share.Get()
	if c.Stage == "" || told && !isShare(share) {
		p.r.log.LogAttrs(p.ctx, slog.LevelWarn, "a report of progress was dropped: it has no stage, or a share beyond 0 to 1",
			slog.String("tool", p.about.Tool), slog.String("command", p.about.Command))
		return
	}
	e := p.about
	e.Stage, e.Share, e.Message = c.Stage, c.Share, c.Message
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.size += e.size()
	for len(p.waiting) == maxWaiting || len(p.waiting) > 0 && p.size > maxWaitingBytes {
		p.next()
	}
	p.waiting = append(p.waiting, e)
	if !p.delivering {
		p.delivering = true
		go p.deliver()
	}
}

// deliver tells the listener until nothing waits.
func (p *progress) deliver() {
	done := false
	defer func() {
		if !done { // the listener ended this goroutine
			go p.deliver()
		}
	}()
	for {
		p.mu.Lock()
		if len(p.waiting) == 0 {
			p.delivering, done = false, true
			if p.idle != nil {
				close(p.idle)
			}
			p.mu.Unlock()
			return
		}
		e := p.next()
		p.mu.Unlock()
		p.tell(e)
	}
}

// next takes out the event that waits longest. The caller holds p.mu.
func (p *progress) next() ProgressEvent {
	e := p.waiting[0]
	p.waiting = slices.Delete(p.waiting, 0, 1)
	p.size -= e.size()
	return e
}

func (e *ProgressEvent) size() int { return len(e.Stage) + len(e.Message) }

func (p *progress) tell(e ProgressEvent) {
	defer p.r.contain(p.ctx, "the listener panicked")
	p.r.listener(e)
}

// end delivers what was reported so far and takes no more.
func (p *progress) end() {
	p.mu.Lock()
	p.ended = true
	if !p.delivering {
		p.mu.Unlock()
		return
	}
	p.idle = make(chan struct{})
	p.mu.Unlock()
	<-p.idle
}

// isShare reports whether n lies between 0 and 1.
func isShare(n wire.Number) bool {
	d := n.Decimal()
	return d.Sign() >= 0 && d.Cmp(wire.NumberOf(1).Decimal()) <= 0
}
