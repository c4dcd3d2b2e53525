// Command vcp checks, shows and runs VCP plugins.
//
// This package is thin: it turns flags into calls of the packages below it and their answers into text.
// It alone knows the environment, the standard streams, exit codes and which plugins are linked in. Data
// goes to standard output, words to standard error.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"vcp.core/cmd/internal/fuzz"
	"vcp.core/runtime/keeper"
)

// cli is the command line.
type cli struct {
	Plugins string `help:"Folder of plugins: each in a folder of its own with a plugin-manifest.json. Default: ./plugins, if there is one." placeholder:"DIR" env:"VCP_PLUGINS"`
	Data    string `help:"Folder in which plugins keep their data. Default: ./.vcp" placeholder:"DIR" env:"VCP_DATA"`
	Store   string `help:"Where calls are recorded: a postgres:// URL. Default: records.db in the data folder." placeholder:"URL" env:"VCP_STORE"`

	keeping

	Gen     genCmd     `cmd:"" help:"Generate Go packages from plugin manifests."`
	Check   checkCmd   `cmd:"" help:"Check manifests and report every mistake with its place."`
	Tools   toolsCmd   `cmd:"" help:"List the commands that can be called."`
	Call    callCmd    `cmd:"" help:"Call a command and print the canonical result."`
	Results resultsCmd `cmd:"" help:"List the results that were recorded, or show one."`
	Audit   auditCmd   `cmd:"" help:"List the audit records: who ran what, and how it went."`
	Serve   serveCmd   `cmd:"" help:"Serve the tools over HTTP."`
	Token   tokenCmd   `cmd:"" help:"Tokens for those who call over HTTP."`
	Render  renderCmd  `cmd:"" help:"Show a stored result the way a consumer gets it."`
	Fuzz    fuzzCmd    `cmd:"" help:"Call a plugin with arguments that nobody thought of, and report what goes wrong."`
	Demo    demoCmd    `cmd:"" help:"Show three tools at work."`
	Doctor  doctorCmd  `cmd:"" help:"Say what this machine gives, and what is missing."`
	Schema  schemaCmd  `cmd:"" help:"Work with JSON Schemas."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

const description = `Describe a tool once as a manifest with JSON Schemas; call it from anywhere.

  vcp demo                                       see tools at work
  vcp tools                                      what can be called
  vcp call ScheduleManager.ListSchedules         call it
  vcp results                                    what was recorded
  vcp render result.json --view ai               what a model is told of a result
  vcp serve --try                                call it over HTTP
  vcp check plugins                              are the manifests right?
  vcp gen                                        make Go packages of them
  vcp schema validate schema.json data.jsonl     is the data right?
  vcp fuzz SciCalculator                         does a plugin keep its promises?

Data goes to standard output, words to standard error. Exit codes: 0 all is well, 1 there are findings or the
call failed, 2 wrong use.`

// app is what commands work with.
type app struct {
	flags  *cli
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer

	keeper     *keeper.Keeper // nil until a program is called, and where there is none
	unkept     error          // why there is none
	everything bool           // log what goes well, too
	quiet      bool           // log nothing
	witness    *fuzz.Witness  // of what plugins see, nil for none
}

// The exit codes (DESIGN §4).
const (
	exitFindings = 1 // a check found something, a call failed
	exitUse      = 2 // the command line asks for what cannot be done
)

// stop ends the program: with words when there is a message, silently otherwise.
type stop struct {
	code    int
	message string // lower case, no period
	hint    string
}

// Error says it in a sentence.
func (s *stop) Error() string { return s.message }

// wrongUse is a stop with exit code 2.
func wrongUse(hint, format string, args ...any) error {
	return &stop{code: exitUse, message: fmt.Sprintf(format, args...), hint: hint}
}

// findings is a silent stop with exit code 1: what there is to say was said.
var findings = &stop{code: exitFindings}

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	var flags cli
	exited := -1 // set by --help, which kong ends by itself
	parser := kong.Must(&flags,
		kong.Name("vcp"), kong.Description(description), kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited = code; panic(exitNow{}) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}))
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(exitNow); !ok {
				panic(r)
			}
			code = exited
		}
	}()
	command, err := parser.Parse(args)
	if err != nil {
		return complain(stderr, &stop{code: exitUse, message: err.Error(), hint: helpFor(err)})
	}

	a := &app{flags: &flags, stdin: stdin, stdout: stdout, stderr: stderr}
	defer a.close()
	if err := command.Run(a); err != nil {
		return complain(stderr, err)
	}
	return 0
}

// helpFor names the help of the verb that a wrong command line was for, or of all verbs.
func helpFor(err error) string {
	if wrong, ok := errors.AsType[*kong.ParseError](err); ok && wrong.Context != nil {
		if verb := wrong.Context.Selected(); verb != nil {
			return "vcp " + verb.Path() + " --help shows how"
		}
	}
	return "vcp --help shows what there is"
}

// untilInterrupted returns a context that ends at Ctrl-C or SIGTERM. A second one ends the program at once: the
// signal has its old meaning again before the context ends, so whoever sees that it ended may send the second.
func untilInterrupted() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	first := make(chan os.Signal, 1)
	signal.Notify(first, os.Interrupt, syscall.SIGTERM)
	stop := func() {
		signal.Stop(first)
		cancel()
	}
	go func() {
		select {
		case <-first:
			stop()
		case <-ctx.Done():
		}
	}()
	return ctx, stop
}

// exitNow unwinds the stack from kong's exit to run.
type exitNow struct{}

// complain prints an error and returns its exit code.
func complain(stderr io.Writer, err error) int {
	var s *stop
	if !errors.As(err, &s) {
		s = &stop{code: exitFindings, message: err.Error()}
	}
	if s.message != "" {
		_, _ = fmt.Fprintf(stderr, "vcp: error: %s\n", harmless(s.message))
	}
	if s.hint != "" {
		_, _ = fmt.Fprintf(stderr, "hint: %s\n", harmless(s.hint))
	}
	return s.code
}

// sayf prints words for people.
func (a *app) sayf(format string, args ...any) {
	_, _ = fmt.Fprintln(a.stderr, harmless(fmt.Sprintf(format, args...)))
}
