//go:build unix

package shared

import (
	"syscall"
	"time"
)

// Worked is the processor time that this process has used. What is measured by it is the same on a machine that has other
// things to do as well, or that stops for seconds.
func Worked() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
