// Command vcp-gen generates Go packages from plugin manifests: it is `vcp gen`, and nothing else, as a program
// of its own. It links the compiler and no generated code, so it can be built when that code is gone or broken.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"vcp.core/cmd/internal/generate"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

const usage = "usage: vcp-gen [--check] [--diff] [--support PREFIX] [--out DIR] [--format FORMAT] [PATH…]\n\n"

const options = `

Flags:
  --check           write nothing; report what is missing, stale or left over
  --diff            show how the exported Go declarations change
  --support PREFIX  module of the support packages that generated code imports (vcp.core)
  --out DIR         folder of the generated code; it belongs to the generator alone (generated)
  --format FORMAT   how to print findings: text, json or github (text)
`

func run(args []string, stdout, stderr io.Writer) int {
	o := generate.Defaults()
	flags := flag.NewFlagSet("vcp-gen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		_, _ = fmt.Fprint(stdout, usage, strings.ReplaceAll(generate.Help, "vcp gen", "vcp-gen"), options)
	}
	flags.BoolVar(&o.Check, "check", false, "")
	flags.BoolVar(&o.Diff, "diff", false, "")
	flags.StringVar(&o.Support, "support", o.Support, "")
	flags.StringVar(&o.Out, "out", o.Out, "")
	flags.Func("format", "", func(name string) error { return o.Format.UnmarshalText([]byte(name)) })
	for len(args) > 0 { // flags may stand behind paths
		if err := flags.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return 0
			}
			return 2
		}
		if args = flags.Args(); len(args) > 0 {
			o.Paths = append(o.Paths, args[0])
			args = args[1:]
		}
	}
	return generate.Run(o, stdout, stderr)
}
