package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/runtime"
	"vcp.core/runtime/door/view"
	"vcp.core/runtime/result"
)

type callCmd struct {
	Command  string        `arg:"" name:"tool.command" help:"Tool and command; the last dot separates them."`
	Args     string        `help:"The arguments, a JSON object: as text, @FILE, or - for standard input." default:"{}" placeholder:"JSON|@FILE|-"`
	Config   string        `help:"The plugin's configuration, a JSON object: as text or @FILE. Secrets belong into a file." placeholder:"JSON|@FILE"`
	View     view.Name     `help:"What to print: ${enum}. Default: canonical" enum:"canonical,human,ai,bridge,audit" default:"canonical" placeholder:"VIEW"`
	Timeout  time.Duration `help:"Time limit, such as 5s. Default: the manifest's." placeholder:"DURATION"`
	Save     string        `help:"Copy the resources of the result, such as pictures, into this folder." placeholder:"DIR"`
	Key      string        `help:"Idempotency key: a second call with the same key is answered with the result of the first." placeholder:"KEY"`
	NoRecord bool          `help:"Leave no record: neither of the result, nor of the intent of a command with an effect."`
	Log      bool          `help:"Log more: what the plugin's program wrote to its standard error when all went well, too, and why a resource was refused."`
}

// Help is the long help of the verb.
func (callCmd) Help() string {
	return `Runs one command and prints its canonical result, one JSON object and a newline, for failures too. The arguments
are checked against the command's input schema first; defaults and the command's own name are filled in. Ctrl-C
cancels, and the result says so. With --view the result is printed the way a consumer gets it: see vcp render --help.

The result is recorded in the data folder: vcp results lists them.

Who types a command has approved it: nobody else is asked, for destructive ones neither. When a plugin's program fails,
what it wrote to its standard error is shown; --log shows it always.

Examples:
  vcp call ScheduleManager.CreateSchedule --args '{"time":"2026-07-12T10:00:00+08:00","content":"meeting"}'
  vcp call ScheduleManager.ListSchedules | jq .data
  vcp call ScheduleManager.UpdateSchedule --args @change.json
  vcp call ChartMaker.DrawBar --args @sales.json --save .
  vcp call SciCalculator.Evaluate --args '{"expression":"sqrt(2)"}' --view ai
  jq -n '{id:"sch_…"}' | vcp call ScheduleManager.DeleteSchedule --args -

Exit code: 0 for the statuses success, accepted and partial, 1 for the others, 2 wrong use.`
}

// Run runs the verb.
func (c *callCmd) Run(a *app) error {
	dot := strings.LastIndexByte(c.Command, '.')
	if dot <= 0 || dot == len(c.Command)-1 {
		return wrongUse("write it as Tool.Command; vcp tools lists them", "%q names no command", c.Command)
	}
	if c.Timeout < 0 {
		return wrongUse("", "the time limit is negative")
	}
	args, err := a.read("args", c.Args)
	if err != nil {
		return err
	}
	config, err := c.config(a)
	if err != nil {
		return err
	}
	a.everything = c.Log
	known, missing, err := a.catalog()
	if err != nil {
		return err
	}
	ctx, cancel := untilInterrupted()
	defer cancel()
	options := []runtime.Option{runtime.Config(func(string) []byte { return config })}
	if !c.NoRecord {
		store, err := a.openRecords(ctx, a.dataDir())
		if err == nil {
			defer func() { _ = closeStore(store) }() // what was acknowledged is durable
			err = unwritable(ctx, store)
		}
		if err != nil {
			return &stop{code: exitFindings, message: fmt.Sprintf("the call cannot be recorded: %v", err), hint: a.storeHint() + "; --no-record goes on without"}
		}
		options = append(options, runtime.Records(store))
	}
	e := a.start(known, a.dataDir(), options...)
	if _, err := e.Recover(ctx); err != nil {
		a.sayf("vcp: calls that a crash cut off were not recorded: %v", err)
	}
	res := e.Execute(ctx, call.Call{
		Tool: c.Command[:dot], Command: c.Command[dot+1:], Arguments: args, Source: "cli", Timeout: c.Timeout, IdempotencyKey: c.Key,
		Options: call.Options{SkipApproval: true}, // who typed the command is the human that would be asked
	})
	var saved error
	if c.Save != "" {
		saved = a.save(e.files, res.(*result.Sealed), c.Save)
	}
	err = errors.Join(saved, a.show(res.(*result.Sealed), projecting{view: c.View, ports: view.PortsOf(known, res.(*result.Sealed))}), e.stop())
	if err != nil {
		return err
	}
	if res.Code() != "" {
		if told := a.tellAbout(c.Command[:dot], missing); !told {
			a.hint(c, res.(*result.Sealed), known)
		}
	}
	return outcome(res)
}

// hint says what of this command line may have led to an error. The result itself knows nothing of flags.
func (a *app) hint(c *callCmd, res *result.Sealed, known *catalog) {
	args, code := c.Args, errcode.Code(res.Code())
	_, program := known.programs[c.Command[:strings.LastIndexByte(c.Command, '.')]]
	switch {
	case code == errcode.ToolNotFound || code == errcode.UnknownCommand:
		a.sayf("hint: vcp tools lists what can be called")
	case code == errcode.InvalidArgument && args != "-" && !strings.HasPrefix(args, "@") && !strings.HasPrefix(strings.TrimSpace(args), "{"):
		a.sayf("hint: --args takes a JSON object; --args @FILE reads a file, --args - standard input")
	case code == errcode.InternalError && program && !c.Log:
		a.sayf("hint: --log shows what the plugin's program wrote to its standard error")
	case code == errcode.TransportFailure && program && a.confines() && strings.Contains(res.Member(result.Error), `"reason":"CRASHED"`):
		a.sayf("hint: the plugin runs in a sandbox; --sandbox off shows whether that is what it cannot bear, vcp doctor what it may do")
	}
}

// tellAbout explains why a tool that exists as a folder is not there, and says whether it did.
func (a *app) tellAbout(tool string, missing []unregistered) bool {
	told := false
	for _, u := range missing {
		if u.name == tool {
			a.tell([]unregistered{u})
			told = true
		}
	}
	return told
}

// config returns the configuration of the plugin, nil for none.
func (c *callCmd) config(a *app) ([]byte, error) {
	switch c.Config {
	case "":
		return nil, nil
	case "-":
		return nil, wrongUse("", "--config reads no standard input")
	}
	return a.read("config", c.Config)
}

// maxArguments is what the runtime takes by default (DESIGN §9). It refuses what is longer.
const maxArguments = 4 << 20

// read returns what a flag stands for: a text, @FILE, or - for standard input.
func (a *app) read(flag, arg string) ([]byte, error) {
	switch {
	case arg == "-":
		return a.input(arg, maxArguments)
	case strings.HasPrefix(arg, "@"):
		src, err := a.input(arg[1:], maxArguments)
		if err != nil {
			return nil, wrongUse("--"+flag+" @FILE reads a file", "--%s cannot be read: %v", flag, err)
		}
		return src, nil
	default:
		return []byte(arg), nil
	}
}

// outcome is the exit code of a result (DESIGN §4).
func outcome(res call.Result) error {
	switch res.Status() {
	case call.Success, call.Accepted, call.Partial:
		return nil
	default:
		return findings
	}
}
