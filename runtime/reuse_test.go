package runtime_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
)

// A handler that goes on after its call has ended meets nothing of the calls that came later, whatever memory of its call
// they use again: under -race it would be seen.
func TestLateHandlerMeetsNoOtherCall(t *testing.T) {
	release, left := make(chan struct{}), make(chan struct{})
	ctx, giveUp := context.WithCancel(t.Context())
	handler := call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
		if string(in.Arguments) != `{"late":true}` {
			return []byte(ok(string(in.Arguments))), nil
		}
		defer close(left)
		giveUp() // by the handler itself: a limit could be over before it has begun
		<-release
		actor, source := *in.Actor, in.Source
		for range 100 {
			in.Progress(call.Progress{Stage: "on", Message: "the password is hunter2hunter2"})
			if *in.Actor != actor || in.Source != source || string(in.Arguments) != `{"late":true}` {
				t.Errorf("the invocation changed: %+v", in)
			}
		}
		if _, err := in.Resources.Write(call.Draft{}, strings.NewReader("x")); err == nil {
			t.Error("a resource was taken after the call")
		}
		return []byte(ok(`"late"`)), nil
	})
	r := runtime.New(registry{spec(t, `true`, `true`, func(s *call.Spec) { s.Grace = time.Millisecond })}, runtime.Bind("T", handler),
		runtime.Listen(func(runtime.ProgressEvent) {}), runtime.DataDir(t.TempDir()), runtime.Resources(stuck{}),
		runtime.Secrets(func(string) [][]byte { return [][]byte{[]byte("hunter2hunter2")} }))
	c := call.Call{Tool: "T", Command: "Run", Source: "test", Actor: &call.Actor{Type: "agent", Name: "Nova"}, Arguments: []byte(`{"late":true}`)}
	if s := lawful(t, r.Execute(ctx, c)); s.Status() != call.Cancelled {
		t.Fatalf("the handler was not late: %s", s)
	}
	close(release)
	for range 200 {
		s := execute(t, r, call.Call{Tool: "T", Command: "Run", Source: "other", Actor: &call.Actor{Type: "human", Name: "Mallory"}, Arguments: []byte(`{"i":1}`)})
		if s.Member(result.Data) != `{"i":1}` || at(t, s, "/actor/name") != `"Mallory"` {
			t.Fatalf("another call's result: %s", s)
		}
	}
	<-left
	if err := r.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
