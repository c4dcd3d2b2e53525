package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
)

// Catalog is a set of plugins that fit together. It implements [call.Registry] and is immutable.
type Catalog struct {
	plugins []*Plugin // by name
	specs   []*call.Spec
	index   map[string]tool
}

type tool struct {
	plugin   *Plugin
	commands map[string]*call.Spec
}

var _ call.Registry = (*Catalog)(nil)

// NewCatalog puts plugins together. Plugins that clash are left out, all of them: whichever was looked at
// first would else decide what a call does. Nil plugins, which are those with errors, are left out too.
func NewCatalog(plugins ...*Plugin) (*Catalog, diag.List) {
	plugins = slices.DeleteFunc(slices.Clone(plugins), func(p *Plugin) bool { return p == nil })
	slices.SortStableFunc(plugins, func(a, b *Plugin) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.File.Name, b.File.Name)
	})
	list, out := clash(plugins)

	c := &Catalog{index: map[string]tool{}}
	for _, p := range plugins {
		if out[p] {
			continue
		}
		t := tool{p, map[string]*call.Spec{}}
		for _, s := range p.Specs() {
			t.commands[s.Command] = s
			c.specs = append(c.specs, s)
		}
		c.plugins = append(c.plugins, p)
		c.index[p.Name] = t
	}
	return c, list
}

// clash returns the findings about plugins that cannot stand in one catalog, and those plugins.
func clash(plugins []*Plugin) (list diag.List, out map[*Plugin]bool) {
	out = map[*Plugin]bool{}
	for _, k := range clashes {
		byKey := map[string][]claim{}
		for _, p := range plugins {
			for _, c := range k.claims(p) {
				byKey[c.key] = append(byKey[c.key], c)
			}
		}
		for _, claims := range byKey {
			for _, c := range claims {
				i := slices.IndexFunc(claims, func(o claim) bool {
					return o.plugin != c.plugin && (k.code == CodeDuplicateName || o.plugin.Name != c.plugin.Name)
				})
				if i < 0 {
					continue
				}
				out[c.plugin] = true
				ch := checker{file: c.plugin.File}
				ch.faultf(c.at, k.code, k.hint, "%s", k.message(c, claims[i]))
				list = append(list, ch.list...)
			}
		}
	}
	list.Sort()
	return list, out
}

// claim is something that a plugin wants to have for itself.
type claim struct {
	plugin *Plugin
	key    string
	at     value
}

// clashes are the things that two plugins of one catalog cannot both have. Plugins of one name are told
// once, although they share the other things as well.
var clashes = []struct {
	code    diag.Code
	hint    string
	claims  func(*Plugin) []claim
	message func(claim, other claim) string
}{
	{
		code: CodeDuplicateName, hint: "rename one of them; until then neither is registered",
		claims: func(p *Plugin) []claim { return []claim{{p, p.Name, p.at("/name")}} },
		message: func(c, other claim) string {
			return fmt.Sprintf("the plugin in %s has the name %s too", other.plugin.File.Name, c.plugin.Name)
		},
	},
	{
		code: CodePackageClash, hint: "rename one of them; until then neither is registered",
		claims: func(p *Plugin) []claim { return []claim{{p, p.GoPackage, p.at("/name")}} },
		message: func(c, other claim) string {
			return fmt.Sprintf("%s and %s would both be the Go package %s", c.plugin.Name, other.plugin.Name, c.key)
		},
	},
	{
		code: CodeAgentClash, hint: "rename one of them; until then neither plugin is registered",
		claims: func(p *Plugin) []claim {
			var out []claim
			for i, cmd := range p.Commands {
				if cmd.Agent != nil {
					out = append(out, claim{p, cmd.Agent.Module + "." + cmd.Agent.Method, p.at(fmt.Sprintf("/capabilities/invocationCommands/%d/agent/method", i))})
				}
			}
			return out
		},
		message: func(c, other claim) string {
			return fmt.Sprintf("the plugin %s has the agent method %s too", other.plugin.Name, c.key)
		},
	},
}

