package wire

import (
	"bytes"
	"hash/maphash"
	"math/bits"
)

// Equal reports whether value i of t and value j of u are equal in JSON Schema's sense: same kind, strings
// equal decoded, numbers equal in value, arrays element by element, objects member by member in any order.
//
// The cost is linear in the size of the smaller value. It does not recurse. It allocates only when members
// stand in different orders.
func Equal(t *Tape, i int, u *Tape, j int) bool {
	// Equal values whose members stand in the same order have the same tape, so two indices walk in step.
	// A pair of objects in different order is cut out of the walk: its members are paired by name and the
	// pairs of values wait their turn.
	var buf [8][2]int
	pending := append(buf[:0], [2]int{i, j})
	for len(pending) > 0 {
		pair := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		x, y := pair[0], pair[1]
		for end := t.Next(x); x < end; {
			a, b := &t.nodes[x], &u.nodes[y]
			if a.Kind != b.Kind {
				return false
			}
			switch a.Kind {
			case KindObject:
				if a.Count != b.Count {
					return false
				}
				switch membersInStep(t, x, u, y) {
				case different:
					return false
				case shuffled:
					var ok bool
					if pending, ok = pairMembers(pending, t, x, u, y); !ok {
						return false
					}
					x, y = int(a.Next), int(b.Next)
					continue
				}
			case KindString:
				if a.Flags&Name != 0 && x != pair[0] { // it has been compared with its object, and so has a scalar
					if x, y = x+1, y+1; t.nodes[x].Kind < KindArray {
						x, y = x+1, y+1
					}
					continue
				}
				fallthrough
			default:
				if !alike(t, x, u, y) {
					return false
				}
			}
			x, y = x+1, y+1
		}
	}
	return true
}

// alike compares scalars. Of arrays and objects it compares the kind and how much is in them.
func alike(t *Tape, i int, u *Tape, j int) bool {
	a, b := &t.nodes[i], &u.nodes[j]
	if a.Kind != b.Kind || a.Count != b.Count {
		return false
	}
	switch a.Kind {
	case KindNumber:
		return bytes.Equal(t.Raw(i), u.Raw(j)) || t.Decimal(i).Cmp(u.Decimal(j)) == 0
	case KindString:
		return compareStrings(t, i, u, j) == 0
	}
	return true
}

// inStep is how two objects with equally many members compare, walked in step.
type inStep byte

const (
	sameOrder inStep = iota // names and scalars are the same, in the same order
	shuffled                // some name stands elsewhere, or nowhere
	different               // some member is not the same
)

// membersInStep ends at the first member that is not the same: objects of one sort have the same names, and are told
// apart by their first values.
func membersInStep(t *Tape, i int, u *Tape, j int) inStep {
	a, b := t.Members(i), u.Members(j)
	for a.Next() && b.Next() {
		if compareStrings(t, a.Name, u, b.Name) != 0 {
			return shuffled
		}
		if !alike(t, a.Value, u, b.Value) {
			return different
		}
	}
	return sameOrder
}

// pairMembers appends the pairs of values under equal names; ok is false when a name of object i is not in
// object j. Names of one object differ and there are equally many, so then all are paired.
func pairMembers(pairs [][2]int, t *Tape, i int, u *Tape, j int) (_ [][2]int, ok bool) {
	if u.Count(j) <= linearNames {
		for m := t.Members(i); m.Next(); {
			value, ok := findAs(t, m.Name, u, j)
			if !ok {
				return pairs, false
			}
			pairs = append(pairs, [2]int{m.Value, value})
		}
		return pairs, true
	}
	byName := make(map[uint64][]int, u.Count(j)) // name hash to values of j
	for m := u.Members(j); m.Next(); {
		h := u.hashText(m.Name)
		byName[h] = append(byName[h], m.Value)
	}
	for m := t.Members(i); m.Next(); {
		found := false
		for _, value := range byName[t.hashText(m.Name)] {
			if found = compareStrings(t, m.Name, u, value-1) == 0; found {
				pairs = append(pairs, [2]int{m.Value, value})
				break
			}
		}
		if !found {
			return pairs, false
		}
	}
	return pairs, true
}

// findAs finds the member of object j of u that has the name at index name of t.
func findAs(t *Tape, name int, u *Tape, j int) (value int, ok bool) {
	for m := u.Members(j); m.Next(); {
		if compareStrings(t, name, u, m.Name) == 0 {
			return m.Value, true
		}
	}
	return 0, false
}

// Hash returns a hash of value i: equal values in the sense of [Equal] have equal hashes, in any two tapes
// of one process. It is seeded at random in each process, so that nobody can choose values that collide,
// and it must not be stored. The cost is linear in the size of the value; it does not recurse.
//
// # How it works
//
// Every value below i has a path: the names and indices that lead to it. The hash is the sum of the hashes
// of all (path, kind, scalar) triples. A sum does not depend on the order of members; an element's index is
// part of its path, so the order of elements counts.
func Hash(t *Tape, i int) uint64 {
	type open struct {
		end    uint32 // index after the container
		path   uint64
		index  uint64 // of the next element
		object bool
	}
	var (
		buf   [16]open
		stack = buf[:0]
		sum   uint64
		end   = t.Next(i)
	)
	for k := i; k < end; k++ {
		path := rootPath
		for len(stack) > 0 && k >= int(stack[len(stack)-1].end) {
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 {
			parent := &stack[len(stack)-1]
			if parent.object {
				path = mix(parent.path, t.hashText(k))
				k++
			} else {
				parent.index++
				path = mix(parent.path, parent.index)
			}
		}
		n := &t.nodes[k]
		scalar := uint64(0)
		switch n.Kind {
		case KindString:
			scalar = t.hashText(k)
		case KindNumber:
			scalar = t.hashNumber(k)
		case KindArray, KindObject:
			stack = append(stack, open{end: n.Next, path: path, object: n.Kind == KindObject})
		}
		sum += mix(path, scalar^uint64(n.Kind)*0xd6e8feb86659fd93)
	}
	return sum
}

// rootPath keeps the arithmetic of mix secret where it meets known numbers.
var rootPath = maphash.String(seed, "root")

// mix folds two words into one.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0xa0761d6478bd642f, b^0xe7037ed1a0b428db)
	return hi ^ lo
}

// hashText hashes the decoded text of a string.
func (t *Tape) hashText(i int) uint64 {
	var buf [64]byte
	return maphash.Bytes(seed, t.Text(i, buf[:0]))
}

// hashNumber hashes the canonical spelling of a number.
func (t *Tape) hashNumber(i int) uint64 {
	var buf [40]byte
	return maphash.Bytes(seed, t.Decimal(i).AppendCanonical(buf[:0]))
}
