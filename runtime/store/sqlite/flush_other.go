//go:build !linux

package sqlite

import "os"

// flushData flushes a file; on macOS past the cache of the disk.
func flushData(f *os.File) error { return f.Sync() }