func (p *Plugin) at(pointer string) value { return value{p.File.At(pointer), pointer} }

// Lookup implements [call.Registry].
func (c *Catalog) Lookup(toolName, command string) (*call.Spec, bool) {
	t, known := c.index[toolName]
	return t.commands[command], known
}

// Specs implements [call.Registry]. The caller owns the slice.
func (c *Catalog) Specs() []*call.Spec { return slices.Clone(c.specs) }

// Plugins returns the plugins sorted by name. The caller owns the slice.
func (c *Catalog) Plugins() []*Plugin { return slices.Clone(c.plugins) }

// Plugin returns the plugin of a name, nil when there is none.
func (c *Catalog) Plugin(name string) *Plugin { return c.index[name].plugin }

// Load reads the manifests that the paths lead to and puts the plugins together: a path names a manifest,
// a plugin's folder, or a folder of plugins' folders ([Find]). All findings of all files are returned,
// sorted; the catalog holds the plugins that have no error.
func Load(paths ...string) (*Catalog, diag.List) {
	files, list := Find(paths...)
	var plugins []*Plugin
	for _, name := range files {
		file, more := load.ReadFile(name, wire.Limits{})
		list = append(list, more...)
		if file == nil {
			continue
		}
		p, more := Compile(file)
		list = append(list, more...)
		plugins = append(plugins, p)
	}
	c, more := NewCatalog(plugins...)
	list = append(list, more...)
	list.Sort()
	return c, list
}

// Find returns the manifest files that the paths lead to, sorted, each once: the path itself when it is a
// file, else [FileName] in the folder, else FileName in the folders below it. A path that leads to none is
// a finding.
func Find(paths ...string) ([]string, diag.List) {
	var files []string
	var list diag.List
	for _, path := range paths {
		found, faults, err := find(path)
		list = append(list, faults...)
		switch {
		case err != nil:
			list = append(list, noManifest(path, reason(err)))
		case len(found) == 0 && len(faults) == 0:
			list = append(list, noManifest(path, "there is no "+FileName+" in the folder or one level below"))
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	list.Sort()
	return slices.Compact(files), list
}

// find returns the manifests that one path leads to, and what is in the place of a manifest and is none.
func find(path string) (files []string, faults diag.List, err error) {
	stat, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !stat.IsDir() {
		return []string{filepath.Clean(path)}, nil, nil
	}
	take := func(name string) bool {
		there, problem := manifestAt(name)
		switch {
		case problem != "":
			faults = append(faults, noManifest(name, problem))
		case there:
			files = append(files, name)
		}
		return there
	}
	if take(filepath.Join(path, FileName)) {
		return files, faults, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		folder := filepath.Join(path, e.Name())
		// Stat and not e.IsDir: a plugin's folder may be a link.
		if stat, err := os.Stat(folder); err == nil && stat.IsDir() {
			take(filepath.Join(folder, FileName))
		}
	}
	return files, faults, nil
}

// manifestAt tells whether there is a file of that name, and what is wrong with it: a plugin must not be
// missing without a word because its manifest is a link to nowhere or may not be read, and reading a pipe
// or a device may never end. A folder may have the name: the plugins folder of a plugin called so.
func manifestAt(name string) (there bool, problem string) {
	// The entry itself, and then what it leads to: only a link can be there and lead nowhere.
	_, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, ""
	case err != nil:
		return true, reason(err)
	}
	stat, err := os.Stat(name)
	switch {
	case err != nil:
		return true, reason(err)
	case stat.IsDir():
		return false, ""
	case !stat.Mode().IsRegular():
		return true, "is not a regular file"
	}
	return true, ""
}

// reason is the error without the path, which the diagnostic has already.
func reason(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err.Error()
	}
	return err.Error()
}

func noManifest(path, message string) diag.Diagnostic {
	return diag.Diagnostic{
		Position: diag.Position{File: filepath.ToSlash(path)},
		Severity: diag.Error,
		Code:     CodeNoManifest,
		Message:  message,
	}
}
