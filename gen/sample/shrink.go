package sample

import (
	"bytes"
	"slices"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
)

// Shrink returns a smaller document of which keep is true, as it is of doc (which is taken for granted):
// "the verdicts of two engines differ", "the schema still refuses it", "the law is still broken". It asks
// keep at most steps times, each time with a document of its own that is smaller than the smallest so far.
// The result is a function of its arguments, as long as keep is.
//
// A document is smaller when it has fewer bytes, or as many and simpler ones: `a` before digits before all
// else. What is tried: white space and escapes that nobody needs are left out; a value stands in place of
// the one that it lies in; members and elements are left out, many at a time first; something simple stands
// in place of a value; names and strings become shorter and simpler, numbers smaller. A document that is no
// JSON, or that keep needs the white space of, loses runs of bytes.
//
// minimal is true when none of these steps makes the result smaller still; it is false when steps ran out.
// The smallest document of all may be elsewhere: each step has to keep on its own.
func Shrink(doc []byte, steps int, keep func(doc []byte) bool) (small []byte, minimal bool) {
	s := &shrinker{keep: keep, left: steps, best: doc}
	file, list := load.Parse("document", doc, wire.Limits{})
	if list.HasErrors() {
		s.bytes()
		return s.best, !s.spent
	}
	s.root = growth(file, file.Root)
	if compact := s.root.append(nil); !bytes.Equal(compact, doc) && !s.offer(compact) {
		s.bytes()
		return s.best, !s.spent
	}
	for again := true; again && !s.spent; {
		again = s.value(&s.root, true)
	}
	return s.best, !s.spent
}

// branch is a value of a document that is made smaller. Scalars keep their spelling.
type branch struct {
	kind wire.Kind
	raw  []byte // of a scalar
	kids []twig
}

// twig is an element, or a member with its quoted name.
type twig struct {
	name []byte
	*branch
}

func growth(file *load.File, n *load.Node) *branch {
	b := &branch{kind: n.Kind}
	switch n.Kind {
	case wire.KindObject:
		for _, m := range n.Members {
			b.kids = append(b.kids, twig{file.Src[m.NameStart:m.NameEnd], growth(file, m.Value)})
		}
	case wire.KindArray:
		for _, e := range n.Elems {
			b.kids = append(b.kids, twig{nil, growth(file, e)})
		}
	default:
		b.raw = file.Raw(n)
	}
	return b
}

func (b *branch) append(dst []byte) []byte {
	ends := "[]"
	switch b.kind {
	case wire.KindObject:
		ends = "{}"
	case wire.KindArray:
	default:
		return append(dst, b.raw...)
	}
	dst = append(dst, ends[0])
	for i, k := range b.kids {
		if i > 0 {
			dst = append(dst, ',')
		}
		if k.name != nil {
			dst = append(append(dst, k.name...), ':')
		}
		dst = k.append(dst)
	}
	return append(dst, ends[1])
}

type shrinker struct {
	keep  func([]byte) bool
	left  int
	spent bool // there was more to try
	best  []byte
	root  *branch
}

// offer makes a document the best one, if it is smaller and is to be kept.
func (s *shrinker) offer(doc []byte) bool {
	if !smaller(doc, s.best) {
		return false
	}
	if s.left <= 0 {
		s.spent = true
		return false
	}
	s.left--
	if !s.keep(slices.Clone(doc)) {
		return false
	}
	s.best = doc
	return true
}

// holds offers the document as the tree is now.
func (s *shrinker) holds() bool {
	s.spent = s.spent || s.left <= 0 // writing large documents for nothing takes time
	return !s.spent && s.offer(s.root.append(make([]byte, 0, len(s.best))))
}

// smaller is the order that every step goes down in. It has no endless way down.
func smaller(a, b []byte) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	for i := range a {
		if x, y := plainness(a[i]), plainness(b[i]); x != y {
			return x < y
		}
	}
	return false
}

