//go:build unix && !linux

package process

import (
	"os"
	"syscall"
)

// read reads from a descriptor that does not block.
func read(fd uintptr, p []byte) (int, error) {
	n, err := syscall.Read(int(fd), p)
	return max(n, 0), err
}

// reading returns what reads from a pipe, and waits until there is something.
func reading(f *os.File) func([]byte) (int, error) { return f.Read }
