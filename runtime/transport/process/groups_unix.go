//go:build unix

package process

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"syscall"
	"time"
)

// defaultPath is the search path where the environment has none.
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

// endings are what may be missing from the name of a program.
var endings = []string{""}

// killSignal is the sign of a process that was killed by us, or by somebody else at the same time.
const killSignal = "SIGKILL"

// runnable says why a file cannot be run.
func runnable(file string) error {
	stat, err := os.Stat(file)
	switch {
	case err != nil:
		return err
	case stat.IsDir():
		return syscall.EISDIR
	case stat.Mode()&0o111 == 0:
		return fs.ErrPermission
	}
	return nil
}

// signalGroup sends a signal to every process of the group. It must not be called once the leader was reaped: from
// then on the number may be another's.
//
// The leader may have left for another group of the session, where the signal does not reach it. Then it gets one
// of its own.
func (g *group) signalGroup(s syscall.Signal) {
	pid := g.leader.Pid
	_ = syscall.Kill(-pid, s)
	if group, err := syscall.Getpgid(pid); s == syscall.SIGKILL || err == nil && group != pid {
		_ = syscall.Kill(pid, s)
	}
}

// Terminate asks the group to end.
func (g *group) Terminate() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.reaped {
		g.signalGroup(syscall.SIGTERM)
	}
}

// Kill ends the group.
func (g *group) Kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.reaped {
		g.signalGroup(syscall.SIGKILL)
	}
}

// reap waits for the leader, ends what is left of its group, and returns how the leader ended. Where the
// system lets it, the group is killed before the leader's number is given back.
func (g *group) reap() (Ending, error) {
	early := waitable(g.leader.Pid)
	var state *os.ProcessState
	var err error
	if !early {
		state, err = g.leader.Wait()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.signalGroup(syscall.SIGKILL)
	if early {
		state, err = g.leader.Wait()
	}
	g.reaped = true
	if err != nil {
		return Ending{}, err
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok {
		return EndingOf(status), nil
	}
	return Ending{Code: state.ExitCode()}, nil
}

// EndingOf returns the ending that a wait status says.
func EndingOf(status syscall.WaitStatus) Ending {
	if status.Signaled() {
		return Ending{Signal: signalName(status.Signal())}
	}
	return Ending{Code: status.ExitStatus()}
}

// finish makes a reader of f come back. It gets what is in the pipe already and then nothing: whoever writes
// from now on, writes after the end.
func finish(f *os.File, _ <-chan struct{}) {
	if f.SetReadDeadline(time.Unix(1, 0)) != nil {
		_ = f.Close()
	}
}

// drain lets a reader that came back from finish go on with what is left in the pipe.
func drain(f *os.File) (io.Reader, bool) {
	return &rest{f: f, left: largestPipe}, f.SetReadDeadline(time.Time{}) == nil
}

// largestPipe is how much a pipe can hold. A process that outlives the leader may fill it again and again,
// but what the leader wrote is within the first so many bytes.
const largestPipe = 1 << 20

// rest reads what is in a pipe without waiting for more.
type rest struct {
	f    *os.File
	left int
}

// Read returns io.EOF when the pipe is empty, also when somebody holds it open.
func (r *rest) Read(p []byte) (n int, err error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	raw, err := r.f.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = raw.Read(func(fd uintptr) bool {
		n, failed = syscall.Read(int(fd), p)
		for errors.Is(failed, syscall.EINTR) {
			n, failed = syscall.Read(int(fd), p)
		}
		return true // not to wait
	})
	switch {
	case err != nil:
		return 0, err
	case failed != nil, n == 0:
		return 0, io.EOF
	}
	r.left -= n
	return n, nil
}

// poll reads once, without waiting.
func poll(raw syscall.RawConn, p []byte) (int, error) {
	n, err := once(raw, p, false)
	if errors.Is(err, syscall.EAGAIN) {
		return 0, nil
	}
	return n, err
}

// once reads once, and waits before that until there is something when it may.
func once(raw syscall.RawConn, p []byte, wait bool) (n int, err error) {
	failed := raw.Read(func(fd uintptr) bool {
		for {
			n, err = read(fd, p)
			if !errors.Is(err, syscall.EINTR) {
				return !wait || !errors.Is(err, syscall.EAGAIN)
			}
		}
	})
	switch {
	case failed != nil:
		return 0, failed
	case err == nil && n == 0:
		return 0, io.EOF
	}
	return n, err
}

// signals are the names of those that end programs.
var signals = map[syscall.Signal]string{
	syscall.SIGHUP: "SIGHUP", syscall.SIGINT: "SIGINT", syscall.SIGQUIT: "SIGQUIT", syscall.SIGILL: "SIGILL",
	syscall.SIGTRAP: "SIGTRAP", syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE",
	syscall.SIGKILL: "SIGKILL", syscall.SIGUSR1: "SIGUSR1", syscall.SIGSEGV: "SIGSEGV", syscall.SIGUSR2: "SIGUSR2",
	syscall.SIGPIPE: "SIGPIPE", syscall.SIGALRM: "SIGALRM", syscall.SIGTERM: "SIGTERM", syscall.SIGXCPU: "SIGXCPU",
	syscall.SIGXFSZ: "SIGXFSZ", syscall.SIGSYS: "SIGSYS",
}

func signalName(s syscall.Signal) string {
	if name, ok := signals[s]; ok {
		return name
	}
	return "SIG" + strconv.Itoa(int(s))
}
