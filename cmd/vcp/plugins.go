package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
	"vcp.core/gen/manifest"
	schedulemanager "vcp.core/plugins/ScheduleManager"
	"vcp.core/runtime"
)

// linked is a plugin that is part of this program.
type linked struct {
	name     string
	manifest []byte
	open     func() handlerCloser
}

type handlerCloser interface {
	call.Handler
	io.Closer
}

// linkedPlugins are all of them. One is registered with the manifest that it was built with, unless the
// plugins folder brings a manifest of the same name: that one counts then, also when it has mistakes.
var linkedPlugins = []linked{
	{schedulemanager.Name, schedulemanager.Manifest, func() handlerCloser { return new(schedulemanager.Plugin) }},
}

// defaultPlugins and defaultData are used where flags are silent.
const (
	defaultPlugins = "plugins"
	defaultData    = ".vcp"
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

// catalog puts the plugins of the folder and the linked ones together.
func (a *app) catalog() (*manifest.Catalog, []unregistered, error) {
	dir, err := a.pluginsDir()
	if err != nil {
		return nil, nil, err
	}
	var plugins []*manifest.Plugin
	var out []unregistered
	named := map[string]bool{}
	if dir != "" {
		files, _ := manifest.Find(dir) // an empty folder is no mistake here
		for _, name := range files {
			file, list := load.ReadFile(name, wire.Limits{})
			if file == nil {
				out = append(out, unregistered{file: name, list: list})
				continue
			}
			p, list := manifest.Compile(file)
			if p == nil {
				broken := unregistered{name: nameIn(file), file: file.Name, list: list}
				named[broken.name] = true
				out = append(out, broken)
				continue
			}
			named[p.Name] = true
			plugins = append(plugins, p)
		}
	}
	for _, l := range linkedPlugins {
		if named[l.name] {
			continue
		}
		p, list := manifest.Parse(path.Join("(linked)", l.name, manifest.FileName), l.manifest)
		if p == nil {
			out = append(out, unregistered{name: l.name, file: "(linked)", list: list})
			continue
		}
		plugins = append(plugins, p)
	}
	c, clashes := manifest.NewCatalog(plugins...)
	for _, p := range plugins {
		if c.Plugin(p.Name) != p {
			out = append(out, unregistered{name: p.Name, file: p.File.Name, list: of(p.File.Name, clashes)})
		}
	}
	return c, out, nil
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
		a.sayf("hint: vcp check shows everything")
	}
}

// engine is a runtime with the linked plugins in it.
type engine struct {
	*runtime.Runtime
	closers []io.Closer
}

// start makes a runtime for a catalog, with its data under the given folder.
func (a *app) start(c call.Registry, data string) *engine {
	e := &engine{}
	options := []runtime.Option{
		runtime.DataDir(data),
		runtime.Logger(slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))),
	}
	for _, l := range linkedPlugins {
		h := l.open()
		e.closers = append(e.closers, h)
		options = append(options, runtime.Bind(l.name, h))
	}
	e.Runtime = runtime.New(c, options...)
	return e
}

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
