package live

import (
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/contract/wire/touch"
)

// run is the scratch of one walk over one tape. It is reused; nothing in it outlives the walk.
type run struct {
	t     *wire.Tape
	nodes []wire.Node // of t
	src   []byte      // of t
	opts  *Options

	// visits counts judgements: (unit, node) pairs, memo hits included. Beyond opts.Steps every unit
	// with subschemas answers Undecided.
	visits int
	steps  int // opts.Steps
	// matching counts the steps of patterns. Beyond opts.PatternSteps no pattern is tried any more.
	matching int
	depth    int // units with subschemas that are open
	limit    errcode.Reason

	// remember selects the units whose verdicts are kept, see unit.keep.
	remember keep
	memo     wire.Memo

	text  []byte   // a decoded string, until the next one
	bits  []uint64 // stack of sets too large for a word
	table []uint64 // uniqueItems
	marks []byte   // stack of what is evaluated, see gathering

	// gathered tells by schema ID the generation in which it was gathered last, plus how surely.
	gathered   []uint64
	generation uint64
}

// maxOpen bounds recursion. A document has 1,024 levels by default; in-place nesting (allOf in $ref in
// anyOf …) multiplies that. 2^17 open units need some 100 MB of stack, below Go's limit of 1 GB, beyond
// which a program dies.
const maxOpen = 1 << 17

// Scratch that a large document made grow is given back beyond these sizes.
const (
	keptText  = 1 << 16 // bytes
	keptBits  = 1 << 12 // words
	keptTable = 1 << 14 // words
	keptMarks = 1 << 16 // bytes
)

func (r *run) begin(t *wire.Tape, opts *Options) {
	r.t, r.nodes, r.src, r.opts = t, t.Nodes(), t.Source(), opts
	r.visits, r.matching, r.steps, r.depth, r.limit, r.remember = 0, 0, opts.Steps, 0, "", keepShared
	r.memo.Begin()
}

func (r *run) end() {
	touch.Bytes(r.visits)
	r.t, r.nodes, r.src = nil, nil, nil
	r.memo.End()
	if cap(r.text) > keptText {
		r.text = nil
	}
	if cap(r.bits) > keptBits {
		r.bits = nil
	}
	if cap(r.table) > keptTable {
		r.table = nil
	}
	if cap(r.marks) > keptMarks {
		r.marks = nil
	}
	r.bits, r.marks = r.bits[:0], r.marks[:0]
}

// string returns the decoded text of string n, valid until the next call.
func (r *run) string(n int) []byte {
	if node := &r.nodes[n]; node.Flags&wire.Escaped == 0 {
		touch.Bytes(int(node.End - node.Start - 2))
		return r.src[node.Start+1 : node.End-1]
	}
	r.text = r.t.AppendString(r.text[:0], n)
	return r.text
}

// exhausted reports whether the walk has reached a limit.
func (r *run) exhausted() bool {
	if r.limit == "" && r.visits > r.steps {
		r.limit = errcode.LimitNodes
	}
	return r.limit != ""
}

// matcher is a pattern's way to match: ecma.Regexp.MatchSteps.
type matcher func(text []byte) (matched, decided bool, steps int)

// match tells whether the text matches. A pattern has a budget for one string; a document may have a
// million strings, each of which takes nearly all of it, so the walk has one too.
func (r *run) match(m matcher, text []byte) wire.Verdict {
	if r.matching > r.opts.PatternSteps {
		r.limit = errcode.LimitPattern
		return wire.Undecided
	}
	matched, decided, steps := m(text)
	r.matching += steps
	switch {
	case !decided:
		return wire.Undecided
	case matched:
		return wire.Valid
	}
	return wire.Invalid
}
