//go:build amd64 || arm64

package keeper

import (
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"vcp.core/runtime/transport/process"
)

// system are the folders that every program may read and run, and shared are its devices that keep nothing. What is not there
// on a system is left out.
var (
	system = []string{
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store", "/snap", "/run/current-system",
		"/etc", "/sys", "/var/lib/ca-certificates",
		"/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager", // where resolv.conf may lead to
	}
	shared = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
)

// rulesets keeps the rulesets of a session, which cost about as much to make as a process.
type rulesets struct {
	proc *os.File // the /proc that the processes see

	mu   sync.Mutex
	kept map[string]*kept
}

// kept is a ruleset for certain paths. It holds for the files and folders that were there when it was made, so those
// that come and go are compared. The system keeps a file that a ruleset names, so its number is no other's meanwhile.
type kept struct {
	ruleset *os.File
	found   []identity // of the folder, the data folder, the program, and what the profile allows further
}

// identity is what tells whether a name means the same file as before.
type identity struct{ dev, ino uint64 }

func identityOf(path string) identity {
	var stat syscall.Stat_t
	if path == "" || syscall.Stat(path, &stat) != nil {
		return identity{}
	}
	return identity{stat.Dev, stat.Ino}
}

// maxKept is how many rulesets are kept. Each is a descriptor.
const maxKept = 256

// of returns the ruleset for a program, nil where there is no Landlock. Nobody closes it: others may be about to use
// it, and a file that nobody holds any more closes itself.
func (r *rulesets) of(c *process.Command, p *Profile) (*os.File, error) {
	if landlockVersion() == 0 {
		return nil, nil
	}
	path := pathOf(c.Env)
	tcp := "tcp"
	if p.NoTCP {
		tcp = ""
	}
	key := strings.Join(slices.Concat([]string{c.Dir, c.Data, c.File, path, tcp}, p.Read, []string{""}, p.Write), "\x00")
	found := make([]identity, 0, 8)
	for _, names := range [...][]string{{c.Dir, c.Data, c.File}, p.Read, p.Write} {
		for _, name := range names {
			found = append(found, identityOf(name))
		}
	}
	r.mu.Lock()
	k := r.kept[key]
	r.mu.Unlock()
	if k != nil && slices.Equal(k.found, found) {
		return k.ruleset, nil
	}
	ruleset, err := newRuleset(p.NoTCP)
	if err != nil {
		return nil, err
	}
	if err := r.fill(ruleset, c, p, path); err != nil {
		_ = ruleset.Close()
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept == nil || len(r.kept) >= maxKept {
		r.kept = map[string]*kept{}
	}
	r.kept[key] = &kept{ruleset, found}
	return ruleset, nil
}

// fill allows what a profile allows.
func (r *rulesets) fill(ruleset *os.File, c *process.Command, p *Profile, path string) error {
	rights := map[string]uint64{}
	add := func(right uint64, paths ...string) {
		for _, path := range paths {
			if filepath.IsAbs(path) {
				rights[path] |= right
			}
		}
	}
	add(readable, system...)
	add(device, shared...)
	add(readable, programs(c.File, path, straight(variable(c.Env, "HOME")))...)
	add(readable, c.Dir, c.File)
	add(writable, c.Data)
	add(readable, p.Read...)
	add(writable, p.Write...)
	for _, path := range slices.Sorted(maps.Keys(rights)) {
		if err := allowPath(ruleset, path, rights[path]); err != nil {
			return err
		}
	}
	var proc int
	if err := number(r.proc, &proc); err != nil {
		return err
	}
	return allow(ruleset, proc, readable)
}

// programs returns the folders that a program and those that it finds by its PATH need: the installation that the program is
// part of, and for each folder of PATH the libraries beside it. Neither is the user's own folder as a whole, nor
// anything above it.
func programs(file, path, home string) []string {
	var list []string
	add := func(folder string) {
		holds := func(home string) bool { return home == folder || strings.HasPrefix(home, folder+"/") }
		if folder != "/" && !holds(home) && !holds(ownFolder()) {
			list = append(list, folder)
		}
	}
	folder := filepath.Dir(straight(file))
	add(folder)
	if filepath.Base(folder) == "bin" {
		add(filepath.Dir(folder))
	}
	for _, folder := range filepath.SplitList(path) {
		folder = straight(folder)
		add(folder)
		above := filepath.Dir(folder)
		switch filepath.Base(folder) {
		case "bin":
			for _, beside := range []string{"lib", "lib64", "libexec"} {
				add(filepath.Join(above, beside))
			}
		case "shims": // of a program that picks versions: the versions are beside it
			add(above)
		}
	}
	return list
}

// ownFolder is the user's own folder, "" when there is none. What an environment calls HOME may be another, and a service
// often has no HOME.
var ownFolder = sync.OnceValue(func() string {
	account, err := user.LookupId(strconv.Itoa(os.Geteuid()))
	if err != nil {
		return ""
	}
	return straight(account.HomeDir)
})

// variable returns the value of a variable, "" when there is none.
func variable(env []string, name string) string {
	value := ""
	for _, entry := range env {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}

func pathOf(env []string) string { return variable(env, "PATH") }

// straight returns a name without links in it, where they can be followed.
func straight(name string) string {
	if followed, err := filepath.EvalSymlinks(name); err == nil && name != "" {
		return followed
	}
	return name
}

// temporary returns the environment of a program with the folder for temporary files in its data folder, which is
// made here. Where it has no data folder it has none for those, either.
func temporary(c process.Command) []string {
	if c.Data == "" {
		return c.Env
	}
	folder := filepath.Join(c.Data, "tmp")
	if err := os.Mkdir(folder, 0o700); err != nil && !os.IsExist(err) {
		return c.Env
	}
	env := slices.DeleteFunc(slices.Clone(c.Env), func(entry string) bool { return strings.HasPrefix(entry, "TMPDIR=") })
	return append(env, "TMPDIR="+folder)
}
