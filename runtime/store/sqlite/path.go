package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// This file deals with where the files are.

// mostLinks is how many links to links are followed, as on Linux.
const mostLinks = 40

// follow returns where a file is that may be a link, to a link, to one that is not made yet. SQLite follows links, too: what
// belongs to a file has the name of the file, and the store, which flushes its log, has to find it there.
func follow(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for range mostLinks {
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil //nolint:nilerr // it is no link
		}
		if !filepath.IsAbs(to) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(path)) // or .. would be somewhere else
			if err != nil {
				return "", err
			}
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return "", &fs.PathError{Op: "open", Path: path, Err: errLinks}
}

var errLinks = errors.New("a link that leads nowhere")

// makeDir makes a folder and flushes its name.
func makeDir(dir string) error {
	if stat, err := os.Stat(dir); err == nil && stat.IsDir() {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return syncDir(filepath.Dir(dir))
}
