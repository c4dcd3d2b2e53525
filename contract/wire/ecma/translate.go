package ecma

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// The bounds of a translation. Beyond them another way is taken: RE2 costs its size times the length
// of the subject when things go badly, and package regexp has limits of its own.
const (
	maxRE2Size   = 3000      // nodes, counted repetition unrolled
	maxRE2Bytes  = 256 << 10 // length of the translated pattern, classes spelled out
	maxRE2Repeat = 1000      // the limit of package regexp
)

// translate returns the RE2 program that accepts exactly the strings that n accepts, or nil if there
// is none or it is too large.
//
// Nothing of the pattern's text is passed on: every construct is written anew from the tree, in the
// few forms whose meaning is the same on both sides. Classes become lists of code points, `^` and
// `$` become \A and \z, groups do not capture. The two engines prefer different matches, but they
// agree whether there is one: without back-references a pattern is a regular expression with
// assertions, and both accept its language. (ECMA-262 refuses a round of a loop that consumes
// nothing; leaving the loop instead accepts the same.)
func translate(n *node) *regexp.Regexp {
	if size(n) > maxRE2Size {
		return nil
	}
	w := &re2Writer{}
	if !w.write(n) {
		return nil
	}
	re, err := regexp.Compile(w.String())
	if err != nil {
		// A limit of package regexp: nested repetition beyond 1,000, or memory.
		return nil
	}
	return re
}

// size counts the nodes of a program for n, counted repetition unrolled. It saturates.
func size(n *node) int {
	const most = 1 << 30
	total := 1
	for _, s := range n.subs {
		total = min(total+size(s), most)
	}
	if n.op == opRepeat {
		// A loop without upper bound is its required rounds and a cycle.
		times := max(n.min+1, n.max)
		if total > most/times {
			return most
		}
		total *= times
	}
	return total
}

type re2Writer struct{ strings.Builder }

// write appends n and reports whether it could be written.
func (w *re2Writer) write(n *node) bool {
	if w.Len() > maxRE2Bytes {
		return false
	}
	switch n.op {
	case opEmpty:
		w.WriteString(`(?:)`)
	case opSet:
		w.writeSet(n.set)
	case opStart:
		w.WriteString(`\A`)
	case opEnd:
		w.WriteString(`\z`)
	case opBoundary:
		w.WriteString(`\b`)
	case opNotBoundary:
		w.WriteString(`\B`)
	case opSeq:
		for _, s := range n.subs {
			if !w.write(s) {
				return false
			}
		}
	case opAlt:
		w.WriteString(`(?:`)
		for i, s := range n.subs {
			if i > 0 {
				w.WriteByte('|')
			}
			if !w.write(s) {
				return false
			}
		}
		w.WriteByte(')')
	case opCapture:
		return w.write(n.subs[0])
	case opRepeat:
		return w.writeRepeat(n)
	case opLook, opBackref:
		return false
	}
	return true
}

func (w *re2Writer) writeRepeat(n *node) bool {
	if n.min > maxRE2Repeat || n.max > maxRE2Repeat {
		return false
	}
	w.WriteString(`(?:`)
	if !w.write(n.subs[0]) {
		return false
	}
	w.WriteByte(')')
	switch {
	case n.min == 0 && n.max < 0:
		w.WriteByte('*')
	case n.min == 1 && n.max < 0:
		w.WriteByte('+')
	case n.min == 0 && n.max == 1:
		w.WriteByte('?')
	case n.max < 0:
		w.WriteString("{" + strconv.Itoa(n.min) + ",}")
	default:
		w.WriteString("{" + strconv.Itoa(n.min) + "," + strconv.Itoa(n.max) + "}")
	}
	return true
}

// writeSet appends a set. A class with nothing in it is written as the complement of everything.
func (w *re2Writer) writeSet(s *set) {
	if r, ok := s.single(); ok && r < unicode.MaxASCII && isAlphanumeric(byte(r)) {
		w.WriteByte(byte(r))
		return
	}
	if len(s.spans) == 0 {
		w.WriteString(`[^\x{0}-\x{10FFFF}]`)
		return
	}
	w.WriteByte('[')
	for _, p := range s.spans {
		w.writeRune(p.lo)
		if p.hi > p.lo {
			w.WriteByte('-')
			w.writeRune(p.hi)
		}
	}
	w.WriteByte(']')
}

func (w *re2Writer) writeRune(r rune) {
	w.WriteString(`\x{`)
	w.WriteString(strconv.FormatInt(int64(r), 16))
	w.WriteByte('}')
}
