package main

import (
	"fmt"

	"vcp.core/gen/diag"
	"vcp.core/gen/manifest"
)

type checkCmd struct {
	Paths  []string    `arg:"" optional:"" name:"path" help:"Manifest, plugin folder, or folder of plugin folders. Default: the folder of --plugins."`
	Format diag.Format `help:"How to print: text, json or github. Default: text" default:"text" placeholder:"FORMAT"`
}

// Help is the long help of the verb.
func (checkCmd) Help() string {
	return `Reads every manifest that the paths lead to, compiles all schemas in them and prints everything that is wrong,
each finding with file, line and column. The last line, on standard error, counts.

Examples:
  vcp check                        everything in ./plugins
  vcp check plugins/Weather        one plugin
  vcp check --format json | jq .   for programs
  vcp check --format github        as annotations of a pull request

Exit code: 0 nothing was found, 1 there are errors or warnings, 2 wrong use.`
}

// Run runs the verb.
func (c *checkCmd) Run(a *app) error {
	paths := c.Paths
	if len(paths) == 0 {
		dir, err := a.pluginsDir()
		if err != nil {
			return err
		}
		if dir == "" {
			return wrongUse("name a manifest or a folder: vcp check PATH", "there is nothing to check: no path was given and there is no folder ./%s", defaultPlugins)
		}
		paths = []string{dir}
	}
	files, _ := manifest.Find(paths...)
	catalog, list := manifest.Load(paths...)
	if err := diag.Write(a.stdout, c.Format, list); err != nil {
		return err
	}
	faults, warnings := list.Count()
	a.sayf("%s: %s registered with %s; %s, %s", count(len(files), "manifest"),
		count(len(catalog.Plugins()), "plugin"), count(len(catalog.Specs()), "command"), count(faults, "error"), count(warnings, "warning"))
	if len(list) > 0 {
		return findings
	}
	return nil
}

// count writes "1 error", "2 errors".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
