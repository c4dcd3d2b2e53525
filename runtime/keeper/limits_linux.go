//go:build amd64 || arm64

package keeper

import (
	"os"
	"syscall"
	"time"

	"vcp.core/runtime/keeper/link"
)

// Resources of setrlimit(2).
const (
	limitCPU       = syscall.RLIMIT_CPU
	limitFileSize  = syscall.RLIMIT_FSIZE
	limitCore      = syscall.RLIMIT_CORE
	limitMemory    = syscall.RLIMIT_AS
	limitFiles     = syscall.RLIMIT_NOFILE
	limitProcesses = 6 // RLIMIT_NPROC
)

// usualFiles is the soft limit of descriptors that programs expect. Go raises its own, which must not be handed down.
const usualFiles = 1024

// limits returns the limits of a profile, none above what we may set.
func (p *Profile) limits() []link.Limit {
	var list []link.Limit
	add := func(resource int, soft, hard uint64) {
		var ours syscall.Rlimit
		if syscall.Getrlimit(resource, &ours) == nil {
			hard = min(hard, ours.Max)
		}
		list = append(list, link.Limit{Resource: uint64(resource), Soft: min(soft, hard), Hard: hard})
	}
	both := func(resource int, value uint64) {
		if value > 0 {
			add(resource, value, value)
		}
	}
	if p.Sandbox {
		add(limitCore, 0, 0) // what was in memory is not left in a file
	}
	if p.Files > 0 {
		both(limitFiles, uint64(p.Files))
	} else {
		add(limitFiles, usualFiles, ^uint64(0))
	}
	both(limitProcesses, uint64(max(p.Processes, 0)))
	both(limitFileSize, uint64(max(p.FileSize, 0)))
	both(limitMemory, uint64(max(p.Memory, 0)))
	if seconds := uint64((max(p.CPU, 0) + time.Second - 1) / time.Second); seconds > 0 {
		add(limitCPU, seconds, seconds+1) // SIGXCPU first
	}
	return list
}

// useful are the rights of root that a tool may have use for: of files, users, and low ports.
const useful = 1<<0 | 1<<1 | 1<<3 | 1<<4 | 1<<5 | 1<<6 | 1<<7 | 1<<8 | 1<<10 | 1<<13 | 1<<18 | 1<<31

// dropped are the rights of root that a plugin in a sandbox does not get: all others. Who is not root has none.
func dropped() uint64 {
	if os.Geteuid() != 0 {
		return 0
	}
	return ^uint64(useful)
}
