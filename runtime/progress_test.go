package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/runtime"
)

// reports is a handler that reports the given stages and succeeds.
func reports(list ...call.Progress) call.Handler {
	return call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
		for _, p := range list {
			in.Progress(p)
		}
		return []byte(ok("1")), nil
	})
}

func TestProgress(t *testing.T) {
	half, _ := wire.ParseNumber("0.50")
	over, _ := wire.ParseNumber("1.01")
	under, _ := wire.ParseNumber("-0.0001")
	var got []runtime.ProgressEvent
	var log bytes.Buffer
	r := runtime.New(registry{spec(t, `true`, `true`, func(s *call.Spec) { s.Kind = call.Hybrid })},
		runtime.Bind("T", reports(
			call.Progress{Stage: "downloading", Share: wire.Some(half), Message: "正在下载结果"},
			call.Progress{Message: "no stage"},
			call.Progress{Stage: "a", Share: wire.Some(over)},
			call.Progress{Stage: "b", Share: wire.Some(under)},
			call.Progress{Stage: "storing", Share: wire.Some(wire.NumberOf(1))},
			call.Progress{Stage: "done"},
		)),
		runtime.Logger(slog.New(slog.NewTextHandler(&log, nil))),
		runtime.Listen(func(e runtime.ProgressEvent) { got = append(got, e) }))
	s := execute(t, r, call.Call{Tool: "T", Command: "Run"})
	about := runtime.ProgressEvent{
		InvocationID: clean(at(t, s, "/execution/invocationId")), RequestID: clean(at(t, s, "/execution/requestId")),
		Tool: "T", Command: "Run", TaskID: got[0].TaskID,
	}
	if !strings.HasPrefix(about.TaskID, "task_") {
		t.Errorf("task id %q", about.TaskID)
	}
	want := []runtime.ProgressEvent{about, about, about}
	want[0].Stage, want[0].Share, want[0].Message = "downloading", wire.Some(half), "正在下载结果"
	want[1].Stage, want[1].Share = "storing", wire.Some(wire.NumberOf(1))
	want[2].Stage = "done"
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if n := strings.Count(log.String(), "a report of progress was dropped"); n != 3 {
		t.Errorf("%d of 3 impossible reports were logged: %s", n, log.String())
	}
}

func TestNobodyListens(t *testing.T) {
	r := runtime.New(registry{spec(t, `true`, `true`)}, runtime.Bind("T", call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
		if in.Progress != nil {
			t.Error("there is a reporter and no listener")
		}
		return []byte(ok("1")), nil
	})))
	execute(t, r, call.Call{Tool: "T", Command: "Run"})
}

// A listener that is slow holds up no handler; it is told the newest events, and Execute waits for it.
func TestSlowListener(t *testing.T) {
	const events = 200
	s := spec(t, `true`, `true`)
	synctest.Test(t, func(t *testing.T) {
		var stages []string
		var handled time.Duration
		start := time.Now()
		r := runtime.New(registry{s}, runtime.Bind("T", call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
			for i := range events {
				in.Progress(call.Progress{Stage: fmt.Sprint(i)})
				if i == 0 {
					synctest.Wait() // until the listener has the first one
				}
			}
			handled = time.Since(start)
			return []byte(ok("1")), nil
		})), runtime.Listen(func(e runtime.ProgressEvent) {
			time.Sleep(time.Second)
			stages = append(stages, e.Stage)
		}))
		execute(t, r, call.Call{Tool: "T", Command: "Run"})
		if handled != 0 || time.Since(start) != 65*time.Second {
			t.Errorf("the handler took %v, Execute %v", handled, time.Since(start))
		}
		if len(stages) != 65 || stages[0] != "0" || stages[1] != "136" || stages[64] != "199" {
			t.Errorf("told %v", stages)
		}
	})
}

