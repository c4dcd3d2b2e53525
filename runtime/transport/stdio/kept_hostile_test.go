//go:build unix

package stdio_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"vcp.core/contract/call"
	"vcp.core/runtime"
	"vcp.core/runtime/policy/secret"
	"vcp.core/runtime/result"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/stdio"
	"vcp.core/runtime/transport/stdio/kept"
)

// steps are the arguments of a call of the scripted worker.
func steps(token string, list ...step) []byte {
	src, err := json.Marshal(map[string]any{"token": token, "steps": list})
	if err != nil {
		panic(err)
	}
	return src
}

// script makes the scripted worker do something.
func (k *keeping) script(ctx context.Context, token string, list ...step) *result.Sealed {
	return k.Execute(ctx, call.Call{Tool: tool, Command: "Run", Arguments: steps(token, list...)}).(*result.Sealed)
}

// ordered is an invocation of the scripted worker.
func ordered(list ...step) call.Invocation {
	in := inner("")
	in.Arguments = steps("token", list...)
	return in
}

// A worker that answers before it has read its call, and reads no more, is replaced when the next call comes.
func TestAnswerWithoutReading(t *testing.T) {
	k := keep(t, acting(t, "hasty"), kept.Bounds{Max: 1, Idle: time.Minute}, nil, stdio.Linger(100*time.Millisecond))
	large := []byte(`{"a":"` + strings.Repeat("x", 1<<20) + `"}`)
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), soon)
		check(t, k.Execute(ctx, call.Call{Tool: tool, Command: "Run", Arguments: large}).(*result.Sealed), served(1))
		cancel()
	}
}

// An id that is a secret of another call is told to nobody.
func TestSecretAsID(t *testing.T) {
	for _, first := range []string{"sk_live_SECRET/1", strings.Repeat("sk_live_SECRET/", 8)} {
		var log logged
		s := opened(map[string]stdio.Program{tool: acting(t, "scripted")}, stdio.Keep(tool, kept.Bounds{Max: 1, Idle: time.Minute}), log.option())
		ctx := secret.NewContext(t.Context(), secret.New(first))
		if _, err := s.Run(ctx, ordered(step{Do: "answer"}), time.Second); err != nil {
			t.Fatal(err)
		}
		ctx = secret.NewContext(t.Context(), secret.New("sk_live_OTHER"))
		_, err := s.Run(ctx, ordered(step{Do: "say", Text: oddFrame(first, "1")}, step{Do: "answer"}), time.Second)
		f, ok := errors.AsType[*transport.Failure](err)
		if !ok || f.Reason != "WRONG_ID" || strings.Contains(f.Error(), "SECRET") {
			t.Errorf("Run = %+v", err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if text := log.String(); strings.Contains(text, "SECRET") {
			t.Errorf("log %s", text)
		}
	}
}

// A worker cannot fill the log by what belongs to no call.
func TestLogOfNoise(t *testing.T) {
	var log logged
	k := keep(t, acting(t, "scripted"), kept.Bounds{Max: 1, Idle: time.Minute}, nil, log.option())
	k.script(t.Context(), "a", step{Do: "answer"})
	var list []step
	for range 5000 {
		list = append(list, step{Do: "again"})
	}
	if s := k.script(t.Context(), "b", append(list, step{Do: "answer"})...); s.Member(result.Data) != `"b"` {
		t.Errorf("%s", s)
	}
	_ = k.Close(t.Context())
	text := log.String()
	if n := strings.Count(text, "\n"); n > 50 {
		t.Errorf("the log has %d lines: %.3000s", n, text)
	}
}

// A call that was at work when the transport is closed is carried out, also when its worker dies and had not seen it.
func TestCloseWhileWorkerDies(t *testing.T) {
	if goruntime.GOOS != "linux" {
		t.Skip("only Linux tells what a process has not read")
	}
	k := keep(t, acting(t, "odd"), kept.Bounds{Max: 1, Idle: time.Minute}, nil)
	check(t, k.do(t.Context(), ""), served(1))
	list := workers(t)
	if len(list) != 1 {
		t.Fatalf("the processes are %v", list)
	}
	_ = syscall.Kill(list[0], syscall.SIGSTOP)
	within(t, "it has stopped", func() bool { return stopped(list[0]) })
	done := make(chan error, 1)
	go func() {
		_, err := k.stdio.Run(t.Context(), inner(""), time.Second)
		done <- err
	}()
	within(t, "the call was written", func() bool { return unread(t, list[0], 0) > 0 })
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_ = k.stdio.Close(short)
	_ = syscall.Kill(list[0], syscall.SIGKILL)
	if err := <-done; err != nil {
		t.Errorf("Run = %v", err)
	}
}

// stopped reports whether all threads of a process have. The first one has earlier, and one that waits for input takes what comes
// until then.
func stopped(pid int) bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/[0-9]*", pid))
	for _, thread := range threads {
		if state(strings.TrimPrefix(thread, "/proc/")) != "T" {
			return false
		}
	}
	return err == nil && len(threads) > 0
}

// A program for one call, whose input is closed behind its call, gets SIGTERM and its grace, as without workers.
func TestProgramForOneCallIsCancelled(t *testing.T) {
	p := acting(t, "polite")
	var log logged
	k := keep(t, p, kept.Bounds{Max: 1, Idle: time.Minute}, func(s *call.Spec) { s.Grace = soon }, log.option())
	// Three that end soon after their answer tell; on a busy machine not all of them are soon. The next call may come to
	// one that is about to end.
	known := func() bool { return strings.Contains(log.String(), "ends after each call") }
	for i := 0; i < 50 && !known(); i++ {
		check(t, k.script(t.Context(), "a"), served(1))
		within(t, "it has ended", func() bool { return processes(t) == 0 })
	}
	if !known() {
		t.Fatalf("it is not known for what it is\n%s", log.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	go whenThere(filepath.Join(p.Dir, "waits"), cancel)
	check(t, k.script(ctx, "b", step{}), ended(call.Cancelled, "TOOL_CANCELLED", "the call was cancelled"))
	if _, err := os.Stat(filepath.Join(p.Dir, "cleaned")); err != nil {
		t.Errorf("it did not clean up: %v", err)
	}
}

// A program that cannot run twice is not started again and again while its first worker answers.
func TestSecondWorkerCrashes(t *testing.T) {
	p := acting(t, "alone")
	k := keep(t, p, kept.Bounds{Min: 1, Max: 2, Idle: time.Minute}, nil)
	check(t, k.do(t.Context(), ""), served(1))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				k.do(t.Context(), "sleep", `,"ms":2`)
			}
		})
	}
	all.Wait()
	// The others begin after pauses of 50, 100, 200, … ms.
	if n := began(p.Dir); n > 20 {
		t.Errorf("%d workers began", n)
	}
}

