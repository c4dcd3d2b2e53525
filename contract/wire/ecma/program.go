package ecma

// instOp is what an instruction of a program does.
type instOp uint8

const (
	instSet         instOp = iota // consume a code point of set, go on at next
	instSplit                     // go on at next or at other
	instStart                     // assertions: go on at next where they hold
	instEnd                       //
	instBoundary                  //
	instNotBoundary               //
	instLook                      // look number index holds (or does not, when negate)
	instAccept                    // done
)

type inst struct {
	op     instOp
	negate bool
	set    *set
	next   uint32
	other  uint32
	index  int
}

// program is a pattern, or the body of a look-around, as a graph of instructions. A program that
// runs backward consumes the code point before its position and has its sequences reversed.
type program struct {
	insts    []inst
	start    uint32
	backward bool
	anchored bool // can match at the start of the subject only
}

// look is a look-around of a simulation. A look-ahead has a backward program and a look-behind a
// forward one, see simulation.
type look struct{ program *program }

// assembler turns a tree into programs, one for the pattern and one for each look-around.
type assembler struct {
	looks []look
	index map[*node]int // into looks; a loop unrolls to several uses of one look
}

// assemble returns the program of n and appends those of the look-arounds inside it, inner ones
// first.
func (a *assembler) assemble(n *node, backward bool) *program {
	p := &program{backward: backward}
	p.insts = append(p.insts, inst{op: instAccept})
	p.start = a.emit(p, n, 0)
	p.anchored = !backward && startsAtStart(n)
	return p
}

// emit appends the instructions of n and returns the first; next is where they lead.
func (a *assembler) emit(p *program, n *node, next uint32) uint32 {
	switch n.op {
	case opEmpty:
		return next
	case opSet:
		return p.add(inst{op: instSet, set: n.set, next: next})
	case opSeq:
		for i := range n.subs {
			if !p.backward {
				i = len(n.subs) - 1 - i
			}
			next = a.emit(p, n.subs[i], next)
		}
		return next
	case opAlt:
		first := a.emit(p, n.subs[len(n.subs)-1], next)
		for i := len(n.subs) - 2; i >= 0; i-- {
			first = p.add(inst{op: instSplit, next: a.emit(p, n.subs[i], next), other: first})
		}
		return first
	case opCapture:
		return a.emit(p, n.subs[0], next)
	case opRepeat:
		return a.emitRepeat(p, n, next)
	case opLook:
		return p.add(inst{op: instLook, index: a.look(n), negate: n.negate, next: next})
	}
	return p.add(inst{op: assertions[n.op], next: next})
}

var assertions = map[op]instOp{
	opStart: instStart, opEnd: instEnd, opBoundary: instBoundary, opNotBoundary: instNotBoundary,
}

// emitRepeat unrolls a loop: what is required one after the other, then what is optional nested, or
// a cycle when there is no upper bound. Its size was checked before.
func (a *assembler) emitRepeat(p *program, n *node, next uint32) uint32 {
	body := n.subs[0]
	if n.max < 0 || n.max >= unbounded {
		split := p.add(inst{op: instSplit, other: next})
		p.insts[split].next = a.emit(p, body, split)
		next = split
	} else {
		exit := next
		for range n.max - n.min {
			next = p.add(inst{op: instSplit, next: a.emit(p, body, next), other: exit})
		}
	}
	for range n.min {
		next = a.emit(p, body, next)
	}
	return next
}

func (a *assembler) look(n *node) int {
	if i, ok := a.index[n]; ok {
		return i
	}
	body := a.assemble(n.subs[0], !n.behind)
	a.looks = append(a.looks, look{program: body})
	a.index[n] = len(a.looks) - 1
	return a.index[n]
}

func (p *program) add(i inst) uint32 {
	p.insts = append(p.insts, i)
	return uint32(len(p.insts) - 1)
}

// startsAtStart reports whether every match of n begins with `^`.
func startsAtStart(n *node) bool {
	switch n.op {
	case opStart:
		return true
	case opSeq:
		// Assertions before `^` consume nothing.
		for _, s := range n.subs {
			if startsAtStart(s) {
				return true
			}
			if s.op != opLook && s.op != opBoundary && s.op != opNotBoundary {
				return false
			}
		}
	case opAlt:
		for _, s := range n.subs {
			if !startsAtStart(s) {
				return false
			}
		}
		return true
	case opCapture:
		return startsAtStart(n.subs[0])
	case opRepeat:
		return n.min > 0 && startsAtStart(n.subs[0])
	}
	return false
}

// isWordByte at a position decides \b: word characters are ASCII, and no byte of a longer UTF-8
// sequence looks like one.
func atBoundary(s []byte, pos int) bool {
	before := pos > 0 && isWordByte(s[pos-1])
	after := pos < len(s) && isWordByte(s[pos])
	return before != after
}