// After the end of a call nobody is told anything, whoever still reports.
func TestLateReports(t *testing.T) {
	s := spec(t, `true`, `true`, func(s *call.Spec) { s.Grace = time.Second })
	synctest.Test(t, func(t *testing.T) {
		told := 0
		r := runtime.New(registry{s}, runtime.Bind("T", call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
			for range 10 {
				in.Progress(call.Progress{Stage: "x"})
				time.Sleep(time.Second + time.Millisecond)
			}
			return []byte(ok("1")), nil
		})), runtime.Listen(func(runtime.ProgressEvent) { told++ }))
		execute(t, r, call.Call{Tool: "T", Command: "Run", Timeout: 2 * time.Second})
		if told != 3 { // at 0, 1.001 and 2.002 s; the grace ends at 3 s
			t.Errorf("told %d times before the end", told)
		}
		if err := r.Close(t.Context()); err != nil || told != 3 {
			t.Errorf("told %d times, %v", told, err)
		}
	})
}

// A listener that breaks down misses an event, and the call is none the worse.
func TestListenersAreContained(t *testing.T) {
	for name, breakDown := range map[string]func(){"panic": func() { panic("no screen") }, "goexit": goruntime.Goexit} {
		var log bytes.Buffer
		var stages []string
		r := runtime.New(registry{spec(t, `true`, `true`)}, runtime.Bind("T", reports(call.Progress{Stage: "a"}, call.Progress{Stage: "b"}, call.Progress{Stage: "c"})),
			runtime.Logger(slog.New(slog.NewTextHandler(&log, nil))),
			runtime.Listen(func(e runtime.ProgressEvent) {
				stages = append(stages, e.Stage)
				if e.Stage == "b" {
					breakDown()
				}
			}))
		if s := execute(t, r, call.Call{Tool: "T", Command: "Run"}); s.Status() != call.Success || strings.Join(stages, "") != "abc" {
			t.Errorf("%s: told %v: %s", name, stages, s)
		}
		if name == "panic" && !strings.Contains(log.String(), "no screen") {
			t.Errorf("the log says %q", log.String())
		}
	}
}

// Reports of many goroutines at once, some of which outlive the call.
func TestProgressFromManyGoroutines(t *testing.T) {
	var over, told sync.Map
	r := runtime.New(registry{spec(t, `true`, `true`)}, runtime.Bind("T", call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
		for range 4 {
			go func() {
				for range 50 {
					in.Progress(call.Progress{Stage: "x"})
				}
			}()
		}
		return []byte(ok("1")), nil
	})), runtime.Listen(func(e runtime.ProgressEvent) {
		told.Store(e.InvocationID, true)
		if _, ended := over.Load(e.InvocationID); ended {
			t.Error("told after Execute returned")
		}
	}))
	for range 50 {
		s := execute(t, r, call.Call{Tool: "T", Command: "Run"})
		over.Store(clean(at(t, s, "/execution/invocationId")), true)
	}
}

// Messages of megabytes do not pile up before a slow listener: the oldest go.
func TestLargeReports(t *testing.T) {
	const size, reports = 300 << 10, 20
	begun, told := make(chan struct{}), 0
	hold := make(chan struct{})
	h := call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
		in.Progress(call.Progress{Stage: "first"})
		<-begun
		for i := range reports {
			in.Progress(call.Progress{Stage: fmt.Sprint(i), Message: strings.Repeat("m", size)})
		}
		in.Progress(call.Progress{Stage: "last", Message: strings.Repeat("m", 2<<20)})
		close(hold)
		return []byte(ok("1")), nil
	})
	var last string
	r := runtime.New(registry{spec(t, `true`, `true`)}, runtime.Bind("T", h), runtime.Listen(func(e runtime.ProgressEvent) {
		if told++; told == 1 {
			close(begun)
			<-hold
		}
		last = e.Stage
	}))
	execute(t, r, call.Call{Tool: "T", Command: "Run"})
	if told != 2 || last != "last" {
		t.Errorf("%d reports were told, the last is %s", told, last)
	}
}
