package load

import (
	"vcp.core/contract/wire"
)

// indexFrom is the number of members from which an object gets a map: below it, comparing names one
// by one is faster and the map would outweigh the members.
const indexFrom = 12

// Get returns the value of the member, or nil when n is no object or has no such member.
func (n *Node) Get(name string) *Node {
	if m := n.Member(name); m != nil {
		return m.Value
	}
	return nil
}

// Member returns the member with that decoded name, or nil when n is no object or has none.
func (n *Node) Member(name string) *Member {
	if n.index != nil {
		if i, ok := n.index[name]; ok {
			return &n.Members[i]
		}
		return nil
	}
	for i := range n.Members {
		if n.Members[i].Name == name {
			return &n.Members[i]
		}
	}
	return nil
}

// Raw returns the bytes of the value as they stand in the file, whitespace inside included.
func (f *File) Raw(n *Node) []byte { return f.Src[n.Start:n.End:n.End] }

// builder turns a tape into a tree. All nodes, members and element slots come from three slabs: a
// schema of four megabytes has half a million values, and as many small allocations would cost more
// than the scan.
type builder struct {
	tape  *wire.Tape
	src   []byte
	text  string // src as a string: strings without escapes are slices of it
	nodes []Node
	names []Member
	slots []*Node
}

// buildTree goes over the tape once. The depth of its recursion is the depth of the document, which the
// scan has limited.
func buildTree(tape *wire.Tape, src []byte) *Node {
	b := &builder{tape: tape, src: src, text: string(src)}
	values, members, elems := 0, 0, 0
	for i := range tape.Len() {
		n := tape.Node(i)
		if n.Flags&wire.Name != 0 {
			members++
			continue
		}
		values++
		if n.Kind == wire.KindArray {
			elems += int(n.Count)
		}
	}
	b.nodes = make([]Node, 0, values)
	b.names = make([]Member, 0, members)
	b.slots = make([]*Node, 0, elems)
	root, _ := b.value(0)
	return root
}

// value builds the node at index i of the tape and returns it with the index after its subtree. Slots
// of a container are taken from the slab before its children take theirs, so that they stay together.
func (b *builder) value(i int) (*Node, int) {
	t := b.tape.Node(i)
	b.nodes = append(b.nodes, Node{Kind: t.Kind, Start: int(t.Start), End: int(t.End)})
	n := &b.nodes[len(b.nodes)-1]
	count := int(t.Count)
	switch t.Kind {
	case wire.KindNumber:
		n.Str = b.text[t.Start:t.End]
	case wire.KindString:
		n.Str = b.decoded(i)
	case wire.KindArray:
		at := len(b.slots)
		b.slots = b.slots[:at+count]
		n.Elems = b.slots[at : at+count : at+count]
		next := i + 1
		for k := range n.Elems {
			n.Elems[k], next = b.value(next)
		}
	case wire.KindObject:
		at := len(b.names)
		b.names = b.names[:at+count]
		n.Members = b.names[at : at+count : at+count]
		next := i + 1
		for k := range n.Members {
			name := b.tape.Node(next)
			m := Member{Name: b.decoded(next), NameStart: int(name.Start), NameEnd: int(name.End)}
			m.Value, next = b.value(next + 1)
			n.Members[k] = m
		}
		if count >= indexFrom {
			n.index = make(map[string]int, count)
			for k := range n.Members {
				n.index[n.Members[k].Name] = k
			}
		}
	}
	return n, int(t.Next)
}

func (b *builder) decoded(i int) string {
	n := b.tape.Node(i)
	if n.Flags&wire.Escaped == 0 {
		return b.text[n.Start+1 : n.End-1]
	}
	return b.tape.String(i)
}
