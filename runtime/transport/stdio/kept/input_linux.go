package kept

import (
	"syscall"
	"unsafe"
)

// unread returns how many bytes are in a pipe, -1 when that is not known. Either end of the pipe can tell, also when
// nobody holds the other one.
func unread(raw syscall.RawConn) int {
	var n int32
	var errno syscall.Errno
	err := raw.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ, uintptr(unsafe.Pointer(&n)))
	})
	if err != nil || errno != 0 {
		return -1
	}
	return int(n)
}
