package process

import (
	"errors"
	"os"
	"strconv"
	"sync"
	"syscall"
	"unsafe"
)

// attributes put a plugin into a group of its own, and let the system end it when the thread that started it
// ends, which happens when the runtime dies.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// Arguments of waitid(2) that package syscall does not name.
const (
	ofProcess = 1          // P_PID
	leave     = 0x01000000 // WNOWAIT
)

// waitable returns when a child has ended and leaves it to be waited for. Until then its number, which is the
// group's, belongs to nobody else. It reports whether it could wait.
func waitable(pid int) bool {
	var told [128]byte // a siginfo_t, not looked at
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, ofProcess, uintptr(pid), uintptr(unsafe.Pointer(&told)), syscall.WEXITED|leave, 0, 0)
		if !errors.Is(errno, syscall.EINTR) {
			return errno == 0
		}
	}
}

// Arguments of close_range(2), which package syscall does not know. The number is the same on every architecture.
const (
	closeRange  = 436
	afterErrors = 3 // the first descriptor that is no standard stream
	allAfter    = 1<<32 - 1
	markOnly    = 4 // CLOSE_RANGE_CLOEXEC
)

// keepOurs makes sure that plugins inherit none of our descriptors. Those that Go opens are closed in a child
// anyway. This is for what the runtime itself inherited, from a service manager or a shell: it is marked to
// be closed, too, and stays open here. A kernel before 5.11 has no call for all of them.
var keepOurs = sync.OnceFunc(func() {
	if _, _, errno := syscall.Syscall(closeRange, afterErrors, allAfter, markOnly); errno == 0 {
		return
	}
	open, _ := os.ReadDir("/proc/self/fd")
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd >= afterErrors {
			syscall.CloseOnExec(fd)
		}
	}
})

// pipe makes a pipe of which one end is ours. Only that one is given to the poller, and does not block.
func pipe(oursReads bool) (r, w *os.File, err error) {
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	ours := ends[1]
	if oursReads {
		ours = ends[0]
	}
	if err := syscall.SetNonblock(ours, true); err != nil {
		_, _ = syscall.Close(ends[0]), syscall.Close(ends[1])
		return nil, nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(ends[0]), "|0"), os.NewFile(uintptr(ends[1]), "|1"), nil
}
