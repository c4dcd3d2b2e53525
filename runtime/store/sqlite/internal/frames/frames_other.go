//go:build !linux || (!amd64 && !arm64)

package frames

// Register returns "": connections use SQLite's own file system here.
func Register() (string, error) { return "", nil }
