//go:build unix

package kept

import (
	"errors"
	"syscall"
)

// attempt writes as much of a text as there is room for, without waiting. An error says that nothing will ever be
// read any more.
func attempt(raw syscall.RawConn, text []byte) (n int, err error) {
	failed := raw.Write(func(fd uintptr) bool {
		for {
			n, err = write(fd, text)
			if !errors.Is(err, syscall.EINTR) {
				return true
			}
		}
	})
	switch {
	case failed != nil:
		return n, failed
	case errors.Is(err, syscall.EAGAIN):
		return n, nil
	}
	return n, err
}
