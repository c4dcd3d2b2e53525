package sqlite

import (
	"errors"

	"golang.org/x/sys/windows"
)

// syncDir does nothing: Windows has no such thing.
func syncDir(string) error { return nil }

func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

func isReadOnly(err error) bool {
	return errors.Is(err, windows.ERROR_WRITE_PROTECT) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}
