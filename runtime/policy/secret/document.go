package secret

import (
	"bytes"
	"slices"
	"strconv"
	"sync"

	"vcp.core/contract/wire"
)

// Masked is a document without secrets.
type Masked struct {
	// Source is the document: the bytes that were scanned, with other strings where there was a secret.
	Source []byte
	// Nodes are the strings and names that were changed, ascending. They name the same places in a tape of
	// Source as in the one that was masked.
	Nodes []int
}

// Mask masks a scanned document. ok is false when there is nothing to mask. A string with a secret in it is
// written anew, in the shortest escapes; a name, too, and with a number when the object would have two of
// the same. All else stays byte for byte.
//
// keep says of a node with a secret in it that it must stay all the same, because it is a word that the
// protocol fixes; it may be nil.
func (s *Set) Mask(t *wire.Tape, keep func(node int) bool) (m Masked, ok bool) {
	if s == nil || t.Len() == 0 {
		return m, false
	}
	found := s.search(t)
	if keep != nil {
		found = slices.DeleteFunc(found, func(f finding) bool { return keep(f.node) })
	}
	if len(found) == 0 {
		return m, false
	}
	slices.SortStableFunc(found, func(a, b finding) int { return a.node - b.node })
	texts := map[int]string{}
	for len(found) > 0 {
		node, n := found[0].node, 0
		var spans []span
		for n < len(found) && found[n].node == node {
			spans = append(spans, found[n].span)
			n++
		}
		found = found[n:]
		texts[node] = replace(t.String(node), spans)
		m.Nodes = append(m.Nodes, node)
	}
	distinct(t, m.Nodes, texts)
	src := t.Source()
	m.Source = make([]byte, 0, len(src)+len(m.Nodes)*len(Mask))
	from := uint32(0)
	for _, node := range m.Nodes {
		n := t.Node(node)
		m.Source = append(m.Source, src[from:n.Start]...)
		m.Source = wire.AppendQuoted(m.Source, texts[node])
		from = n.End
	}
	m.Source = append(m.Source, src[from:]...)
	return m, true
}

// Raw masks a JSON document that nobody has scanned, and that quotes what is longer: strings are masked as by
// [Set.Quote]. Names stay, and so do strings that keep, which may be nil, says are fixed. ok is false when there is
// nothing to mask, or src is no JSON.
func (s *Set) Raw(src []byte, keep func(t *wire.Tape, node int) bool) (m Masked, ok bool) {
	var t wire.Tape
	if s == nil || t.Scan(src, whole(src)) != nil {
		return m, false
	}
	fixed := func(i int) bool { return t.Node(i).Flags&wire.Name != 0 || keep != nil && keep(&t, i) }
	if m, ok = s.Mask(&t, fixed); ok && t.Scan(m.Source, whole(m.Source)) != nil {
		return m, false
	}
	var cut []byte
	from := uint32(0)
	src = t.Source()
	for i, n := range t.Nodes() {
		if n.Kind != wire.KindString || fixed(i) {
			continue
		}
		text := t.String(i)
		if masked := s.Quote(text); masked != text {
			cut = append(cut, src[from:n.Start]...)
			cut = wire.AppendQuoted(cut, masked)
			from = n.End
			m.Nodes = append(m.Nodes, i)
		}
	}
	if cut == nil {
		return m, ok
	}
	m.Source = slices.Concat(cut, src[from:])
	slices.Sort(m.Nodes)
	m.Nodes = slices.Compact(m.Nodes)
	return m, true
}

// whole are limits that keep nothing out: what is too large to be searched would stay unmasked.
func whole(src []byte) wire.Limits {
	n := max(len(src), 1)
	return wire.Limits{Bytes: n, Depth: n, Nodes: n, Members: n}
}

// finding is a secret, or a piece of one, in a string of a document.
type finding struct {
	node int
	span
}

// add appends a finding, or lets the last one grow when it touches it.
func add(found []finding, f finding) []finding {
	if n := len(found); n > 0 {
		if last := &found[n-1]; last.node == f.node && f.start >= last.start && f.start <= last.end {
			last.end = max(last.end, f.end)
			return found
		}
	}
	return append(found, f)
}

// piece is a string of the document inside the joined text; it ends where the next one starts.
type piece struct {
	node, start int
	name        bool
}

// scratch is what a search needs while it runs.
type scratch struct {
	all, some      []byte
	pieces, chosen []piece
}

// A search of a large document does not keep its memory.
const keptScratch = 1 << 18

var scratches = sync.Pool{New: func() any { return new(scratch) }}

func (w *scratch) free() {
	if cap(w.all)+cap(w.some)+32*(cap(w.pieces)+cap(w.chosen)) <= keptScratch {
		clear(w.all[:cap(w.all)])
		clear(w.some[:cap(w.some)])
		scratches.Put(w)
	}
}

