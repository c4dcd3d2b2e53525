package ecma

import (
	"bytes"
	"sync"
	"unicode/utf8"
)

// The memory of a backtracking match. Beyond it the match is undecided, as beyond the budget.
const (
	maxChoices = 1 << 20 // 24 MiB
	maxTrail   = 1 << 22 // 64 MiB
)

// backtracker matches any pattern by trying one way after the other, as ECMA-262 §22.2.2 describes
// matching. It keeps everything that a back-reference can see: which alternative comes first, greedy
// and lazy loops, groups forgotten at each round of a loop, look-arounds that are not re-entered.
//
// Nothing recurses. Where several ways are open, the untried one is pushed on choices; what a try
// changes in slots is logged on trail, and undone when the try fails. A look-around pushes a frame;
// when its body matches, the choices inside it are dropped together with the frame, and when the
// body fails, the frame is what is left on top.
//
// The cost can be exponential, as with every such matcher; the budget ends it.
type backtracker struct {
	insts    []trial
	start    uint32
	groups   int
	slots    int // two for each group, then two for each loop: rounds begun, position at the last
	anchored bool
	pool     sync.Pool // *attempt
}

// trialOp is what an instruction of a backtracker does.
type trialOp uint8

const (
	trialSet     trialOp = iota // consume a code point of set
	trialSplit                  // try next, then other
	trialStart                  // assertions
	trialEnd                    //
	trialBorder                 // \b, with negate \B
	trialSave                   // slot = position
	trialBackref                // consume what the group at slot matched
	trialEnter                  // first arrival at a loop: no rounds yet
	trialLoop                   // begin another round at other, or leave to next
	trialBegin                  // the start of a round
	trialRound                  // the end of a round
	trialLook                   // look-around: body at other, then next
	trialLooked                 // the body of a look-around has matched
	trialAccept
)

type trial struct {
	op       trialOp
	backward bool // trialSet, trialBackref: inside a look-behind
	negate   bool
	lazy     bool
	set      *set
	next     uint32
	other    uint32
	slot     int
	min, max int // trialLoop, trialRound
	from, to int // trialBegin: slots of the groups inside
}

func newBacktracker(t *tree) *backtracker {
	b := &backtracker{groups: t.groups, slots: 2 * (t.groups + 1), anchored: startsAtStart(t.root)}
	accept := b.add(trial{op: trialAccept})
	b.start = b.emit(t.root, accept, false)
	return b
}

func (b *backtracker) add(i trial) uint32 {
	b.insts = append(b.insts, i)
	return uint32(len(b.insts) - 1)
}

// emit appends the instructions of n and returns the first; next is where they lead. Loops are not
// unrolled, so the program is as long as the pattern.
func (b *backtracker) emit(n *node, next uint32, backward bool) uint32 {
	switch n.op {
	case opSet:
		return b.add(trial{op: trialSet, set: n.set, backward: backward, next: next})
	case opStart:
		return b.add(trial{op: trialStart, next: next})
	case opEnd:
		return b.add(trial{op: trialEnd, next: next})
	case opBoundary, opNotBoundary:
		return b.add(trial{op: trialBorder, negate: n.op == opNotBoundary, next: next})
	case opSeq:
		for i := range n.subs {
			if !backward {
				i = len(n.subs) - 1 - i
			}
			next = b.emit(n.subs[i], next, backward)
		}
	case opAlt:
		first := b.emit(n.subs[len(n.subs)-1], next, backward)
		for i := len(n.subs) - 2; i >= 0; i-- {
			first = b.add(trial{op: trialSplit, next: b.emit(n.subs[i], next, backward), other: first})
		}
		return first
	case opCapture:
		// Going backward, the end of the group comes first.
		open, shut := 2*n.index, 2*n.index+1
		if backward {
			open, shut = shut, open
		}
		next = b.add(trial{op: trialSave, slot: shut, next: next})
		next = b.emit(n.subs[0], next, backward)
		return b.add(trial{op: trialSave, slot: open, next: next})
	case opBackref:
		return b.add(trial{op: trialBackref, slot: 2 * n.index, backward: backward, next: next})
	case opLook:
		done := b.add(trial{op: trialLooked, negate: n.negate, next: next})
		body := b.emit(n.subs[0], done, n.behind)
		return b.add(trial{op: trialLook, negate: n.negate, next: next, other: body})
	case opRepeat:
		return b.emitRepeat(n, next, backward)
	case opEmpty:
	}
	return next
}

func (b *backtracker) emitRepeat(n *node, next uint32, backward bool) uint32 {
	most := n.max
	if most < 0 {
		most = unbounded
	}
	slot := b.slots
	b.slots += 2
	loop := b.add(trial{op: trialLoop, lazy: n.lazy, next: next, slot: slot, min: n.min, max: most})
	round := b.add(trial{op: trialRound, next: loop, slot: slot, min: n.min})
	body := b.emit(n.subs[0], round, backward)
	b.insts[loop].other = b.add(trial{
		op: trialBegin, next: body, slot: slot, from: 2 * (n.from + 1), to: 2 * (n.to + 1),
	})
	return b.add(trial{op: trialEnter, next: loop, slot: slot})
}

// attempt is the state of one match.
type attempt struct {
	s       []byte
	left    int // steps left of the budget; negative: it ran out
	slots   []int
	choices []choice
	trail   []change
	frame   int // index in choices of the innermost look-around's frame, or -1
}

// choice is an untried way, or the frame of a look-around.
type choice struct {
	pc, trail uint32
	pos       int
	outer     int32 // frame: the frame around it
	frame     bool
	negate    bool // frame: of a negative look-around
}

// change logs a slot's value from before.
type change struct{ slot, was int }

