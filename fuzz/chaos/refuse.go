//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// refuseVerb makes this program run another one, to which the kernel refuses new namespaces.
const refuseVerb = "refuse"

// refused replaces this process by the program of the arguments. The switch that systems have for this is one for all
// processes, so a filter of system calls takes its place: unshare and a clone of a user namespace are not permitted, and clone3,
// whose flags a filter cannot read, is not known, which makes libraries use clone.
func refused(args []string) int {
	runtime.LockOSThread()
	const allow, number, argument = unix.SECCOMP_RET_ALLOW, 0, 16
	deny := unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknown := unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	give := func(what uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: what}
	}
	when := func(code uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | code, Jt: yes, Jf: no, K: k}
	}
	filter := []unix.SockFilter{
		load(number),
		when(unix.BPF_JEQ, unix.SYS_CLONE3, 5, 0),
		when(unix.BPF_JEQ, unix.SYS_CLONE, 2, 0),
		when(unix.BPF_JEQ, unix.SYS_UNSHARE, 1, 0),
		give(allow),
		load(argument),
		when(unix.BPF_JSET, unix.CLONE_NEWUSER, 2, 1),
		give(unknown),
		give(allow),
		give(deny),
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	if err == nil {
		err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
	}
	if err == nil {
		var file string
		if file, err = exec.LookPath(args[0]); err == nil {
			err = syscall.Exec(file, args, os.Environ())
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}
