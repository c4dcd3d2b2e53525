package ecma

import (
	"slices"
	"unicode/utf8"
)

// automaton matches ASCII subjects in one table look-up for each byte. It stands in front of RE2 for
// patterns whose deterministic automaton is small, which are most that the scan cannot take: names made of
// groups (`^[a-z]+(-[a-z]+)*$`), media types, alternatives. Package regexp takes some 20 ns for each byte of
// such a pattern.
//
// It is the subset construction (Rabin and Scott 1959) on the program of the simulation: a state is the set
// of instructions that a match could be at. Where `^` holds is known when a state is made; `$` holds only
// after the last byte, so each state says beside its transitions whether the subject may end there. As soon
// as a match is certain, or impossible, whatever follows, the walk ends.
//
// Bytes that every set of the pattern treats alike share a column of the table. A byte that is not ASCII
// ends the walk without an answer, and RE2 decides.
type automaton struct {
	class   [utf8.RuneSelf]uint8 // byte to column
	columns int
	next    []uint16 // state × columns + column to state × columns
	ends    []bool   // by state: a subject that ends here matches
}

// The first two states of every automaton; the start is the third.
const (
	dead     = iota // nothing can match any more
	matched         // something has matched
	starting        // before the first byte
)

// The bounds of an automaton. A pattern beyond them stays with RE2.
const (
	maxAutomatonInsts  = 1024
	maxAutomatonStates = 512
	maxAutomatonWork   = 300_000 // instructions looked at while it is made, some milliseconds
)

// newAutomaton returns the automaton of a tree, or nil if it has look-arounds, boundaries, back-references
// or too many states.
func newAutomaton(root *node) *automaton {
	if size(root) > maxAutomatonInsts {
		return nil
	}
	a := &assembler{index: map[*node]int{}}
	p := a.assemble(root, false)
	for i := range p.insts {
		if op := p.insts[i].op; op == instBoundary || op == instNotBoundary || op == instLook {
			return nil
		}
	}
	b := &subsets{program: p, states: map[string]uint16{}, seen: make([]int, len(p.insts))}
	b.classes()
	return b.build()
}

// subsets is an automaton being made.
type subsets struct {
	automaton
	program *program
	sample  []byte // one byte of each column
	states  map[string]uint16
	queue   [][]uint32 // of the states from starting on, the instructions in order

	seen  []int // by instruction, the last set that got it
	round int   // the number of the set being made
	work  int   // against maxAutomatonWork
}

// classes gives bytes that no set tells apart one column.
func (b *subsets) classes() {
	columns := map[string]uint8{}
	for c := range b.class {
		var key []byte
		for i := range b.program.insts {
			if s := b.program.insts[i].set; s != nil {
				bit := byte('0')
				if s.has(rune(c)) {
					bit = '1'
				}
				key = append(key, bit)
			}
		}
		column, known := columns[string(key)]
		if !known {
			column = uint8(len(columns))
			columns[string(key)] = column
			b.sample = append(b.sample, byte(c))
		}
		b.class[c] = column
	}
	b.columns = len(columns)
}

func (b *subsets) build() *automaton {
	b.ends = []bool{dead: false, matched: true}
	b.next = make([]uint16, 2*b.columns)
	for i := range b.columns {
		b.next[matched*b.columns+i] = matched
	}
	// The start is always a state of its own: only before the first byte does `^` hold. If it is a match
	// already, so is everything after it.
	b.round++
	if b.state(b.closure(nil, b.program.start, true, false), true) == matched {
		b.ends = append(b.ends, true)
		b.next = append(b.next, b.next[matched*b.columns:]...)
	}
	for at := 0; at < len(b.queue); at++ {
		for _, c := range b.sample {
			var then []uint32
			b.round++
			b.work += len(b.queue[at])
			if !b.program.anchored {
				then = b.closure(then, b.program.start, false, false)
			}
			for _, pc := range b.queue[at] {
				if i := &b.program.insts[pc]; i.op == instSet && i.set.has(rune(c)) {
					then = b.closure(then, i.next, false, false)
				}
			}
			s := b.state(then, false)
			if s < 0 || b.work > maxAutomatonWork {
				return nil
			}
			b.next = append(b.next, uint16(s))
		}
	}
	// A walk needs states only to find the next row.
	for i := range b.next {
		b.next[i] *= uint16(b.columns)
	}
	return &b.automaton
}

// state returns the state for a set of instructions, -1 when there are too many. A set that contains
// acceptance is the state matched, an empty one is dead. A new state is queued.
func (b *subsets) state(set []uint32, first bool) int {
	slices.Sort(set)
	key := make([]byte, 0, 2*len(set))
	for _, pc := range set {
		if b.program.insts[pc].op == instAccept {
			return matched
		}
		key = append(key, byte(pc), byte(pc>>8))
	}
	if !first {
		if len(set) == 0 {
			return dead
		}
		if s, known := b.states[string(key)]; known {
			return int(s)
		}
	}
	s := len(b.ends)
	if s == maxAutomatonStates {
		return -1
	}
	// Instructions that wait for the end lead on from there.
	ends := false
	var last []uint32
	b.round++
	for _, pc := range set {
		last = b.closure(last, pc, first, true)
	}
	for _, pc := range last {
		ends = ends || b.program.insts[pc].op == instAccept
	}
	b.ends = append(b.ends, ends)
	b.queue = append(b.queue, set)
	if !first {
		b.states[string(key)] = uint16(s)
	}
	return s
}

// closure adds to set what pc leads to without consuming anything, pc included, each once in a round.
func (b *subsets) closure(set []uint32, pc uint32, start, end bool) []uint32 {
	stack := []uint32{pc}
	for len(stack) > 0 {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		b.work++
		if b.seen[pc] == b.round {
			continue
		}
		b.seen[pc] = b.round
		set = append(set, pc)
		switch i := &b.program.insts[pc]; i.op {
		case instSplit:
			stack = append(stack, i.next, i.other)
		case instStart:
			if start {
				stack = append(stack, i.next)
			}
		case instEnd:
			if end {
				stack = append(stack, i.next)
			}
		}
	}
	return set
}

// run reports whether s matches; ok is false when s is not all ASCII, as far as it was looked at.
func run[S string | []byte](a *automaton, s S) (yes, ok bool) {
	row, decided := starting*a.columns, matched*a.columns
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			return false, false
		}
		if row = int(a.next[row+int(a.class[c])]); row <= decided {
			return row == decided, true
		}
	}
	return a.ends[row/a.columns], true
}
