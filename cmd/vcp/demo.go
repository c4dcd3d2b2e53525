package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"vcp.core/contract/call"
	"vcp.core/runtime/result"
)

type demoCmd struct {
	JSON bool `name:"json" help:"Print one canonical result a line and no words."`
}

func (demoCmd) Help() string {
	return `Creates schedules, lists them, and shows how a wrong argument is refused. The data goes into a temporary folder
that is removed afterwards, or into the folder of --data.

Examples:
  vcp demo
  vcp demo --json | jq -c '[.status, .error.code]'`
}

// step is one call of the demo.
type step struct {
	title   string
	why     string
	command string
	args    string
	status  call.Status // what must come out
}

var steps = []step{
	{"create a schedule", "The arguments are checked against the command's input schema. The time is kept as it was written.",
		"CreateSchedule", `{"time":"2026-07-12T10:00:00+08:00","content":"项目会议"}`, call.Success},
	{"create another one", "9:30 in Berlin is before the meeting in Beijing only by the clock on the wall: lists are ordered by the moment.",
		"CreateSchedule", `{"time":"2026-07-12T09:30:00+02:00","content":"call with Berlin"}`, call.Success},
	{"list what there is", "Lists stay lists: data holds an array, and numbers stay numbers. The default limit of 50 was filled in.",
		"ListSchedules", `{}`, call.Success},
	{"a wrong argument", "The tool is not even asked. The error names the argument, what was expected and what came, so that a model can correct itself.",
		"CreateSchedule", `{"time":"tomorrow at ten","content":"meeting"}`, call.Error},
}

func (c *demoCmd) Run(a *app) (err error) {
	known, missing, err := a.catalog()
	if err != nil {
		return err
	}
	a.tellAbout(demoTool, missing)
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
		res := e.Execute(ctx, call.Call{Tool: demoTool, Command: s.command, Arguments: []byte(s.args), Source: "cli"})
		surprised = surprised || res.Status() != s.status
		if c.JSON {
			err = a.print(res)
		} else {
			err = a.explain(i+1, s, res)
		}
		if err != nil {
			return err
		}
	}
	if surprised {
		return findings
	}
	if !c.JSON {
		_, err = fmt.Fprintf(a.stdout, "Each of these was one canonical result; vcp demo --json prints them.\nYour turn: vcp tools, then vcp call %s.ListSchedules\n", demoTool)
	}
	return err
}

const demoTool = "ScheduleManager"

// explain prints a step for people.
func (a *app) explain(n int, s step, res call.Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d. %s\n   %s\n\n", n, s.title, s.why)
	fmt.Fprintf(&b, "   $ vcp call %s.%s --args '%s'\n", demoTool, s.command, s.args)
	fmt.Fprintf(&b, "   status   %s\n", res.Status())
	if sealed, ok := res.(*result.Sealed); ok {
		if res.Code() != "" {
			fmt.Fprintf(&b, "   error    %s\n", sealed.Member(result.Error))
		} else {
			fmt.Fprintf(&b, "   data     %s\n   shown as %s\n", sealed.Member(result.Data), sealed.Member(result.Presentation))
		}
	}
	b.WriteString("\n")
	_, err := a.stdout.Write([]byte(b.String()))
	return err
}
