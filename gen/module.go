package gen

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"vcp.core/gen/manifest"
)

// Module is the Go module that a folder belongs to.
type Module struct {
	Path string // as its go.mod says
	Root string // absolute folder of the go.mod
}

// NoModuleError says that no go.mod was found around a folder.
type NoModuleError struct{ Folder string }

// Error says it in a sentence.
func (e *NoModuleError) Error() string {
	return fmt.Sprintf("there is no go.mod in %s or above it", filepath.ToSlash(e.Folder))
}

// GoModError says that a go.mod names no module.
type GoModError struct{ File string }

// Error says it in a sentence.
func (e *GoModError) Error() string { return filepath.ToSlash(e.File) + " has no module line" }

// FindModule looks for the go.mod nearest to a folder, which need not exist yet.
func FindModule(folder string) (Module, error) {
	start, err := filepath.Abs(folder)
	if err != nil {
		return Module{}, err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		name := filepath.Join(dir, "go.mod")
		if stat, err := os.Stat(name); err == nil && !stat.IsDir() {
			src, err := os.ReadFile(name)
			if err != nil {
				return Module{}, err
			}
			p, ok := modulePath(string(src))
			if !ok {
				return Module{}, &GoModError{name}
			}
			return Module{Path: p, Root: dir}, nil
		}
		if dir == filepath.Dir(dir) {
			return Module{}, &NoModuleError{folder}
		}
	}
}

// modulePath reads the module line of a go.mod: module PATH, where PATH may be quoted and // begins a
// comment.
func modulePath(src string) (string, bool) {
	for line := range strings.Lines(src) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		if len(words) != 2 || words[0] != "module" {
			continue
		}
		if p, err := strconv.Unquote(words[1]); err == nil {
			return p, true
		}
		return words[1], true
	}
	return "", false
}

// ImportPathError says that Go would not import a package from a folder.
type ImportPathError struct {
	Folder string // slash-separated, relative to the module
	Reason string
}

// Error says it in a sentence.
func (e *ImportPathError) Error() string {
	return fmt.Sprintf("%s cannot be imported: %s", e.Folder, e.Reason)
}

// ImportPath returns the import path of a folder of the module, or an [*ImportPathError].
func (m Module) ImportPath(folder string) (string, error) {
	rel, err := m.rel(folder)
	if err != nil {
		return "", err
	}
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return "", &ImportPathError{rel, "a link leads out of the module"}
	}
	for element := range strings.SplitSeq(rel, "/") {
		bad := func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-._~+", r)
		}
		short, _, _ := strings.Cut(element, ".")
		switch i := strings.IndexFunc(element, bad); {
		case i >= 0:
			r, _ := utf8.DecodeRuneInString(element[i:])
			return "", &ImportPathError{rel, fmt.Sprintf("an import path has ASCII letters, digits and -._~+, and not %q", r)}
		case rel != "." && strings.HasSuffix(element, "."):
			return "", &ImportPathError{rel, fmt.Sprintf("%q ends in a dot", element)}
		case manifest.IsDevice(short):
			return "", &ImportPathError{rel, fmt.Sprintf("%q is no folder on Windows, so Go takes it nowhere", element)}
		}
	}
	return path.Join(m.Path, rel), nil
}

// NameOf is what generated code calls an input file: its path in the module, or for a file elsewhere its
// name and that of its folder. Neither depends on where the module lies, nor on the working folder.
func (m Module) NameOf(file string) string {
	if rel, err := m.rel(file); err == nil && filepath.IsLocal(filepath.FromSlash(rel)) {
		return rel
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		abs = file
	}
	return path.Join(filepath.Base(filepath.Dir(abs)), filepath.Base(abs))
}

// rel is a path relative to the module's root, slash-separated. Links are followed first: a folder has one
// import path, whichever way it was reached.
func (m Module) rel(file string) (string, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(resolved(m.Root), resolved(abs))
	return filepath.ToSlash(rel), err
}

// resolved follows links in the part of a path that exists.
func resolved(name string) string {
	if p, err := filepath.EvalSymlinks(name); err == nil {
		return p
	}
	if parent := filepath.Dir(name); parent != name {
		return filepath.Join(resolved(parent), filepath.Base(name))
	}
	return name
}
