//go:build linux && (amd64 || arm64)

package keeper_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"vcp.core/runtime/keeper"
	"vcp.core/runtime/transport/process"
)

var kills = flag.Int("kills", 3, "how often each kind of runtime is killed")

// planted is what a plugin ignores in the end when it has become deaf to SIGTERM. That itself does not tell: it is ignored
// by whoever inherits that, until Go begins and handles it.
const planted = syscall.SIGUSR2

// act plays a part and does not return.
func act(name string, args []string) {
	switch name {
	case "bomber":
		bomber(args[0])
	case "core":
		core(args)
	case "script":
		script(args)
	case "tree":
		// A plugin, a child in its group, and a grandchild in a session of its own whose parent has ended. All are deaf
		// to SIGTERM and hold the standard streams.
		signal.Ignore(syscall.SIGTERM)
		again("leaf", false, args[0])
		again("middle", true, args[0])
		signal.Ignore(planted)
		fmt.Println("planted")
	case "middle":
		signal.Ignore(syscall.SIGTERM)
		again("leaf", true, args[0])
		os.Exit(0)
	case "leaf":
		signal.Ignore(syscall.SIGTERM)
		signal.Ignore(planted)
	case "root of a finished call":
		again("middle", true, args[0])
		time.Sleep(50 * time.Millisecond)
		os.Exit(0)
	case "hop":
		// It is somewhere else before anybody has looked.
		again("hop", true, args[0])
		os.Exit(0)
	}
	time.Sleep(2 * time.Minute)
	os.Exit(0)
}

// again starts this program in another part.
func again(part string, session bool, mark string) {
	file, err := os.Executable()
	if err != nil {
		panic(err)
	}
	p, err := os.StartProcess(file, []string{file, role + part, mark}, &os.ProcAttr{
		Env: os.Environ(), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: &syscall.SysProcAttr{Setsid: session},
	})
	if err != nil {
		if part == "hop" {
			return // killed meanwhile
		}
		panic(err)
	}
	_ = p.Release()
}

// core is a runtime under load: it starts plugins that plant trees, and ends some of them.
func core(args []string) {
	word, namespaces := args[0], args[1] != "guard"
	if args[1] == "refused" {
		refuseNamespaces()
	}
	k, err := keeper.New(keeper.Program(os.Args[0], asKeeper), keeper.Namespaces(namespaces))
	if err != nil {
		panic(err)
	}
	state, err := k.State()
	if err != nil {
		panic(err)
	}
	fmt.Printf("namespace %v user %v\n", state.Namespace, state.User)
	for i := range 4 {
		go func() {
			for {
				p, err := k.Start(process.Command{
					File: os.Args[0], Argv: []string{os.Args[0], role + "tree", word}, Dir: "/", Env: []string{"PATH=/usr/bin:/bin", "GORACE=atexit_sleep_ms=0"},
				})
				if err != nil {
					panic(err)
				}
				_, _ = io.ReadFull(p.Stdout, make([]byte, len("planted\n")))
				if i%2 == 0 {
					p.Kill()
				}
				_, _ = p.Wait()
				p.Close()
			}
		}()
	}
	select {}
}

// instruction is one of a seccomp filter.
type instruction struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

// refuseNamespaces makes the kernel refuse new user namespaces to this process, as some systems do: a seccomp filter,
// since the switch that they have is one for all.
func refuseNamespaces() {
	const (
		load, equal, anySet, give = 0x20, 0x15, 0x45, 0x06 // ld [k], jeq, jset, ret
		allow, refuse, unknown    = 0x7fff0000, 0x00050000 | uint32(syscall.EPERM), 0x00050000 | uint32(syscall.ENOSYS)
		clone3                    = 435
	)
	restrict([]instruction{
		{load, 0, 0, 0}, // the number
		{equal, 5, 0, clone3},
		{equal, 2, 0, syscall.SYS_CLONE},
		{equal, 1, 0, syscall.SYS_UNSHARE},
		{give, 0, 0, allow},
		{load, 0, 0, 16}, // the first argument
		{anySet, 2, 1, syscall.CLONE_NEWUSER},
		{give, 0, 0, unknown},
		{give, 0, 0, allow},
		{give, 0, 0, refuse},
	})
}

// lack makes this process one on a system that does not know a call.
func lack(number uint32) {
	restrict([]instruction{{0x20, 0, 0, 0}, {0x15, 0, 1, number}, {0x06, 0, 0, 0x00050000 | uint32(syscall.ENOSYS)}, {0x06, 0, 0, 0x7fff0000}})
}

