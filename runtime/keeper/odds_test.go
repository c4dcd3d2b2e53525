//go:build linux && (amd64 || arm64)

package keeper_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vcp.core/fuzz/shared"
	"vcp.core/runtime/keeper"
	"vcp.core/runtime/transport/process"
)

// script is a runtime on an odd system: it runs one script of the shell, prints what that prints, and ends. The
// first argument says below which keeper, or none, the second what the system lacks.
func script(args []string) {
	if args[1] != "" {
		number, err := strconv.ParseUint(args[1], 10, 32)
		if err != nil {
			panic(err)
		}
		lack(uint32(number))
	}
	var launcher process.Launcher = process.Groups{}
	if args[0] != "none" {
		k, err := keeper.New(keeper.Program(os.Args[0], asKeeper), keeper.Namespaces(args[0] == "namespace"))
		if err != nil {
			panic(err)
		}
		launcher = k
	}
	p, err := launcher.Start(process.Command{File: "/bin/sh", Argv: []string{"sh", "-c", args[2]}, Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}})
	if err != nil {
		panic(err)
	}
	_, _ = io.Copy(os.Stdout, p.Stdout)
	_, _ = p.Wait()
	os.Exit(0)
}

// The keeper may be named relative to where the runtime is.
func TestRelativeProgram(t *testing.T) {
	file := self(t)
	t.Chdir(filepath.Dir(file))
	k := open(t, keeper.Program("./"+filepath.Base(file), asKeeper))
	t.Chdir(t.TempDir()) // a keeper is started when it is needed
	if out, _ := output(t, k, shell(t, "echo fine")); out != "fine\n" {
		t.Errorf("%q", out)
	}
}

// A keeper that says nothing when it owes an answer is given up: the process is lost, and the next has another keeper.
func TestSilentKeeper(t *testing.T) {
	each(t, func(t *testing.T, k *keeper.Keeper) {
		word := mark(t)
		before := prompt(t, k, plays(t, "tree", word), time.Second)
		until(t, "a tree", func() bool { return len(marked(word)) == 3 })
		stop(t, k)
		before.Kill()
		lost := start(t, k, shell(t, "sleep 60; :", word))
		for _, r := range []*running{lost, before} {
			if _, err := r.end(); !is[*keeper.LostError](err) || !strings.Contains(err.Error(), "did not answer for 1s") {
				t.Errorf("Wait = %v", err)
			}
		}
		gone(t, word)
		next := prompt(t, k, shell(t, "echo again"), time.Second)
		if _, err := next.end(); err != nil || next.out.String() != "again\n" {
			t.Errorf("the next one says %q, %v", next.out.String(), err)
		}
	}, keeper.Patience(time.Second))
}

// prompt starts a process below a keeper of little patience: again when the keeper took so long to answer that it may have been
// given up, as on a machine that stands still. From the answer on it owes none.
func prompt(t *testing.T, k *keeper.Keeper, c process.Command, patience time.Duration) *running {
	t.Helper()
	for begin := time.Now(); time.Since(begin) < soon; {
		asked := time.Now()
		r := start(t, k, c)
		if time.Since(asked) < patience {
			return r
		}
		r.Kill()
		_, _ = r.end()
	}
	t.Fatalf("no process within %v", patience)
	return nil
}

// stop stops a keeper, and its guard first, which would not let it be stopped.
func stop(t *testing.T, k *keeper.Keeper) {
	t.Helper()
	state, err := k.State()
	if err != nil {
		t.Fatal(err)
	}
	victims := []int{state.PID}
	if !state.Namespace {
		victims = append(victims, children(t, state.PID)...)
	}
	for _, pid := range victims {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
}

// Nobody waits for a keeper that takes no signals in. A process that it has not got the request for is started by the next one;
// whether it has got it before its socket was full is a matter of luck.
func TestDeafKeeper(t *testing.T) {
	each(t, func(t *testing.T, k *keeper.Keeper) {
		r := prompt(t, k, shell(t, "sleep 60"), time.Second)
		stop(t, k)
		for range 3000 { // more than a socket holds
			r.Kill()
		}
		next := start(t, k, shell(t, "echo another"))
		if _, err := next.end(); is[*keeper.LostError](err) {
			next = prompt(t, k, shell(t, "echo another"), time.Second)
			_, _ = next.end()
		}
		if next.out.String() != "another\n" {
			t.Errorf("%q", next.out.String())
		}
		if _, err := r.end(); !is[*keeper.LostError](err) {
			t.Errorf("Wait = %v", err)
		}
	}, keeper.Patience(time.Second))
}

// A keeper that has nothing to say is not silent, however long.
func TestIdleKeeper(t *testing.T) {
	each(t, func(t *testing.T, k *keeper.Keeper) {
		r := prompt(t, k, shell(t, "sleep 1.5"), time.Second)
		if e, err := r.end(); e.Failed() || err != nil {
			t.Errorf("%v, %v", e, err)
		}
	}, keeper.Patience(time.Second))
}

// Without a namespace a plugin may stop the keeper or its guard. That does not let it outlive the runtime.
func TestStoppedKeeper(t *testing.T) {
	for _, which := range []string{"keeper", "guard"} {
		t.Run(which, func(t *testing.T) {
			word := mark(t)
			cmd := exec.Command(self(t), role+"core", word, "guard")
			cmd.Env = []string{"GORACE=atexit_sleep_ms=0"}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() }) // if the test ends early
			until(t, "trees", func() bool { return len(marked(word)) > 6 })
			guard := 0
			for _, pid := range children(t, cmd.Process.Pid) {
				if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); bytes.HasSuffix(line, []byte("\x00guarded\x00")) {
					guard = pid
				}
			}
			if guard == 0 {
				t.Fatal("there is no guard")
			}
			victim := guard
			if which == "keeper" {
				victim = children(t, guard)[0]
			}
			if err := syscall.Kill(victim, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			gone(t, word)
			_ = syscall.Kill(guard, syscall.SIGCONT)
		})
	}
}

