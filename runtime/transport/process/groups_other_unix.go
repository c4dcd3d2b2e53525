//go:build unix && !linux

package process

import (
	"os"
	"syscall"
)

// attributes put a plugin into a group of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// waitable cannot wait: package syscall has no waitid here. The group is then killed right after its leader was
// waited for, in the hope that nobody got the number in between.
func waitable(int) bool { return false }

// keepOurs does nothing: what the runtime inherited and did not mark, its plugins inherit as well.
func keepOurs() {}

// pipe makes a pipe. Package os makes the end of a child block when it is handed over.
func pipe(bool) (r, w *os.File, err error) { return os.Pipe() }
