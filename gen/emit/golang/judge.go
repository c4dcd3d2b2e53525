package golang

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// Judges. A generated judge is a function of type wire.JudgeFunc: it answers for one schema. This file
// decides which schemas get a function and what stands around it; tests.go writes what fits into an
// expression, object.go, array.go and logic.go write the rest.
//
// # What is emitted
//
// A schema that is tested by an expression (types, constants, bounds, patterns) is written where it is
// applied. Every other schema gets one function, named for the schema and with its place in a comment. A
// schema that nothing reaches gets nothing.
//
// # What may be left out
//
// Verdicts are exactly those of gen/live, so whatever live computes is computed here, unless it can be
// shown at emission that it cannot matter:
//
//   - A part that cannot be undecided ([judging.mayDoubt]) needs no Kleene logic: a union of such parts is
//     || and a negation is !.
//   - Arms of a union that admit no common kind of value exclude each other: the kind selects the arm.
//   - Budgets are asked only where work can multiply: in judges that may come back to themselves, in
//     those that remember, and before many rules for one value.
type judging struct {
	*emitter
	prog  *ir.Program
	funcs map[int]string // names by schema ID
	queue []*ir.Schema   // functions that are promised and not written
	units int            // judges that remember

	ruleList  []wire.Rule
	ruleIndex map[wire.Rule]int

	variables map[string]string // names of package-level variables by what they hold
	held      []variable

	facts   facts
	inlined []tri // by ID, see isInline

	users      []int // by ID, see countUsers
	extents    map[reachKey]extent
	reaches    map[reachKey]*reach
	noters     map[reachKey]*noter
	noterOrder []reachKey // in which they were promised
	noted      int        // how many of them have their code

	functions, measureAt, measuredAs int // see measure

	trying bool // code is made to be measured: nothing that it names is promised
}

// variable is a package-level variable that judges use.
type variable struct {
	name  string
	value jen.Code
	about string
}

func newJudging(e *emitter) *judging {
	g := &judging{
		emitter: e, prog: seen(e.pkg.Program), funcs: map[int]string{}, variables: map[string]string{},
		ruleList: make([]wire.Rule, 1), ruleIndex: map[wire.Rule]int{},
		measureAt: measureFirst,
		extents:   map[reachKey]extent{}, reaches: map[reachKey]*reach{}, noters: map[reachKey]*noter{},
	}
	if g.prog != nil {
		g.facts = newFacts(g.prog)
		g.inlined = make([]tri, len(g.prog.Schemas))
		g.users = countUsers(g.prog)
		g.doubtWalks()
	}
	return g
}

// judge returns the name of the function that judges for s, and sees to it that it is written.
func (e *emitter) judge(s *ir.Schema) string {
	g := e.judging
	s = g.prog.Schemas[s.ID].Target()
	name, ok := g.funcs[s.ID]
	switch {
	case !ok && g.trying:
		return "judge" + e.nameOf(s)
	case !ok:
		name = "judge" + e.nameOf(s)
		g.funcs[s.ID] = name
		g.queue = append(g.queue, s)
	}
	return name
}

// rootFunctions writes what a root exports.
func (e *emitter) rootFunctions(r Root) {
	judge := e.judge(r.Schema)
	e.file(judgeFile).Add(e.code(fmt.Sprintf(`
// Judge%[1]s and Validate%[1]s judge by %[2]s: nil, a *wire.Rejection, for bytes also a *wire.Error.
%[3]s`, r.Name, e.at(r.Schema), functions(
		function{"func Judge" + r.Name + "(t *wire.Tape) error", "return wire.JudgeTape(t, " + judge + ", &rules)"},
		function{"func Validate" + r.Name + "(src []byte) error", "return wire.JudgeBytes(src, wire.Limits{}, " + judge + ", &rules)"},
	))))
}

