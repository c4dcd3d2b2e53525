package wire

import (
	"strconv"
	"sync"

	"vcp.core/contract/errcode"
	"vcp.core/contract/wire/touch"
)

// Judge is the scratch of one judgement by generated code: the document's tape, what failed last, how
// many rules could not be decided, budgets, the memo. Generated judges are functions of type [JudgeFunc]
// that are written as lists of calls to its methods.
//
// # Three verdicts from functions that say yes or no
//
// A test, and every generated judge, returns false exactly when its value is Invalid. A rule that could
// not be decided returns true and leaves a doubt behind, so that a conjunction is && and stops at the
// first proof of failure: at its end, no failure and a doubt more than at its start is Undecided. What is
// no conjunction (unions, negations, conditions) takes its parts through a [Mark], which reads the verdict
// of a part off its answer and the doubts, and takes the doubts back. That is Kleene's logic, the one of
// gen/live.
//
// # The failure
//
// Whoever decides Invalid calls Fail with the node and the number of the rule. The last such call before
// a judge returns false is its reason: what failed before lies in an arm or a condition that something
// overruled.
//
// # Cost
//
// In steady state nothing is allocated. Two budgets end every judgement (see [JudgeFunc]).
type Judge struct {
	tape  *Tape
	nodes []Node // of the tape
	src   []byte // of the tape

	failed fault
	doubts int   // rules that could not be decided, not counting those that were overruled
	first  doubt // the first of them, while there are any

	steps, depth, members int  // budgets
	matching              int  // what is left for patterns
	limited               bool // a budget of the whole judgement ran out
	memo                  Memo
	text                  []byte   // a decoded string, until the next one
	table                 []uint64 // of uniqueItems

	marks      []byte   // stack of what is evaluated, see Evaluated
	noted      []uint64 // by schema: the walk that noted last what it evaluates, and how surely
	generation uint64   // of the last such walk

	own Tape // for documents that come as bytes
}

// fault is a rule and the value that it is about.
type fault struct{ node, rule int }

// doubt is a rule that could not be decided, and the budget that ran out.
type doubt struct {
	fault
	reason errcode.Reason
}

// JudgeFunc is a generated judge: it judges node n of j's tape against one schema. It returns false
// when the value is Invalid.
//
// Its cost is at most a constant times the nodes below n times the schemas that apply to one value. For
// hostile pairs of schema and document two budgets stand behind that, and both make what is left
// Undecided: 2^27 judgements (LIMIT_NODES), and 2^17 judges inside each other (LIMIT_DEPTH). All patterns
// together may take 2^27 steps of package ecma; after that each is Undecided (LIMIT_PATTERN).
type JudgeFunc func(j *Judge, n int) bool

const (
	maxSteps = 1 << 27
	maxOpen  = 1 << 17
)

// Scratch that a large document made grow is given back beyond these sizes.
const (
	keptJudgeText  = 1 << 16 // bytes
	keptJudgeTable = 1 << 14 // words
	keptJudgeMarks = 1 << 16 // bytes
	keptJudgeNoted = 1 << 14 // words
)

var judges = sync.Pool{New: func() any { return new(Judge) }}

// nothing stands in for the nodes of an empty tape.
var nothing = []Node{{}}

func beginJudge(t *Tape) *Judge {
	j := judges.Get().(*Judge)
	j.begin(t)
	return j
}

func (j *Judge) begin(t *Tape) {
	j.tape, j.nodes, j.src = t, t.nodes, t.src
	if len(j.nodes) == 0 {
		j.nodes = nothing
	}
	j.failed, j.doubts = fault{}, 0
	j.steps, j.depth, j.members, j.matching, j.limited = maxSteps, 0, defaultMembers, maxSteps, false
	j.marks = j.marks[:0]
	j.memo.Begin()
}

var defaultMembers = DefaultLimits().Members

// release gives the scratch back.
func (j *Judge) release() {
	if j.tape == &j.own {
		j.own.Reset()
	}
	touch.Bytes(maxSteps - j.steps)
	j.tape, j.nodes, j.src = nil, nil, nil
	j.memo.End()
	if cap(j.text) > keptJudgeText {
		j.text = nil
	}
	if cap(j.table) > keptJudgeTable {
		j.table = nil
	}
	if cap(j.marks) > keptJudgeMarks {
		j.marks = nil
	}
	if cap(j.noted) > keptJudgeNoted {
		j.noted = nil
	}
	judges.Put(j)
}

