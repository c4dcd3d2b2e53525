package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"vcp.core/gen/manifest"
	"vcp.core/runtime/keeper"
	"vcp.core/runtime/store/postgres"
	"vcp.core/runtime/transport/process"
)

// system tells what everything else depends on.
func (e *examination) system() {
	release := kernel()
	if release != "" {
		release = ", " + release
	}
	e.say("system", fine, "", "%s/%s%s, %d processors, %s", goruntime.GOOS, goruntime.GOARCH, release, goruntime.NumCPU(), goruntime.Version())
}

// processes tells what keeps and restricts the processes of plugins.
func (e *examination) processes(a *app) {
	k, why, err := a.openKeeper()
	if err != nil {
		e.say("keeper", broken, "make build puts it beside vcp; --keeper names it", "%v", err)
		a.flags.Keeper = off // the rest can be looked at without
		return
	}
	if k == nil {
		hint := "make build puts it beside vcp; --keeper names it"
		if goruntime.GOOS != "linux" || a.flags.Keeper == off {
			hint = ""
		}
		e.say("keeper", less, hint, "%v: plugins are children of this program. %s", why, withoutKeeper())
		e.say("sandbox", less, "", "off: it needs the keeper")
		return
	}
	a.keeper = k
	state, err := k.State()
	if err != nil {
		e.say("keeper", broken, "--keeper off does without", "%v", because(err))
		return
	}
	e.say("keeper", fine, "", "process %d: plugins end when this program does, however it ends", state.PID)
	if state.Children {
		e.say("descendants", fine, "", "whatever a call has started ends with it, also in another session (subreaper)")
	} else {
		e.say("descendants", less, "a kernel with CONFIG_PROC_CHILDREN, and /proc mounted",
			"children cannot be listed: what left the process group of its plugin lives on when the call has ended")
	}
	e.namespace(state)
	e.sandbox(a, state)
	e.trial(k)
}

// because adds what the system said.
func because(err error) string {
	if cause := errors.Unwrap(err); cause != nil {
		return err.Error() + ": " + cause.Error()
	}
	return err.Error()
}

// withoutKeeper says how far process groups reach.
func withoutKeeper() string {
	switch goruntime.GOOS {
	case "linux":
		return "A plugin ends with this program; what left its process group (setsid) lives on"
	case "windows":
		return "What a plugin has started lives on when it is ended"
	default:
		return "A plugin lives on when this program is killed, and so does what left its process group (setsid)"
	}
}

func (e *examination) namespace(s keeper.State) {
	switch {
	case s.Namespace && s.User:
		e.say("namespace", fine, "", "plugins see no process but each other (PID namespace, in a user namespace: files of other users look like nobody's)")
	case s.Namespace:
		e.say("namespace", fine, "", "plugins see no process but each other (PID namespace)")
	default:
		hint := "it needs root, or user namespaces (sysctl user.max_user_namespaces; kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu); not inside most containers"
		e.say("namespace", less, hint, "none: %s. A second process, the guard, does its work; plugins see other processes", s.Refused)
	}
}

func (e *examination) sandbox(a *app, s keeper.State) {
	if !a.flags.profile().Sandbox {
		e.say("sandbox", less, "", "switched off by --sandbox: plugins can do whatever this user can")
		return
	}
	e.say("no_new_privs", fine, "", "programs with the setuid bit gain nothing")
	var missing []string
	for _, m := range []struct {
		version int
		what    string
	}{{2, "moving files between folders is refused altogether"}, {3, "truncating files is not restricted"}, {6, "signals to other processes are not restricted"}} {
		if s.Landlock < m.version {
			missing = append(missing, m.what)
		}
	}
	const files = "plugins read their folder, the folders of programs and the system's; they write in their data folder"
	switch {
	case s.Landlock == 0:
		e.say("landlock", less, "Linux 5.13 with landlock among the kernel's lsm=", "none: plugins can read and write whatever this user can")
	case len(missing) > 0:
		e.say("landlock", less, "a newer kernel", "version %d: %s; %s", s.Landlock, files, strings.Join(missing, "; "))
	default:
		e.say("landlock", fine, "", "version %d: %s", s.Landlock, files)
	}
}

// trial runs a process below the keeper, in the sandbox that plugins get.
func (e *examination) trial(k *keeper.Keeper) {
	const shell = "/bin/sh"
	if _, err := os.Stat(shell); err != nil {
		return
	}
	begin := time.Now()
	p, err := k.Start(process.Command{File: shell, Argv: []string{"sh", "-c", "exit 7"}, Dir: "/"})
	if err != nil {
		e.say("trial", broken, "--sandbox off shows whether it is the sandbox", "a process cannot be started: %v", err)
		return
	}
	ending, err := p.Wait()
	p.Close()
	switch {
	case err != nil:
		e.say("trial", broken, "", "%v", err)
	case ending.Code != 7:
		e.say("trial", broken, "--sandbox off shows whether it is the sandbox", "a shell that is to end with exit code 7 %v", ending)
	default:
		e.say("trial", fine, "", "a process in the sandbox, from request to end: %v", time.Since(begin).Round(10*time.Microsecond))
	}
}

