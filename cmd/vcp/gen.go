package main

import (
	"vcp.core/cmd/internal/generate"
)

type genCmd struct{ generate.Options }

// Help is the long help of the verb.
func (genCmd) Help() string { return generate.Help }

// Run runs the verb.
func (c *genCmd) Run(a *app) error {
	if len(c.Paths) == 0 && a.flags.Plugins != "" {
		c.Paths = []string{a.flags.Plugins}
	}
	if code := generate.Run(c.Options, a.stdout, a.stderr); code != 0 {
		return &stop{code: code} // what there is to say was said
	}
	return nil
}
