// Package filelock locks open files, so that one process at a time does what the lock is for. The system gives a lock back when
// its process ends, however it ends. It never waits, and never makes or removes a file.
package filelock

import "errors"

// ErrLocked says that another open file, of this process or of another one, has the lock.
var ErrLocked = errors.New("the file is locked")
