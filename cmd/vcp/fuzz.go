package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"vcp.core/cmd/internal/fuzz"
	"vcp.core/contract/call"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
)

type fuzzCmd struct {
	Plugin  string        `arg:"" name:"plugin" help:"The tool, or one command of it as Tool.Command."`
	Time    time.Duration `help:"How long to go on, such as 90s. Default: 10s, or until --count" placeholder:"D"`
	Count   int           `short:"n" help:"How many documents to try with each command. Default: as many as the time allows" placeholder:"N"`
	Seed    uint64        `help:"The first seed; the same seed makes the same arguments. Default: ${default}" default:"1" placeholder:"N"`
	Effects string        `help:"Call commands up to this effect: ${enum}. Default: read. The others change things outside of this program's data folder, if that is what they do." default:"read" enum:"read,idempotent,write,destructive" placeholder:"EFFECT"`
	Config  string        `help:"The plugin's configuration, a JSON object: as text or @FILE. Default: one that is made from its configSchema." placeholder:"JSON|@FILE"`
	JSON    bool          `name:"json" help:"Print one JSON object a finding."`

	made []byte // the configuration, where nobody gave one
}

// Help is the long help of the verb.
func (fuzzCmd) Help() string {
	return `Calls the commands of a plugin with arguments that are made from their input schemas: examples of the manifest, valid
ones, and ones beside the border, which have to be refused before the plugin sees them. What results show, such as
ids, comes back as arguments. It is a finding when

  canonical    a result is no valid canonical result
  broken       the plugin breaks down, is too late, or breaks its contract: INTERNAL_ERROR, INVALID_TOOL_RESULT,
               TRANSPORT_FAILURE, TOOL_TIMEOUT
  undeclared   it fails with a code that its manifest does not list
  secret       a setting that its configSchema marks as writeOnly is in what it says
  careless     its program ends with an error after its answer, a media type is wrong, advice had to be cleaned
  let-through, kept-back, refusal
               arguments reach the plugin that should not, or the other way round

Each finding is printed with the smallest arguments that still show it; the plugin is called again, up to 300 times and
20 s, to find them. The same fault is printed once.

Only commands whose effect is read are called, unless --effects says more: the others change things. The plugin's data
folder is a temporary one that is removed afterwards, whatever --data says, but a plugin may reach further than that.

Examples:
  vcp fuzz SciCalculator
  vcp fuzz ScheduleManager --effects destructive --time 1m
  vcp fuzz ChartMaker.DrawBar --seed 7 --json | jq .arguments

Exit code: 0 nothing was found, 1 there are findings, 2 wrong use, or nothing can be called.`
}

// defaultFuzzTime is how long it goes on when nobody says.
const defaultFuzzTime = 10 * time.Second

