// Package generate is the verb gen: `vcp gen` and the program vcp-gen are both this function. It turns paths
// into manifests, asks gen for the packages, and says what happened.
//
// It reaches contract and gen only, so that vcp-gen builds and repairs when everything under generated/ and
// runtime/ is broken or gone. It never decides what is generated.
package generate

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/gen"
	"vcp.core/gen/diag"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/load"
	"vcp.core/gen/manifest"
)

// Options are the command line.
type Options struct {
	Check   bool        `help:"Write nothing; report what is missing, stale or left over."`
	Diff    bool        `help:"Show how the exported Go declarations change."`
	Support string      `help:"Module of the support packages that generated code imports. Default: vcp.core" default:"vcp.core" placeholder:"PREFIX"`
	Out     string      `help:"Folder of the generated code; it belongs to the generator alone. Default: generated" default:"generated" placeholder:"DIR"`
	Format  diag.Format `help:"How to print findings: text, json or github. Default: text" default:"text" placeholder:"FORMAT"`
	Paths   []string    `arg:"" optional:"" name:"path" help:"Manifest, plugin folder, or folder of plugin folders. Default: the folder of --plugins."`
}

// Defaults are the options of an empty command line.
func Defaults() Options {
	return Options{Support: golang.DefaultSupport, Out: "generated", Format: diag.Text}
}

// Help explains the verb.
const Help = `Reads every manifest that the paths lead to, checks them as "vcp check" does, and writes one Go package for each
plugin, a registry of them all, and in the module of the support packages the protocol's own types. Import paths come
from the go.mod nearest to --out. The folder is replaced as a whole: packages of plugins that are gone go away, and a
file that was not generated stops the run before anything is touched. With an error in any manifest nothing is written.

Examples:
  vcp gen                                          ./plugins into ./generated
  vcp gen --check                                  is it up to date? (for CI)
  vcp gen --check --diff                           what would change for those who import it?
  vcp gen --support vcp.core --out internal/tools  into another module

Exit code: 0 all is well, 1 there are errors, or with --check something differs, 2 wrong use.`

// The exit codes (DESIGN §4).
const (
	exitFindings = 1
	exitUse      = 2
)

// The codes of findings about the folder, one for each [gen.State].
const (
	CodeMissing diag.Code = "gen/missing" // a file that should be there
	CodeStale   diag.Code = "gen/stale"   // a file that says something else
	CodeOrphan  diag.Code = "gen/orphan"  // a generated file that nothing leads to any more
	CodeForeign diag.Code = "gen/foreign" // a file that was not generated
)

// Run generates and returns the exit code. Data goes to stdout, words to stderr.
func Run(o Options, stdout, stderr io.Writer) int {
	v := &verb{Options: o, stdout: stdout, stderr: stderr}
	code, err := v.run()
	if err == nil {
		return code
	}
	v.sayf("vcp gen: error: %v", err)
	if hint := hintFor(err); hint != "" {
		v.sayf("hint: %s", hint)
	}
	return exitUse
}

type verb struct {
	Options
	stdout, stderr io.Writer
}

func (v *verb) sayf(format string, args ...any) { _, _ = fmt.Fprintf(v.stderr, format+"\n", args...) }

// NothingError says that no path was given and that the default does not exist.
type NothingError struct{}

// Error names the default folder.
func (*NothingError) Error() string {
	return "there is nothing to generate from: no path was given and there is no folder ./" + defaultPath
}

const defaultPath = "plugins"

func hintFor(err error) string {
	if _, ok := errors.AsType[*NothingError](err); ok {
		return "name a manifest or a folder: vcp gen PATH"
	}
	if _, ok := errors.AsType[*gen.NoModuleError](err); ok {
		return "generated code belongs to a Go module: go mod init, or another --out"
	}
	if _, ok := errors.AsType[*gen.ForeignError](err); ok {
		return "move it away, or give generated code a folder of its own with --out"
	}
	return ""
}

// With few manifests the garbage collector is given more room: a program that ends in a moment need not
// collect what it leaves behind. It saves a quarter of the processor time, and costs up to 1 MB of memory for
// each manifest; with a thousand of them, memory counts more.
const (
	fewManifests = 100
	gcPercent    = 400
)

