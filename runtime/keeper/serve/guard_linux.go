//go:build amd64 || arm64

package serve

import (
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"vcp.core/runtime/keeper/link"
)

// lastWait is how long what was killed at the end is waited for. It ends at once, unless the system itself hangs.
const lastWait = 5 * time.Second

// guard starts a keeper and waits for it. When the keeper dies before the runtime does, its children come here
// and are killed. It does not let the keeper be stopped. When the guard dies, the keeper sees its end of a pipe closed, and ends everything by itself. In a
// namespace there is no need of one: the system ends a namespace with its first process.
func (k *keeper) guard() {
	keeper, err := k.below()
	if err != nil {
		complain("a keeper below the guard: " + err.Error())
	}
	k.leaders[keeper] = &leader{pid: keeper}
	k.closing = true
	k.openChildren()
	for {
		pid, stopped, err := told(syscall.WSTOPPED)
		if err != nil {
			break
		}
		if stopped {
			// A plugin of the same user may do that. A keeper that stands still does not see its runtime die.
			_ = syscall.Kill(pid, syscall.SIGCONT)
			continue
		}
		k.bury(-1)
		if len(k.leaders) == 0 {
			if k.proc < 0 {
				break // what the keeper left behind cannot be found
			}
			time.AfterFunc(lastWait, func() { os.Exit(0) })
		}
		k.sweep()
	}
	os.Exit(0)
}

// below starts a keeper, which has our socket, and one end of a pipe of which we hold the other as long as we live.
func (k *keeper) below() (int, error) {
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
		return 0, err
	}
	// What is handed down keeps its number; it is only not to be closed.
	for _, fd := range []int{socketFile, ends[0]} {
		if errno := raw(syscall.SYS_FCNTL, uintptr(fd), syscall.F_SETFD, 0, 0); errno != 0 {
			return 0, errno
		}
	}
	null, err := syscall.Open(os.DevNull, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	words, err := syscall.Dup(int(os.Stderr.Fd()))
	if err != nil {
		return 0, err
	}
	o, err := prepare(&link.Spawn{
		File: "/proc/self/exe", Dir: "/", Argv: append(slices.Clone(os.Args[:len(os.Args)-1]), strconv.Itoa(ends[0]), underGuard),
	}, []int{null, null, words})
	if err != nil {
		return 0, err
	}
	o.deathsig = 0 // it has to kill everything first
	pid, err := o.fork()
	for _, fd := range []int{socketFile, ends[0], null, words} {
		_ = syscall.Close(fd)
	}
	return pid, err
}
