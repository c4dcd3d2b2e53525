//go:build amd64 || arm64

package serve

import (
	"runtime"
	"syscall"
	"unsafe"

	"vcp.core/runtime/keeper/link"
)

// order is everything that a child needs between fork and exec, where it may neither allocate nor let its stack grow:
// it runs on this thread's stack, in this process's memory, while this thread waits and the others go on.
type order struct {
	file, dir  *byte
	argv, env  **byte
	streams    [3]int
	deathsig   syscall.Signal // what the child gets when its parent dies, 0 for nothing
	ruleset    int            // -1 for none
	noNewPrivs bool
	drop       uint64
	limits     []limit
	failed     syscall.Errno // set by a child that could not run its program
}

// limit is what prlimit takes.
type limit struct {
	resource uintptr
	value    [2]uint64 // soft, hard
}

// Numbers that package syscall does not have, or not on every architecture.
const (
	closeRange       = 436
	landlockRestrict = 446

	setNoNewPrivs  = 38         // PR_SET_NO_NEW_PRIVS
	setSubreaper   = 36         // PR_SET_CHILD_SUBREAPER
	dropBounding   = 24         // PR_CAPBSET_DROP
	closeOnExec    = 4          // CLOSE_RANGE_CLOEXEC
	setMask        = 2          // SIG_SETMASK
	capVersion     = 0x20080522 // _LINUX_CAPABILITY_VERSION_3
	signals        = 64
	signalSet      = 8   // bytes of a signal mask
	capabilities   = 41  // those that there are
	notRun         = 127 // exit code of a child that could not run its program
	allDescriptors = 1<<32 - 1
)

// prepare makes an order of a message.
func prepare(s *link.Spawn, files []int) (*order, error) {
	o := &order{streams: [3]int(files), deathsig: syscall.SIGKILL, ruleset: -1, noNewPrivs: s.NoNewPrivs, drop: s.DropCaps}
	if s.Confined {
		o.ruleset = files[link.Ruleset]
	}
	var err error
	if o.file, err = syscall.BytePtrFromString(s.File); err != nil {
		return nil, err
	}
	if o.dir, err = syscall.BytePtrFromString(s.Dir); err != nil {
		return nil, err
	}
	argv, err := syscall.SlicePtrFromStrings(s.Argv)
	if err != nil {
		return nil, err
	}
	env, err := syscall.SlicePtrFromStrings(s.Env)
	if err != nil {
		return nil, err
	}
	o.argv, o.env = &argv[0], &env[0]
	for _, l := range s.Limits {
		o.limits = append(o.limits, limit{uintptr(l.Resource), [2]uint64{l.Soft, l.Hard}})
	}
	return o, nil
}

// vfork makes a child that shares our memory and this thread's stack. The thread waits until the child runs a program or
// has ended. It is called directly, so that no frame of a wrapper lies between.
func vfork() (pid, errno uintptr)

// fork starts a child. It must be called on the main thread: the system ends the child with the thread that
// forked it.
//
// Package os cannot do this: between fork and exec the child takes its limits, gives up what it shall not have, and
// becomes the one that its own orphans go to. It is done with plain system calls. All signals are blocked
// around the fork, so that no handler of Go's runs in the child. A copy of our memory would cost as much as the
// rest of it, so there is none.
func (o *order) fork() (int, error) {
	var before uint64
	all := ^uint64(0)
	_ = raw(syscall.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&all)), uintptr(unsafe.Pointer(&before)), signalSet)
	pid, errno := o.part()
	_ = raw(syscall.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&before)), 0, signalSet)
	runtime.KeepAlive(o)
	if errno != 0 {
		return 0, syscall.Errno(errno)
	}
	if o.failed != 0 {
		return 0, o.failed // the child has ended
	}
	return int(pid), nil
}