// finish writes the promised functions, and what they use.
func (g *judging) finish() {
	for len(g.queue) > 0 || g.noted < len(g.noterOrder) {
		for len(g.queue) > 0 {
			s := g.queue[0]
			g.queue = g.queue[1:]
			g.function(s)
			if g.measure(); g.isFull() {
				return
			}
		}
		for ; g.noted < len(g.noterOrder); g.noted++ {
			key := g.noterOrder[g.noted]
			n := g.noters[key]
			n.code = g.noting(g.reachOf(n.schema, key.kind), "ev")
		}
	}
	g.writeNoters()
	f := g.file(judgeFile)
	for _, v := range g.held {
		f.Comment(v.about)
		f.Var().Add(v.value)
		f.Line()
	}
}

// function writes the judge of one schema.
func (g *judging) function(s *ir.Schema) {
	name := g.funcs[s.ID]
	f := g.file(judgeFile)
	declare := func(name string, code ...jen.Code) {
		f.Add(joined(jen.Op("func "+name+"(j *"), g.q("Judge"), jen.Op(", n int) bool "), jen.Block(code...)))
		f.Line()
	}
	body := newBody(g, s)
	if len(newBody(g, s).noted()) > 0 {
		// Which places of members are worth a variable shows when everything else is written.
		g.trying = true
		measured := newBody(g, s)
		measured.schema()
		g.trying = false
		body.measured = measured.used
	}
	body.schema()
	switch {
	case s.Shared && s.HasParts() && g.units < wire.MemoUnits:
		g.units++
		rules := g.taken.take("rulesOf" + g.nameOf(s))
		f.Commentf("%s judges %s. Several rules may lead here with one value, so verdicts are remembered.", name, g.at(s))
		declare(name,
			jen.Id("known").Op(":=").Op(fmt.Sprintf("j.Recall(n, %d, %d)", g.units, g.anyRule(s))),
			jen.If(jen.Op("known.Known")).Block(jen.Return(jen.Op("known.OK"))),
			jen.Return(jen.Op(fmt.Sprintf("j.Remember(known, %s(j, n))", rules))),
		)
		declare(rules, body.code...)
	case g.facts.guarded[s.ID]:
		rules := g.taken.take("rulesOf" + g.nameOf(s))
		f.Commentf("%s judges %s, which may lead back to itself.", name, g.at(s))
		declare(name,
			jen.If(jen.Op(fmt.Sprintf("!j.Enter(n, %d)", g.anyRule(s)))).Block(jen.Return(jen.True())),
			jen.Return(jen.Op(fmt.Sprintf("j.Leave(%s(j, n))", rules))),
		)
		declare(rules, body.code...)
	default:
		f.Commentf("%s judges %s.", name, g.at(s))
		declare(name, body.code...)
	}
}

// rule returns the number of a keyword of s, by its name in draft 2020-12. A keyword that the schema
// does not spell (minContains) is reported as the one that it belongs to.
func (g *judging) rule(s *ir.Schema, name, otherwise string) int {
	for _, want := range []string{name, otherwise} {
		for _, k := range s.Keywords {
			if k.Name == want {
				return g.number(wire.Rule{
					File:    s.Origin.Pos.File,
					Pointer: string(wire.AppendPointer([]byte(s.Origin.Pointer), k.Source)),
					Keyword: want,
				})
			}
		}
	}
	return g.number(wire.Rule{File: s.Origin.Pos.File, Pointer: s.Origin.Pointer, Keyword: name})
}

// anyRule returns the number of the rule that is the schema as a whole.
func (g *judging) anyRule(s *ir.Schema) int {
	return g.number(wire.Rule{File: s.Origin.Pos.File, Pointer: s.Origin.Pointer})
}

func (g *judging) number(r wire.Rule) int {
	n, ok := g.ruleIndex[r]
	switch {
	case !ok && g.trying:
		return len(g.ruleList)
	case !ok:
		n = len(g.ruleList)
		g.ruleIndex[r] = n
		g.ruleList = append(g.ruleList, r)
	}
	return n
}

// hold returns the name of the variable that holds a value. The first user of the value names it. write
// makes the declaration, given the name.
func (g *judging) hold(key, want, about string, write func(name string) jen.Code) string {
	if v, ok := g.variables[key]; ok {
		return v
	}
	if g.trying {
		return want
	}
	v := g.taken.take(want)
	g.variables[key] = v
	g.held = append(g.held, variable{v, write(v), v + " " + about})
	return v
}

