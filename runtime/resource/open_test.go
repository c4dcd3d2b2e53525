//go:build unix

package resource_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vcp.core/runtime/resource"
)

// secret is what no attack may get at.
const secret = "the secret of the core"

// attack publishes one local path of a folder that make has prepared. outside is a folder beside it with the
// file secret in it.
type attack struct {
	name    string
	make    func(t *testing.T, dir, outside string)
	path    string
	reason  string
	message string // after "its localPath "
}

var attacks = []attack{
	{"absolute", nil, "/etc/passwd", "PATH_ESCAPE", "is absolute"},
	{"parent", nil, "../outside/secret", "PATH_ESCAPE", "has the element .."},
	{"parent inside", nil, "a/../b", "PATH_ESCAPE", "has the element .."},
	{"parent at the end", nil, "a/..", "PATH_ESCAPE", "has the element .."},
	{"the NUL byte", nil, "a\x00b", "PATH_ESCAPE", "has a control character"},
	{"a newline", nil, "a\nb", "PATH_ESCAPE", "has a control character"},
	{"windows separators", nil, `..\outside\secret`, "PATH_ESCAPE", `has a backslash; folders are separated by /`},
	{"a UNC path", nil, `\\host\share\a`, "PATH_ESCAPE", `has a backslash; folders are separated by /`},
	{"a drive", nil, "C:/secret", "PATH_ESCAPE", "begins with a drive"},
	{"nothing there", nil, "a.png", "DANGLING_RESOURCE", "names no file in the plugin's data folder"},
	{"below a file", func(t *testing.T, dir, _ string) { write(t, dir, "f", nil) }, "f/a", "DANGLING_RESOURCE", "names no file in the plugin's data folder"},
	{"a long name", nil, strings.Repeat("n", 4000), "DANGLING_RESOURCE", "names a file that cannot be opened"},
	{"a long path", nil, strings.Repeat("n/", 9000) + "n", "DANGLING_RESOURCE", "names no file in the plugin's data folder"},
	{"the folder itself", nil, ".", "DANGLING_RESOURCE", "is a folder; a folder is published as an archive of it"},
	{"a folder", func(t *testing.T, dir, _ string) { write(t, dir, "d/f", nil) }, "d", "DANGLING_RESOURCE", "is a folder; a folder is published as an archive of it"},
	{"a folder with a slash", func(t *testing.T, dir, _ string) { write(t, dir, "d/f", nil) }, "d/", "DANGLING_RESOURCE", "is a folder; a folder is published as an archive of it"},
	{"a link to a file outside", func(t *testing.T, dir, outside string) { link(t, outside+"/secret", dir+"/a") }, "a", "PATH_ESCAPE", "leads out of the plugin's folder"},
	{"a link to /etc/passwd", func(t *testing.T, dir, _ string) { link(t, "/etc/passwd", dir+"/a") }, "a", "PATH_ESCAPE", "leads out of the plugin's folder"},
	{"a relative link outside", func(t *testing.T, dir, _ string) { link(t, "../outside/secret", dir+"/a") }, "a", "PATH_ESCAPE", "leads out of the plugin's folder"},
	{"a link to a link outside", func(t *testing.T, dir, outside string) {
		link(t, outside+"/secret", dir+"/b")
		link(t, "b", dir+"/a")
	}, "a", "PATH_ESCAPE", "leads out of the plugin's folder"},
	{"an absolute link back inside", func(t *testing.T, dir, _ string) {
		write(t, dir, "f", nil)
		link(t, dir+"/f", dir+"/a")
	}, "a", "PATH_ESCAPE", "leads out of the plugin's folder"},
	{"a linked parent", func(t *testing.T, dir, outside string) { link(t, outside, dir+"/d") }, "d/secret", "PATH_ESCAPE", "leads out of the plugin's folder"},
	{"a link to nothing", func(t *testing.T, dir, _ string) { link(t, "b", dir+"/a") }, "a", "DANGLING_RESOURCE", "names no file in the plugin's data folder"},
	{"a circle of links", func(t *testing.T, dir, _ string) {
		link(t, "b", dir+"/a")
		link(t, "a", dir+"/b")
	}, "a", "PATH_ESCAPE", "runs in a circle of symbolic links"},
	{"a link to itself", func(t *testing.T, dir, _ string) { link(t, "a", dir+"/a") }, "a", "PATH_ESCAPE", "runs in a circle of symbolic links"},
	{"a FIFO", func(t *testing.T, dir, _ string) { must(t, syscall.Mkfifo(dir+"/a", 0o600)) }, "a", "PATH_ESCAPE", "is no regular file"},
	{"a link to a FIFO", func(t *testing.T, dir, _ string) {
		must(t, syscall.Mkfifo(dir+"/p", 0o600))
		link(t, "p", dir+"/a")
	}, "a", "PATH_ESCAPE", "is no regular file"},
	{"a socket", func(t *testing.T, dir, _ string) {
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", dir+"/a")
		must(t, err)
		t.Cleanup(func() { _ = l.Close() })
	}, "a", "PATH_ESCAPE", "is no regular file"},
	{"a device", func(t *testing.T, dir, _ string) {
		if err := syscall.Mknod(dir+"/a", syscall.S_IFCHR|0o600, 1<<8|5); err != nil { // zero
			t.Skipf("a device cannot be made here: %v", err)
		}
	}, "a", "PATH_ESCAPE", "is no regular file"},
	{"an unreadable file", func(t *testing.T, dir, _ string) {
		if os.Getuid() == 0 {
			t.Skip("the superuser may read everything")
		}
		write(t, dir, "a", nil)
		must(t, os.Chmod(dir+"/a", 0))
	}, "a", "DANGLING_RESOURCE", "names a file that the core may not read"},
}

