//go:build unix

package stdio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/process"
	"vcp.core/runtime/transport/stdio"
)

// soon is far more than anything takes that is waited for, also on a machine that stands still for seconds.
const soon = 30 * time.Second

// session lets a child leave the group of its parent.
func session() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// state returns the state letter of a process, "" when it is gone.
func state(pid string) string {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	letter, _, _ := strings.Cut(rest, " ")
	return letter
}

// children lists the children of this process with their state, zombies included and a keeper excepted.
func children(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	keeper := keeperNumber(t)
	var found []string
	for _, name := range list {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) && !strings.HasPrefix(string(stat), keeper+" ") {
			found = append(found, string(stat[:min(len(stat), 60)]))
		}
	}
	return found
}

// gone waits until the process whose number a file holds is gone.
func gone(t *testing.T, file string) {
	t.Helper()
	for start := time.Now(); time.Since(start) < soon; time.Sleep(5 * time.Millisecond) {
		if pid, _ := os.ReadFile(file); len(pid) > 0 {
			ends(t, strings.TrimSpace(string(pid)))
			return
		}
	}
	t.Errorf("%s holds no number", filepath.Base(file))
}

// ends waits until a process is gone, or dead and to be buried by whoever inherited it.
func ends(t *testing.T, pid string) {
	t.Helper()
	for start := time.Now(); time.Since(start) < soon; time.Sleep(5 * time.Millisecond) {
		if s := state(pid); s == "" || s == "Z" || s == "X" {
			return
		}
	}
	t.Errorf("process %s lives, state %s", pid, state(pid))
}

func limited(timeout, grace time.Duration) func(*call.Spec) {
	return func(s *call.Spec) { s.Timeout, s.Grace = timeout, grace }
}

func ended(status call.Status, code, message string) expected {
	return expected{status, "null", fmt.Sprintf(`{"code":"%s","message":"%s","category":"%s","retryable":true,"target":null,"details":null,"cause":null}`, code, message, status), "[]"}
}

// timed is a context that ends as by a time limit, whenever that is.
type timed struct {
	context.Context
	over chan struct{}
}

// limitless returns one, and what ends it.
func limitless(ctx context.Context) (limited context.Context, over func()) {
	end := make(chan struct{})
	return timed{ctx, end}, sync.OnceFunc(func() { close(end) })
}

// Done implements context.Context. With the channel of another context, those that are made of this one would take their error
// from there.
func (t timed) Done() <-chan struct{} { return t.over }

// Err implements context.Context.
func (t timed) Err() error {
	select {
	case <-t.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// The wrapper of K11: the shell waits for a child that holds the pipes. Both are gone at the time limit.
func TestTimeLimitEndsTheGroup(t *testing.T) {
	needsNumbers(t)
	dir := t.TempDir()
	p := sh("echo $$ > leader; sleep 120 & echo $! > children; mv children child; wait")
	p.Dir = dir
	ctx, over := limitless(t.Context())
	var asked time.Time
	go whenThere(filepath.Join(dir, "child"), func() { asked = time.Now(); over() })
	s := run(t, ctx, p, limited(time.Minute, time.Second))
	checkKilled(t, s, ended(call.Timeout, "TOOL_TIMEOUT", "the call did not end within its limit of 1m0s"), asked)
	if took := time.Since(asked); took > soon {
		t.Errorf("it took %v", took)
	}
	gone(t, filepath.Join(dir, "leader"))
	gone(t, filepath.Join(dir, "child"))
}

// When the program has ended, the rest of its group is killed.
func TestLeaderTakesItsGroupAlong(t *testing.T) {
	needsNumbers(t)
	dir := t.TempDir()
	p := sh("trap '' TERM; sleep 60 & echo $! > child\n" + line(okFrame))
	p.Dir = dir
	check(t, run(t, t.Context(), p, nil), good())
	gone(t, filepath.Join(dir, "child"))
}

// A plugin gets SIGTERM and has its grace to clean up; what it answers then is dropped.
func TestCancelLeavesTimeToCleanUp(t *testing.T) {
	dir := t.TempDir()
	p := sh("bye() { echo bye > cleaned; " + strings.TrimSpace(line(okFrame)) + "; exit 0; }; trap bye TERM; : > began; while :; do sleep 0.01; done")
	p.Dir = dir
	ctx, cancel := context.WithCancel(t.Context())
	go whenThere(filepath.Join(dir, "began"), cancel)
	check(t, run(t, ctx, p, limited(time.Minute, soon)), ended(call.Cancelled, "TOOL_CANCELLED", "the call was cancelled"))
	if _, err := os.Stat(filepath.Join(dir, "cleaned")); err != nil {
		t.Errorf("the plugin did not clean up: %v", err)
	}
}

// whenThere calls f when a file is there, after a while in any case.
func whenThere(file string, f func()) {
	for start := time.Now(); time.Since(start) < soon; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			break
		}
	}
	f()
}

