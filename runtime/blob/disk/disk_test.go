package disk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"vcp.core/runtime/resource"
)

func open(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := New(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// listing returns the files below a folder, by their paths in it.
func listing(t testing.TB, dir string) map[string]fs.FileInfo {
	t.Helper()
	found := map[string]fs.FileInfo{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		found[filepath.ToSlash(rel)], err = d.Info()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func read(t testing.TB, s *Store, hash string) []byte {
	t.Helper()
	r, err := s.Open(t.Context(), hash)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestPut(t *testing.T) {
	for _, size := range []int{0, 1, 4095, bufferSize, bufferSize + 1, 3 << 20} {
		dir := t.TempDir()
		s := open(t, dir)
		content := bytes.Repeat([]byte("abcdefg"), size/7+1)[:size]
		want := resource.Blob{SHA256: hashOf(content), Size: int64(size)}
		// Readers that give one byte at a time, data with the end, or nothing now and then are all lawful.
		for i, r := range []io.Reader{bytes.NewReader(content), iotest.DataErrReader(bytes.NewReader(content)), iotest.HalfReader(bytes.NewReader(content))} {
			got, err := s.Put(t.Context(), r, int64(size))
			if err != nil || got != want {
				t.Fatalf("%d bytes, reader %d: %+v, %v, want %+v", size, i, got, err, want)
			}
		}
		name := want.SHA256[:2] + "/" + want.SHA256
		found := listing(t, dir)
		if len(found) != 1 || found[name] == nil || found[name].Mode() != 0o400 || found[name].Size() != int64(size) {
			t.Errorf("the folder holds %v, want %s alone, read-only", found, name)
		}
		if !bytes.Equal(read(t, s, want.SHA256), content) {
			t.Error("other bytes came back")
		}
	}
}

func TestRefusedPutsLeaveNothing(t *testing.T) {
	broken := errors.New("broken")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context
		r    io.Reader
		is   func(error) bool
	}{
		{"too large", t.Context(), strings.NewReader("12345"), func(err error) bool {
			e, ok := errors.AsType[*resource.TooLargeError](err)
			return ok && e.Limit == 4
		}},
		{"endless", t.Context(), zeros{}, func(err error) bool { _, ok := errors.AsType[*resource.TooLargeError](err); return ok }},
		{"a reader that fails", t.Context(), io.MultiReader(strings.NewReader("123"), iotest.ErrReader(broken)), func(err error) bool { return errors.Is(err, broken) }},
		{"a reader that gives nothing", t.Context(), nothing{}, func(err error) bool { return errors.Is(err, io.ErrNoProgress) }},
		{"cancelled", cancelled, strings.NewReader("123"), func(err error) bool { return errors.Is(err, context.Canceled) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			blob, err := open(t, dir).Put(tt.ctx, tt.r, 4)
			if !tt.is(err) || blob != (resource.Blob{}) {
				t.Errorf("%+v, %v", blob, err)
			}
			if found := listing(t, dir); len(found) != 0 {
				t.Errorf("left over: %v", found)
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, nil }

func TestNamesThatAreNoHash(t *testing.T) {
	s := open(t, t.TempDir())
	blob, err := s.Put(t.Context(), strings.NewReader("x"), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"", "ab", "../" + blob.SHA256[3:], strings.ToUpper(blob.SHA256), blob.SHA256 + "0", "tmp/" + blob.SHA256[4:],
		strings.Repeat(".", 64), strings.Repeat("0", 64), blob.SHA256[:63] + "\x00",
	} {
		if _, err := s.Open(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open(%q): %v", name, err)
		}
		if path, err := s.Path(name); path != "" || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Path(%q): %q, %v", name, path, err)
		}
	}
	if path, err := s.Path(blob.SHA256); err != nil || !filepath.IsAbs(path) {
		t.Errorf("Path: %q, %v", path, err)
	}
}

// A blob that lost bytes is repaired by the next Put of it.
func TestDamageIsRepaired(t *testing.T) {
	s := open(t, t.TempDir())
	blob, err := s.Put(t.Context(), strings.NewReader("whole"), 9)
	if err != nil {
		t.Fatal(err)
	}
	path, err := s.Path(blob.SHA256)
	if err == nil {
		err = errors.Join(os.Chmod(path, 0o600), os.Truncate(path, 2))
	}
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.Put(t.Context(), strings.NewReader("whole"), 9); err != nil || again != blob {
		t.Fatalf("%+v, %v", again, err)
	}
	if got := read(t, s, blob.SHA256); string(got) != "whole" {
		t.Errorf("got %q", got)
	}
}

// Many callers put the same few contents at once, over two stores of one folder, while others read.
func TestConcurrentPuts(t *testing.T) {
	dir := t.TempDir()
	stores := []*Store{open(t, dir), open(t, dir)}
	contents := make([][]byte, 4)
	for i := range contents {
		contents[i] = bytes.Repeat([]byte{byte(i)}, 100_000+i)
	}
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			s, content := stores[i%2], contents[i/2%4]
			for range 5 {
				blob, err := s.Put(context.Background(), bytes.NewReader(content), 1<<20)
				if err != nil || blob.SHA256 != hashOf(content) {
					t.Errorf("%+v, %v", blob, err)
					return
				}
				r, err := s.Open(context.Background(), blob.SHA256)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := io.ReadAll(r)
				_ = r.Close()
				if err != nil || !bytes.Equal(got, content) {
					t.Errorf("%d bytes of %d, %v", len(got), len(content), err)
				}
			}
		})
	}
	all.Wait()
	if found := listing(t, dir); len(found) != len(contents) {
		t.Errorf("the folder holds %v", found)
	}
}

// Only what nobody can be writing any more is swept.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	blob, err := s.Put(t.Context(), strings.NewReader("kept"), 9)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * abandoned)
	for _, name := range []string{"OLD", "NEW"} {
		if err := os.WriteFile(filepath.Join(dir, tmp, name), []byte("half"), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	path, err := s.Path(blob.SHA256)
	if err := errors.Join(err, os.Chtimes(filepath.Join(dir, tmp, "OLD"), old, old), os.Chtimes(path, old, old)); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
	found := listing(t, dir)
	if len(found) != 2 || found["tmp/NEW"] == nil || found["tmp/OLD"] != nil {
		t.Errorf("the folder holds %v", found)
	}
}

func TestFolderThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(filepath.Join(file, "below")); err == nil {
		t.Error("a store below a file")
	}
}

// BenchmarkPut compares a Put with the least that it has to do: write, flush, hash.
func BenchmarkPut(b *testing.B) {
	for _, size := range []int{20 << 10, 1 << 20, 16 << 20} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			dir := b.TempDir()
			s := open(b, dir)
			content := make([]byte, size)
			var ours, bare time.Duration
			n := 0
			for b.Loop() {
				n++
				copy(content, fmt.Sprint("ours", n))
				start := time.Now()
				if _, err := s.Put(b.Context(), bytes.NewReader(content), int64(size)); err != nil {
					b.Fatal(err)
				}
				ours += time.Since(start)
				copy(content, fmt.Sprint("bare", n))
				start = time.Now()
				if err := writeBare(filepath.Join(dir, fmt.Sprint("bare", n)), content); err != nil {
					b.Fatal(err)
				}
				bare += time.Since(start)
			}
			b.ReportMetric(float64(ours)/float64(bare), "ratio")
			b.ReportMetric(float64(ours.Microseconds())/float64(n), "µs/put")
			b.ReportMetric(float64(bare.Microseconds())/float64(n), "µs/bare")
		})
	}
}

func writeBare(name string, content []byte) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_ = sha256.Sum256(content)
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}

// A folder that somebody cleaned up while the store is in use is made anew.
func TestFoldersThatGo(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for _, gone := range []string{"", tmp, hashOf([]byte("content"))[:2]} {
		if _, err := s.Put(t.Context(), strings.NewReader("content"), 100); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(dir, gone)); err != nil {
			t.Fatal(err)
		}
		blob, err := s.Put(t.Context(), strings.NewReader("content"), 100)
		if err != nil || string(read(t, s, blob.SHA256)) != "content" {
			t.Errorf("without %q: %v", gone, err)
		}
	}
}
