//go:build unix && !linux

package kept

import "syscall"

// write writes to a descriptor that does not block.
func write(fd uintptr, text []byte) (int, error) {
	n, err := syscall.Write(int(fd), text)
	return max(n, 0), err
}
