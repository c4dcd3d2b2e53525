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

// pointerOf returns the JSON Pointer of a node, or that of a container around it when it would get too long.
func (p *painter) pointerOf(at int) string {
	t := p.t
	var pointer []byte
	for i := t.Root(); i != at; {
		before, c, index := len(pointer), t.FirstChild(i), 0
		if t.Kind(i) == wire.KindArray {
			for ; t.Next(c) <= at; c = t.Next(c) {
				index++
			}
			pointer = strconv.AppendInt(append(pointer, '/'), int64(index), 10)
			i = c
		} else {
			for t.Next(c+1) <= at {
				c = t.Next(c + 1)
			}
			if t.Count(c) > maxPointer {
				break
			}
			pointer = wire.AppendPointer(pointer, t.String(c))
			i = c + 1
			if c == at {
				i = at
			}
		}
		if len(pointer) > maxPointer {
			return string(pointer[:before])
		}
	}
	return string(pointer)
}
