package main

import (
	"errors"
	"fmt"
	"os"

	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/protocol"
	"vcp.core/runtime/door/view"
	"vcp.core/runtime/result"
)

type renderCmd struct {
	Result string    `arg:"" help:"File with one canonical result, or - for standard input."`
	View   view.Name `help:"The projection: ${enum}." enum:"canonical,human,ai,bridge,audit" required:"" placeholder:"VIEW"`
	Budget *int      `help:"The most characters that the view ai may have. Default: 30000." placeholder:"N"`
	JSON   bool      `name:"json" help:"Print the view ai as JSON: its text, its parts, and what it leaves out."`
}

// Help is the long help of the verb.
func (renderCmd) Help() string {
	return `Shows a canonical result, as vcp call prints it, the way a consumer gets it: human and canonical as JSON, ai as Markdown
within a budget of characters, bridge in its envelope, audit as a digest without data. Nothing is executed.

What a view must not show is masked before: credentials for everybody, paths of this machine for models, and so on.
canonical hides nothing from who is an administrator, which whoever runs this program is.

Examples:
  vcp call SciCalculator.Evaluate --args '{"expression":"2^100"}' > result.json
  vcp render result.json --view ai
  vcp render result.json --view ai --budget 200 --json | jq .omitted
  vcp call ScheduleManager.ListSchedules | vcp render - --view audit

Exit code: 0 it was shown, 1 the file holds no canonical result, 2 wrong use.`
}

// Run runs the verb.
func (c *renderCmd) Run(a *app) error {
	if c.Budget != nil && *c.Budget < 0 {
		return wrongUse("", "the budget is negative")
	}
	if c.View != view.AI && (c.Budget != nil || c.JSON) {
		return wrongUse("", "--budget and --json go with --view ai")
	}
	src, err := c.read(a)
	if err != nil {
		return err
	}
	if len(src) > maxResult {
		return &stop{code: exitFindings, message: fmt.Sprintf("%s holds no canonical result: more than %d bytes", c.Result, maxResult)}
	}
	sealed, err := result.Parse(src)
	if err != nil {
		return noResult(c.Result, src, err)
	}
	known, _, err := a.catalog()
	if err != nil {
		return err
	}
	return a.show(sealed, projecting{view: c.View, budget: c.Budget, json: c.JSON, ports: view.PortsOf(known, sealed)})
}

// maxResult is more than a result can have: data of the largest frame and all that the core adds.
const maxResult = 64 << 20

func (c *renderCmd) read(a *app) ([]byte, error) {
	src, err := a.input(c.Result, maxResult)
	if err != nil {
		return nil, wrongUse("a result is a file, or - for standard input", "the result cannot be read: %v", err)
	}
	return src, nil
}

// input reads a file, or standard input for -, up to one byte over a limit.
func (a *app) input(name string, limit int64) ([]byte, error) {
	if name == "-" {
		return atMost(a.stdin, limit)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	return atMost(file, limit)
}

// noResult says why a file is no canonical result.
func noResult(name string, src []byte, err error) error {
	hint := ""
	if _, judged := errors.AsType[*wire.Rejection](err); judged {
		var t wire.Tape
		if t.Scan(src, wire.Limits{}) == nil {
			if list := protocol.Validator(schema.Result).Violations(&t); len(list) > 0 {
				hint = fmt.Sprintf("%q: %s", list[0].Pointer, list[0].Message)
			}
		}
	}
	return &stop{code: exitFindings, message: fmt.Sprintf("%s holds no canonical result: %v", name, err), hint: hint}
}