// plugins tells which tools cannot run here.
func (e *examination) plugins(a *app) error {
	known, out, err := a.catalog()
	if err != nil {
		return err
	}
	tools := map[string]bool{}
	var cannot []string
	for _, s := range known.Specs() {
		if tools[s.Tool] {
			continue
		}
		tools[s.Tool] = true
		if why := known.unavailable(s); why != "" && s.Protocol != manifest.MCP {
			cannot = append(cannot, s.Tool+": "+why)
		}
	}
	for _, u := range out {
		cannot = append(cannot, u.file+": not registered")
	}
	dir, err := a.pluginsDir()
	if err != nil {
		return err
	}
	if dir == "" {
		dir = "no folder"
	}
	if len(cannot) == 0 {
		e.say("plugins", fine, "", "%s: %d tools, all can run", dir, len(tools))
		return nil
	}
	slices.Sort(cannot)
	e.say("plugins", less, "vcp tools and vcp check say more", "%s: %d tools; %s", dir, len(tools), strings.Join(cannot, "; "))
	return nil
}

// interpreters tells which ones there are. Plugins that need one that is missing are told of by plugins.
func (e *examination) interpreters(a *app) {
	for _, name := range []string{"node", "python3"} {
		file, err := exec.LookPath(name)
		if err != nil {
			e.say(name, less, "", "is not on the search path; plugins that need it cannot run")
			continue
		}
		began := time.Now()
		version, err := versionOf(file)
		took := time.Since(began).Round(time.Millisecond)
		switch {
		case err != nil:
			e.say(name, broken, "", "%s does not run: %v", file, err)
		case isScript(file):
			e.say(name, fine, "a script picks the version at each start; the program itself in a manifest's argv starts faster", "%s, %s, started in %v", version, file, took)
		default:
			e.say(name, fine, "", "%s, %s, started in %v", version, file, took)
		}
	}
}

// versionOf asks a program for its version.
func versionOf(file string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, file, "--version").Output()
	first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return first, err
}

// isScript reports whether a program begins with #!.
func isScript(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	var begin [2]byte
	_, err = io.ReadFull(f, begin[:])
	return err == nil && string(begin[:]) == "#!"
}

// Room that a data folder should have.
const (
	little    = 1 << 30
	tooLittle = 32 << 20
)

// data tells about the data folder, or where it is to be.
func (e *examination) data(dir string) {
	at := dir
	for {
		if stat, err := os.Stat(at); err == nil {
			if !stat.IsDir() {
				e.say("data", broken, "--data names a folder", "%s is not a folder", at)
				return
			}
			break
		}
		above := filepath.Dir(at)
		if above == at {
			e.say("data", broken, "--data names a folder", "%s cannot be reached", dir)
			return
		}
		at = above
	}
	where := dir
	if at != dir {
		where = fmt.Sprintf("%s, to be made in %s", dir, at)
	}
	took, err := keeps(at)
	if err != nil {
		e.say("data", broken, "--data names another folder", "%s: %v", where, err)
		return
	}
	e.say("data", fine, "", "%s, can be written", where)
	free, kind, known := filesystem(at)
	switch {
	case volatile[kind]:
		e.say("durability", less, "--data on a disk", "%s is in memory (%s): nothing is kept when the machine stops", at, kind)
	case remote[kind]:
		e.say("durability", less, "--data on a disk of this machine", "%s is on another machine (%s): locks and flushes may not hold", at, kind)
	case took < 20*time.Microsecond:
		e.say("durability", less, "", "a block was flushed in %v: the system or its disk says that it has kept what it has not", took)
	default:
		e.say("durability", fine, "", "a block of 4 KB is flushed in %v", took.Round(time.Microsecond))
	}
	switch {
	case !known:
	case free < tooLittle:
		e.say("space", broken, "", "%s free", size(free))
	case free < little:
		e.say("space", less, "", "%s free", size(free))
	default:
		e.say("space", fine, "", "%s free", size(free))
	}
}

// store tells about the database of --store, where there is one. It makes no tables.
func (e *examination) store(url string) {
	if url == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeWait)
	defer cancel()
	s, err := postgres.Look(ctx, url)
	switch {
	case err != nil:
		e.say("store", broken, "--store names the database, such as postgres://USER:PASSWORD@HOST/NAME", "%v", err)
	case s.ReadOnly:
		e.say("store", broken, "--store names the server that takes writes", "PostgreSQL %s takes no writes", s.Version)
	case s.Near:
		e.say("store", fine, "", "PostgreSQL %s, on this machine", s.Version)
	case !s.Encrypted:
		e.say("store", less, "sslmode=verify-full in its URL", "PostgreSQL %s, over a connection that is not encrypted", s.Version)
	default:
		e.say("store", fine, "", "PostgreSQL %s, over an encrypted connection", s.Version)
	}
}

// size is a number of bytes for people.
func size(n uint64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// volatile and remote are kinds of file systems.
var (
	volatile = map[string]bool{"tmpfs": true, "ramfs": true}
	remote   = map[string]bool{"nfs": true, "cifs": true, "smb2": true, "9p": true, "fuse": true}
)

// keeps writes a file into a folder, flushes it, renames it, and removes it. It returns how long a block took to be flushed,
// at best.
func keeps(dir string) (best time.Duration, err error) {
	f, err := os.CreateTemp(dir, ".vcp-doctor-*")
	if err != nil {
		return 0, err
	}
	name := f.Name()
	defer func() {
		_ = f.Close()
		if gone := os.Remove(name); err == nil {
			err = gone
		}
	}()
	block := make([]byte, 4<<10)
	for i := range 5 {
		if _, err := f.Write(block); err != nil {
			return 0, err
		}
		begin := time.Now()
		if err := f.Sync(); err != nil {
			return 0, err
		}
		if took := time.Since(begin); i == 0 || took < best {
			best = took
		}
	}
	if err := os.Rename(name, name+"-moved"); err != nil {
		return 0, err
	}
	name += "-moved"
	return best, nil
}
