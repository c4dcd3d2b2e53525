package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"vcp.core/contract/call"
)

type toolsCmd struct {
	JSON bool `name:"json" help:"Print one JSON object a line, with the schemas."`
}

func (toolsCmd) Help() string {
	return `Lists every command that "vcp call" can reach: those of the plugins folder and those that are linked into this
program. A plugin whose manifest has mistakes is not registered; it is named on standard error with the reason.
The column CONTRACT tells what judges arguments and data: code that was generated from the manifest and is linked in,
or the schemas as they were read just now (live).

Examples:
  vcp tools
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
	Contract     string          `json:"contract"` // "generated" or "live"
	ErrorCodes   []string        `json:"errorCodes"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
}

func (c *toolsCmd) Run(a *app) error {
	known, missing, err := a.catalog()
	if err != nil {
		return err
	}
	if c.JSON {
		err = a.toolLines(known)
	} else {
		err = a.toolTable(known)
	}
	a.tell(missing)
	return err
}

func (a *app) toolLines(c *catalog) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	for _, s := range c.Specs() {
		line := toolLine{
			Tool: s.Tool, DisplayName: s.DisplayName, Version: s.Version, Command: s.Command, Title: s.Title, Description: s.Description,
			Kind: s.Kind, Protocol: s.Protocol, Effect: s.Effect, TimeoutMs: s.Timeout.Milliseconds(), Disabled: s.Disabled,
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
		_, _ = fmt.Fprintf(w, "%s.%s\t%s\t%s\t%s\t%s\t%s\n", s.Tool, s.Command, s.Effect, s.Kind, s.Protocol, c.contract(s.Tool), what)
	}
	return w.Flush()
}
