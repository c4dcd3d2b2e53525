//go:build amd64 || arm64

package frames

import (
	"encoding/binary"
	"errors"
	"sync"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// name is what SQLite knows the file system by.
const name = "vcp-frames"

const (
	headSize = 24        // bytes, of the head of a frame
	mostPage = 64 << 10  // bytes, of a page
	room     = 124 << 10 // bytes that are kept back at most: SQLite's own method writes less than 128 KiB at once
)

// log is what an open log has behind SQLite's part of it. It lies outside of Go's heap, as all that SQLite hands around.
type log struct {
	methods uintptr // of the file system below
	buffer  uintptr // of room bytes
	at, n   int64   // what is kept back: offset in the file and length
	waits   bool    // the head of a frame is kept back, its page is to come
	ends    bool    // that frame ends a transaction
	read    int64   // where the last call has read, synced when it was a flush, -1 when it did something else
}

// synced is no place to read at. Where a transaction is padded up to a sector (synchronous=FULL, psow=0) SQLite flushes within a
// frame, and the rest of it may be as long as a head.
const synced = -2

// below is SQLite's own file system. It is set before ours is known to SQLite.
var below *lib.Tsqlite3_vfs

// Register makes the file system known to SQLite, once, and returns the name that a connection asks for it by; "" stands
// for SQLite's own.
func Register() (string, error) { return register() }

var register = sync.OnceValues(func() (string, error) {
	tls := libc.NewTLS()
	defer tls.Close()
	found := lib.Xsqlite3_vfs_find(tls, 0)
	if found == 0 {
		return "", errors.New("SQLite has no file system")
	}
	below = at[lib.Tsqlite3_vfs](found)
	text, err := libc.CString(name)
	if err != nil {
		return "", err
	}
	p := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(*below)))
	if p == 0 {
		return "", errNoMemory
	}
	own := at[lib.Tsqlite3_vfs](p)
	*own = *below
	own.FzName, own.FpNext = text, 0
	own.FszOsFile = int32(behind() + unsafe.Sizeof(log{}))
	set(&own.FxOpen, open)
	if rc := lib.Xsqlite3_vfs_register(tls, p, 0); rc != lib.SQLITE_OK {
		return "", errors.New("SQLite takes no other file system")
	}
	return name, nil
})

var errNoMemory = errors.New("no memory for a file system of SQLite")

// behind is where our part of a file begins.
func behind() uintptr { return uintptr(below.FszOsFile+7) &^ 7 }

func logOf(file uintptr) *log { return at[log](file + behind()) }

func (l *log) table() *lib.Tsqlite3_io_methods { return at[lib.Tsqlite3_io_methods](l.methods) }

// at makes a pointer of an address outside of Go's heap.
func at[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) }

func bytesAt(p uintptr, n int64) []byte { return unsafe.Slice(at[byte](p), n) }

// set makes what SQLite takes for the address of a function of one of ours, and get the other way round.
func set[F any](slot *uintptr, f F) { *(*F)(unsafe.Pointer(slot)) = f }

func get[F any](slot uintptr) F { return *(*F)(unsafe.Pointer(&slot)) }

// The types of the methods, by what they do.
type (
	opens     = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32
	closes    = func(tls *libc.TLS, file uintptr) int32
	moves     = func(tls *libc.TLS, file, buffer uintptr, n int32, offset int64) int32
	truncates = func(tls *libc.TLS, file uintptr, size int64) int32
	syncs     = func(tls *libc.TLS, file uintptr, flags int32) int32
	measures  = func(tls *libc.TLS, file, size uintptr) int32
)

func open(tls *libc.TLS, _, name, file uintptr, flags int32, out uintptr) int32 {
	rc := get[opens](below.FxOpen)(tls, uintptr(unsafe.Pointer(below)), name, file, flags, out)
	if rc != lib.SQLITE_OK || flags&lib.SQLITE_OPEN_WAL == 0 {
		return rc
	}
	opened, l := at[lib.Tsqlite3_file](file), logOf(file)
	*l = log{methods: opened.FpMethods, buffer: libc.Xmalloc(tls, room), read: -1}
	table := tableOf(tls, l.methods)
	if l.buffer == 0 || table == 0 {
		libc.Xfree(tls, l.buffer)
		get[closes](l.table().FxClose)(tls, file)
		opened.FpMethods = 0
		return lib.SQLITE_NOMEM
	}
	opened.FpMethods = table
	return rc
}

