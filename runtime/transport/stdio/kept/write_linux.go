package kept

import (
	"syscall"
	"unsafe"
)

// write writes to a descriptor that does not block. Go is not told of the system call: it would wake up the thread that
// watches over calls which take long, every time, and that costs more than the write.
func write(fd uintptr, text []byte) (int, error) {
	n, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(unsafe.Pointer(unsafe.SliceData(text))), uintptr(len(text)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
