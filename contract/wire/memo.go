package wire

import "math/bits"

// Memo remembers verdicts by (unit, node), where a unit is whatever judges, by number. The zero Memo is
// ready for Begin. It is a hash table with open addressing. A slot is two words, the second of which is
// the caller's, the first is:
//
//	bits 0–1    verdict + 1, so that a used slot is never 0
//	bits 2–13   generation
//	bits 14–45  node
//	bits 46–63  unit
//
// A slot of an older generation is empty. So a new walk over a small document costs nothing although
// the table is large; when the 12 bits of the generation are used up, the table is cleared once.
//
// The table grows with its content up to 64 MiB. A full memo takes nothing more and goes on answering
// what it holds: verdicts stay right, and a walk that would blow up for want of a memo ends with its
// budget.
type Memo struct {
	slots      []memoSlot
	used       int
	generation uint64
}

type memoSlot struct{ word, extra uint64 }

// MemoUnits is how many units a memo can tell apart.
const MemoUnits = 1 << 18

const (
	memoGeneration = 1 << 12
	minMemo        = 1 << 7  // slots
	maxMemo        = 1 << 22 // slots
	keptMemo       = 1 << 16 // slots, 1 MiB
)

// Begin forgets everything.
func (m *Memo) Begin() {
	m.used = 0
	m.generation++
	if m.generation == memoGeneration {
		clear(m.slots)
		m.generation = 1
	}
}

// End gives memory back when a walk took much.
func (m *Memo) End() {
	if len(m.slots) > keptMemo {
		m.slots, m.generation = nil, 0
	}
}

// MemoKey makes a key. unit is below [MemoUnits].
func MemoKey(unit uint32, node int) uint64 { return uint64(unit)<<32 | uint64(uint32(node)) }

// place is where the search for a key begins. Nodes come in sequence; the multiplication spreads them.
func (m *Memo) place(key uint64) uint64 {
	h := key * 0x9e3779b97f4a7c15
	return (h ^ h>>29) >> (64 - bits.TrailingZeros(uint(len(m.slots))))
}

// Get returns the verdict of a key, and the word that was put beside it.
func (m *Memo) Get(key uint64) (v Verdict, extra uint64, ok bool) {
	if m.used == 0 {
		return 0, 0, false
	}
	want := key<<14 | m.generation<<2
	mask := uint64(len(m.slots) - 1)
	for i := m.place(key); ; i = (i + 1) & mask {
		slot := &m.slots[i]
		if slot.word&^3 == want {
			return Verdict(slot.word&3 - 1), slot.extra, true
		}
		if slot.word>>2&(memoGeneration-1) != m.generation {
			return 0, 0, false
		}
	}
}

// Put remembers a verdict. The key must not be in the memo.
func (m *Memo) Put(key uint64, v Verdict, extra uint64) {
	if m.used*4 >= len(m.slots)*3 && !m.grow() {
		return
	}
	m.used++
	m.insert(memoSlot{key<<14 | m.generation<<2 | uint64(v) + 1, extra})
}

func (m *Memo) insert(slot memoSlot) {
	mask := uint64(len(m.slots) - 1)
	for i := m.place(slot.word >> 14); ; i = (i + 1) & mask {
		if m.slots[i].word>>2&(memoGeneration-1) != m.generation {
			m.slots[i] = slot
			return
		}
	}
}

func (m *Memo) grow() bool {
	if len(m.slots) >= maxMemo {
		return false
	}
	old := m.slots
	m.slots = make([]memoSlot, min(maxMemo, max(minMemo, 4*len(old))))
	for _, slot := range old {
		if slot.word>>2&(memoGeneration-1) == m.generation {
			m.insert(slot)
		}
	}
	return true
}
