package wire

import (
	"slices"

	"vcp.core/contract/wire/touch"
)

// Tape is the flat record of one strict scan: a node for every value and every member name, in
// document order. It is what validators walk: after the scan nobody looks for structure in bytes
// again, skipping a subtree is one addition, and a position is an integer that can key a memo.
//
// A tape is reused: Scan on a warm tape allocates nothing. The zero Tape is ready. Its readers may run
// concurrently with each other, not with Scan or Reset.
//
// A node is named by its index. The root is node 0; methods that take an index panic when it is out of
// range, as slices do. A walk over the children of i needs no case for empty containers:
//
//	for c := t.FirstChild(i); c < t.Next(i); c = t.Next(c)            // elements of an array
//	for m := t.FirstChild(i); m < t.Next(i); m = t.Next(m + 1)        // members: name m, value m+1
//	for m := t.Members(i); m.Next(); { use(m.Name, m.Value) }         // the same, spelled out
type Tape struct {
	src   []byte
	nodes []Node

	// Scratch of the scan. keys and table find duplicate names, text holds a decoded name.
	keys  []uint64
	table []uint64
	text  []byte

	// room is how many bytes a value that is being read may still take, see room.go.
	room      int
	isLimited bool
}

// Node describes one value, or one member name (a String node directly before its member's value).
//
// Layout of an Object node i with Count members: node i+1 is the first name, node i+2 the first
// value, and the next name is at nodes[i+2].Next. Layout of an Array node i: its elements start at
// i+1, each next one at the Next of the one before. Next of any node is the index after its subtree.
type Node struct {
	Start, End uint32 // byte range in the source; strings include their quotes
	Next       uint32 // index of the node after this one's subtree
	Count      uint32 // members of an object, elements of an array; code points of a string
	Kind       Kind
	Flags      Flags
}

// Flags are facts about a node that the scan learned for free.
type Flags uint8

// The flags.
const (
	Escaped  Flags = 1 << iota // a string that contains a backslash escape
	NonASCII                   // a string with bytes or escapes above 0x7f
	Name                       // a member name
	Fraction                   // a number with '.', 'e' or 'E'
)

// Scratch that one large document made a tape grow is given back as soon as the tape is used for a
// document so small that an eighth of it would do, or by Reset. Below these sizes it is always kept.
const (
	keptNodes = 1 << 15 // 640 KiB
	keptSlots = 1 << 14 // 128 KiB, of the hash table and of the stack of keys each
	keptText  = 1 << 16
)

// begin empties the tape for a scan of src and gives excess scratch back. A node stands for at least one
// byte of a document, a slot of the table for more than two.
func (t *Tape) begin(src []byte) {
	t.trim(8 * len(src))
	t.src, t.nodes = src, t.nodes[:0]
}

// trim drops scratch that is larger than both the fixed sizes and need.
func (t *Tape) trim(need int) {
	if cap(t.nodes) > max(keptNodes, need) {
		t.nodes = nil
	}
	if cap(t.keys) > max(keptSlots, need) {
		t.keys = nil
	}
	if cap(t.table) > max(keptSlots, need) {
		t.table = nil
	}
	if cap(t.text) > max(keptText, need) {
		t.text = nil
	}
}

// Reset empties the tape, lets go of its source and gives scratch back beyond some 1 MiB. Call it before
// a tape goes into a pool, so that the pool keeps neither documents nor the memory of the largest one.
func (t *Tape) Reset() {
	t.trim(0)
	t.src, t.nodes = nil, t.nodes[:0]
}

// Kept returns a tape of the same document without scratch or room to grow, for whoever keeps many of them. The two
// share the source, nothing else.
func (t *Tape) Kept() Tape { return Tape{src: t.src, nodes: slices.Clone(t.nodes)} }

// TapeOf returns the tape of a document whose nodes are known already, as those of one are that was put together from
// scanned ones. They must be what [Tape.Scan] would record, which nobody checks. Both slices belong to the tape.
func TapeOf(src []byte, nodes []Node) Tape { return Tape{src: src, nodes: nodes} }

