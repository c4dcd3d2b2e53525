//go:build unix

package stdio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/fuzz/shared"
	"vcp.core/runtime/result"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/stdio"
	"vcp.core/runtime/transport/stdio/kept"
)

// Large frames of calls that are in flight in one process do not get into each other, in either direction.
func TestWriterNeverInterleaves(t *testing.T) {
	k := keep(t, acting(t, "echoing"), kept.Bounds{Max: 1, Idle: time.Minute, InFlight: 8}, nil)
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() {
			size := []int{10, 5000, 70_000, 1 << 20, 3 << 20}[i%5]
			arguments := `{"` + string(rune('a'+i)) + `":"` + strings.Repeat(string(rune('a'+i)), size) + `"}`
			s := k.Execute(t.Context(), call.Call{Tool: tool, Command: "Run", Arguments: []byte(arguments)}).(*result.Sealed)
			if s.Member(result.Data) != arguments {
				t.Errorf("call %d of %d bytes: %.300s", i, size, s)
			}
		})
	}
	all.Wait()
}

// Workers are killed at random under 64 callers: each call has one result, and only calls that killed workers had may
// fail. The last count holds the number of processes to what was started and ended.
func TestKilledAtRandom(t *testing.T) {
	each := 12 // calls of one caller
	if shared.Race {
		each = 4 // a program that looks for races takes ten times as long to start, and is killed as often
	}
	for _, b := range []kept.Bounds{{Max: 4, Idle: time.Minute}, {Max: 2, Idle: time.Minute, InFlight: 8, MaxCalls: 50}} {
		t.Run(fmt.Sprint(max(b.InFlight, 1), " in flight"), func(t *testing.T) {
			k := keep(t, acting(t, "odd"), b, func(s *call.Spec) { s.Effect = call.Write })
			stop := make(chan struct{})
			var killer, callers sync.WaitGroup
			var kills, good, lost, spent, ids atomic.Int64
			killer.Go(func() {
				for ended, idle := int64(0), 0; ; {
					select {
					case <-stop:
						return
					case <-time.After(time.Duration(rand.IntN(20)) * time.Millisecond):
					}
					if now := good.Load() + lost.Load() + spent.Load(); now > ended {
						ended, idle = now, 0
					}
					if idle == 2 { // programs that start slowly would be killed for ever, before any of them answers
						continue
					}
					if list := workers(t); len(list) > 0 && syscall.Kill(list[rand.IntN(len(list))], syscall.SIGKILL) == nil {
						kills.Add(1)
						idle++
					}
				}
			})
			var seen sync.Map
			for range 64 {
				callers.Go(func() {
					for range each {
						s := k.do(t.Context(), "sleep", `,"ms":`, strconv.Itoa(rand.IntN(4)))
						if _, twice := seen.LoadOrStore(s.ID(), true); !twice {
							ids.Add(1)
						}
						switch e := s.Member(result.Error); {
						case s.Status() == call.Success:
							good.Add(1)
						case strings.Contains(e, `"SIGNALLED"`) && strings.Contains(e, `"effect":"unknown"`):
							lost.Add(1)
						case strings.Contains(e, `"SIGNALLED"`): // five workers were killed under it, each before it began
							spent.Add(1)
						default:
							t.Errorf("%s", e)
						}
					}
				})
			}
			callers.Wait()
			close(stop)
			killer.Wait()
			t.Logf("%d calls were answered, %d lost by %d kills, %d never begun", good.Load(), lost.Load(), kills.Load(), spent.Load())
			if all := int64(64 * each); ids.Load() != all || good.Load()+lost.Load()+spent.Load() != all {
				t.Errorf("%d results", ids.Load())
			}
			if lost.Load()+5*spent.Load() > kills.Load()*int64(max(b.InFlight, 1)) || kills.Load() == 0 {
				t.Errorf("%d calls were lost by %d kills", lost.Load(), kills.Load())
			}
			within(t, "a good call", func() bool { return k.do(t.Context(), "").Status() == call.Success }) // the last that was killed may still die
			if n := processes(t); n > b.Max {
				t.Errorf("%d processes, at most %d may be", n, b.Max)
			}
			if err := k.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if left := workers(t); len(left) > 0 {
				t.Errorf("processes are left: %v", left)
			}
		})
	}
}

