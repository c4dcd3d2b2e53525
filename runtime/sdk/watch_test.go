package sdk

import (
	"testing"
	"time"
)

// A call is read past when it was there at two ticks, or at the first one after the beginning; the ticks end when no call
// comes any more.
func TestWatch(t *testing.T) {
	read := 0
	w := &watch{timer: time.NewTimer(time.Hour), ticking: true} // ticks come from here alone
	begin := func() int { return w.begin(func() { read++ }) }
	expect := func(step string, want int) {
		t.Helper()
		if w.tick(); read != want {
			t.Fatalf("%s: read on %d times, want %d", step, read, want)
		}
	}
	for range 3 {
		number := begin()
		expect("a call that has just begun", 0)
		if !w.end(number) {
			t.Fatal("a short call was read past")
		}
	}
	first := begin()
	expect("a call that has just begun", 0)
	expect("a call that was there at the last tick", 1)
	second := begin() // of whoever reads now
	if w.end(first) || !w.end(second) {
		t.Error("a long call reads again, or a short one does not")
	}
	expect("nothing", 1)
	if expect("nothing", 1); w.ticking {
		t.Error("it ticks without calls")
	}
	number := begin()
	if expect("the first call after a pause", 2); w.end(number) || w.ticking {
		t.Error("a call that has been read past reads on, or it ticks for it")
	}
}
