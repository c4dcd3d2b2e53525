//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Try takes the lock of an open file without waiting. The error is [ErrLocked], or what the system says.
func Try(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrLocked
		default:
			return err
		}
	}
}