// A worker that dies while it is idle costs no call, not even one that is written to it before anybody has noticed.
func TestIdleWorkerDies(t *testing.T) {
	if goruntime.GOOS != "linux" {
		t.Skip("only Linux tells what a process has not read")
	}
	k := keep(t, acting(t, "odd"), kept.Bounds{Max: 1, Idle: time.Minute}, func(s *call.Spec) { s.Effect = call.Write })
	for range 30 {
		if s := k.do(t.Context(), ""); s.Status() != call.Success {
			t.Fatal(s.Member(result.Error))
		}
		list := workers(t)
		if len(list) != 1 {
			t.Fatalf("the processes are %v", list)
		}
		if err := syscall.Kill(list[0], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		for !dead(list[0]) {
			goruntime.Gosched() // until it is dead it could still read the next call
		}
	}
}

// Idle workers end, all but the least number; a worker ends after its calls; the least number runs from the first call on.
func TestBounds(t *testing.T) {
	k := keep(t, acting(t, "odd"), kept.Bounds{Min: 1, Max: 3, Idle: 50 * time.Millisecond}, nil)
	var all sync.WaitGroup
	ctx, end := context.WithCancel(t.Context())
	defer end()
	for range 3 {
		all.Go(func() { k.do(ctx, "waits") })
	}
	within(t, "three processes", func() bool { return processes(t) == 3 })
	end()
	all.Wait()
	within(t, "one process", func() bool { return processes(t) == 1 })
	time.Sleep(150 * time.Millisecond)
	if n := processes(t); n != 1 {
		t.Errorf("%d processes are left", n)
	}
	_ = k.Close(t.Context())

	k = keep(t, acting(t, "odd"), kept.Bounds{Max: 1, Idle: time.Minute, MaxCalls: 2}, nil)
	for i := range 6 {
		check(t, k.do(t.Context(), ""), served(1+i%2))
	}
	_ = k.Close(t.Context())

	k = keep(t, acting(t, "odd"), kept.Bounds{Max: 1}, nil) // not idle at all
	for range 3 {
		check(t, k.do(t.Context(), ""), served(1))
		within(t, "no process", func() bool { return processes(t) == 0 })
	}

	k = keep(t, acting(t, "odd"), kept.Bounds{Min: 2, Max: 4, Idle: time.Minute}, nil)
	k.stdio.Warm(func(string) string { return "" })
	within(t, "two processes without a call", func() bool { return processes(t) == 2 })
	if list := workers(t); len(list) == 2 {
		_ = syscall.Kill(list[0], syscall.SIGKILL)
		within(t, "the killed one is replaced", func() bool { return len(workers(t)) == 2 && !slices.Contains(workers(t), list[0]) })
	}
}

// A program that was made for one call works, and the log says once what is wrong.
func TestProgramForOneCall(t *testing.T) {
	var log logged
	k := keep(t, acting(t, "single"), kept.Bounds{Min: 1, Max: 4, Idle: time.Minute}, nil, log.option(), stdio.Linger(time.Minute)) // all end soon after their answer
	for range 6 {
		check(t, k.do(t.Context(), ""), served(1))
	}
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() { check(t, k.do(t.Context(), ""), served(1)) })
	}
	all.Wait()
	if err := k.Close(t.Context()); err != nil { // what is said about a worker's end is said by then
		t.Error(err)
	}
	if n := strings.Count(log.String(), "ends after each call"); n != 1 {
		t.Errorf("the log says it %d times:\n%s", n, &log)
	}
}

// A program that crashes at every call is started again, later and later; each call is told of its own crash.
func TestCrashLoop(t *testing.T) {
	k := keep(t, acting(t, "odd"), kept.Bounds{Max: 1, Idle: time.Minute}, nil)
	start := time.Now()
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			check(t, k.do(t.Context(), "crash"), carrier("ended with exit code 3 and gave no result", `{"reason":"CRASHED","exitCode":3}`))
		})
	}
	all.Wait()
	// The first two follow each other at once, then there are pauses of 50, 100 and 200 ms.
	if took := time.Since(start); took < 350*time.Millisecond {
		t.Errorf("five starts within %v", took)
	}
	check(t, k.do(t.Context(), ""), served(1))
}

// What cannot be started fails the calls that wait, each at once, and is tried again for the next.
func TestWorkerCannotBeStarted(t *testing.T) {
	k := keep(t, stdio.Program{Dir: t.TempDir(), Argv: []string{"./gone"}}, kept.Bounds{Min: 2, Max: 2, Idle: time.Minute}, nil)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			check(t, k.do(t.Context(), ""), carrier("cannot be started: ./gone does not exist", `{"reason":"SPAWN_FAILED"}`))
		})
	}
	all.Wait()
}

// A call that waits for its turn ends with its time, and was never begun.
func TestWaitingCallEnds(t *testing.T) {
	k := keep(t, acting(t, "odd"), kept.Bounds{Max: 1, Idle: time.Minute}, func(s *call.Spec) { s.Effect, s.Grace = call.Write, soon })
	var all sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	all.Go(func() { k.do(ctx, "waits") })
	within(t, "the worker has a call", func() bool { return len(inside(await)) == 1 })
	short, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	s := k.do(short, "")
	if e := s.Member(result.Error); s.Status() != call.Timeout || !strings.Contains(e, `"details":null`) {
		t.Errorf("%s", s)
	}
	cancel()
	all.Wait()
	check(t, k.do(t.Context(), ""), served(2))
}

