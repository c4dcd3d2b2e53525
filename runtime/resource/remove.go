package resource

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
)

// mostRemoved is how many names one removal looks at: somebody may be making files faster than they go.
const mostRemoved = 1 << 22

// EndlessError says that a folder has more in it than is removed at once.
type EndlessError struct{ Removed int }

// Error tells how much was removed.
func (e *EndlessError) Error() string {
	return fmt.Sprintf("a folder still has files after %d of them were removed", e.Removed)
}

// removeAll removes a folder with everything in it. What is no folder, or not there, is removed as well.
//
// Unlike [os.Root.RemoveAll] it has two descriptors open at a time, not one for each level: a plugin can nest
// folders until nobody in this process gets a descriptor any more. So a folder that is not empty is moved up to
// the top before it is emptied, and nothing ever lies deeper than two levels.
func removeAll(root *os.Root, top string) error {
	if gone(root, top) {
		return nil
	}
	r := remover{root: root, top: top}
	for {
		found := r.looked
		err := r.each(top, func(folder string) error {
			err := r.each(folder, r.lift)
			if err == nil {
				err = root.Remove(folder)
			}
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
		if r.looked == found { // it was empty
			if err := root.Remove(top); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		}
	}
}

type remover struct {
	root   *os.Root
	top    string
	looked int // names
	lifted int // folders
}

// gone removes a file, a link or an empty folder, and reports whether nothing of the name is left.
func gone(root *os.Root, name string) bool {
	err := root.Remove(name)
	return err == nil || errors.Is(err, fs.ErrNotExist)
}

// each removes what is in a folder and does what is to be done with folders that are not empty.
func (r *remover) each(folder string, full func(name string) error) error {
	f, err := r.root.Open(folder)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	for {
		names, err := f.Readdirnames(1024)
		for _, name := range names {
			if r.looked++; r.looked > mostRemoved {
				return &EndlessError{Removed: mostRemoved}
			}
			if name = path.Join(folder, name); !gone(r.root, name) {
				if err := full(name); err != nil {
					return err
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// lift moves a folder up to the top, under a name that nobody uses.
func (r *remover) lift(name string) error {
	for range 1000 {
		r.lifted++
		to := path.Join(r.top, "lifted-"+strconv.Itoa(r.lifted))
		if _, err := r.root.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return r.root.Rename(name, to)
		}
	}
	return fs.ErrExist
}
