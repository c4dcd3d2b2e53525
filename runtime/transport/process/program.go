package process

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Program is how a plugin is started.
type Program struct {
	Dir  string   // the plugin's folder, which the process runs in
	Argv []string // the program and its arguments, as the manifest has them (entryPoint.argv)
	// Env are further variables, NAME=value. The configuration of a plugin is not among them: it stands in the
	// call frame.
	Env []string
}

// UnavailableError says why a program cannot be started. It holds no path beyond what the manifest says.
type UnavailableError struct {
	Program string // argv[0], "" when it is not what is amiss
	Why     string // "was not found on the search path"; without a program a clause of its own
	Err     error  // the system's word, for logs; may be nil
}

// Error returns "node was not found on the search path".
func (e *UnavailableError) Error() string {
	if e.Program == "" {
		return e.Why
	}
	return e.Program + " " + e.Why
}

// Unwrap returns the system's error.
func (e *UnavailableError) Unwrap() error { return e.Err }

// File returns the file of a program, or an [*UnavailableError]. An absolute name is taken as it is. A name with a
// slash is a file in the plugin's folder and must not lead out of it: a manifest is data from elsewhere. Any other
// name is looked for in the further folders, then on the search path.
func (s *Surroundings) File(p *Program) (string, error) {
	if len(p.Argv) == 0 || p.Argv[0] == "" {
		return "", &UnavailableError{Why: "the program has no name"}
	}
	name := p.Argv[0]
	unavailable := func(err error, why string) error {
		return &UnavailableError{Program: name, Why: why, Err: err}
	}
	if stat, err := os.Stat(p.Dir); err != nil || !stat.IsDir() {
		return "", &UnavailableError{Why: "the plugin's folder is not there", Err: err}
	}
	if filepath.IsAbs(name) {
		return name, p.executable(name, unavailable)
	}
	if strings.ContainsRune(name, '/') || runtime.GOOS == "windows" && strings.ContainsRune(name, '\\') {
		if !filepath.IsLocal(name) {
			return "", unavailable(nil, "leads out of the plugin's folder")
		}
		file := filepath.Join(p.Dir, filepath.FromSlash(name))
		return file, p.executable(file, unavailable)
	}
	for _, dir := range s.folders {
		if !filepath.IsAbs(dir) {
			continue // counts from wherever the process is: no place to run a program from
		}
		for _, end := range endings {
			file := filepath.Join(dir, name+end)
			if runnable(file) == nil {
				return file, nil
			}
		}
	}
	return "", unavailable(nil, "was not found on the search path")
}

// executable says why a file that was named cannot be run.
func (p *Program) executable(file string, unavailable func(error, string) error) error {
	err := runnable(file)
	for _, end := range endings {
		if err != nil && end != "" && runnable(file+end) == nil {
			err = nil
		}
	}
	switch {
	case err == nil:
		return nil
	case os.IsNotExist(err):
		return unavailable(err, "does not exist")
	case os.IsPermission(err):
		return unavailable(err, "is not executable")
	default:
		return unavailable(err, "is not a program")
	}
}

// kept are the variables of the environment that a plugin sees, where they are set. They say where programs,
// the user's own files and temporary files are; none says anything about the runtime.
var kept = func() []string {
	if runtime.GOOS == "windows" {
		return []string{"PATH", "PATHEXT", "SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"}
	}
	return []string{"PATH", "HOME", "TMPDIR"}
}()

// DataVariable names the environment variable that holds the plugin's data folder (DESIGN §9).
const DataVariable = "VCP_PLUGIN_DATA"

// Surroundings are what all programs of a transport share: an environment, and folders to be found in.
type Surroundings struct {
	base    []string
	folders []string
}

// NewSurroundings picks the few variables that every program gets out of an environment, as os.Environ gives it:
// PATH, HOME and TMPDIR; on Windows PATH, PATHEXT, SYSTEMROOT, SYSTEMDRIVE, COMSPEC, TEMP, TMP, USERPROFILE, APPDATA
// and LOCALAPPDATA. LANG is always C.UTF-8. Without a PATH there is one of the system's usual folders. Programs are
// looked for by their plain name in the given folders, which must be absolute, then on the search path.
func NewSurroundings(environ, folders []string) *Surroundings {
	base := minimal(environ)
	return &Surroundings{base: base, folders: slices.Concat(folders, searchPath(base))}
}

// Env returns the environment of a program, without its data folder. Its own variables replace their namesakes.
func (s *Surroundings) Env(p *Program) []string {
	var out []string
	for _, entry := range s.base {
		name, _, _ := strings.Cut(entry, "=")
		if !slices.ContainsFunc(p.Env, func(m string) bool { return strings.HasPrefix(m, name+"=") }) {
			out = append(out, entry)
		}
	}
	return append(out, p.Env...)
}

// minimal picks the variables that every plugin gets out of an environment.
func minimal(environ []string) []string {
	var out []string
	hasPath := false
	for _, entry := range environ {
		name, value, ok := strings.Cut(entry, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		if ok && slices.Contains(kept, name) {
			out = append(out, name+"="+value)
			hasPath = hasPath || name == "PATH"
		}
	}
	if !hasPath {
		out = append(out, "PATH="+defaultPath)
	}
	return append(out, "LANG=C.UTF-8")
}

// searchPath returns the folders of PATH.
func searchPath(environ []string) []string {
	for _, entry := range environ {
		if path, ok := strings.CutPrefix(entry, "PATH="); ok {
			return filepath.SplitList(path)
		}
	}
	return nil
}
