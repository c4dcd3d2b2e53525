// Package live judges documents at run time: it turns an [ir.Program] into closures over a
// [wire.Tape], and it is the one maker of full violation lists.
//
// Data flow: ir.Program -> [Compile] -> [Set] -> [Validator], which implements [call.Validator]. A
// [Validator.Verdict] is one walk that stops at the first proof; [Validator.Violations] is a second
// walk, slower and thorough, that happens only when the verdict was not Valid. Decide first, explain
// second.
//
// The package never reads bytes for structure (the tape has it), never decodes a document into Go
// values, never applies defaults, never follows a reference (resolve did) and never decides by time.
//
// # Three verdicts
//
// Work that cannot be bounded by the size of the document is bounded by a budget, and a rule whose
// budget ran out is Undecided. Verdicts combine by Kleene's logic (see [wire.Verdict]), sharpened where
// both outcomes of the unknown part lead to the same result: an undecided `if` does not matter when
// both branches are valid, an undecided arm of oneOf does not matter when two others are valid. The
// outcome is that of the rules, never of the order in which they were tried.
//
// # Cost
//
// A verdict costs at most a constant times nodes × schemas that apply to one value, whatever the schema
// and the document (see ir.Schema.Shared for the reason), and in steady state it allocates nothing: all
// scratch lives in a pooled [run]. Two budgets stand behind that law, so that a hostile pair of schema
// and document ends too: [Options.Steps] and a bound on recursion. Both yield Undecided.
package live

import (
	"sync"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// Options bound the work of a verdict. A zero field means the default.
type Options struct {
	// Members is the largest array that uniqueItems compares, in elements. A larger one is Undecided,
	// LIMIT_MEMBERS. Default 65,536.
	Members int
	// Steps is how many times a verdict may judge some value against some schema. Beyond, what is left
	// is Undecided, LIMIT_NODES. Default 2^27, some seconds of work.
	Steps int
	// PatternSteps is how many steps (see ecma.Regexp.MatchSteps) all matches of a verdict may take
	// together. Beyond, patterns are Undecided, LIMIT_PATTERN. Default 2^27, some seconds of work.
	PatternSteps int
	// Violations is how many violations a report lists; one more then says that there are others.
	// Default 1,000.
	Violations int
}

func (o Options) filled() Options {
	if o.Members <= 0 {
		o.Members = wire.DefaultLimits().Members
	}
	if o.Steps <= 0 {
		o.Steps = 1 << 27
	}
	if o.PatternSteps <= 0 {
		o.PatternSteps = 1 << 27
	}
	if o.Violations <= 0 {
		o.Violations = 1000
	}
	return o
}

// Set is a compiled program. It is immutable and safe for concurrent use.
type Set struct {
	prog  *ir.Program
	opts  Options
	units []*unit // by schema ID; schemas that are only a reference have the unit of their target
	parts []parts // by schema ID
	pool  sync.Pool
	tapes sync.Pool
}

// parts are compiled rules of one schema that a walk that explains asks again, nil where absent.
type parts struct {
	constant, enum *wire.Constants
	object         *object
	anyBy, oneBy   *dispatcher
}

// Compile compiles a program with the default [Options].
func Compile(p *ir.Program) *Set { return CompileWith(p, Options{}) }

// CompileWith compiles a program. It cannot fail: what a program may say was settled by ir.Lower.
func CompileWith(p *ir.Program, opts Options) *Set {
	p = seen(p)
	s := &Set{prog: p, opts: opts.filled(), parts: make([]parts, len(p.Schemas))}
	s.pool.New = func() any { return new(run) }
	s.tapes.New = func() any { return new(wire.Tape) }
	newCompiler(s).compile()
	return s
}

// Root returns the validator of the program's root i.
func (s *Set) Root(i int) *Validator { return s.Validator(s.prog.Roots[i]) }

// Validator returns the validator of any schema of the program.
func (s *Set) Validator(schema *ir.Schema) *Validator {
	return &Validator{set: s, schema: s.prog.Schemas[schema.ID], unit: s.units[schema.ID]}
}

// Validator judges documents against one schema. It is immutable and safe for concurrent use.
type Validator struct {
	set    *Set
	schema *ir.Schema
	unit   *unit
}

var (
	_ call.Validator = (*Validator)(nil)
	_ call.NodeJudge = (*Validator)(nil)
)

// Verdict judges the document on the tape, which must hold one: an empty tape has no value and is
// Invalid. It allocates nothing in steady state.
func (v *Validator) Verdict(t *wire.Tape) wire.Verdict { return v.VerdictAt(t, t.Root()) }

// VerdictAt judges node n of the tape as Verdict judges a whole document: what stands around it does not count.
func (v *Validator) VerdictAt(t *wire.Tape, n int) wire.Verdict {
	if t.Len() == 0 {
		return wire.Invalid
	}
	r := v.set.begin(t)
	verdict := v.unit.judge(r, n)
	v.set.end(r)
	return verdict
}

// Check scans src and judges it. The error is the scanner's [*wire.Error], and then there is no
// verdict; violations are listed when the verdict is not Valid. A zero field of lim means its default.
func (v *Validator) Check(src []byte, lim wire.Limits) (wire.Verdict, []call.Violation, error) {
	t := v.set.tapes.Get().(*wire.Tape)
	defer func() {
		t.Reset()
		v.set.tapes.Put(t)
	}()
	if err := t.Scan(src, lim); err != nil {
		return wire.Invalid, nil, err
	}
	verdict := v.Verdict(t)
	if verdict == wire.Valid {
		return verdict, nil, nil
	}
	return verdict, v.Violations(t), nil
}

func (s *Set) begin(t *wire.Tape) *run {
	r := s.pool.Get().(*run)
	r.begin(t, &s.opts)
	return r
}

func (s *Set) end(r *run) {
	r.end()
	s.pool.Put(r)
}
