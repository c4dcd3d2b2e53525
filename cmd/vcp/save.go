package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"vcp.core/contract/wire"
	"vcp.core/runtime/blob/disk"
	"vcp.core/runtime/result"
)

// storedFile is a resource of a result that has bytes here.
type storedFile struct {
	id   string // res_…
	name string // the plugin's name for it, tamed; "" when it gave none
	path string // of the bytes, which nobody may write to
}

// filesOf lists the resources of a result that have bytes in a store. A resource of another server has none and is
// passed over.
func filesOf(store *disk.Store, res *result.Sealed) ([]storedFile, error) {
	var t wire.Tape
	if err := t.Scan([]byte(res.Member(result.Resources)), wire.Limits{}); err != nil {
		return nil, err
	}
	var files []storedFile
	for at := t.FirstChild(t.Root()); at < t.Next(t.Root()); at = t.Next(at) {
		hash := textOf(&t, at, "sha256")
		if hash == "" || store == nil {
			continue
		}
		path, err := store.Path(hash)
		if err != nil {
			return nil, err
		}
		files = append(files, storedFile{id: textOf(&t, at, "id"), name: plainName(textOf(&t, at, "fileName")), path: path})
	}
	return files, nil
}

// save copies the resources of a result into a folder, and names the files on standard error.
func (a *app) save(store *disk.Store, res *result.Sealed, dir string) error {
	files, err := filesOf(store, res)
	if err != nil {
		return err
	}
	for _, f := range files {
		name := f.id
		if f.name != "" {
			name += "-" + f.name
		}
		if err := copyInto(dir, name, f.path); err != nil {
			return err
		}
		a.sayf("vcp: saved %s", filepath.Join(dir, name))
	}
	return nil
}

// textOf is a member of an object, "" when it is no string.
func textOf(t *wire.Tape, at int, name string) string {
	if m, there := t.Find(at, name); there && t.Kind(m) == wire.KindString {
		return t.String(m)
	}
	return ""
}

// plainName is what a plugin's name for a file leaves when nothing in it can mean something to a file system, a
// shell or a terminal: its end, in letters, digits, dots, hyphens and underscores.
func plainName(name string) string {
	const longest = 50
	runes := []rune(name)
	runes = runes[max(0, len(runes)-longest):]
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r) {
			return r
		}
		return '_'
	}, string(runes))
}

// copyInto copies a file into a folder, which is made when it is not there yet.
func copyInto(dir, name, from string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	out, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	_, err = io.Copy(out, src)
	return errors.Join(err, out.Close())
}