// match reports whether a match is somewhere in s, and in how many steps.
func (b *backtracker) match(s []byte) (matched, decided bool, steps int) {
	a, _ := b.pool.Get().(*attempt)
	if a == nil {
		a = &attempt{slots: make([]int, b.slots)}
	}
	defer b.pool.Put(a)
	budget := backtrackingBudget(len(s))
	a.s, a.left = s, budget
	defer func() { a.s = nil }()
	for pos := 0; pos <= len(s); {
		matched = a.run(b, pos)
		if matched || a.left < 0 {
			return matched, matched, budget - max(a.left, 0)
		}
		if b.anchored {
			break
		}
		_, width := utf8.DecodeRune(s[pos:])
		pos += max(width, 1)
	}
	return false, true, budget - a.left
}

// run reports whether a match starts at pos.
func (a *attempt) run(b *backtracker, pos int) bool {
	for i := range a.slots {
		a.slots[i] = -1
	}
	a.choices, a.trail, a.frame = a.choices[:0], a.trail[:0], -1
	a.left -= len(a.slots) / 8
	pc := b.start
	for {
		if a.left--; a.left < 0 || len(a.choices) > maxChoices || len(a.trail) > maxTrail {
			a.left = -1
			return false
		}
		i := &b.insts[pc]
		pc = i.next
		ok := true
		switch i.op {
		case trialAccept:
			return true
		case trialSet:
			pos, ok = a.consume(i, pos)
		case trialSplit:
			a.push(i.other, pos)
		case trialStart:
			ok = pos == 0
		case trialEnd:
			ok = pos == len(a.s)
		case trialBorder:
			ok = atBoundary(a.s, pos) != i.negate
		case trialSave:
			a.set(i.slot, pos)
		case trialBackref:
			pos, ok = a.repeat(i, pos)
		case trialEnter:
			a.set(i.slot, 0)
		case trialLoop:
			pc = a.loop(i, pos)
		case trialBegin:
			a.begin(i, pos)
		case trialRound:
			// A round beyond the required ones must consume something.
			ok = a.slots[i.slot] <= i.min || a.slots[i.slot+1] != pos
		case trialLook:
			a.choices = append(a.choices, choice{
				pc: i.next, pos: pos, trail: uint32(len(a.trail)),
				frame: true, outer: int32(a.frame), negate: i.negate,
			})
			a.frame = len(a.choices) - 1
			pc = i.other
		case trialLooked:
			f := a.choices[a.frame]
			a.choices = a.choices[:a.frame]
			a.frame = int(f.outer)
			if pos, ok = f.pos, !i.negate; i.negate {
				a.undo(f.trail)
			}
		}
		if !ok {
			if pc, pos, ok = a.retreat(); !ok {
				return false
			}
		}
	}
}

// retreat goes back to the last untried way.
func (a *attempt) retreat() (pc uint32, pos int, ok bool) {
	for len(a.choices) > 0 {
		c := a.choices[len(a.choices)-1]
		a.choices = a.choices[:len(a.choices)-1]
		a.undo(c.trail)
		if !c.frame {
			return c.pc, c.pos, true
		}
		// The body of a look-around has failed: a negative one holds.
		a.frame = int(c.outer)
		if c.negate {
			return c.pc, c.pos, true
		}
	}
	return 0, 0, false
}

func (a *attempt) push(pc uint32, pos int) {
	a.choices = append(a.choices, choice{pc: pc, pos: pos, trail: uint32(len(a.trail))})
}

// set changes a slot. Without choices there is nothing to go back to, and nothing to log.
func (a *attempt) set(slot, value int) {
	if len(a.choices) > 0 {
		a.trail = append(a.trail, change{slot, a.slots[slot]})
	}
	a.slots[slot] = value
}

func (a *attempt) undo(to uint32) {
	for len(a.trail) > int(to) {
		c := a.trail[len(a.trail)-1]
		a.trail = a.trail[:len(a.trail)-1]
		a.slots[c.slot] = c.was
	}
}

// loop decides between another round and leaving (RepeatMatcher of ECMA-262 §22.2.2.3.1).
func (a *attempt) loop(i *trial, pos int) (pc uint32) {
	switch rounds := a.slots[i.slot]; {
	case rounds < i.min:
		return i.other
	case rounds >= i.max:
		return i.next
	case i.lazy:
		a.push(i.other, pos)
		return i.next
	}
	a.push(i.next, pos)
	return i.other
}

// begin starts a round: what the groups inside matched in the last one is forgotten.
func (a *attempt) begin(i *trial, pos int) {
	a.set(i.slot, a.slots[i.slot]+1)
	a.set(i.slot+1, pos)
	a.left -= (i.to - i.from) / 8
	for slot := i.from; slot < i.to; slot++ {
		if a.slots[slot] >= 0 {
			a.set(slot, -1)
		}
	}
}

// consume takes the code point after, or going backward before, pos.
func (a *attempt) consume(i *trial, pos int) (int, bool) {
	if i.backward {
		if pos == 0 {
			return pos, false
		}
		r, width := utf8.DecodeLastRune(a.s[:pos])
		return pos - width, i.set.has(r)
	}
	if pos == len(a.s) {
		return pos, false
	}
	r, width := utf8.DecodeRune(a.s[pos:])
	return pos + width, i.set.has(r)
}

// repeat takes what a group matched. A group that matched nothing yet is the empty string.
func (a *attempt) repeat(i *trial, pos int) (int, bool) {
	from, to := a.slots[i.slot], a.slots[i.slot+1]
	if from < 0 || to < 0 {
		return pos, true
	}
	a.left -= (to - from) / 256
	if i.backward {
		return pos - (to - from), bytes.HasSuffix(a.s[:pos], a.s[from:to])
	}
	return pos + (to - from), bytes.HasPrefix(a.s[pos:], a.s[from:to])
}
