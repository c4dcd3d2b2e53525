//go:build !unix

package shared

import "time"

var began = time.Now()

// Worked is the time since the process has begun: here the system is not asked for the time that the processor worked.
func Worked() time.Duration { return time.Since(began) }