// What was answered, or was wrong, before the end of the call counts, though the process does not end by itself.
func TestDecidedBeforeTheEnd(t *testing.T) {
	for script, want := range map[string]expected{
		line(okFrame) + "sleep 120": good(),
		"echo oops; sleep 120":      protocol("wrote a line that is no frame to its standard output", `{"reason":"STRAY_OUTPUT","quote":"oops","line":1}`),
	} {
		// On a machine that stands still it may not be said within the limit, or not be dead soon: then another limit tells.
		for limit := 300 * time.Millisecond; ; limit *= 4 {
			start := time.Now()
			s := run(t, t.Context(), sh(script), limited(limit, time.Minute), stdio.Linger(time.Minute))
			if took := time.Since(start); took > limit+soon {
				t.Errorf("%s took %v with a limit of %v", script, took, limit)
			}
			if s.Status() != call.Timeout || limit > 10*time.Second {
				check(t, s, want)
				break
			}
		}
	}
}

// A plugin that is made with the sdk may print.
func TestStrayPrint(t *testing.T) {
	var log bytes.Buffer
	s := run(t, t.Context(), acting(t, "chatty"), nil, stdio.Logger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	check(t, s, good())
	if !strings.Contains(log.String(), "a stray print") {
		t.Errorf("log %s", &log)
	}
}

// A plugin that ignores SIGTERM is killed when its grace is over.
func TestStubborn(t *testing.T) {
	needsNumbers(t)
	file := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	var asked time.Time
	go whenThere(file, func() { asked = time.Now(); cancel() })
	const grace = 200 * time.Millisecond
	s := run(t, ctx, acting(t, "stubborn", file), limited(time.Minute, grace))
	checkKilled(t, s, ended(call.Cancelled, "TOOL_CANCELLED", "the call was cancelled"), asked)
	if took := time.Since(asked); took < grace || took > grace+soon {
		t.Errorf("it took %v after the cancel", took)
	}
	gone(t, file)
}

// K20: fifty commands of a minute with a limit of 200 ms; none is left.
func TestManyTimeLimits(t *testing.T) {
	needsNumbers(t)
	dir := t.TempDir()
	p := sh(": > pid-$$; exec sleep 60")
	p.Dir = dir
	spec := &call.Spec{Tool: tool, Version: "1.0.0", Command: "Run", Kind: call.Synchronous, Protocol: "stdio", Effect: call.Read, Timeout: time.Minute, Grace: time.Second, Input: accepting{}, Output: accepting{}}
	r := runtime.New(call.NewTable([]*call.Spec{spec}), runtime.Use("stdio", opened(map[string]stdio.Program{tool: p})))
	var pids []string
	for limit := 200 * time.Millisecond; len(pids) == 0 && limit < time.Minute; limit *= 4 { // until some begin within it
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if s := r.Execute(t.Context(), call.Call{Tool: tool, Command: "Run", Timeout: limit}); s.Status() != call.Timeout {
					t.Errorf("%s", s)
				}
			})
		}
		all.Wait()
		var err error
		if pids, err = filepath.Glob(filepath.Join(dir, "pid-*")); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if len(pids) == 0 {
		t.Fatal("no plugin began")
	}
	for _, file := range pids {
		ends(t, strings.TrimPrefix(filepath.Base(file), "pid-"))
	}
	within(t, "no children", func() bool { return children(t) == nil })
}