// tables are methods for logs by those of SQLite, which has several sets of them. They are never freed.
var tables = struct {
	sync.Mutex
	of map[uintptr]uintptr
}{of: map[uintptr]uintptr{}}

// tableOf returns methods with ours among them, 0 when there is no memory.
func tableOf(tls *libc.TLS, methods uintptr) uintptr {
	tables.Lock()
	defer tables.Unlock()
	if p := tables.of[methods]; p != 0 {
		return p
	}
	p := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(lib.Tsqlite3_io_methods{})))
	if p == 0 {
		return 0
	}
	t := at[lib.Tsqlite3_io_methods](p)
	*t = *at[lib.Tsqlite3_io_methods](methods)
	set(&t.FxClose, shut)
	set(&t.FxRead, read)
	set(&t.FxWrite, write)
	set(&t.FxTruncate, truncate)
	set(&t.FxSync, flush)
	set(&t.FxFileSize, measure)
	tables.of[methods] = p
	return p
}

// release writes what is kept back. When that fails it is forgotten: the transaction has failed with it.
func (l *log) release(tls *libc.TLS, file uintptr) int32 {
	n := l.n
	l.n, l.waits, l.read = 0, false, -1
	if n == 0 {
		return lib.SQLITE_OK
	}
	return get[moves](l.table().FxWrite)(tls, file, l.buffer, int32(n), l.at)
}

// keep keeps bytes back. Inlined where n is a constant, it makes the compiler of Go 1.26.8 panic (in disjointTypes).
//
//go:noinline
func (l *log) keep(from uintptr, n int32, offset int64) {
	if l.n == 0 {
		l.at = offset
	}
	copy(bytesAt(l.buffer+uintptr(l.n), int64(n)), bytesAt(from, int64(n)))
	l.n += int64(n)
}

func write(tls *libc.TLS, file, from uintptr, n int32, offset int64) int32 {
	l := logOf(file)
	next := l.n == 0 || offset == l.at+l.n
	switch {
	case l.waits && next && l.n+int64(n) <= room:
		l.keep(from, n, offset)
		if l.waits = false; l.ends {
			return l.release(tls, file)
		}
		return lib.SQLITE_OK
	// A head that was just read, with its page, gets another checksum, alone; what follows a flush may be no head.
	case !l.waits && n == headSize && l.read != offset && l.read != synced:
		if !next || l.n+headSize+mostPage > room {
			if rc := l.release(tls, file); rc != lib.SQLITE_OK {
				return rc
			}
		}
		l.keep(from, n, offset)
		// At 4 stands the size of the database after the transaction that the frame ends, 0 in all others.
		l.waits, l.ends, l.read = true, binary.BigEndian.Uint32(bytesAt(from+4, 4)) != 0, -1
		return lib.SQLITE_OK
	}
	if rc := l.release(tls, file); rc != lib.SQLITE_OK {
		return rc
	}
	return get[moves](l.table().FxWrite)(tls, file, from, n, offset)
}

func read(tls *libc.TLS, file, into uintptr, n int32, offset int64) int32 {
	l := logOf(file)
	if rc := l.release(tls, file); rc != lib.SQLITE_OK {
		return rc
	}
	l.read = offset
	return get[moves](l.table().FxRead)(tls, file, into, n, offset)
}

func truncate(tls *libc.TLS, file uintptr, size int64) int32 {
	l := logOf(file)
	if rc := l.release(tls, file); rc != lib.SQLITE_OK {
		return rc
	}
	return get[truncates](l.table().FxTruncate)(tls, file, size)
}

func flush(tls *libc.TLS, file uintptr, flags int32) int32 {
	l := logOf(file)
	if rc := l.release(tls, file); rc != lib.SQLITE_OK {
		return rc
	}
	l.read = synced
	return get[syncs](l.table().FxSync)(tls, file, flags)
}

func measure(tls *libc.TLS, file, size uintptr) int32 {
	l := logOf(file)
	if rc := l.release(tls, file); rc != lib.SQLITE_OK {
		return rc
	}
	return get[measures](l.table().FxFileSize)(tls, file, size)
}

func shut(tls *libc.TLS, file uintptr) int32 {
	l := logOf(file)
	rc := l.release(tls, file)
	libc.Xfree(tls, l.buffer)
	if failed := get[closes](l.table().FxClose)(tls, file); rc == lib.SQLITE_OK {
		rc = failed
	}
	return rc
}
