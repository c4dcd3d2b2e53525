package wire

// Tape is the flat record of one strict scan: a node for every value and every member name, in
// document order. It is what validators walk: after the scan nobody looks for structure in bytes
// again, skipping a subtree is one addition, and a position is an integer that can key a memo.
//
// A tape is reused: Scan on a warm tape allocates nothing. The zero Tape is ready.
type Tape struct {
	src   []byte
	nodes []Node
	// the helper that implements this adds its scratch here
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
