//go:build unix

package sdk

import (
	"io"
	"os"
	"syscall"
)

// polled returns the standard input so that a goroutine that waits for it holds no thread. A kept worker waits while
// handlers work; a thread that blocks in read would have to be replaced for each call. Only a pipe is changed: it is
// ours alone.
func polled(stdin *os.File) io.Reader {
	stat, err := stdin.Stat()
	if err != nil || stat.Mode()&os.ModeNamedPipe == 0 || syscall.SetNonblock(syscall.Stdin, true) != nil {
		return stdin
	}
	return os.NewFile(uintptr(syscall.Stdin), stdin.Name())
}
