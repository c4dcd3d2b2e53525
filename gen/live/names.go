package live

import (
	"encoding/binary"

	"vcp.core/contract/wire"
	"vcp.core/contract/wire/touch"
)

// names finds a member name among those that a schema mentions.
//
// Documents tend to follow the order of their schema, so the name after the last one found is tried
// first: one comparison, no hash. Otherwise a table with open addressing is asked. Comparison and hash
// both work on a key of three words: the length, the first eight and the last eight bytes. Up to 16 bytes
// the key is the name; beyond, equal keys are followed by a comparison of the text.
//
// The table is made of the schema alone, so no document can slow it down; a schema whose names collide
// too much gets a map instead.
type names struct {
	keys  []nameKey
	list  []string
	table []int32 // index in list + 1, 0 for none; nil when byName is used
	mask  uint32
	// lengths has a bit for every length that a name has, 63 and more in the last: most names that a schema
	// does not mention are told by that, without looking at their bytes.
	lengths uint64
	byName  map[string]int
}

// nameKey is equal for equal names, and for two names of at most 16 bytes only then.
type nameKey struct {
	length      int
	first, last uint64
}

func keyOf(s []byte) nameKey {
	n := len(s)
	switch {
	case n >= 8:
		return nameKey{n, binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[n-8:])}
	case n >= 4:
		return nameKey{n, uint64(binary.LittleEndian.Uint32(s)), uint64(binary.LittleEndian.Uint32(s[n-4:]))}
	case n > 0:
		return nameKey{n, uint64(s[0]) | uint64(s[n/2])<<8, uint64(s[n-1])}
	}
	return nameKey{}
}

func (k *nameKey) hash() uint32 {
	h := (k.first ^ uint64(k.length)) * 0x9e3779b97f4a7c15
	h = (h ^ h>>32 ^ k.last) * 0xd6e8feb86659fd93
	return uint32(h >> 32)
}

// maxProbes is how many steps the table may need before a map is better.
const maxProbes = 8

func newNames(list []string) *names {
	s := &names{list: list, keys: make([]nameKey, len(list))}
	size := 4
	for size < 2*len(list) {
		size *= 2
	}
	s.table = make([]int32, size)
	s.mask = uint32(size - 1)
	for _, name := range list {
		s.lengths |= 1 << min(len(name), 63)
	}
	for i, name := range list {
		s.keys[i] = keyOf([]byte(name))
		slot := s.keys[i].hash() & s.mask
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
	if n := &r.nodes[node]; n.Flags&wire.Escaped == 0 {
		if s.lengths>>min(n.End-n.Start-2, 63)&1 == 0 {
			return -1
		}
		text = r.src[n.Start+1 : n.End-1]
		touch.Bytes(len(text))
	} else {
		text = r.string(node)
	}
	if s.table == nil {
		if i, ok := s.byName[string(text)]; ok {
			return i
		}
		return -1
	}
	key := keyOf(text)
	if next < len(s.keys) && s.keys[next] == key && (key.length <= 16 || s.list[next] == string(text)) {
		return next
	}
	for slot := key.hash() & s.mask; ; slot = (slot + 1) & s.mask {
		i := int(s.table[slot]) - 1
		if i < 0 || s.keys[i] == key && (key.length <= 16 || s.list[i] == string(text)) {
			return i
		}
	}
}
