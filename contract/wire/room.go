package wire

import "vcp.core/contract/errcode"

// A value can be far bigger than its document: {} is two bytes, and an element of a list whose type has a
// thousand optional members takes 24 kilobytes. So a value has room in proportion to the document, and
// some on top so that no small document is ever refused. What a value of ordinary density takes is 2 to 20
// bytes a byte.
//
// Only what grows with the document is counted: elements, entries, and what stands behind pointers. What reading
// throws away again counts too (a list that moved because it grew), since nobody knows when its memory comes back.
// Texts and raw values are as long as in the document. So a document of a megabyte takes 72 at most, its tape aside.
const (
	roomPerByte = 64
	roomAnyhow  = 8 << 20
)

// noRoom is the panic by which a reader ends: readers have no results, because nothing else can fail.
type noRoom struct{ node int }

// fill calls read with room for the value.
func (t *Tape) fill(read func(t *Tape)) (err error) {
	most := roomAnyhow + roomPerByte*len(t.src)
	t.room, t.isLimited = most, true
	defer func() {
		t.isLimited = false
		switch reason := recover().(type) {
		case nil:
		case noRoom:
			err = overLimit(int(t.nodes[reason.node].Start), errcode.LimitBytes, "bytes of memory for its Go value", most)
		default:
			panic(reason)
		}
	}()
	read(t)
	return nil
}

// take takes room for what is read at node n: count pieces of a size.
func (t *Tape) take(n, count, size int) {
	if !t.isLimited {
		return
	}
	if t.room -= count * size; t.room < 0 {
		panic(noRoom{n})
	}
}

// New returns a zero T for the value at node n. Within [Decode] it takes from the room that a value has: 64
// bytes for each byte of the document, and 8 MiB. It takes as much as two of them: an arm of a union is copied once
// more, into the interface, and an allocation is up to half as large again as what it is for.
func New[T any](t *Tape, n int) *T {
	t.take(n, 2, sizeOf[T]())
	return new(T)
}
