package wire

import (
	"slices"
	"sync"
)

// Constants is a list of JSON constants in which values are looked up: an enum, or the cases of a
// choice. It is made ready at the first use, safe for concurrent use, and must not be copied then.
type Constants struct {
	Values []string // JSON texts

	once          sync.Once
	null, no, yes int // positions, -1 when not among them
	names         []string
	nameAt        []int          // positions of names
	byName        map[string]int // instead of names, when there are many
	byInt         map[int64]int
	byNumber      map[string]int // by canonical spelling: numbers that are no small integers
	nested        []*Tape        // arrays and objects
	nestedAt      []int
	nestedBy      map[uint64][]int // positions in nested by hash, when there are many
	largest       uint32           // nodes of the largest of nested
}

// ConstantsOf returns a list of constants. Each is a JSON text.
func ConstantsOf(values ...string) *Constants { return &Constants{Values: values} }

// linearNamesOfConstants is up to how many strings are compared one by one: lengths differ, mostly.
const linearNamesOfConstants = 8

// linearNestedConstants is up to how many arrays and objects are compared one by one.
const linearNestedConstants = 8

// Find returns the position of the first constant that equals value n in JSON Schema's sense, -1 when
// none does. scratch is reused.
func (c *Constants) Find(t *Tape, n int, scratch *[]byte) int {
	c.once.Do(c.prepare)
	node := &t.nodes[n]
	switch node.Kind {
	case KindString:
		return c.findText(t, node, scratch)
	case KindNumber:
		return c.findNumber(t, n, scratch)
	case KindNull:
		return c.null
	case KindFalse:
		return c.no
	case KindTrue:
		return c.yes
	}
	if node.Next-uint32(n) > c.largest {
		return -1
	}
	if c.nestedBy != nil {
		for _, i := range c.nestedBy[Hash(t, n)] {
			if Equal(c.nested[i], 0, t, n) {
				return c.nestedAt[i]
			}
		}
		return -1
	}
	for i, tree := range c.nested {
		// Equal values have equally many nodes, so most comparisons end here.
		root := tree.Node(0)
		if root.Kind == node.Kind && root.Next == node.Next-uint32(n) && Equal(tree, 0, t, n) {
			return c.nestedAt[i]
		}
	}
	return -1
}

func (c *Constants) findText(t *Tape, node *Node, scratch *[]byte) int {
	text := inside(t.src, node)
	if node.Flags&Escaped != 0 {
		*scratch = appendDecoded((*scratch)[:0], text)
		text = *scratch
	}
	if c.byName != nil {
		if i, ok := c.byName[string(text)]; ok {
			return i
		}
		return -1
	}
	for k, name := range c.names {
		if len(name) == len(text) && name == string(text) {
			return c.nameAt[k]
		}
	}
	return -1
}

func (c *Constants) findNumber(t *Tape, n int, scratch *[]byte) int {
	if c.byNumber == nil {
		return -1
	}
	if v, ok := SmallInteger(t, n); ok {
		if i, ok := c.byInt[v]; ok {
			return i
		}
		return -1
	}
	*scratch = t.Decimal(n).AppendCanonical((*scratch)[:0])
	if i, ok := c.byNumber[string(*scratch)]; ok {
		return i
	}
	return -1
}

func (c *Constants) prepare() {
	c.null, c.no, c.yes = -1, -1, -1
	names := map[string]int{}
	for i, text := range slices.Backward(c.Values) { // backwards: of equal constants the first stays
		t := new(Tape)
		if err := t.Scan(readOnly(text), DefaultLimits()); err != nil {
			panic("wire: the constant " + text + " is no JSON: " + err.Error())
		}
		switch t.Kind(0) {
		case KindNull:
			c.null = i
		case KindFalse:
			c.no = i
		case KindTrue:
			c.yes = i
		case KindString:
			names[t.String(0)] = i
		case KindNumber:
			if c.byNumber == nil {
				c.byInt, c.byNumber = make(map[int64]int), make(map[string]int)
			}
			d := t.Decimal(0)
			if small, ok := d.Int64(); ok {
				c.byInt[small] = i
			}
			c.byNumber[d.Canonical()] = i
		default:
			c.nested, c.nestedAt = append(c.nested, t), append(c.nestedAt, i)
			c.largest = max(c.largest, t.nodes[0].Next)
		}
	}
	if len(c.nested) > linearNestedConstants {
		c.nestedBy = make(map[uint64][]int, len(c.nested))
		for i, t := range c.nested {
			h := Hash(t, 0)
			c.nestedBy[h] = append(c.nestedBy[h], i)
		}
	}
	if len(names) > linearNamesOfConstants {
		c.byName = names
		return
	}
	for i := range c.Values {
		for name, at := range names {
			if at == i {
				c.names, c.nameAt = append(c.names, name), append(c.nameAt, i)
			}
		}
	}
}