func link(t *testing.T, target, name string) {
	t.Helper()
	must(t, os.Symlink(target, name))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// folders makes the plugin's folder and the one beside it.
func folders(t testing.TB) (dir, outside string) {
	t.Helper()
	top, err := os.MkdirTemp("", "r") // short: the path of a socket is limited
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(top) })
	dir, outside = filepath.Join(top, "plugin"), filepath.Join(top, "outside")
	must(t, os.Mkdir(dir, 0o700))
	write(t, outside, "secret", []byte(secret))
	return dir, outside
}

func fileDraft(path string) string {
	quoted, _ := json.Marshal(path)
	return `{"id":"r","kind":"text","role":"output","localPath":` + string(quoted) + `}`
}

func TestAttacks(t *testing.T) {
	for _, tt := range attacks {
		t.Run(tt.name, func(t *testing.T) {
			dir, outside := folders(t)
			if tt.make != nil {
				tt.make(t, dir, outside)
			}
			p, _ := publisher(t, resource.Limits{})
			done := make(chan error, 1)
			go func() {
				_, err := publish(t, p, dir, payload("null", fileDraft(tt.path)))
				done <- err
			}()
			select {
			case err := <-done:
				r := refusalOf(t, err)
				want := "a resource cannot be published: its localPath " + tt.message
				if r.Code != "INVALID_TOOL_RESULT" || string(r.Reason) != tt.reason || r.Message != want || r.Pointer != "/resources/0/localPath" {
					t.Errorf("got  %s %s\nwant %s %s", r.Reason, r.Message, tt.reason, want)
				}
				if strings.Contains(r.Error(), dir) || len(tt.path) > 3 && strings.Contains(r.Error(), tt.path) {
					t.Errorf("the refusal tells a path: %s", r)
				}
			case <-time.After(time.Minute):
				t.Fatal("it hangs")
			}
		})
	}
}

// What is in the folder may be published, by whatever way inside of it.
func TestPathsThatAreFine(t *testing.T) {
	dir, _ := folders(t)
	write(t, dir, "a/b/c.txt", []byte("content"))
	link(t, "b", dir+"/a/d")
	link(t, "a/b/c.txt", dir+"/l")
	link(t, "../a/b/c.txt", dir+"/a/up")
	write(t, dir, "..hidden", []byte("content"))
	write(t, dir, "名前 with space", []byte("content"))
	p, store := publisher(t, resource.Limits{})
	for _, path := range []string{"a/b/c.txt", "./a//b/c.txt", "a/d/c.txt", "l", "a/up", "..hidden", "名前 with space"} {
		out, err := publish(t, p, dir, payload("null", fileDraft(path)))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		d := descriptors(t, out)[0]
		if got := stored(t, store, *d.SHA256); string(got) != "content" || *d.SizeBytes != 7 || d.MimeType != "text/plain" || d.FileName != nil || d.URL != nil {
			t.Errorf("%s: %+v %q", path, d, got)
		}
	}
}

