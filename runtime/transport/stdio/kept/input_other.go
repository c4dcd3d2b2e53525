//go:build !linux

package kept

import "syscall"

// unread does not know.
func unread(syscall.RawConn) int { return -1 }
