package stdio

import (
	"errors"
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