// children lists the children of all threads of a process, zombies included.
func children(t *testing.T, pid int) []int {
	t.Helper()
	var list []int
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, _ := os.ReadFile(file)
		for word := range strings.FieldsSeq(string(text)) {
			n, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, n)
		}
	}
	return list
}

// What a huge request took is given back.
func TestHugeRequest(t *testing.T) {
	if shared.Race {
		t.Skip("the race detector keeps its notes on memory that was given back")
	}
	each(t, func(t *testing.T, k *keeper.Keeper) {
		state, err := k.State()
		if err != nil {
			t.Fatal(err)
		}
		pid := state.PID
		if !state.Namespace {
			pid = children(t, pid)[0]
		}
		output(t, k, shell(t, "exit 0"))
		before := resident(t, pid)
		c := shell(t, "exit 0")
		for range 70 {
			c.Argv = append(c.Argv, strings.Repeat("x", 100<<10))
		}
		if _, err := k.Start(c); !errors.Is(err, syscall.E2BIG) {
			t.Errorf("Start = %v", err)
		}
		// Threads and tables of Go's that came with it stay: 2 to 3 MB. The request itself would be 75.
		until(t, "as much memory as before", func() bool { return resident(t, pid) < before+16 })
	})
}

// A search path may lead anywhere, and what it leads to is the worse for it, not the plugin.
func TestOddPaths(t *testing.T) {
	loop := filepath.Join(t.TempDir(), "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, k *keeper.Keeper) {
		for _, path := range []string{"/" + strings.Repeat("x", 5000), "/" + strings.Repeat("x", 300), loop, "/dev/null", "/dev/null/bin", ":", "relative"} {
			c := shell(t, "echo fine")
			c.Env[0] = "PATH=" + path + ":/usr/bin:/bin"
			if out, _ := output(t, k, c); out != "fine\n" {
				t.Errorf("%.20s: %q", path, out)
			}
		}
	})
}

// A service may have been started with rights that are handed down. Its plugins do not get them.
func TestInheritedRights(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root has rights to hand down")
	}
	const sysAdmin, lowPorts = 21, 10
	file := public(t)
	for kind := range kinds {
		for _, user := range []uint32{0, nobody} {
			t.Run(fmt.Sprintf("%s, user %d", kind, user), func(t *testing.T) {
				cmd := exec.Command(file, role+"script", kind, "", "grep -E 'Cap(Inh|Eff|Amb)' /proc/self/status")
				cmd.Dir = "/"
				cmd.SysProcAttr = &syscall.SysProcAttr{AmbientCaps: []uintptr{sysAdmin, lowPorts}}
				want := "CapInh:\t0000000000000000\nCapEff:\t00000000800425fb\nCapAmb:\t0000000000000000\n"
				if user != 0 {
					cmd.SysProcAttr.Credential = &syscall.Credential{Uid: user, Gid: user}
					want = strings.ReplaceAll(want, "800425fb", "00000000")
				}
				if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	}
}

// What the runtime has inherited, and the keeper's socket, reach no plugin; also where the system has no call to mark
// all descriptors (Linux before 5.11).
func TestInheritedDescriptors(t *testing.T) {
	const closeRange = "436"
	inherited, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = inherited.Close() }()
	for _, kind := range []string{"namespace", "guard", "none"} {
		for _, lacks := range []string{"", closeRange} {
			cmd := exec.Command(self(t), role+"script", kind, lacks, "cd /proc/self/fd; echo *")
			cmd.ExtraFiles = []*os.File{inherited, inherited, inherited}
			out, err := cmd.CombinedOutput()
			// The shell has the folder open itself while it lists it.
			if err != nil || string(out) != "0 1 2\n" && string(out) != "0 1 2 3\n" {
				t.Errorf("%s, without %q: %v, %s", kind, lacks, err, out)
			}
		}
	}
}

// The role of a keeper in a namespace is refused outside of one: it would cover everybody's /proc.
func TestNamespacedByHand(t *testing.T) {
	cmd := exec.Command(self(t), asKeeper, "namespaced")
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS} // in case that it is not
	}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "this is not a namespace of its own") {
		t.Errorf("%v, %s", err, out)
	}
}