// restrict puts this process, and all that it starts, below a filter.
func restrict(filter []instruction) {
	program := struct {
		n    uint16
		list *instruction
	}{uint16(len(filter)), &filter[0]}
	const noNewPrivs, mode, all = 38, 1, 1 // PR_SET_NO_NEW_PRIVS, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC
	if _, _, errno := syscall.Syscall6(syscall.SYS_PRCTL, noNewPrivs, 1, 0, 0, 0, 0); errno != 0 {
		panic(errno)
	}
	if _, _, errno := syscall.Syscall(seccomp, mode, all, uintptr(unsafe.Pointer(&program))); errno != 0 {
		panic(errno)
	}
}

// public copies this program to where everybody may run it.
func public(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "vcp-keeper-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	src, err := os.ReadFile(self(t))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "keeper.test")
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(file, src, 0o755), os.Chmod(file, 0o755)); err != nil {
		t.Fatal(err)
	}
	return file
}

// nobody is a user without rights.
const nobody = 65534

// The runtime is killed at any moment under load. Soon nothing of what it started is left: as root and as somebody
// else, with namespaces, without, and where the system refuses them.
func TestCoreIsKilled(t *testing.T) {
	file := public(t)
	for _, tt := range []struct {
		name, kind string
		nobody     bool
		want       string
	}{
		{"root, namespace", "namespace", false, "namespace true user false"},
		{"root, guard", "guard", false, "namespace false user false"},
		{"nobody, user namespace", "namespace", true, "namespace true user true"},
		{"nobody, guard", "guard", true, "namespace false user false"},
		{"nobody, namespaces refused", "refused", true, "namespace false user false"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := os.Geteuid() == 0
			if !root && !tt.nobody {
				t.Skip("the tests are not run by root")
			}
			for n := range *kills {
				word := mark(t)
				cmd := exec.Command(file, role+"core", word, tt.kind)
				cmd.Dir = "/"
				cmd.Env = []string{"GORACE=atexit_sleep_ms=0"}
				if root && tt.nobody {
					cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
				}
				cmd.Stderr = os.Stderr
				out, err := cmd.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = cmd.Process.Kill() }) // if the test ends early
				said := make([]byte, len(tt.want))
				_, _ = io.ReadFull(out, said)
				if string(said) != tt.want {
					if strings.Contains(tt.want, "namespace true") {
						t.Logf("there are no namespaces here: %s", said)
					} else {
						t.Errorf("the keeper is %q, want %q", said, tt.want)
					}
				}
				if n == 0 { // once for certain when much runs
					until(t, "a tree and more", func() bool { return len(marked(word)) >= 4 })
				} else {
					time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond)
				}
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
				gone(t, word)
			}
		})
	}
}

