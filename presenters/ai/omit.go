package ai

import (
	"strconv"
	"strings"

	"vcp.core/contract/wire"
)

// maxPointer bounds a pointer of omitted.fields, in bytes: a longer one gives way to that of the container.
const maxPointer = 512

// omit notes that the value of a node is not shown whole.
func (p *painter) omit(at int) { p.omitPointer(p.pointerOf(at)) }

// omitPart does the same for something that has no pointer of its own.
func (p *painter) omitPart(at int) {
	pointer := p.pointerOf(at)
	p.omitPointer(pointer[:max(strings.LastIndexByte(pointer, '/'), 0)])
}

func (p *painter) omitPointer(pointer string) {
	if n := len(p.omitted); n == 0 || p.omitted[n-1] != pointer {
		p.omitted = append(p.omitted, pointer)
	}
}

// turn is a container on the way from the root to a node, and the child through which the way goes on: an element,
// or a member's name.
type turn struct{ node, child, index int }

// pointerOf returns the JSON Pointer of a node, or that of a container around it when it would get too long.
//
// Cuts come mostly in the order of the document. So the way to the last one is kept, and the next one goes on from
// there: members that stand before many cuts are passed once, not for each of them.
func (p *painter) pointerOf(at int) string {
	t := p.t
	var pointer []byte
	for i, level := t.Root(), 0; i != at; level++ {
		if level == len(p.way) || p.way[level].node != i || p.way[level].child > at {
			p.way = append(p.way[:level], turn{node: i, child: t.FirstChild(i)})
		}
		on, before := &p.way[level], len(pointer)
		if t.Kind(i) == wire.KindArray {
			for t.Next(on.child) <= at {
				on.child, on.index = t.Next(on.child), on.index+1
			}
			pointer = strconv.AppendInt(append(pointer, '/'), int64(on.index), 10)
			i = on.child
		} else {
			for t.Next(on.child+1) <= at {
				on.child = t.Next(on.child + 1)
			}
			if t.Count(on.child) > maxPointer {
				break
			}
			pointer = wire.AppendPointer(pointer, t.String(on.child))
			i = on.child + 1
			if on.child == at {
				i = at
			}
		}
		if len(pointer) > maxPointer {
			return string(pointer[:before])
		}
	}
	return string(pointer)
}
