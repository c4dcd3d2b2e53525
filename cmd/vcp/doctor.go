package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"
)

type doctorCmd struct {
	JSON bool `name:"json" help:"Print the findings as one JSON object."`
}

// Help is the long help of the verb.
func (doctorCmd) Help() string {
	return `Looks at what this machine gives: what keeps and restricts the processes of plugins, and why something is not active;
whether the programs that plugins need are there; whether the data folder can be written, keeps what it is told, and
has room; whether the database of --store answers. It starts a keeper and a process, and writes a file into the data
folder and removes it; it changes nothing else, and makes no data folder and no tables.

  ok      as it should be
  less    vcp works, with less than there could be; the text says what is missing
  broken  something will fail

Examples:
  vcp doctor
  vcp doctor --data /srv/vcp --json | jq '.checks[] | select(.state != "ok")'

Exit code: 0 when nothing is broken, 1 otherwise.`
}

// finding is what doctor says about one thing.
type finding struct {
	Name  string `json:"name"`
	State state  `json:"state"`
	Text  string `json:"text"`
	Hint  string `json:"hint,omitempty"` // what to do about it
}

// state says how it is.
type state string

const (
	fine   state = "ok"
	less   state = "less"
	broken state = "broken"
)

// findings about the machine, in the order in which they are told.
type examination struct{ list []finding }

func (e *examination) say(name string, s state, hint, format string, args ...any) {
	e.list = append(e.list, finding{Name: name, State: s, Text: fmt.Sprintf(format, args...), Hint: hint})
}

// Run runs the verb.
func (c *doctorCmd) Run(a *app) error {
	e := new(examination)
	e.system()
	e.processes(a)
	e.limits()
	if err := e.plugins(a); err != nil {
		return err
	}
	e.interpreters(a)
	e.data(a.dataDir())
	e.store(a.flags.Store)
	healthy := true
	for _, f := range e.list {
		healthy = healthy && f.State != broken
	}
	var err error
	if c.JSON {
		enc := json.NewEncoder(a.stdout)
		enc.SetEscapeHTML(false)
		err = enc.Encode(struct {
			Healthy bool      `json:"healthy"`
			Checks  []finding `json:"checks"`
		}{healthy, e.list})
	} else {
		err = a.findings(e.list)
	}
	if err == nil && !healthy {
		return findings
	}
	return err
}

// findings prints them as a table, hints below what they are about.
func (a *app) findings(list []finding) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, f := range list {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", f.Name, f.State, oneLine(f.Text))
		if f.Hint != "" {
			_, _ = fmt.Fprintf(w, "\t\t%s\n", oneLine("hint: "+f.Hint))
		}
	}
	return w.Flush()
}