// Run runs the verb.
func (c *fuzzCmd) Run(a *app) (err error) {
	if c.Time < 0 || c.Count < 0 {
		return wrongUse("", "the time and the count must not be negative")
	}
	if c.Time == 0 && c.Count == 0 {
		c.Time = defaultFuzzTime
	}
	a.quiet = true // what goes wrong is told as findings
	a.witness = new(fuzz.Witness)
	known, missing, err := a.catalog()
	if err != nil {
		return err
	}
	specs, err := c.specs(a, known, missing)
	if err != nil {
		return err
	}
	config, secrets, err := c.configuration(a, specs[0])
	if err != nil {
		return err
	}
	data, err := os.MkdirTemp("", "vcp-fuzz-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	e := a.start(known, data, runtime.Config(func(string) []byte { return config }))
	defer func() { err = errors.Join(err, e.stop()) }()
	ctx, cancel := untilInterrupted()
	defer cancel()

	report, err := fuzz.Run(ctx, fuzz.Options{
		Specs: specs, Witness: a.witness, Secrets: secrets, Time: c.Time, Documents: c.Count, Seed: c.Seed,
		Run: func(ctx context.Context, call call.Call) fuzz.Result { return e.Execute(ctx, call).(*result.Sealed) },
		Progress: func(t fuzz.Tally) {
			a.sayf("%s: %s", t.Elapsed.Round(time.Second), c.counts(t))
		},
	})
	if err != nil {
		return wrongUse("vcp check says more about it", "%v", err)
	}
	for _, f := range report.Findings {
		if err := c.show(a, f); err != nil {
			return err
		}
	}
	for _, name := range report.Hard {
		a.sayf("vcp: no valid arguments were found for %s.%s; examples in the manifest would help", specs[0].Tool, name)
	}
	report.Tally.Findings = len(report.Findings)
	a.sayf("%s, %s in %s: %s", specs[0].Tool, count(len(specs), "command"), report.Elapsed.Round(100*time.Millisecond), c.counts(report.Tally))
	if len(report.Findings) > 0 {
		return findings
	}
	return nil
}

func (c *fuzzCmd) counts(t fuzz.Tally) string {
	return fmt.Sprintf("%s, %d refused by the runtime, %s; %s", count(t.Documents, "document"), t.Refused, count(t.Calls, "call"), count(t.Findings, "finding"))
}

// effects, the weakest first.
var effects = []call.Effect{call.Read, call.Idempotent, call.Write, call.Destructive}

// specs returns the commands to call.
func (c *fuzzCmd) specs(a *app, known *catalog, missing []unregistered) ([]*call.Spec, error) {
	of := func(tool, command string) []*call.Spec {
		var out []*call.Spec
		for _, s := range known.Specs() {
			if s.Tool == tool && (command == "" || s.Command == command) {
				out = append(out, s)
			}
		}
		return out
	}
	all := of(c.Plugin, "")
	tool := c.Plugin
	if dot := strings.LastIndexByte(c.Plugin, '.'); len(all) == 0 && dot > 0 {
		tool = c.Plugin[:dot]
		all = of(tool, c.Plugin[dot+1:])
	}
	if len(all) == 0 {
		if a.tellAbout(c.Plugin, missing) || a.tellAbout(tool, missing) {
			return nil, wrongUse("", "%s cannot be called", c.Plugin)
		}
		return nil, wrongUse("vcp tools lists them", "there is no tool or command %q", c.Plugin)
	}
	if reason := known.unavailable(all[0]); reason != "" {
		return nil, wrongUse("", "%s cannot be called here: %s", tool, reason)
	}
	most := slices.Index(effects, call.Effect(c.Effects))
	var chosen []*call.Spec
	var out []string
	strongest := 0
	for _, s := range all {
		switch at := slices.Index(effects, s.Effect); {
		case s.Disabled:
			out = append(out, s.Command+" (disabled)")
		case at > most:
			out, strongest = append(out, fmt.Sprintf("%s (%s)", s.Command, s.Effect)), max(strongest, at)
		default:
			chosen = append(chosen, s)
		}
	}
	if len(out) > 0 {
		a.sayf("vcp: left out: %s", strings.Join(out, ", "))
		if strongest > 0 {
			a.sayf("hint: --effects %s takes in what changes things", effects[strongest])
		}
	}
	if len(chosen) == 0 {
		return nil, wrongUse("", "there is nothing to call")
	}
	return chosen, nil
}

// configuration returns that of --config, or one that is made, with its secrets.
func (c *fuzzCmd) configuration(a *app, spec *call.Spec) ([]byte, []string, error) {
	given := callCmd{Config: c.Config}
	config, err := given.config(a)
	if err != nil || config != nil {
		return config, nil, err
	}
	config, secrets, ok := fuzz.Config(spec.SchemaFile, spec.ConfigSchema, c.Seed)
	if !ok {
		return nil, nil, wrongUse("--config gives one", "no configuration was found that the configSchema of %s allows", spec.Tool)
	}
	c.made = config
	return config, secrets, nil
}

// findingLine is a line of vcp fuzz --json.
type findingLine struct {
	Tool    string `json:"tool"`
	Command string `json:"command"`
	fuzz.Fault
	Arguments json.RawMessage `json:"arguments"` // the smallest that show it
	Original  json.RawMessage `json:"original"`  // as they were made
	Seed      uint64          `json:"seed"`
	Times     int             `json:"times"`
	Repeats   bool            `json:"repeats"`
	Minimal   bool            `json:"minimal"`
	Repeat    []string        `json:"repeat"` // command lines
	Result    json.RawMessage `json:"result"`
}

// show prints a finding.
func (c *fuzzCmd) show(a *app, f *fuzz.Finding) error {
	repeat := c.repeat(a, f)
	if c.JSON {
		enc := json.NewEncoder(a.stdout)
		enc.SetEscapeHTML(false)
		return enc.Encode(findingLine{f.Tool, f.Command, f.Fault, f.Arguments, f.Original, f.Seed, f.Times, f.Repeats, f.Minimal, repeat, json.RawMessage(f.Result)})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s.%s: %s", f.Tool, f.Command, f.Rule)
	for _, word := range []string{f.Code, f.Reason} {
		if word != "" {
			b.WriteString(" " + word)
		}
	}
	if f.Target != "" {
		b.WriteString(" at " + f.Target)
	}
	fmt.Fprintf(&b, "\n  %s\n  arguments ", oneLine(f.Message))
	if text := plainly(f.Arguments); len(text) <= maxShown {
		b.WriteString(text)
	} else {
		fmt.Fprintf(&b, "%s… (%d bytes; --json has all of them)", strings.ToValidUTF8(text[:100], ""), len(f.Arguments))
	}
	switch {
	case !f.Repeats:
		b.WriteString("\n  it did not show again with the same arguments: it may depend on earlier calls, or on chance")
	case !f.Minimal:
		b.WriteString("\n  they may be longer than they need to be: there was no time left")
	}
	if f.Times > 1 {
		fmt.Fprintf(&b, "\n  met %d times", f.Times)
	}
	for _, line := range repeat {
		b.WriteString("\n  $ " + line)
	}
	b.WriteString("\n\n")
	_, err := a.stdout.Write([]byte(b.String()))
	return err
}

// maxShown is up to how many bytes of arguments are shown to people.
const maxShown = 2000

// repeat lists command lines that show a finding again.
func (c *fuzzCmd) repeat(a *app, f *fuzz.Finding) []string {
	vcp := "vcp"
	if a.flags.Plugins != "" {
		vcp += " --plugins " + shellQuoted(a.flags.Plugins)
	}
	config := ""
	switch {
	case c.Config != "":
		config = " --config " + shellQuoted(c.Config)
	case len(c.made) > len("{}"):
		config = " --config " + shellQuoted(plainly(c.made))
	}
	name := shellWord(f.Tool + "." + f.Command)
	effect := ""
	if c.Effects != "read" {
		effect = " --effects " + c.Effects
	}
	again := fmt.Sprintf("%s fuzz %s%s%s --seed %d", vcp, name, config, effect, f.Seed)
	text := plainly(f.Arguments)
	if len(text) > maxShown {
		return []string{again}
	}
	return []string{fmt.Sprintf("%s call %s%s --log --args %s", vcp, name, config, shellQuoted(text)), again}
}

// shellWord quotes a text for a shell where it has to be.
func shellWord(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-/", r)
	}) {
		return shellQuoted(s)
	}
	return s
}

// plainly is a JSON text for a terminal: what a terminal would obey is escaped as JSON has it.
func plainly(doc []byte) string {
	var b strings.Builder
	for _, r := range string(doc) {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r == '\n' || r == '\t' || r == '\r':
			b.WriteByte(' ') // between tokens: inside strings they are escaped
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
