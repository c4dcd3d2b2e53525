package main

import (
	"fmt"
	goruntime "runtime"
	"runtime/debug"
	"strings"
)

type versionCmd struct{}

// Help is the long help of the verb.
func (versionCmd) Help() string {
	return "Prints what the Go toolchain wrote into the program: version, commit, Go version and system. No time stands in it."
}

// Run runs the verb.
func (versionCmd) Run(a *app) error {
	_, err := fmt.Fprintf(a.stdout, "vcp %s, %s %s/%s\n", versionText(), goruntime.Version(), goruntime.GOOS, goruntime.GOARCH)
	return err
}

// versionText is version and commit.
func versionText() string {
	version, commit := "devel", ""
	if b, ok := debug.ReadBuildInfo(); ok {
		version, commit = describe(b)
	}
	return version + commit
}

// describe reads version and commit. A version that the toolchain made up from the commit says no more than
// the commit does, and holds a time.
func describe(b *debug.BuildInfo) (version, commit string) {
	version = b.Main.Version
	if version == "" || version == "(devel)" || strings.HasPrefix(version, "v0.0.0-") {
		version = "devel"
	}
	modified := ""
	for _, s := range b.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = ", modified"
		}
	}
	if commit != "" {
		commit = " (" + commit + modified + ")"
	}
	return version, commit
}
