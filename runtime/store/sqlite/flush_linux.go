package sqlite

import (
	"os"
	"syscall"
)

// flushData flushes what a file holds and what is needed to find that, but not the times of the file.
func flushData(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var flushed error
	err = raw.Control(func(fd uintptr) {
		for {
			if flushed = syscall.Fdatasync(int(fd)); flushed != syscall.EINTR {
				return
			}
		}
	})
	if err == nil && flushed != nil {
		err = os.NewSyscallError("fdatasync", flushed)
	}
	return err
}