// pattern returns the address of a pattern.
func (g *judging) pattern(source, name string) string {
	return "&" + g.hold("pattern "+source, "pattern"+name, "is a pattern of a schema.", func(v string) jen.Code {
		return g.code(v + " = wire.Pattern{Source: " + literal(source) + "}")
	})
}

// constants returns the address of a list of constants.
func (g *judging) constants(values []ir.Value, name string) string {
	texts := make([]string, len(values))
	key := []string{"constants"}
	for i, v := range values {
		texts[i] = literal(string(v.Raw))
		key = append(key, string(v.Raw))
	}
	return "&" + g.hold(strings.Join(key, " "), "constants"+name, "are values of an enum, or of a choice between schemas.", func(v string) jen.Code {
		return g.code(v + " = wire.Constants{Values: []string{" + strings.Join(texts, ", ") + "}}")
	})
}

// format returns the check of a format.
func (g *judging) format(f *ir.Format) string {
	return g.hold("format "+f.Name, "format"+exported(f.Name), "checks a format.", func(v string) jen.Code {
		return joined(jen.Op(v+", _ = "), jen.Qual(g.pkg.support()+"/contract/wire/format", "Lookup"), jen.Op("("+strconv.Quote(f.Name)+")"))
	})
}

// rules writes rules_gen.go.
func (e *emitter) rules() {
	var lines strings.Builder
	lines.WriteString("\n")
	for i, r := range e.judging.ruleList[1:] {
		lines.WriteString(wire.RuleLine(i+1, r))
	}
	f := e.file(rulesFile)
	f.Comment("rules tells where in the schemas the rule stands whose number a judge reports: number, file, JSON")
	f.Comment("Pointer, keyword.")
	f.Var().Id("rules").Op("=").Add(e.q("Rules")).Values(jen.Id("Text").Op(":").Op("`" + lines.String() + "`"))
}

// kindsOf translates a set of types into kinds.
func kindsOf(t ir.TypeSet) wire.Kinds {
	var kinds wire.Kinds
	for _, k := range kindWords {
		if t&k.types != 0 {
			kinds |= k.kinds
		}
	}
	return kinds
}

var kindWords = []struct {
	types ir.TypeSet
	kinds wire.Kinds
	word  string
	kind  string // the constant of wire.Kind; boolean has none
}{
	{ir.TypeObject, wire.AnObject, "wire.AnObject", "KindObject"},
	{ir.TypeArray, wire.AnArray, "wire.AnArray", "KindArray"},
	{ir.TypeString, wire.AString, "wire.AString", "KindString"},
	{ir.TypeInteger | ir.TypeNumber, wire.ANumber, "wire.ANumber", "KindNumber"},
	{ir.TypeBoolean, wire.ABoolean, "wire.ABoolean", ""},
	{0, wire.ATrue, "wire.ATrue", "KindTrue"},
	{0, wire.AFalse, "wire.AFalse", "KindFalse"},
	{ir.TypeNull, wire.ANull, "wire.ANull", "KindNull"},
}

const anyKind = wire.AnObject | wire.AnArray | wire.AString | wire.ANumber | wire.ABoolean | wire.ANull

// kindCode spells a set of kinds.
func kindCode(kinds wire.Kinds) string {
	var list []string
	for _, k := range kindWords {
		if kinds&k.kinds == k.kinds {
			list = append(list, k.word)
			kinds &^= k.kinds
		}
	}
	if len(list) == 0 {
		return "0"
	}
	return strings.Join(list, "|")
}

// kindOf returns the set of the one kind of a constant.
func kindOf(v *ir.Value) wire.Kinds { return 1 << v.Kind }

func kindsOfValues(values []ir.Value) wire.Kinds {
	var kinds wire.Kinds
	for i := range values {
		kinds |= kindOf(&values[i])
	}
	return kinds
}