// search finds the secrets of a document. All strings are put together in one text, so that one scan finds
// what is inside of them and what is cut between them.
func (s *Set) search(t *wire.Tape) (found []finding) {
	w := scratches.Get().(*scratch)
	defer w.free()
	all, pieces := w.all[:0], w.pieces[:0]
	nodes := t.Nodes()
	for i := range nodes {
		if nodes[i].Kind == wire.KindString {
			pieces = append(pieces, piece{i, len(all), nodes[i].Flags&wire.Name != 0})
			all = t.AppendString(all, i)
		}
	}
	w.all, w.pieces = all, pieces
	if len(pieces) == 0 {
		return nil
	}
	s.joined(all, pieces, func(f finding, _ bool) { found = add(found, f) })

	if bytes.ContainsAny(all, encoded) {
		for k, p := range pieces {
			if text := all[p.start:endOf(pieces, k, len(all))]; bytes.ContainsAny(text, encoded) {
				for _, at := range s.find(string(text), nil) {
					found = append(found, finding{p.node, at})
				}
			}
		}
	}
	// The values without the names between them, and the names alone. What is inside of one was found above.
	for _, names := range []bool{false, true} {
		some, chosen := w.some[:0], w.chosen[:0]
		for k, p := range pieces {
			if p.name == names {
				chosen = append(chosen, piece{p.node, len(some), names})
				some = append(some, all[p.start:endOf(pieces, k, len(all))]...)
			}
		}
		w.some, w.chosen = some, chosen
		if len(chosen) == len(pieces) {
			break
		}
		s.joined(some, chosen, func(f finding, cut bool) {
			if cut {
				found = add(found, f)
			}
		})
	}
	return found
}

func endOf(pieces []piece, k, end int) int {
	if k+1 < len(pieces) {
		return pieces[k+1].start
	}
	return end
}

// joined scans strings that were put together and tells each piece of a secret, and whether it is cut.
func (s *Set) joined(text []byte, pieces []piece, tell func(f finding, cut bool)) {
	k := 0
	s.scan(text, func(start, end int) {
		for k > 0 && pieces[k].start > start {
			k-- // a match may start one character before the one it follows
		}
		for endOf(pieces, k, len(text)) <= start {
			k++
		}
		cut := end > endOf(pieces, k, len(text))
		for j := k; j < len(pieces) && pieces[j].start < end; j++ {
			from, to := max(start, pieces[j].start), min(end, endOf(pieces, j, len(text)))
			if from < to {
				tell(finding{pieces[j].node, span{from - pieces[j].start, to - pieces[j].start}}, cut)
			}
		}
	})
}

// distinct numbers masked names that would be the same as another name of their object.
func distinct(t *wire.Tape, masked []int, texts map[int]string) {
	first, left := -1, 0
	for _, i := range masked {
		if t.Node(i).Flags&wire.Name != 0 {
			if left == 0 {
				first = i
			}
			left++
		}
	}
	for i, n := range t.Nodes() {
		if left == 0 {
			return
		}
		if n.Kind != wire.KindObject || int(n.Next) <= first {
			continue
		}
		var own []int
		for m := t.Members(i); m.Next(); {
			if _, changed := texts[m.Name]; changed {
				own = append(own, m.Name)
			}
		}
		if own == nil {
			continue
		}
		taken := map[string]bool{}
		for m := t.Members(i); m.Next(); {
			if _, changed := texts[m.Name]; !changed {
				taken[t.String(m.Name)] = true
			}
		}
		next := map[string]int{}
		for _, name := range own {
			text := texts[name]
			for taken[texts[name]] {
				next[text]++
				// In brackets, as the mask is: with what follows a bare number could read like a secret that begins with it.
				texts[name] = text + "[" + strconv.Itoa(next[text]+1) + "]"
			}
			taken[texts[name]] = true
		}
		left -= len(own)
	}
}

// Pointers returns the JSON Pointers of nodes, ascending, in document order and each once. A name stands for
// its member. After limit of them, or 64 KiB, the rest is left out.
func Pointers(t *wire.Tape, nodes []int, limit int) []string {
	var list []string
	var path []byte
	size := 0 // of the list
	var walk func(i int)
	add := func() {
		if p := string(path); len(list) < limit && (len(list) == 0 || list[len(list)-1] != p) {
			list = append(list, p)
			if size += len(p); size > 1<<16 {
				limit = len(list)
			}
		}
	}
	walk = func(i int) {
		if len(nodes) > 0 && nodes[0] == i {
			add()
			nodes = nodes[1:]
		}
		end := len(path)
		index := 0
		for c := t.FirstChild(i); c < t.Next(i); c = t.Next(c) {
			if len(nodes) == 0 || len(list) == limit {
				return
			}
			if t.Kind(i) == wire.KindArray {
				if nodes[0] < t.Next(c) {
					path = strconv.AppendInt(append(path, '/'), int64(index), 10)
					walk(c)
					path = path[:end]
				}
				index++
				continue
			}
			name := c
			c++
			if nodes[0] >= t.Next(c) {
				continue
			}
			path = wire.AppendPointer(path, t.String(name))
			if nodes[0] == name {
				add()
				nodes = nodes[1:]
			}
			walk(c)
			path = path[:end]
		}
	}
	walk(t.Root())
	return list
}
