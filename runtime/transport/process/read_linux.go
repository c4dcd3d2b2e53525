package process

import (
	"os"
	"syscall"
	"unsafe"
)

// read reads from a descriptor that does not block. Go is not told of the system call: it would wake up the thread that
// watches over calls which take long, every time, and that costs more than the read.
func read(fd uintptr, p []byte) (int, error) {
	n, _, errno := syscall.RawSyscall(syscall.SYS_READ, fd, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// reading returns what reads from a pipe, and waits until there is something.
func reading(f *os.File) func([]byte) (int, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return f.Read
	}
	var flags uintptr
	if raw.Control(func(fd uintptr) { flags, _, _ = syscall.RawSyscall(syscall.SYS_FCNTL, fd, syscall.F_GETFL, 0) }) != nil || flags&syscall.O_NONBLOCK == 0 {
		return f.Read
	}
	return func(p []byte) (int, error) { return once(raw, p, true) }
}