func (v *verb) run() (int, error) {
	module, err := gen.FindModule(v.Out)
	if err != nil {
		return 0, err
	}
	target := gen.Target{Support: v.Support, Protocol: module.Path == v.Support}
	if target.ImportPath, err = module.ImportPath(v.Out); err != nil {
		return 0, err
	}
	manifests, findings, err := v.read(module)
	if err != nil {
		return 0, err
	}
	var tree *gen.Tree
	if !findings.HasErrors() {
		if len(manifests) <= fewManifests {
			defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
		}
		var list diag.List
		tree, list = gen.Generate(manifests, target)
		findings = append(findings, list...)
	}
	if tree == nil {
		findings.Sort()
		faults, _ := findings.Count()
		v.sayf("vcp gen: nothing was written: %s", count(faults, "error"))
		return exitFindings, diag.Write(v.stdout, v.Format, findings)
	}
	return v.deliver(tree, findings)
}

// read finds and loads the manifests.
func (v *verb) read(module gen.Module) ([]gen.Manifest, diag.List, error) {
	paths := v.Paths
	if len(paths) == 0 {
		if stat, err := os.Stat(defaultPath); err != nil || !stat.IsDir() {
			return nil, nil, &NothingError{}
		}
		paths = []string{defaultPath}
	}
	files, findings := manifest.Find(paths...)
	var manifests []gen.Manifest
	for _, name := range files {
		file, list := load.ReadFile(name, wire.Limits{})
		findings = append(findings, list...)
		if file != nil {
			manifests = append(manifests, gen.Manifest{Name: module.NameOf(name), File: file})
		}
	}
	return manifests, findings, nil
}

// deliver shows, checks or writes a tree.
func (v *verb) deliver(tree *gen.Tree, findings diag.List) (int, error) {
	if v.Diff {
		changes, err := tree.API(v.Out)
		if err != nil {
			return 0, err
		}
		if err := v.show(changes); err != nil {
			return 0, err
		}
	}
	changes, err := tree.Compare(v.Out)
	if err != nil {
		return 0, err
	}
	code := 0
	if v.Check {
		findings = append(findings, v.stale(changes)...)
	} else if err := tree.Write(v.Out); err != nil {
		return 0, err
	}
	findings.Sort()
	if err := diag.Write(v.stdout, v.Format, findings); err != nil {
		return 0, err
	}
	switch n := len(changes); {
	case n == 0:
		v.sayf("vcp gen: %s, all up to date", count(len(tree.Files), "file"))
	case v.Check:
		v.sayf("vcp gen: %s of %d differ", count(n, "file"), len(tree.Files))
		code = exitFindings
	default:
		v.sayf("vcp gen: %s, %d changed, added or removed", count(len(tree.Files), "file"), n)
	}
	return code, nil
}

// show prints the changes of the API, a package at a time.
func (v *verb) show(changes []gen.APIChange) error {
	pkg := ""
	for _, c := range changes {
		if c.Package != pkg {
			pkg = c.Package
			if _, err := fmt.Fprintf(v.stdout, "%s\n", path.Join(filepath.ToSlash(v.Out), pkg)); err != nil {
				return err
			}
		}
		if err := errors.Join(v.lines("- ", c.Old), v.lines("+ ", c.New)); err != nil {
			return err
		}
	}
	if len(changes) == 0 {
		v.sayf("vcp gen: no exported declaration changes")
	}
	return nil
}

func (v *verb) lines(sign, text string) error {
	if text == "" {
		return nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if _, err := fmt.Fprintf(v.stdout, "%s%s\n", sign, line); err != nil {
			return err
		}
	}
	return nil
}

// stale makes findings of what differs.
func (v *verb) stale(changes []gen.Change) diag.List {
	words := map[gen.State]struct {
		code          diag.Code
		message, hint string
	}{
		gen.Missing: {CodeMissing, "the file is missing", "run vcp gen"},
		gen.Stale:   {CodeStale, "the file is not what its inputs make", "run vcp gen"},
		gen.Orphan:  {CodeOrphan, "nothing leads to the file any more", "run vcp gen"},
		gen.Foreign: {CodeForeign, "the file was not generated", "move it out of the folder"},
	}
	var list diag.List
	for _, c := range changes {
		w := words[c.State]
		list = append(list, diag.Diagnostic{
			Position: diag.Position{File: path.Join(filepath.ToSlash(v.Out), c.Path)}, Severity: diag.Error, Code: w.code, Message: w.message, Hint: w.hint,
		})
	}
	return list
}

// count writes "1 error", "2 errors".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
