package result

import (
	"bytes"
	"slices"
	"sync"
	"unicode/utf8"

	"vcp.core/contract/wire"
)

// composer makes the tape of a result while the result is written. It knows what the scan of the text would find: what
// the encoder writes by itself it tells token by token, and what a plugin wrote was scanned before, so its nodes are
// there and only have to be moved. So the text is read once less. What a composer makes is what a scan makes, node by
// node; where it cannot be sure of that it makes nothing, and [Open] scans.
type composer struct {
	nodes   []wire.Node
	members [memberCount]uint32 // the nodes of the top-level values
	piece   wire.Tape           // of a value that nobody has scanned
	intact  bool
}

var composers = sync.Pool{New: func() any { return &composer{intact: true} }}

// keptNodes is how many nodes a composer keeps room for.
const keptNodes = 1 << 14

// free empties the composer and gives it back.
func (c *composer) free() {
	c.piece.Reset()
	if cap(c.nodes) > keptNodes {
		c.nodes = nil
	}
	c.nodes, c.intact = c.nodes[:0], true
	composers.Put(c)
}

// tape is the tape of the text.
func (c *composer) tape(text []byte) wire.Tape {
	return wire.TapeOf(text, slices.Clone(c.nodes))
}

// node appends a node without a subtree.
func (c *composer) node(start, end int, kind wire.Kind, flags wire.Flags, count int) {
	i := len(c.nodes)
	if i == cap(c.nodes) {
		c.nodes = slices.Grow(c.nodes, 1)
	}
	c.nodes = c.nodes[:i+1]
	n := &c.nodes[i] // in place: appended as a value it would be made elsewhere first
	n.Start, n.End, n.Next, n.Count = uint32(start), uint32(end), uint32(i+1), uint32(count)
	n.Kind, n.Flags = kind, flags
}

// name notes a name of ASCII without escapes, of that many bytes with its quotes.
func (c *composer) name(start, size int) {
	c.node(start, start+size, wire.KindString, wire.Name, size-len(`""`))
}

// ascii notes a string of ASCII without escapes.
func (c *composer) ascii(start, end int) {
	c.node(start, end, wire.KindString, 0, end-start-len(`""`))
}

func (c *composer) scalar(start, end int, kind wire.Kind) { c.node(start, end, kind, 0, 0) }

// text notes a string that ends the text, and that s was written as.
func (c *composer) text(start int, text []byte, s string) {
	points, written := utf8.RuneCountInString(s), text[start+1:len(text)-1]
	if len(written) == points { // and so is s, since what changes a byte makes it longer
		c.ascii(start, len(text))
		return
	}
	var flags wire.Flags
	if len(written) != len(s) && bytes.IndexByte(written, '\\') >= 0 {
		flags |= wire.Escaped
	}
	if bytes.ContainsFunc(written, func(r rune) bool { return r >= utf8.RuneSelf }) {
		flags |= wire.NonASCII
	}
	c.node(start, len(text), wire.KindString, flags, points)
}

// begin notes a container that close will end.
func (c *composer) begin(start int, kind wire.Kind) (node int) {
	c.node(start, 0, kind, 0, 0)
	return len(c.nodes) - 1
}

func (c *composer) close(node, end, count int) {
	n := &c.nodes[node]
	n.End, n.Next, n.Count = uint32(end), uint32(len(c.nodes)), uint32(count)
}

// around is how many containers stand around the deepest value that a plugin may write.
const around = 2

// splice notes value i of a scanned document, which was written at start and ends the text.
func (c *composer) splice(start int, text []byte, t *wire.Tape, i int) {
	from := t.Node(i)
	if len(text)-start != int(from.End-from.Start) { // there was whitespace
		c.scan(start, text)
		return
	}
	base, move := len(c.nodes), uint32(start)-from.Start
	c.nodes = append(c.nodes, t.Nodes()[i:from.Next]...)
	limit, containers := limits(len(text)), 0
	for k := base; k < len(c.nodes); k++ {
		n := &c.nodes[k]
		n.Start, n.End, n.Next = n.Start+move, n.End+move, n.Next-uint32(i)+uint32(base)
		if n.Kind >= wire.KindArray {
			containers++
			c.intact = c.intact && (n.Kind == wire.KindArray || int(n.Count) <= limit.Members)
		}
	}
	if containers > limit.Depth-around && depth(c.nodes[base:], base) > limit.Depth-around {
		c.intact = false
	}
}

// depth is how many containers stand in each other at most. The first node is number base.
func depth(nodes []wire.Node, base int) (deepest int) {
	var open []int // where each ends
	for k := range nodes {
		for len(open) > 0 && base+k >= open[len(open)-1] {
			open = open[:len(open)-1]
		}
		if nodes[k].Kind >= wire.KindArray {
			open = append(open, int(nodes[k].Next))
			deepest = max(deepest, len(open))
		}
	}
	return deepest
}

// scan notes a value that nobody has scanned as it was written: from start to the end of the text.
func (c *composer) scan(start int, text []byte) {
	if err := c.piece.Scan(text[start:], limits(len(text))); err != nil {
		c.intact = false
		c.scalar(start, len(text), wire.KindNull) // something has to stand here
		return
	}
	c.splice(start, text, &c.piece, c.piece.Root())
}
