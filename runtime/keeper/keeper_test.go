//go:build linux && (amd64 || arm64)

package keeper_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vcp.core/runtime/keeper"
	"vcp.core/runtime/keeper/serve"
	"vcp.core/runtime/transport/process"
)

// asKeeper and role begin what this test program is told to be.
const (
	asKeeper = "as-keeper"
	role     = "as:"
)

// TestMain makes a keeper, a runtime or a plugin of the test program when it is called as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if os.Args[1] == asKeeper {
			serve.Main()
		}
		if name, ok := strings.CutPrefix(os.Args[1], role); ok {
			act(name, os.Args[2:])
		}
	}
	goleak.VerifyTestMain(m)
}

// self is the file of this program.
func self(t testing.TB) string {
	t.Helper()
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// kinds are the keepers that there are, as far as this system allows them.
var kinds = map[string]bool{"namespace": true, "guard": false}

// open makes a launcher that is closed with the test.
func open(t testing.TB, options ...keeper.Option) *keeper.Keeper {
	t.Helper()
	k, err := keeper.New(append([]keeper.Option{keeper.Program(self(t), asKeeper)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := k.Close(ctx); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	return k
}

// each runs a test below each kind of keeper. Where the system has no namespaces, both are guarded.
func each(t *testing.T, test func(t *testing.T, k *keeper.Keeper), options ...keeper.Option) {
	for kind, namespaces := range kinds {
		t.Run(kind, func(t *testing.T) {
			k := open(t, append([]keeper.Option{keeper.Namespaces(namespaces)}, options...)...)
			state, err := k.State()
			if err != nil {
				t.Fatal(err)
			}
			if namespaces && !state.Namespace {
				t.Logf("no namespace: %s", state.Refused)
			}
			if !state.Children {
				t.Skip("this kernel does not list children")
			}
			test(t, k)
		})
	}
}

// free is a profile without a sandbox.
func free(string) keeper.Profile { return keeper.Profile{} }

// shell is a command of the shell. The mark is a word that stands in the arguments of all that it starts.
func shell(t testing.TB, script string, mark ...string) process.Command {
	return process.Command{
		Tool: "T", File: "/bin/sh", Argv: append([]string{"sh", "-c", script}, mark...), Dir: t.TempDir(), Data: t.TempDir(),
		Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"},
	}
}

// plays is a command that makes a plugin of this program.
func plays(t testing.TB, name string, args ...string) process.Command {
	c := shell(t, "")
	c.File = self(t)
	c.Argv = append([]string{c.File, role + name}, args...)
	c.Env = append(c.Env, "GORACE=atexit_sleep_ms=0")
	return c
}

// running is a process that was started, with what it writes.
type running struct {
	*process.Process
	out, err bytes.Buffer
	read     sync.WaitGroup
}

func start(t testing.TB, l process.Launcher, c process.Command) *running {
	t.Helper()
	p, err := l.Start(c)
	if err != nil {
		t.Fatalf("%q: %v", c.Argv, err)
	}
	r := &running{Process: p}
	r.read.Go(func() { _, _ = io.Copy(&r.out, p.Stdout) })
	r.read.Go(func() { _, _ = io.Copy(&r.err, p.Stderr) })
	return r
}

// end waits for the end of a process.
func (r *running) end() (process.Ending, error) {
	ending, err := r.Wait()
	done := make(chan struct{})
	close(done)
	_ = r.Stdin.Close()
	r.Stdout.Finish(done)
	r.Stderr.Finish(done)
	r.read.Wait()
	_ = r.Stdout.Close()
	_ = r.Stderr.Close()
	return ending, err
}

// output runs a process to its end and returns what it wrote.
func output(t testing.TB, l process.Launcher, c process.Command) (string, process.Ending) {
	t.Helper()
	r := start(t, l, c)
	_ = r.Stdin.Close()
	ending, err := r.end()
	if err != nil {
		t.Fatal(err)
	}
	return r.out.String() + r.err.String(), ending
}

// marked returns the processes that have a word in their arguments, zombies excepted.
func marked(mark string) []string {
	var found []string
	list, _ := os.ReadDir("/proc")
	for _, entry := range list {
		if _, err := strconv.Atoi(entry.Name()); err != nil {
			continue
		}
		if line, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline")); bytes.Contains(line, []byte(mark)) {
			found = append(found, entry.Name()+" "+string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return found
}

// mark returns a word that is nobody else's.
func mark(t *testing.T) string {
	return "mark-" + strconv.Itoa(os.Getpid()) + "-" + strings.ReplaceAll(t.Name(), "/", "-") + "-" + strconv.FormatInt(time.Now().UnixNano(), 36)
}

// soon is far more than anything takes that is waited for, also on a machine that stands still for seconds, and less than
// what was started here lives when nobody ends it.
const soon = 30 * time.Second

// until waits for something to come true.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for begin := time.Now(); ; {
		asked := time.Now()
		if is() {
			return
		}
		if time.Since(begin) > soon {
			t.Fatalf("%s: not within %v", what, soon)
		}
		time.Sleep(max(2*time.Millisecond, time.Since(asked))) // half the time is for what is waited for
	}
}

// gone fails unless all marked processes are gone soon.
func gone(t *testing.T, mark string) {
	t.Helper()
	for begin := time.Now(); time.Since(begin) < soon; time.Sleep(5 * time.Millisecond) {
		if len(marked(mark)) == 0 {
			return
		}
	}
	t.Errorf("alive %v later: %q", soon, marked(mark))
}

// patience is how long a keeper keeps the end of a process back while something that it started does not die.
const patience = time.Second

// goneWithTheEnd fails if a marked process is left when the end of the one that started it was told, which began to end after
// the given moment. A kill may take longer than the keeper's patience, if so much time has passed.
func goneWithTheEnd(t *testing.T, mark string, after time.Time) {
	t.Helper()
	left := marked(mark)
	if len(left) > 0 && time.Since(after) < patience {
		t.Errorf("it has ended, and %q", left)
	}
	if len(left) > 0 {
		gone(t, mark)
	}
}

func TestEndings(t *testing.T) {
	each(t, func(t *testing.T, k *keeper.Keeper) {
		for script, want := range map[string]process.Ending{
			"exit 0": {}, "exit 3": {Code: 3}, "kill -9 $$": {Signal: "SIGKILL"}, "kill -11 $$": {Signal: "SIGSEGV"}, "kill -34 $$": {Signal: "SIG34"},
		} {
			if out, got := output(t, k, shell(t, "echo out; echo err >&2; "+script)); got != want || out != "out\nerr\n" {
				t.Errorf("%s: %q, %v, want %v", script, out, got, want)
			}
		}
	})
}

// A program that cannot be run is told as the system tells it.
func TestNotStarted(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"text": "print(1)\n", "lost": "#!/no/such/interpreter\n", "plain": "x"} {
		mode := os.FileMode(0o755)
		if name == "plain" {
			mode = 0o644
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	each(t, func(t *testing.T, k *keeper.Keeper) {
		for _, tt := range []struct {
			name   string
			change func(*process.Command)
			want   error
		}{
			{"no file", func(c *process.Command) { c.File = filepath.Join(dir, "none") }, syscall.ENOENT},
			{"no program", func(c *process.Command) { c.File, c.Dir = filepath.Join(dir, "text"), dir }, syscall.ENOEXEC},
			{"no interpreter", func(c *process.Command) { c.File, c.Dir = filepath.Join(dir, "lost"), dir }, syscall.ENOENT},
			{"no right", func(c *process.Command) { c.File, c.Dir = filepath.Join(dir, "plain"), dir }, syscall.EACCES},
			{"no folder", func(c *process.Command) { c.Dir = filepath.Join(dir, "none") }, syscall.ENOENT},
			{"long", func(c *process.Command) { c.Argv = append(c.Argv, strings.Repeat("x", 1<<20)) }, syscall.E2BIG},
			{"too long", func(c *process.Command) { c.Argv = append(c.Argv, strings.Repeat("x", 17<<20)) }, syscall.E2BIG},
			{"a zero byte", func(c *process.Command) { c.Argv = append(c.Argv, "a\x00b") }, syscall.EINVAL},
		} {
			c := shell(t, "exit 0")
			tt.change(&c)
			if _, err := k.Start(c); !errors.Is(err, tt.want) {
				t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
			}
		}
		if out, _ := output(t, k, shell(t, "echo still there")); out != "still there\n" {
			t.Errorf("afterwards %q", out)
		}
	})
}

// A long environment, and arguments of odd kinds, arrive as they are.
func TestArguments(t *testing.T) {
	each(t, func(t *testing.T, k *keeper.Keeper) {
		long := strings.Repeat("é", 60_000)
		c := shell(t, `printf '%s|' "$0" "$1" "$2" "$LONG"`, "", "two words", "line\nfeed")
		c.Env = append(c.Env, "LONG="+long)
		for i := range 3000 {
			c.Env = append(c.Env, "V"+strconv.Itoa(i)+"="+strings.Repeat("x", 100))
		}
		if out, _ := output(t, k, c); out != "|two words|line\nfeed|"+long+"|" {
			t.Errorf("%d bytes: %.100q", len(out), out)
		}
	})
}

// The streams of a plugin block, and carry what they are given.
func TestStreams(t *testing.T) {
	each(t, func(t *testing.T, k *keeper.Keeper) {
		r := start(t, k, shell(t, "cat; head -c 300000 /dev/zero"))
		text := bytes.Repeat([]byte("0123456789"), 100_000)
		if _, err := r.Stdin.Write(text); err != nil {
			t.Error(err)
		}
		_ = r.Stdin.Close()
		if e, err := r.end(); e.Failed() || err != nil || r.out.Len() != len(text)+300_000 || !bytes.HasPrefix(r.out.Bytes(), text) {
			t.Errorf("%v, %v, %d bytes", e, err, r.out.Len())
		}
	})
}

// Nothing is inherited: no descriptor, no ignored signal, no blocked one, no variable of the keeper's.
func TestInheritance(t *testing.T) {
	each(t, func(t *testing.T, k *keeper.Keeper) {
		out, _ := output(t, k, shell(t, `ls /proc/self/fd | grep -v 3; grep -E 'SigBlk|SigIgn' /proc/self/status; env | sort`))
		want := "0\n1\n2\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"
		if !strings.HasPrefix(out, want) || strings.Contains(out, "GO") {
			t.Errorf("%q", out)
		}
	})
}

// A keeper that was closed starts nothing, and what ran has ended.
func TestClose(t *testing.T) {
	each(t, func(t *testing.T, k *keeper.Keeper) {
		word := mark(t)
		r := start(t, k, shell(t, "trap '' TERM; sleep 60; :", word))
		if err := k.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		gone(t, word)
		if _, err := r.end(); !is[*keeper.LostError](err) {
			t.Errorf("Wait = %v", err)
		}
		if _, err := k.Start(shell(t, "exit 0")); !errors.Is(err, keeper.ErrClosed) {
			t.Errorf("Start = %v", err)
		}
	})
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// What is no keeper is told in words, and not waited for.
func TestNoKeeper(t *testing.T) {
	for _, file := range []string{"", "/no/such/file", "/", "/etc/passwd"} {
		if _, err := keeper.New(keeper.Program(file)); err == nil {
			t.Errorf("%q is a keeper", file)
		}
	}
	if _, err := keeper.New(); err == nil {
		t.Error("nothing is a keeper")
	}
	for _, file := range []string{"/bin/true", "/bin/false", "/bin/cat"} {
		k, err := keeper.New(keeper.Program(file))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = k.Start(shell(t, "exit 0")); !is[*process.UnavailableError](err) {
			t.Errorf("%s: %v", file, err)
		}
		if err := k.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}