// A program that closes a stream before its first answer and does not end is started again later and later, as one that
// crashes, whether its calls fail with it or are given up before.
func TestStreamClosedAtTheStart(t *testing.T) {
	const calls = 5
	large := []byte(`{"a":"` + strings.Repeat("x", 1<<20) + `"}`) // finds no room in a pipe
	noticed := map[string]func() bool{
		// What was being written to it is not any more.
		"0<&-": func() bool { return len(inside(await)) == 1 && len(inside("kept.(*input).write")) == 0 },
		// The call waits, and not for more of the output.
		"1>&-": func() bool {
			calls := inside(await)
			return len(calls) == 1 && strings.Contains(calls[0], " [select")
		},
	}
	for _, stream := range []string{"0<&-", "1>&-"} {
		for _, taken := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s taken back %v", stream, taken), func(t *testing.T) {
				if stream == "0<&-" && goruntime.GOOS != "linux" {
					t.Skip("only Linux tells what a process has not read")
				}
				p := sh("exec " + stream + "; mktemp began-XXXXXX >&2; exec sleep 60")
				p.Dir = t.TempDir()
				var log logged
				linger := 20 * time.Millisecond
				if taken {
					linger = time.Minute
				}
				k := keep(t, p, kept.Bounds{Max: 1, Idle: time.Minute}, func(s *call.Spec) { s.Grace = 20 * time.Millisecond }, stdio.Linger(linger), log.option())
				start := time.Now()
				for n := range calls {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					if taken {
						go givenUp(p.Dir, n, noticed[stream], cancel)
					}
					s := k.Execute(ctx, call.Call{Tool: tool, Command: "Run", Arguments: large}).(*result.Sealed)
					cancel()
					if want := map[bool]string{false: "PIPE_CLOSED", true: "TOOL_CANCELLED"}[taken]; !strings.Contains(s.Member(result.Error), want) {
						t.Fatalf("%s", s)
					}
				}
				// The first two follow each other at once, then there are pauses of 50, 100 and 200 ms.
				if took := time.Since(start); took < 350*time.Millisecond {
					t.Errorf("%d starts within %v", calls, took)
				}
				within(t, "the log tells of each", func() bool {
					return strings.Count(log.String(), "level=WARN msg=\"a plugin's worker has ended\"") >= calls-1
				})
			})
		}
	}
}

