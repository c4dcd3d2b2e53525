package runtime

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A context of patience ends when a store was waited for long enough, whatever the caller's does, and keeps the caller's
// values.
func TestPatience(t *testing.T) {
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		var p patience
		caller, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "mine"))
		cancel()
		first := p.context(caller)
		if first.Value(key{}) != "mine" || first.Err() != nil {
			t.Errorf("the context has the value %v and has ended: %v", first.Value(key{}), first.Err())
		}
		for range 25 { // calls of 17 seconds
			began, one := time.Now(), p.context(caller)
			if p.context(caller).Done() != one.Done() {
				t.Error("two calls of one moment do not share")
			}
			go func() {
				<-one.Done()
				if waited := time.Since(began); waited < storeWait || waited > storeWait+shared {
					t.Errorf("it ended after %v", waited)
				}
			}()
			time.Sleep(700 * time.Millisecond)
		}
		time.Sleep(time.Minute)
		if p.context(caller).Err() != nil {
			t.Error("a context that has ended is handed out")
		}
	})
}
