package process

import (
	"os"
	"runtime"
	"sync"
)

// Groups starts processes as children of this program, each the leader of a process group of its own.
//
// Kill reaches the group: on Linux and macOS the leader and those of its descendants that did not leave it (setsid),
// on Windows the process itself. On Linux the leader is killed when this program dies.
type Groups struct{}

var _ Launcher = Groups{}

// Start starts a process.
func (Groups) Start(c Command) (*Process, error) {
	keepOurs()
	pipes, err := NewPipes()
	if err != nil {
		return nil, err
	}
	g := &group{over: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		// The system ends the process with the thread that started it (golang/go#27505), so the thread must stay as
		// long. That costs nothing: the thread would block in wait anyway.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var err error
		g.leader, err = os.StartProcess(c.File, c.Argv, &os.ProcAttr{Dir: c.Dir, Env: c.Env, Files: pipes.Child(), Sys: attributes()})
		started <- err
		if err != nil {
			return
		}
		g.ending, g.lost = g.reap()
		close(g.over)
	}()
	if err := <-started; err != nil {
		pipes.Close()
		return nil, err
	}
	return pipes.Started(g), nil
}

// group is a process that leads its group.
type group struct {
	leader *os.Process

	mu     sync.Mutex
	reaped bool // the leader's number may be another's now

	over   chan struct{} // closed when the leader is reaped; what follows is then still
	ending Ending
	lost   error
}

// Wait returns how the leader ended. The rest of its group was killed by then.
func (g *group) Wait() (Ending, error) {
	<-g.over
	return g.ending, g.lost
}
