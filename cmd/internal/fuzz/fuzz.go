// Package fuzz calls the commands of a plugin with arguments that nobody thought of, and holds what comes back
// to what the protocol promises.
//
// Data flow: the spec of a command -> documents of gen/sample, valid and nearly so -> calls through the runtime
// -> [check] -> a [Finding], with the smallest arguments that still show it (sample.Shrink, the plugin being
// called again for each candidate).
//
// It demands of every result that it is a valid canonical result; that the plugin neither broke down nor
// answered with what nobody can read; that its error codes are declared; and that no secret of its
// configuration is in it. It demands of the runtime that no plugin sees arguments that its input schema
// refuses, and that none are kept from it that the schema allows. It does not demand that the same call has the
// same result twice.
//
// The package never decides what may be called, opens no folder and prints nothing: its caller gives it an
// executor and the specs of commands.
package fuzz

import (
	"context"
	"slices"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/sample"
)

// Options say what is called, and for how long.
type Options struct {
	// Specs are the commands of one tool.
	Specs []*call.Spec
	// Run runs a call. Every plugin that it reaches has to be watched by Witness.
	Run func(ctx context.Context, c call.Call) Result
	// Witness tells what plugins have seen.
	Witness *Witness
	// Secrets are values that no result may have.
	Secrets []string
	// Time is how long to go on, without the time that it takes to make findings small; 0 is no bound.
	Time time.Duration
	// Documents is how many are tried with each command; 0 is no bound.
	Documents int
	// Seed makes all documents.
	Seed uint64
	// Progress is called now and then.
	Progress func(Tally)
}

// Result is a canonical result.
type Result interface {
	call.Result
	String() string
}

// Tally counts what happened.
type Tally struct {
	Elapsed   time.Duration
	Documents int // that were sent
	Calls     int // of the plugin, those that made findings smaller included
	Refused   int // documents that the runtime refused, as it must
	Findings  int
}

// Report is the outcome.
type Report struct {
	Tally
	Findings []*Finding
	// Hard are commands for which no valid arguments were found. Only the near ones were tried.
	Hard []string
}

// maxFindings is the number of different findings after which a run ends: somebody has to read them.
const maxFindings = 20

// fuzzer is the state of a run.
type fuzzer struct {
	Options
	report *Report
	known  map[string]*Finding
	pool   pool
	paused time.Duration // spent on making findings small
	start  time.Time
	told   time.Time
}

// Run tries the commands in turn until the time is over, the documents are used up, the context ends, or there are
// more findings than anybody reads at once. The error is a schema that the sampler cannot read.
func Run(ctx context.Context, o Options) (*Report, error) {
	f := &fuzzer{Options: o, report: &Report{}, known: map[string]*Finding{}}
	var commands []*command
	for _, spec := range o.Specs {
		c, err := newCommand(spec)
		if err != nil {
			return nil, err
		}
		commands = append(commands, c)
		for _, example := range spec.Examples {
			if file, _ := load.Parse("example", example, wire.Limits{}); file != nil {
				f.pool.add(file.Root)
			}
		}
	}
	f.start, f.told = time.Now(), time.Now()
	for n := 0; len(commands) > 0 && (o.Documents == 0 || n < o.Documents); n++ {
		for _, c := range commands {
			if f.over(ctx) {
				f.finish(commands)
				return f.report, nil
			}
			f.try(ctx, c, n)
		}
	}
	f.finish(commands)
	return f.report, nil
}

func (f *fuzzer) over(ctx context.Context) bool {
	elapsed := time.Since(f.start) - f.paused
	return ctx.Err() != nil || f.Time > 0 && elapsed >= f.Time || len(f.report.Findings) >= maxFindings
}

func (f *fuzzer) finish(commands []*command) {
	f.report.Elapsed = time.Since(f.start)
	for _, c := range commands {
		if c.tried > 0 && c.valid == 0 {
			f.report.Hard = append(f.report.Hard, c.spec.Command)
		}
	}
}

// try sends document n of a command.
func (f *fuzzer) try(ctx context.Context, c *command, n int) {
	doc, seed := c.document(n, f.Seed, &f.pool)
	f.report.Documents++
	o := f.call(ctx, c, doc)
	if ctx.Err() != nil {
		return // the call was cut off, and says so
	}
	if !o.seen && o.verdict != wire.Valid {
		f.report.Refused++
	}
	f.pool.take(o.text)
	if fault := check(c.spec, o, f.Secrets); fault != nil {
		f.found(ctx, c, &Finding{Tool: c.spec.Tool, Command: c.spec.Command, Fault: *fault, Original: doc, Arguments: doc, Seed: seed, Result: o.text})
	}
	f.progress()
}

func (f *fuzzer) progress() {
	if now := time.Now(); f.Progress != nil && now.Sub(f.told) >= 5*time.Second {
		f.told = now
		tally := f.report.Tally
		tally.Elapsed, tally.Findings = now.Sub(f.start), len(f.report.Findings)
		f.Progress(tally)
	}
}

// call sends a document and notes what happened.
func (f *fuzzer) call(ctx context.Context, c *command, doc []byte) *outcome {
	f.Witness.reset()
	res := f.Run(ctx, call.Call{
		Tool: c.spec.Tool, Command: c.spec.Command, Arguments: slices.Clone(doc), Source: "fuzz",
		Options: call.Options{SkipApproval: true}, // who fuzzes a command wants it to run
	})
	o := &outcome{text: res.String(), verdict: c.verdict(doc)}
	o.seen, o.saw = f.Witness.last()
	if o.seen {
		f.report.Calls++
		o.sawVerdict = c.verdict(o.saw)
	}
	return o
}

// command is a command with what its documents are made from.
type command struct {
	spec   *call.Spec
	source *sample.Source
	live   *live.Validator
	tape   wire.Tape

	tried, valid int // valid documents that were looked for, and found
}
