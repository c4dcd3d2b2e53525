// Package process starts the programs of plugins, and ends them. It finds the file of a program, gives it an
// environment, connects its three standard streams by pipes, tells how it ended, and reads what it wrote to the
// end without waiting for whoever else holds the pipes open.
//
// The package knows no frames and no calls, reads no environment of its own accord, and never passes one of our
// descriptors or variables on that nobody named.
//
// # Launchers
//
// A [Launcher] starts processes. [Groups] is the one that needs nothing: it starts a process as a child of this
// program, in a group of its own. Descendants that leave the group are out of its reach. A launcher with a keeper
// (package keeper) reaches them, too.
package process

import (
	"os"
	"strconv"
)

// Command says what to start.
type Command struct {
	Tool string   // the tool that the program belongs to; launchers may treat tools differently
	File string   // the program, an absolute path
	Argv []string // its arguments as it sees them, its name first
	Env  []string // its whole environment, NAME=value
	Dir  string   // the plugin's folder, in which it runs
	Data string   // the folder that it keeps its data in, "" for none
}

// Launcher starts processes. It is safe for concurrent use.
type Launcher interface {
	// Start starts a process. It returns when the program runs in it or could not be run; the error is then, or
	// wraps, the system's (a syscall.Errno), or says why there is no launching any more.
	Start(Command) (*Process, error)
}

// Process is a program that was started, and our ends of its pipes. Whoever started it calls Wait, and
// Close when nothing more is read.
type Process struct {
	Stdin          *os.File
	Stdout, Stderr *Output
	Control
}

// Close closes our ends of the pipes.
func (p *Process) Close() {
	_ = p.Stdin.Close()
	_ = p.Stdout.Close()
	_ = p.Stderr.Close()
}

// Control ends a process. Its methods may be called at any time, in any order, by several goroutines at once.
type Control interface {
	// Terminate asks the process, and those of its group, to end (SIGTERM). On Windows it is Kill.
	Terminate()
	// Kill ends it and everything that it started, as far as the launcher reaches.
	Kill()
	// Wait returns how the process ended. By then the launcher has killed everything that the process started and
	// that it reaches. An error says that the end is not known: the process is gone all the same.
	Wait() (Ending, error)
}

// Ending is how a process ended.
type Ending struct {
	Code   int
	Signal string // SIGKILL, SIGSEGV, …; "" when the process ended by itself
}

// Failed reports whether it was anything else than exit code 0.
func (e Ending) Failed() bool { return e.Signal != "" || e.Code != 0 }

// Killed reports whether this is how a process ends that was killed, by us or by somebody else at the same time.
func (e Ending) Killed() bool { return e.Signal == killSignal }

// String says it as a clause: "ended with exit code 3".
func (e Ending) String() string {
	if e.Signal != "" {
		return "was ended by " + e.Signal
	}
	return "ended with exit code " + strconv.Itoa(e.Code)
}

// Pipes are the standard streams of a process that is not started yet: both ends of each.
type Pipes struct {
	child [3]*os.File // its standard input, output and error
	ours  [3]*os.File
}

// NewPipes makes three pipes. All six ends are closed in any process that is started and not given them. Those of the
// child block.
func NewPipes() (*Pipes, error) {
	p := new(Pipes)
	for i := range 3 {
		var err error
		if i == 0 {
			p.child[i], p.ours[i], err = pipe(false)
		} else {
			p.ours[i], p.child[i], err = pipe(true)
		}
		if err != nil {
			p.Close()
			return nil, err
		}
	}
	return p, nil
}

// Child returns the ends of the process: its standard input, output and error.
func (p *Pipes) Child() []*os.File { return p.child[:] }

// Started makes a process of the pipes when the process has its ends: here they are closed.
func (p *Pipes) Started(c Control) *Process {
	for _, f := range p.child {
		_ = f.Close()
	}
	return &Process{Stdin: p.ours[0], Stdout: &Output{file: p.ours[1]}, Stderr: &Output{file: p.ours[2]}, Control: c}
}

// Close closes all ends, when there will be no process.
func (p *Pipes) Close() {
	for i := range 3 {
		if p.child[i] != nil {
			_ = p.child[i].Close()
			_ = p.ours[i].Close()
		}
	}
}
