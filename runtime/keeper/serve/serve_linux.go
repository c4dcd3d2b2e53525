//go:build amd64 || arm64

package serve

import (
	"errors"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"vcp.core/runtime/keeper/link"
)

// socketFile is the descriptor that a keeper, or its guard, is started with beside the standard streams.
const socketFile = 3

func init() {
	if role() != "" {
		runtime.LockOSThread() // the main goroutine stays on the main thread: children end with the thread that forked them
	}
}

// role returns the role that this program was started for, "" when it was not.
func role() string {
	switch last := os.Args[len(os.Args)-1]; last {
	case Guarded, Namespaced, underGuard:
		return last
	default:
		return ""
	}
}

// keeper is the state of one keeper, or of its guard.
type keeper struct {
	main int // number of the main thread, whose children all children are

	mu      sync.Mutex
	leaders map[int]*leader    // by process number, living ones
	byID    map[uint64]*leader // the same
	ended   []*leader          // dead, and not told yet: something that they started may live
	since   time.Time          // the first of them died
	alarmed bool               // somebody will look again
	closing bool               // the runtime is gone
	forked  chan struct{}      // wakes the reaper when it ran out of children; one value
	list    []byte             // for reading /proc
	strays  []int

	socket int
	proc   int // the list of our children, negative when there is none
}

// leader is a process that the runtime asked for.
type leader struct {
	id     uint64
	pid    int
	status syscall.WaitStatus
}

// Main runs a keeper, or its guard, and does not return. The role is the last argument; the socket is descriptor 3.
func Main() {
	if role() == "" {
		complain("a runtime starts this program; it does nothing by itself")
	}
	// What somebody sends to a whole process group or a service is not for the keeper: it ends with its runtime.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
	debug.SetGCPercent(50)
	runtime.GOMAXPROCS(2) // one waits for messages, one for children
	for _, option := range [...][2]uintptr{{setSubreaper, 1}, {syscall.PR_SET_DUMPABLE, 0}} {
		if errno := raw(syscall.SYS_PRCTL, option[0], option[1], 0, 0); errno != 0 {
			complain("prctl: " + errno.Error())
		}
	}
	keepOurs()
	k := &keeper{
		main: syscall.Getpid(), leaders: map[int]*leader{}, byID: map[uint64]*leader{}, forked: make(chan struct{}, 1), socket: socketFile,
	}
	switch role() {
	case Guarded:
		k.guard()
	case underGuard:
		// The argument before the role is a descriptor whose other end is closed when the guard dies.
		guard, err := strconv.Atoi(os.Args[len(os.Args)-2])
		if err != nil {
			complain(err.Error())
		}
		k.serve(guard)
	case Namespaced:
		if k.main != 1 {
			complain("this is not a namespace of its own") // whose /proc would be covered then?
		}
		if err := ownProc(); err != nil {
			complain("a /proc of its own: " + err.Error())
		}
		k.serve(-1)
	}
}

// complain ends the program with a line for people.
func complain(words string) {
	_, _ = os.Stderr.WriteString("vcp-keeper: " + words + "\n")
	os.Exit(NotServing)
}

// keepOurs marks every descriptor but the standard streams: no program that is started inherits it. What was
// inherited by this program itself, the socket above all, is not marked. A kernel before 5.11 has no call for all of them.
func keepOurs() {
	if raw(closeRange, socketFile, allDescriptors, closeOnExec, 0) == 0 {
		return
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		complain("the list of descriptors: " + err.Error())
	}
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd >= socketFile {
			syscall.CloseOnExec(fd)
		}
	}
}

