package wire

import "math/bits"

// uniqueItems in time that does not depend on where the arrays stand.
//
// Few elements are compared in pairs. A comparison costs at most the smaller of the two, and ends at
// the first difference; pairs of different kind, count or number of nodes are told apart without
// looking.
//
// Many elements go through a hash table. Hashing costs the whole element, and that would be too much:
// under a schema that asks for uniqueness at every level, an array of tiny elements and one huge element
// that is again such an array would hash the innermost bytes once for every level. So an array or
// object is hashed only if another element has the same shape: kind, count and number of nodes, which
// equal values share. Then the huge element is hashed only when its sibling is as huge, every byte is
// hashed in at most log2(size) levels, and the sum over all levels stays near linear.
//
// The table therefore holds two sorts of entries: shapes, each with the first element that had it, and
// hashes of elements whose shape came twice. Scalars are hashed at once.

// pairwise is up to how many elements are compared in pairs.
const pairwise = 24

// FindDuplicate returns two equal elements of array n, -1 when there are none. scratch is reused: with
// the scratch of an earlier call nothing is allocated.
func FindDuplicate(t *Tape, n int, scratch *[]uint64) (first, second int) {
	if t.Count(n) > pairwise {
		return duplicateOfMany(t, n, scratch)
	}
	for b, end := t.FirstChild(n), t.Next(n); b < end; b = t.Next(b) {
		for a := t.FirstChild(n); a < b; a = t.Next(a) {
			if sameShape(t, a, b) && Equal(t, a, t, b) {
				return a, b
			}
		}
	}
	return -1, -1
}

// sameShape compares what equal values share and a node tells.
func sameShape(t *Tape, a, b int) bool {
	x, y := t.Node(a), t.Node(b)
	return x.Kind == y.Kind && x.Count == y.Count && x.Next-uint32(a) == y.Next-uint32(b)
}

// slots is a hash table of element nodes with open addressing. An entry is two words: a hash, and an
// element's node + 1 with marks.
type slots struct {
	words []uint64
	mask  uint64
}

// Marks of an entry, beside its node.
const (
	shapeMark  = 1 << 40 // the hash is that of a shape
	hashedMark = 1 << 41 // the first element of this shape has been entered by its own hash, too
	nodeBits   = shapeMark - 1
)

func newSlots(scratch *[]uint64, entries int) slots {
	size := 2 << bits.Len(uint(2*entries-1)) // words: at most half of the entries are used
	if cap(*scratch) < size {
		*scratch = make([]uint64, size)
	} else {
		*scratch = (*scratch)[:size]
		clear(*scratch)
	}
	return slots{words: *scratch, mask: uint64(size/2 - 1)}
}

// find returns the marked node of the entry that has the hash and for which same is true. If there is
// none it enters the marked node given, and ok is false.
func (s slots) find(hash uint64, marked uint64, same func(marked uint64) bool) (entry *uint64, ok bool) {
	for i := hash & s.mask; ; i = (i + 1) & s.mask {
		word := &s.words[2*i+1]
		if *word == 0 {
			s.words[2*i], *word = hash, marked+1
			return word, false
		}
		if s.words[2*i] == hash && same(*word-1) {
			return word, true
		}
	}
}

func duplicateOfMany(t *Tape, n int, scratch *[]uint64) (first, second int) {
	table := newSlots(scratch, 2*t.Count(n))
	// equalTo enters an element and returns an equal one that was entered before, -1 for none.
	equalTo := func(e int) int {
		entry, ok := table.find(Hash(t, e), uint64(e), func(other uint64) bool {
			return other < shapeMark && Equal(t, int(other), t, e)
		})
		if !ok {
			return -1
		}
		return int(*entry - 1)
	}
	for e, end := t.FirstChild(n), t.Next(n); e < end; e = t.Next(e) {
		if node := t.Node(e); node.Kind >= KindArray {
			entry, ok := table.find(shapeHash(node, e), uint64(e)|shapeMark, func(other uint64) bool {
				return other >= shapeMark && sameShape(t, int(other&nodeBits), e)
			})
			if !ok {
				continue // the first of its shape
			}
			if twin := *entry - 1; twin&hashedMark == 0 {
				*entry |= hashedMark
				equalTo(int(twin & nodeBits)) // no other element of its shape has been entered
			}
		}
		if found := equalTo(e); found >= 0 {
			return found, e
		}
	}
	return -1, -1
}

func shapeHash(node *Node, n int) uint64 {
	h := uint64(node.Next-uint32(n))<<32 ^ uint64(node.Count)<<3 ^ uint64(node.Kind)
	h *= 0x9e3779b97f4a7c15
	return h ^ h>>32
}
