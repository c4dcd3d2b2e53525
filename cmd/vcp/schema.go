package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/gen"
	"vcp.core/gen/diag"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

type schemaCmd struct {
	Validate validateCmd `cmd:"" help:"Validate JSON and JSON Lines files against a schema."`
	Compile  compileCmd  `cmd:"" help:"Generate a Go package from schemas."`
	Sample   sampleCmd   `cmd:"" help:"Make documents that a schema allows, or just refuses."`
	Test     suiteCmd    `cmd:"" help:"Run the official JSON-Schema-Test-Suite."`
}

type validateCmd struct {
	Schema        string   `arg:"" help:"File of the schema. Its $refs to files are looked up beside it; nothing is ever fetched."`
	Files         []string `arg:"" name:"file" help:"Files to validate; - is standard input. Names ending in .jsonl or .ndjson hold one document a line."`
	Output        string   `aliases:"format" help:"How to print: text, json, flag, basic or detailed. Also called --format. Default: text" default:"text" enum:"text,json,flag,basic,detailed" placeholder:"FORM"`
	Lines         bool     `help:"Take every file as JSON Lines, whatever its name."`
	AssertFormats bool     `help:"Make the keyword format decide; it is an annotation otherwise."`
	Dependencies  bool     `name:"assert-dependencies" help:"Make the keyword dependencies of draft-07 decide in later drafts, too."`
}

// Help is the long help of the verb.
func (validateCmd) Help() string {
	return `Prints every violation of every document with file, line, column and JSON Pointer, the keyword, what the schema
expects and what the document has, and a hint where there is one: the name or the value that was perhaps meant, the
alternative of a union that comes closest. In JSON Lines the line is that of the file.

The forms:
  text      FILE:LINE:COL: POINTER: KEYWORD: MESSAGE (expected …, got …), for people and editors
  json      one array of all violations, each with its place in the file and the keyword's place in the schema
  flag      one line for each document, valid or not: {"valid":true} or {"valid":false}
  basic     one line for each document: the verdict and a list of errors
  detailed  one line for each document: the verdict and a tree of errors, after the structure of the schema
The last three are the output forms of JSON Schema 2020-12, core 12.4. Unlike the others, basic and detailed tell of every
alternative of a union that fails.

References of the schema lead to files beside it, to the meta-schemas and to documents of the protocol. The keyword format
decides only with --assert-formats. What a limit left undecided (a pattern that takes too many steps) is not valid.

Examples:
  vcp schema validate person.schema.json ada.json
  vcp schema validate event.schema.json events.jsonl --output json
  vcp schema validate event.schema.json events.jsonl --output flag | grep -c true
  curl -s example.org/x.json | vcp schema validate x.schema.json -

Exit code: 0 every document is valid, 1 some are not or could not be decided, 2 the schema or a file cannot be used.`
}

// Run runs the verb.
func (c *validateCmd) Run(a *app) error {
	s, err := a.compileSchema(c.Schema, switches{c.AssertFormats, c.Dependencies})
	if err != nil {
		return err
	}
	report := &violationReport{schema: s.validator, lim: wire.DefaultLimits(), out: bufio.NewWriter(a.stdout), form: c.Output}
	for _, name := range c.Files {
		if err := report.file(a, name, c.Lines); err != nil {
			if end := report.end(); !errors.Is(err, end) { // a broken output is told once
				err = errors.Join(err, end)
			}
			return err
		}
	}
	if err := report.end(); err != nil {
		return err
	}
	found := "; " + count(report.found, "violation")
	if live.Form(c.Output) == live.Flag {
		found = "" // they were not counted
	}
	a.sayf("%s: %d valid, %d not%s", count(report.documents, "document"), report.documents-report.refused, report.refused, found)
	if report.refused > 0 {
		return findings
	}
	return nil
}

// compiledSchema is a schema file with what it reaches.
type compiledSchema struct {
	file      *load.File
	documents []resolve.Document // other ones
	validator *live.Validator
}

// switches say which keywords decide that otherwise do not.
type switches struct{ assertFormats, assertDependencies bool }

// compileSchema compiles a schema file. Its diagnostics go to standard error: without a schema there is no data
// to print.
func (a *app) compileSchema(name string, on switches) (*compiledSchema, error) {
	unusable := func(list diag.List) error {
		_ = diag.Write(a.stderr, diag.Text, list)
		return wrongUse("", "the schema %s cannot be used", name)
	}
	file, list := load.ReadFile(name, wire.Limits{})
	if file == nil {
		return nil, unusable(list)
	}
	documents, list := gen.Siblings(file)
	if list.HasErrors() {
		return nil, unusable(list)
	}
	documents = append(documents, gen.ProtocolDocuments(append(documents, resolve.Document{File: file})...)...)
	registry, list := resolve.NewRegistry(documents...)
	if list.HasErrors() {
		return nil, unusable(list)
	}
	root, list := resolve.Resolve(file, nil, resolve.Options{Registry: registry, Dependencies: on.assertDependencies})
	if root == nil {
		return nil, unusable(list)
	}
	warnings := list
	program, list := ir.Lower([]*resolve.Schema{root}, ir.Options{FormatAssertion: on.assertFormats})
	if list.HasErrors() {
		return nil, unusable(list)
	}
	_ = diag.Write(a.stderr, diag.Text, append(warnings, list...))
	return &compiledSchema{file, documents, live.Compile(program).Root(0)}, nil
}

// open returns a file or standard input, and the name to call it by.
func (a *app) open(name string) (io.ReadCloser, string, error) {
	if name == "-" {
		return io.NopCloser(a.stdin), "-", nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, "", wrongUse("", "%v", err)
	}
	return f, name, nil
}

// isLines tells JSON Lines by the file's name.
func isLines(name string) bool {
	return strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".ndjson")
}