// part is where the ways of parent and child part. The parent needs nothing of this frame but the results of vfork,
// which were written when the child was gone.
//
//go:norace
//go:nocheckptr
//go:nosplit
//go:noinline
func (o *order) part() (pid, errno uintptr) {
	pid, errno = vfork()
	if pid == 0 && errno == 0 {
		o.child()
	}
	return pid, errno
}

// raw is a system call.
//
//go:norace
//go:nosplit
func raw(number, a, b, c, d uintptr) syscall.Errno {
	_, _, errno := syscall.RawSyscall6(number, a, b, c, d, 0, 0)
	return errno
}

// child makes a program of the child. It does not return.
//
//go:norace
//go:nocheckptr
//go:nosplit
//go:noinline
func (o *order) child() {
	o.failed = o.run()
	for {
		_ = raw(syscall.SYS_EXIT_GROUP, notRun, 0, 0, 0)
	}
}

// run runs the program, and returns why it cannot.
//
//go:norace
//go:nocheckptr
//go:nosplit
//go:noinline
func (o *order) run() syscall.Errno {
	var none [4]uint64 // a sigaction that says default, and an empty mask
	// Whatever this process ignores or handles, a program begins with the defaults.
	for i := uintptr(1); i <= signals; i++ {
		_ = raw(syscall.SYS_RT_SIGACTION, i, uintptr(unsafe.Pointer(&none)), 0, signalSet)
	}
	if errno := raw(syscall.SYS_SETPGID, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	// When the keeper dies, so does the child. Its own orphans are its children until it dies itself.
	if errno := raw(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(o.deathsig), 0, 0); errno != 0 {
		return errno
	}
	if errno := raw(syscall.SYS_PRCTL, setSubreaper, 1, 0, 0); errno != 0 {
		return errno
	}
	if errno := raw(syscall.SYS_CHDIR, uintptr(unsafe.Pointer(o.dir)), 0, 0, 0); errno != 0 {
		return errno
	}
	for i := range uintptr(3) {
		if errno := raw(syscall.SYS_DUP3, uintptr(o.streams[i]), i, 0, 0); errno != 0 {
			return errno
		}
	}
	if o.noNewPrivs {
		// Ambient capabilities come through exec by themselves, inheritable ones with root, whatever the bounding set says. A
		// service may have been given some; its plugins were not. What is not inheritable is not ambient either.
		header := [2]uint32{capVersion}
		var sets [2][3]uint32 // effective, permitted, inheritable
		if errno := raw(syscall.SYS_CAPGET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&sets)), 0, 0); errno != 0 {
			return errno
		}
		sets[0][2], sets[1][2] = 0, 0
		if errno := raw(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&sets)), 0, 0); errno != 0 {
			return errno
		}
	}
	for i := range uintptr(capabilities) {
		if o.drop>>i&1 == 1 {
			// It fails for what this kernel does not know and where there is no right to drop.
			_ = raw(syscall.SYS_PRCTL, dropBounding, i, 0, 0)
		}
	}
	if o.noNewPrivs {
		if errno := raw(syscall.SYS_PRCTL, setNoNewPrivs, 1, 0, 0); errno != 0 {
			return errno
		}
	}
	for i := range uintptr(len(o.limits)) {
		l := (*limit)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(o.limits)), i*unsafe.Sizeof(limit{})))
		if errno := raw(syscall.SYS_PRLIMIT64, 0, l.resource, uintptr(unsafe.Pointer(&l.value)), 0); errno != 0 {
			return errno
		}
	}
	if o.ruleset >= 0 {
		if errno := raw(landlockRestrict, uintptr(o.ruleset), 0, 0, 0); errno != 0 {
			return errno
		}
	}
	_ = raw(syscall.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&none)), 0, signalSet)
	return raw(syscall.SYS_EXECVE, uintptr(unsafe.Pointer(o.file)), uintptr(unsafe.Pointer(o.argv)), uintptr(unsafe.Pointer(o.env)), 0)
}