// Close lets calls end that are at work or wait, ends the workers, and refuses what comes later.
func TestCloseDrains(t *testing.T) {
	p := acting(t, "odd")
	k := keep(t, p, kept.Bounds{Min: 1, Max: 1, Idle: time.Minute}, nil)
	var all sync.WaitGroup
	var good atomic.Int64
	for range 4 {
		all.Go(func() {
			reply, err := k.stdio.Run(t.Context(), inner("held"), time.Second)
			if err == nil && bytes.Contains(reply.Payload, []byte(`"success"`)) {
				good.Add(1)
			} else {
				t.Error(err)
			}
		})
	}
	within(t, "one call is at work and three wait", func() bool { return len(inside(await)) == 1 && len(inside(assign)) == 3 })
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := k.stdio.Close(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Close of busy workers = %v", err)
	}
	if _, err := k.stdio.Run(t.Context(), inner(""), time.Second); err == nil || !strings.Contains(err.Error(), "not started any more") {
		t.Errorf("Run after Close = %v", err)
	}
	release(t, p)
	if err := k.stdio.Close(t.Context()); err != nil {
		t.Error(err)
	}
	all.Wait()
	if good.Load() != 4 || processes(t) != 0 {
		t.Errorf("%d calls were answered, %d processes are left", good.Load(), processes(t))
	}
}

// A tool whose workers hang holds up no other tool.
func TestHungWorkersHoldUpNobody(t *testing.T) {
	hung := acting(t, "odd")
	s := opened(map[string]stdio.Program{tool: acting(t, "odd"), "Hung": hung}, stdio.Keep(tool, kept.Bounds{Max: 1, Idle: time.Minute}), stdio.Keep("Hung", kept.Bounds{Max: 2, Idle: time.Minute}))
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			in := inner("deaf")
			in.Tool = "Hung"
			_, err := s.Run(ctx, in, 10*time.Millisecond)
			if _, ok := errors.AsType[*transport.StoppedError](err); !ok {
				t.Errorf("Run = %v", err)
			}
		})
	}
	within(t, "two processes", func() bool { return processes(t) == 2 })
	for range 200 {
		if _, err := s.Run(t.Context(), inner(""), time.Second); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	all.Wait()
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if n := processes(t); n != 0 {
		t.Errorf("%d processes are left", n)
	}
}

// With several calls in flight a stray line fails all of them and the worker goes on; one that does not end takes none
// of the others along.
func TestSeveralInFlight(t *testing.T) {
	var log logged
	p := acting(t, "odd", "", "several")
	k := keep(t, p, kept.Bounds{Max: 1, Idle: time.Minute, InFlight: 3}, func(s *call.Spec) { s.Grace = 100 * time.Millisecond }, log.option(), stdio.Linger(soon))
	var all sync.WaitGroup
	slow := func(want expected) {
		all.Go(func() { check(t, k.do(t.Context(), "held"), want) })
	}
	check(t, k.do(t.Context(), ""), served(1))
	lost := protocol("wrote a line that is no frame to its standard output while it had 3 calls", `{"reason":"STRAY_OUTPUT"}`) // it may be an answer to another one
	slow(lost)
	slow(lost)
	within(t, "the worker has two calls", func() bool { return len(inside(await)) == 2 })
	check(t, k.do(t.Context(), "stray"), lost)
	release(t, p)
	all.Wait()
	if text := log.String(); strings.Count(text, "quote=oops") != 1 {
		t.Errorf("log %s", text)
	}
	check(t, k.do(t.Context(), ""), served(5))

	if err := os.Remove(filepath.Join(p.Dir, "go")); err != nil {
		t.Error(err)
	}
	slow(served(6))
	within(t, "the worker has a call", func() bool { return len(inside(await)) == 1 })
	ctx, over := limitless(t.Context())
	go onceInside(2, await, over)
	s := k.do(ctx, "deaf")
	release(t, p)
	if s.Status() != call.Timeout || !strings.Contains(s.Member(result.Error), `"handlerRunning":true`) {
		t.Errorf("%s", s)
	}
	all.Wait()
	check(t, k.do(t.Context(), ""), served(1))
}

// An idle worker ends when another tool needs its place.
func TestIdleWorkerMakesRoom(t *testing.T) {
	s := opened(map[string]stdio.Program{"A": acting(t, "odd"), "B": acting(t, "odd"), "Once": acting(t, "single")},
		stdio.Keep("A", kept.Bounds{Min: 1, Max: 1, Idle: time.Minute}), stdio.Keep("B", kept.Bounds{Max: 1, Idle: time.Minute}), stdio.Processes(1))
	for i := range 9 {
		in := inner("")
		in.Tool = []string{"A", "B", "Once"}[i%3]
		if _, err := s.Run(t.Context(), in, time.Second); err != nil {
			t.Fatal(in.Tool, err)
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