func plainness(c byte) int {
	switch {
	case c == 'a':
		return 0
	case '0' <= c && c <= '9':
		return 1 + int(c-'0')
	}
	return 11 + int(c)
}

// simple are what stands in place of values.
var simple = []branch{
	{kind: wire.KindNumber, raw: []byte("0")}, {kind: wire.KindNumber, raw: []byte("1")}, {kind: wire.KindString, raw: []byte(`""`)},
	{kind: wire.KindArray}, {kind: wire.KindObject}, {kind: wire.KindNull, raw: []byte("null")}, {kind: wire.KindTrue, raw: []byte("true")},
	{kind: wire.KindFalse, raw: []byte("false")},
}

// value makes the value in a place of the tree smaller, and reports whether it did.
func (s *shrinker) value(at **branch, root bool) (done bool) {
	for i := range simple {
		if s.put(at, &branch{kind: simple[i].kind, raw: simple[i].raw}) {
			return true
		}
	}
	done = s.without(*at)
	for s.lifted(at, root) {
		done = true
	}
	b := *at
	if b.kind != wire.KindObject && b.kind != wire.KindArray {
		return s.scalar(b) || done
	}
	for i := range b.kids {
		if s.spent {
			break
		}
		done = s.value(&b.kids[i].branch, false) || done
		done = s.name(b, i) || done
	}
	return done
}

// without leaves out members and elements.
func (s *shrinker) without(b *branch) bool {
	whole := b.kids
	kept := s.deleted(len(whole), 1, func(left []int) bool {
		b.kids = b.kids[:0:0]
		for _, i := range left {
			b.kids = append(b.kids, whole[i])
		}
		return s.holds()
	})
	b.kids = nil
	for _, i := range kept {
		b.kids = append(b.kids, whole[i])
	}
	return len(kept) < len(whole)
}

// put tries a value in a place.
func (s *shrinker) put(at **branch, v *branch) bool {
	old := *at
	*at = v
	if s.holds() {
		return true
	}
	*at = old
	return false
}

// lifted puts a value that lies in another in its place: any that lies in the root, else one that is near. In a
// recursive document every other level may be the one that fits. Far below is looked at first, on one way down.
func (s *shrinker) lifted(at **branch, root bool) bool {
	deep := 2
	if root {
		deep = 1 << 10
	}
	levels := [][]*branch{{*at}}
	for len(levels) <= deep {
		var next []*branch
		for _, b := range levels[len(levels)-1] {
			for _, k := range b.kids {
				next = append(next, k.branch)
			}
		}
		if len(next) == 0 {
			break
		}
		levels = append(levels, next)
	}
	for i := len(levels) / 2; i > 1; i /= 2 {
		if s.put(at, levels[i][0]) {
			return true
		}
	}
	for _, level := range levels[1:] {
		for _, b := range level {
			if s.spent {
				return false
			}
			if s.put(at, b) {
				return true
			}
		}
	}
	return false
}

// deleted leaves out as many of n things as try, given the indexes of those that are left, allows: runs of half
// of them first, then of half as many, down to runs of least. It returns those that are left at the end.
func (s *shrinker) deleted(n, least int, try func(left []int) bool) []int {
	left := make([]int, n)
	for i := range left {
		left[i] = i
	}
	for size := max(n/2, 1); n > 0; size /= 2 {
		size = max(size, least)
		for at := 0; at < len(left) && !s.spent; {
			rest := slices.Concat(left[:at], left[min(at+size, len(left)):])
			if try(rest) {
				left = rest
			} else {
				at += size
			}
		}
		if size <= least || s.spent {
			break
		}
	}
	return left
}

// bytes leaves out runs of bytes.
func (s *shrinker) bytes() {
	for again := true; again && !s.spent; {
		doc := s.best
		left := s.deleted(len(doc), max(1, len(doc)>>12), func(left []int) bool {
			out := make([]byte, 0, len(left))
			for _, i := range left {
				out = append(out, doc[i])
			}
			return s.offer(out)
		})
		again = len(left) < len(doc)
	}
}