// A path that is swapped while it is being opened leads to the file inside or to a refusal, never outside.
func TestSwappedPaths(t *testing.T) {
	dir, outside := folders(t)
	write(t, dir, "inside", []byte("fine"))
	p, store := publisher(t, resource.Limits{})
	var stop atomic.Bool
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for i := 0; !stop.Load(); i++ {
			target := "inside"
			if i%2 == 0 {
				target = outside + "/secret"
			}
			_ = os.Symlink(target, dir+"/next")
			_ = os.Rename(dir+"/next", dir+"/a")
		}
	})
	defer func() { stop.Store(true); swapping.Wait() }()
	published, refused := 0, 0
	// For as long as that, and on a machine that has other things to do until both has happened.
	enough, most := time.Now().Add(500*time.Millisecond), time.Now().Add(time.Minute)
	for now := time.Now(); now.Before(enough) || (published == 0 || refused == 0) && now.Before(most); now = time.Now() {
		out, err := publish(t, p, dir, payload("null", fileDraft("a")))
		if err != nil {
			if reason := refusalOf(t, err).Reason; reason != "PATH_ESCAPE" && reason != "DANGLING_RESOURCE" {
				t.Fatal(err)
			}
			refused++
			continue
		}
		published++
		if got := stored(t, store, *descriptors(t, out)[0].SHA256); string(got) != "fine" {
			t.Fatalf("published %q", got)
		}
	}
	t.Logf("%d published, %d refused", published, refused)
	if published == 0 || refused == 0 {
		t.Error("the race was not run")
	}
}

