package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// kernel is the release of the system.
func kernel() string {
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(release))
}

// kinds are the magic numbers of file systems that matter (linux/magic.h).
var kinds = map[int64]string{
	0x01021994: "tmpfs", 0x858458f6: "ramfs", 0x6969: "nfs", 0xff534d42: "cifs", 0xfe534d42: "smb2", 0x01021997: "9p", 0x65735546: "fuse",
}

// filesystem says how much room a folder has, and on what.
func filesystem(dir string) (free uint64, kind string, known bool) {
	var stat syscall.Statfs_t
	if syscall.Statfs(dir, &stat) != nil {
		return 0, "", false
	}
	return stat.Bavail * uint64(stat.Bsize), kinds[stat.Type], true
}

// limits tells the limits of this program that its plugins inherit or that bound their number.
func (e *examination) limits() {
	var files, processes syscall.Rlimit
	const ofProcesses = 6 // RLIMIT_NPROC
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) != nil || syscall.Getrlimit(ofProcesses, &processes) != nil {
		return
	}
	told := number(processes.Max) + " processes"
	if os.Geteuid() == 0 {
		told = "processes without limit, as for root always"
	}
	// Each running process of a plugin takes four descriptors here, and up to 512 run at once.
	if files.Max < 4096 {
		e.say("rlimits", less, "ulimit -Hn 4096", "%s open files, %s: with many plugins at once there are too few files", number(files.Max), told)
		return
	}
	e.say("rlimits", fine, "", "%s open files, %s", number(files.Max), told)
}

// number is a limit for people.
func number(n uint64) string {
	if n == ^uint64(0) {
		return "any number of"
	}
	return strconv.FormatUint(n, 10)
}