// givenUp cancels a call when a folder has one worker more than n, and that worker has got so far.
func givenUp(dir string, n int, far func() bool, cancel func()) {
	for start := time.Now(); (began(dir) <= n || !far()) && time.Since(start) < soon; {
		time.Sleep(time.Millisecond)
	}
	cancel()
}

// A program that has read its call before it closes its input may be at work: that it is cancelled is no crash.
func TestInputClosedBehindTheCall(t *testing.T) {
	p := sh("read -r line; exec 0<&-; mktemp began-XXXXXX >&2; exec sleep 60")
	p.Dir = t.TempDir()
	var log logged
	k := keep(t, p, kept.Bounds{Max: 1, Idle: time.Minute}, func(s *call.Spec) { s.Grace = 20 * time.Millisecond }, log.option())
	for n := range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		go givenUp(p.Dir, n, func() bool { return len(inside(await)) == 1 }, cancel)
		if s := k.do(ctx, ""); s.Status() != call.Cancelled {
			t.Fatalf("%s", s)
		}
	}
	if text := log.String(); strings.Contains(text, "level=WARN msg=\"a plugin's worker has ended\"") {
		t.Errorf("log %s", text)
	}
}

// fionread is FIONREAD, the same on most architectures of Linux; package syscall calls it TIOCINQ there alone.
const fionread = 0x541b

// unread is how many bytes nobody has read from a pipe that a worker has, such as its input.
func unread(t *testing.T, pid, descriptor int) int {
	t.Helper()
	f, err := os.Open(fmt.Sprintf("/proc/%d/fd/%d", pid, descriptor))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var n int32
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), fionread, uintptr(unsafe.Pointer(&n))); errno != 0 {
		t.Fatal(errno)
	}
	return int(n)
}

// A call that a worker was not told of, because the one before it is still being written to it, goes to another one when nobody
// waits for the others any more.
func TestCallBehindHungOnes(t *testing.T) {
	if goruntime.GOOS != "linux" {
		t.Skip("needs to know what a process has not read")
	}
	s := opened(map[string]stdio.Program{tool: acting(t, "odd")}, stdio.Keep(tool, kept.Bounds{Max: 1, Idle: time.Minute, InFlight: 3}))
	var all sync.WaitGroup
	hang := func(in call.Invocation) (end func()) {
		ctx, cancel := context.WithCancel(t.Context())
		all.Go(func() {
			_, err := s.Run(ctx, in, 50*time.Millisecond)
			if _, ok := errors.AsType[*transport.StoppedError](err); !ok {
				t.Errorf("Run = %v", err)
			}
		})
		return cancel
	}
	deaf := make(chan bool, 1)
	in := inner("deaf")
	in.Progress = func(call.Progress) { deaf <- true }
	first := hang(in)
	<-deaf
	pid := workers(t)[0]
	second := hang(inner("", `,"text":"`+strings.Repeat("x", 1<<20)+`"`))
	within(t, "the second call is being written", func() bool { return unread(t, pid, 0) > 0 })
	all.Go(func() {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		reply, err := s.Run(ctx, inner(""), time.Second)
		if err != nil || !strings.Contains(string(reply.Payload), `"data":1,`) {
			t.Errorf("Run = %s, %v", reply.Payload, err)
		}
	})
	within(t, "the third call waits", func() bool { return len(inside("kept.(*input).send(")) == 1 })
	first()
	second()
	all.Wait()
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// Workers are replaced while they work: no call fails, and nothing is left of the old ones.
func TestSwapWithWorkers(t *testing.T) {
	p := acting(t, "odd")
	opening := func() *stdio.Stdio {
		return opened(map[string]stdio.Program{tool: p}, stdio.Keep(tool, kept.Bounds{Min: 1, Max: 2, Idle: time.Minute, InFlight: 2}))
	}
	spec := &call.Spec{
		Tool: tool, Version: "1.0.0", Command: "Run", Kind: call.Synchronous, Protocol: "stdio", Effect: call.Write,
		Timeout: time.Minute, Grace: time.Second, Discriminator: "command", Input: accepting{}, Output: accepting{},
	}
	registry := call.NewTable([]*call.Spec{spec})
	r := runtime.New(registry, runtime.Use("stdio", opening()))
	k := &keeping{Runtime: r}
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if s := k.do(t.Context(), "sleep", `,"ms":2`); s.Status() != call.Success {
					t.Errorf("%s", s)
				}
			}
		})
	}
	for range 8 {
		if s := k.do(t.Context(), ""); s.Status() != call.Success {
			t.Errorf("%s", s)
		}
		gone, err := r.Swap(registry, runtime.Use("stdio", opening()))
		if err != nil {
			t.Fatal(err)
		}
		<-gone
	}
	close(stop)
	all.Wait()
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if left := workers(t); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}
