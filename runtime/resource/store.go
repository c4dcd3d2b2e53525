package resource

import (
	"context"
	"fmt"
	"io"
	"io/fs"
)

// Store keeps bytes under their own hash. It is safe for concurrent use.
type Store interface {
	// Put keeps what r gives and says what it was. When that is more than limit bytes it keeps nothing and
	// returns a [*TooLargeError]; the same for an error of r or the end of the context. What Put returned
	// without an error is durable, and was never visible in part. Bytes that are there already are not kept twice.
	Put(ctx context.Context, r io.Reader, limit int64) (Blob, error)
	// Open reads what Put kept, [*NotStoredError] when there is nothing of this hash.
	Open(ctx context.Context, sha256 string) (io.ReadSeekCloser, error)
}

// Blob is what a store knows about bytes.
type Blob struct {
	SHA256 string // lower-case hexadecimal
	Size   int64
}

// TooLargeError says that there were more bytes than the limit.
type TooLargeError struct{ Limit int64 }

// Error names the limit.
func (e *TooLargeError) Error() string { return fmt.Sprintf("more than %d bytes", e.Limit) }

// NotStoredError says that a store has nothing under a hash. It is an [fs.ErrNotExist].
type NotStoredError struct{ SHA256 string }

// Error names the hash.
func (e *NotStoredError) Error() string { return fmt.Sprintf("nothing is stored under %q", e.SHA256) }

// Is makes errors.Is(err, fs.ErrNotExist) true.
func (e *NotStoredError) Is(target error) bool { return target == fs.ErrNotExist }
