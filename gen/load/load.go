// Package load is the compiler's first phase: it reads bytes and keeps where everything stands. It
// turns a document into a tree of [Node] with byte positions and a [File] that maps offsets to lines
// and columns. It knows no keyword, no manifest field, no meaning.
//
// Data flow: bytes -> wire's strict scan -> tree. A document that breaks the ingest rules yields
// diagnostics and no tree. Only this package (and the commands) read the file system; every later
// phase is a pure function of what load returns.
package load

import "vcp.core/contract/wire"

// File is a loaded document. It is immutable.
type File struct {
	Name string // as the user named it; slash-separated, used in diagnostics and generated headers
	Src  []byte
	Root *Node

	lines []int // offsets of line starts
}

// Node is a positioned JSON value. The tree keeps member order, number spelling and duplicates
// cannot occur.
type Node struct {
	Kind       wire.Kind
	Start, End int      // byte range in the file
	Str        string   // decoded text of a String; spelling of a Number
	Members    []Member // of an Object, in source order
	Elems      []*Node  // of an Array

	index map[string]int // lazily-free lookup for large objects; built by load
}

// Member is a name with its value.
type Member struct {
	Name               string // decoded
	NameStart, NameEnd int
	Value              *Node
}
