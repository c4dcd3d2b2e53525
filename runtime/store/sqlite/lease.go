package sqlite

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vcp.core/runtime/filelock"
)

// This file deals with the question whether another process lives. Each process that writes holds the lock of a file
// with a name of its own. The system takes the lock away when the process ends, however it ends; a process id
// would be somebody else's by then.

// lease is a locked file.
type lease struct {
	path string
	file *os.File
}

// owners is the folder of the locked files.
func (d *database) owners() string { return d.path + "-owners" }

// lease makes this process an owner, once, and removes the files of owners that are gone.
func (d *database) lease() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.owner != nil {
		return nil
	}
	if err := os.Mkdir(d.owners(), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	d.sweep()
	// Locked first and named then: nobody finds it unlocked.
	f, err := os.CreateTemp(d.owners(), "new-*")
	if err != nil {
		return err
	}
	path := filepath.Join(d.owners(), rand.Text())
	if err = errors.Join(filelock.Try(f), os.Rename(f.Name(), path)); err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	d.owner = &lease{path: path, file: f}
	return nil
}

// release gives the lease back.
func (d *database) release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.owner != nil {
		d.owner.end()
		_ = os.Remove(d.owner.path)
		d.owner = nil
	}
}

func (l *lease) end() { _ = l.file.Close() }

// sweep removes the files of dead owners. Their intents do not need them: an owner without a file is dead.
func (d *database) sweep() {
	entries, err := os.ReadDir(d.owners())
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Name() == migration || strings.HasPrefix(e.Name(), "new-") && recent(e) {
			continue
		}
		if alive, err := d.lives(e.Name()); err == nil && !alive {
			_ = os.Remove(filepath.Join(d.owners(), e.Name()))
		}
	}
}

// recent says that a file that has no name yet may be getting one.
func recent(e fs.DirEntry) bool {
	stat, err := e.Info()
	return err != nil || time.Since(stat.ModTime()) < time.Minute
}

// lives says whether the owner of this name has its file locked.
func (d *database) lives(name string) (bool, error) {
	if name == "" || name != filepath.Base(name) {
		return false, nil
	}
	// For reading: the disk may be read-only, and the owner another user.
	f, err := os.Open(filepath.Join(d.owners(), name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = filelock.Try(f)
	_ = f.Close()
	if errors.Is(err, filelock.ErrLocked) {
		return true, nil
	}
	return false, err
}

// migration names the file that is locked while tables are changed.
const migration = "migration"

// hold waits for the lock of a file.
func hold(ctx context.Context, path string) (*lease, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := filelock.Try(f)
		if err == nil {
			return &lease{path: path, file: f}, nil
		}
		if errors.Is(err, filelock.ErrLocked) {
			select {
			case <-time.After(10 * time.Millisecond):
				continue
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		return nil, errors.Join(err, f.Close())
	}
}
