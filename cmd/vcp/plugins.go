package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
	"vcp.core/gen/manifest"
	schedulecontract "vcp.core/generated/plugins/schedulemanager"
	"vcp.core/generated/registry"
	schedulemanager "vcp.core/plugins/ScheduleManager"
	"vcp.core/runtime"
	"vcp.core/runtime/blob/disk"
	"vcp.core/runtime/transport/stdio"
)

// linked is the code of a plugin that is part of this program. Its contract is in the generated registry.
type linked struct {
	tool string
	open func() (call.Handler, io.Closer) // the closer may be nil
}

// linkedPlugins are all of them.
var linkedPlugins = []linked{
	{schedulecontract.Tool, func() (call.Handler, io.Closer) {
		p := new(schedulemanager.Plugin)
		return schedulecontract.Bind(p), p
	}},
}

// defaultPlugins and defaultData are used where flags are silent.
const (
	defaultPlugins = "plugins"
	defaultData    = ".vcp"
	// resourceFolder is where the data folder keeps the bytes of resources.
	resourceFolder = "resources"
)

// pluginsDir returns the plugins folder, "" when there is none. A folder that was asked for must exist.
func (a *app) pluginsDir() (string, error) {
	if a.flags.Plugins == "" {
		if stat, err := os.Stat(defaultPlugins); err == nil && stat.IsDir() {
			return defaultPlugins, nil
		}
		return "", nil
	}
	if _, err := os.Stat(a.flags.Plugins); err != nil {
		return "", wrongUse("--plugins names a folder of plugins", "the plugins folder cannot be used: %v", err)
	}
	return a.flags.Plugins, nil
}

// unregistered is a manifest that did not make it into the catalog.
type unregistered struct {
	name string // the plugin's, "" when the manifest does not even tell that
	file string
	list diag.List
}

// catalog is the registry of this program: the contracts that it was built with, and those of the plugins
// folder. A manifest of the folder counts before a built-in one of the same name, also when it has mistakes;
// one that is the manifest which the program was built with leaves things as they are.
type catalog struct {
	*call.Table
	live     map[string]bool              // tools whose contract was read from the folder and runs on gen/live
	programs map[string]stdio.Program     // tools of the folder that are programs
	workers  map[string]*manifest.Workers // those of them whose processes are kept
	stdio    *stdio.Stdio                 // the transport to them
}

// contract says where the contract of a tool comes from.
func (c *catalog) contract(tool string) string {
	if c.live[tool] {
		return "live"
	}
	return "generated"
}

func (a *app) catalog() (*catalog, []unregistered, error) {
	dir, err := a.pluginsDir()
	if err != nil {
		return nil, nil, err
	}
	built := registry.Contracts()
	folder := &folderPlugins{built: built, replaced: map[string]bool{}}
	if dir != "" {
		names, _ := manifest.Find(dir) // an empty folder is no mistake here
		for _, name := range names {
			folder.read(name)
		}
	}
	found := folder.together()
	built = slices.DeleteFunc(built, func(c call.Contract) bool { return folder.replaced[c.Tool] })
	c := &catalog{live: map[string]bool{}, programs: map[string]stdio.Program{}, workers: map[string]*manifest.Workers{}}
	for _, file := range folder.same {
		if !folder.replaced[nameIn(file)] {
			c.addProgram(file)
		}
	}
	for _, p := range found.Plugins() {
		c.live[p.Name] = true
		c.addProgram(p.File)
	}
	if c.stdio, err = a.programs(c); err != nil {
		return nil, nil, err
	}
	c.Table = call.NewTable(call.TableOf(built...).Specs(), found.Specs())
	return c, folder.out, nil
}

// folderPlugins are the plugins of the folder while they are being read.
type folderPlugins struct {
	built    []call.Contract
	same     []*load.File // manifests that this program was built with
	plugins  []*manifest.Plugin
	out      []unregistered
	replaced map[string]bool // names that the folder has a word for
}

// read takes in a manifest.
func (f *folderPlugins) read(name string) {
	file, list := load.ReadFile(name, wire.Limits{})
	if file == nil {
		f.out = append(f.out, unregistered{file: name, list: list})
		return
	}
	hash := gen.HashOf(file.Src)
	if slices.ContainsFunc(f.built, func(c call.Contract) bool { return c.ManifestHash == hash }) {
		f.same = append(f.same, file)
		return
	}
	f.compile(file)
}

