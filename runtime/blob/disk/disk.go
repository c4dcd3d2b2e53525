// Package disk keeps resources in a folder, each file named by the SHA-256 of its bytes.
//
// Data flow: reader -> a file in tmp, hashed while it is written, flushed -> renamed to its place, the
// folder flushed. So a file that has its final name is whole, and what Put has returned survives a crash.
// The layout:
//
//	DIR/ab/ab12…   the bytes whose hash is ab12…, read-only, one of 256 folders
//	DIR/tmp/…      what is being written; left over only by a process that was killed
//
// Several processes may use one folder. The package never changes or deletes what it keeps, and knows
// nothing about who needs it.
package disk

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vcp.core/runtime/resource"
)

// Store is a folder of blobs. It implements [resource.Store].
type Store struct {
	dir  string
	made [256]atomic.Bool // folders that are known to be there for good
	bufs sync.Pool        // of *[]byte, each bufferSize
}

var _ resource.Store = (*Store)(nil)

const (
	tmp        = "tmp"
	bufferSize = 256 << 10
	// abandoned is the age at which a file of tmp cannot be in anybody's hands any more: each write renews it.
	abandoned = time.Hour
)

// New returns a store in the given folder, which is made when it is not there, and removes what killed
// processes left in it.
func New(dir string) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, tmp), 0o700); err != nil {
		return nil, err
	}
	s := &Store{dir: dir}
	s.bufs.New = func() any { b := make([]byte, bufferSize); return &b }
	return s, s.sweep(time.Now().Add(-abandoned))
}

// sweep removes files of tmp that nobody has written to since the given time.
func (s *Store) sweep(before time.Time) error {
	entries, err := os.ReadDir(filepath.Join(s.dir, tmp))
	if err != nil {
		return err
	}
	for _, e := range entries {
		stat, err := e.Info()
		if err != nil || !stat.ModTime().Before(before) {
			continue // gone meanwhile, or in use
		}
		if err := os.Remove(filepath.Join(s.dir, tmp, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Put implements [resource.Store].
func (s *Store) Put(ctx context.Context, r io.Reader, limit int64) (blob resource.Blob, err error) {
	name := filepath.Join(s.dir, tmp, rand.Text())
	// The mode is for those who open the file later: it is never written to again.
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if errors.Is(err, fs.ErrNotExist) { // somebody cleaned up
		if err = os.MkdirAll(filepath.Dir(name), 0o700); err == nil {
			f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
		}
	}
	if err != nil {
		return resource.Blob{}, err
	}
	defer func() {
		if f != nil {
			_ = f.Close()
		}
		if err != nil {
			_ = os.Remove(name)
		}
	}()
	h := sha256.New()
	size, err := s.copy(ctx, f, h, r, limit)
	if err != nil {
		return resource.Blob{}, err
	}
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	blob = resource.Blob{SHA256: hex.EncodeToString(sum[:]), Size: size}
	place := s.place(blob.SHA256)
	if err := s.folder(sum[0]); err != nil {
		return resource.Blob{}, err
	}
	if whole(place, size) {
		err := f.Close()
		f = nil
		return blob, errors.Join(err, os.Remove(name), syncDir(filepath.Dir(place)))
	}
	err = f.Sync()
	err = errors.Join(err, f.Close())
	f = nil
	if err != nil {
		return resource.Blob{}, err
	}
	err = os.Rename(name, place)
	if errors.Is(err, fs.ErrNotExist) {
		s.made[sum[0]].Store(false)
		if err = s.folder(sum[0]); err == nil {
			err = os.Rename(name, place)
		}
	}
	if err != nil {
		// Where an open file cannot be replaced, somebody reads what another Put has just stored.
		if !whole(place, size) {
			return resource.Blob{}, err
		}
		_ = os.Remove(name)
	}
	return blob, syncDir(filepath.Dir(place))
}

// copy writes what r gives, limit bytes at most, and hashes it.
func (s *Store) copy(ctx context.Context, w io.Writer, h hash.Hash, r io.Reader, limit int64) (size int64, err error) {
	buf := s.bufs.Get().(*[]byte)
	defer s.bufs.Put(buf)
	for idle := 0; ; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n, err := r.Read(*buf)
		size += int64(n)
		if size > limit {
			return 0, &resource.TooLargeError{Limit: limit}
		}
		if n > 0 {
			idle = 0
			chunk := (*buf)[:n]
			_, _ = h.Write(chunk) // a hash never fails
			if _, err := w.Write(chunk); err != nil {
				return 0, err
			}
		} else if idle++; idle > 100 && err == nil {
			return 0, io.ErrNoProgress
		}
		switch {
		case errors.Is(err, io.EOF):
			return size, nil
		case err != nil:
			return 0, err
		}
	}
}

// folder makes one of the 256 folders. One that another process has made may not be durable yet.
func (s *Store) folder(b byte) error {
	if s.made[b].Load() {
		return nil
	}
	if err := os.Mkdir(filepath.Join(s.dir, hex.EncodeToString([]byte{b})), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := syncDir(s.dir); err != nil {
		return err
	}
	s.made[b].Store(true)
	return nil
}

// Open implements [resource.Store].
func (s *Store) Open(_ context.Context, sha256 string) (io.ReadSeekCloser, error) {
	path, err := s.Path(sha256)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &resource.NotStoredError{SHA256: sha256}
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Path returns the file that holds the bytes of a hash, a [*resource.NotStoredError] when there is none. Nobody
// may write to it.
func (s *Store) Path(sha256 string) (string, error) {
	if !isHash(sha256) {
		return "", &resource.NotStoredError{SHA256: sha256}
	}
	path := s.place(sha256)
	if stat, err := os.Lstat(path); err != nil || !stat.Mode().IsRegular() {
		return "", &resource.NotStoredError{SHA256: sha256}
	}
	return path, nil
}

func (s *Store) place(sha256 string) string { return filepath.Join(s.dir, sha256[:2], sha256) }

// whole reports whether a blob is at its place. A file of another size was damaged from outside; the next
// Put of the same bytes repairs it.
func whole(place string, size int64) bool {
	stat, err := os.Lstat(place)
	return err == nil && stat.Mode().IsRegular() && stat.Size() == size
}

// isHash keeps everything but a hash out of paths.
func isHash(s string) bool {
	return len(s) == 2*sha256.Size && strings.Trim(s, "0123456789abcdef") == ""
}

// syncDir makes the names in a folder durable. Windows has no such call and needs none.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("flush a folder: %w", err)
	}
	return nil
}
