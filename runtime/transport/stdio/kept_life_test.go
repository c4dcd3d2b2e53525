//go:build unix

package stdio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	"vcp.core/runtime/policy/secret"
	"vcp.core/runtime/result"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/process"
	"vcp.core/runtime/transport/stdio"
	"vcp.core/runtime/transport/stdio/kept"
)

// logged is a log that several goroutines write.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logged) option() stdio.Option {
	return stdio.Logger(slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug})))
}

// within waits for something to come true.
func within(t *testing.T, what string, f func() bool) {
	t.Helper()
	for start := time.Now(); !f(); time.Sleep(2 * time.Millisecond) {
		if time.Since(start) > soon {
			t.Errorf("not within %v: %s", soon, what)
			return
		}
	}
}

// Where a call is that was given to kept workers, as the goroutine says that carries it. Nothing else tells how far it has got.
const (
	assign = "kept.(*Pool).assign("  // it was taken, and waits for a worker
	await  = "kept.(*worker).await(" // its worker has it, and did not close its input before
)

// inside lists the goroutines that are in a function, as far as the buffer goes.
func inside(function string) []string {
	buf := make([]byte, 1<<20)
	buf = buf[:goruntime.Stack(buf, true)]
	var found []string
	for goroutine := range strings.SplitSeq(string(buf), "\n\n") {
		if strings.Contains(goroutine, function) {
			found = append(found, goroutine)
		}
	}
	return found
}

// onceInside calls f when so many goroutines are in a function, after a while in any case.
func onceInside(n int, function string, f func()) {
	for start := time.Now(); len(inside(function)) != n && time.Since(start) < soon; {
		time.Sleep(time.Millisecond)
	}
	f()
}

// workers lists the processes that play plugins below this program, with or without a keeper in between, by the numbers
// that are seen from here.
func workers(t *testing.T) []int {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	parents := map[int]int{}
	for _, name := range list {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			parents[pid], _ = strconv.Atoi(fields[1])
		}
	}
	var found []int
	for pid := range parents {
		for up := parents[pid]; up > 1; up = parents[up] {
			if up != os.Getpid() {
				continue
			}
			if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); bytes.Contains(line, []byte("\x00"+role)) {
				found = append(found, pid)
			}
			break
		}
	}
	slices.Sort(found)
	return found
}

// processes counts them.
func processes(t *testing.T) int { t.Helper(); return len(workers(t)) }

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

// dead reports whether all threads of a process are. The first one is a zombie earlier, and one that waits for input takes what
// comes although it was killed.
func dead(pid int) bool {
	threads, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "task"))
	if err != nil || len(threads) == 0 {
		return true
	}
	at := state(strconv.Itoa(pid))
	return len(threads) == 1 && (at == "" || at == "Z" || at == "X")
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

// release lets the calls of odd workers end that are held.
func release(t *testing.T, p stdio.Program) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.Dir, "go"), nil, 0o600); err != nil {
		t.Error(err)
	}
}

// inner is an invocation of the odd worker.
func inner(do string, more ...string) call.Invocation {
	return call.Invocation{
		Tool: tool, Command: "Run", Arguments: fmt.Appendf(nil, `{"do":%q%s}`, do, strings.Join(more, "")), Config: []byte("{}"),
		InvocationID: fmt.Sprintf("ti_%026d", rand.Uint64()), RequestID: invocation,
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

// What a worker says about a secret of one call is told to no other call, and not to the log.
func TestSecretsOfOtherCalls(t *testing.T) {
	const first, second = "sk_live_SECRET/1", "sk_live_SECRET/2"
	for _, inFlight := range []int{1, 2} {
		var log logged
		s := opened(map[string]stdio.Program{tool: acting(t, "odd")}, stdio.Keep(tool, kept.Bounds{Max: 1, Idle: time.Minute, InFlight: inFlight}), log.option(), stdio.Linger(200*time.Millisecond))
		ctx := secret.NewContext(t.Context(), secret.New(first))
		if _, err := s.Run(ctx, inner(""), time.Second); err != nil {
			t.Fatal(err)
		}
		ctx = secret.NewContext(t.Context(), secret.New(second))
		_, err := s.Run(ctx, inner("says", `,"text":"`+first+`"`), time.Second)
		f, ok := errors.AsType[*transport.Failure](err)
		if !ok || f.Quote != "[redacted]" {
			t.Errorf("Run = %+v", f)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if text := log.String(); strings.Contains(text, "SECRET") || !strings.Contains(text, "stderr=[redacted]") && !strings.Contains(text, `stderr="[redacted]`) {
			t.Errorf("log %s", text)
		}
	}
}

// Standard error is logged with the call that failed and the number of the worker, and once.
func TestStandardErrorOfWorkers(t *testing.T) {
	var log logged
	k := keep(t, acting(t, "odd"), kept.Bounds{Max: 1, Idle: time.Minute}, nil, log.option())
	check(t, k.do(t.Context(), "whisper"), served(1))
	check(t, k.do(t.Context(), "stderr"), carrier("ended with exit code 3 and gave no result", `{"reason":"CRASHED","exitCode":3}`))
	text := log.String()
	if strings.Count(text, "in passing") != 1 || strings.Count(text, "the last words") != 1 || !strings.Contains(text, "worker=1") || !strings.Contains(text, "level=WARN") {
		t.Errorf("log %s", text)
	}
}

// reluctant starts processes that are killed when they may be.
type reluctant struct{ may chan struct{} }

func (r reluctant) Start(c process.Command) (*process.Process, error) {
	p, err := process.Groups{}.Start(c)
	if err == nil {
		p.Control = spared{p.Control, r.may}
	}
	return p, err
}

// spared is a process that is not killed yet.
type spared struct {
	process.Control
	may chan struct{}
}

func (s spared) Kill() { <-s.may; s.Control.Kill() }

// What a worker says after its call has failed, and been logged, is logged with its end.
func TestLastWordsBehindTheCall(t *testing.T) {
	var log logged
	p, launcher := acting(t, "odd"), reluctant{make(chan struct{})}
	s := stdio.New(map[string]stdio.Program{tool: p}, stdio.Launcher(launcher), stdio.Keep(tool, kept.Bounds{Max: 1, Idle: time.Minute}), log.option(), stdio.Linger(20*time.Millisecond))
	_, err := s.Run(t.Context(), inner("mutters"), time.Second)
	if f, ok := errors.AsType[*transport.Failure](err); !ok || f.Reason != "STRAY_OUTPUT" {
		t.Errorf("Run = %v", err)
	}
	release(t, p)
	within(t, "it has said more", func() bool {
		_, err := os.Stat(filepath.Join(p.Dir, "muttered"))
		return err == nil
	})
	close(launcher.may)
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if text := log.String(); strings.Count(text, "the last words") != 1 {
		t.Errorf("log %s", text)
	}
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
