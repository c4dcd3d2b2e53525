//go:build unix

package fuzz

import (
	"os"
	"syscall"
)

// dup opens a file once more.
func dup(f *os.File) (*os.File, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	fd, failed := -1, error(nil)
	if err := raw.Control(func(old uintptr) { fd, failed = syscall.Dup(int(old)) }); err != nil || failed != nil {
		return nil, failed
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}
