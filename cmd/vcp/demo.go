package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"vcp.core/contract/call"
	"vcp.core/runtime/blob/disk"
	"vcp.core/runtime/door/view"
	"vcp.core/runtime/result"
)

type demoCmd struct {
	JSON bool `name:"json" help:"Print one canonical result a line and no words."`
}

// Help is the long help of the verb.
func (demoCmd) Help() string {
	return `Calls three tools and shows what a model is told of each result: ScheduleManager, which is part of this program,
SciCalculator, a Node program, and ChartMaker, a Go program. A tool that cannot run here is named with the reason,
and left out. The data goes into a temporary folder that is removed afterwards, all but the chart, or into the
folder of --data.

Examples:
  vcp demo
  vcp demo --json | jq -c '[.tool.name, .status, .error.code]'`
}

// step is one call of the demo.
type step struct {
	title   string
	why     string
	tool    string
	command string
	args    string
	status  call.Status // what must come out
}

var steps = []step{
	{"create a schedule", "The arguments are checked against the command's input schema. The time is kept as it was written.",
		"ScheduleManager", "CreateSchedule", `{"time":"2026-07-12T10:00:00+08:00","content":"项目会议"}`, call.Success},
	{"create another one", "9:30 in Berlin is before the meeting in Beijing only by the clock on the wall: lists are ordered by the moment.",
		"ScheduleManager", "CreateSchedule", `{"time":"2026-07-12T09:30:00+02:00","content":"call with Berlin"}`, call.Success},
	{"list what there is", "Lists stay lists, and a view fits them: here it is a list of schedules.",
		"ScheduleManager", "ListSchedules", `{}`, call.Success},
	{"a wrong argument", "The tool is not even asked. The error says what to correct, so that a model can do it.",
		"ScheduleManager", "CreateSchedule", `{"time":"tomorrow at ten","content":"meeting"}`, call.Error},
	{"calculate", "Numbers keep their digits all the way: nothing is rounded to a float in between.",
		"SciCalculator", "Evaluate", `{"expression":"2^64 + 1"}`, call.Success},
	{"draw a chart", "The picture is a resource with a proven type, a size and a hash; base64 never gets into the text.",
		"ChartMaker", "DrawLine", `{"title":"Temperature","xLabel":"hour","yLabel":"°C","x":[0,6,12,18],"series":[{"name":"Berlin","values":[11.5,10.25,17,15]},{"name":"Oslo","values":[7,6.5,12,9]}]}`, call.Success},
}

// Run runs the verb.
func (c *demoCmd) Run(a *app) (err error) {
	known, missing, err := a.catalog()
	if err != nil {
		return err
	}
	data := a.flags.Data
	if data == "" {
		if data, err = os.MkdirTemp("", "vcp-demo-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	}
	e := a.start(known, data)
	defer func() { err = errors.Join(err, e.stop()) }()

	ctx, cancel := untilInterrupted()
	defer cancel()
	surprised := false
	for i, s := range steps {
		spec, _ := known.Lookup(s.tool, s.command)
		if reason := c.leftOut(known, spec); reason != "" {
			a.sayf("vcp: the demo goes on without %s: %s", s.tool, reason)
			continue
		}
		res := e.Execute(ctx, call.Call{Tool: s.tool, Command: s.command, Arguments: []byte(s.args), Source: "cli"}).(*result.Sealed)
		if res.Status() != s.status {
			surprised = true
			a.tellAbout(s.tool, missing)
		}
		if c.JSON {
			err = a.show(res, projecting{view: view.Canonical})
		} else {
			err = c.explain(a, i+1, s, res, known)
		}
		if err == nil && !c.JSON {
			err = c.nameFiles(a, e.files, res)
		}
		if err != nil {
			return err
		}
	}
	if surprised {
		return findings
	}
	if !c.JSON {
		_, err = fmt.Fprintln(a.stdout, "This is what a model is told. vcp demo --json prints the canonical results, vcp render shows other views of one.\nYour turn: vcp tools, then vcp call ScheduleManager.ListSchedules")
	}
	return err
}

// leftOut says why a step cannot be taken here, "" when it can. A tool that is not registered is called all the
// same: the result says so.
func (c *demoCmd) leftOut(known *catalog, spec *call.Spec) string {
	if spec == nil {
		return ""
	}
	return known.unavailable(spec)
}

// explain prints a step for people.
func (c *demoCmd) explain(a *app, n int, s step, res *result.Sealed, known *catalog) error {
	text, err := projecting{view: view.AI, ports: view.PortsOf(known, res)}.project(res)
	if err != nil {
		return err
	}
	// What is meant for the model's manners is left out here; it is the same in each step.
	text, _, _ = strings.Cut(text, "\n\n## Tool delivery advice")
	var b strings.Builder
	fmt.Fprintf(&b, "%d. %s\n   %s\n\n", n, s.title, s.why)
	fmt.Fprintf(&b, "   $ vcp call %s.%s --view ai --args %s\n", s.tool, s.command, shellQuoted(s.args))
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString(strings.TrimRight("   "+line, " ") + "\n")
	}
	b.WriteString("\n")
	_, err = io.WriteString(a.stdout, b.String())
	return err
}

// nameFiles says where the resources of a result are to be found. In a temporary data folder they would be gone a
// moment later, so they are copied out of it.
func (c *demoCmd) nameFiles(a *app, store *disk.Store, res *result.Sealed) error {
	files, err := filesOf(store, res)
	if err != nil {
		return err
	}
	for _, f := range files {
		name := f.path
		if a.flags.Data == "" {
			dir, err := os.MkdirTemp("", "vcp-demo-")
			if err != nil {
				return err
			}
			if err := copyInto(dir, f.name, f.path); err != nil {
				return err
			}
			name = filepath.Join(dir, f.name)
		}
		if _, err := fmt.Fprintf(a.stdout, "   The chart is in %s\n\n", name); err != nil {
			return err
		}
	}
	return nil
}
