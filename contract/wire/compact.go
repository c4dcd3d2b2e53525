package wire

// AppendCompact appends src without the whitespace between tokens. Nothing else changes: numbers, escapes
// and member order stay as they are. src is a value that [Tape.Scan] accepted, or a part of such a
// document; AppendCompact does not check it again. A caller that still has the tape uses
// [Tape.AppendCompact], which does not look into strings.
func AppendCompact(dst, src []byte) []byte {
	from := 0 // src[from:i] is to be copied
	for i := 0; i < len(src); i++ {
		switch {
		case isSpace[src[i]]:
			dst = append(dst, src[from:i]...)
			from = i + 1
		case src[i] == '"':
			for i++; i < len(src) && src[i] != '"'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
		}
	}
	return append(dst, src[min(from, len(src)):]...)
}

// AppendCompact appends value i without the whitespace between its tokens.
//
// Whitespace inside the value can only stand in the gaps between scalars and names; gaps hold nothing but
// whitespace and the six structural characters, so containers need no attention of their own. Stretches
// without whitespace are copied whole: a value that is compact already is one copy.
func (t *Tape) AppendCompact(dst []byte, i int) []byte {
	root := t.nodes[i]
	from := root.Start // src[from:gap] is to be copied
	gap := root.Start
	for k := i; k < int(root.Next); k++ {
		n := &t.nodes[k]
		if n.Kind < KindArray {
			dst, from = t.dropSpace(dst, from, gap, n.Start)
			gap = n.End
		}
	}
	dst, from = t.dropSpace(dst, from, gap, root.End)
	return append(dst, t.src[from:root.End]...)
}

// dropSpace copies src[from:…] up to each whitespace byte of the gap and returns where copying has to go on.
func (t *Tape) dropSpace(dst []byte, from, gap, gapEnd uint32) ([]byte, uint32) {
	for ; gap < gapEnd; gap++ {
		if isSpace[t.src[gap]] {
			dst = append(dst, t.src[from:gap]...)
			from = gap + 1
		}
	}
	return dst, from
}
