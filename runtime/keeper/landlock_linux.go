//go:build amd64 || arm64

package keeper

import (
	"os"
	"sync"
	"syscall"
	"unsafe"
)

// Landlock, as its header has it. Package syscall knows none of it; the numbers are the same on every architecture.
const (
	landlockCreate  = 444
	landlockAdd     = 445
	landlockAsk     = 1 // LANDLOCK_CREATE_RULESET_VERSION
	landlockBeneath = 1 // LANDLOCK_RULE_PATH_BENEATH

	mayExecute   = 1 << 0
	mayWrite     = 1 << 1
	mayRead      = 1 << 2
	mayList      = 1 << 3
	mayRemoveDir = 1 << 4
	mayRemove    = 1 << 5
	mayMakeChar  = 1 << 6
	mayMakeDir   = 1 << 7
	mayMakeFile  = 1 << 8
	mayMakeSock  = 1 << 9
	mayMakeFIFO  = 1 << 10
	mayMakeBlock = 1 << 11
	mayMakeLink  = 1 << 12
	mayRefer     = 1 << 13 // version 2
	mayTruncate  = 1 << 14 // version 3

	readable = mayExecute | mayRead | mayList
	writable = readable | mayWrite | mayRemoveDir | mayRemove | mayMakeDir | mayMakeFile | mayMakeSock | mayMakeFIFO | mayMakeLink | mayRefer | mayTruncate
	device   = mayRead | mayWrite
	onFiles  = mayExecute | mayWrite | mayRead | mayTruncate // what there is for something that is no folder
	every    = writable | mayMakeChar | mayMakeBlock

	netBindTCP    = 1 << 0 // version 4
	netConnectTCP = 1 << 1
	scopeSignal   = 1 << 1 // version 6
)

// landlockVersion returns the version of the kernel's Landlock, 0 when there is none or it is switched off.
var landlockVersion = sync.OnceValue(func() int {
	v, _, errno := syscall.Syscall(landlockCreate, 0, 0, landlockAsk)
	if errno != 0 {
		return 0
	}
	return int(v)
})

// known removes the rights that this kernel does not know.
func known(rights uint64) uint64 {
	if landlockVersion() < 2 {
		rights &^= mayRefer
	}
	if landlockVersion() < 3 {
		rights &^= mayTruncate
	}
	return rights
}

// newRuleset makes a ruleset that allows no access to files, and with noTCP none to TCP.
func newRuleset(noTCP bool) (*os.File, error) {
	attr := struct{ files, net, scoped uint64 }{files: known(every)}
	if noTCP && landlockVersion() >= 4 {
		attr.net = netBindTCP | netConnectTCP
	}
	if landlockVersion() >= 6 {
		attr.scoped = scopeSignal
	}
	fd, _, errno := syscall.Syscall(landlockCreate, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return nil, errno
	}
	return os.NewFile(fd, "ruleset"), nil
}

// allow adds rights for what a descriptor names and, if it is a folder, all below it.
func allow(ruleset *os.File, fd int, rights uint64) error {
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil {
		return err
	}
	if stat.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		rights &= onFiles
	}
	rule := struct {
		rights uint64
		fd     int32
	}{known(rights), int32(fd)}
	var to int
	if err := number(ruleset, &to); err != nil {
		return err
	}
	_, _, errno := syscall.Syscall6(landlockAdd, uintptr(to), landlockBeneath, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// pathOnly is O_PATH.
const pathOnly = 0x200000

// allowPath adds rights for a file or folder. One that is not there, or that we cannot reach for whatever reason (a
// search path may name anything), is not allowed. Only when something is used up here that is an error: a ruleset is kept, and
// would lack the path for ever.
func allowPath(ruleset *os.File, path string, rights uint64) error {
	fd, err := syscall.Open(path, pathOnly|syscall.O_CLOEXEC, 0)
	if err != nil && passing(err) {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	if err != nil {
		return nil
	}
	defer func() { _ = syscall.Close(fd) }()
	if err := allow(ruleset, fd, rights); err != nil {
		return &os.PathError{Op: "allow", Path: path, Err: err}
	}
	return nil
}
