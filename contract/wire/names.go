package wire

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"

	"vcp.core/contract/wire/touch"
)

// Duplicate names are found in two ways, both linear in the size of the document.
//
// Up to linearNames members: every name leaves a 64-bit key on a stack, above a word that serves as a
// filter: one bit for each name seen. A name whose bit is new is new; otherwise it is compared with the keys
// of its object, and with the names whose keys are equal. Keys are cheap and anyone can make them collide;
// that costs at most linearNames comparisons a name, so nobody gains by it.
//
// Beyond: when the object ends, its names go through a hash table in the tape's scratch. There collisions
// would make the cost quadratic, so the hash is seeded at random in each process (hash/maphash).

// linearNames is the number of members up to which names are compared one by one. 16 is where the table
// becomes cheaper on names of usual length.
const linearNames = 16

// seed is fixed for the life of the process: hashes of equal values agree between tapes.
var seed = maphash.MakeSeed()

// nameKey mixes the length and up to sixteen bytes of a decoded name. Names of at most seven bytes have
// the same key only if they are equal.
func nameKey(name []byte) uint64 {
	key := uint64(len(name)) << 56
	switch n := len(name); {
	case n >= 8:
		tail := binary.LittleEndian.Uint64(name[n-8:])
		return key ^ binary.LittleEndian.Uint64(name) ^ bits.RotateLeft64(tail*0x9e3779b97f4a7c15, 32)
	case n >= 4:
		head, tail := binary.LittleEndian.Uint32(name), binary.LittleEndian.Uint32(name[n-4:])
		return key | uint64(head) | uint64(tail)<<(8*(n-4))
	case n >= 2:
		return key | uint64(name[0]) | uint64(name[1])<<8 | uint64(name[n-1])<<(8*(n-1))
	case n == 1:
		return key | uint64(name[0])
	}
	return key
}

// filterBit returns one of 64 bits for a key.
func filterBit(key uint64) uint64 { return 1 << (key * 0x9e3779b97f4a7c15 >> 58) }

// isMember reports whether member number at of an open object has the decoded name text.
func isMember(src []byte, nodes []Node, object uint32, at int, text []byte) bool {
	name := object + 1
	for range at {
		name = nodes[name+1].Next
	}
	return equalText(src, &nodes[name], text)
}

// inside returns the bytes between the quotes of a string.
func inside(src []byte, n *Node) []byte {
	touch.Bytes(int(n.End - n.Start - 2))
	return src[n.Start+1 : n.End-1]
}

// decoded returns a copy of a string's text.
func decoded(src []byte, n *Node) string {
	if n.Flags&Escaped == 0 {
		return string(inside(src, n))
	}
	return string(appendDecoded(nil, inside(src, n)))
}

// findDuplicate returns the first name in document order that repeats an earlier one of the object, 0
// when there is none. A slot of the table holds the upper half of a hash and the index of a name.
func (t *Tape) findDuplicate(src []byte, nodes []Node, object uint32) uint32 {
	table := t.clearTable(int(nodes[object].Count))
	mask := uint64(len(table) - 1)
	name := object + 1
	for range nodes[object].Count {
		n := &nodes[name]
		text := inside(src, n)
		if n.Flags&Escaped != 0 {
			t.text = appendDecoded(t.text[:0], text)
			text = t.text
		}
		h := maphash.Bytes(seed, text)
		slot := h & mask
		for table[slot] != 0 {
			if table[slot]>>32 == h>>32 {
				if other := &nodes[uint32(table[slot])]; equalText(src, other, text) {
					return name
				}
			}
			slot = (slot + 1) & mask
		}
		table[slot] = h>>32<<32 | uint64(name)
		name = nodes[name+1].Next
	}
	return 0
}

// clearTable returns an empty table for count names: a power of two slots, at most half of them used.
func (t *Tape) clearTable(count int) []uint64 {
	size := 1 << bits.Len(uint(2*count-1))
	if cap(t.table) < size {
		t.table = make([]uint64, size)
		return t.table
	}
	t.table = t.table[:size]
	clear(t.table)
	return t.table
}

// equalText compares a string of the tape, decoded, with text.
func equalText[S string | []byte](src []byte, n *Node, text S) bool {
	raw := src[n.Start+1 : n.End-1]
	if n.Flags&Escaped == 0 {
		touch.Equal(len(raw), len(text))
		return string(raw) == string(text)
	}
	touch.Bytes(len(raw))
	return equalDecoded(raw, text)
}
