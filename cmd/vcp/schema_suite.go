package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"

	"vcp.core/fuzz/compiled"
	"vcp.core/fuzz/ours"
	"vcp.core/fuzz/suite"
)

type suiteCmd struct {
	Suite    string `arg:"" name:"suite-dir" help:"A checkout of the JSON-Schema-Test-Suite: the folder with tests and remotes."`
	Draft    string `help:"The draft: 2020-12, 2019-09 or draft7." enum:"2020-12,2019-09,draft7" required:"" placeholder:"D"`
	Optional bool   `help:"The optional files in place of the required ones, those of formats aside." xor:"files"`
	Format   bool   `help:"The optional files of formats in place of the required ones; format decides in them." xor:"files"`
	Backend  string `help:"Who judges: live, in the program itself, or go, by generated code. Default: ${default}" default:"live" enum:"live,go" placeholder:"BACKEND"`
	JSON     bool   `name:"json" help:"Print the figures as JSON and nothing else."`
}

// Help is the long help of the verb.
func (suiteCmd) Help() string {
	return `Judges every case of the suite's files and compares with what the suite says. A case that is left undecided has
failed, and so have all cases of a schema that is refused. References to http://localhost:1234/ lead into the folder
remotes; nothing is fetched.

The back end go generates a package for every schema, builds all of them once into a program in a temporary folder and
runs that over the documents. It needs the go command, and neither a network nor the sources of vcp.

With --optional the keyword dependencies of draft-07 decides in the later drafts, too, as that part of the suite wants.

Examples:
  vcp schema test JSON-Schema-Test-Suite --draft 2020-12
  vcp schema test JSON-Schema-Test-Suite --draft draft7 --format --backend go
  vcp schema test JSON-Schema-Test-Suite --draft 2019-09 --optional --json

Exit code: 0 every case passed, 1 some failed, 2 wrong use.`
}

// suiteDialects are the drafts by the names that the suite gives their folders.
var suiteDialects = map[string]suite.Dialect{"2020-12": suite.Draft2020, "2019-09": suite.Draft2019, "draft7": suite.Draft07}

// Run runs the verb.
func (c *suiteCmd) Run(a *app) error {
	d := suiteDialects[c.Draft]
	const layout = "SUITE_DIR is a checkout of the JSON-Schema-Test-Suite, the folder with tests and remotes"
	folder := filepath.Join(c.Suite, "tests", string(d))
	switch {
	case c.Optional:
		folder = filepath.Join(folder, "optional")
	case c.Format:
		folder = filepath.Join(folder, "optional", "format")
	}
	files, err := suite.Read(folder)
	if err != nil {
		return wrongUse(layout, "%v", err)
	}
	all, err := suite.ReadRemotes(filepath.Join(c.Suite, "remotes"))
	if err != nil {
		return wrongUse(layout, "%v", err)
	}
	remotes := all.Of(d)
	if c.Optional {
		remotes = all.Among(suite.Draft2020, suite.Draft2019, suite.Draft07)
	}
	engine, err := c.engine(a, d, files, remotes)
	if err != nil {
		return err
	}
	report := suite.Run(engine, d, files, remotes)
	if err := c.print(a, report); err != nil {
		return err
	}
	if len(report.Misses) > 0 {
		return findings
	}
	return nil
}

// engine returns the back end.
func (c *suiteCmd) engine(a *app, d suite.Dialect, files []suite.File, remotes suite.Remotes) (suite.Engine, error) {
	switches := ours.Options{FormatAssertion: c.Format, Dependencies: c.Optional}
	if c.Backend == "live" {
		return switches.Engine, nil
	}
	ctx, cancel := untilInterrupted()
	defer cancel()
	engine, err := compiled.NewEngine(ctx, d, files, remotes, switches, func(step string) { a.sayf("vcp: %s", step) })
	if ctx.Err() != nil {
		return nil, &stop{code: exitFindings, message: "interrupted: there are no figures"}
	}
	if errors.Is(err, exec.ErrNotFound) {
		return nil, wrongUse("install Go, or use --backend live", "the back end go needs the go command: %v", err)
	}
	if err != nil {
		return nil, wrongUse("", "%v", err)
	}
	return engine, nil
}

// suiteFigures is what --json prints.
type suiteFigures struct {
	Draft  string                 `json:"draft"`
	Passed int                    `json:"passed"`
	Failed int                    `json:"failed"`
	Files  map[string]fileFigures `json:"files"`
}

type fileFigures struct {
	Passed int `json:"passed"`
	Failed int `json:"failed"`
}

func (c *suiteCmd) print(a *app, report suite.Report) error {
	total := report.Total()
	for _, m := range report.Misses {
		if broken := new(compiled.BuildError); errors.As(m.Refused, &broken) {
			_, _ = fmt.Fprintln(a.stderr, strings.TrimSpace(broken.Output))
			break
		}
	}
	if c.JSON {
		figures := suiteFigures{c.Draft, total.Passed, total.Failed, map[string]fileFigures{}}
		for _, row := range report.Rows {
			figures.Files[row.File] = fileFigures{row.Passed, row.Failed}
		}
		return json.NewEncoder(a.stdout).Encode(figures)
	}
	var text strings.Builder
	if err := report.Write(&text); err != nil {
		return err
	}
	for _, m := range report.Misses {
		fmt.Fprintf(&text, "failed: %s\n", oneLine(m.String()))
	}
	_, err := io.WriteString(a.stdout, harmless(text.String()))
	return err
}
