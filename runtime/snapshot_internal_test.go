package runtime

import (
	"testing"
	"time"

	"vcp.core/contract/call"
)

// A call that took a snapshot's pointer just before it was retired does not run on it: its transports may be
// closed by then. The moment between the two steps is too short to be met from outside.
func TestRetiredSnapshotsLetNobodyIn(t *testing.T) {
	r := New(call.NewTable())
	old := r.current.Load()
	if !old.enter() {
		t.Fatal("the current snapshot lets nobody in")
	}
	if _, err := r.Swap(call.NewTable()); err != nil {
		t.Fatal(err)
	}
	fresh := r.current.Load()

	if old.enter() {
		t.Error("a retired snapshot let a call in")
	}
	select {
	case <-old.idle:
		t.Error("idle with a call in flight, after another one was refused")
	default:
	}
	old.leave()
	<-old.gone
	if old.enter() {
		t.Error("a snapshot that is gone let a call in")
	}

	r.current.Store(old) // as a call sees it that is about to enter
	entered := make(chan *snapshot, 1)
	go func() { entered <- r.enter() }()
	select {
	case <-entered:
		t.Error("the call entered a retired snapshot")
	case <-time.After(10 * time.Millisecond):
	}
	r.current.Store(fresh)
	if got := <-entered; got != fresh {
		t.Error("the call did not end up on the current snapshot")
	}
	fresh.leave()
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
