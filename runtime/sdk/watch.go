package sdk

import (
	"sync"
	"time"
)

// patience is how long a call is carried out by the goroutine that has read it, once at least and twice at most. A call
// that takes longer is not disturbed: another goroutine reads on. So a short call costs no switch between goroutines and
// threads, which would be most of its time, and a long one delays others and its own cancel by so much at most.
const patience = 200 * time.Microsecond

// watch sees to it that somebody reads on while a call takes long. A timer for each call would wake up a thread for
// each, since a Go program with a new first timer looks for one that waits for it; so one timer goes on as long as calls
// come, and whoever is there at two ticks takes long.
type watch struct {
	mu      sync.Mutex
	timer   *time.Timer
	ticking bool
	begun   int    // calls so far
	current int    // the number of the call that keeps its goroutine from reading; 0 for none
	seen    int    // begun, at the last tick
	read    func() // goes on in place of the goroutine of the current call
}

// begin says that a call is carried out instead of reading, and returns its number.
func (w *watch) begin(read func()) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun++
	w.current, w.read = w.begun, read
	switch {
	case w.ticking:
		return w.current
	case w.timer == nil:
		w.timer = time.AfterFunc(patience, w.tick)
	default:
		w.timer.Reset(patience)
	}
	w.ticking, w.seen = true, w.begun
	return w.current
}

// end says that a call has ended. It returns false when somebody else reads by now.
func (w *watch) end(number int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.current != number {
		return false
	}
	w.current = 0
	return true
}

// tick reads in place of a call that was there at the last tick already.
func (w *watch) tick() {
	w.mu.Lock()
	overdue := w.current != 0 && w.current == w.seen
	if w.ticking = w.begun != w.seen; w.ticking {
		w.seen = w.begun
		w.timer.Reset(patience)
	}
	if overdue {
		w.current = 0
	}
	read := w.read
	w.mu.Unlock()
	if overdue {
		read()
	}
}