// ownProc mounts a /proc that shows the processes of this namespace, in a mount namespace of its own.
func ownProc() error {
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_SLAVE, ""); err != nil {
		return err
	}
	if err := syscall.Mount("proc", "/proc", "proc", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, ""); err != nil {
		return err
	}
	// As somebody else than root, the right to mount came through exec as an ambient capability. Plugins get none.
	if errno := raw(syscall.SYS_PRCTL, ambient, ambientClearAll, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// Arguments of prctl for ambient capabilities.
const (
	ambient         = 47 // PR_CAP_AMBIENT
	ambientClearAll = 4
)

// serve does what the runtime asks for until it is gone, and ends the program when all children are gone, too.
func (k *keeper) serve(guard int) {
	k.openChildren()
	hello := link.Hello{Version: link.Version, PID: uint64(k.main), Namespace: guard < 0, Children: k.proc >= 0}
	proc, err := syscall.Open("/proc", pathOnly|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		complain("/proc: " + err.Error())
	}
	if _, err := link.Send(k.socket, hello.Bytes(), []int{proc}); err != nil {
		os.Exit(NotServing)
	}
	_ = syscall.Close(proc)
	go k.watch(guard)
	go k.reap()
	freed := true
	stream := link.Stream{Receive: func(p, oob []byte) (int, int, error) {
		if !freed {
			debug.FreeOSMemory() // so much is not wanted a second time soon
			freed = true
		}
		return link.Receive(k.socket, p, oob)
	}}
	for {
		message, err := stream.Next()
		if err != nil {
			break
		}
		if !k.obey(message, &stream) {
			break
		}
		freed = freed && len(message) <= large
	}
	k.end(guard)
	select {} // this thread must stay as long as its children
}

// large is a message that is worth giving its memory back. Others need a hundredth of it.
const large = 1 << 20

// pathOnly is O_PATH.
const pathOnly = 0x200000

// watch ends everything when the runtime or the guard is gone. It has a thread of its own, because the main thread waits
// for each child until its program runs, and that may hang with the file system that the program is on.
func (k *keeper) watch(guard int) {
	type pollfd struct {
		fd              int32
		events, revents int16
	}
	const hangUp = 0x2000 // POLLRDHUP
	for {
		list := [2]pollfd{{fd: int32(k.socket), events: hangUp}, {fd: int32(guard), events: hangUp}} // a negative one is passed over
		_, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&list)), 2, 0, 0, 0, 0)
		switch {
		case errno == syscall.EINTR:
		case list[1].revents != 0:
			k.end(-1)
			return
		default:
			k.end(guard)
			return
		}
	}
}

// end ends everything. In a namespace that is to end oneself: the system ends whatever is left in it. Elsewhere
// the reaper ends the program when nothing is left. What takes too long is left to the guard, if it is there.
func (k *keeper) end(guard int) {
	if k.main == 1 {
		os.Exit(0)
	}
	limit := lastWait
	if guard >= 0 {
		limit /= 5
	}
	time.AfterFunc(limit, func() { os.Exit(0) }) // the lock may be held by somebody who waits for a program to start
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closing {
		return
	}
	k.closing = true
	for pid := range k.leaders {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	k.sweep()
	k.wake()
}

// wake lets the reaper look again.
func (k *keeper) wake() {
	select {
	case k.forked <- struct{}{}:
	default:
	}
}

// obey does what one message asks for. It reports false when it is none.
func (k *keeper) obey(message []byte, stream *link.Stream) bool {
	m, err := link.Decode(message)
	if err != nil {
		return false
	}
	switch m := m.(type) {
	case *link.Spawn:
		files := stream.Files(m.Files())
		if len(files) != m.Files() {
			return false
		}
		k.spawn(m, files)
		for _, f := range files {
			_ = syscall.Close(f)
		}
		return true
	case *link.Signal:
		k.signal(m)
		return true
	default:
		return false
	}
}

// spawn starts a process, and tells whether it runs.
func (k *keeper) spawn(m *link.Spawn, files []int) {
	o, err := prepare(m, files)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closing {
		return // nobody would end it any more
	}
	if err == nil {
		var pid int
		if pid, err = o.fork(); err == nil {
			l := &leader{id: m.ID, pid: pid}
			k.leaders[pid], k.byID[m.ID] = l, l
		}
		k.wake()
	}
	started := link.Started{ID: m.ID}
	if err != nil {
		number := syscall.EINVAL
		_ = errors.As(err, &number)
		started.Errno = uint64(number)
	}
	k.tell(started.Bytes())
}

// signal sends a signal to a process and its group, unless it has ended. A process that moved to another group gets
// one of its own.
func (k *keeper) signal(m *link.Signal) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.byID[m.ID]
	if l == nil {
		return
	}
	s := syscall.Signal(m.Number)
	_ = syscall.Kill(-l.pid, s)
	if group, err := syscall.Getpgid(l.pid); s == syscall.SIGKILL || err == nil && group != l.pid {
		_ = syscall.Kill(l.pid, s)
	}
}

// tell sends a message. A runtime that is gone is noticed elsewhere.
func (k *keeper) tell(m []byte) { _, _ = link.Send(k.socket, m, nil) }

// number reads a number of the fixed text of /proc.
func number(text []byte) (n int, rest []byte) {
	for len(text) > 0 && (text[0] < '0' || text[0] > '9') {
		text = text[1:]
	}
	end := 0
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	n, _ = strconv.Atoi(string(text[:end]))
	return n, text[end:]
}
