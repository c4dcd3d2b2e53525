//go:build !unix

package http_test

import "time"

var start = time.Now()

// spent is the time since the start, where processor time is not known.
func spent() time.Duration { return time.Since(start) }