// JudgeTape judges the document on t. It returns nil when the document is valid, else a [*Rejection];
// an empty tape has no document and is Invalid. rules is the table of the package that judge is from.
func JudgeTape(t *Tape, judge JudgeFunc, rules *Rules) error {
	j := beginJudge(t)
	defer j.release()
	return j.outcome(judge, rules)
}

// JudgeBytes scans src and judges it. The error is nil, an [*Error] of the scan, or a [*Rejection]. A
// zero field of lim means its default.
func JudgeBytes(src []byte, lim Limits, judge JudgeFunc, rules *Rules) error {
	j, err := scanJudge(src, lim)
	if err != nil {
		return err
	}
	defer j.release()
	return j.outcome(judge, rules)
}

// VerdictOf judges the document on t and says no more than the verdict. It allocates nothing in steady
// state, whatever the verdict.
func VerdictOf(t *Tape, judge JudgeFunc) Verdict { return VerdictAt(t, t.Root(), judge) }

// VerdictAt judges node n of t as VerdictOf judges a whole document: what stands around it does not count.
func VerdictAt(t *Tape, n int, judge JudgeFunc) Verdict {
	j := beginJudge(t)
	defer j.release()
	return j.verdict(n, judge)
}

func scanJudge(src []byte, lim Limits) (*Judge, error) {
	j := judges.Get().(*Judge)
	if err := j.own.Scan(src, lim); err != nil {
		j.own.Reset()
		judges.Put(j)
		return nil, err
	}
	j.begin(&j.own)
	return j, nil
}

func (j *Judge) verdict(n int, judge JudgeFunc) Verdict {
	if j.tape.Len() == 0 {
		return Invalid
	}
	switch ok := judge(j, n); {
	case !ok:
		return Invalid
	case j.doubts > 0:
		return Undecided
	}
	return Valid
}

func (j *Judge) outcome(judge JudgeFunc, rules *Rules) error {
	why := doubt{}
	switch j.verdict(j.tape.Root(), judge) {
	case Valid:
		return nil
	case Undecided:
		why = j.first
	default:
		why.fault = j.failed
	}
	return &Rejection{
		Offset: int(j.nodes[why.node].Start), Number: why.rule, Rule: rules.Rule(why.rule), Reason: why.reason,
	}
}

// Fail says that node n breaks the rule of that number. It returns false.
func (j *Judge) Fail(n, rule int) bool {
	j.failed = fault{n, rule}
	return false
}

// undecided says that the rule of that number cannot be decided about node n. It returns true.
func (j *Judge) undecided(n, rule int, reason errcode.Reason) bool {
	return j.leave(doubt{fault{n, rule}, reason})
}

// leave leaves a doubt. It returns true.
func (j *Judge) leave(d doubt) bool {
	if j.doubts == 0 {
		j.first = d
	}
	j.doubts++
	return true
}

// Rejection says that a document is not accepted, and which rule it met first: broke, or left undecided.
// It is one finding of perhaps many; the whole list is made by whoever has the schemas.
type Rejection struct {
	Offset int // of the value in the document, in bytes
	Number int // of the rule in the table of the generated package; 0 when there is no document at all
	Rule   Rule
	// Reason is empty when the document is Invalid. Otherwise it is Undecided, and Reason tells the budget
	// that ran out: LIMIT_PATTERN, LIMIT_NUMBER, LIMIT_MEMBERS, LIMIT_NODES, LIMIT_DEPTH.
	Reason errcode.Reason
}

// Verdict returns Invalid or Undecided.
func (r *Rejection) Verdict() Verdict {
	if r.Reason != "" {
		return Undecided
	}
	return Invalid
}

// Error returns "offset N: breaks FILE#POINTER", or "offset N: REASON: cannot decide FILE#POINTER".
func (r *Rejection) Error() string {
	s := "offset " + strconv.Itoa(r.Offset) + ": "
	if r.Reason != "" {
		s += string(r.Reason) + ": cannot decide "
	} else {
		s += "breaks "
	}
	return s + r.Rule.File + "#" + r.Rule.Pointer
}
