package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"text/tabwriter"

	"vcp.core/contract/call"
)

type toolsCmd struct {
	Tool string `arg:"" optional:"" help:"Describe this tool, or one command as Tool.Command: arguments, data, errors, with examples."`
	JSON bool   `name:"json" help:"Print one JSON object a line, with the schemas."`
}

// Help is the long help of the verb.
func (toolsCmd) Help() string {
	return `Lists every command that "vcp call" can reach: those of the plugins folder and those that are linked into this
program. A plugin whose manifest has mistakes is not registered; it is named on standard error with the reason.
The column CONTRACT tells what judges arguments and data: code that was generated from the manifest and is linked in,
or the schemas as they were read just now (live).

A tool that is registered but cannot run here, because its program is missing or its code is not linked in, is listed
as unavailable with the reason. With the name of a tool, everything about its commands is shown; with Tool.Command, about
that one.

Examples:
  vcp tools
  vcp tools ScheduleManager
  vcp tools ScheduleManager.ListSchedules
  vcp tools --json | jq -r 'select(.effect == "read") | .tool + "." + .command'`
}

// toolLine is a line of vcp tools --json.
type toolLine struct {
	Tool         string          `json:"tool"`
	DisplayName  string          `json:"displayName"`
	Version      string          `json:"version"`
	Command      string          `json:"command"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	Kind         call.Kind       `json:"kind"`
	Protocol     string          `json:"protocol"`
	Effect       call.Effect     `json:"effect"`
	TimeoutMs    int64           `json:"timeoutMs"`
	Disabled     bool            `json:"disabled"`
	Unavailable  string          `json:"unavailable,omitempty"` // why the tool cannot run here
	Contract     string          `json:"contract"`              // "generated" or "live"
	ErrorCodes   []string        `json:"errorCodes"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
}

// Run runs the verb.
func (c *toolsCmd) Run(a *app) error {
	known, missing, err := a.catalog()
	if err != nil {
		return err
	}
	specs := known.Specs()
	if c.Tool != "" {
		specs = slices.DeleteFunc(specs, func(s *call.Spec) bool { return c.Tool != s.Tool && c.Tool != s.Tool+"."+s.Command })
		if len(specs) == 0 {
			if a.tellAbout(c.Tool, missing) {
				return findings
			}
			return &stop{code: exitFindings, message: fmt.Sprintf("there is no tool %q", c.Tool), hint: "vcp tools lists them"}
		}
	}
	switch {
	case c.JSON:
		err = a.toolLines(known, specs)
	case c.Tool != "":
		err = a.describe(known, specs)
	default:
		err = a.toolTable(known)
	}
	if c.Tool == "" {
		a.tell(missing)
	}
	return err
}

func (a *app) toolLines(c *catalog, specs []*call.Spec) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	for _, s := range specs {
		line := toolLine{
			Tool: s.Tool, DisplayName: s.DisplayName, Version: s.Version, Command: s.Command, Title: s.Title, Description: s.Description,
			Kind: s.Kind, Protocol: s.Protocol, Effect: s.Effect, TimeoutMs: s.Timeout.Milliseconds(), Disabled: s.Disabled, Unavailable: c.unavailable(s),
			Contract: c.contract(s.Tool), ErrorCodes: append([]string{}, s.ErrorCodes...), InputSchema: s.InputSchema, OutputSchema: s.OutputSchema,
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) toolTable(c *catalog) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "COMMAND\tEFFECT\tKIND\tPROTOCOL\tCONTRACT\tWHAT IT DOES")
	for _, s := range c.Specs() {
		what := s.Description
		if s.Disabled {
			what = "(disabled) " + what
		}
		if reason := c.unavailable(s); reason != "" {
			what = "(unavailable: " + reason + ") " + what
		}
		_, _ = fmt.Fprintf(w, "%s.%s\t%s\t%s\t%s\t%s\t%s\n", s.Tool, s.Command, s.Effect, s.Kind, s.Protocol, c.contract(s.Tool), oneLine(what))
	}
	return w.Flush()
}
