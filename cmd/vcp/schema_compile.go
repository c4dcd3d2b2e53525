package main

import (
	"errors"
	"go/token"
	"path/filepath"

	"vcp.core/gen"
	"vcp.core/gen/diag"
)

type compileCmd struct {
	Schemas       []string    `arg:"" name:"schema" help:"Files of schemas. Their $refs to files are looked up beside them; nothing is ever fetched."`
	Out           string      `help:"Folder of the package; it belongs to the generator alone." required:"" placeholder:"DIR"`
	Package       string      `help:"Name of the Go package. Default: the name of the folder." placeholder:"P"`
	Support       string      `help:"Module of the support packages that generated code imports. Default: vcp.core" default:"vcp.core" placeholder:"PREFIX"`
	Check         bool        `help:"Write nothing; say whether the folder is up to date."`
	AssertFormats bool        `help:"Make the keyword format decide; it is an annotation otherwise."`
	Dependencies  bool        `name:"assert-dependencies" help:"Make the keyword dependencies of draft-07 decide in later drafts, too."`
	Format        diag.Format `help:"How to print findings: text, json or github. Default: text" default:"text" placeholder:"FORMAT"`
}

// Help is the long help of the verb.
func (compileCmd) Help() string {
	return `Writes a Go package with a type for each schema, and functions to decode, validate and encode it. The type is named
after the file: tool-call.schema.json is ToolCall. The import path comes from the go.mod nearest to --out.

Examples:
  vcp schema compile person.schema.json --out internal/person
  vcp schema compile schemas/*.json --out contracts --package contracts --assert-formats

Exit code: 0 all is well, 1 a schema has errors, or with --check something differs, 2 wrong use.`
}

// Run runs the verb.
func (c *compileCmd) Run(a *app) error {
	if c.Package == "" {
		if abs, err := filepath.Abs(c.Out); err == nil {
			c.Package = filepath.Base(abs)
		}
	}
	if !token.IsIdentifier(c.Package) || c.Package == "_" {
		return wrongUse("give another name with --package", "%q cannot name a Go package", c.Package)
	}
	module, err := gen.FindModule(c.Out)
	if err != nil {
		return wrongUse("generated code belongs to a Go module: go mod init, or another --out", "%v", err)
	}
	importPath, err := module.ImportPath(c.Out)
	if err != nil {
		return wrongUse("", "%v", err)
	}
	tree, list := gen.CompileSchemas(gen.Schemas{
		Package: c.Package, ImportPath: importPath, Support: c.Support, FormatAssertion: c.AssertFormats, Dependencies: c.Dependencies, Files: c.Schemas,
	})
	if err := diag.Write(a.stdout, c.Format, list); err != nil {
		return err
	}
	if tree == nil {
		a.sayf("vcp: nothing was written")
		return findings
	}
	changes, err := tree.Compare(c.Out)
	if err != nil {
		return wrongUse("", "%v", err)
	}
	if c.Check {
		for _, change := range changes {
			a.sayf("vcp: %s is %s", filepath.ToSlash(filepath.Join(c.Out, change.Path)), change.State)
		}
		if len(changes) > 0 {
			return findings
		}
	} else if err := tree.Write(c.Out); err != nil {
		if _, foreign := errors.AsType[*gen.ForeignError](err); foreign {
			return wrongUse("move it away, or give the package a folder of its own with --out", "%v", err)
		}
		return wrongUse("", "%v", err)
	}
	a.sayf("vcp: package %s: %s, %d changed, added or removed", importPath, count(len(tree.Files), "file"), len(changes))
	return nil
}