// The keeper is killed: what ran below it is lost and dead, and the next process has another keeper.
func TestKeeperIsKilled(t *testing.T) {
	each(t, func(t *testing.T, k *keeper.Keeper) {
		for _, below := range []bool{false, true} {
			state, err := k.State()
			if err != nil {
				t.Fatal(err)
			}
			victim := state.PID
			if below {
				list, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", victim, victim))
				if err != nil || state.Namespace {
					break // there is no guard
				}
				if victim, err = strconv.Atoi(strings.Fields(string(list))[0]); err != nil {
					t.Fatal(err)
				}
			}
			word := mark(t)
			var all []*running
			for range 3 {
				all = append(all, start(t, k, plays(t, "tree", word)))
			}
			until(t, "three trees", func() bool { return len(marked(word)) >= 9 })
			if err := syscall.Kill(victim, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			gone(t, word)
			for _, r := range all {
				if _, err := r.end(); !is[*keeper.LostError](err) {
					t.Errorf("Wait = %v", err)
				}
				r.Kill()
				r.Terminate()
			}
			if out, _ := output(t, k, shell(t, "echo again")); out != "again\n" {
				t.Errorf("the next one says %q", out)
			}
		}
	})
}

// A keeper that dies again and again is not started for ever.
func TestKeeperDiesAgainAndAgain(t *testing.T) {
	const most, window = 5, 10 * time.Second
	k := open(t, keeper.Namespaces(false))
	begun := []time.Time{time.Now()} // moments before each was started
	state, err := k.State()
	if err != nil {
		t.Fatal(err)
	}
	for len(begun) < 12 {
		begun = append(begun, time.Now())
		_ = syscall.Kill(state.PID, syscall.SIGKILL)
		var next keeper.State
		until(t, "another keeper, or none", func() bool {
			next, err = k.State()
			return err != nil || next.PID != state.PID
		})
		n := len(begun) - 1 // that were started before this one
		switch {
		case is[*process.UnavailableError](err) && n >= most:
			return
		case err != nil:
			t.Fatalf("after %d: %v", n, err)
		case n >= most && time.Since(begun[n-most]) < window:
			t.Fatalf("it is started once more, after %d within %v", most, time.Since(begun[n-most]))
		}
		state = next
	}
	t.Skip("this machine takes too long to start so many within 10 s")
}

// When a call has ended, nothing that it started is left, wherever it went; what others started stays.
func TestFinishedCallTakesAllAlong(t *testing.T) {
	each(t, func(t *testing.T, k *keeper.Keeper) {
		other, word := mark(t)+"-other", mark(t)
		stays := start(t, k, plays(t, "tree", other))
		until(t, "a tree", func() bool { return deaf(other) == 3 })
		for range 5 {
			begun := time.Now()
			r := start(t, k, plays(t, "root of a finished call", word))
			if e, err := r.end(); e.Failed() || err != nil {
				t.Errorf("%v, %v", e, err)
			}
			goneWithTheEnd(t, word, begun)
		}
		if n := deaf(other); n != 3 {
			t.Errorf("of another call %d of 3 processes are left", n)
		}
		stays.Terminate() // all are deaf to it
		time.Sleep(20 * time.Millisecond)
		if n := deaf(other); n != 3 {
			t.Errorf("%d of 3 are deaf", n)
		}
		killed := time.Now()
		stays.Kill()
		if e, err := stays.end(); e.Signal != "SIGKILL" || err != nil {
			t.Errorf("%v, %v", e, err)
		}
		goneWithTheEnd(t, other, killed)
	})
}

// deaf counts the marked processes that are deaf to SIGTERM by now: a tree has three.
func deaf(mark string) int {
	n := 0
	for _, process := range marked(mark) {
		pid, _, _ := strings.Cut(process, " ")
		status, _ := os.ReadFile(filepath.Join("/proc", pid, "status"))
		_, ignored, _ := strings.Cut(string(status), "\nSigIgn:\t")
		mask, _, _ := strings.Cut(ignored, "\n")
		if set, err := strconv.ParseUint(mask, 16, 64); err == nil && set&(1<<(planted-1)) != 0 {
			n++
		}
	}
	return n
}

// One that is always somewhere else, and one that fills the table of processes, are caught.
func TestHostile(t *testing.T) {
	each(t, func(t *testing.T, k *keeper.Keeper) {
		word := mark(t)
		r := start(t, k, plays(t, "hop", word))
		if _, err := r.end(); err != nil {
			t.Error(err)
		}
		gone(t, word)

		// A bomb that is bounded, since root has no limit of processes.
		bomb := shell(t, `i=0; while [ $i -lt 150 ]; do setsid sh -c 'trap "" TERM; sleep 120; :' `+word+` & i=$((i+1)); done; : > $DATA/armed; sleep 120`, word)
		bomb.Env = append(bomb.Env, "DATA="+bomb.Data)
		r = start(t, k, bomb)
		until(t, "a bomb", func() bool { // looking for processes costs more than all that it takes to start them
			_, err := os.Stat(filepath.Join(bomb.Data, "armed"))
			return err == nil
		})
		until(t, "as many processes", func() bool { return len(marked(word)) > 150 })
		r.Kill()
		if _, err := r.end(); err != nil {
			t.Error(err)
		}
		gone(t, word)

		// Closed pipes.
		r = start(t, k, shell(t, "exec <&- >&- 2>&-; sleep 60; :", word))
		r.read.Wait()
		r.Kill()
		if e, err := r.end(); e.Signal != "SIGKILL" || err != nil {
			t.Errorf("%v, %v", e, err)
		}
		gone(t, word)
	})
}

// A thousand processes leave nothing behind: no zombie, no descriptor, no memory to speak of.
func TestThousand(t *testing.T) {
	each(t, func(t *testing.T, k *keeper.Keeper) {
		state, err := k.State()
		if err != nil {
			t.Fatal(err)
		}
		run := func(n int) {
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					for range n / 20 {
						p, err := k.Start(process.Command{File: "/bin/true", Argv: []string{"true"}, Dir: "/"})
						if err != nil {
							t.Error(err)
							return
						}
						if e, err := p.Wait(); e.Failed() || err != nil {
							t.Errorf("%v, %v", e, err)
						}
						p.Close()
					}
				})
			}
			all.Wait()
		}
		run(100)
		before := descriptors(t, os.Getpid())
		at := []int{state.PID}
		if !state.Namespace {
			at = append(at, children(t, state.PID)...)
		}
		var theirs []int
		for _, pid := range at {
			theirs = append(theirs, descriptors(t, pid))
		}
		run(1000)
		until(t, fmt.Sprintf("as many descriptors as before, %d", before), func() bool { return descriptors(t, os.Getpid()) <= before })
		for i, pid := range at {
			// It may still be closing those of the last program, and it may have been when they were counted first.
			until(t, fmt.Sprintf("as many descriptors of the keeper as before, %d", theirs[i]), func() bool { return descriptors(t, pid) <= theirs[i] })
		}
		last := at[len(at)-1]
		until(t, "no child", func() bool { return len(children(t, last)) == 0 })
	})
}

// descriptors counts those of a process.
func descriptors(t *testing.T, pid int) int {
	t.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if errors.Is(err, os.ErrPermission) {
		return 0 // a keeper shows nobody what it has open, root excepted
	}
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
