package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/load"
	"vcp.core/gen/manifest"
	"vcp.core/runtime/transport/stdio"
	"vcp.core/runtime/transport/stdio/kept"
)

// programs makes the transport to the plugins that are programs. Those that come with this program lie beside
// it, in the folder plugins (make build puts them there).
func (a *app) programs(c *catalog) (*stdio.Stdio, error) {
	launcher, err := a.launcher()
	if err != nil {
		return nil, err
	}
	options := []stdio.Option{stdio.Logger(a.logger()), stdio.Environment(os.Environ()), stdio.Launcher(launcher)}
	if folder, err := beside("plugins"); err == nil {
		options = append(options, stdio.Folders(folder))
	}
	for tool, w := range c.workers {
		options = append(options, stdio.Keep(tool, kept.Bounds{Min: w.Min, Max: w.Max, Idle: w.Idle, MaxCalls: w.MaxCalls, InFlight: w.InFlight}))
	}
	return stdio.New(c.programs, options...), nil
}

// unavailable says why a registered tool cannot run here, "" when it can. It starts nothing.
func (c *catalog) unavailable(s *call.Spec) string {
	switch s.Protocol {
	case manifest.Direct:
		if !slices.ContainsFunc(linkedPlugins, func(l linked) bool { return l.tool == s.Tool }) {
			return "not linked into this program"
		}
		return ""
	case manifest.Stdio:
	default:
		return "this program has no transport for " + s.Protocol
	}
	if _, known := c.programs[s.Tool]; !known {
		return "not in the plugins folder"
	}
	err := c.stdio.Check(s.Tool)
	var missing *stdio.UnavailableError
	if !errors.As(err, &missing) {
		return ""
	}
	return missing.Error()
}

// addProgram notes how the plugin of a manifest is started, when it is a program.
func (c *catalog) addProgram(file *load.File) {
	argv := file.At("/entryPoint/argv")
	if argv == nil || argv.Kind != wire.KindArray {
		return
	}
	p := stdio.Program{Dir: filepath.Dir(filepath.FromSlash(file.Name))}
	for _, e := range argv.Elems {
		p.Argv = append(p.Argv, e.Str)
	}
	c.programs[nameIn(file)] = p
	if w := manifest.WorkersOf(file); w != nil {
		c.workers[nameIn(file)] = w
	}
}
