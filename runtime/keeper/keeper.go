// Package keeper starts plugins as children of a small process that stays, the keeper, in place of the runtime
// itself. So they end when the runtime does, however it ends, with everything that they started; and what a plugin may
// do can be restricted before it runs.
//
// A [Keeper] is a [process.Launcher]: transports to programs take it as an option. The keeper's own program is
// vcp-keeper, or any whose main calls serve.Main. On systems other than Linux on amd64 and arm64 there is none, [New]
// says so, and [process.Groups] is what remains.
//
// The package decides nothing about calls, reads no environment and no manifest, and never lets a plugin run with
// less restriction than its profile asks for where the system could give it.
//
// # What ends when
//
//	the process ends            everything that it started is killed, also what left its group and session
//	Kill                        the same
//	the runtime dies (kill -9)  the keeper sees the end of its socket, kills everything, and ends
//	the keeper dies             its namespace dies with it; without one, its guard kills everything. Wait returns
//	                            a *LostError; the next Start starts another keeper
//	the keeper is silent        the same, when it owed an answer for 30 s ([Patience])
//
// # How
//
// The keeper is a subreaper and so is each process that it starts, so an orphan's way up leads to its own leader first;
// what comes to the keeper belongs to a leader that has died. Where the system allows it, the keeper is the first
// process of a PID namespace: as root, or in a user namespace. There plugins see no process but each other, and root's
// files look as if they were nobody's when it is a user namespace. Elsewhere a second process, the guard, waits for
// the keeper's death.
//
// Standard streams do not go through the keeper: their descriptors are handed over with each request.
//
// # The sandbox
//
// A [Profile] says what a plugin may do. By default it has no_new_privs, resource limits, and, where the kernel has
// Landlock, may read and run what is in its folder and in the folders of programs, read the system's configuration,
// and write in its data folder alone. The network is open.
package keeper

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"vcp.core/runtime/transport/process"
)

// Option changes what [New] makes.
type Option func(*settings)

// settings are what options set.
type settings struct {
	program    []string
	namespaces bool
	profile    func(tool string) Profile
	log        *slog.Logger
	patience   time.Duration
}

// Program sets the keeper's program, a file that is relative to the working directory of this moment if it is not
// absolute, and its first arguments. A service may name itself (os.Executable), with arguments that make its main call
// serve.Main before anything else.
func Program(file string, args ...string) Option {
	return func(s *settings) { s.program = append([]string{file}, args...) }
}

// Namespaces sets whether a PID namespace is asked for; the default is true. Without one a plugin sees other
// processes.
func Namespaces(wanted bool) Option { return func(s *settings) { s.namespaces = wanted } }

// Profiles sets what the plugin of a tool may do; the default is [Default] for all.
func Profiles(of func(tool string) Profile) Option { return func(s *settings) { s.profile = of } }

// Logger sets where it is told that a keeper has begun or died; the default is silence.
func Logger(l *slog.Logger) Option { return func(s *settings) { s.log = l } }

// Patience sets how long a keeper that owes an answer may say nothing at all; the default is 30 s. One that is silent for
// longer (it was stopped, or waits for a file system that hangs) is given up, with all that runs below it, and the next
// Start starts another.
func Patience(d time.Duration) Option { return func(s *settings) { s.patience = d } }

// State is what is active.
type State struct {
	PID       int    // the keeper's process, or its guard's
	Namespace bool   // plugins are in a PID namespace of their own
	User      bool   // which is in a user namespace
	Refused   string // why there is no namespace, in the system's words
	Children  bool   // descendants of a process that has ended are found
	Landlock  int    // version of the kernel's interface, 0 when there is none
}

// LostError says that a keeper has died, so that how a process ended is not known. The process has died with it.
type LostError struct {
	Err error // what is known about the keeper's end, may be nil
}

// Error says it in a sentence.
func (e *LostError) Error() string {
	if e.Err == nil {
		return "the keeper of plugin processes has ended"
	}
	return fmt.Sprintf("the keeper of plugin processes has ended: %v", e.Err)
}

// Unwrap returns what is known about the keeper's end.
func (e *LostError) Unwrap() error { return e.Err }

// ErrUnsupported says that there is no keeper on this system.
var ErrUnsupported = errors.New("there is no keeper on this system")

// ErrClosed says that a Keeper was closed.
var ErrClosed = errors.New("the keeper was closed")

var _ process.Launcher = (*Keeper)(nil)
