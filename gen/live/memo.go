package live

import (
	"math/bits"

	"vcp.core/contract/wire"
)

// memo remembers verdicts by (unit, node). It is a hash table with open addressing. A slot is one word:
//
//	bits 0–1    verdict + 1, so that a used slot is never 0
//	bits 2–13   generation
//	bits 14–45  node
//	bits 46–63  number of the unit among those that are remembered
//
// A slot of an older generation is empty. So a new walk over a small document costs nothing although
// the table is large; when the 12 bits of the generation are used up, the table is cleared once.
//
// The table grows with its content up to maxSlots (64 MiB). A full memo takes nothing more and goes on
// answering what it holds: verdicts stay right, and a walk that would blow up for want of a memo ends
// with its steps.
type memo struct {
	slots      []uint64
	used       int
	generation uint64
}

const (
	memoUnits      = 1 << 18
	memoGeneration = 1 << 12
	minSlots       = 1 << 8
	maxSlots       = 1 << 23
	keptSlots      = 1 << 17 // 1 MiB stays in the pool
)

func (m *memo) begin() {
	m.used = 0
	m.generation++
	if m.generation == memoGeneration {
		clear(m.slots)
		m.generation = 1
	}
}

func (m *memo) end() {
	if len(m.slots) > keptSlots {
		m.slots, m.generation = nil, 0
	}
}

func memoKey(unit uint32, node int) uint64 { return uint64(unit)<<32 | uint64(uint32(node)) }

// place is where the search for a key begins. Nodes come in sequence; the multiplication spreads them.
func (m *memo) place(key uint64) uint64 {
	h := key * 0x9e3779b97f4a7c15
	return (h ^ h>>29) >> (64 - bits.TrailingZeros(uint(len(m.slots))))
}

// get returns the verdict of a key.
func (m *memo) get(key uint64) (v wire.Verdict, ok bool) {
	if m.used == 0 {
		return 0, false
	}
	want := key<<14 | m.generation<<2
	mask := uint64(len(m.slots) - 1)
	for i := m.place(key); ; i = (i + 1) & mask {
		slot := m.slots[i]
		if slot&^3 == want {
			return wire.Verdict(slot&3 - 1), true
		}
		if slot>>2&(memoGeneration-1) != m.generation {
			return 0, false
		}
	}
}

// put remembers a verdict. The key must not be in the memo.
func (m *memo) put(key uint64, v wire.Verdict) {
	if m.used*4 >= len(m.slots)*3 && !m.grow() {
		return
	}
	m.used++
	m.insert(key<<14 | m.generation<<2 | uint64(v) + 1)
}

func (m *memo) insert(slot uint64) {
	mask := uint64(len(m.slots) - 1)
	for i := m.place(slot >> 14); ; i = (i + 1) & mask {
		if m.slots[i]>>2&(memoGeneration-1) != m.generation {
			m.slots[i] = slot
			return
		}
	}
}

func (m *memo) grow() bool {
	if len(m.slots) >= maxSlots {
		return false
	}
	old := m.slots
	m.slots = make([]uint64, min(maxSlots, max(minSlots, 4*len(old))))
	for _, slot := range old {
		if slot>>2&(memoGeneration-1) == m.generation {
			m.insert(slot)
		}
	}
	return true
}
