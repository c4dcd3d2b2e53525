package ecma

import (
	"sync"
	"unicode/utf8"
)

// maxSimulationSize bounds the instructions of a simulation, counted repetition unrolled.
const maxSimulationSize = 50_000

// simulation matches every pattern without back-references, look-arounds anywhere, in time linear
// in the subject.
//
// Without back-references, whether a look-around holds depends on the position alone: what it
// captures is seen by nobody. So each look-around is settled once for all positions, inner ones
// first, before the pattern itself runs, and leaves a bit for each position:
//
//	(?<=X) holds at p  <=>  some match of X ends at p.    X runs forward over the whole subject,
//	                        started anew at every position; p's bit says if X accepts there.
//	(?=X)  holds at p  <=>  some match of X starts at p.  X reversed runs backward, likewise.
//
// A program runs by keeping the set of all instructions that a match could be at (Thompson 1968). At
// each position every instruction enters the set at most once, so a run costs at most the program's
// size times the subject's length, and nested quantifiers gain nothing by being nested. A look-around
// is then an instruction that tests a bit, as `^` and `\b` test a position.
type simulation struct {
	main  *program
	looks []look
	pool  sync.Pool // *machine
}

// newSimulation returns the simulation of a tree without back-references, or nil if it is too large.
func newSimulation(root *node) *simulation {
	if size(root) > maxSimulationSize {
		return nil
	}
	a := &assembler{index: map[*node]int{}}
	main := a.assemble(root, false)
	return &simulation{main: main, looks: a.looks}
}

// match reports whether a match is somewhere in s, and in how many steps.
func (sim *simulation) match(s []byte) (matched, decided bool, steps int) {
	m, _ := sim.pool.Get().(*machine)
	if m == nil {
		m = &machine{bits: make([][]uint64, len(sim.looks))}
	}
	defer sim.pool.Put(m)
	budget := simulationBudget(len(s))
	m.s, m.left = s, budget
	defer func() { m.s = nil }()
	for i, l := range sim.looks {
		m.bits[i] = cleared(m.bits[i], len(s)/64+1)
		if l.program.backward {
			m.backward(l.program, m.bits[i])
		} else {
			m.forward(l.program, m.bits[i])
		}
		if m.left < 0 {
			return false, false, budget
		}
	}
	matched = m.forward(sim.main, nil)
	return matched, matched || m.left >= 0, budget - max(m.left, 0)
}

// machine is the state of one match.
type machine struct {
	s    []byte
	left int        // steps left of the budget; negative: it ran out
	bits [][]uint64 // for each look-around, the positions where it holds

	now, then states
	stack     []uint32
}

// states is a set of instructions: dense lists them, sparse says where in dense an instruction
// stands (Briggs and Torczon 1993). Clearing it costs nothing.
type states struct {
	dense   []uint32
	sparse  []uint32
	accepts bool
}

func (t *states) reset(size int) {
	if cap(t.sparse) < size {
		t.sparse = make([]uint32, size)
		t.dense = make([]uint32, 0, size)
	}
	t.sparse = t.sparse[:size]
	t.clear()
}

func (t *states) clear() { t.dense, t.accepts = t.dense[:0], false }

func (t *states) insert(pc uint32) bool {
	if i := t.sparse[pc]; int(i) < len(t.dense) && t.dense[i] == pc {
		return false
	}
	t.sparse[pc] = uint32(len(t.dense))
	t.dense = append(t.dense, pc)
	return true
}

// forward runs p from left to right, started at every position. With bits it marks the positions
// where p accepts; without, it stops at the first of them and returns true.
func (m *machine) forward(p *program, bits []uint64) bool {
	m.now.reset(len(p.insts))
	m.then.reset(len(p.insts))
	for pos := 0; ; {
		if pos == 0 || !p.anchored {
			m.enter(p, &m.now, p.start, pos)
		}
		if m.now.accepts {
			if bits == nil {
				return true
			}
			bits[pos/64] |= 1 << (pos % 64)
		}
		if m.left < 0 || pos == len(m.s) || p.anchored && len(m.now.dense) == 0 {
			return false
		}
		r, width := rune(m.s[pos]), 1
		if r >= utf8.RuneSelf {
			r, width = utf8.DecodeRune(m.s[pos:])
		}
		pos += width
		m.step(p, r, pos)
	}
}

// backward is forward from right to left. Its programs belong to look-aheads.
func (m *machine) backward(p *program, bits []uint64) {
	m.now.reset(len(p.insts))
	m.then.reset(len(p.insts))
	for pos := len(m.s); ; {
		m.enter(p, &m.now, p.start, pos)
		if m.now.accepts {
			bits[pos/64] |= 1 << (pos % 64)
		}
		if m.left < 0 || pos == 0 {
			return
		}
		r, width := rune(m.s[pos-1]), 1
		if r >= utf8.RuneSelf {
			r, width = utf8.DecodeLastRune(m.s[:pos])
		}
		pos -= width
		m.step(p, r, pos)
	}
}

// step consumes r, after which the position is pos.
func (m *machine) step(p *program, r rune, pos int) {
	m.then.clear()
	m.left -= len(m.now.dense)
	for _, pc := range m.now.dense {
		if i := &p.insts[pc]; i.op == instSet && i.set.has(r) {
			m.enter(p, &m.then, i.next, pos)
		}
	}
	m.now, m.then = m.then, m.now
}

// enter adds an instruction and all that it leads to without consuming anything.
func (m *machine) enter(p *program, t *states, pc uint32, pos int) {
	m.stack = append(m.stack[:0], pc)
	for len(m.stack) > 0 {
		pc := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		m.left--
		if !t.insert(pc) {
			continue
		}
		i := &p.insts[pc]
		holds := false
		switch i.op {
		case instSet:
		case instAccept:
			t.accepts = true
		case instSplit:
			m.stack = append(m.stack, i.other)
			holds = true
		case instStart:
			holds = pos == 0
		case instEnd:
			holds = pos == len(m.s)
		case instBoundary:
			holds = atBoundary(m.s, pos)
		case instNotBoundary:
			holds = !atBoundary(m.s, pos)
		case instLook:
			holds = m.bits[i.index][pos/64]&(1<<(pos%64)) != 0 != i.negate
		}
		if holds {
			m.stack = append(m.stack, i.next)
		}
	}
}

// cleared returns a slice of n zeros, in the memory of b if that suffices.
func cleared(b []uint64, n int) []uint64 {
	if cap(b) < n {
		return make([]uint64, n)
	}
	b = b[:n]
	clear(b)
	return b
}
