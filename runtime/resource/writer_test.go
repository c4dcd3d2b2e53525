package resource_test

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime/resource"
)

func TestWriter(t *testing.T) {
	dir := t.TempDir()
	w := &resource.Writer{Dir: dir, Call: "ti_1", Limits: resource.Limits{Count: 3, Size: 5, Total: 12}.Filled()}
	if err := w.Close(); err != nil {
		t.Errorf("a writer that was not used: %v", err)
	}
	w = &resource.Writer{Dir: dir, Call: "ti_1", Limits: w.Limits}
	draft, err := w.Write(call.Draft{ID: `a"`, Kind: "text", MIMEType: "text/plain", FileName: "a.txt"}, strings.NewReader("12345"))
	want := `{"id":"a\"","kind":"text","role":"output","mimeType":"text/plain","fileName":"a.txt","localPath":"out/ti_1/0"}`
	if err != nil || string(draft) != want {
		t.Errorf("got  %s, %v\nwant %s", draft, err, want)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "out", "ti_1", "0")); err != nil || string(got) != "12345" {
		t.Errorf("%q, %v", got, err)
	}
	broken := errors.New("broken")
	for _, tt := range []struct {
		r  io.Reader
		is func(error) bool
	}{
		{strings.NewReader("123456"), func(err error) bool {
			e, ok := errors.AsType[*resource.TooLargeError](err)
			return ok && e.Limit == 5
		}},
		{iotest.ErrReader(broken), func(err error) bool { return errors.Is(err, broken) }},
		{strings.NewReader("1"), func(err error) bool {
			e, ok := errors.AsType[*resource.CountError](err)
			return ok && e.Limit == 3
		}},
	} {
		if draft, err := w.Write(call.Draft{ID: "b", Kind: "other", Role: "log"}, tt.r); draft != nil || !tt.is(err) {
			t.Errorf("%s, %v", draft, err)
		}
	}
	files, err := os.ReadDir(filepath.Join(dir, "out", "ti_1"))
	if err != nil || len(files) != 1 {
		t.Errorf("halves are left: %v, %v", files, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if files, err := os.ReadDir(filepath.Join(dir, "out")); err != nil || len(files) != 0 {
		t.Errorf("left: %v, %v", files, err)
	}
	if _, err := w.Write(call.Draft{ID: "c"}, strings.NewReader("")); !isClosed(err) {
		t.Errorf("after the end: %v", err)
	}
}

func isClosed(err error) bool {
	_, ok := errors.AsType[*resource.ClosedError](err)
	return ok
}

// A handler that is in the middle of writing when its call ends is stopped, and leaves nothing.
func TestWriterIsClosedWhileItWrites(t *testing.T) {
	dir := t.TempDir()
	w := &resource.Writer{Dir: dir, Call: "ti_1", Limits: resource.Limits{Size: 32 << 20}.Filled()}
	begun := make(chan struct{})
	var once sync.Once
	done := make(chan error)
	go func() {
		_, err := w.Write(call.Draft{ID: "a"}, endless(func() { once.Do(func() { close(begun) }) }))
		done <- err
	}()
	<-begun
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !isClosed(err) {
		t.Errorf("the write ended with %v", err)
	}
	if files, err := os.ReadDir(filepath.Join(dir, "out")); err != nil || len(files) != 0 {
		t.Errorf("left: %v, %v", files, err)
	}
}

// endless gives zeros and says so: one at a time, or whoever is late to end it would meet the limit of sizes.
type endless func()

func (e endless) Read(p []byte) (int, error) { e(); clear(p[:1]); return 1, nil }

// A plugin that puts a link where the folder out belongs does not make the core write somewhere else.
func TestWriterStaysInside(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(dir, "out")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	w := &resource.Writer{Dir: dir, Call: "ti_1", Limits: resource.Limits{}.Filled()}
	if draft, err := w.Write(call.Draft{ID: "a"}, strings.NewReader("x")); err == nil {
		t.Errorf("it wrote %s", draft)
	}
	write(t, elsewhere, "ti_1/precious", nil)
	_ = resource.Remove(dir, "ti_1")
	_ = resource.Sweep(dir, time.Now().Add(1000*time.Hour))
	if _, err := os.Stat(filepath.Join(elsewhere, "ti_1", "precious")); err != nil {
		t.Errorf("something outside was removed: %v", err)
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	if err := resource.Sweep(dir, time.Now()); err != nil {
		t.Errorf("nothing to sweep: %v", err)
	}
	write(t, dir, "out/ti_old/0", nil)
	write(t, dir, "out/ti_new/0", nil)
	write(t, dir, "own", nil)
	old := time.Now().Add(-48 * time.Hour)
	must := os.Chtimes(filepath.Join(dir, "out", "ti_old"), old, old)
	if err := errors.Join(must, os.Chtimes(filepath.Join(dir, "own"), old, old), resource.Sweep(dir, time.Now())); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"out/ti_old": false, "out/ti_new/0": true, "own": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) == want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkPublish compares a resource of 1 MiB on its way through with the least that has to be done for it:
// bare reads, hashes, writes and flushes it; named also gives it its name durably, which is a second flush.
func BenchmarkPublish(b *testing.B) {
	const size = 1 << 20
	p, _ := publisher(b, resource.Limits{})
	dir := b.TempDir()
	content := make([]byte, size)
	src := payload(`{"image":{"$resource":"r"}}`, `{"id":"r","kind":"binary","role":"output","localPath":"file"}`)
	var took [3]time.Duration
	n := 0
	for b.Loop() {
		n++
		copy(content, time.Now().String())
		write(b, dir, "file", content)
		for i, do := range []func() error{
			func() error { _, err := publish(b, p, dir, src); return err },
			func() error { return copyBare(dir, "file", "bare") },
			func() error { return copyNamed(dir, "file", "named") },
		} {
			start := time.Now()
			if err := do(); err != nil {
				b.Fatal(err)
			}
			took[i] += time.Since(start)
		}
	}
	b.ReportMetric(float64(took[0])/float64(took[1]), "x-bare")
	b.ReportMetric(float64(took[0])/float64(took[2]), "x-named")
	b.ReportMetric(float64(took[0].Microseconds())/float64(n), "µs/publish")
}

func copyBare(dir, from, to string) error {
	content, err := os.ReadFile(filepath.Join(dir, from))
	if err != nil {
		return err
	}
	_ = sha256.Sum256(content)
	f, err := os.Create(filepath.Join(dir, to))
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}

func copyNamed(dir, from, to string) error {
	if err := copyBare(dir, from, to+".tmp"); err != nil {
		return err
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(os.Rename(filepath.Join(dir, to+".tmp"), filepath.Join(dir, to)), f.Sync(), f.Close())
}

// BenchmarkRead is what a payload without resources pays.
func BenchmarkRead(b *testing.B) {
	p, _ := publisher(b, resource.Limits{})
	for _, bb := range []struct{ name, data string }{
		{"1KB", `[` + strings.Repeat(`{"id":"sch_01J","time":"2026-07-12T10:00:00+08:00","n":[1,2.5,null]},`, 14) + `{}]`},
		{"text1MB", `"` + strings.Repeat("a long text with \\n escapes ", 40_000) + `"`},
	} {
		b.Run(bb.name, func(b *testing.B) {
			tape := scanned(b, payload(bb.data))
			at := places(tape)
			b.ReportAllocs()
			for b.Loop() {
				if plan, r := p.Read(tape, at, time.Time{}); plan != nil || r != nil {
					b.Fatal(plan, r)
				}
			}
		})
	}
}

// A payload that has nothing to do with resources costs a walk over its nodes and no allocation.
func TestReadCostsNothing(t *testing.T) {
	p, _ := publisher(t, resource.Limits{})
	tape := scanned(t, payload(`[{"a":"`+strings.Repeat("long text ", 1000)+`","$resource":1},{"b":"data: prose"},"\/9j",{"$resource":1}]`))
	at := places(tape)
	if n := testing.AllocsPerRun(100, func() {
		if plan, r := p.Read(tape, at, time.Time{}); plan != nil || r != nil {
			t.Fatal(plan, r)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