func TestSizes(t *testing.T) {
	dir, _ := folders(t)
	write(t, dir, "empty", nil)
	write(t, dir, "five", []byte("12345"))
	write(t, dir, "six", []byte("123456"))
	sparse := filepath.Join(dir, "sparse")
	write(t, dir, "sparse", nil)
	must(t, os.Truncate(sparse, 1<<40))
	big := fileDraft
	tests := []struct {
		name         string
		src          string
		code, reason string
		pointer      string
		limit, size  int64
	}{
		{"nothing in it", payload("null", big("empty")), "", "", "", 0, 0},
		{"just the limit", payload("null", big("five")), "", "", "", 0, 0},
		{"one more", payload("null", big("six")), "RESOURCE_TOO_LARGE", "LIMIT_RESOURCES", "/resources/0/localPath", 5, 6},
		{"a terabyte of holes", payload("null", big("sparse")), "RESOURCE_TOO_LARGE", "LIMIT_RESOURCES", "/resources/0/localPath", 5, 1 << 40},
		{"a data URI", payload("null", `{"id":"r","kind":"text","role":"output","dataUri":"data:,123456"}`), "RESOURCE_TOO_LARGE", "LIMIT_RESOURCES", "/resources/0/dataUri", 5, 6},
		{"a long data URI", payload("null", `{"id":"r","kind":"text","role":"output","dataUri":"data:;base64,`+strings.Repeat("AAAA", 1000)+`"}`), "RESOURCE_TOO_LARGE", "LIMIT_RESOURCES", "/resources/0/dataUri", 5, 3003},
		{"together", payload("null", big("five"), strings.Replace(big("five"), `"r"`, `"s"`, 1), strings.Replace(big("five"), `"r"`, `"t"`, 1)), "INVALID_TOOL_RESULT", "LIMIT_RESOURCES", "/resources/2", 12, 15},
		{"too many", payload("null", big("five"), big("five"), big("five"), big("five")), "INVALID_TOOL_RESULT", "LIMIT_RESOURCES", "/resources", 3, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := publisher(t, resource.Limits{Count: 3, Size: 5, Total: 12})
			start := time.Now()
			out, err := publish(t, p, dir, tt.src)
			if time.Since(start) > time.Minute {
				t.Error("it took as long as reading it")
			}
			if tt.code == "" {
				if err != nil {
					t.Fatal(err)
				}
				descriptors(t, out)
				return
			}
			r := refusalOf(t, err)
			if string(r.Code) != tt.code || string(r.Reason) != tt.reason || r.Pointer != tt.pointer || r.Limit != tt.limit || r.Size != tt.size {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// meddling is a store that changes the file while it takes it in.
type meddling struct {
	resource.Store
	meddle func()
}

func (m meddling) Put(ctx context.Context, r io.Reader, limit int64) (resource.Blob, error) {
	var first [1]byte
	n, _ := io.ReadFull(r, first[:])
	m.meddle()
	return m.Store.Put(ctx, io.MultiReader(bytes.NewReader(first[:n]), r), limit)
}

func TestFilesThatChangeWhileTheyAreRead(t *testing.T) {
	dir, _ := folders(t)
	name := filepath.Join(dir, "a")
	later := time.Now().Add(time.Hour)
	tests := []struct {
		name   string
		meddle func()
	}{
		{"grows", func() {
			f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
			must(t, err)
			_, err = f.WriteString("more")
			must(t, errors.Join(err, f.Close()))
		}},
		{"shrinks", func() { must(t, os.Truncate(name, 3)) }},
		{"is written over", func() {
			must(t, errors.Join(os.WriteFile(name, []byte("other....."), 0o600), os.Chtimes(name, later, later)))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			write(t, dir, "a", []byte("0123456789"))
			p, store := publisher(t, resource.Limits{})
			p.Store = meddling{store, tt.meddle}
			_, err := publish(t, p, dir, payload("null", fileDraft("a")))
			r := refusalOf(t, err)
			if r.Reason != "DANGLING_RESOURCE" || !strings.HasSuffix(r.Message, "names a file that was still being written") {
				t.Errorf("got %v", r)
			}
		})
	}
	// Moved away or deleted, an open file is still itself.
	write(t, dir, "a", []byte("0123456789"))
	p, store := publisher(t, resource.Limits{})
	p.Store = meddling{store, func() { must(t, os.Remove(name)) }}
	if _, err := publish(t, p, dir, payload("null", fileDraft("a"))); err != nil {
		t.Error(err)
	}
}

func TestNoFolder(t *testing.T) {
	p, _ := publisher(t, resource.Limits{})
	_, err := publish(t, p, "", payload("null", fileDraft("a")))
	if r := refusalOf(t, err); r.Reason != "PATH_ESCAPE" || r.Pointer != "/resources/0/localPath" {
		t.Errorf("got %v", r)
	}
	if _, err := publish(t, p, filepath.Join(t.TempDir(), "gone"), payload("null", fileDraft("a"))); err == nil {
		t.Error("a folder that is not there")
	}
}

// Same bytes are stored once, and each resource has an id of its own.
func TestSameBytes(t *testing.T) {
	dir, _ := folders(t)
	write(t, dir, "a", []byte("same"))
	write(t, dir, "b", []byte("same"))
	p, store := publisher(t, resource.Limits{})
	out, err := publish(t, p, dir, payload("null", fileDraft("a"), strings.Replace(fileDraft("b"), `"r"`, `"s"`, 1),
		`{"id":"t","kind":"text","role":"log","dataUri":"data:;base64,c2FtZQ=="}`))
	must(t, err)
	list := descriptors(t, out)
	ids := map[string]bool{}
	for _, d := range list {
		ids[d.ID] = true
		if *d.SHA256 != *list[0].SHA256 {
			t.Errorf("%+v", d)
		}
	}
	path, err := store.Path(*list[0].SHA256)
	must(t, err)
	files, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	if len(ids) != 3 || len(files) != 1 || out.Bytes != 12 {
		t.Errorf("%d ids, %d files, %d bytes", len(ids), len(files), out.Bytes)
	}
}

func TestConcurrentPublishing(t *testing.T) {
	dir, _ := folders(t)
	for i := range 4 {
		write(t, dir, fmt.Sprint("f", i), bytes.Repeat([]byte{byte('a' + i)}, 50_000))
	}
	p, store := publisher(t, resource.Limits{})
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			out, err := publish(t, p, dir, payload(`{"$resource":"r"}`, fileDraft(fmt.Sprint("f", i%4))))
			if err != nil {
				t.Error(err)
				return
			}
			d := descriptors(t, out)[0]
			if got := stored(t, store, *d.SHA256); len(got) != 50_000 || got[0] != byte('a'+i%4) {
				t.Errorf("%d bytes of %c", len(got), got[0])
			}
		})
	}
	all.Wait()
}
