package token

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"vcp.core/runtime/filelock"
)

// Lag is how long a File takes a token without having looked whether it is still in the file: looking costs as much as a
// small call does. Nobody has to know of it: a change of the file that is made by hand counts after it, and [File.Revoke]
// returns after it. The clock is one that never jumps.
const Lag = 100 * time.Millisecond

// File is a file of tokens. It is safe for concurrent use, and so are several of one path, in many processes.
type File struct {
	path   string
	latest atomic.Pointer[sight]

	mu   sync.Mutex
	seen stamp
	list []entry
	lent []entry // of this process alone
}

// sight is what the file held when it was looked at last.
type sight struct {
	at   time.Time // before the look
	list []entry
}

// stamp tells whether a file is still the one that was read.
type stamp struct {
	size int64
	time time.Time
	file os.FileInfo // for os.SameFile: each change is a new file
}

// Open returns the file of this path, which need not exist yet.
func Open(path string) *File { return &File{path: path} }

// Path is where the file is.
func (f *File) Path() string { return f.path }

// document is what the file holds.
type document struct {
	Version int     `json:"version"`
	Tokens  []entry `json:"tokens"`
}

const version = 1

// FormatError says that a file holds no tokens.
type FormatError struct {
	Path string
	Err  error
}

// Error says it in a sentence.
func (e *FormatError) Error() string { return fmt.Sprintf("%s holds no tokens: %v", e.Path, e.Err) }

// Unwrap returns the reason.
func (e *FormatError) Unwrap() error { return e.Err }

// Check returns the token that a text proves, false when it proves none. A file that cannot be read proves nothing;
// the error says so. Only a yes is ever given from memory, and no longer than [Lag]: a token that was made just now is good.
func (f *File) Check(text string) (Token, bool, error) {
	if s := f.latest.Load(); s != nil && time.Since(s.at) < Lag {
		if t, ok := find(s.list, text); ok {
			return t, true, nil
		}
	}
	list, err := f.read()
	if err != nil {
		return Token{}, false, err
	}
	t, ok := find(list, text)
	if !ok {
		f.mu.Lock()
		lent := f.lent // is only appended to
		f.mu.Unlock()
		t, ok = find(lent, text)
	}
	return t, ok, nil
}

// Lend makes a token that is written down nowhere: it is good for this File alone, and ends with the process, however
// that ends. The errors are those of Create, but that no name is taken.
func (f *File) Lend(name string, granted []string, now time.Time) (text string, made Token, err error) {
	granted, err = admissible(name, granted)
	if err != nil {
		return "", Token{}, err
	}
	text, e := mint(name, granted, now)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lent = append(f.lent, e)
	return text, e.made, nil
}

// admissible checks the name and the scopes of a new token, and brings the scopes into order.
func admissible(name string, granted []string) ([]string, error) {
	if !names.MatchString(name) {
		return nil, &NameError{name, "cannot be a token's: letters, digits, blanks and _ - . @ can, 64 at most, a letter or digit first"}
	}
	granted = slices.Compact(slices.Sorted(slices.Values(granted)))
	for _, s := range granted {
		if !scopes.MatchString(s) {
			return nil, &ScopeError{s}
		}
	}
	return granted, nil
}

// List returns the tokens, oldest first.
func (f *File) List() ([]Token, error) {
	list, err := f.read()
	out := make([]Token, len(list))
	for i := range list {
		out[i] = list[i].token() // the caller's own
	}
	return out, err
}

// Create makes a token and returns its text, which nobody can get again. The error is a [*NameError] for a name
// that is taken or cannot be one, a [*ScopeError], or the file's.
func (f *File) Create(name string, granted []string, now time.Time) (text string, made Token, err error) {
	if granted, err = admissible(name, granted); err != nil {
		return "", Token{}, err
	}
	err = f.change(func(list []entry) ([]entry, error) {
		if slices.ContainsFunc(list, func(e entry) bool { return e.Name == name }) {
			return nil, &NameError{name, taken}
		}
		var e entry
		text, e = mint(name, granted, now)
		made = e.made
		return append(list, e), nil
	})
	if err != nil {
		return "", Token{}, err
	}
	return text, made, nil
}

// Revoke removes the token of this name or id. When it returns, no File takes the token any more, in no process: it waits
// for [Lag]. The error is an [*UnknownError] or the file's.
func (f *File) Revoke(name string) error {
	err := f.change(func(list []entry) ([]entry, error) {
		left := slices.DeleteFunc(list, func(e entry) bool { return e.Name == name || e.ID == name })
		if len(left) == len(list) {
			return nil, &UnknownError{name}
		}
		return left, nil
	})
	if err == nil {
		time.Sleep(Lag)
	}
	return err
}

// read looks at the file and returns its entries. They must not be changed.
func (f *File) read() (list []entry, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := time.Now()
	if list, err = f.look(); err != nil {
		f.latest.Store(nil)
		return nil, err
	}
	f.latest.Store(&sight{at, list})
	return list, nil
}

// look returns the entries, which are read when the file is not the one that was read before. The lock is held.
func (f *File) look() ([]entry, error) {
	stat, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		f.seen, f.list = stamp{}, nil
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if f.seen.file != nil && os.SameFile(stat, f.seen.file) && stat.Size() == f.seen.size && stat.ModTime().Equal(f.seen.time) {
		return f.list, nil
	}
	src, err := os.ReadFile(f.path)
	if err != nil {
		return nil, err
	}
	var d document
	if err := json.Unmarshal(src, &d); err != nil {
		return nil, &FormatError{f.path, err}
	}
	if d.Version != version {
		return nil, &FormatError{f.path, fmt.Errorf("version %d", d.Version)}
	}
	for i := range d.Tokens {
		d.Tokens[i].prepare()
	}
	f.seen, f.list = stamp{stat.Size(), stat.ModTime(), stat}, d.Tokens
	return f.list, nil
}

// change reads, changes and replaces the file, one process at a time.
func (f *File) change(edit func([]entry) ([]entry, error)) error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	unlock, err := lock(f.path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	list, err := f.read()
	if err != nil {
		return err
	}
	if list, err = edit(slices.Clone(list)); err != nil {
		return err
	}
	src, err := json.MarshalIndent(document{Version: version, Tokens: list}, "", "  ")
	if err != nil {
		return err
	}
	return replace(f.path, append(src, '\n'))
}

// replace writes a file anew, for its owner alone, so that readers see the old one or the new one.
func replace(path string, src []byte) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tokens-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name())
		}
	}()
	_, err = tmp.Write(src)
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	if err = os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	// A token that was revoked must not be back after a power cut. Not every system can flush a folder; the change counts.
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
	return nil
}

// lockWait is how long a change waits for another one.
const lockWait = 5 * time.Second

// lock takes the lock of a file, which stays there. The lock is the system's: it ends with the process, however that ends,
// and with nothing else. Not even a process that slept over a change of others can write over it.
func lock(path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockWait); ; time.Sleep(10 * time.Millisecond) {
		if err = filelock.Try(file); err == nil {
			return func() { _ = file.Close() }, nil
		}
		if !errors.Is(err, filelock.ErrLocked) {
			break
		}
		if time.Now().After(end) {
			err = fmt.Errorf("another process changes the tokens: %s is locked", filepath.Base(path))
			break
		}
	}
	return nil, errors.Join(err, file.Close())
}
