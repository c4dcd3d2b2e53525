//go:build amd64 || arm64

package serve

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"vcp.core/runtime/keeper/link"
)

// How everything that a plugin started is found:
//
// A leader is a subreaper, so while it lives its orphans go to it and not to us, whatever session or group they moved
// to. When it dies, all its children become ours. So a child of ours that is no leader descends from a leader that has
// died, and is killed; its children come to us in turn. A child's number cannot become another's before we wait
// for it, and nobody else does, so nothing else is ever hit.
//
// The system hands the children over before it tells that the parent died. So looking after every death is
// enough, and nobody has to look at intervals.

// Arguments of waitid(2) that package syscall does not name.
const (
	anyChild = 0          // P_ALL
	leave    = 0x01000000 // WNOWAIT
	stop     = 5          // CLD_STOPPED
)

// told waits until a child has died, or with WSTOPPED in what was stopped, leaves it to be waited for, and returns its number. The
// error is ECHILD when there is no child.
func told(what uintptr) (pid int, stopped bool, err error) {
	var info [32]int32 // a siginfo_t, in which what has happened comes third and the number fifth
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, anyChild, 0, uintptr(unsafe.Pointer(&info)), syscall.WEXITED|leave|what, 0, 0)
		if errno == 0 {
			return int(info[4]), info[2] == stop, nil
		}
		if errno != syscall.EINTR {
			return 0, false, errno
		}
	}
}

// reap waits for children, all of them, for ever.
func (k *keeper) reap() {
	for {
		pid, _, err := told(0)
		k.mu.Lock()
		switch {
		case err != nil:
		case k.proc >= 0:
			k.bury(-1)
		default:
			// Children cannot be listed, so its group is all that is known of what it started. The number is still its own.
			_ = syscall.Kill(-pid, syscall.SIGKILL)
			k.bury(pid)
		}
		k.sweep()
		over := err != nil && k.closing && len(k.leaders) == 0
		k.mu.Unlock()
		switch {
		case over:
			os.Exit(0)
		case err != nil:
			<-k.forked
		}
	}
}

// bury waits for a child that has died, or with -1 for all of them. That gives their numbers back, so nobody must be about to signal one.
func (k *keeper) bury(which int) {
	for again := true; again; again = which < 0 {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(which, &status, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || pid == 0 {
			return
		}
		l := k.leaders[pid]
		if l == nil {
			continue
		}
		delete(k.leaders, pid)
		delete(k.byID, l.id)
		l.status = status
		if k.ended = append(k.ended, l); len(k.ended) == 1 {
			k.since = time.Now()
		}
	}
}

// patience is how long the end of a process may be kept back because something that it started does not die.
const patience = time.Second

// sweep kills what leaders that have died left behind. When nothing is left, their ends are told.
func (k *keeper) sweep() {
	left := 0
	if k.proc >= 0 && k.children() == nil {
		for _, pid := range k.strays {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		left = len(k.strays)
	}
	if left > 0 {
		if len(k.ended) == 0 {
			return
		}
		if over := time.Since(k.since); over < patience {
			if !k.alarmed {
				k.alarmed = true
				time.AfterFunc(patience-over, func() {
					k.mu.Lock()
					defer k.mu.Unlock()
					k.alarmed = false
					k.sweep()
				})
			}
			return
		}
	}
	if k.closing {
		k.ended = nil // it was us, and not what the runtime wants to know
	}
	for _, l := range k.ended {
		m := link.Ended{ID: l.id, Status: uint64(l.status)}
		k.tell(m.Bytes())
	}
	k.ended = k.ended[:0]
}

// openChildren opens the list of our children. It hangs on the main thread, which forks them, and which inherits them
// because it is the first that lives.
func (k *keeper) openChildren() {
	fd, err := syscall.Open("/proc/self/task/"+strconv.Itoa(k.main)+"/children", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		fd = -1 // a kernel without CONFIG_PROC_CHILDREN, or no /proc
	}
	k.proc = fd
}

// children reads which children we have that are no leaders.
func (k *keeper) children() error {
	k.strays, k.list = k.strays[:0], k.list[:0]
	for {
		if cap(k.list)-len(k.list) < 4<<10 {
			k.list = append(make([]byte, 0, 2*cap(k.list)+4<<10), k.list...)
		}
		n, err := syscall.Pread(k.proc, k.list[len(k.list):cap(k.list)], int64(len(k.list)))
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		k.list = k.list[:len(k.list)+n]
	}
	for rest := k.list; ; {
		var pid int
		if pid, rest = number(rest); pid == 0 {
			return nil
		}
		if k.leaders[pid] == nil {
			k.strays = append(k.strays, pid)
		}
	}
}
