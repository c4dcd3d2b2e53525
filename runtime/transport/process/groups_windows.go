package process

import (
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// defaultPath is the search path where the environment has none.
const defaultPath = `C:\Windows\System32;C:\Windows`

// endings are what may be missing from the name of a program.
var endings = []string{"", ".exe"}

// killSignal is the sign of a process that was killed: none, it has an exit code like any other.
const killSignal = ""

// runnable says why a file cannot be run.
func runnable(file string) error {
	stat, err := os.Stat(file)
	if err == nil && stat.IsDir() {
		return fs.ErrInvalid
	}
	return err
}

// attributes keep a Ctrl-C at the console from the plugin: the runtime says when it has to end.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// Terminate kills: there is no other way to ask a process without a window to end.
func (g *group) Terminate() { g.Kill() }

// Kill ends the process.
func (g *group) Kill() { _ = g.leader.Kill() }

// reap waits for the process and returns how it ended.
func (g *group) reap() (Ending, error) {
	state, err := g.leader.Wait()
	if err != nil {
		return Ending{}, err
	}
	return Ending{Code: state.ExitCode()}, nil
}

// waitForRest is how long a pipe is read after its process has ended, if somebody else holds it open.
const waitForRest = 250 * time.Millisecond

// finish makes a reader of f come back.
func finish(f *os.File, done <-chan struct{}) {
	t := time.NewTimer(waitForRest)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
		_ = f.Close()
	}
}

// drain has nothing to add: finish waited.
func drain(*os.File) (io.Reader, bool) { return nil, false }

// poll finds nothing: a read cannot be kept from waiting here.
func poll(syscall.RawConn, []byte) (int, error) { return 0, nil }

// reading returns what reads from a pipe, and waits until there is something.
func reading(f *os.File) func([]byte) (int, error) { return f.Read }

// keepOurs does nothing: a process gets the handles that are listed for it.
func keepOurs() {}

// pipe makes a pipe.
func pipe(bool) (r, w *os.File, err error) { return os.Pipe() }