// Source returns the scanned bytes, nil for an empty tape.
func (t *Tape) Source() []byte { return t.src }

// Len returns the number of nodes, names included; 0 for an empty tape.
func (t *Tape) Len() int { return len(t.nodes) }

// Root returns 0, the index of the document's value.
func (t *Tape) Root() int { return 0 }

// Node returns node i. It belongs to the tape: do not change it, and do not keep it over a Scan.
func (t *Tape) Node(i int) *Node { return &t.nodes[i] }

// Nodes returns all nodes, for loops that cannot afford a call for each. The slice belongs to the tape, as
// Node's pointer does.
func (t *Tape) Nodes() []Node { return slices.Clip(t.nodes) }

// Kind returns the kind of node i.
func (t *Tape) Kind(i int) Kind { return t.nodes[i].Kind }

// Count returns members of an object, elements of an array, code points of a string, else 0.
func (t *Tape) Count(i int) int { return int(t.nodes[i].Count) }

// Next returns the index after the subtree of i: its next sibling, or the end of its parent.
func (t *Tape) Next(i int) int { return int(t.nodes[i].Next) }

// FirstChild returns the index of the first element of an array or the first name of an object. It equals
// Next(i) when i has no children.
func (t *Tape) FirstChild(i int) int { return i + 1 }

// Raw returns the bytes of node i as they were received, quotes and inner whitespace included. They alias
// the source.
func (t *Tape) Raw(i int) []byte {
	n := &t.nodes[i]
	touch.Bytes(int(n.End - n.Start))
	return t.src[n.Start:n.End:n.End]
}

// Text returns the decoded text of string i. It aliases the source when the string has no escapes and is
// built in buf[:0] otherwise.
func (t *Tape) Text(i int, buf []byte) []byte {
	n := &t.nodes[i]
	raw := inside(t.src, n)
	if n.Flags&Escaped == 0 {
		return slices.Clip(raw)
	}
	return appendDecoded(buf[:0], raw)
}

// String returns the decoded text of string i, as a copy.
func (t *Tape) String(i int) string { return decoded(t.src, &t.nodes[i]) }

// AppendString appends the decoded text of string i to dst.
func (t *Tape) AppendString(dst []byte, i int) []byte {
	n := &t.nodes[i]
	if n.Flags&Escaped == 0 {
		return append(dst, inside(t.src, n)...)
	}
	return appendDecoded(dst, inside(t.src, n))
}

// NameEqual reports whether the decoded text of string or name i is name.
func (t *Tape) NameEqual(i int, name string) bool {
	return equalText(t.src, &t.nodes[i], name)
}

// Find returns the value of the member of object i with the decoded name. It looks at one name after the
// other: whoever needs many members of one object walks it once instead.
func (t *Tape) Find(i int, name string) (value int, ok bool) {
	for m, end := i+1, t.Next(i); m < end; m = t.Next(m + 1) {
		if equalText(t.src, &t.nodes[m], name) {
			return m + 1, true
		}
	}
	return 0, false
}

// Members returns an iterator over the members of object i, in document order.
func (t *Tape) Members(i int) Members {
	return Members{nodes: t.nodes, next: i + 1, end: t.Next(i)}
}

// Members iterates over one object: Name and Value are node indices, set by each Next that returns true.
type Members struct {
	Name, Value int

	nodes     []Node
	next, end int
}

// Next moves to the next member and reports whether there is one.
func (m *Members) Next() bool {
	if m.next >= m.end {
		return false
	}
	m.Name, m.Value = m.next, m.next+1
	m.next = int(m.nodes[m.Value].Next)
	return true
}

// Decimal returns number i for exact comparison, without allocating: its text aliases the source. It is
// the zero Decimal when i is no number.
func (t *Tape) Decimal(i int) Decimal {
	if t.nodes[i].Kind != KindNumber {
		return Decimal{}
	}
	d, _ := ParseDecimal(alias(t.Raw(i)))
	return d
}
