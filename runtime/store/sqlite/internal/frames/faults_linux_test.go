//go:build amd64 || arm64

package frames

import (
	"bytes"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

type (
	pwrites = func(tls *libc.TLS, fd int32, from uintptr, n libc.Tsize_t, offset libc.Toff_t) libc.Tssize_t
	gets    = func(tls *libc.TLS, vfs, name uintptr) uintptr
	sets    = func(tls *libc.TLS, vfs, name, call uintptr) int32
)

// disk stands between SQLite and the system, for all connections of the process: what it is asked to write to a log it
// refuses, writes in part, or copies the files as they are in the middle of it.
type disk struct {
	t       *testing.T
	path    string // of the database
	rng     *rand.Rand
	armed   bool
	of      int      // of a thousand writes so many are refused, and so many written in part
	shots   []string // copies
	refused int
	whole   bool // what was refused last stands there all the same: the bytes were those before
	really  pwrites
}

// writer is the connections' system call while a test has put its disk there.
var writer pwrites

func (d *disk) insert() {
	if _, err := Register(); err != nil {
		d.t.Fatal(err)
	}
	tls := libc.NewTLS()
	name, err := libc.CString("pwrite")
	if err != nil {
		d.t.Fatal(err)
	}
	vfs := uintptr(unsafe.Pointer(below))
	own := get[gets](below.FxGetSystemCall)(tls, vfs, name)
	var ours uintptr
	d.really, writer = get[pwrites](own), d.write
	set(&ours, writer)
	if rc := get[sets](below.FxSetSystemCall)(tls, vfs, name, ours); rc != lib.SQLITE_OK {
		d.t.Fatal("SQLite has no such system call")
	}
	d.t.Cleanup(func() { get[sets](below.FxSetSystemCall)(tls, vfs, name, own) })
}

func (d *disk) write(tls *libc.TLS, fd int32, from uintptr, n libc.Tsize_t, offset libc.Toff_t) libc.Tssize_t {
	if !d.armed {
		return d.really(tls, fd, from, n, offset)
	}
	if name, _ := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(fd))); name != d.path+"-wal" {
		return d.really(tls, fd, from, n, offset)
	}
	part := libc.Tsize_t(d.rng.IntN(int(n)))
	if len(d.shots) < 3 && d.rng.IntN(4) == 0 {
		d.really(tls, fd, from, part, offset)
		d.shots = append(d.shots, copied(d.t, d.path))
		return d.really(tls, fd, from, n, offset)
	}
	switch x := d.rng.IntN(1000); {
	case x < d.of:
		d.refused++
		log, err := os.ReadFile(d.path + "-wal")
		text := bytesAt(from, int64(n))
		d.whole = err == nil && int64(len(log)) >= offset+int64(n) && bytes.Equal(log[offset:offset+int64(n)], text)
		*at[int32](libc.X__errno_location(tls)) = int32([]syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EFBIG}[d.rng.IntN(3)])
		return -1
	case x < 2*d.of && part > 0:
		return d.really(tls, fd, from, part, offset)
	case x < 2*d.of+50:
		*at[int32](libc.X__errno_location(tls)) = int32(syscall.EINTR)
		return -1
	}
	return d.really(tls, fd, from, n, offset)
}

// sized makes a database with pages of that size, which only who makes it can say.
func sized(t *testing.T, size int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	exec(t, db, "PRAGMA page_size="+strconv.Itoa(size))
	exec(t, db, "CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT)")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Three connections write in turns to a disk that fails in the middle: what was not committed is nowhere, neither for the others nor
// after a crash, what was committed is everywhere, and who stops in the middle leaves all of a transaction or nothing.
func TestFaults(t *testing.T) {
	for _, size := range []int{512, 4096, 65536} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			d := &disk{t: t, path: sized(t, size), rng: rand.New(rand.NewPCG(1, uint64(size)))}
			d.insert()
			conns := make([]*sql.DB, 3)
			for i := range conns {
				// The cache of ten pages would spill, and the last of them copies the log within a commit.
				conns[i] = connect(t, d.path, i > 0, "cache_spill(0)", "cache_size(10)", "wal_autocheckpoint("+strconv.Itoa(i*15)+")")
			}
			id, crashes := 0, 0
			for round := range 30 {
				who := d.rng.IntN(len(conns))
				crashes += d.round(conns, who, &id, fmt.Sprintf("round %d, by connection %d", round, who))
				if d.rng.IntN(4) == 0 {
					exec(t, conns[who], "PRAGMA wal_checkpoint("+[]string{"PASSIVE", "RESTART", "TRUNCATE"}[d.rng.IntN(3)]+")")
				}
			}
			if d.refused < 5 || crashes < 20 {
				t.Errorf("%d writes were refused, and %d times it stopped in the middle of one", d.refused, crashes)
			}
		})
	}
}

// round does one transaction, and returns how many crashes in the middle were looked at.
func (d *disk) round(conns []*sql.DB, who int, id *int, what string) int {
	db := conns[who]
	before := content(d.t, db)
	exec(d.t, db, "BEGIN IMMEDIATE")
	for range 1 + d.rng.IntN(20) {
		switch d.rng.IntN(4) {
		case 0:
			exec(d.t, db, "DELETE FROM t WHERE id = ?", d.rng.IntN(*id+1))
		case 1:
			exec(d.t, db, "UPDATE t SET body = ? WHERE id = ?", strings.Repeat("u", d.rng.IntN(9000)), d.rng.IntN(*id+1))
		default:
			*id++
			exec(d.t, db, "INSERT INTO t VALUES (?, ?)", *id, strconv.Itoa(*id)+strings.Repeat("i", d.rng.IntN(1+d.rng.IntN(60_000))))
		}
	}
	after := content(d.t, db)
	d.armed, d.shots, d.whole, d.of = true, nil, false, []int{0, 30, 200}[d.rng.IntN(3)]
	_, err := db.ExecContext(d.t.Context(), "COMMIT")
	d.armed = false
	want := after
	if err != nil {
		want = before
		_, _ = db.ExecContext(d.t.Context(), "ROLLBACK") // SQLite may have done it
	}
	for _, path := range d.shots {
		if got := inspect(d.t, path); got != before && got != after {
			d.t.Fatalf("%s: a crash leaves %s, of %s and %s", what, got, before, after)
		}
	}
	for i, c := range conns {
		if got := content(d.t, c); got != want {
			d.t.Fatalf("%s, %v: connection %d sees %s, want %s", what, err, i, got, want)
		}
	}
	if got := found(d.t, d.path); got != want && !(d.whole && got == after) {
		d.t.Fatalf("%s, %v: after a crash %s, want %s", what, err, got, want)
	}
	return len(d.shots)
}
