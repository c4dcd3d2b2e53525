package compiled

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/ours"
	"vcp.core/fuzz/suite"
	"vcp.core/gen/diag"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/ir"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// NewEngine generates code for every group of the files, builds it once, asks it about every document, and returns an
// engine that repeats the answers. A group that the compiler refuses, and all groups when the program does not build,
// are refused by the engine too. progress is called before each of the three steps with what it is about to do; nil is
// allowed. Packages are whole: that their types, readers and encoders build is part of the answer. The error is about the machine: there is no go command, no room for temporary files, or ctx has ended.
func NewEngine(ctx context.Context, d suite.Dialect, files []suite.File, remotes suite.Remotes, opts ours.Options, progress func(step string)) (suite.Engine, error) {
	if progress == nil {
		progress = func(string) {}
	}
	g := &generation{opts: opts, dialect: d, groups: map[string]*group{}, packages: map[string][]golang.File{}, roots: map[string][]string{}}
	total, cases := 0, 0
	for _, f := range files {
		total += len(f.Groups)
		cases += suite.Count([]suite.File{f})
	}
	progress(fmt.Sprintf("generating code for %d schemas", total))
	g.lost = g.register(remotes)
	for _, f := range files {
		for _, one := range f.Groups {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			g.add(one)
		}
	}
	if len(g.packages) > 0 {
		dir, err := os.MkdirTemp("", "vcp-suite-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
		progress(fmt.Sprintf("building %d packages", len(g.packages)))
		if err := g.run(ctx, dir, func() { progress(fmt.Sprintf("judging %d documents", cases)) }); err != nil {
			return nil, err
		}
	}
	return g.engine, nil
}

// generation is what becomes of the groups of a suite.
type generation struct {
	opts     ours.Options
	dialect  suite.Dialect
	registry *resolve.Registry
	lost     error // what is wrong with the remote documents: every group is refused then

	groups   map[string]*group // by the text of the schema
	order    []*group
	packages map[string][]golang.File
	roots    map[string][]string
}

// group is one schema: either refused, or a package whose answers stand by document.
type group struct {
	pkg       string
	refused   error
	documents []string
	answers   map[string]Answer
	early     error // why there are no answers to some documents
}

func (g *generation) register(remotes suite.Remotes) error {
	var docs []resolve.Document
	for _, uri := range slices.Sorted(maps.Keys(remotes)) {
		file, list := load.Parse(uri, remotes[uri], wire.Limits{})
		if list.HasErrors() {
			return fmt.Errorf("remote document %s: %w", uri, &ours.RefusedError{List: list})
		}
		docs = append(docs, resolve.Document{URI: uri, File: file, Dialect: ours.Dialect(suite.Home(uri, g.dialect))})
	}
	var list diag.List
	if g.registry, list = resolve.NewRegistry(docs...); list.HasErrors() {
		return fmt.Errorf("remote documents: %w", &ours.RefusedError{List: list})
	}
	return nil
}

// rootName is the name of the one root of every package.
const rootName = "Group"

func (g *generation) add(one suite.Group) {
	known := g.groups[string(one.Schema)]
	if known == nil {
		known = &group{pkg: fmt.Sprintf("g%d", len(g.order)), answers: map[string]Answer{}}
		g.groups[string(one.Schema)] = known
		g.order = append(g.order, known)
		files, list := g.emit(known.pkg, one.Schema)
		switch {
		case g.lost != nil:
			known.refused = g.lost
		case list.HasErrors():
			known.refused = &ours.RefusedError{List: list}
		default:
			g.packages[known.pkg] = files
			g.roots[known.pkg] = []string{rootName}
		}
	}
	for _, c := range one.Cases {
		if known.refused == nil {
			known.documents = append(known.documents, string(c.Data))
		}
	}
}

func (g *generation) emit(pkg string, schema []byte) ([]golang.File, diag.List) {
	file, list := load.Parse(pkg+".json", schema, wire.Limits{})
	if list.HasErrors() {
		return nil, list
	}
	root, list := resolve.Resolve(file, nil, resolve.Options{Registry: g.registry, Dialect: ours.Dialect(g.dialect), Dependencies: g.opts.Dependencies})
	if list.HasErrors() {
		return nil, list
	}
	program, list := ir.Lower([]*resolve.Schema{root}, ir.Options{FormatAssertion: g.opts.FormatAssertion})
	if list.HasErrors() {
		return nil, list
	}
	return golang.Emit(golang.Package{
		Name: pkg, ImportPath: ImportPath(pkg), Program: program, FormatAssertion: g.opts.FormatAssertion,
		Roots:   []golang.Root{{Name: rootName, Schema: program.Roots[0]}},
		Sources: []golang.Source{{Name: pkg + ".json", Bytes: schema}},
	})
}

// run builds the packages and gathers the answers. What is wrong with the program is a finding about every group that
// misses answers; the error is about the machine.
func (g *generation) run(ctx context.Context, dir string, built func()) error {
	if err := Write(dir, g.packages, Main(g.roots, "")); err != nil {
		return err
	}
	program, err := Build(ctx, dir)
	if err := ctx.Err(); err != nil {
		return err
	}
	if broken := new(BuildError); errors.As(err, &broken) {
		for _, one := range g.order {
			if one.refused == nil {
				one.refused = broken
			}
		}
		return nil
	}
	if err != nil {
		return err
	}
	built()
	var questions []Question
	var asked []*group
	for _, one := range g.order {
		for _, document := range one.documents {
			questions = append(questions, Question{Judge: one.pkg + "." + rootName, Document: []byte(document)})
			asked = append(asked, one)
		}
	}
	answers, early := Ask(ctx, program, questions)
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, a := range answers {
		asked[i].answers[string(questions[i].Document)] = a
	}
	for i := len(answers); i < len(asked); i++ {
		asked[i].early = early
	}
	return nil
}

// engine repeats what the program said.
func (g *generation) engine(_ suite.Dialect, schema []byte, _ suite.Remotes) (suite.Judge, error) {
	one := g.groups[string(schema)]
	if one == nil {
		return nil, errors.New("no code was generated for this schema")
	}
	if one.refused != nil {
		return nil, one.refused
	}
	return func(document []byte) (bool, error) {
		a, known := one.answers[string(document)]
		switch {
		case !known && one.early != nil:
			return false, one.early
		case !known:
			return false, errors.New("the generated program was not asked about this document")
		case a.Panic != "":
			return false, errors.New("generated code panics: " + a.Panic)
		case a.Refused != "":
			return false, errors.New(a.Refused)
		case a.Verdict == int(wire.Undecided):
			return false, &ours.UndecidedError{}
		}
		return a.Verdict == int(wire.Valid), nil
	}, nil
}
