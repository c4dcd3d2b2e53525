package live

import (
	"encoding/binary"

	"vcp.core/contract/wire"
)

// names finds a member name among those that a schema mentions.
//
// Documents tend to follow the order of their schema, so the name after the last one found is tried
// first: one comparison, no hash. Otherwise a table with open addressing is asked, keyed by length and
// the first and last bytes. The table is made of the schema alone, so no document can slow it down; a
// schema whose names collide too much gets a map instead.
type names struct {
	list   []string
	table  []int32 // index in list + 1, 0 for none; nil when byName is used
	mask   uint32
	byName map[string]int
}

// maxProbes is how many steps the table may need before a map is better.
const maxProbes = 8

func newNames(list []string) *names {
	s := &names{list: list}
	size := 4
	for size < 2*len(list) {
		size *= 2
	}
	s.table = make([]int32, size)
	s.mask = uint32(size - 1)
	for i, name := range list {
		slot := nameHash(name) & s.mask
		probes := 0
		for s.table[slot] != 0 {
			slot = (slot + 1) & s.mask
			probes++
		}
		if probes > maxProbes {
			s.table = nil
			s.byName = make(map[string]int, len(list))
			for i, name := range list {
				s.byName[name] = i
			}
			return s
		}
		s.table[slot] = int32(i + 1)
	}
	return s
}

// find returns the index of the name at node, -1 when the schema does not mention it. next is the index
// to try first.
func (s *names) find(r *run, node, next int) int {
	var text []byte
	if n := r.t.Node(node); n.Flags&wire.Escaped == 0 {
		text = r.t.Source()[n.Start+1 : n.End-1]
	} else {
		text = r.string(node)
	}
	if next < len(s.list) && s.list[next] == string(text) {
		return next
	}
	if s.table == nil {
		if i, ok := s.byName[string(text)]; ok {
			return i
		}
		return -1
	}
	for slot := nameHash(text) & s.mask; ; slot = (slot + 1) & s.mask {
		i := s.table[slot]
		if i == 0 {
			return -1
		}
		if s.list[i-1] == string(text) {
			return int(i - 1)
		}
	}
}

// nameHash mixes the length and up to the first and last eight bytes.
func nameHash[S string | []byte](s S) uint32 {
	var a, b uint64
	switch n := len(s); {
	case n >= 8:
		a, b = load8(s, 0), load8(s, n-8)
	case n >= 4:
		a, b = uint64(load4(s, 0)), uint64(load4(s, n-4))
	case n > 0:
		a = uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16
	}
	h := (a ^ uint64(len(s))) * 0x9e3779b97f4a7c15
	h = (h ^ h>>32 ^ b) * 0xd6e8feb86659fd93
	return uint32(h >> 32)
}

func load8[S string | []byte](s S, i int) uint64 {
	var w [8]byte
	copy(w[:], s[i:])
	return binary.LittleEndian.Uint64(w[:])
}

func load4[S string | []byte](s S, i int) uint32 {
	var w [4]byte
	copy(w[:], s[i:])
	return binary.LittleEndian.Uint32(w[:])
}
