package keeper

import "time"

// Profile is what a plugin may do. The zero Profile restricts nothing.
type Profile struct {
	// Sandbox restricts files, by Landlock, and takes the ways to gain rights away, by no_new_privs: programs with the
	// setuid bit run as anybody else's. Run by root, a plugin also loses the rights of root that no tool needs, such
	// as to load kernel modules and to trace processes.
	//
	// A plugin may then read and run what is in its folder, in the folder of its program, in the folders of its PATH
	// and the libraries beside them, and in the system's folders of programs; read /etc, /proc and /sys; write in its
	// data folder, and to devices that keep nothing, such as the null device. Its temporary files go to the folder tmp
	// in its data folder. It sends signals to no process but its own (Linux 6.12).
	Sandbox bool
	Read    []string // further files and folders that it may read and run, absolute
	Write   []string // further files and folders that it may also change, absolute
	NoTCP   bool     // no TCP connection, neither way; needs Sandbox and Linux 6.7. UDP is not covered

	// Limits of one process each, handed down to those that it starts; 0 is the keeper's own.
	Processes int           // of the user altogether, of the namespace in a user namespace; none for root
	Files     int           // open descriptors
	FileSize  int64         // bytes of a file that it writes
	Memory    int64         // bytes of address space; programs with a garbage collector reserve much more than they use
	CPU       time.Duration // time on a processor, in whole seconds
}

// Default is a sandbox, 8,192 processes and 4,096 open descriptors.
func Default() Profile { return Profile{Sandbox: true, Processes: 8192, Files: 4096} }