func (f *folderPlugins) compile(file *load.File) {
	p, list := manifest.Compile(file)
	if p == nil {
		name := nameIn(file)
		f.replaced[name] = true
		f.out = append(f.out, unregistered{name: name, file: file.Name, list: list})
		return
	}
	f.replaced[p.Name] = true
	f.plugins = append(f.plugins, p)
}

// together makes a catalog of the plugins that are not built in. A built-in manifest takes part when another
// one of the folder has the same name: then they clash, like any two.
func (f *folderPlugins) together() *manifest.Catalog {
	claims := map[string]int{}
	for _, p := range f.plugins {
		claims[p.Name]++
	}
	for _, file := range f.same {
		claims[nameIn(file)]++
	}
	for _, file := range f.same {
		if claims[nameIn(file)] > 1 {
			f.compile(file)
		} else {
			delete(f.replaced, nameIn(file)) // by one with mistakes, beside this good one
		}
	}
	c, clashes := manifest.NewCatalog(f.plugins...)
	for _, p := range f.plugins {
		if c.Plugin(p.Name) != p {
			f.out = append(f.out, unregistered{name: p.Name, file: p.File.Name, list: of(p.File.Name, clashes)})
		}
	}
	return c
}

// nameIn reads the name from a manifest with mistakes.
func nameIn(file *load.File) string {
	if n := file.Root.Get("name"); n != nil && n.Kind == wire.KindString {
		return n.Str
	}
	return ""
}

// of returns the findings of one file.
func of(file string, list diag.List) diag.List {
	var out diag.List
	for _, d := range list {
		if d.File == file {
			out = append(out, d)
		}
	}
	return out
}

// tell names the plugins that are not registered, with the first reason.
func (a *app) tell(list []unregistered) {
	for _, u := range list {
		what := u.name
		if what == "" {
			what = u.file
		}
		errors, _ := u.list.Count()
		for _, d := range u.list {
			if d.Severity != diag.Error {
				continue
			}
			more := ""
			if errors > 1 {
				more = fmt.Sprintf(" (%d errors)", errors)
			}
			a.sayf("vcp: %s is not registered: %s%s", what, d, more)
			break
		}
	}
	if len(list) > 0 {
		a.sayf("hint: %s shows everything", strings.TrimSpace("vcp check "+a.flags.Plugins))
	}
}

// engine is a runtime with the linked plugins in it.
type engine struct {
	*runtime.Runtime
	files   *disk.Store // the bytes of resources, nil when they cannot be kept
	closers []io.Closer
}

// start makes a runtime for a catalog, with its data under the given folder.
func (a *app) start(c *catalog, data string, more ...runtime.Option) *engine {
	e := &engine{}
	options := append([]runtime.Option{
		runtime.DataDir(data),
		runtime.Use(manifest.Stdio, a.witness.Transport(c.stdio)),
		runtime.Authorize(runtime.AuthorizerFunc(local)),
		runtime.Logger(a.logger()),
	}, more...)
	if store, err := disk.New(filepath.Join(data, resourceFolder)); err != nil {
		a.sayf("vcp: results cannot bring resources: %v", err)
	} else {
		e.files = store
		options = append(options, runtime.Resources(store))
	}
	for _, l := range linkedPlugins {
		handler, closer := l.open()
		if closer != nil {
			e.closers = append(e.closers, closer)
		}
		options = append(options, runtime.Bind(l.tool, a.witness.Handler(handler)))
	}
	e.Runtime = runtime.New(c, options...)
	return e
}

// local lets everything run: who may start this program on this data may also do what its tools do.
func local(context.Context, runtime.Access) error { return nil }

// drain is how long the end of the program waits for handlers that ignored their own end.
const drain = 5 * time.Second

// stop waits for what still runs, then closes the plugins.
func (e *engine) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	err := e.Close(ctx)
	if err != nil {
		err = &stop{code: exitFindings, message: "a plugin still runs and was left behind"}
	}
	for _, c := range e.closers {
		err = errors.Join(err, c.Close())
	}
	return err
}

// dataDir returns the folder of --data.
func (a *app) dataDir() string {
	if a.flags.Data == "" {
		return defaultData
	}
	return a.flags.Data
}