// K03: a line beyond the limit costs its own call and no other, neither one beside it nor the next.
func TestNextCallAfterTooMuch(t *testing.T) {
	dir := t.TempDir()
	self := acting(t, "line", fmt.Sprint(16<<20+1))
	p := stdio.Program{Dir: dir, Env: self.Env, Argv: append([]string{"sh", "-c", "if mkdir began; then exec \"$0\" \"$@\"; fi\n" + line(okFrame)}, self.Argv...)}
	spec := &call.Spec{Tool: tool, Version: "1.0.0", Command: "Run", Kind: call.Synchronous, Protocol: "stdio", Effect: call.Read, Timeout: time.Minute, Grace: time.Second, Input: accepting{}, Output: accepting{}}
	r := runtime.New(call.NewTable([]*call.Spec{spec}), runtime.Use("stdio", opened(map[string]stdio.Program{tool: p})))
	var all sync.WaitGroup
	var mu sync.Mutex
	counts := map[string]int{}
	ask := func() {
		s := r.Execute(t.Context(), call.Call{Tool: tool, Command: "Run"}).(*result.Sealed)
		mu.Lock()
		defer mu.Unlock()
		counts[string(s.Status())+" "+s.Member(result.Data)+" "+s.Member(result.Error)]++
	}
	for range 4 {
		all.Go(ask)
	}
	all.Wait()
	ask()
	tooLong := "error null " + protocol("wrote a line of more than 16777216 bytes", `{"reason":"RESULT_TOO_LARGE","line":1,"limit":16777216}`).err
	if counts[tooLong] != 1 || counts["success "+okData+" null"] != 4 {
		t.Errorf("%v", counts)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
	within(t, "no children", func() bool { return children(t) == nil })
}

// A plugin does not outlive its runtime (K10, as far as there are no kept workers yet).
func TestRuntimeIsKilled(t *testing.T) {
	needsNumbers(t)
	if goruntime.GOOS != "linux" {
		t.Skip("only Linux ends a process with its parent")
	}
	file := filepath.Join(t.TempDir(), "pid")
	p := acting(t, "runtime", file)
	parent := exec.Command(p.Argv[0], p.Argv[1:]...)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	whenThere(file, func() { _ = parent.Process.Kill() })
	_ = parent.Wait()
	gone(t, file)
}

// lonely runs a plugin that stays, and writes its process number into a file.
func lonely(file string) {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	s := opened(map[string]stdio.Program{tool: {Argv: []string{self, role + "stubborn", file}}})
	_, err = s.Run(context.Background(), call.Invocation{Tool: tool, Arguments: []byte("{}"), Config: []byte("{}")}, time.Minute)
	panic(err)
}

// What the leader wrote is read to its end, though another process holds the pipe open and writes on.
func TestNothingIsLostAtTheEnd(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := sh(fmt.Sprintf(`setsid %s %sflood & until [ -e flooding ]; do sleep 0.01; done; printf '%%s\n' '%s'`, self, role, okFrame))
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	start := time.Now()
	check(t, run(t, t.Context(), p, limited(5*time.Minute, time.Second)), good())
	if took := time.Since(start); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

// A program may leave its group for ours, where a signal to its own does not reach it.
func TestLeaderThatLeavesItsGroup(t *testing.T) {
	needsNumbers(t)
	for name, arg := range map[string]string{"ends when it is asked": "", "is killed": "deaf"} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pid")
			ctx, over := limitless(t.Context())
			var asked time.Time
			go whenThere(file, func() { asked = time.Now(); over() })
			s := run(t, ctx, acting(t, "emigrant", file, arg), limited(time.Minute, time.Second))
			checkKilled(t, s, ended(call.Timeout, "TOOL_TIMEOUT", "the call did not end within its limit of 1m0s"), asked)
			if took := time.Since(asked); took > soon {
				t.Errorf("it took %v", took)
			}
			gone(t, file)
		})
	}
}

// losing starts processes whose end is not told, as below a keeper that dies at that moment.
type losing struct{}

func (losing) Start(c process.Command) (*process.Process, error) {
	p, err := process.Groups{}.Start(c)
	if err == nil {
		p.Control = forgotten{p.Control}
	}
	return p, err
}

// forgotten is a process whose end is not known.
type forgotten struct{ process.Control }

func (f forgotten) Wait() (process.Ending, error) {
	_, _ = f.Control.Wait()
	return process.Ending{}, errors.New("not known")
}

// An answer that was given counts, though nobody knows how its process ended. Without one the plugin is lost, not at fault.
func TestEndThatIsNotKnown(t *testing.T) {
	for script, want := range map[string]string{
		line(okFrame):                       "",
		"exit 3":                            "the plugin " + tool + " was lost",
		"printf '{\"vcp\":\"tool-result\"'": "the plugin " + tool + " was lost",
		"echo oops":                         "the plugin " + tool + " wrote a line that is no frame to its standard output",
	} {
		p := sh(script)
		p.Dir = t.TempDir()
		s := stdio.New(map[string]stdio.Program{tool: p}, stdio.Launcher(losing{}))
		reply, err := s.Run(t.Context(), call.Invocation{Tool: tool, Arguments: []byte("{}"), Config: []byte("{}")}, time.Second)
		said := ""
		if failure, ok := errors.AsType[*transport.Failure](err); ok {
			said = failure.Message
		}
		if said != want || (err == nil) != (len(reply.Payload) > 0) {
			t.Errorf("%s: %s, %v", script, reply.Payload, err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
